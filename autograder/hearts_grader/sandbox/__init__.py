"""The sandboxes: how a program is kept in, and whether that works on this machine."""
