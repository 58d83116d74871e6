import csv
import itertools
import json
import re
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hearts_course.cli import grade, run
from hearts_course.errors import NoSandbox
from hearts_course.grading import pool
from hearts_course.results import Status
from hearts_course.sandbox import backends
from tiny_class import STAGE, course_with_starter, put, result
from tiny_course import REFERENCE


@pytest.fixture
def course(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    return course


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def fake_engine(course, monkeypatch):
    """Grading without running anything: only the reference is right; the units seen are kept."""
    seen = []

    def grade_all(units, crew):
        for unit in units:
            seen.append((unit, crew.places))
            one = unit.load()
            status = Status.UNREADABLE if one.problem else Status.GRADED
            status = Status.GRADER_ERROR if one.student == "ghost" else status
            if one.student == "zz-interrupt":
                raise KeyboardInterrupt
            passing = 2 if REFERENCE in one.modules.values() else 1
            given = result(course, one.student, passing, status, one.problem or one.note)
            yield replace(given, sandbox=unit.sandbox)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    monkeypatch.setattr(
        backends, "choose_sandbox", lambda name: "sandlock" if name == "auto" else name
    )
    return seen


def submit(root, *students, files=None):
    for student in students:
        put(root / "class" / student / STAGE, files or {"coins.py": REFERENCE})


def test_late_marks_of_canvas_are_in_report_and_output(
    course, place, fake_engine, monkeypatch, capsys
):
    """Also where only the mark is new: the program is the same and is not graded again."""
    submit(place, "zoe")
    arguments = ["grade", "class", "--out", "out"]
    for mark, number in (("", 1), ("_LATE", 2)):
        put(place / "canvas", {f"ada{mark}_12_{number}_coins.py": REFERENCE})
        assert run(["collect", "canvas", "--into", "class"]) == 0
        capsys.readouterr()
        assert run(arguments) == 0
        out, page = capsys.readouterr().out, (place / "out/report.html").read_text()
        assert (f"{STAGE}: marked late by Canvas: ada_12\n" in out) == bool(mark)
        assert ('<h2 id="late">' in page) == bool(mark)
    assert f'<a href="feedback/ada_12/{STAGE}.html">ada_12</a></p>' in page
    assert len(fake_engine) == 2
    assert [row["score"] for row in grades(place)] == ["3.0", "3.0"]
    assert run(arguments) == 0
    assert capsys.readouterr().out.startswith("nothing to grade: ")


def grades(place):
    return list(csv.DictReader((place / "out/grades.csv").read_text().splitlines()))


def test_a_class_gets_results_feedback_grades_and_report(place, fake_engine, capsys):
    submit(place, "ada", "bob")
    submit(place, "cyd", files={"coin.py": "x"})
    assert run(["grade", "class", "--out", "out", "--jobs", "2"]) == 0
    out, err = capsys.readouterr()
    assert "cyd" in out
    assert "2 graded, 0 missing, 1 unreadable, 0 grader errors; mean of the graded: 50 %" in out
    assert out.splitlines()[-3:] == [
        "report    out/report.html",
        "grades    out/grades.csv",
        "feedback  out/feedback",
    ]
    assert err == "3 to grade, 2 at a time\n"
    assert [(unit.student, jobs) for unit, jobs in fake_engine] == [
        ("ada", 2),
        ("bob", 2),
        ("cyd", 2),
    ]
    for student in ("ada", "bob", "cyd"):
        data = json.loads((place / f"out/results/{student}/{STAGE}.json").read_text())
        assert data["student"] == student
        assert (
            f"{STAGE} · {student}" in (place / f"out/feedback/{student}/{STAGE}.html").read_text()
        )
    assert [row["student"] for row in grades(place)] == ["ada", "bob", "cyd"]
    assert "3 students, 1 stage" in (place / "out/report.html").read_text()


def test_the_usual_time_is_printed_once_known_and_the_bound_on_request(
    place, fake_engine, capsys, monkeypatch
):
    clock = SimpleNamespace(monotonic=itertools.count(0, 60).__next__)
    monkeypatch.setattr(grade, "time", clock)
    submit(place, "ada", "bob")
    run(["grade", "class", "--out", "out", "--jobs", "2"])
    first = (place / f"out/results/ada/{STAGE}.json").read_bytes()
    submit(place, "ada", "bob", files={"coins.py": f"{REFERENCE}\n"})
    submit(place, "cyd", "dan")
    capsys.readouterr()
    run(["grade", "class", "--out", "out", "--jobs", "2"])
    assert capsys.readouterr().err == "4 to grade, 2 at a time; usually about 4 min\n"
    submit(place, "ada")
    run(["grade", "class", "--out", "out", "--bound"])
    assert re.fullmatch(
        "1 to grade, 1 at a time; usually about 2 min; at most [0-9]+ min, "
        "if every program uses up all its time",
        " ".join(capsys.readouterr().err.split()),
    )
    assert (place / f"out/results/ada/{STAGE}.json").read_bytes() == first


@pytest.mark.parametrize("text", ["", "[]", '{"01-coins": 3}', '{"01-coins": [1, "x"]}', "\xff"])
def test_a_damaged_pace_file_is_ignored(place, fake_engine, capsys, text):
    submit(place, "ada")
    (place / "out/.hearts").mkdir(parents=True)
    (place / "out/.hearts/pace.json").write_text(text, encoding="latin-1")
    assert run(["grade", "class", "--out", "out"]) == 0
    assert capsys.readouterr().err == "1 to grade, 1 at a time\n"


def test_a_missing_sandbox_is_reported(place, fake_engine, capsys):
    submit(place, "ada")
    run(["grade", "class", "--out", "out"])
    assert "no sandbox" not in capsys.readouterr().err
    run(["grade", "class", "--out", "out", "--sandbox", "none"])
    assert [unit.sandbox for unit, _ in fake_engine] == ["sandlock", "none"]
    out, err = capsys.readouterr()
    assert "hearts: no sandbox: the programs run with all your rights\n" in err
    assert "0 gain, 0 lose, 1 keep their score, because the sandbox changed\n" in out


def test_grades_and_report_keep_what_earlier_runs_found(place, fake_engine):
    submit(place, "ada")
    run(["grade", "class", "--out", "out"])
    (place / "class/ada").rename(place / "class/bob")
    run(["grade", "class", "--out", "out"])
    assert [row["student"] for row in grades(place)] == ["ada", "bob"]


def test_a_grader_error_exits_1(place, fake_engine, capsys):
    submit(place, "ada", "ghost")
    assert run(["grade", "class", "--out", "out"]) == 1
    assert "1 grader error;" in capsys.readouterr().out


def test_an_interrupt_keeps_results_and_exits_130(place, fake_engine, capsys):
    submit(place, "ada", "bob", "zz-interrupt")
    assert run(["grade", "class", "--out", "out"]) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("hearts: stopped; 2 of 3 graded, in out; run the same command again\n")
    assert (place / f"out/results/bob/{STAGE}.json").exists()


def test_an_unknown_folder_is_reported(place, fake_engine, capsys):
    submit(place, "ada")
    put(place / "class/bob/1-coins", {"coins.py": REFERENCE})
    assert run(["grade", "class", "--out", "out"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("hearts: 1-coins of bob is not a stage; did you mean 01-coins?\n")
    assert "rename it to 01-coins" in " ".join(out.split())


def test_a_stage_without_hidden_tests_is_reported(place, course, fake_engine, capsys):
    for path in course.stages[0].hidden_tests:
        path.unlink()
    submit(place, "ada")
    run(["grade", "class", "--out", "out"])
    assert "no hidden tests here, so only the visible ones count" in capsys.readouterr().err


def test_a_damaged_result_is_named_and_does_not_stop_the_report(place, fake_engine, capsys):
    submit(place, "ada")
    put(place / "out/results/eve", {f"{STAGE}.json": "{"})
    assert run(["grade", "class", "--out", "out"]) == 1
    assert [row["student"] for row in grades(place)] == ["ada"]
    assert "eve/01-coins.json: damaged; delete it and grade again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--out", "out"], "nowhere: No such file or directory"),
        (["empty", "--out", "out"], "empty: nothing to grade"),
        (
            ["class", "--out", "out", "--stage", "02-coins"],
            "no stage is called '02-coins'; did",
        ),
        (["class", "--out", "class/out"], "class/out: is inside class and would be graded as a"),
        (["class", "--out", "class"], "class: is inside class"),
        (["class", "--out", "file"], "file: Not a directory; choose another folder with --out"),
        (["class", "--out", "/proc/out"], "/proc/out: No such file or directory; choose another"),
        (["class"], "Missing option '--out'"),
        (["class", "--out", "out", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["class", "--out", "out", "--sandbox", "tin"], "Invalid value for '--sandbox'"),
        (["class", "--out", "out", "--cluster", "tcp://a:1", "--jobs", "2"], "leave out one"),
    ],
)
def test_misuse_is_one_line_and_exit_status_2(place, fake_engine, capsys, arguments, message):
    submit(place, "ada")
    (place / "empty").mkdir()
    (place / "file").write_text("")
    assert run(["grade", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hearts: ")
    assert message in err
    assert err.count("\n") == 1
    assert fake_engine == []


@pytest.mark.parametrize(
    ("options", "late", "status", "message"),
    [
        (["--gradebook", "nonsense"], "", 2, "not a gradebook's URL"),
        (["--gradebook", "sqlite:///no/folder/book.db"], "", 1, "unable to open"),
        ([], "grace_day = 1", 1, "unknown key 'grace_day'"),
    ],
)
def test_a_bad_gradebook_or_late_policy_is_reported_before_grading(
    place, fake_engine, capsys, options, late, status, message
):
    submit(place, "ada")
    (place / "course/autograder/late.toml").write_text(late)
    assert run(["grade", "class", "--out", "out", *options]) == status
    assert message in capsys.readouterr().err
    assert fake_engine == []


def test_without_a_sandbox_nothing_is_graded(place, fake_engine, capsys, monkeypatch):
    def refuse(name):
        raise NoSandbox("no sandbox works here")

    monkeypatch.setattr(backends, "choose_sandbox", refuse)
    submit(place, "ada")
    assert run(["grade", "class", "--out", "out"]) == 2
    assert capsys.readouterr().err == "hearts: no sandbox works here\n"
    assert not (place / "out/results").exists()


def test_a_cluster_without_distributed_is_refused(place, fake_engine, capsys, monkeypatch):
    monkeypatch.setattr(grade, "find_spec", lambda name: None)
    submit(place, "ada")
    assert run(["grade", "class", "--out", "out", "--cluster", "tcp://a:1"]) == 2
    assert capsys.readouterr().err == (
        "hearts: `--cluster` needs distributed; run `pip install 'hearts-course[cluster]'`\n"
    )
    assert fake_engine == []


def test_a_class_is_graded_for_real(place, course, capsys):
    """One class through the whole grader: a full score, part of one, and one that is no Python."""
    submit(place, "ada")
    submit(place, "bob", files={"coins.py": REFERENCE.replace("10 if", "5 if")})
    submit(place, "cyd", files={"coins.py": "def (\n"})
    assert run(["grade", "class", "--out", "out", "--jobs", "1", "--sandbox", "none"]) == 0
    assert [(row["student"], row["score"], row["status"]) for row in grades(place)] == [
        ("ada", "6.0", "graded"),
        ("bob", "4.0", "graded"),
        ("cyd", "0.0", "unreadable"),
    ]
    assert "came back" in (place / f"out/feedback/bob/{STAGE}.html").read_text()


INSIDE = ["results", "feedback", "history", "report", ".hearts", ".hearts/pending"]


@pytest.fixture
def elsewhere(place):
    """A folder outside of the grades, and what is in it now."""
    folder = place / "elsewhere"
    put(folder, {"lock": "keep me"})
    return folder


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("name", INSIDE)
def test_an_output_folder_that_is_a_symlink_is_refused(
    place, fake_engine, elsewhere, capsys, name, again
):
    submit(place, "ada")
    link = place / "out" / name
    if again:
        assert run(["grade", "class", "--out", "out"]) == 0
        shutil.rmtree(link, ignore_errors=True)
        capsys.readouterr()
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(elsewhere)
    for more in [[], ["--dry-run"]] if again and name != "results" else [[]]:
        assert run(["grade", "class", "--out", "out", *more]) == 2
        message = (
            "is a symbolic link, which the grader does not follow; make it a folder, or choose"
        )
        assert capsys.readouterr() == ("", f"hearts: out/{name}: {message} another --out\n")
    assert list(elsewhere.iterdir()) == [elsewhere / "lock"]
    assert (elsewhere / "lock").read_text() == "keep me"


@pytest.mark.parametrize("name", ["results", "feedback", "history"])
def test_one_students_symlinked_folder_does_not_block_others(
    place, fake_engine, elsewhere, capsys, name
):
    submit(place, "ada", "bob")
    link = place / "out" / name / "ada"
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    why = f"out/{name}/ada: is a symbolic link, which the grader does not follow"
    line = f"hearts: {why}; remove the link and grade again\n"
    for _ in range(2):
        assert run(["grade", "class", "--out", "out"]) == 1
        assert capsys.readouterr().err.endswith(line)
        assert [row["student"] for row in grades(place)] == ["bob"]
    assert run(["grade", "class", "--out", "out", "--dry-run"]) == 1
    assert capsys.readouterr().err == line
    assert list(elsewhere.iterdir()) == [elsewhere / "lock"]
    link.unlink()
    assert run(["grade", "class", "--out", "out"]) == 0
    assert [row["student"] for row in grades(place)] == ["ada", "bob"]


def test_a_staged_result_is_not_written_through_a_symlink(place, fake_engine, elsewhere, capsys):
    submit(place, "ada")
    arguments = ["grade", "class", "--out", "out", "--sandbox"]
    assert run([*arguments, "none"]) == 0
    put(place, {"out/.hearts/pending/bob/x": ""})
    (place / "out/.hearts/pending/ada").symlink_to(elsewhere)
    assert run([*arguments, "bwrap"]) == 1
    assert "out/.hearts/pending/ada: is a symbolic link" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == [elsewhere / "lock"]


def test_a_result_behind_a_symlink_is_not_in_the_grades(place, fake_engine, capsys):
    submit(place, "ada", "bob")
    assert run(["grade", "class", "--out", "out"]) == 0
    (place / "out/results/ada").rename(place / "moved")
    (place / "out/results/ada").symlink_to(place / "moved")
    assert run(["grade", "class", "--out", "out"]) == 1
    assert [row["student"] for row in grades(place)] == ["bob"]


def test_a_symlinked_lock_is_not_written_through(place, fake_engine, elsewhere, capsys):
    submit(place, "ada")
    put(place, {"out/.hearts/x": ""})
    (place / "out/.hearts/lock").symlink_to(elsewhere / "lock")
    assert run(["grade", "class", "--out", "out"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert (elsewhere / "lock").read_text() == "keep me"


def test_the_output_folder_itself_may_be_a_symlink(place, fake_engine):
    submit(place, "ada")
    (place / "real").mkdir()
    (place / "out").symlink_to(place / "real")
    assert run(["grade", "class", "--out", "out"]) == 0
    assert (place / f"real/results/ada/{STAGE}.json").exists()
