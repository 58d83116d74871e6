"""Import a program's source texts as modules, or run them as a script.

No source file is written to disk. A script runs in its own process where there is `fork`, and
otherwise in this one, with the standard streams replaced.

An avoided function is one that did not end in an earlier test. A call of it raises NotRunAgain.
"""

import builtins
import importlib
import importlib.machinery
import io
import linecache
import os
import select
import signal
import sys
import time
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, ClassVar, NoReturn

from .kernel import die_with_parent, start_child
from .rlimits import limit_script
from .seccomp import confine_program

CHUNK_BYTES = 2**16
MAX_OUTPUT_BYTES = 2**20
MAX_COMPILED = 64  # at most this many compiled files are kept in memory
CAN_FORK = hasattr(os, "fork") and sys.platform != "emscripten"  # in a browser `fork` always fails
STANDARD_STREAMS, MAX_DESCRIPTOR = 3, 2**16
CLOSED = -1  # stands for a descriptor that has been closed
INTERRUPTS = 5
# Seconds between a program's question and Ctrl-C, so that the program is waiting for the answer.
BEFORE_INTERRUPT_SECONDS = 0.01
REACTION_SECONDS, POLL_SECONDS = 0.3, 0.005
ECHO = b"^C\r\n"  # what a terminal prints after Ctrl-C
STOP = "_hearts_stop"  # the built-in that an avoided function calls first

# Modules of the standard library that games use, and that are safe to import early.
COMMON_MODULES = frozenset(
    {
        *("abc", "argparse", "bisect", "collections", "contextlib", "copy", "dataclasses", "enum"),
        *("functools", "heapq", "itertools", "math", "operator", "random", "re", "statistics"),
        *("string", "textwrap", "types", "typing", "unittest"),
    }
)
# Modules that the common modules import only when used. They are imported once, for all tests.
IMPORTED_LATE = {"argparse": ("locale", "shutil")}


def line_of(line: int | None, code: types.CodeType, instruction: int) -> int:
    """Return the line; if it is None, return the last line that begins before the instruction.

    A jump back to the beginning of a loop may have no line, and an endless loop is often stopped at
    such a jump.
    """
    if line is not None:
        return line
    line = code.co_firstlineno
    for begin, _, begun_line in code.co_lines():
        if begin <= instruction and begun_line is not None:
            line = begun_line
    return line


class NotRunAgain(BaseException):
    """Raised by a call of an avoided function; `except Exception` does not catch it."""


class ProgramFinder:
    """Imports a program's modules from their source texts.

    It does not inherit from `importlib.abc`, which takes as long to import as the rest of the
    worker.
    """

    texts: ClassVar[dict[str, str]] = {}

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources: dict[str, str] = {}
        self._avoided: dict[str, tuple[int, ...]] = {}
        self.exchange(sources)

    def exchange(self, sources: Mapping[str, str]) -> None:
        """Replace the source texts of the modules with these names.

        Forget the lines to avoid in a replaced text, because they mean nothing in the new text.
        """
        for name, text in sources.items():
            file = f"{name}.py"
            if text != self._sources.get(name):
                self._avoided.pop(file, None)
            self._sources[name] = text
            self.texts[file] = text
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)

    def avoid(self, places: Iterable[tuple[str, int]]) -> None:
        """From the next import on, a function around one of these lines raises NotRunAgain.

        A place is a file and a line. While the program is imported, such functions still run.
        """
        for file, line in places:
            self._avoided[file] = (*self._avoided.get(file, ()), line)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of one of the program's modules, None for any other."""
        if name not in self._sources:
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(name, loader, origin=f"{name}.py")

    def create_module(self, spec: Any) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module's text in the module."""
        file = module.__file__ = f"{module.__name__}.py"
        text = self._sources[module.__name__]
        avoided = self._avoided.get(file, ())
        code = _compiled_without(file, text, avoided) if avoided else _compiled(file, text)
        exec(code, vars(module))

    def prepare(self) -> None:
        """Compile the program and import the common modules it uses, once for all tests.

        Do not run the program. A syntax error is raised later, when the module is imported.
        """
        for own_name, text in self._sources.items():
            with warnings.catch_warnings(), suppress(Exception):
                warnings.simplefilter("ignore")
                file = f"{own_name}.py"
                used = COMMON_MODULES.intersection(_compiled(file, text).co_names)
                for module in used:
                    for name in (module, *IMPORTED_LATE.get(module, ())):
                        importlib.import_module(name)
                if "argparse" in used:
                    # A parser's first use compiles patterns, which `re` then keeps for all tests.
                    sys.modules["argparse"].ArgumentParser("").format_help()
                if "dataclasses" in used:
                    from .data_classes import compile_methods  # this imports `dataclasses`

                    compile_methods(text)


