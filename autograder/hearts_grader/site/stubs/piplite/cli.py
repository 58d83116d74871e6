"""What `%pip` in a cell does."""


async def get_transformed_code(arguments: list[str]) -> str:
    """Return the code that the line stands for."""
    return 'print("%pip cannot install anything here; what the course needs is there already")'
