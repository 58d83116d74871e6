"""Running a stage's suite: pytest asks, the submission answers across the boundary.

plugin    the fixtures and the mark that every suite uses; also a plain pytest plugin
host      one collected suite, run for one submission after another
explain   what a student reads when a test does not pass
local     the visible checks, without a sandbox, for students
"""
