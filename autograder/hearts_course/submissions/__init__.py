"""Submissions: found, read as what strangers wrote, and turned into modules."""
