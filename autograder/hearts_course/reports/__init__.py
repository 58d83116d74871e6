"""Pages, tables and terminal output about results; nothing here computes a score."""
