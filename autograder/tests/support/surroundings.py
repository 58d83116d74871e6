"""Conditions that a test needs and this machine may lack: a full disk, no sandbox, another user.

Some conditions are made real, such as the limit on a file's size. For the other conditions, the
function that asks the system is replaced.
"""

import ctypes
import io
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType

import pytest
from hearts_course.results import Result
from hearts_course.sandbox import time_limit, worker
from hearts_course.sandbox.time_limit import PATIENCE
from hearts_course.sandbox.worker import script
from hearts_course.testing import start
from hearts_course.view import players
from hearts_course.view.sampler import Knowledge
from hearts_grader.grading import pool
from hearts_grader.grading.grade import GradeJob, chosen_sandbox
from hearts_grader.sandbox import backends

NOBODY = 65534  # a user without rights
CAPABILITIES_VERSION = 0x20080522
CAPABILITIES = "6I"  # effective, permitted, inheritable: for numbers 0 to 31, then for 32 to 63
READ_AND_WRITE_ALL_FILES = 1 << 1 | 1 << 2


def sandboxes_fail(monkeypatch: pytest.MonkeyPatch, reasons: Mapping[str, str]) -> None:
    """Let each named sandbox fail for its reason, and let all other sandboxes work.

    The test may change the mapping later.
    """
    monkeypatch.setattr(backends, "unavailable_reason", lambda name: reasons.get(name, ""))
    chosen_sandbox.cache_clear()


def no_sandbox_works(monkeypatch: pytest.MonkeyPatch, reason: str = "no") -> None:
    """Let every sandbox fail for this reason."""
    sandboxes_fail(monkeypatch, dict.fromkeys(backends.PREFERENCE, reason))


def kernel_has(monkeypatch: pytest.MonkeyPatch, *, landlock: bool, filters: bool = True) -> None:
    """Let the kernel have or lack Landlock, and `hearts` have or lack filters of system calls."""
    monkeypatch.setattr(backends, "landlock_version", lambda: int(landlock))
    monkeypatch.setattr(backends, "known_machine", lambda: filters)


def processors_are(monkeypatch: pytest.MonkeyPatch, numbers: list[int]) -> None:
    """Let this process use the processors with these numbers."""
    monkeypatch.setattr(pool, "processors", lambda: numbers)


def grade_without_workers(
    monkeypatch: pytest.MonkeyPatch,
    grade_all: Callable[[Iterable[GradeJob], pool.Executor], Iterator[Result]],
) -> None:
    """Let this function grade all jobs, and let no worker start."""
    monkeypatch.setattr(pool, "grade_all", grade_all)
    monkeypatch.setattr(pool.LocalExecutor, "staying", lambda executor: nullcontext(executor))


def workers_run(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let each worker of a sandbox run this code instead of its server."""
    monkeypatch.setattr(worker, "SERVE", code)


def time_by_the_clock(monkeypatch: pytest.MonkeyPatch, patience: float = PATIENCE) -> None:
    """Let the clock end a test after `patience` times its processor limit, without a minimum."""
    monkeypatch.setattr(time_limit, "PATIENCE", patience)
    monkeypatch.setattr(time_limit, "MIN_CLOCK_SECONDS", 0.0)


def without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no process be started, as in a browser."""
    monkeypatch.setattr(start, "HAS_PROCESSES", False)
    monkeypatch.setattr(script, "CAN_FORK", False)


def typed(monkeypatch: pytest.MonkeyPatch, lines: Iterable[str]) -> None:
    """Let standard input hold these lines."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def cannot_be_renamed(monkeypatch: pytest.MonkeyPatch, stays: Callable[[Path], bool]) -> None:
    """Let renaming a path fail as on a full disk, if `stays` returns true for the path."""
    rename = Path.rename

    def renamed(path: Path, target: Path) -> Path:
        if stays(path):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)


def undisguised(tests: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the module `tests` show programs to a student's tests without disguising them."""
    monkeypatch.setattr(tests, "disguised", lambda text, promised, rng: text)


def knowledge_of_samplers(monkeypatch: pytest.MonkeyPatch) -> list[Knowledge]:
    """Let samplers play their first legal card.

    Return a list. Before a sampler plays a card, its knowledge is added to the list.
    """
    seen: list[Knowledge] = []

    def first_card(legal: Sequence[object], knowledge: Knowledge, _: object) -> object:
        seen.append(knowledge)
        return legal[0]

    monkeypatch.setattr(players, "card_of_sampler", first_card)
    return seen


@contextmanager
def closed(path: Path) -> Iterator[None]:
    """Let nobody open this file or folder inside the `with` block, not even root."""
    if os.name == "nt":
        pytest.skip("Windows does not close files by their mode")
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        with _rights_to_all_files_given_up():
            yield
    finally:
        path.chmod(mode)


@contextmanager
def _rights_to_all_files_given_up() -> Iterator[None]:
    """Let this thread open only files whose modes allow it, even if root runs the thread."""
    if sys.platform != "linux":
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    this_thread = struct.pack("Ii", CAPABILITIES_VERSION, 0)
    before = ctypes.create_string_buffer(struct.calcsize(CAPABILITIES))
    assert libc.capget(this_thread, before) == 0
    effective, *others = struct.unpack(CAPABILITIES, before.raw)
    fewer = struct.pack(CAPABILITIES, effective & ~READ_AND_WRITE_ALL_FILES, *others)
    assert libc.capset(this_thread, fewer) == 0
    try:
        yield
    finally:
        assert libc.capset(this_thread, before.raw) == 0


@contextmanager
def not_root() -> Iterator[None]:
    """Take root's rights from this process; skip the test where root cannot become another user."""
    user = os.geteuid()
    if user == 0:
        try:
            os.seteuid(NOBODY)
        except PermissionError:
            pytest.skip("the container does not let root become another user")
    try:
        yield
    finally:
        os.seteuid(user)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let writing a file of more than `size` bytes fail in the middle, as on a full disk."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
