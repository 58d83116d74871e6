"""A zip that a stranger made, read in memory and never unpacked to the disk.

Zip   the files in it, each read to a bounded size whatever the zip says of itself
"""

import io
import stat
import struct
import zipfile
import zlib
from collections import Counter
from contextlib import suppress

from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.untrusted import is_clutter, mebibytes, too_big

MAX_MEMBERS = 100
MAX_UNPACKED = 10 * 2**20
ENCRYPTED, UTF_8 = 0x1, 0x800
# Python unpacks the others without a bound.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError)
CORRUPT = "the zip is damaged; make it again and hand it in again"


class Zip:
    """The files in a zip."""

    def __init__(self, data: bytes) -> None:
        """Open the zip; raises Unreadable for one that is damaged, locked, too big or a trick."""
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (*BROKEN, OSError):
            raise Unreadable(CORRUPT) from None
        members = self._zip.infolist()
        _check_sizes(members)
        for member in members:
            check_member(member)
        self._members = {path_of(m): m for m in members if not m.is_dir() and not _is_clutter(m)}
        self.names = tuple(sorted(self._members))
        _check_unique(members)

    def read(self, name: str, most: int) -> bytes:
        """The member's content; raises Unreadable, also for more than `most` bytes."""
        return read_member(self._zip, self._members[name], name, most)


def read_member(box: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, most: int) -> bytes:
    """The member's content, called `name`; raises Unreadable, also for more than `most` bytes."""
    if member.compress_type not in METHODS:
        raise Unreadable(f"{name} is packed in a rare way; make an ordinary zip")
    try:
        with box.open(member) as stream:
            data = stream.read(most + 1)
    except (*BROKEN, OSError, RuntimeError):
        raise Unreadable(CORRUPT) from None
    if len(data) > most:
        raise Unreadable(f"{name} {too_big(max(member.file_size, len(data)), most)}")
    return data


def path_of(member: zipfile.ZipInfo) -> str:
    """The member's path; some systems write `\\` where a zip must have `/`.

    Others write UTF-8 and do not say so, as macOS does; Python then takes it for what it is not.
    """
    name = member.filename
    if not member.flag_bits & UTF_8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/").removeprefix("./")


def _is_clutter(member: zipfile.ZipInfo) -> bool:
    return any(map(is_clutter, path_of(member).split("/")))


def _check_sizes(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise Unreadable(
            f"the zip holds {len(members)} files (at most {MAX_MEMBERS}): hand in the program only"
        )
    unpacked = sum(member.file_size for member in members)
    if unpacked > MAX_UNPACKED:
        raise Unreadable(
            f"the zip unpacks to {mebibytes(unpacked)} (at most {mebibytes(MAX_UNPACKED)}): "
            "hand in the program only"
        )


def check_member(member: zipfile.ZipInfo) -> None:
    """Raises Unreadable for a member that leads outside, is locked, or is no ordinary file."""
    path = path_of(member)
    if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
        raise Unreadable(
            f"the zip names a place outside of itself ({path}); zip the files themselves"
        )
    if member.flag_bits & ENCRYPTED:
        raise Unreadable("the zip is locked with a password; make one without")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        what = "symbolic link" if kind == stat.S_IFLNK else "special file"
        raise Unreadable(f"{path} is a {what} in the zip; zip the file itself")


def _check_unique(members: list[zipfile.ZipInfo]) -> None:
    for path, times in Counter(map(path_of, members)).items():
        if times > 1:
            raise Unreadable(f"the zip holds {path} {times} times; zip it once")
