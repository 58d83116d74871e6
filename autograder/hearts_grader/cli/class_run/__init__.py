"""One run of `hearts grade`: what is graded, in which order it is published, what is printed.

Grading and rendering are imported only if there is something to grade.
"""
