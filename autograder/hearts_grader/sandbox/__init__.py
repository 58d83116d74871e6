"""Sandboxes: how they contain a program, and whether they work on this machine."""
