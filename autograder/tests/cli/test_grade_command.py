"""`hearts grade` and `hearts history`: what they print, write, keep and refuse.

In `cases/grade/*/transcript.txt` no program runs. The transcripts use the commands of
`transcripts.py` and these:

    $ submit right ada         submits the reference for ada
    $ attempt right ada TIME   puts an attempt into `inbound`, named as in nbgrader's exchange
    $ suite strict             changes the hidden tests so that every program fails
    $ suite broken             changes the hidden tests so that the grader fails
    $ write FILE TEXT          writes a file
    $ append FILE TEXT         adds a text to the end of a file
    $ replaced FILE OLD NEW    replaces a text in a file
    $ remove PATH ...          deletes files and folders
    $ graded                   prints the students who were graded since the last `$ graded`
    $ scores                   prints student, score and status from grades.csv
    $ parts                    prints what each score in grades.csv consists of
    $ page ada                 prints ada's page up to the table of tasks
    $ report                   prints the first part of the class report
    $ names FOLDER             prints the paths of the files in a folder
"""

import csv
import errno
import itertools
import json
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import hearts
from hearts_course import files
from hearts_course.course import Course
from hearts_course.results import Status
from hearts_grader.authoring import sample
from hearts_grader.cli.class_run import programs
from hearts_grader.sandbox import backends
from proofs import proofs_after, slow_as_proofs
from surroundings import (
    grade_without_workers,
    kernel_has,
    no_sandbox_works,
    processors_are,
    sandboxes_fail,
)
from tiny_class import STAGE, course_with_starter, put, result
from tiny_course import HIDDEN as HIDDEN_TESTS
from tiny_course import MANUAL_TOML, REFERENCE
from transcripts import case_names, replay

