"""Archives that students hand in: a zip or a tar, read in memory within the bounds of a submission.

Python's `tarfile` is not used, because some versions read a hostile header for minutes or for ever.
"""

import posixpath
import zlib
from collections.abc import Iterator

from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import (
    CORRUPT,
    SUBMISSION,
    Bounds,
    FileSource,
    Zip,
    check_path,
    check_size,
    too_big,
)

PACKED = (".zip", ".tar.gz", ".tgz", ".tar")
BLOCK = 512  # bytes: a tar consists of blocks of this size
GZIP = b"\x1f\x8b"
FILE, FOLDER = (b"0", b"\0", b"7"), b"5"  # kinds of members
LONG_NAME, LONG_LINK, PAX = b"L", b"K", (b"x", b"g")  # members that describe the next member


def is_packed(name: str) -> bool:
    """Return whether a file of that name is an archive that can be read.

    If a student hands in only an archive of another kind, a message says what to hand in.
    """
    return name.lower().endswith(PACKED)


def without_ending(name: str) -> str:
    """Return the name of an archive without its ending. Return any other name unchanged."""
    for ending in PACKED:
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def open_packed(name: str, data: bytes) -> FileSource:
    """Return the files in an archive of this content; its `name` tells the kind.

    Raise Unreadable if the archive cannot be read.
    """
    if name.lower().endswith(".zip"):
        return Zip(data)
    return Tar(data)


class Tar:
    """The files in a tar, compressed by gzip or not."""

    def __init__(self, data: bytes, bounds: Bounds = SUBMISSION) -> None:
        """Unpack the tar in memory; raise Unreadable if it is damaged, too big or unsafe.

        Nothing is written to disk. A link in the tar is refused.
        """
        self._files: dict[str, bytes] = {}
        try:
            members = list(_members(_unpacked(data, bounds)))
        except (zlib.error, ValueError):
            raise Unreadable(CORRUPT.replace("zip", "tar")) from None
        check_size("tar", len(members), sum(len(body) for *_, body in members), bounds)
        for raw, kind, body in members:
            path = raw.decode("utf-8", "replace").replace("\\", "/").removeprefix("./")
            check_path("tar", path)
            if kind not in (*FILE, FOLDER):
                raise Unreadable(f"{path} is a link or a special file in the tar; pack the file")
            if kind != FOLDER and not any(map(bounds.is_clutter, path.split("/"))):
                self._files[path] = body
        self.names = tuple(sorted(self._files))

    def read(self, name: str, limit: int) -> bytes:
        """Return the file's content; raise Unreadable for more than `limit` bytes."""
        data = self._files[name]
        if len(data) > limit:
            raise Unreadable(too_big(posixpath.basename(name), len(data), limit))
        return data

    def time(self, name: str) -> str:
        """Return "": only downloads of a platform need times, and no platform offers a tar."""
        return ""


def _unpacked(data: bytes, bounds: Bounds) -> bytes:
    """Return the tar itself, unpacked if gzip has compressed it.

    Unpacking stops at the limit, because a small file may unpack to gigabytes. Raise Unreadable if
    the tar is larger than the limit, and ValueError or zlib.error if it is damaged.
    """
    if not data.startswith(GZIP) or bounds.unpacked is None:
        return data
    limit = bounds.unpacked + 4 * BLOCK * bounds.members  # including headers and padding
    stream = zlib.decompressobj(wbits=31)
    unpacked = stream.decompress(data, limit + 1)
    if len(unpacked) > limit:
        most = f"more than {limit // 2**20} MiB"
        raise Unreadable(f"the tar unpacks to {most}: hand in the program only")
    if not stream.eof:
        raise ValueError("the end is missing")
    return unpacked


def _members(data: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield name, kind and content of each member; raise ValueError if the tar is damaged.

    A long name stands in a special member, before the member that has this name.
    """
    at = 0
    name = b""
    while (head := data[at : at + BLOCK]).strip(b"\0"):
        size = int(head[124:136].strip(b" \0") or b"0", 8)
        body = data[at + BLOCK : at + BLOCK + size]
        if size < 0 or len(body) < size or len(head) < BLOCK:
            raise ValueError("a member is longer than the file")
        content_blocks = -(-size // BLOCK)  # the division is rounded up
        at += BLOCK + content_blocks * BLOCK  # the header is one block
        kind = head[156:157]
        if kind == LONG_NAME:
            name = body.rstrip(b"\0")
        elif kind in PAX:
            name = _pax_path(body) or name
        elif kind != LONG_LINK:
            prefix = b""
            if head[257:263] == b"ustar\0":  # other formats have other data there
                prefix = head[345:500].rstrip(b"\0")
            short_name = b"/".join(filter(None, (prefix, head[:100].partition(b"\0")[0])))
            yield name or short_name, kind, body
            name = b""


def _pax_path(body: bytes) -> bytes:
    """Return the path that a pax header gives, or b"". A tar keeps a long name in a pax header."""
    for line in body.split(b"\n"):  # a line is like b"17 path=cards.py"
        key, _, value = line.partition(b" ")[2].partition(b"=")
        if key == b"path":
            return value
    return b""
