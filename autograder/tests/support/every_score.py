"""Read back every number about a score that `hearts` writes, and compare it with `grades.csv`.

The numbers are final scores, the parts of each score, and the figures of the class.
"""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import floor
from pathlib import Path
from statistics import fmean, median
from urllib.parse import unquote
from xml.etree import ElementTree

from hearts_grader.grading.history import read_history
from hearts_grader.nbgrader.hooks import Export as NbgraderExport
from nbgrader.api import Gradebook

Score = tuple[str, str, float | None]  # student, stage, and score (None for an empty cell)
Part = tuple[str, str, str, float]  # student, stage, a column of `grades.csv`, its number
Export = Callable[..., object]  # runs `hearts export` with these arguments

PARTS = ("raw_score", "manual_points", "penalty")
SAME = 0.0101  # limit for the difference between a sum of rounded parts and the rounded sum
PAGE_SCORE = re.compile(r'<p class="score"><strong>([-\d.]+)</strong>')
MARKDOWN_SCORE = re.compile(r"^\*\*([-\d.]+) of \d+ points?\b", re.MULTILINE)
# Matches the points counted so far, and perhaps the points that the instructor has not given yet.
MAXIMUM = r" of (\d+) points?(?:; (\d+) points? can only be given by your instructor)?"
MARKDOWN_MAXIMUM = re.compile(rf"^\*\*[-\d.]+{MAXIMUM}\*\*$", re.MULTILINE)
PAGE_MAXIMUM = re.compile(rf'<p class="score"><strong>[-\d.]+</strong>{MAXIMUM}')
PAGE_CHECKS = re.compile(r"\bChecks: ([\d.]+) of \d+ points?\.")
PAGE_PENALTY = re.compile(r"(?:this counts as .*? and|this|file name) costs ([\d.]+) points?\.")
WORDS = {  # matches the parts of a score in a sentence of an export
    "raw_score": re.compile(r"\bchecks ([\d.]+)"),
    "manual_points": re.compile(r"\bmanual ([-+][\d.]+)"),
    "penalty": re.compile(r"(?:late|by Canvas|wrong file name) -([\d.]+)"),
}
SIGN = re.compile(r"([\d.]+) of (\d+) points?")
FIGURES = re.compile(r"<div><dt>([^<,]+)(?:, of \d+)?</dt><dd>([\d.]+)</dd></div>")
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
    """Return a line for each number that is missing or differs from `grades.csv`.

    `gradebook` is the URL of nbgrader's gradebook; if it is empty, nbgrader is left out.
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
    return [
        *lines,
        *_different_totals(out, wanted),
        *_different_parts(out, rows, gradebook),
        *_different_figures(out, rows),
    ]


def _as_shown(place: str, score: float | None, status: str) -> float | None:
    """Return the score as it is shown in `place`; None if no score is shown there."""
    if score is None:
        return None
    if place == "report" and status != "graded":
        return None  # the report gives a reason instead of a score
    if place in TABLES and status == "missing" and not score:
        return None
    return floor(score + 0.5) if place == "classroom50" else score


def _different_totals(out: Path, wanted: Mapping[tuple[str, str], float]) -> list[str]:
    """Return a line for each total that differs from the sum of the student's scores."""
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


