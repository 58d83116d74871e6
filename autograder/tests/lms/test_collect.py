"""Downloads of a class are put where `hearts grade` reads them, and nothing is lost on the way."""

import json
import os
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from hearts_course.cli import run
from hearts_course.course import Course
from hearts_course.grading.final_scores import handed_in
from hearts_course.submissions.find import find_submissions, marked_late
from tiny_class import STAGE, STARTER, course_with_starter, full_notebook, put, zipped
from tiny_course import REFERENCE

ADA = "lovelaceada_1201"
CANVAS = f"{ADA}_88001_coins.py"
CANVAS_LATER = f"{ADA}_88002_coins-1.py"
EXPORT = "assignment_7_export"
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
METADATA = """\
submission_9:
  :submitters:
  - :name: Ada Lovelace
    :sid: '100'
    :email: ada@example.org
  - :name: Bob
    :sid:
    :email: bob@example.org
  :created_at: 2026-11-01 10:00:00.000000000 Z
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    x: 1
"""
ROSTER = """\
Student,ID,SIS Login ID,Section
    Points Possible,,,
"Lovelace, Ada",1201,ada,A
Madonna,1203,mad7,A
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
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pack(name, files):
    """An archive; a text of None is a symbolic link."""
    with zipfile.ZipFile(name, "w") as archive:
        for path, content in files.items():
            member = zipfile.ZipInfo(path, (2026, 11, 1, 10, 0, 0))
            member.external_attr = (0o120777 if content is None else 0o644) << 16
            archive.writestr(member, "/etc/passwd" if content is None else content)
    return name


def collected(*arguments):
    """The exit status, and every file in the folder of submissions."""
    status = run(["collect", *arguments])
    found = {p.relative_to("submissions").as_posix(): p for p in Path("submissions").rglob("*.*")}
    return status, {n: p.read_text(errors="replace") for n, p in found.items() if p.is_file()}


def counting(files):
    """The files that `hearts grade` reads."""
    return {name: text for name, text in files.items() if not name.startswith(".")}


def test_a_download_from_canvas(place, capsys):
    files = {
        CANVAS: REFERENCE,
        "hoppergrace_LATE_1202_88002_coins-1.py": f"{REFERENCE}#1",
        "hoppergrace_LATE_1202_88003_coins-2.py": f"{REFERENCE}#2",
        "bob_1203_88004_01-coins (1).ipynb": full_notebook(),
        "eve_1204_88005_coin.py": "misnamed",
        "zoe_1205_88006_work.zip": zipped({"my/coins.py": REFERENCE, "my/market.py": "x"}),
        "anonuevomaria_1300_88009_coins.py": REFERENCE,
        "anon_LATE_1302_88008_coins.py": REFERENCE,
        "typed_1206_text.html": "<p>",
        "mal_1207_88007_coins.py": None,
        "big_1208_88008_coins.py": "#" * (5 * 2**20 + 1),
        "test_1209_88009_test_coins.py": "only a test of the course's",
    }
    status, there = collected(pack("c.zip", files))
    assert status == 1
    assert sorted(counting(there)) == [
        f"anon_1302/{STAGE}/coins.py",
        f"anonuevomaria_1300/{STAGE}/coins.py",
        f"bob_1203/{STAGE}/{STAGE}.ipynb",
        f"eve_1204/{STAGE}/coin.py",
        f"hoppergrace_1202/{STAGE}/coins.py",
        f"{ADA}/{STAGE}/coins.py",
        f"zoe_1205/{STAGE}/work.zip",
    ]
    assert there[f"hoppergrace_1202/{STAGE}/coins.py"].endswith("#2")
    out, err = capsys.readouterr()
    assert out.startswith("c.zip: Canvas, 01-coins\n     7 placed\n")
    assert [line.removeprefix("hearts: c.zip: ") for line in err.splitlines()] == [
        "mal_1207_88007_coins.py is a symbolic link in the zip; zip the file itself",
        "typed_1206: typed into the platform instead of handing in a file; ask for the file",
        "big_1208: big_1208_88008_coins.py is too big (5 MiB; at most 5 MiB): hand in the program "
        "only",
        "big_1208: nothing that was written for a stage",
        "test_1209: nothing that was written for a stage",
    ]
    late = ["anon_1302", "hoppergrace_1202"]
    assert marked_late(Path("submissions")) == tuple((student, STAGE) for student in late)
    assert [line for line in out.splitlines() if "late" in line] == [
        f"  {student} {STAGE}: marked late by Canvas" for student in reversed(late)
    ]
    layout = find_submissions(Path("submissions"), Course(Path("course")))
    assert (len(layout.paths), layout.warnings) == (7, ())


EXCHANGE = f"inbound/ada+{STAGE}+2026-11-2"
DOWNLOADS = {  # the files of a download, what is placed, and how the lines about the rest begin
    "anonymous in Canvas": (
        {
            "anon_a1B2c_88009_coins.py": REFERENCE,
            "LATE_anon_Zz9yX_88010_coins.py": REFERENCE,
            "LATE_anon_3dEfG_text.html": "<p>",
        },
        [f"anonymous_Zz9yX/{STAGE}/coins.py", f"anonymous_a1B2c/{STAGE}/coins.py"],
        ["anonymous_3dEfG: typed into the platform"],
    ),
    "Moodle": (
        {
            "Ada Lovelace_501_assignsubmission_file/coins.py": REFERENCE,
            f"Ada Lovelace_501_assignsubmission_file/{STAGE}/coins.py": "both = 1",
            "Jan Müller_502_assignsubmission_file_/coins.py": "one = 1",
            "Jan Müller_503_assignsubmission_file_coins.py": "two = 2",
            "Eve_504_assignsubmission_onlinetext/onlinetext.html": "<p>",
        },
        [
            f"Ada Lovelace/{STAGE}/{STAGE}/coins.py",
            f"Ada Lovelace/{STAGE}/coins.py",
            f"Jan Müller_502/{STAGE}/coins.py",
            f"Jan Müller_503/{STAGE}/coins.py",
        ],
        ["Eve: typed into the platform"],
    ),
    "Gradescope": (
        {
            f"{EXPORT}/submission_metadata.yml": METADATA,
            f"{EXPORT}/submission_9/my/coins.py": REFERENCE,
            f"{EXPORT}/submission_8/coins.py": REFERENCE,
        },
        [
            f"{student}/{STAGE}/{name}"
            for student in ("100", "bob@example.org")
            for name in ("my/coins.py", "timestamp.txt")
        ],
        [f"{EXPORT}/submission_8/coins.py: submission_metadata.yml does not say whose"],
    ),
    "nbgrader's exchange": (
        {
            f"{EXCHANGE}2 10:00:00.000000 UTC+x2/{STAGE}.ipynb": full_notebook(),
            f"{EXCHANGE}2 10:00:00.000000 UTC+x2/timestamp.txt": "2026-11-22",
            f"{EXCHANGE}1 10:00:00.000000 UTC+x1/{STAGE}.ipynb": "{}",
            f"inbound/bob+other+2026-11-22 10:00:00 UTC/{STAGE}.ipynb": "{}",
        },
        [f"ada/{STAGE}/{STAGE}.ipynb", f"ada/{STAGE}/timestamp.txt"],
        ["bob: other is not a stage of the course; say --stage"],
    ),
    "folders": (
        {
            "ada/coins.py": STARTER,  # not written
            "ada/market.py": "sold = 1",
            f"bob/{STAGE}/coin.py": "misnamed",
            "cy.zip": zipped({"coins.py": REFERENCE}),
            "di/market.py": "sold = 1",
            "di/earlier/coins.py": REFERENCE,  # what `hearts submit` packs with a later stage
            "ed.zip": zipped({"market.py": "sold = 1", "earlier/coins.py": REFERENCE}),
            "mal/coins.py": None,
            "__MACOSX/x": "",
        },
        [
            "ada/02-market/market.py",
            "bob/01-coins/coin.py",
            "cy/01-coins/cy.zip",
            "di/02-market/earlier/coins.py",
            "di/02-market/market.py",
            "ed/02-market/ed.zip",
        ],
        ["mal/coins.py is a symbolic link"],
    ),
    "unsafe paths": (
        {
            **{"../evil.py": "1", "/abs.py": "1", "ada/..\\..\\evil.py": "1"},
            **{"ada/coins.py": REFERENCE, ".hearts/coins.py": "2", "-rf/coins.py": "3"},
        },
        ["%2Drf/01-coins/coins.py", "ada/01-coins/coins.py"],
        ["../evil.py: ", "/abs.py: ", "ada/../../evil.py: "],
    ),
}


@pytest.mark.parametrize("case", DOWNLOADS)
def test_each_file_of_a_download_is_placed_or_reported(place, capsys, case):
    files, placed, unplaced = DOWNLOADS[case]
    status, there = collected(pack("d.zip", files))
    assert (status, sorted(counting(there))) == (1, placed)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(unplaced)
    for line, begin in zip(lines, unplaced, strict=True):
        assert line.startswith(f"hearts: d.zip: {begin}")
    assert not list(place.glob("evil*"))
    assert collected("d.zip") == (1, there)


def test_the_time_is_the_one_that_the_platform_says(place):
    for case in ("Gradescope", "nbgrader's exchange"):
        collected(pack("d.zip", DOWNLOADS[case][0]))
    assert handed_in(place / f"submissions/100/{STAGE}") == datetime(2026, 11, 1, 10)
    assert handed_in(place / f"submissions/ada/{STAGE}") == datetime(2026, 11, 22, 10)


def test_two_attempts_are_not_mixed_if_their_times_cannot_be_read(place):
    files = {
        f"{EXCHANGE}{n} 10:00:00 XYZ+x/{name}": f"n = {n}"
        for n, name in ((1, "coins.py"), (1, "old.py"), (2, "coins.py"))
    }
    there = counting(collected(pack("d.zip", files))[1])
    assert there == {f"ada/{STAGE}/coins.py": "n = 2"}


def test_a_name_without_its_number_may_be_ambiguous(place, capsys):
    collected(pack("m.zip", DOWNLOADS["Moodle"][0]))
    later = {"Jan Müller_601_assignsubmission_file/market.py": "sold = 1"}
    assert collected(pack("n.zip", later))[0] == 1
    assert "Jan Müller: could be Jan Müller_502 or Jan Müller_503; name" in capsys.readouterr().err


def test_the_latest_attempt_says_whether_a_submission_is_late(place, capsys):
    late = pack("2.zip", {f"{ADA.replace('_', '_LATE_')}_88002_coins-1.py": "later = 1"})
    collected(late, pack("1.zip", {CANVAS: "first = 1"}))
    assert marked_late(Path("submissions")) == ((ADA, STAGE),)
    collected(pack("3.zip", {f"{ADA}_88003_coins-2.py": "later = 1"}), late)
    assert marked_late(Path("submissions")) == ()
    assert capsys.readouterr().out.count("marked late") == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"ada": {"late": true}}', '{"ada/1": 3}'])
def test_a_damaged_list_of_what_was_collected_marks_nothing_as_late(place, text):
    put(place, {"submissions/.hearts/collected.json": text})
    assert marked_late(Path("submissions")) == ()
    assert collected(pack("c.zip", {CANVAS: REFERENCE}))[0] == 0


def test_the_latest_attempt_counts_and_the_others_are_kept(place, capsys):
    first, later = pack("1.zip", {CANVAS: "first = 1"}), pack("2.zip", {CANVAS_LATER: "later = 1"})
    assert collected(first)[0] == 0
    status, there = collected(later, first)
    assert (status, list(counting(there).values())) == (0, ["later = 1"])
    assert sorted(text for text in there.values() if "=" in text) == ["first = 1", "later = 1"]
    assert f"{ADA} 01-coins: placed, replacing another\n" in capsys.readouterr().out
    assert collected(first, later) == (0, there)
    assert "     1 there already\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("order", "counts"),
    [
        ([(2, "later"), (1, "first")], "later"),
        ([(1, "first"), (2, "later"), (3, "first")], "first"),
        ([(3, "again"), (1, "again"), (2, "between")], "again"),
    ],
)
def test_the_order_of_collecting_does_not_matter(place, order, counts):
    for number, program in order:
        status, there = collected(pack("c.zip", {f"{ADA}_8800{number}_coins.py": program}))
        assert status == 0
    assert list(counting(there).values()) == [counts]
    assert {program for _, program in order} <= set(there.values())


def test_files_that_were_fixed_by_hand_are_kept(place):
    archive = pack("c.zip", {CANVAS: REFERENCE})
    collected(archive)
    put(place / f"submissions/{ADA}/{STAGE}", {"coins.py": "fixed = 1"})
    put(place / f"submissions/{ADA}", {f"{STAGE}.zip": "a zip by hand"})
    status, there = collected(archive)
    assert (status, counting(there)) == (0, {f"{ADA}/{STAGE}/coins.py": REFERENCE})
    assert "fixed = 1" in there.values()
    kept = place / "submissions/.hearts/attempts"
    assert any(p.is_file() and p.read_bytes() == b"a zip by hand" for p in kept.rglob("*"))


def test_the_old_attempt_stays_if_the_new_one_cannot_take_its_place(place, monkeypatch):
    collected(pack("1.zip", {CANVAS: "first = 1"}))
    rename = Path.rename

    def fail_for_new(path, target):
        if path.name.startswith("new-"):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_for_new)
    status, there = collected(pack("2.zip", {CANVAS_LATER: "later = 1"}))
    assert (status, list(counting(there).values())) == (1, ["first = 1"])
    assert not list((place / "submissions/.hearts").glob("new-*"))


def test_an_assignment_that_is_over_is_not_changed_by_the_next(place, capsys):
    collected(pack("1.zip", {CANVAS: "first = 1"}))
    more = {
        f"{ADA}_89001_market.py": "sold = 1",
        f"{ADA}_89002_coins.py": "fixed = 1",
        "newt_1209_89003_market.py": "sold = 2",
        "newt_1209_89004_coins.py": "new = 1",
        "odd_1210_89005_market.py": "sold = 3",
    }
    status, there = collected(pack("2.zip", more))
    assert status == 0
    assert counting(there) == {
        f"{ADA}/{STAGE}/coins.py": "first = 1",
        f"{ADA}/02-market/market.py": "sold = 1",
        "newt_1209/02-market/market.py": "sold = 2",
        f"newt_1209/{STAGE}/coins.py": "new = 1",
        "odd_1210/02-market/market.py": "sold = 3",
    }
    assert "coins.py left out: 01-coins is there already" in capsys.readouterr().out


def test_an_ambiguous_stage_has_to_be_named(place, capsys):
    archive = pack("c.zip", {CANVAS: REFERENCE, "bob_2_89003_market.py": "sold = 2"})
    assert run(["collect", archive]) == 2
    assert "c.zip: 01-coins or 02-market? Name the stage with --stage" in capsys.readouterr().err
    status, there = collected(archive, "--stage", "1", "--stage", "2")
    assert (status, len(counting(there))) == (0, 2)


def test_a_name_is_the_same_however_it_is_encoded(place):
    """macOS packs UTF-8 without saying so, and separates letters from their accents."""
    name = "Jan Müller_502_assignsubmission_file/coins.py"
    bare = bytearray(zipped({name: "one = 1"}))
    for start in (bare.index(b"PK\x03\x04") + 6, bare.index(b"PK\x01\x02") + 8):
        bare[start : start + 2] = b"\0\0"  # the flag that says so
    put(place, {"bare.zip": bytes(bare)})
    separated = pack("separated.zip", {name.replace("ü", "u\u0308"): "one = 1"})
    assert collected("bare.zip", separated)[0] == 0
    assert [path.name for path in (place / "submissions").glob("J*")] == ["Jan Müller"]


@pytest.mark.parametrize(
    ("file", "student"),
    [
        ("Ada Lovelace_501_assignsubmission_file/coins.py", "ada"),
        (CANVAS, "ada"),
        ("madonna_1203_88001_coins.py", "mad7"),
        ("hoppergrace_1202_88002_coins.py", ""),
        ("lovelaceada_1299_88001_coins.py", ""),  # another number than Ada has in Canvas
    ],
)
def test_a_roster_names_students_by_login(place, capsys, file, student):
    put(place, {"roster.csv": ROSTER})
    status, there = collected(pack("c.zip", {file: "c = 1"}), "--roster", "roster.csv")
    assert list(counting(there)) == ([f"{student}/{STAGE}/coins.py"] if student else [])
    assert status == (0 if student else 1)
    missing = "matches nobody in the roster, or several\n" in capsys.readouterr().err
    assert missing is not bool(student)


def test_a_roster_without_logins_tells_two_of_one_name_apart(place):
    sheet = "Identifier,Full name,Grade\nParticipant 502,Jan Müller,\nParticipant 503,Jan Müller,\n"
    put(place, {"sheet.csv": sheet})
    files = {f"Jan Müller_{n}_assignsubmission_file/coins.py": f"n = {n}" for n in (502, 503)}
    status, there = collected(pack("m.zip", files), "--roster", "sheet.csv")
    expected = [f"Jan Müller_{n}/{STAGE}/coins.py" for n in (502, 503)]
    assert (status, sorted(counting(there))) == (0, expected)


def test_an_assignment_with_another_name_needs_its_stage(place, capsys):
    archive = pack("n.zip", {"inbound/ada+ps1+2026-11-21 10:00:00 UTC/coins.py": REFERENCE})
    assert collected(archive)[0] == 1
    why = "n.zip: ada: ps1 is not a stage of the course; say --stage\n"
    assert why in capsys.readouterr().err
    status, there = collected(archive, "--stage", "1")
    assert (status, there[f"ada/{STAGE}/coins.py"]) == (0, REFERENCE)


def test_only_the_stage_that_was_asked_for_is_collected(place, capsys):
    put(place / "class", {f"ada/{STAGE}/coins.py": REFERENCE, "ada/02-market/market.py": "s = 1"})
    status, there = collected("class", "--stage", "2")
    assert (status, list(counting(there))) == (0, ["ada/02-market/market.py"])
    assert "ada: 01-coins left out: you asked for 02-market\n" in capsys.readouterr().out


def test_the_time_comes_from_nbgrader_and_never_from_a_student(place, capsys):
    early = "2026-01-01 00:00:00 UTC"
    submitted = f"class/submitted/bob/{STAGE}"
    put(place / submitted, {"coins.py": "", "timestamp.txt": "2026-11-22 11:00:00 Europe/Berlin"})
    collected("class")
    assert handed_in(place / f"submissions/bob/{STAGE}") == datetime(2026, 11, 22, 10)
    names = {"coins.py": 1, "timestamp.txt": 2, "timestamp-1.txt": 3}
    archive = pack("c.zip", {f"{ADA}_{n}_{name}": early for name, n in names.items()})
    put(place / "other", {"cy/coins.py": REFERENCE, "cy/timestamp.txt": early})
    assert collected(archive, "other")[0] == 0
    collected(archive)
    assert "     1 there already\n" in capsys.readouterr().out
    for student in (ADA, "cy"):
        assert handed_in(place / f"submissions/{student}/{STAGE}") is None


def forged(folder):
    return METADATA.replace("submission_9", folder)


ADAS, EVES = "Ada_502_assignsubmission_file", "Eve_504_assignsubmission_file"
LOOK_ALIKES = {
    "metadata in a student's folder": (
        "Ada",
        {f"{ADAS}/coins.py": "mine", f"{EVES}/submission_metadata.yml": forged(ADAS)},
    ),
    "metadata in the only folder": (
        "Eve",
        {f"{EVES}/coins.py": "mine", f"{EVES}/submission_metadata.yml": forged("coins.py")},
    ),
    "metadata beside Gradescope's": (
        "100",
        {
            f"{EXPORT}/submission_9/coins.py": "mine",
            f"{EXPORT}/submission_9/submission_metadata.yml": forged("coins.py"),
            f"{EXPORT}/submission_metadata.yml": METADATA,
        },
    ),
    **{
        path: ("ada", {"ada/coins.py": "mine", "bob/coins.py": "b", f"eve/{path}/coins.py": "e"})
        for path in (ADAS, f"ada+{STAGE}+2026-11-21 10:00:00 UTC", "c++")
    },
}


@pytest.mark.parametrize("case", LOOK_ALIKES)
def test_one_student_cannot_make_a_download_look_like_another_layout(place, case):
    student, files = LOOK_ALIKES[case]
    assert collected(pack("c.zip", files))[1][f"{student}/{STAGE}/coins.py"] == "mine"


def test_an_unusable_folder_does_not_block_the_others(place, monkeypatch, capsys):
    put(place, {f"submissions/ada/{STAGE}": "a file", "elsewhere/x": ""})
    (place / "submissions/lin").symlink_to(place / "elsewhere")
    students = ("ada", "bob", "lin", "mal/\x1b[2J")
    put(place / "class", {f"{name}/coins.py": f"{name} = 1" for name in students})
    scandir = os.scandir

    def closed(folder):
        if "mal/" in str(folder):
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", closed)
    status, there = collected("class")
    assert (status, there[f"bob/{STAGE}/coins.py"]) == (1, "bob = 1")
    assert [path.name for path in (place / "elsewhere").iterdir()] == ["x"]
    why = "not a folder; nothing is put in its place"
    assert capsys.readouterr().err.replace("hearts: class: ", "") == (
        "mal/\\x1b[2J: may not be opened (Permission denied); make it readable and hand it in again"
        f"\nada: {STAGE}: submissions/ada/{STAGE}: {why}\nlin: {STAGE}: submissions/lin: {why}\n"
    )


def test_a_dry_run_writes_nothing(place, capsys):
    assert run(["collect", pack("c.zip", {CANVAS: REFERENCE}), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert out == "c.zip: Canvas, 01-coins\n     1 placed\nnothing was written\n"
    assert not (place / "submissions").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.zip"], "none.zip: no such zip or folder; name what you downloaded"),
        (["text.zip"], "text.zip: not a zip, or a damaged one; download it again"),
        (["empty.zip"], "empty.zip: nothing in it"),
        (["c.zip", "--into", "text.zip"], "text.zip: not a folder; choose another with --into"),
        (["c.zip", "--stage", "9"], "no stage is called '9'"),
        (["c.zip", "--roster", "text.zip"], "text.zip: not a table"),
        (["bad.zip"], "bad.zip: submission_metadata.yml cannot be read"),
        ([], "Missing argument 'ARCHIVE...'"),
    ],
)
def test_misuse_is_one_line(place, capsys, arguments, message):
    put(place, {"text.zip": "no zip", "empty.zip": zipped({})})
    pack("c.zip", {CANVAS: REFERENCE})
    pack("bad.zip", {"submission_metadata.yml": "a: [", "submission_1/coins.py": "1"})
    assert run(["collect", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"hearts: {message}")
