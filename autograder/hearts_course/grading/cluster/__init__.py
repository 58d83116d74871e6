"""Grading on a cluster of Dask's: the course and the submissions travel as bytes."""