def _different_parts(
    out: Path, rows: Mapping[tuple[str, str], dict[str, str]], gradebook: str
) -> Iterator[str]:
    """Yield a line for each part or maximum of a score that differs from `grades.csv`."""
    for (student, stage), row in rows.items():
        raw, manual, penalty = (float(row[column]) for column in PARTS)
        if round(raw + manual - penalty, 2) != float(row["score"]):
            yield f"grades.csv: {student} {stage}: the parts do not add up to {row['score']}"
    places: dict[str, Iterator[Part]] = {
        "feedback page": _parts_on_pages(out, ".html", PAGE_MAXIMUM),
        "feedback as Markdown": _parts_on_pages(out, ".md", MARKDOWN_MAXIMUM),
        "history": _parts_in_histories(out),
        "csv": _maxima_in_class_table(out, rows),
        "help.csv": _signs(out),
        "gradescope": _parts_for_gradescope(out),
        "junit": _parts_in_junit(out),
        "classroom50": _parts_for_classroom50(out),
    }
    if gradebook:
        places["nbgrader's export"] = _parts_by_nbgrader(out, gradebook, rows)
    for place, parts in places.items():
        count = 0
        for student, stage, column, number in parts:
            count += 1
            expected = float(rows[student, stage][column])
            if place == "classroom50" and column == "score":
                expected = floor(expected + 0.5)
            if abs(number - expected) > SAME:
                yield f"{place}: {student} {stage}: {column} is {number} instead of {expected}"
        if not count and place != "help.csv":
            yield f"{place}: no number was found there"


def _parts_on_pages(out: Path, suffix: str, maximum: re.Pattern[str]) -> Iterator[Part]:
    for path in (out / "feedback").glob(f"*/*{suffix}"):
        student = path.parent.name
        stage = path.stem
        text = path.read_text(encoding="utf-8")
        ((known, not_given),) = maximum.findall(text)
        yield student, stage, "max_score", float(known) + float(not_given or 0)
        yield student, stage, "penalty", sum(map(float, PAGE_PENALTY.findall(text)))
        for checks in PAGE_CHECKS.findall(text):
            yield student, stage, "raw_score", float(checks)


def _parts_in_histories(out: Path) -> Iterator[Part]:
    for path in (out / "history").glob("*/*.jsonl"):
        entry = read_history(path)[-1]
        yield path.parent.name, path.stem, "max_score", entry.max_score
        if entry.parts is not None:
            yield path.parent.name, path.stem, "raw_score", entry.parts.raw
            yield path.parent.name, path.stem, "manual_points", entry.parts.manual
            yield path.parent.name, path.stem, "penalty", entry.parts.penalty


def _maxima_in_class_table(out: Path, rows: Iterable[tuple[str, str]]) -> Iterator[Part]:
    """Yield each student's maximum in the first stage.

    The table has only the maximum of all stages together, so subtract those of the other stages.
    """
    maxima = {row["stage"]: float(row["max_score"]) for row in _rows(out / "grades.csv")}
    stages_of = defaultdict(list)
    for student, stage in rows:
        stages_of[student].append(stage)
    for row in _rows(out / "export/csv/scores.csv"):
        first = stages_of[row["student"]][0]
        others = sum(maxima.values()) - maxima[first]
        yield row["student"], first, "max_score", float(row["max_total"]) - others


def _signs(out: Path) -> Iterator[Part]:
    for row in _rows(out / "report/help.csv"):
        if row["sign"] == "failing":
            score, max_score = SIGN.findall(row["why"])[0]
            yield row["student"], row["stage"], "score", float(score)
            yield row["student"], row["stage"], "max_score", float(max_score)


def _parts_for_gradescope(out: Path) -> Iterator[Part]:
    for path in (out / "export/gradescope").glob("*/*/*"):
        data = json.loads(path.read_text(encoding="utf-8"))
        student = path.parent.parent.name
        stage = path.parent.name
        yield student, stage, "max_score", data["extra_data"]["max_score"]
        words = data["output"].split("\n")[-1]
        if WORDS["raw_score"].search(words):  # without these words, the raw score is the score
            for column, part in WORDS.items():
                yield student, stage, column, sum(map(float, part.findall(words)))
        else:
            for column, number in zip(PARTS, (data["score"], 0, 0), strict=True):
                yield student, stage, column, number