@lru_cache(MAX_COMPILED)
def _compiled(file: str, text: str) -> types.CodeType:
    """Return the file's code; do not catch compile errors."""
    return compile(text, file, "exec")


def _compiled_without(file: str, text: str, lines: Iterable[int]) -> types.CodeType:
    """Return the file's code, in which the functions around these lines begin with STOP."""
    import ast  # this import is slow, and few programs need it

    tree = ast.parse(text, file)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    for line in lines:
        around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
        if around:
            innermost = max(around, key=lambda node: node.lineno)
            stop = ast.parse(f"__import__('builtins').{STOP}()").body[0]
            for node in ast.walk(stop):
                ast.copy_location(node, innermost)
            innermost.body.insert(0 if ast.get_docstring(innermost) is None else 1, stop)
    return compile(tree, file, "exec")


@contextmanager
def avoided_functions_run() -> Iterator[None]:
    """Inside the block, such as during an import, run avoided functions as usual."""
    setattr(builtins, STOP, lambda: None)
    try:
        yield
    finally:
        setattr(builtins, STOP, _not_run_again)


def _not_run_again() -> NoReturn:
    raise NotRunAgain


def run_script(
    name: str, arguments: list[str], stdin: bytes, *, confined: bool = False
) -> tuple[bytes, bytes, int]:
    """Run a script to its end; return its output, its error output and its exit status.

    Raise ValueError if it prints too much.
    """
    code = compile_script(name, arguments)
    if CAN_FORK:
        out, err, status = InteractiveScript(code, confined=confined, stdin=stdin).run()
    else:
        with StandardStreams(stdin) as streams, _fresh_modules():
            status = _run_as_main(code) % 256
        out, err = (output.getvalue() for output in streams.printed)
    if max(len(out), len(err)) > MAX_OUTPUT_BYTES:
        raise _too_much()
    return out, err, status


def _too_much() -> ValueError:
    return ValueError(f"the program printed more than {MAX_OUTPUT_BYTES // 1024} KiB")


def compile_script(name: str, arguments: list[str]) -> types.CodeType:
    """Set `sys.argv` for these arguments, and compile the module. Do not catch compile errors."""
    file = f"{name}.py"
    sys.argv = [file, *arguments]
    return _compiled(file, ProgramFinder.texts[file])


def _run_as_main(code: types.CodeType) -> int:
    """Run the code as a script and return its exit status, as the interpreter would.

    In a script, avoided functions run as usual, because NotRunAgain would look like a crash.
    """
    main = types.ModuleType("__main__")
    main.__file__ = code.co_filename
    sys.modules["__main__"] = main
    try:
        with avoided_functions_run():
            exec(code, vars(main))
    except SystemExit as exit_:
        if exit_.code is None or isinstance(exit_.code, int):
            return exit_.code or 0
        print(exit_.code, file=sys.stderr)
        return 1
    except BaseException as error:
        import traceback  # this import is slow, and few programs need it

        frames = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, frames)
        return 1
    return 0


class _Output(io.BytesIO):
    """The bytes that a script prints; they can be read even if the script has closed the stream."""

    def close(self) -> None:
        """Keep the content."""


