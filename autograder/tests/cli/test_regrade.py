"""`hearts grade` a second time: what has not changed costs nothing, what changes is shown first."""

import errno
import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hearts_course import files
from hearts_course.cli import run
from hearts_course.course import Course
from hearts_course.grading import pool, store
from hearts_course.reports import feedback_pages, tables
from hearts_course.results import Status
from hearts_course.sandbox import backends
from tiny_class import STAGE, course_with_starter, put, result
from tiny_course import REFERENCE

WRONG = REFERENCE.replace("10 if", "5 if")
HIDDEN = f"course/autograder/{STAGE}/test_coins_hidden.py"
LIMITS = "\n[limits]\ntest_seconds = 9.0\n"
GRADE = ["grade", "class", "--out", "out"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A class of three in the current folder, and the tiny course."""
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: Course(course.root))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for student, source in (("ada", REFERENCE), ("bob", WRONG), ("cyd", REFERENCE)):
        put(tmp_path / "class" / student / STAGE, {"coins.py": source})
    return tmp_path


@pytest.fixture(autouse=True)
def engine(place, monkeypatch):
    """Grading without running anything: who was graded is kept, a fault can be asked for.

    Only the reference is right, and only until the hidden test says `strict`.
    """
    seen = []

    def grade_all(units, crew):
        for unit in units:
            seen.append(unit.student)
            strict = "strict" in (place / HIDDEN).read_text()
            right = REFERENCE in unit.load().modules.values() and not strict
            broken = "broken" in (place / HIDDEN).read_text()
            status = Status.GRADER_ERROR if broken else Status.GRADED
            course = Course(place / "course")
            given = result(course, unit.student, 2 if right else 1, status)
            yield replace(given, sandbox=unit.sandbox)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    monkeypatch.setattr(
        backends, "choose_sandbox", lambda name: "sandlock" if name == "auto" else name
    )
    return seen


def grade(*options):
    return run([*GRADE, *options])


def add(path, text):
    path.write_text(path.read_text() + text)


def scores(place):
    files = sorted((place / "out/results").glob("*/*.json"))
    return {path.parent.name: json.loads(path.read_text())["score"] for path in files}


def snapshot(folder, *without):
    """Every file's content and time, by name."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and not any(part in without for part in path.parts)
    }


def told(place, student):
    lines = (place / f"out/history/{student}/{STAGE}.jsonl").read_text().splitlines()
    return [(entry["score"], entry["why"]) for entry in map(json.loads, lines)]


def test_without_changes_nothing_is_graded_or_written(place, engine, capsys):
    assert grade() == 0
    before = snapshot(place / "out", "lock")
    engine.clear()
    capsys.readouterr()
    assert grade() == 0
    assert engine == []
    assert snapshot(place / "out", "lock") == before
    assert capsys.readouterr() == (
        "nothing to grade: 3 results up to date already\n"
        "report    out/report.html\ngrades    out/grades.csv\nfeedback  out/feedback\n",
        "",
    )


def test_a_changed_submission_is_graded_alone(place, engine, capsys):
    grade()
    engine.clear()
    put(place / "class/bob" / STAGE, {"coins.py": REFERENCE})
    put(place / "class/dan" / STAGE, {"coins.py": WRONG})
    capsys.readouterr()
    assert grade() == 0
    assert engine == ["bob", "dan"]
    assert "2 results up to date already" in capsys.readouterr().out
    assert scores(place) == {"ada": 3.0, "bob": 3.0, "cyd": 3.0, "dan": 2.0}
    assert told(place, "bob") == [(2.0, ["first"]), (3.0, ["submission"])]
    assert "dan" in (place / "out/report.html").read_text()


def test_a_changed_suite_shows_who_gains_or_loses_and_then_replaces(place, engine, capsys):
    grade()
    engine.clear()
    add(place / HIDDEN, "# strict\n")
    capsys.readouterr()
    assert grade() == 0
    assert engine == ["ada", "bob", "cyd"]
    out = capsys.readouterr().out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert f"ada {STAGE} 3 → 2 of 6 -1 test_worth[1]" in rows
    assert not any(row.startswith(f"bob {STAGE}") for row in rows)
    assert "test_worth[1] 2 passes no longer A dime is worth ten pence." in rows
    assert "0 gain, 2 lose, 1 keep their score, because the suite changed" in rows
    assert scores(place) == {"ada": 2.0, "bob": 2.0, "cyd": 2.0}
    assert told(place, "ada") == [(3.0, ["first"]), (2.0, ["suite"])]
    assert not (place / "out/.hearts/pending").exists()


