"""Running a stage's suite: pytest asks, the submission answers from its sandbox."""