class StandardStreams:
    """Standard streams for use inside a block. As usual, they have `buffer` and `reconfigure`.

    If a program sets its own streams inside a block, the next block begins with these streams.
    """

    def __init__(self, stdin: bytes) -> None:
        """`stdin` is the whole input of the program.

        The built-in `input` is replaced too, because in a notebook it would ask the user.
        """
        self.printed = _Output(), _Output()
        self._outputs = [io.TextIOWrapper(out, "utf-8", newline="\n") for out in self.printed]
        self._away: Any = io.TextIOWrapper(io.BytesIO(stdin), "utf-8"), *self._outputs, _input

    def __enter__(self) -> "StandardStreams":
        self._exchange()
        return self

    def __exit__(self, *exc: object) -> None:
        self._exchange()
        for stream in self._outputs:
            with suppress(ValueError):  # the program has closed the stream
                stream.flush()

    def _exchange(self) -> None:
        here = sys.stdin, sys.stdout, sys.stderr, builtins.input
        sys.stdin, sys.stdout, sys.stderr, builtins.input = self._away
        self._away = here


def _input(prompt: object = "", /) -> str:
    print(prompt, end="", flush=True)
    if not (line := sys.stdin.readline()):
        raise EOFError("EOF when reading a line")
    return line.removesuffix("\n")


@contextmanager
def _fresh_modules() -> Iterator[None]:
    """Let a script import the program's modules afresh, as a script in its own process does."""
    names = ["__main__", *(file.removesuffix(".py") for file in ProgramFinder.texts)]
    replaced = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(replaced)


def _fork_script(code: types.CodeType, *, confined: bool) -> tuple[int, int, int, int]:
    """Start the script in its own process; return its pid and our ends of its three pipes."""
    pipes = [os.pipe() for _ in range(3)]
    inner = (pipes[0][0], pipes[1][1], pipes[2][1])
    child = start_child(os.fork)
    if child == 0:
        for number, end in enumerate(inner):
            os.dup2(end, number)
        _become_script(code, confined=confined)
    for end in inner:
        os.close(end)
    return child, pipes[0][1], pipes[1][0], pipes[2][0]


def _become_script(code: types.CodeType, *, confined: bool) -> NoReturn:
    """Run the script on descriptors 0, 1 and 2, and exit with its status.

    Close all other descriptors, because they belong to other scripts or to the client.
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
    """Close all descriptors except the three standard streams and the `kept` ones."""
    first = STANDARD_STREAMS
    for number in sorted(kept):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, MAX_DESCRIPTOR)


def _has_terminals() -> bool:
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


class _Child:
    """The process of a script, and its exit status once it is known."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status: int | None = None

    def send_signal(self, sent: signal.Signals) -> None:
        """Send a signal, unless the process has ended. Its pid may then be another process's."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, sent)

    def wait(self) -> int:
        """Wait until the process has ended, and return its exit status."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status

    def status_soon(self) -> int | None:
        """Wait briefly and return the exit status; None if the process still runs."""
        deadline = time.monotonic() + REACTION_SECONDS
        while self._status is None and time.monotonic() < deadline:
            child, status = os.waitpid(self._pid, os.WNOHANG)
            if child:
                self._status = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(POLL_SECONDS)
        return self._status