def test_staged_results_of_an_earlier_suite_replace_nothing(place, engine, capsys):
    grade()
    add(place / HIDDEN, "# strict\n")
    assert grade("--dry-run") == 0
    add(place / HIDDEN, "# broken\n")
    assert grade() == 1
    assert scores(place) == {"ada": 3.0, "bob": 2.0, "cyd": 3.0}
    assert told(place, "ada") == [(3.0, ["first"])]
    assert (
        "3 results could not be regraded; the previous results are kept" in capsys.readouterr().err
    )


@pytest.mark.parametrize("change", ["suite", "limits"])
def test_a_dry_run_shows_the_same_and_touches_no_result(place, engine, capsys, change):
    grade()
    before = snapshot(place / "out", ".hearts")
    if change == "suite":
        add(place / HIDDEN, "# strict\n")
    else:
        add(place / f"course/assignments/{STAGE}/stage.toml", LIMITS)
    put(place / "class/dan" / STAGE, {"coins.py": WRONG})
    engine.clear()
    capsys.readouterr()
    assert grade("--dry-run") == 0
    lose = 2 if change == "suite" else 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        f"0 gain, {lose} lose, {3 - lose} keep their score, because the {change} changed",
        "1 result would be added, for new or changed submissions",
        "0 results up to date already; nothing was changed",
    ]
    assert snapshot(place / "out", ".hearts") == before
    assert engine == ["ada", "bob", "cyd"]

    engine.clear()
    assert grade() == 0
    assert engine == ["dan"]
    assert f"0 gain, {lose} lose" in capsys.readouterr().out
    assert told(place, "ada")[-1] == (3.0 - lose / 2, [change])


def test_a_dry_run_without_results_is_misuse(place, engine, capsys):
    assert grade("--dry-run") == 2
    assert "out: holds no results that could change; grade first\n" in capsys.readouterr().err
    assert not (place / "out").exists()


def test_staged_results_are_dropped_when_the_suite_changes_again(place, engine):
    grade()
    strict = (place / HIDDEN).read_text() + "# strict\n"
    plain = (place / HIDDEN).read_text()
    (place / HIDDEN).write_text(strict)
    grade("--dry-run")
    (place / HIDDEN).write_text(plain)
    engine.clear()
    assert grade() == 0
    assert engine == []
    (place / HIDDEN).write_text(plain + "# another\n")
    grade()
    assert engine == ["ada", "bob", "cyd"]
    assert scores(place)["ada"] == 3.0


def test_a_grader_error_is_retried_and_keeps_former_scores(place, engine, capsys):
    grade()
    put(place / "class/dan" / STAGE, {"coins.py": WRONG})
    add(place / HIDDEN, "# broken\n")
    assert grade() == 1
    assert (
        "3 results could not be regraded; the previous results are kept" in capsys.readouterr().err
    )
    assert scores(place) == {"ada": 3.0, "bob": 2.0, "cyd": 3.0, "dan": 0.0}
    engine.clear()
    assert grade() == 1
    assert engine == ["ada", "bob", "cyd", "dan"]
    (place / HIDDEN).write_text("# mended\n")
    assert grade() == 0
    assert told(place, "dan") == [(0.0, ["first"]), (2.0, ["suite"])]
    assert told(place, "ada") == [(3.0, ["first"]), (3.0, ["suite"])]


def test_a_damaged_result_is_regraded_without_a_new_history_entry(place, engine):
    grade()
    (place / f"out/results/ada/{STAGE}.json").write_text("{")
    engine.clear()
    assert grade() == 0
    assert engine == ["ada"]
    assert told(place, "ada") == [(3.0, ["first"])]


def test_a_result_damaged_after_its_head_is_regraded(place, engine):
    grade()
    path = place / f"out/results/ada/{STAGE}.json"
    path.write_text(path.read_text().replace('"outcome"', '"outcom"', 1))
    engine.clear()
    assert grade() == 0
    assert engine == ["ada"]
    assert "ada" in (place / "out/grades.csv").read_text()


def test_a_damaged_result_without_submission_is_reported_each_time(place, capsys):
    grade()
    (place / f"out/results/ada/{STAGE}.json").write_text("{")
    shutil.rmtree(place / "class/ada")
    for _ in range(2):
        assert grade() == 1
        assert "damaged; delete it and grade again" in capsys.readouterr().err


def test_a_missing_page_or_report_is_rewritten_without_grading(place, engine):
    grade()
    before = snapshot(place / "out", ".hearts", "grades.csv", "report.html")
    page = place / f"out/feedback/ada/{STAGE}.html"
    for path in (page, place / "out/grades.csv", place / "out/report.html"):
        content = path.read_bytes()
        path.unlink()
        engine.clear()
        assert grade() == 0
        assert engine == []
        assert path.read_bytes() == content
    after = snapshot(place / "out", ".hearts", "grades.csv", "report.html")
    assert set(after) == set(before)


