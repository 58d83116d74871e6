"""What an instructor hands out, made from a checkout: workspaces and Gradescope's autograders."""