class InteractiveScript:
    """A running script and its output so far."""

    def __init__(
        self,
        code: types.CodeType,
        *,
        confined: bool,
        terminal: bool = False,
        stdin: bytes | None = None,
    ) -> None:
        """Start the code as a script. In a terminal, its output and error output are mixed.

        If the system has no terminals, pipes are used instead. `stdin` is the script's whole input,
        or None if the input comes later.
        """
        self._terminal = terminal = terminal and _has_terminals()
        self._out = bytearray()
        self._err = bytearray()
        self._read = 0
        if terminal:
            import pty

            pid, self._in = start_child(pty.fork)
            if pid == 0:
                _become_script(code, confined=confined)
            self._streams = {self._in: self._out}
        else:
            pid, self._in, out, err = _fork_script(code, confined=confined)
            self._streams = {out: self._out, err: self._err}
        self._child = _Child(pid)
        self._open = set(self._streams)
        self._input = stdin or b""
        if stdin == b"":
            self.end_input()

    def expect(self, until: list[str]) -> tuple[str, int | None]:
        """Return what the script prints until one of these texts has come, or the script ends.

        The second value is the exit status, None while the script runs. Raise ValueError if it
        prints too much.
        """
        while True:
            fresh = self._text(self._out[self._read :])
            ends = [fresh.index(text) + len(text) for text in until if text in fresh]
            if ends or not self._wait_for_output():
                printed = fresh[: min(ends)] if ends else fresh
                unread = len(self._encode(fresh[len(printed) :]))
                self._read = len(self._out) - unread
                return printed, None if ends else self._child.status_soon()

    def send(self, text: str) -> None:
        """Type the text; do nothing if the program has stopped reading."""
        with suppress(OSError):
            os.write(self._in, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C after a moment, and again if the program does not react.

        If a signal comes just before Python waits for input, Python handles the signal only after
        the input.
        """
        time.sleep(BEFORE_INTERRUPT_SECONDS)
        for _ in range(INTERRUPTS):
            start = len(self._out)
            if self._terminal:
                self.send("\x03")
            else:
                self._child.send_signal(signal.SIGINT)
            while self._open and select.select(list(self._open), [], [], REACTION_SECONDS)[0]:
                self._wait_for_output()
                if not self._open or self._out[start:].strip(ECHO):
                    return

    def end_input(self) -> None:
        """Press Ctrl-D, or close the pipe."""
        if self._terminal:
            self.send("\x04")
        else:
            with suppress(OSError):
                os.close(self._in)
            self._in = CLOSED  # this descriptor's number may soon belong to another pipe

    def run(self) -> tuple[bytes, bytes, int]:
        """Wait for the end; return all output, all error output and the exit status.

        Raise ValueError if it prints too much.
        """
        while self._wait_for_output():
            continue
        return bytes(self._out), bytes(self._err), self._child.wait()

    def finish(self) -> tuple[bytes, bytes, int]:
        """Wait for the end like `run`, and return the output in the form that `expect` uses."""
        out, err, status = self.run()
        return self._text(out).encode(), err, status

    def close(self) -> None:
        """End the script if it still runs, and close all pipes to it."""
        self._child.send_signal(signal.SIGKILL)
        for end in {self._in, *self._streams} - {CLOSED}:
            os.close(end)
        self._child.wait()

    def _wait_for_output(self) -> bool:
        """Wait until the script prints or closes a stream, or has room for more input.

        Return False at once if all output has ended and no input is left to write.
        """
        unfed = [self._in] if self._input else []
        if not self._open and not unfed:
            return False
        ready, writable, _ = select.select(list(self._open), unfed, [])
        if writable:
            self._feed()
        for stream in ready:
            try:
                chunk = os.read(stream, CHUNK_BYTES)
            except OSError:  # the program at the terminal has ended
                chunk = b""
            self._streams[stream] += chunk
            if not chunk:
                self._open.discard(stream)
        if max(len(self._out), len(self._err)) > MAX_OUTPUT_BYTES:
            self._child.send_signal(signal.SIGKILL)
            raise _too_much()
        return True

    def _feed(self) -> None:
        """Write the part of the input that fits now; close the pipe after the last part."""
        part = self._input[: select.PIPE_BUF]
        self._input = self._input[select.PIPE_BUF :]
        try:
            os.write(self._in, part)
        except OSError:  # the program has stopped reading
            self._input = b""
        if not self._input:
            self.end_input()

    def _text(self, printed: bytes | bytearray) -> str:
        text = bytes(printed).decode("utf-8", "replace")
        return text.replace("\r\n", "\n") if self._terminal else text

    def _encode(self, text: str) -> bytes:
        return (text.replace("\n", "\r\n") if self._terminal else text).encode()
