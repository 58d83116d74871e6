"""The course in nbgrader: its folder, its gradebook, and grading in our sandbox."""
