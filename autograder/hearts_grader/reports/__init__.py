"""Pages and tables about a class, and the final pages of its students."""

from pathlib import Path

TEMPLATES = Path(__file__).with_name("templates")