def _parts_in_junit(out: Path) -> Iterator[Part]:
    for path in (out / "export/junit").glob("*/*/*"):
        student = path.parent.parent.name
        stage = path.parent.name
        properties = ElementTree.parse(path).iterfind(".//property")
        values = {one.get("name", ""): one.get("value", "") for one in properties}
        yield student, stage, "max_score", float(values["max_score"])
        for column in ("score", "max_score"):
            tasks = [name for name in values if name.startswith(f"{column} of ")]
            yield student, stage, column, sum(float(values[name]) for name in tasks)


def _parts_for_classroom50(out: Path) -> Iterator[Part]:
    for path in (out / "export/classroom50").glob("*/*/*"):
        data = json.loads(path.read_text(encoding="utf-8"))
        student = path.parent.parent.name
        stage = path.parent.name
        yield student, stage, "max_score", data["max-score"]
        yield student, stage, "score", sum(test["score"] for test in data["tests"])
        yield student, stage, "max_score", sum(test["max-score"] for test in data["tests"])


def _parts_by_nbgrader(
    out: Path, gradebook: str, rows: Iterable[tuple[str, str]]
) -> Iterator[Part]:
    """Yield the numbers that `nbgrader export` writes about the scores in `rows`.

    Skip other rows of the table: `nbgrader export` writes one for every student and every stage.
    """
    table = out.parent / "nbgrader-export.csv"
    with Gradebook(gradebook, "hearts") as book:
        NbgraderExport(to=str(table)).export(book)
    columns = {"penalty": "late_penalty"} | {
        column: column for column in ("score", "max_score", "raw_score", "manual_points")
    }
    for row in _rows(table):
        if (row["student"], row["stage"]) in rows:
            for column, theirs in columns.items():
                yield row["student"], row["stage"], column, float(row[theirs])


def _different_figures(out: Path, rows: Mapping[tuple[str, str], dict[str, str]]) -> Iterator[str]:
    """Yield a line for each count, mean or median of a stage that differs from `grades.csv`."""
    in_table = {row["stage"]: row for row in _rows(out / "report/stages.csv")}
    spread = defaultdict(int)
    for row in _rows(out / "report/spread.csv"):
        spread[row["stage"]] += int(row["students"])
    for stage, figures in in_table.items():
        here = [row for (_, name), row in rows.items() if name == stage]
        graded = [float(row["score"]) for row in here if row["status"] == "graded"] or [0.0]
        expected = {
            status: float(sum(row["status"] == status for row in here))
            for status in ("graded", "missing", "unreadable", "grader-error")
        }
        expected |= {"mean": fmean(graded), "median": median(graded)}
        large = out / f"report/{stage}.html"
        page = (large if large.exists() else out / "report.html").read_text(encoding="utf-8")
        section = page.partition(f'<section id="{stage}"')[2].partition("</dl>")[0]
        on_page = {name.replace(" ", "-"): number for name, number in FIGURES.findall(section)}
        for name, number in expected.items():
            in_csv = figures[name.replace("-", "_")]
            if abs(float(in_csv) - number) > SAME:
                yield f"stages.csv: {stage}: {name} is {in_csv} instead of {number}"
            if f"{number:.1f}" != f"{float(on_page.get(name, 'nan')):.1f}":
                yield f"report's figures: {stage}: {name} is {on_page.get(name)}, not {number}"
        if spread[stage] != expected["graded"]:
            yield f"spread.csv: {stage}: {spread[stage]} students, not {expected['graded']:g}"


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
    """Yield the scores in the tables of all stages; in a large class, each table is a page."""
    row = re.compile(
        r'<th scope="row"><a href="(?:\.\./)?feedback/([^/"]+)/([^/"]+)\.html">[^<]*</a>'
        r'(?:<span class="remarks small">[^<]*</span>)?</th>'
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
        if student:  # Canvas's row of maxima has no student
            yield student, stage, score


def _gradebook(url: str) -> Iterator[Score]:
    with Gradebook(url, "hearts") as book:
        for assignment in book.assignments:
            for one in assignment.submissions:
                score = max(0.0, one.score - one.late_submission_penalty)
                yield one.student.id, assignment.name, round(score, 2)
