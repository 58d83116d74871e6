"""The formats that have a document for each result, and the writing of them.

FORMATS   each by its name: the file's name, and what makes its text
write_documents
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hearts_course.course import Stage
from hearts_course.files import write_whole
from hearts_course.grading.cache import digest
from hearts_course.grading.final_scores import NO_ADJUSTMENT, read_adjustments
from hearts_course.grading.store import Record, Store
from hearts_course.lms.classroom50 import classroom50, run_of
from hearts_course.lms.exercism import exercism
from hearts_course.lms.gradescope import gradescope
from hearts_course.lms.junit import junit
from hearts_course.lms.marks import StageResults
from hearts_course.results import Result


@dataclass(frozen=True)
class ResultSource:
    """Where a result comes from: a digest of the submission, and when it was graded."""

    digest: str
    when: str


@dataclass(frozen=True)
class Format:
    """The name of a document's file, and its text."""

    file: str
    text: Callable[[Result, Stage, ResultSource], str]


FORMATS: Mapping[str, Format] = {
    "gradescope": Format("results.json", lambda result, stage, _: gradescope(result, stage)),
    "junit": Format("junit.xml", lambda result, stage, origin: junit(result, stage, origin.when)),
    "classroom50": Format(
        "result.json",
        lambda result, _, origin: classroom50([result], run_of(result, origin.digest, origin.when)),
    ),
    "exercism": Format("results.json", lambda result, stage, _: exercism(result, stage)),
}


def write_documents(name: str, marks: StageResults, graded: Path, out: Path) -> Iterator[Path]:
    """Write `<student>/<stage>/<file>` for each result, and say where; raises CourseError."""
    store = Store(graded)
    by = read_adjustments(store.adjustments)
    for stage, scores in marks.stages.values():
        for student in scores:
            record = store.results.read(student, stage.name)
            if record is not None:
                origin = _origin(record, store.results.path(student, stage.name))
                result = by.get(record.name, NO_ADJUSTMENT).apply(record.result, spread=True)
                text = FORMATS[name].text(result, stage, origin)
                yield write_whole(out / student / stage.name / FORMATS[name].file, text)


def _origin(record: Record, path: Path) -> ResultSource:
    when = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    what = record.key.submission if record.key else digest(record.as_text())
    return ResultSource(what, when.strftime("%Y-%m-%dT%H:%M:%SZ"))
