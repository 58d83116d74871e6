"""Every place where `hearts` shows or hands on a final score, read back from its output."""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import floor
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from hearts_course.grading.history import read_history
from nbgrader.api import Gradebook

Score = tuple[str, str, float | None]  # student, stage, and the score; None for an empty cell
Export = Callable[..., object]  # runs `hearts export` with these arguments

PAGE_SCORE = re.compile(r'<p class="score"><strong>([-\d.]+)</strong>')
MARKDOWN_SCORE = re.compile(r"^\*\*([-\d.]+) of \d+ points?\*\*$", re.MULTILINE)
TABLES = {
    "canvas": (
        "SIS Login ID",
        "Student,ID,SIS Login ID,Section{titles}\n    Points Possible,,,{points}\n{students}",
        "{name},{number},{name},A{empty}\n",
    ),
    "moodle": (
        "ID number",
        "First name,Last name,ID number,Email address{titles}\n{students}",
        "{name},X,{name},{name}@uni.example{empty}\n",
    ),
}


def grades(out: Path) -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows of `grades.csv` by student and stage."""
    return {(row["student"], row["stage"]): row for row in _rows(out / "grades.csv")}


def different_scores(out: Path, export: Export, gradebook: str = "") -> list[str]:
    """Return a line for each score that differs from `grades.csv`, and for each lacking one.

    `gradebook` is the URL of nbgrader's, if its scores are compared as well.
    """
    rows = grades(out)
    wanted = {name: float(row["score"]) for name, row in rows.items()}
    maxima = {stage: row["max_score"] for (_, stage), row in rows.items()}
    places: dict[str, Iterator[Score]] = {
        "feedback page": _pages(out, ".html", PAGE_SCORE),
        "feedback as Markdown": _pages(out, ".md", MARKDOWN_SCORE),
        "report": _report(out),
        "report's stages": _stage_tables(out),
        "report/students.csv": _wide(out / "report/students.csv", "student", maxima),
        "history": _histories(out),
        "csv": _class_table(out, export, maxima),
        **{form: _documents(form, out, export) for form in DOCUMENTS},
        **{form: _filled(form, out, export, maxima, wanted) for form in TABLES},
    }
    if gradebook:
        places["nbgrader's gradebook"] = _gradebook(gradebook)
    lines = []
    for place, scores in places.items():
        shown = {(student, stage): score for student, stage, score in scores}
        for name in sorted(wanted.keys() | shown.keys()):
            expected = _as_shown(place, wanted.get(name), rows.get(name, {}).get("status", ""))
            if shown.get(name) != expected:
                lines.append(f"{place}: {' '.join(name)}: {shown.get(name)} instead of {expected}")
    return lines + _different_totals(out, wanted)


def _as_shown(place: str, score: float | None, status: str) -> float | None:
    """Return how the place shows a score."""
    if score is None:
        return None
    if place == "report" and status != "graded":
        return None  # it says why there is no program
    if place in TABLES and status == "missing" and not score:
        return None
    return floor(score + 0.5) if place == "classroom50" else score


def _different_totals(out: Path, wanted: Mapping[tuple[str, str], float]) -> list[str]:
    """Return a line for each sum that is not that of the student's scores."""
    totals: dict[str, float] = defaultdict(float)
    for (student, _), score in wanted.items():
        totals[student] += score
    tables = {out / "report/students.csv": "sum", out / "export/csv/scores.csv": "total"}
    return [
        f"{path.name}: {row['student']}: {row[column]} instead of {totals[row['student']]}"
        for path, column in tables.items()
        for row in _rows(path)
        if float(row[column]) != round(totals[row["student"]], 2)
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _pages(out: Path, suffix: str, score: re.Pattern[str]) -> Iterator[Score]:
    for path in (out / "feedback").glob(f"*/*{suffix}"):
        (found,) = score.findall(path.read_text(encoding="utf-8"))
        yield path.parent.name, path.stem, float(found)


def _report(out: Path) -> Iterator[Score]:
    cell = re.compile(r'href="feedback/([^/"]+)/([^/"]+)\.html">([-\d.]+)</a>')
    for student, stage, score in cell.findall((out / "report.html").read_text(encoding="utf-8")):
        yield unquote(student), stage, float(score)


def _stage_tables(out: Path) -> Iterator[Score]:
    """Yield the scores in the tables of the stages, which a large class has on further pages."""
    row = re.compile(
        r'<th scope="row"><a href="(?:\.\./)?feedback/([^/"]+)/([^/"]+)\.html">[^<]*</a></th>'
        r"(?:(?!</tr>).)*<strong>([-\d.]+)</strong>",
        re.DOTALL,
    )
    for page in (out / "report.html", *(out / "report").glob("*.html")):
        for student, stage, score in row.findall(page.read_text(encoding="utf-8")):
            yield unquote(student), stage, float(score)


def _wide(path: Path, key: str, stages: Iterable[str]) -> Iterator[Score]:
    """Yield the scores in a table with a row for each student and a column for each stage."""
    for row in _rows(path):
        for stage in stages:
            yield row[key], stage, float(row[stage]) if row[stage] else None


def _histories(out: Path) -> Iterator[Score]:
    for path in (out / "history").glob("*/*.jsonl"):
        yield path.parent.name, path.stem, read_history(path)[-1].final_score


def _class_table(out: Path, export: Export, stages: Iterable[str]) -> Iterator[Score]:
    export("export", str(out), "--to", "csv")
    yield from _wide(out / "export/csv/scores.csv", "student", stages)


def _documents(form: str, out: Path, export: Export) -> Iterator[Score]:
    export("export", str(out), "--to", form)
    for path in (out / "export" / form).glob("*/*/*"):
        yield path.parent.parent.name, path.parent.name, DOCUMENTS[form](path)


def _in_junit(path: Path) -> float:
    (score,) = ElementTree.parse(path).iterfind(".//property[@name='score']")
    return float(score.get("value", ""))


def _in_json(path: Path) -> float:
    return float(json.loads(path.read_text(encoding="utf-8"))["score"])


DOCUMENTS = {"gradescope": _in_json, "junit": _in_junit, "classroom50": _in_json}


def _filled(
    form: str,
    out: Path,
    export: Export,
    maxima: Mapping[str, str],
    wanted: Iterable[tuple[str, str]],
) -> Iterator[Score]:
    key, table, row = TABLES[form]
    names = sorted({student for student, _ in wanted})
    students = (
        row.format(name=name, number=1000 + number, empty="," * len(maxima))
        for number, name in enumerate(names)
    )
    into = out.parent / f"{form}-download.csv"
    into.write_text(
        table.format(
            titles="".join(f",{stage}" for stage in maxima),
            points=",".join(("", *maxima.values())),
            students="".join(students),
        ),
        encoding="utf-8",
    )
    export("export", str(out), "--to", form, "--into", str(into))
    filled = out / "export" / form / into.name
    for student, stage, score in _wide(filled, key, maxima):
        if student:  # not the row of Canvas's maxima
            yield student, stage, score


def _gradebook(url: str) -> Iterator[Score]:
    with Gradebook(url, "hearts") as book:
        for assignment in book.assignments:
            for one in assignment.submissions:
                score = max(0.0, one.score - one.late_submission_penalty)
                yield one.student.id, assignment.name, round(score, 2)
