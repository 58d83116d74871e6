"""Files that are written whole or not at all: first beside their place.

draft         a file beside its place
write_whole   a file in its place
"""

import os
from pathlib import Path


def draft(path: Path, data: bytes) -> Path:
    """A file beside `path` that holds the data, to be moved there.

    Raises OSError if it cannot be written; on a full disk no part of it stays.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        beside.write_bytes(data)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return beside


def write_whole(path: Path, data: bytes) -> None:
    """Write the file, so that at any moment it holds all of the old data or all of the new.

    Raises OSError if that fails; nothing beside it stays then.
    """
    beside = draft(path, data)
    try:
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
