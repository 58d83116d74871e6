"""A program in this process: for browsers, which have only one process, and for live objects.

Live objects are the objects of a running notebook; they have no source texts. A program's time is
limited, but nothing here ends a loop that is written in C.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from hearts_course.course import Limits
from hearts_course.edition import HERE
from hearts_course.results import Outcome, SourcePosition
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Connection, local_ask
from hearts_course.sandbox.imports import failed_imports
from hearts_course.sandbox.worker.script import (
    ProgramFinder,
    StandardStreams,
    avoided_functions_run,
)
from hearts_course.testing.alarms import TestTime, TookTooLong
from hearts_course.testing.job import StartedProgram
from hearts_course.testing.plugin import Importable

NO_FILE = HERE.text(
    "must be in a file for this check: save your work first<!-- if terminal -->, then run "
    "`hearts check`<!-- end -->"
)
NO_TERMINAL = HERE.text(
    "must run in a process for this check, and here it cannot: "
    "<!-- if terminal -->use `hearts check`<!-- else this check needs a computer with Python -->"
)


class ModulesHere:
    """A program's modules in this process. They can be imported only inside `importable`."""

    _shown: "ModulesHere | None" = None  # tracebacks show the source texts of these modules

    def __init__(self, sources: Mapping[str, str]) -> None:
        """`sources` maps names to source texts."""
        self._sources = sources
        self._finder = ProgramFinder({})
        self._imported: dict[str, Any] = {}

    def avoid(self, position: SourcePosition) -> None:
        """From the next import on, let the function around this line raise NotRunAgain."""
        # Call `exchange` first, because it may forget the lines to avoid.
        self._finder.exchange(self._sources)
        self._finder.avoid([(position.file, position.line)])

    def forget(self) -> None:
        """Forget the imported modules, so that the next import runs them afresh."""
        self._imported = {}

    @contextmanager
    def importable(self) -> Iterator[None]:
        """Let imports find the program's modules inside the block, and only there."""
        if ModulesHere._shown is not self:
            ModulesHere._shown = self
            self._finder.exchange(self._sources)
        replaced = _taken(self._sources)
        sys.modules.update(self._imported)
        sys.meta_path.insert(0, self._finder)
        try:
            yield
        finally:
            sys.meta_path.remove(self._finder)
            self._imported = _taken(self._sources)
            sys.modules.update(replaced)

    def close(self) -> None:
        """Let go of the modules."""
        ModulesHere._shown = None


def _taken(names: Mapping[str, str]) -> dict[str, Any]:
    return {name: sys.modules.pop(name) for name in names if name in sys.modules}


class ProgramHere(StartedProgram):
    """A program in this process. Its tests share one import until a test fails or is stopped.

    Its modules are importable only while it answers. A program in files gets no input, and its
    output is lost; live objects print as usual. As in the grader, processor time is limited, and
    the clock ends a program that sleeps or waits.
    """

    stopped: SubmissionStopped | None = None

    def __init__(
        self, limits: Limits, sources: Mapping[str, str], live: Mapping[str, object] | None = None
    ) -> None:
        """`sources` maps module names to source texts, `live` maps module names to live objects.

        A notebook has live objects. They have no source texts, so `sources` is then empty.
        """
        self._limits = limits
        self._sources = dict(sources)
        self._live = live
        self._modules = ModulesHere(self._sources)
        self._avoided: list[SourcePosition] = []
        self._files = {f"{name}.py" for name in sources}
        self.failed: Mapping[str, RemoteError] = {}
        self._forget()

    def close(self) -> None:
        """Let go of the program."""
        self._modules.close()

    def _forget(self) -> None:
        """Forget all that the program has done, and set the time limit for importing it."""
        self.stopped = None
        self._modules.forget()
        self._time = TestTime(self._limits.import_seconds)
        self._streams = _streams(self._live)
        self.connection = Connection(self._ask)
        self._ask_here = local_ask(
            Importable(None, **(self._live or {})),
            lambda answer: self.connection.note_output(printed="printed" in answer),
        )

    @property
    def cpu_seconds(self) -> float:
        """The processor time that the current test has used."""
        return self._time.cpu_seconds

    @property
    def sources(self) -> Mapping[str, str]:
        """The program's source texts, keyed by module name.

        Raise SubmissionStopped for a notebook's live objects, because they have no source texts.
        """
        if self._live is not None:
            raise SubmissionStopped(Outcome.NOT_REACHED, NO_FILE)
        return self._sources

    def avoid(self, position: SourcePosition) -> None:
        """From the next import on, let the function around this line raise NotRunAgain."""
        self._avoided.append(position)
        self._modules.avoid(position)

    def load(self, needed: Iterable[str] = ()) -> None:
        """Import the program afresh."""
        self._forget()
        with avoided_functions_run():  # an import may run avoided functions
            self.failed = failed_imports(self._ask, self._sources, needed)

    def variant(self, modules: Mapping[str, str]) -> "ProgramHere":
        """Import and return a variant of the program, in which `modules` replaces some modules."""
        variant = ProgramHere(self._limits, {**self.sources, **modules})
        for position in self._avoided:
            if variant._sources.get(position.module) == self._sources.get(position.module):
                variant.avoid(position)
        variant.load()
        variant.begin(min(self._time.allowed, self._limits.test_seconds))
        return variant

    def fresh(self) -> "ProgramHere | None":
        """Import the program afresh and return it. For a notebook's live objects, return None."""
        if self._live is not None:
            return None
        self.load()
        return self

    def begin(self, seconds: float | None = None, *, scripts: bool = False) -> None:
        """Start a test. If the last test was stopped, import the program afresh first."""
        if self.stopped is not None:
            self.load()
        self._streams = _streams(self._live)
        self.connection = Connection(self._ask)
        self._time = TestTime(seconds or self._limits.test_seconds)

    def _ask(self, question: dict[str, Any]) -> Any:
        if self.stopped is not None:
            raise self.stopped
        if question["do"] == "start" or (question["do"] == "run" and self._live is not None):
            reason = NO_FILE if self._live is not None else NO_TERMINAL
            raise SubmissionStopped(Outcome.NOT_REACHED, reason)
        limit = self._time.begin_answer()
        try:
            with self._modules.importable(), self._streams, limit:
                return self._ask_here(question)
        except TookTooLong:
            self.stopped = SubmissionStopped(
                Outcome.TIMEOUT,
                f"took longer than {self._time.allowed:g} s",
                calls=tuple(call for call in limit.calls if call[0] in self._files),
            )
            raise self.stopped from None
        finally:
            self._time.end_answer()


def _streams(live: Mapping[str, object] | None) -> AbstractContextManager[object]:
    """Return a context manager that sets the program's standard streams.

    A program in files gets no input, and its output is lost. Live objects keep the streams of the
    notebook.
    """
    return StandardStreams(b"") if live is None else nullcontext()
