"""Grading: find what was handed in, run it, compute scores, and store the results."""
