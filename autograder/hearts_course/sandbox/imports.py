"""Which of a submission's modules cannot be imported, and why, in words for its author."""

import re
from collections.abc import Iterable

from hearts_course.course import Limits
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import Ask

NO_JUPYTER = re.compile(r"No module named '(?:IPython|ipywidgets|ipykernel|jupyter)")
RUNS_WITHOUT_JUPYTER = (
    "the program runs without Jupyter: import and use this in a cell of your own only"
)
NO_MODULE = re.compile(r"No module named '(\S+)'")
WITHOUT_PACKAGES = "a check has only Python's standard library and the program's own modules"
ONLY_WHEN_RUN = 'let it exit only where it is run as a program: below `if __name__ == "__main__":`'


def failed_imports(
    ask: Ask, modules: Iterable[str], needed: Iterable[str]
) -> dict[str, RemoteError]:
    """Map the name of each module that cannot be imported to its error.

    Raise the first error if all `needed` modules fail. If `needed` is empty, this means all
    modules.
    Raise SubmissionStopped if the program is stopped while it is imported.
    """
    modules = tuple(modules)
    failed: dict[str, RemoteError] = {}
    for name in modules:
        try:
            ask({"do": "module", "name": name})
        except RemoteError as error:
            failed[name] = error
    if failed and failed.keys() >= {*(needed or modules)}:
        raise next(iter(failed.values()))
    return failed


def describe_failed_import(
    error: RemoteError | SubmissionStopped, limits: Limits, if_missing: str = WITHOUT_PACKAGES
) -> str:
    """Return why the program cannot be imported, in one line for the student.

    `if_missing` is the reason why a module that the program imports may not exist here.
    """
    if isinstance(error, SubmissionStopped):
        advice = {
            "timeout": ": is there a loop or an input() call outside your functions?",
            "crashed": ": remove calls that exit or print without end",
        }
        place = f", in {error.calls[-1][0]}, line {error.calls[-1][1]}" if error.calls else ""
        return f"importing the program {error.text}{place}{advice[error.kind]}"
    place = "the program"
    if error.where:
        file, line, text = error.where
        place = f"{file}, line {line} ({text})" if text else f"{file}, line {line}"
    if isinstance(error, SyntaxError):
        return f"{place}: Python cannot read this: {error.text}"
    if isinstance(error, MemoryError):
        return f"{place}: needed more than {limits.memory_bytes // 2**20} MiB of memory on import"
    if error.kind == "SystemExit":
        return f"{place}: the program exited while it was imported; {ONLY_WHEN_RUN}"
    if error.kind == "EOFError":
        return f"{place}: input() was called during the import; move the call into a function"
    reason = ""
    if NO_JUPYTER.search(error.text):
        reason = f"; {RUNS_WITHOUT_JUPYTER}"
    elif NO_MODULE.match(error.text):
        reason = f"; {if_missing}"
    return f"{place}: importing the program raised {error.kind}: {error.text}{reason}"
