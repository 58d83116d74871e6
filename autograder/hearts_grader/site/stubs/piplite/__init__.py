"""Replaces the installer that the kernel imports; all packages are installed already."""


async def install(*names: object, **options: object) -> None:
    """Install nothing."""
