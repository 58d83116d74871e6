"""Playing a stage's program: the student's own in their workspace, or else the reference."""
