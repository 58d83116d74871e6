"""Grading: what was handed in, how it is run, what came out, where that is kept."""
