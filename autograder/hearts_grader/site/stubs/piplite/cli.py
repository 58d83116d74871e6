"""The code that runs for `%pip` in a cell."""


async def get_transformed_code(arguments: list[str]) -> str:
    """Return Python code that runs in place of the `%pip` line."""
    return 'print("%pip cannot install anything here; what the course needs is there already")'
