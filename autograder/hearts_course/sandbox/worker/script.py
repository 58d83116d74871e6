"""A program's source texts: imported as modules, or run as a script with pipes for a terminal.

Nothing of it lies on the disk. A script runs in a process of its own where there is `fork`, and
otherwise in this one, with its standard streams exchanged.
"""

import importlib
import importlib.machinery
import io
import linecache
import os
import signal
import sys
import threading
import traceback
import types
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, NoReturn

from .rlimits import confine_program, die_with_parent, limit_script

MAX_OUTPUT_BYTES = 2**20
STANDARD_STREAMS, MAX_DESCRIPTOR = 3, 2**16


# Modules of the standard library that games use, and whose import changes nothing else.
COMMON = frozenset(
    {
        *("abc", "argparse", "bisect", "collections", "contextlib", "copy", "dataclasses", "enum"),
        *("functools", "heapq", "itertools", "math", "operator", "random", "re", "statistics"),
        *("string", "textwrap", "types", "typing"),
    }
)


class ProgramFinder:
    """Imports a program's modules from their source texts; nothing of it lies on the disk.

    Finder and loader, but no heir of those in `importlib.abc`, whose import takes as long as all
    the rest of the far side's.
    """

    texts: ClassVar[dict[str, str]] = {}

    def __init__(self, sources: Mapping[str, str]) -> None:
        """`sources` maps each module's name to its text."""
        self._sources: dict[str, str] = {}
        self._codes: dict[str, types.CodeType] = {}
        self.exchange(sources)

    def exchange(self, sources: Mapping[str, str]) -> None:
        """Take these source texts for those that have the same names."""
        for name, text in sources.items():
            self._sources[name] = text
            self._codes.pop(name, None)
            file = f"{name}.py"
            self.texts[file] = text
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of one of the program's modules, None for any other."""
        if name not in self._sources:
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(name, loader, origin=f"{name}.py")

    def create_module(self, spec: Any) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module's text in the module."""
        module.__file__ = f"{module.__name__}.py"
        exec(self._codes.get(module.__name__) or self._compile(module.__name__), vars(module))

    def prepare(self) -> None:
        """Do, once for many processes, what importing the program takes, but run none of it.

        What Python cannot read says so when it is imported.
        """
        for name in self._sources:
            with warnings.catch_warnings(), suppress(Exception):
                warnings.simplefilter("ignore")
                self._codes[name] = self._compile(name)
                for used in COMMON.intersection(self._codes[name].co_names):
                    importlib.import_module(used)

    def _compile(self, name: str) -> types.CodeType:
        return compile(self._sources[name], f"{name}.py", "exec")


def run(
    name: str, arguments: list[str], stdin: bytes, *, confined: bool = False
) -> tuple[bytes, bytes, int]:
    """What the program printed, what it complained of, and its exit status.

    Raises ValueError if it prints more than a test can want to read.
    """
    code = script(name, arguments)
    if hasattr(os, "fork"):
        out, err, status = _run_in_child(code, stdin, confined=confined)
    else:
        out, err, status = _run_here(code, stdin)
    if max(len(out), len(err)) > MAX_OUTPUT_BYTES:
        raise too_much()
    return out, err, status


def too_much() -> ValueError:
    """What is raised for a program that prints more than a test can want to read."""
    return ValueError(f"the program printed more than {MAX_OUTPUT_BYTES // 1024} KiB")


def script(name: str, arguments: list[str]) -> types.CodeType:
    """The module's code, to be run with these arguments; raises what compiling it raises."""
    sys.argv = [f"{name}.py", *arguments]
    return compile(ProgramFinder.texts[f"{name}.py"], f"{name}.py", "exec")


def _run_as_main(code: types.CodeType) -> int:
    """Run the code as a script and return its exit status, as the interpreter would."""
    main = types.ModuleType("__main__")
    main.__file__ = code.co_filename
    sys.modules["__main__"] = main
    try:
        exec(code, vars(main))
    except SystemExit as exit_:
        if exit_.code is None or isinstance(exit_.code, int):
            return exit_.code or 0
        print(exit_.code, file=sys.stderr)
        return 1
    except BaseException as error:
        frames = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, frames)
        return 1
    return 0


def _run_in_child(
    code: types.CodeType, stdin: bytes, *, confined: bool
) -> tuple[bytes, bytes, int]:
    child, to_child, from_out, from_err = fork_script(code, confined=confined)
    out, err = bytearray(), bytearray()
    threads = [
        threading.Thread(target=_feed, args=(to_child, stdin)),
        threading.Thread(target=_collect, args=(from_out, out, child)),
        threading.Thread(target=_collect, args=(from_err, err, child)),
    ]
    for thread in threads:
        thread.start()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for thread in threads:
        thread.join()
    return bytes(out), bytes(err), status


def fork_script(code: types.CodeType, *, confined: bool = False) -> tuple[int, int, int, int]:
    """Start the script in a process of its own: its number, and our ends of its three pipes."""
    pipes = [os.pipe() for _ in range(3)]
    inner = (pipes[0][0], pipes[1][1], pipes[2][1])
    child = os.fork()
    if child == 0:
        for number, end in enumerate(inner):
            os.dup2(end, number)
        become_script(code, confined=confined)
    for end in inner:
        os.close(end)
    return child, pipes[0][1], pipes[1][0], pipes[2][0]


def become_script(code: types.CodeType, *, confined: bool = False) -> NoReturn:
    """Run the script on descriptors 0, 1 and 2, and end this process with its status.

    It has no other descriptors: they belong to other scripts, or to whoever asks.
    """
    status = 1
    die_with_parent()
    limit_script()
    try:
        close_all_but()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if confined:
            confine_program()
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        status = _run_as_main(code)
        sys.stdout.flush()
    finally:
        os._exit(status % 256)


def close_all_but(*kept: int) -> None:
    """Close all descriptors but the three standard streams and these."""
    first = STANDARD_STREAMS
    for number in sorted(kept):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, MAX_DESCRIPTOR)


def _feed(pipe: int, text: bytes) -> None:
    with suppress(OSError), open(pipe, "wb") as file:
        file.write(text)


def _collect(pipe: int, into: bytearray, child: int) -> None:
    with open(pipe, "rb", buffering=0) as file:
        while chunk := file.read(2**16):
            into += chunk
            if len(into) > MAX_OUTPUT_BYTES:
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)
                return


def _run_here(code: types.CodeType, stdin: bytes) -> tuple[bytes, bytes, int]:
    with _streams(stdin) as (out, err):
        status = _run_as_main(code)
    return out.getvalue().encode(), err.getvalue().encode(), status % 256


@contextmanager
def _streams(stdin: bytes) -> Iterator[tuple[io.StringIO, io.StringIO]]:
    before = sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]
    out, err = io.StringIO(), io.StringIO()
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin), "utf-8"), out, err
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"] = before
