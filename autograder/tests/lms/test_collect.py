"""Downloads of a class are put where `hearts grade` reads them, and nothing is lost on the way."""

import json
import zipfile
from pathlib import Path

import pytest
from commands import hearts
from hearts_course.course import Course
from hearts_course.submissions.find import find_submissions
from hearts_grader.lms.archive import Submitter
from hearts_grader.lms.roster import read_roster
from surroundings import cannot_be_renamed, closed
from tiny_class import STAGE, STARTER, course_with_starter, put, tarred, zipped
from transcripts import case_names, replay

CASES = Path(__file__).parent / "cases/collect"
ADA = "lovelaceada_1201"
CANVAS = f"{ADA}_88001_coins.py"
SECOND = """\
title = "Markets"
files = ["market.py"]
source = "none"
hours = "1"

[[task]]
id = "sell"
title = "Sell"
points = 1
blanks = ["sell"]
"""


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    course = course_with_starter(tmp_path / "course")
    put(
        course.root,
        {
            "assignments/02-market/stage.toml": SECOND,
            "assignments/02-market/market.py": "def sell(): ...\n",
            "notebooks/02-market.ipynb": json.dumps({"cells": []}),
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pack(name, files):
    """Write a zip with these files, and return its name; the content None makes a symbolic link."""
    with zipfile.ZipFile(name, "w") as archive:
        for path, content in files.items():
            member = zipfile.ZipInfo(path, (2026, 11, 1, 10, 0, 0))
            member.external_attr = (0o120777 if content is None else 0o644) << 16
            archive.writestr(member, "/etc/passwd" if content is None else content)
    return name


def collected(*arguments):
    """Run `hearts collect`; return its exit status, and the texts in `submissions` by path."""
    status = hearts("collect", *arguments)
    placed_files = {
        p.relative_to("submissions").as_posix(): p for p in Path("submissions").rglob("*.*")
    }
    shown = {name: path for name, path in placed_files.items() if name[0] != "." and path.is_file()}
    return status, {name: path.read_text(errors="replace") for name, path in shown.items()}


@pytest.mark.parametrize("name", case_names(CASES))
def test_what_is_collected_and_reported(place, capsys, name):
    replay(CASES / name, capsys, "course")


def test_a_file_beside_the_folder_of_the_stage_does_not_take_the_program_s_place(place, capsys):
    files = {f"ada/{STAGE}/coins.py": "ada = 1", "ada/notes.txt": "notes", "cy/coins.py": "cy = 1"}
    status, placed = collected(pack("c.zip", files), "--into", "submissions", "--stage", STAGE)
    assert status == 0
    assert placed == {f"ada/{STAGE}/coins.py": "ada = 1", f"cy/{STAGE}/coins.py": "cy = 1"}
    note = f"ada: notes.txt left out: it is beside the folder {STAGE}"
    assert note in capsys.readouterr().out


def test_an_unsafe_file_is_reported_and_the_others_are_collected(place, capsys):
    files = {
        **{"../evil.py": "1", "/abs.py": "1", "ada/..\\..\\evil.py": "1", ".hearts/coins.py": "2"},
        **{"ada/coins.py": "ada = 1", "-rf/coins.py": "3", "mal/coins.py": None},
        **{"big/coins.py": "#" * (5 * 2**20 + 1), "cy.zip": zipped({"coins.py": "cy = 1"})},
    }
    status, placed = collected(pack("c.zip", files))
    assert status == 1
    assert sorted(placed) == [f"{s}/{STAGE}/coins.py" for s in ("%2Drf", "ada")] + [
        f"cy/{STAGE}/cy.zip"
    ]
    lines = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("hearts: c.zip: ").partition(" ")[0] for line in lines] == [
        *("../evil.py:", "/abs.py:", "ada/../../evil.py:", "mal/coins.py", "big:", "big:")
    ]
    assert "coins.py is too big (5 MiB; at most 5 MiB): hand in the program only" in lines[-2]
    assert not list(place.glob("evil*"))


def test_what_comes_with_the_course_is_not_collected(place):
    put(place, {"course/assignments/pictures/coin.svg": "<svg/>"})
    archive = pack("c.zip", {f"ada/{name}": "" for name in ("coins.py", "coin.svg", "README.md")})
    assert list(collected(archive)[1]) == [f"ada/{STAGE}/coins.py"]


@pytest.mark.parametrize("text", ["{", "[]", '{"ada": {"late": true}}', '{"ada/1": 3}'])
def test_a_damaged_list_of_what_was_collected_marks_nothing_as_late(place, text):
    put(
        place, {"submissions/.hearts/collected.json": text, f"submissions/ada/{STAGE}/coins.py": ""}
    )
    assert find_submissions(Path("submissions"), Course(place / "course")).late == ()
    assert collected(pack("c.zip", {CANVAS: "first = 1"}))[0] == 0


def test_files_that_were_fixed_by_hand_are_kept(place):
    archive = pack("c.zip", {CANVAS: "first = 1"})
    collected(archive)
    put(place / f"submissions/{ADA}/{STAGE}", {"coins.py": "fixed = 1"})
    put(place / f"submissions/{ADA}", {f"{STAGE}.zip": "a zip by hand"})
    assert collected(archive) == (0, {f"{ADA}/{STAGE}/coins.py": "first = 1"})
    kept = (place / "submissions/.hearts/attempts").rglob("*")
    assert {p.read_text() for p in kept if p.is_file()} == {"fixed = 1", "a zip by hand"}


def test_the_old_attempt_stays_if_the_new_one_cannot_take_its_place(place, monkeypatch):
    collected(pack("1.zip", {CANVAS: "first = 1"}))
    cannot_be_renamed(monkeypatch, lambda path: path.name.startswith("new-"))
    status, placed = collected(pack("2.zip", {f"{ADA}_88002_coins-1.py": "later = 1"}))
    assert (status, list(placed.values())) == (1, ["first = 1"])
    assert not list((place / "submissions/.hearts").glob("new-*"))


def test_a_name_is_the_same_however_it_is_encoded(place):
    """macOS writes names in UTF-8 without the flag for UTF-8, and separates letters and accents."""
    name = "Jan Müller_502_assignsubmission_file/coins.py"
    bare = bytearray(zipped({name: "one = 1"}))
    for start in (bare.index(b"PK\x03\x04") + 6, bare.index(b"PK\x01\x02") + 8):
        bare[start : start + 2] = b"\0\0"  # the flag for UTF-8
    put(place, {"bare.zip": bytes(bare), "empty.zip": zipped({})})
    separated = pack("separated.zip", {name.replace("ü", "u\u0308"): "one = 1"})
    assert collected("bare.zip", separated)[0] == 0
    assert [path.name for path in (place / "submissions").glob("J*")] == ["Jan Müller"]
    assert collected("empty.zip")[0] == 2


@pytest.mark.parametrize(
    "forged",
    [
        "bob_502_assignsubmission_file",
        f"bob+{STAGE}+2026-11-21 10:00:00.000000 UTC+x1",
        "bob_502_88001_",
    ],
)
def test_no_student_decides_whose_all_files_are(place, forged):
    """bob's file stays bob's, even if eve submits many files under names like those of bob's files.

    The names are those that a platform gives to bob's files.
    """
    honest = {f"class/{name}/{STAGE}/coins.py": f"{name} = 1" for name in ("ada", "bob", "cy")}
    put(place, honest)
    put(place / "class/eve", {"coins.py": "eve = 1"})
    slash = "" if forged.endswith("_") else "/"
    names = ("coins.py", *(f"{number}.py" for number in range(9)))
    put(place / "class/eve", {f"{forged}{slash}{name}": "forged" for name in names})
    _, placed = collected("class")
    assert {name.split("/")[0] for name in placed} == {"ada", "bob", "cy", "eve"}
    assert placed[f"bob/{STAGE}/coins.py"] == "bob = 1"


def test_an_unusable_folder_does_not_block_the_others(place, capsys):
    put(place, {f"submissions/ada/{STAGE}": "a file", "elsewhere/x": ""})
    (place / "submissions/lin").symlink_to(place / "elsewhere")
    students = ("ada", "bob", "lin", "mal/\x1b[2J")
    put(place / "class", {f"{name}/coins.py": f"{name} = 1" for name in students})
    with closed(place / "class/mal/\x1b[2J"):
        status, placed = collected("class")
    assert (status, placed[f"bob/{STAGE}/coins.py"]) == (1, "bob = 1")
    assert [path.name for path in (place / "elsewhere").iterdir()] == ["x"]
    why = "not a folder; nothing is put in its place"
    assert capsys.readouterr().err.replace("hearts: class: ", "") == (
        "mal/\\x1b[2J: cannot be opened (Permission denied); make it readable and submit it again"
        f"\nada: {STAGE}: submissions/ada/{STAGE}: {why}\nlin: {STAGE}: submissions/lin: {why}\n"
    )


def test_clones_are_named_without_the_common_prefix_and_have_no_times(place, capsys):
    """A student could forge a time in a clone. The roster's names win over those of the clones."""
    for name in ("hw-1-ada-l", "hw-1-bob"):
        files = {f"{STAGE}/coins.py": "x = 1", f"{STAGE}/timestamp.txt": "2020-01-01 10:00:00 UTC"}
        put(place / "clones" / name, {".git/HEAD": "", **files})
    assert sorted(collected("clones")[1]) == [
        f"{name}/{STAGE}/coins.py" for name in ("ada-l", "bob")
    ]
    roster = '"identifier","github_username","github_id","name"\n"lin@x.edu","ada-l","17",""\n'
    put(place, {"classroom_roster.csv": roster})
    assert hearts("collect", "clones", "--into", "two", "--roster", "classroom_roster.csv") == 1
    assert [path.name for path in Path("two").iterdir() if path.name[0] != "."] == ["lin@x.edu"]
    assert "bob: matches no row of the roster" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "rows", "remark"),
    [
        (
            "1203",
            '"Dijkstra, Edsger",1203,edsger,A\n',
            "matches no row of the roster; 1203 is Dijkstra, Edsger (row 3)",
        ),
        (
            "9",
            '"Hopper, Grace B",1,grace,A\n',
            "matches no row of the roster; similar: Hopper, Grace B (row 3)",
        ),
        ("9", '"Dijkstra, Edsger",1203,edsger,A\n', "matches no row of the roster"),
        (
            "",
            '"Hopper, Grace",1,grace,A\n"Hopper, Grace",2,grace2,A\n',
            "matches 2 rows of the roster: Hopper, Grace (row 3) and Hopper, Grace (row 4)",
        ),
        (
            "1",
            '"Hopper, Grace",1,grace,A\n"Hopper, Grace",1,grace,B\n',
            "the roster has this student twice: Hopper, Grace (row 3) and Hopper, Grace (row 4); "
            "delete all rows but one",
        ),
    ],
)
def test_a_student_not_in_the_roster_is_listed_with_the_rows_that_come_near(
    tmp_path, number, rows, remark
):
    table = f"Student,ID,SIS Login ID,Section\n    Points Possible,,,\n{rows}"
    path = put(tmp_path, {"roster.csv": table}) / "roster.csv"
    grace = Submitter("hoppergrace" if number == "1203" else "Grace Hopper", number)
    assert read_roster(path).name_of(grace) == ("", remark)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("class/eve/work.zip", {"hw/coins_final.py": STARTER, "../evil.py": ""}),
        ("class/eve/work.tar.gz", {"hw/coins_final.py": STARTER, "notes.txt": ""}),
        ("class/eve.tgz", {"hw/Coins.py.txt": STARTER, "__MACOSX/x": ""}),
    ],
)
def test_a_misnamed_program_in_an_archive_is_taken_by_its_definitions(place, capsys, name, files):
    is_safe = "../evil.py" not in files
    put(place, {name: (zipped if name.endswith(".zip") else tarred)(files)})
    assert hearts("collect", "class", "--stage", "1") == 0
    output = capsys.readouterr().out
    placed = collected("class", "--stage", "1", "--accept-names")[1]
    own_name = next(iter(files))
    if is_safe:
        assert (
            f"  eve: {own_name} has the one definition of coins.py; --accept-names takes" in output
        )
        assert placed[f"eve/{STAGE}/hw/coins.py"] == STARTER
    else:
        assert "  eve: work.zip: the zip contains an unsafe path (../evil.py)" in output
        assert list(placed) == [f"eve/{STAGE}/work.zip"]
    assert not list(place.rglob("evil*"))


def test_a_damaged_file_in_an_archive_keeps_nobody_else_back(place, capsys):
    archive = place / "work.zip"
    with zipfile.ZipFile(archive, "w") as work:
        work.writestr("hw/final.txt", "what was handed in")
    damaged = archive.read_bytes().replace(b"what was handed in", b"what was handed on")
    put(place, {"class/eve/work.zip": damaged, "class/ada/coins.py": "ada = 1"})
    assert hearts("collect", "class", "--stage", "1") == 0
    assert "eve: " in capsys.readouterr().out
    assert (place / f"submissions/ada/{STAGE}/coins.py").read_text() == "ada = 1"


@pytest.mark.parametrize("name", ["clones", "c.zip"])
def test_what_has_to_be_collected_first_is_said_in_one_line(place, capsys, name):
    put(place / "clones/ada", {"coins.py": "x = 1"})
    pack("c.zip", {CANVAS: "x = 1"})
    assert hearts("grade", name, "--out", "out") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"collect them first: hearts collect {name} --into submissions" in error
