"""Play a stage's program: the student's own in a workspace, elsewhere the reference."""