def test_removed_results_leave_the_report(place):
    grade()
    shutil.rmtree(place / "out/results/ada")
    shutil.rmtree(place / "class/ada")
    assert grade() == 0
    assert "ada" not in (place / "out/grades.csv").read_text()


class Killed(BaseException):
    """Stands for the end of the process: nothing of ours may catch it and go on."""


def kill(path, monkeypatch):
    """Leave what a killed process leaves: half a file, which nobody removes."""
    path.write_bytes(path.read_bytes()[:20] if path.exists() else b"{")
    monkeypatch.setattr(files, "suppress", lambda _: (_ for _ in ()).throw(Killed))
    raise Killed


def fill(path, monkeypatch):
    raise OSError(errno.ENOSPC, "No space left on device")


def at_call(number, act, function):
    """The function, but at the call of that number something happens first; all its calls."""
    calls = []

    def called(path, *arguments, **named):
        calls.append(path)
        if len(calls) == number:
            act(path)
        return function(path, *arguments, **named)

    return called, calls


def final(place):
    """What must be the same in the end; nothing half written is there."""
    assert not list((place / "out").rglob("*.part"))
    names = ("results", "feedback", "grades.csv", "report", "report.html")
    files = snapshot(place / "out", ".hearts", "history", "gradebook.db", "gradebook.db-journal")
    assert all(name.split("/")[0] in names for name in files)
    history = [told(place, path.name) for path in sorted((place / "out/history").iterdir())]
    return {name: content for name, (content, _) in files.items()}, history


@pytest.fixture
def few_files(monkeypatch):
    """One page for each student, and one table: what is tried at each write takes long enough."""
    monkeypatch.setattr(store, "PAGES", (".html",))
    monkeypatch.setattr(feedback_pages, "RENDERINGS", {".html": feedback_pages.as_page})
    monkeypatch.setattr(tables, "class_tables", lambda report: {"stages.csv": "stage\n"})


@pytest.mark.parametrize(
    ("act", "method"), [(kill, "write_bytes"), (kill, "replace"), (fill, "write_bytes")]
)
@pytest.mark.parametrize("round_", ["first", "changed"])
def test_after_any_failed_write_the_next_run_completes(
    place, few_files, monkeypatch, capsys, act, method, round_
):
    """In the middle of each write, and between it and taking its place, of either round."""

    def start():
        shutil.rmtree(place / "out", ignore_errors=True)
        put(place / "class/bob" / STAGE, {"coins.py": WRONG})
        (place / HIDDEN).write_text("# plain\n")
        if round_ == "changed":
            grade()
            put(place / "class/bob" / STAGE, {"coins.py": REFERENCE})
            (place / HIDDEN).write_text("# strict\n")

    start()
    grade()
    expected = final(place)
    for number in range(1, 100):
        start()
        with monkeypatch.context() as patch:
            function, calls = at_call(
                number, partial(act, monkeypatch=patch), getattr(Path, method)
            )
            patch.setattr(files.Path, method, function)
            try:
                status = grade()
            except Killed:
                status = None
        if len(calls) < number:
            break
        assert status == (1 if act is fill else None)
        if act is fill:
            fault = capsys.readouterr().err.splitlines()[-1]
            assert "No space left on device; make room and run the same command again" in fault
        assert grade() == 0
        assert final(place) == expected, number
    assert number > 10


def test_the_history_is_shown(place, capsys):
    grade()
    put(place / "class/bob" / STAGE, {"coins.py": REFERENCE})
    grade()
    add(place / HIDDEN, "# strict\n")
    grade()
    capsys.readouterr()
    assert run(["history", "bob", "1", "--out", "out"]) == 0
    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert any(row.endswith("2 of 6 graded for the first time") for row in rows)
    assert any(row.endswith("3 of 6 the submission changed") for row in rows)
    assert any(row.endswith("2 of 6 the suite changed") for row in rows)
    assert "+ test_worth[1] passes now: A dime is worth ten" in rows
    assert "- test_worth[1] passes no longer: A dime is worth" in rows


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bobby", "1"], "no student is called 'bobby'; did you mean bob?"),
        (["bob", "02-coin"], "no stage is called '02-coin'; did you mean 01-coins?"),
        (["dan", "1"], "dan has had no result for 01-coins"),
    ],
)
def test_a_missing_history_is_misuse(place, capsys, arguments, message):
    grade()
    put(place / "out/history/dan", {"x": ""})
    capsys.readouterr()
    assert run(["history", *arguments, "--out", "out"]) == 2
    assert message in capsys.readouterr().err