CASES = Path(__file__).parent / "cases/grade"
PROGRAMS = {"right": REFERENCE, "wrong": REFERENCE.replace("10 if", "5 if")}
HIDDEN = Path(f"course/autograder/stages/{STAGE}/test_coins_hidden.py")
GRADE = ["grade", "class", "--out", "out"]
INSIDE = ["results", "feedback", "history", "report", ".hearts", ".hearts/pending"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The current folder, with the tiny course in it."""
    course_with_starter(tmp_path / "course")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def engine(place, monkeypatch):
    """Replace the grader by one that runs nothing; return a list that gets each graded student."""
    seen = []

    def grade_all(jobs, executor):
        for job in jobs:
            seen.append(job.student)
            if job.student == "zz-interrupt":
                raise KeyboardInterrupt
            if job.student == "zz-crash":
                raise RuntimeError("lost")
            if job.student == "zz-exit":
                raise SystemExit(1)
            if job.student == "zz-kill":
                raise Killed
            one = job.load()
            suite = HIDDEN.read_text() if HIDDEN.exists() else ""
            status = Status.UNREADABLE if one.problem else Status.GRADED
            status = Status.GRADER_ERROR if "broken" in suite else status
            right = REFERENCE in one.modules.values() and "strict" not in suite
            given = result(Course(Path("course")), one.student, 2 if right else 1, status)
            message = one.problem or one.note
            given = replace(given, receipt=one.receipt, python="3.11")
            yield replace(given, sandbox=job.sandbox, message=message)

    grade_without_workers(monkeypatch, grade_all)
    processors_are(monkeypatch, [0, 1])
    # Pretend that every sandbox works and lacks nothing, whatever this machine has.
    sandboxes_fail(monkeypatch, {})
    kernel_has(monkeypatch, landlock=True)
    return seen


def submit(kind, *students):
    for student in students:
        put(Path("class") / student / STAGE, {"coins.py": PROGRAMS[kind]})


def attempt(kind, student, *times):
    for time in times:
        folder = Path("inbound") / f"{student}+{STAGE}+{time}:00.000000 UTC+x1"
        put(folder, {"coins.py": PROGRAMS[kind]})


def write(name, text=""):
    put(Path(), {name: text.replace("\\n", "\n")})


def replaced(name, old, new):
    write(name, Path(name).read_text().replace(old, new))


def append(name, text):
    write(name, Path(name).read_text() + text)


def remove(*names):
    for path in map(Path, names):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def suite(*words):
    HIDDEN.write_text(HIDDEN_TESTS + "".join(f"# {word}\n" for word in words))


def grades():
    return list(csv.DictReader(Path("out/grades.csv").read_text().splitlines()))


def told(student):
    lines = Path(f"out/history/{student}/{STAGE}.jsonl").read_text().splitlines()
    return [(entry["score"], entry["why"]) for entry in map(json.loads, lines)]


@pytest.mark.parametrize(
    "name", slow_as_proofs(["large-class", "late-in-canvas"], case_names(CASES))
)
def test_what_grading_prints_and_keeps(place, engine, capsys, name):
    def graded():
        print(*engine or ["nobody"])
        engine.clear()

    def scores():
        print(*(f"{row['student']} {row['score']} {row['status']}" for row in grades()), sep="\n")

    def parts():
        print(*("  ".join(filter(None, list(row.values())[5:-1])) for row in grades()), sep="\n")

    def page(student):
        text = Path(f"out/feedback/{student}/{STAGE}.md").read_text()
        print(*filter(None, text.split("\n| Task")[0].split("\n")[3:]), sep="\n")

    def report():
        main = Path("out/report.html").read_text().partition("<main>")[2]
        text = re.sub("<[^>]*>", "", main.partition("<details>")[0])
        text = re.sub("hearts-course [0-9.]+", "hearts-course (version)", text)
        print(*filter(None, map(str.strip, text.splitlines())), sep="\n")

    def names(folder):
        print(
            *sorted(path.as_posix() for path in Path(folder).rglob("*.*") if path.is_file()),
            sep="\n",
        )

    commands = (
        *(submit, attempt, write, append, remove, suite, replaced),
        *(graded, scores, parts, page, report, names),
    )
    known = {one.__name__: lambda given, one=one: one(*given) for one in commands}
    replay(CASES / name, capsys, "course", **known)


def hearts_grade(*options):
    return hearts(*GRADE, *options)


@pytest.mark.usefixtures("engine")
def test_the_usual_time_is_printed_once_known_and_the_bound_on_request(monkeypatch, capsys):
    clock = SimpleNamespace(monotonic=itertools.count(0, 60).__next__)
    monkeypatch.setattr(programs, "time", clock)
    submit("right", "ada", "bob")
    hearts_grade()
    submit("wrong", "ada", "bob", "cyd", "dan")
    capsys.readouterr()
    hearts_grade()
    assert capsys.readouterr().err == "4 to grade, 2 at a time; usually about 4 min\n"
    submit("right", "ada")
    hearts_grade("--bound")
    assert re.fullmatch(
        "1 to grade, 1 at a time; usually about 2 min; at most [0-9]+ min, "
        "if every program uses up all its time",
        " ".join(capsys.readouterr().err.split()),
    )


@pytest.mark.parametrize("text", ["", "[]", '{"01-coins": 3}', '{"01-coins": [1, "x"]}', "\xff"])
def test_a_damaged_pace_file_is_ignored(place, engine, capsys, text):
    submit("right", "ada")
    put(place / "out/.hearts", {"pace.json": text.encode("latin-1")})
    assert hearts_grade() == 0
    assert capsys.readouterr().err == "1 to grade, 1 at a time\n"


@pytest.mark.parametrize("options", [[], ["--sandbox", "none"]])
def test_the_sample_class_is_graded_without_a_sandbox_if_nothing_in_it_is_hostile(
    engine, capsys, monkeypatch, options
):
    no_sandbox_works(monkeypatch)
    assert hearts("demo", "demo", *options) == 0
    lines = capsys.readouterr().out.splitlines()
    reason = "as asked" if options else backends.why_none_works()
    note = f"graded without a sandbox, and so without hostile programs: {reason}"
    assert [lines[0], lines[-1]] == [note, note]
    assert set(sample.STUDENTS) <= set(engine)
    assert not set(sample.HOSTILE) & set(engine)
    results = [json.loads(path.read_text()) for path in Path("demo").glob("grades/results/*/*")]
    assert {result["sandbox"] for result in results} == {"none"}


@pytest.mark.proof
def test_the_sample_class_has_hostile_programs_if_a_sandbox_works(engine, capsys):
    assert hearts("demo", "demo") == 0
    assert {*sample.STUDENTS, *sample.HOSTILE} <= set(engine)
    assert "without" not in capsys.readouterr().out


def test_a_sandbox_that_was_asked_for_by_name_is_not_replaced(engine, capsys, monkeypatch):
    sandboxes_fail(monkeypatch, {"user": "not root"})
    assert hearts("demo", "demo", "--sandbox", "user") == 2
    assert capsys.readouterr().err == "hearts: user does not work here: not root; grade as root\n"
    assert not Path("demo").exists()


def test_without_a_sandbox_or_the_package_for_clusters_nothing_is_graded(
    engine, capsys, monkeypatch
):
    submit("right", "ada")
    no_sandbox_works(monkeypatch)
    assert hearts_grade() == 2
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if it were not installed
    assert hearts_grade("--cluster", "tcp://a:1") == 2
    without_sandbox, without_package = capsys.readouterr().err.splitlines()
    assert without_sandbox.startswith("hearts: no sandbox works on this machine. bwrap does not")
    assert without_package == (
        "hearts: `--cluster` needs distributed; run `pip install 'hearts-course[cluster]'`"
    )
    assert engine == []


def test_a_class_is_graded_for_real(place):
    """The whole grader grades a right program, a wrong one, and one that is not Python."""
    submit("right", "ada")
    submit("wrong", "bob")
    write(f"class/cyd/{STAGE}/coins.py", "def (\n")
    assert hearts_grade("--jobs", "1", "--sandbox", "none") == 0
    assert [(row["student"], row["score"], row["status"]) for row in grades()] == [
        ("ada", "6.0", "graded"),
        ("bob", "4.0", "graded"),
        ("cyd", "0.0", "unreadable"),
    ]
    assert "came back" in Path(f"out/feedback/bob/{STAGE}.html").read_text()
    assert "a dime is worth five,1,bob" in Path("out/report/misconceptions.csv").read_text()


def test_when_only_points_or_dates_change_no_process_is_started(place, monkeypatch):
    """Changed points of a task, manual points and a due date appear on the page and in tables."""
    toml = Path(f"course/assignments/{STAGE}/stage.toml")
    toml.write_text(MANUAL_TOML)
    submit("wrong", "bob")
    write(f"class/bob/{STAGE}/timestamp.txt", "2026-10-02 01:00:00 UTC\n")
    assert hearts_grade("--jobs", "1", "--sandbox", "none") == 0

    started = []

    def refuse(*arguments, **named):
        started.append(arguments)
        raise OSError

    for name in ("subprocess.Popen", "os.fork", "multiprocessing.process.BaseProcess.start"):
        monkeypatch.setattr(name, refuse)
    toml.write_text(MANUAL_TOML.replace("points = 3", "points = 7"))
    with closing(sqlite3.connect("out/gradebook.db")) as gradebook, gradebook:
        gradebook.execute(  # give points as a person does in formgrader
            "UPDATE grade SET manual_score = 2, needs_manual_grade = 0"
            " WHERE cell_id = (SELECT id FROM base_cell WHERE name = 'manual-design')"
        )
    write("class/late.toml", f"percent_per_day = 10\n[due]\n{STAGE} = 2026-10-01T00:00:00Z\n")
    assert hearts_grade("--sandbox", "none") == 0
    (row,) = grades()
    assert " ".join(list(row.values())[2:9]) == "8.0 14 graded 8.0 2.0 1 day 1 hour late 2.0"
    page = Path(f"out/feedback/bob/{STAGE}.md").read_text()
    assert "**8 of 14 points**\n\nChecks: 8 of 10 points." in page
    assert "Every class has one job: 2 of 4 points, given by your instructor." in page
    assert "1 day 1 hour late: this counts as 2 days and costs 2 points." in page
    assert told("bob") == [
        (4.0, ["first"]),
        (8.0, ["points", "manual", "late"]),
    ]
    report = Path("out/report.html").read_text()
    cells = ('<td class="number">8</td>', *['<td class="number">2</td>'] * 2)
    assert "".join([*cells, '<td class="verdict">1 day 1 hour late</td>']) in report
    assert started == []
    suite("another")
    hearts_grade("--sandbox", "none")
    assert started != []


# --- links in the output folder ---


@pytest.fixture
def elsewhere(place, engine):
    """A folder outside of `out`, with a file that must stay as it is."""
    folder = put(place / "elsewhere", {"lock": "keep me"})
    yield folder
    assert [path.read_text() for path in folder.iterdir()] == ["keep me"]


def link(name, target):
    path = Path("out") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("name", INSIDE)
def test_an_output_folder_that_is_a_symlink_is_refused(elsewhere, capsys, name, again):
    submit("right", "ada")
    if again:
        assert hearts_grade() == 0
        shutil.rmtree(Path("out") / name, ignore_errors=True)
        capsys.readouterr()
    link(name, elsewhere)
    for extra_options in [[], ["--dry-run"]] if again and name != "results" else [[]]:
        assert hearts_grade(*extra_options) == 2
        message = (
            "is a symbolic link, which the grader does not follow; make it a folder, or choose"
        )
        assert capsys.readouterr() == ("", f"hearts: out/{name}: {message} another --out\n")


@pytest.mark.parametrize("name", ["results", "feedback", "history"])
def test_one_students_symlinked_folder_does_not_block_others(elsewhere, capsys, name):
    submit("right", "ada", "bob")
    path = link(f"{name}/ada", elsewhere)
    why = f"{path}: is a symbolic link, which the grader does not follow"
    line = f"hearts: {why}; remove the link and grade again\n"
    for _ in range(2):
        assert hearts_grade() == 1
        assert capsys.readouterr().err.endswith(line)
        assert [row["student"] for row in grades()] == ["bob"]
    assert hearts_grade("--dry-run") == 1
    assert capsys.readouterr().err == line
    path.unlink()
    assert hearts_grade() == 0
    assert [row["student"] for row in grades()] == ["ada", "bob"]


def test_no_result_goes_or_comes_through_a_symlink(elsewhere, capsys):
    submit("right", "ada", "bob")
    assert hearts_grade("--sandbox", "none") == 0
    Path("out/results/ada").rename("moved")
    link("results/ada", Path("moved").absolute())
    assert hearts_grade("--sandbox", "none") == 1
    assert [row["student"] for row in grades()] == ["bob"]
    link(".hearts/pending/bob", elsewhere)
    assert hearts_grade("--sandbox", "bwrap") == 1
    assert "out/.hearts/pending/bob: is a symbolic link" in capsys.readouterr().err


def test_a_symlinked_lock_is_not_written_through(elsewhere, capsys):
    submit("right", "ada")
    link(".hearts/lock", elsewhere / "lock")
    assert hearts_grade() == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_output_folder_itself_may_be_a_symlink(place, engine):
    submit("right", "ada")
    (place / "real").mkdir()
    (place / "out").symlink_to(place / "real")
    assert hearts_grade() == 0
    assert (place / f"real/results/ada/{STAGE}.json").exists()


# --- files that are missing, damaged or half written ---


def snapshot(*without):
    """Return the content and time of each file in `out` by path, without the names `without`."""
    return {
        str(path.relative_to("out")): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in Path("out").rglob("*")
        if path.is_file() and not any(part in without for part in path.parts)
    }


def test_without_changes_nothing_is_written(place, engine):
    submit("right", "ada")
    assert hearts_grade() == 0
    former_files = snapshot("lock")
    assert hearts_grade() == 0
    assert snapshot("lock") == former_files


def test_a_dry_run_changes_no_result(place, engine):
    submit("right", "ada")
    hearts_grade()
    former_files = snapshot(".hearts")
    suite("strict")
    assert hearts_grade("--dry-run") == 0
    assert snapshot(".hearts") == former_files


def test_a_missing_page_or_report_is_rewritten_without_grading(place, engine):
    submit("right", "ada")
    hearts_grade()
    for name in (f"feedback/ada/{STAGE}.html", "grades.csv", "report.html"):
        former_content = {file: content for file, (content, _) in snapshot(".hearts").items()}
        (place / "out" / name).unlink()
        assert hearts_grade() == 0
        assert {
            file: content for file, (content, _) in snapshot(".hearts").items()
        } == former_content
    assert engine == ["ada"]


def test_a_result_damaged_after_its_head_is_regraded(place, engine):
    submit("right", "ada")
    hearts_grade()
    path = place / f"out/results/ada/{STAGE}.json"
    path.write_text(path.read_text().replace('"outcome"', '"outcom"', 1))
    assert hearts_grade() == 0
    assert engine == ["ada", "ada"]


class Killed(BaseException):
    """Stands for a killed process: no code of `hearts` may catch this exception and go on."""


@pytest.mark.usefixtures("engine")
def test_a_run_whose_output_nobody_reads_leaves_its_report():
    submit("right", "ada", "zz-exit")
    with pytest.raises(SystemExit):
        hearts_grade()
    assert [row["student"] for row in grades()] == ["ada"]


@pytest.mark.usefixtures("engine")
def test_a_killed_run_leaves_the_report_of_some_minutes_ago(monkeypatch):
    monkeypatch.setattr(programs, "SECONDS_BETWEEN_REPORTS", 0)
    submit("right", "ada", "bob", "zz-kill")
    with pytest.raises(Killed):
        hearts_grade()
    assert [row["student"] for row in grades()] == ["ada", "bob"]
    assert "Not graded yet: 1 submission" in Path("out/report.html").read_text()


def kill(path, monkeypatch):
    """Act like a killed process: leave half a file, and stop `hearts` before it removes this."""
    path.write_bytes(path.read_bytes()[:20] if path.exists() else b"{")
    monkeypatch.setattr(files, "suppress", lambda _: (_ for _ in ()).throw(Killed))
    raise Killed


def fill(path, monkeypatch):
    raise OSError(errno.ENOSPC, "No space left on device")


def at_call(number, act, function):
    """Return a function that calls `function`, and a list that gets the path of each call.

    Just before call `number`, counted from 1, the returned function calls `act` with the path.
    """
    calls = []

    def called(path, *arguments, **named):
        calls.append(path)
        if len(calls) == number:
            act(path)
        return function(path, *arguments, **named)

    return called, calls


def final():
    """Check that no half written file is left; return what must be the same after failures.

    This is each file's content by path, without times, and each student's history.
    """
    assert not list(Path("out").rglob("*.part"))
    names = ("results", "feedback", "grades.csv", "report", "report.html")
    final_files = snapshot(".hearts", "history", "gradebook.db", "gradebook.db-journal")
    assert all(name.split("/")[0] in names for name in final_files)
    history = [told(path.name) for path in sorted(Path("out/history").iterdir())]
    dated = {name: re.sub(b"<time.*?</time>", b"", text) for name, (text, _) in final_files.items()}
    return dated, history


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("act", "method", "round_", "every"),
    proofs_after(
        1,
        [
            (kill, "write_bytes", "first", 12),
            (kill, "write_bytes", "first", 1),
            (kill, "write_bytes", "changed", 1),
            (kill, "replace", "first", 1),
            (fill, "write_bytes", "first", 1),
            (kill, "replace", "changed", 1),
            (fill, "write_bytes", "changed", 1),
        ],
        most=5,
    ),
)
def test_after_any_failed_write_the_next_run_completes(
    engine, monkeypatch, capsys, act, method, round_, every
):
    """In each run, a different write fails: the first, the second, and so on.

    With the method `write_bytes`, it fails while the file is written. With `replace`, it fails
    before the whole new file takes the place of the old file. If `every` is 12, only every twelfth
    write is tried.
    """

    def start():
        shutil.rmtree("out", ignore_errors=True)
        submit("right", "ada")
        submit("wrong", "bob")
        suite()
        if round_ == "changed":
            hearts_grade()
            submit("right", "bob")
            suite("strict")

    start()
    hearts_grade()
    expected = final()
    for number in itertools.count(1, every):
        start()
        with monkeypatch.context() as patch:
            acting = partial(act, monkeypatch=patch)
            function, calls = at_call(number, acting, getattr(Path, method))
            patch.setattr(files.Path, method, function)
            try:
                status = hearts_grade()
            except Killed:
                status = None
        if len(calls) < number:
            break
        assert status == (1 if act is fill else None)
        if act is fill:
            fault = capsys.readouterr().err.splitlines()[-1]
            assert "No space left on device; make room and run the same command again" in fault
        assert hearts_grade() == 0
        assert final() == expected, number
    assert number > 10
