"""A PostgreSQL of our own, for as long as a test runs, as a user without rights."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"
SECONDS = 60


def programs() -> Path | None:
    """Where PostgreSQL's programs lie; None if it is not installed, or we cannot start it."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[4]))
    if not found and (there := shutil.which("initdb")):
        found = [Path(there)]
    return found[-1].parent if found and (os.getuid() or _user()) else None


def _user() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        return None


@contextmanager
def running() -> Iterator[str]:
    """Yields the URL of an empty database; it is reached by a socket in a folder that goes."""
    bin_, root = programs(), Path(tempfile.mkdtemp(prefix="hearts-pg-"))
    assert bin_ is not None
    if not os.getuid():  # PostgreSQL refuses to run as root
        shutil.chown(root, USER)
    data = root / "data"
    options = f"-c listen_addresses='' -c unix_socket_directories={root} -c fsync=off"
    try:
        _run(bin_ / "initdb", "-D", data, "-U", "hearts", "-A", "trust", "-E", "UTF8", "-N")
        _run(bin_ / "pg_ctl", "-D", data, "-l", root / "log", "-w", "-o", options, "start")
        try:
            yield f"postgresql+psycopg://hearts@/postgres?host={root}"
        finally:
            _run(bin_ / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _run(program: Path, *arguments: object) -> None:
    command = [str(program), *map(str, arguments)]
    as_whom = {} if os.getuid() else {"user": USER, "group": USER, "extra_groups": []}
    subprocess.run(
        command, check=True, capture_output=True, timeout=SECONDS, cwd="/", env={"LC_ALL": "C"},
        **as_whom,  # type: ignore[arg-type]
    )  # fmt: skip
