"""Make what an instructor hands out from a checkout: workspaces, autograders for Gradescope."""
