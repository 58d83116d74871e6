"""The instructor's desk: a course that nbgrader and its formgrader open as their own.

source        a stage's notebook with solutions and hidden tests, and the files beside it
release       what takes both out again, for nbgrader's own `generate_assignment`
config        how nbgrader is told to do all this: what `nbgrader_config.py` calls
course        the folder of such a course, written and brought up to date

nbgrader's own classes are only imported where they are needed: that takes seconds.
"""
