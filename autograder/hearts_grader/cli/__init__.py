"""The commands of `hearts` for instructors and authors, named in pyproject.toml."""
