"""Every export, page and gradebook shows the score that `grades.csv` has."""

import csv
import json
import shutil
from datetime import timedelta

import pytest
from commands import hearts
from every_score import different_scores, grades
from hearts_course.cli import run
from hearts_course.course import PLACES, Course
from hearts_grader.cli.class_run.summary import ClassSummary
from hearts_grader.nbgrader.hooks import Export
from nbgrader_courses import (
    built_course,
    give,
    nbgraders_gradebook,
    step,
    tiny_nbgrader_course,
)
from proofs import proofs_after
from tiny_class import STAGE, put
from tiny_course import MANUAL_TOML, REFERENCE

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
OTHER = "02-other"
WRONG = REFERENCE.replace("10 if", "5 if")
IN_TIME, A_DAY_LATE, TWO_DAYS_LATE = (f"2026-10-0{day} 12:00:00 UTC\n" for day in (1, 3, 4))
DATES = f"""\
percent_per_day = 10
max_percent = 50
name_penalty = 25

[due]
{STAGE} = 2026-10-02T12:00:00Z
{OTHER} = 2026-10-02T12:00:00Z

[section.evening]
students = ["cyd"]
extension_days.{STAGE} = 1

[student.dan]
extension_days.{STAGE} = 1
"""
# bob is late. cyd has the section's extension, and dan has his own. Canvas marked eve and kim as
# late. fay's file is misnamed, gil is in a group, and jon's program is unreadable. hal submitted
# nothing for the first stage, and ida has an extension in the gradebook.
CLASS = {
    "ada": (REFERENCE, IN_TIME),
    "bob": (WRONG, TWO_DAYS_LATE),
    "cyd": (REFERENCE, TWO_DAYS_LATE),
    "dan": (REFERENCE, A_DAY_LATE),
    "eve": (REFERENCE, ""),
    "fay": (WRONG, A_DAY_LATE),
    "gil": (REFERENCE, TWO_DAYS_LATE),
    "hal": (REFERENCE, TWO_DAYS_LATE),
    "ida": (REFERENCE, TWO_DAYS_LATE),
    "jon": ("def (:", A_DAY_LATE),
    "kim": (WRONG, A_DAY_LATE),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a course of two equal stages, and a class; hal submitted only the second."""
    course = built_course(tmp_path / "course", STAGE_TOML=MANUAL_TOML)
    for folder in PLACES:
        shutil.copytree(course.root / folder / STAGE, course.root / folder / OTHER)
    notebooks = course.root / "notebooks"
    shutil.copy(notebooks / f"{STAGE}.ipynb", notebooks / f"{OTHER}.ipynb")
    course = Course(course.root)
    monkeypatch.chdir(tmp_path)
    hand_in(tmp_path / "class", STAGE, OTHER)
    shutil.rmtree(tmp_path / "class/hal" / STAGE)
    return tmp_path


def hand_in(folder, *stages):
    """Write the submissions, the notes of `hearts collect` about them, due dates and groups."""
    notes = {}
    for stage in stages:
        for student, (program, time) in CLASS.items():
            files = {"coins.py": program} | ({"timestamp.txt": time} if time else {})
            put(folder / student / stage, files)
        put(folder / f".hearts/attempts/kim/{stage}/one", {"coins.py": REFERENCE})
        notes[f"eve/{stage}"] = {"platform": "Canvas", "order": "1", "late": True}
        notes[f"fay/{stage}"] = {"renamed": "coin.py was taken as coins.py"}
        notes[f"kim/{stage}"] = {"platform": "Canvas", "order": "2", "late": True}
        notes[f"kim/{stage}/one"] = {"platform": "Canvas", "order": "1"}
    groups = "group,student\np1,gil\np1,lea\n"
    put(folder, {".hearts/collected.json": json.dumps(notes), "groups.csv": groups})
    put(folder, {"late.toml": DATES})


def give_points(url):
    """Give manual points (to a group too), and override some points of the autograder."""
    for student, cell, points in [
        ("ada", "manual-design", 3.5),
        ("bob", "manual-design", 4),
        ("bob", "check-worth", 1.25),
        ("gil", "manual-design", 2.5),
        ("lea", "manual-design", 2.5),
        ("hal", "manual-design", 1),
        ("jon", "check-worth", 0.75),
        ("fay", "manual-design", 3),
    ]:
        give(url, student, cell, points)
    with nbgraders_gradebook(url) as book:
        book.update_or_create_submission(STAGE, "ida", extension=timedelta(days=3))


def grade(*options):
    return hearts("grade", "class", "--out", "grades", "--sandbox", "none", *options)


def differences(place, *, gradebook=True):
    url = f"sqlite:///{place}/grades/gradebook.db" if gradebook else ""
    return different_scores(place / "grades", hearts, url)


def penalties(place, stage=STAGE):
    rows = grades(place / "grades")
    return {name: float(row["penalty"]) for (name, at), row in rows.items() if at == stage}


@pytest.mark.proof
def test_every_export_and_page_has_the_scores_of_grades_csv(place):
    """The class has late submissions, extensions, misnamed files, a group and manual points."""
    late = {"bob": 0.8, "cyd": 0.6, "eve": 0.6, "fay": 1.4, "gil": 1.2, "ida": 1.2, "kim": 0.4}
    late["lea"] = late["gil"]
    on_time = dict.fromkeys(("ada", "dan", "hal", "jon"), 0.0)
    assert grade() == 0
    assert penalties(place) == late | on_time
    assert differences(place) == []

    give_points(f"sqlite:///{place}/grades/gradebook.db")
    assert grade() == 0
    late |= {"bob": 1.65, "fay": 2.45, "gil": 1.7, "lea": 1.7, "ida": 0.0}
    assert penalties(place) == late | on_time | {"jon": 0.08}
    assert differences(place) == []


@pytest.mark.proof
def test_points_given_in_files_are_those_of_every_export_and_page(place, capsys):
    """The points come from `hearts case` and an assistant's table, and count in all later runs."""
    table = "student,stage,title,points,comment\n"
    assert grade() == 0
    case = ["case", "cyd", STAGE, "worth", "--out", "grades"]
    assert hearts(*case, "--give", "0.5", "--because", "It was shown in the lab") == 0
    design = "Every class has one job"
    rows = (
        f"dan,{STAGE},{design},2.5,Clear names\ngil,{STAGE},{design},3,\nada,{STAGE},{design},,\n"
    )
    put(place / "grades/manual", {"readers.csv": table + rows})
    assert differences(place) != []  # grades.csv gets the points only in the next run
    assert "are newer than their pages" in capsys.readouterr().err
    for _ in range(2):
        assert grade() == 0
        assert differences(place) == []
        final_grades = grades(place / "grades")
        assert [
            final_grades[name, STAGE]["manual_points"] for name in ("cyd", "dan", "gil", "lea")
        ] == [
            "-1.5",
            "2.5",
            "3.0",
            "3.0",
        ]
        put(place / "course/autograder/stages" / STAGE, {"test_more.py": "# changed\n"})
    page = (place / f"grades/feedback/cyd/{STAGE}.md").read_text()
    assert "Task 1: 0.5 of 2, given by your instructor: It was shown in the lab." in page
    assert (
        "given by your instructor: Clear names."
        in (place / f"grades/feedback/dan/{STAGE}.md").read_text()
    )
    capsys.readouterr()
    assert hearts("history", "cyd", STAGE, "--out", "grades") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "the manual points changed" in words
    assert "because It was shown in the lab" in words
    assert hearts(*case, "--take-back") == 0
    assert grade() == 0
    assert differences(place) == []
    assert grades(place / "grades")["cyd", STAGE]["manual_points"] == "0.0"


@pytest.mark.proof
def test_late_days_are_spent_in_the_order_of_due_times_and_every_page_says_so(place):
    """Both stages use the same budget of late days, even in a run for one stage."""
    dates = DATES.replace(f"{OTHER} = 2026-10-02", f"{OTHER} = 2026-10-01")
    budget = dates.replace("[due]", "late_days = 3\n\n[due]", 1)
    put(place / "class", {"late.toml": f"{budget}\n[student.ida]\nlate_days = 0\n"})
    for stages in ([], ["--stage", STAGE], ["--stage", OTHER], []):
        assert grade(*stages) == 0
        assert differences(place) == []
        rows = grades(place / "grades")
        spent = {name: int((row["late"] + "0 late day").split()[0]) for name, row in rows.items()}
        assert rows["ida", STAGE]["penalty"] == "1.2"
        assert rows["ida", OTHER]["penalty"] == "1.8"
        # gil is three days late, then two days: no late days are left for the second stage.
        assert (rows["gil", OTHER]["penalty"], rows["gil", STAGE]["penalty"]) == ("0.0", "1.2")
        assert rows["gil", OTHER]["late"] == "3 late days spent, 3 days late"
        assert spent["gil", OTHER] == 3
        assert (rows["cyd", OTHER]["penalty"], rows["cyd", STAGE]["penalty"]) == ("0.0", "0.6")
        # Canvas marked both of eve's submissions as late: each spends one late day.
        assert [rows["eve", stage]["penalty"] for stage in (STAGE, OTHER)] == ["0.0", "0.0"]
        page = (place / f"grades/feedback/eve/{STAGE}.md").read_text()
        assert "1 late day spent, marked late by Canvas: this costs no points." in page
        assert "1 late day left for the term." in page


@pytest.mark.proof
def test_a_comment_reaches_the_pages_of_all_alike(place, capsys):
    assert grade() == 0
    table = (place / "grades/report/groups.csv").read_text()
    with (place / "grades/report/groups.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["stage"] == STAGE]
    (group,) = (row for row in rows if row["task"] == "worth")
    assert group["who"] == "bob; fay; kim", table
    assert group["known_mistakes"] == "a dime is worth five"
    assert group["new_mistake"] == ""
    group_comment = (
        f"[[comment]]\ntask = 'worth'\ngroup = '{group['group']}'\ntext = 'Look at FACES.'\n"
    )
    course = "[[comment]]\ntask = 'worth'\nmistake = 'a dime is worth five'\ntext = 'Ten!'\n"
    ada_comment = "[[comment]]\ntask = 'total'\nstudent = 'ada'\ntext = 'Well done.'\n"
    put(place / "grades", {"comments.toml": group_comment + ada_comment})
    put(place / "course/autograder", {"comments.toml": course})
    capsys.readouterr()
    assert grade() == 0
    assert "to grade" not in capsys.readouterr().err
    pages = {path: path.read_text() for path in (place / "grades/feedback").glob(f"*/{STAGE}.md")}
    for text in (
        "Task 1, from your instructor: Look at FACES.",
        "Task 1, from your instructor: Ten!",
    ):
        commented_students = {path.parent.name for path, page in pages.items() if text in page}
        assert commented_students == {"bob", "fay", "kim"}
    commented_students = {path.parent.name for path, page in pages.items() if "Well done." in page}
    assert commented_students == {"ada"}
    assert differences(place) == []
    assert grade() == 0
    assert "nothing to grade" in capsys.readouterr().out
    put(place / "grades", {"comments.toml": ada_comment.replace("total", "totl")})
    assert grade() == 2
    assert "no task is called 'totl'" in capsys.readouterr().err
    (place / "grades/comments.toml").unlink()
    assert grade() == 0
    assert "Well done." not in (place / f"grades/feedback/ada/{STAGE}.md").read_text()


@pytest.mark.proof
def test_a_student_is_forgotten_and_the_others_keep_every_score(place, capsys):
    assert grade() == 0
    give_points(f"sqlite:///{place}/grades/gradebook.db")
    table = "student,stage,title,points,comment\n"
    rows = f"kim,{STAGE},design,2,\ndan,{STAGE},design,2,\n"
    put(place / "grades/manual", {"readers.csv": table + rows})
    assert grade() == 0
    assert differences(place) == []
    grades_before = grades(place / "grades")
    forget = ["forget", "kim", "--submissions", "class", "--out", "grades"]
    assert hearts(*forget[:1], "nobody", *forget[2:], "--yes") == 2
    capsys.readouterr()
    assert hearts(*forget, "--yes") == 0
    assert "names kim still: grades/grades.csv" in capsys.readouterr().out
    shutil.rmtree(place / "grades/export")
    assert grade() == 0
    grades_after = grades(place / "grades")
    assert grades_after == {name: row for name, row in grades_before.items() if name[0] != "kim"}
    assert differences(place) == []
    shutil.rmtree(place / "grades/export")
    (place / "nbgrader-export.csv").unlink()
    for path in sorted(place.rglob("*")):
        if path.is_file() and path.suffix != ".db" and "course" not in path.parts:
            assert b"kim" not in path.read_bytes(), path
    with nbgraders_gradebook(f"sqlite:///{place}/grades/gradebook.db") as book:
        assert "kim" not in {student.id for student in book.students}


@pytest.mark.proof
def test_an_anonymous_table_has_the_scores_and_no_name(place):
    assert grade() == 0
    assert hearts("export", "grades", "--to", "csv", "--anonymous", "--out", "numbers") == 0
    with (place / "numbers/scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    students = {row["student"] for row in rows}
    assert students == {f"student-{number:02}" for number in range(1, 13)}
    shown = sorted(float(row[OTHER]) for row in rows)
    wanted = [
        float(row["score"]) for (_, at), row in grades(place / "grades").items() if at == OTHER
    ]
    assert shown == sorted(wanted)
    assert hearts("export", "grades", "--to", "junit", "--anonymous") == 2


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("ada,01-coin,Every class has one job,1,", "row 2: no stage is called '01-coin'"),
        (f"ada,{STAGE},Style,1,", "row 2: 01-coins has nothing called 'Style' to give points for"),
        (f"ada,{STAGE},Every class has one job,5,", "row 2: 5 points; write 0 to 4"),
        (f"ada,{STAGE},Every class has one job,good,", "row 2: 'good' is not a number of points"),
        (
            f"ada,{STAGE},Every class has one job,1,\nada,{STAGE},design,2,",
            "has 1 in readers.csv and 2 in readers.csv; correct one",
        ),
    ],
)
def test_a_row_that_cannot_be_meant_stops_the_run_before_anything_is_graded(
    place, capsys, row, complaint
):
    table = f"student,stage,title,points,comment\n{row}\n"
    put(place / "grades/manual", {"readers.csv": table})
    assert grade() == 2
    assert complaint in capsys.readouterr().err
    assert not (place / "grades/results").exists()


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_nbgrader_s_own_commands_give_the_scores_of_grades_csv(tmp_path):
    """`nbgrader autograde` runs before `hearts grade`; both compute the same late penalties."""
    course, root = tiny_nbgrader_course(tmp_path, STAGE_TOML=MANUAL_TOML)
    dates = "\n".join(line for line in DATES.splitlines() if OTHER not in line)
    hand_in(root / "submitted", STAGE)
    put(root / "submitted", {"late.toml": f"{dates}\n[student.cyd]\nlate_days = 1\n"})
    url = f"sqlite:///{root}/gradebook.db"
    table = tmp_path / "scores.csv"

    def exported():
        with nbgraders_gradebook(url) as book:
            Export(to=str(table)).export(book)
        with table.open(encoding="utf-8") as file:
            return {row["student"]: float(row["score"]) for row in csv.DictReader(file)}

    assert step(root, "autograde")[0]
    give_points(url)
    assert step(root, "autograde")[0]
    by_nbgrader = exported()
    out = tmp_path / "grades"
    options = ("--out", str(out), "--gradebook", url, "--sandbox", "none")
    assert run(["grade", str(root), *options], course) == 0
    rows = grades(out)
    assert by_nbgrader == {name: float(row["score"]) for (name, _), row in rows.items()}
    assert {row["late"] for row in rows.values()} > {"", "2 days late", "marked late by Canvas"}
    assert rows["cyd", STAGE]["late"].startswith("1 late day spent, ")
    assert exported() == by_nbgrader
    assert different_scores(out, lambda *words: run(words, course), url) == []


@pytest.mark.parametrize(
    ("shown_in", "files", "number", "wrong"),
    proofs_after(
        1,
        [
            ("feedback page", "feedback/bob/*.html", "costs 0.8 points", "costs 0.7 points"),
            ("feedback page", "feedback/bob/*.html", "</strong> of ", "</strong> of 1"),
            ("feedback as Markdown", "feedback/bob/*.md", "Checks: 4 of", "Checks: 5 of"),
            ("history", "history/bob/*.jsonl", '"penalty": 0.8', '"penalty": 0.7'),
            ("help.csv", "report/help.csv", "3.2 of 10", "3.1 of 10"),
            ("stages.csv", "report/stages.csv", ",0,1,0,", ",0,2,0,"),
            (
                "report's figures",
                "report.html",
                "<dt>unreadable</dt><dd>1",
                "<dt>unreadable</dt><dd>2",
            ),
            ("spread.csv", "report/spread.csv", "%,5\n", "%,6\n"),
            ("csv", "export/csv/scores.csv", ",20\n", ",21\n"),
            ("gradescope", "export/gradescope/bob/*/*", "late -0.8", "late -0.7"),
            ("gradescope", "export/gradescope/bob/*/*", "checks 4", "checks 5"),
            ("gradescope", "export/gradescope/bob/*/*", '"max_score": 10', '"max_score": 11'),
            ("junit", "export/junit/bob/*/*", 'of worth" value="', 'of worth" value="9'),
            ("classroom50", "export/classroom50/bob/*/*", '"score": 2,', '"score": 1,'),
        ],
        most=7,
    ),
)
def test_a_number_that_differs_in_one_place_is_noticed(place, shown_in, files, number, wrong):
    root = place / "grades"
    assert grade() == 0

    def damage(*words):
        if words:
            hearts(*words)
        for path in root.glob(files):
            path.write_text(path.read_text(encoding="utf-8").replace(number, wrong), "utf-8")

    damage()
    lines = different_scores(root, damage, f"sqlite:///{root}/gradebook.db")
    assert {line.partition(":")[0] for line in lines} == {shown_in}


@pytest.mark.proof
def test_the_best_attempt_is_the_best_after_all_its_penalties(place):
    """A wrong file name halves kim's 6 points to 3; her late 4 points are reduced to 3.6."""
    notes = json.loads((place / "class/.hearts/collected.json").read_text())
    notes[f"kim/{STAGE}/one"]["renamed"] = "coin.py was taken as coins.py"
    dates = DATES.replace("name_penalty = 25", "name_penalty = 50\ncounts = 'best'")
    put(place / "class", {".hearts/collected.json": json.dumps(notes), "late.toml": dates})
    assert grade() == 0
    row = grades(place / "grades")["kim", STAGE]
    assert (row["score"], row["attempt"][:14]) == ("3.6", "attempt 2 of 2")
    page = (place / f"grades/feedback/kim/{STAGE}.md").read_text()
    assert "Attempt 1: in time, 3 points by the checks less the penalty for a wrong file" in page
    assert grades(place / "grades")["kim", OTHER]["score"] == "6.0"
    assert differences(place) == []


@pytest.mark.proof
def test_a_run_for_another_stage_keeps_the_dates_of_the_first(place):
    """If the due dates have changed, only the submissions of this run get the new due dates."""
    assert grade() == 0
    penalties_before = penalties(place)
    (place / "class/late.toml").write_text(DATES.replace("percent_per_day = 10", ""))
    assert grade("--stage", OTHER) == 0
    assert penalties(place) == penalties_before
    assert set(penalties(place, OTHER).values()) == {0.0, 1.0}  # 1.0 is for fay's misnamed file
    assert differences(place) == []


@pytest.mark.proof
def test_points_for_a_stage_that_a_run_leaves_out_are_said_to_lack_their_page(place, capsys):
    assert grade() == 0
    give(f"sqlite:///{place}/grades/gradebook.db", "bob", "manual-design", 1)
    assert grade("--stage", OTHER) == 0
    older = "hearts: manual points of bob are newer than their pages; run `hearts grade` without"
    assert older in capsys.readouterr().err
    assert {line.partition(":")[2] for line in differences(place)} == {
        f" bob {STAGE}: 3.2 instead of 4.0",  # 3.2 on the page and in the history
        f" bob {STAGE}: manual_points is 0.0 instead of 1.0",
        f" bob {STAGE}: penalty is 0.8 instead of 1.0",
    }
    assert grade() == 0
    assert older not in capsys.readouterr().err
    assert differences(place) == []


@pytest.mark.proof
def test_an_export_takes_points_given_since_and_keeps_the_dates(place, capsys):
    """One warning says that the pages lack these points, another that the dates have changed."""
    assert grade() == 0
    score_before = grades(place / "grades")["bob", STAGE]["score"]
    assert "changed" not in capsys.readouterr().err
    (place / "class/late.toml").write_text(DATES.replace("percent_per_day = 10", ""))
    assert differences(place) == []
    changed = f"hearts: {place}/class/late.toml: changed since these scores were made; run `hearts"
    assert capsys.readouterr().err.count(changed) == 6
    give(f"sqlite:///{place}/grades/gradebook.db", "bob", "manual-design", 1)
    assert hearts("export", "grades", "--to", "csv") == 0
    (row,) = (
        line for line in (place / "grades/export/csv/scores.csv").read_text().splitlines()
        if line.startswith("bob,")
    )  # fmt: skip
    assert row.split(",")[1] == f"{float(score_before) + 0.8:g}"
    older = "hearts: manual points of bob are newer than their pages and than grades/grades.csv"
    assert f"{older}; run `hearts grade` again\n" in capsys.readouterr().err


@pytest.mark.parametrize("named", proofs_after(0, [False, True]))
def test_dates_that_were_used_are_remembered_whoever_named_them(place, capsys, named):
    """`hearts grade` reports that the file of dates is missing, even if no option ever named it."""
    options = ()
    if named:
        (place / "class/late.toml").rename(place / "dates.toml")
        options = ("--late", "dates.toml")
    assert grade(*options) == 0
    penalties_before = penalties(place)
    assert grade() == 0
    path = place / ("dates.toml" if named else "class/late.toml")
    text = path.read_text()
    path.unlink()
    assert grade() == 2
    assert f"{path}: missing; put it back, or name another" in capsys.readouterr().err
    assert penalties(place) == penalties_before
    assert differences(place) == []
    (place / "class/late.toml").write_text(text)
    assert grade() == (2 if named else 0)


@pytest.mark.parametrize("killed", proofs_after(0, [False, True]))
def test_a_stopped_run_exports_no_score_without_its_penalty(place, monkeypatch, killed):
    """This holds even for a run that was killed before it could write `grades.csv`."""
    with monkeypatch.context() as patch:
        patch.setattr(ClassSummary, "finish", lambda *_: 1 / 0)
        if killed:
            patch.setattr(ClassSummary, "write_so_far", lambda _: False)
        assert grade() == 1
    assert (place / "grades/grades.csv").exists() is not killed
    assert hearts("export", "grades", "--to", "csv") == 0
    exported = (place / "grades/export/csv/scores.csv").read_text()
    assert killed or differences(place, gradebook=False) == []
    assert grade() == 0
    assert set(penalties(place).values()) >= {0.8, 1.2, 1.4}
    assert differences(place) == []
    assert (place / "grades/export/csv/scores.csv").read_text() == exported
