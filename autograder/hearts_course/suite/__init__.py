"""Running a stage's suite: pytest asks, the submission answers across the boundary.

plugin    the fixtures and the mark that every suite uses; also a plain pytest plugin
jobs      what a suite is given and what it gives back
suite     a stage's tests, run for one job after another, and judged
host      a suite that stays collected, in a thread
explain   what a student reads when a test does not pass
steps     a test's own lines, as they stand in that message
local     the visible checks, without a sandbox, for students
"""
