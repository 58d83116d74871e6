"""The results in an output folder, by stage and student, and their export to files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import digest, write_whole
from hearts_course.reports.classroom50 import Provenance
from hearts_course.results import Result, Status

from hearts_grader.grading.final_scores import AWAITS, NO_ADJUSTMENT, read_adjustments
from hearts_grader.grading.store import Store
from hearts_grader.lms.csv_table import CsvTable
from hearts_grader.lms.documents import FORMATS

PLACES = 2  # decimals of a score


@dataclass(frozen=True)
class StageResults:
    """Results by stage, in the course's order, and by student; `faults` says what is left out."""

    stages: Mapping[str, tuple[Stage, Mapping[str, Result]]]
    faults: tuple[str, ...]

    @property
    def students(self) -> tuple[str, ...]:
        """All students with a result in any stage."""
        names: set[str] = set()
        for _, scores in self.stages.values():
            names.update(scores)
        return tuple(sorted(names))

    def anonymous(self) -> "StageResults":
        """Return the results with a random code, such as `student-07`, in place of each name.

        Whoever could repeat the shuffle would know the names. So the random numbers come from the
        operating system, and cannot be repeated.
        """
        names = list(self.students)
        SystemRandom().shuffle(names)
        # Codes of one length are sorted alike as text and as numbers.
        width = len(str(len(names)))
        codes = {name: f"student-{number:0{width}}" for number, name in enumerate(names, start=1)}
        stages = {}
        for name, (stage, scores) in self.stages.items():
            coded = {codes[student]: result for student, result in scores.items()}
            stages[name] = stage, coded
        return replace(self, stages=stages)

    @property
    def notes(self) -> tuple[str, ...]:
        """A line for each stage in which scores await manual points."""
        lines = []
        for name, (_, scores) in self.stages.items():
            if awaiting := sum(result.awaits_manual for result in scores.values()):
                lines.append(f"{name}: {AWAITS}: {awaiting} of {len(scores)}")
        return tuple(lines)


def read_stage_results(root: Path, course: Course, only: Sequence[str] = ()) -> StageResults:
    """Return the results that `hearts grade` wrote into the folder: of all stages, or of `only`.

    A result in which the grader failed says nothing about the student, so it becomes a fault and
    not a score. Raise UsageError if there is no result, or a stage is unknown.
    """
    chosen = {course.stage(name).name for name in only}
    results, damaged = Store(root).load_final()
    stages_by_name = {stage.name: stage for stage in course.stages}
    # A damaged result is reported with the other faults, and does not stop the export.
    faults = list(damaged)
    by_stage: dict[str, dict[str, Result]] = {}
    for result in results:
        if chosen and result.stage not in chosen:
            continue
        whose = f"{result.stage} of {result.student}"
        if result.stage not in stages_by_name:
            faults.append(f"{whose}: the course has no such stage; left out")
        elif result.status is Status.GRADER_ERROR:
            faults.append(f"{whose}: the grader failed, so there is no score; grade it again")
        else:
            by_stage.setdefault(result.stage, {})[result.student] = result
    if not by_stage and not faults:
        problem = "no results here"
        if results:
            problem = f"no result for {', '.join(sorted(chosen))}"
        raise UsageError(f"{root}: {problem}; name the folder that `hearts grade --out` wrote")
    stages = {}
    for name, stage in stages_by_name.items():
        if name in by_stage:
            stages[name] = stage, by_stage[name]
    return StageResults(stages, tuple(faults))


def format_score(score: float) -> str:
    """Return the score as text, with two decimals at most and without zeros at the end."""
    return f"{round(score, PLACES):.{PLACES}f}".rstrip("0").rstrip(".")


def class_table(results: StageResults) -> str:
    """Return a CSV: a row for each student, a column for each stage, then total and maximum.

    A cell is empty where there is no result.
    """
    rows = [("student", *results.stages, "total", "max_total")]
    most = sum(stage.max_points for stage, _ in results.stages.values())
    for student in results.students:
        cells = []
        points = []
        for _, scores in results.stages.values():
            result = scores.get(student)
            if result is None:
                cells.append("")
            else:
                cells.append(format_score(result.score))
                points.append(result.score)
        rows.append((student, *cells, format_score(sum(points)), str(most)))
    return CsvTable("table", tuple(rows)).as_text()


def write_documents(name: str, results: StageResults, store: Store, out: Path) -> Iterator[Path]:
    """Write `<student>/<stage>/<file>` for each result, and yield its path.

    `name` is a key of FORMATS. A result that was deleted after `results` was read is skipped. Raise
    CourseError if a file cannot be written.
    """
    adjustments = read_adjustments(store.adjustments)
    form = FORMATS[name]
    for stage, scores in results.stages.values():
        for student in scores:
            record = store.results.read(student, stage.name)
            if record is None:
                continue
            # A result does not contain a time, so take the time of its file.
            seconds = int(store.results.path(student, stage.name).stat().st_mtime)
            when = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            submission = record.key.submission if record.key else digest(record.as_text())
            adjustment = adjustments.get(record.name, NO_ADJUSTMENT)
            # Other systems add up the tasks' points, so each task takes a share of the penalty.
            result = adjustment.apply(record.result, spread=True)
            origin = Provenance.of_digest(stage.name, student, submission, when)
            yield write_whole(
                out / student / stage.name / form.file, form.text(result, stage, origin)
            )
