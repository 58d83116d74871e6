"""Submissions: found in a folder, read without being run, and turned into modules."""
