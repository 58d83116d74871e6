"""Files of a student's that are written whole or not at all: first beside their place."""

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
