"""Downloads of a class go where `hearts grade` reads them, and nothing is lost on the way."""

import io
import json
import os
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from hearts_course.cli import collect, run
from hearts_course.grading.final_scores import handed_in
from hearts_course.submissions.find import find_submissions, marked_late
from tiny_class import STAGE, STARTER, course_with_starter, full_notebook, put, zipped
from tiny_course import REFERENCE

CANVAS = "lovelaceada_1201_88001_coins.py"
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
ROSTER = 'Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"Lovelace, Ada",1201,ada,A\n'


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
    monkeypatch.setattr(collect, "find_course", lambda: course)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pack(name, files, day=1):
    """An archive; a text of None is a link."""
    with zipfile.ZipFile(name, "w") as archive:
        for path, content in files.items():
            member = zipfile.ZipInfo(path, (2026, 11, day, 10, 0, 0))
            member.external_attr = (0o120777 if content is None else 0o644) << 16
            archive.writestr(member, "/etc/passwd" if content is None else content)
    return name


def collected(*arguments):
    """The exit status, and what lies there: the files that count, by student and stage."""
    status = run(["collect", *arguments])
    found = {p.relative_to("submissions").as_posix(): p for p in Path("submissions").rglob("*.*")}
    return status, {n: p.read_text(errors="replace") for n, p in found.items() if p.is_file()}


def counting(files):
    return {name: text for name, text in files.items() if not name.startswith(".")}


def test_a_download_from_canvas(place, capsys):
    files = {
        CANVAS: REFERENCE,
        "hoppergrace_LATE_1202_88002_coins-1.py": f"{REFERENCE}#1",
        "hoppergrace_LATE_1202_88003_coins-2.py": f"{REFERENCE}#2",
        "bob_1203_88004_01-coins (1).ipynb": full_notebook(),
        "eve_1204_88005_coin.py": "misnamed",
        "zoe_1205_88006_work.zip": zipped({"my/coins.py": REFERENCE, "my/market.py": "x"}),
        "typed_1206_text.html": "<p>",
        "mal_1207_88007_coins.py": None,
        "big_1208_88008_coins.py": "#" * (5 * 2**20 + 1),
        "test_1209_88009_test_coins.py": "only a test of the course's",
    }
    status, there = collected(pack("c.zip", files))
    assert status == 1
    assert sorted(counting(there)) == [
        f"bob_1203/{STAGE}/{STAGE}.ipynb",
        f"eve_1204/{STAGE}/coin.py",
        f"hoppergrace_1202/{STAGE}/coins.py",
        f"lovelaceada_1201/{STAGE}/coins.py",
        f"zoe_1205/{STAGE}/work.zip",
    ]
    assert there[f"hoppergrace_1202/{STAGE}/coins.py"].endswith("#2")
    out, err = capsys.readouterr()
    assert out.startswith("c.zip: Canvas, 01-coins\n     5 placed\n")
    assert [line.removeprefix("hearts: c.zip: ") for line in err.splitlines()] == [
        "mal_1207_88007_coins.py is a symbolic link in the zip; zip the file itself",
        "typed_1206: typed into the platform, no file; ask for the file",
        "big_1208: big_1208_88008_coins.py is too big (5 MiB; at most 5 MiB): hand in the program "
        "only",
        "big_1208: nothing that was written for a stage",
        "test_1209: nothing that was written for a stage",
    ]


def test_only_canvass_own_form_of_an_anonymous_name_is_anonymous(place, capsys):
    named = {
        "anonuevomaria_1300_88006_coins.py": REFERENCE,
        "anon_1301_88007_coins.py": REFERENCE,
        "anon_LATE_1302_88008_coins.py": REFERENCE,
    }
    anonymous = {
        "anon_a1B2c_88009_coins.py": REFERENCE,
        "LATE_anon_Zz9yX_88010_coins.py": REFERENCE,
        "LATE_anon_3dEfG_text.html": "<p>",
    }
    assert collected(pack("named.zip", named))[0] == 0
    there = collected(pack("anonymous.zip", anonymous))[1]
    assert sorted(name.partition("/")[0] for name in counting(there)) == [
        "anon_1301",
        "anon_1302",
        "anonuevomaria_1300",
        "anonymous_Zz9yX",
        "anonymous_a1B2c",
    ]
    assert "anonymous_3dEfG: typed into the platform" in capsys.readouterr().err


def late_by_canvas():
    return marked_late(Path("submissions"))


def test_canvass_late_mark_is_reported_and_kept(place, capsys):
    collected(pack("c.zip", {CANVAS: REFERENCE, "bob_LATE_1202_88002_coins.py": REFERENCE}))
    marks = [line for line in capsys.readouterr().out.splitlines() if "late" in line]
    assert marks == [f"  bob_1202 {STAGE}: marked late by Canvas"]
    assert late_by_canvas() == (("bob_1202", STAGE),)
    assert handed_in(place / f"submissions/bob_1202/{STAGE}") is None


def test_the_latest_attempt_says_whether_a_submission_is_late(place, capsys):
    first = pack("1.zip", {CANVAS: "first = 1"})
    late = pack("2.zip", {"lovelaceada_LATE_1201_88002_coins-1.py": "later = 1"})
    same = pack("3.zip", {"lovelaceada_1201_88003_coins-2.py": "later = 1"})
    collected(late)
    collected(first)
    assert late_by_canvas() == (("lovelaceada_1201", STAGE),)
    collected(same, late)
    assert late_by_canvas() == ()
    assert capsys.readouterr().out.count("marked late") == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"ada": {"late": true}}', '{"ada/1": 3}'])
def test_damaged_notes_on_a_collection_mark_nothing_as_late(place, text):
    put(place, {"submissions/.hearts/collected.json": text})
    assert late_by_canvas() == ()


def test_what_is_collected_can_be_graded(place):
    collected(pack("c.zip", {CANVAS: REFERENCE}))
    layout = find_submissions(Path("submissions"), collect.find_course())
    assert ([slot.student for slot in layout.paths], layout.warnings) == (["lovelaceada_1201"], ())


def test_the_latest_attempt_counts_and_the_others_are_kept(place, capsys):
    first = pack("1.zip", {CANVAS: "first = 1"})
    later = pack("2.zip", {"lovelaceada_1201_88002_coins-1.py": "later = 1"})
    assert collected(first)[0] == 0
    status, there = collected(later, first)
    assert status == 0
    assert list(counting(there).values()) == ["later = 1"]
    assert sorted(text for text in there.values() if "=" in text) == ["first = 1", "later = 1"]
    assert "lovelaceada_1201 01-coins: placed, in place of another\n" in capsys.readouterr().out
    assert collected(first, later) == (0, there)
    assert "     1 there already\n" in capsys.readouterr().out


def test_an_older_attempt_that_comes_late_does_not_count(place, capsys):
    collected(pack("2.zip", {"lovelaceada_1201_88002_coins-1.py": "later = 1"}))
    status, there = collected(pack("1.zip", {CANVAS: "first = 1"}))
    assert (status, list(counting(there).values())) == (0, ["later = 1"])
    assert "01-coins: older than what is there\n" in capsys.readouterr().out
    assert "first = 1" in there.values()


def test_who_goes_back_to_an_earlier_version_is_graded_by_it(place):
    number = {1: "first = 1", 2: "later = 1", 3: "first = 1"}
    for day, program in number.items():
        collected(pack("c.zip", {f"lovelaceada_1201_8800{day}_coins.py": program}))
    status, there = collected("c.zip")
    assert (status, list(counting(there).values())) == (0, ["first = 1"])


def test_an_older_attempt_of_the_same_content_does_not_make_room_for_one_between(place):
    for number, program in ((3, "again = 1"), (1, "again = 1"), (2, "between = 1")):
        collected(pack("c.zip", {f"lovelaceada_1201_8800{number}_coins.py": program}))
    there = collected("c.zip")[1]
    assert list(counting(there).values()) == ["again = 1"]


def test_what_was_mended_by_hand_is_kept(place):
    archive = pack("c.zip", {CANVAS: REFERENCE})
    collected(archive)
    put(place / f"submissions/lovelaceada_1201/{STAGE}", {"coins.py": "mended = 1"})
    put(place / "submissions/lovelaceada_1201", {f"{STAGE}.zip": "a zip by hand"})
    status, there = collected(archive)
    assert (status, counting(there)) == (0, {f"lovelaceada_1201/{STAGE}/coins.py": REFERENCE})
    assert "mended = 1" in there.values()
    kept = place / "submissions/.hearts/attempts"
    assert any(p.is_file() and p.read_bytes() == b"a zip by hand" for p in kept.rglob("*"))


def test_an_assignment_that_is_over_is_not_changed_by_the_next(place, capsys):
    collected(pack("1.zip", {CANVAS: "first = 1"}))
    more = {
        "lovelaceada_1201_89001_market.py": "sold = 1",
        "lovelaceada_1201_89002_coins.py": "mended = 1",
        "newt_1209_89003_market.py": "sold = 2",
        "newt_1209_89004_coins.py": "new = 1",
        "odd_1210_89005_market.py": "sold = 3",
    }
    status, there = collected(pack("2.zip", more))
    assert status == 0
    assert counting(there) == {
        f"lovelaceada_1201/{STAGE}/coins.py": "first = 1",
        "lovelaceada_1201/02-market/market.py": "sold = 1",
        "newt_1209/02-market/market.py": "sold = 2",
        f"newt_1209/{STAGE}/coins.py": "new = 1",
        "odd_1210/02-market/market.py": "sold = 3",
    }
    assert "coins.py left out: 01-coins is there already" in capsys.readouterr().out


def test_two_stages_alike_have_to_be_told_apart(place, capsys):
    both = {CANVAS: REFERENCE, "bob_2_89003_market.py": "sold = 2"}
    assert run(["collect", pack("c.zip", both)]) == 2
    assert "c.zip: 01-coins or 02-market? Say by --stage which" in capsys.readouterr().err
    status, there = collected("c.zip", "--stage", "1", "--stage", "2")
    assert (status, len(counting(there))) == (0, 2)


def test_a_download_from_moodle_with_two_of_one_name(place, capsys):
    files = {
        "Ada Lovelace_501_assignsubmission_file/coins.py": REFERENCE,
        "Jan Müller_502_assignsubmission_file_/coins.py": "one = 1",
        "Jan Müller_503_assignsubmission_file_coins.py": "two = 2",
        "Eve_504_assignsubmission_onlinetext/onlinetext.html": "<p>",
    }
    status, there = collected(pack("m.zip", files))
    assert status == 1
    assert sorted(counting(there)) == [
        f"{student}/{STAGE}/coins.py"
        for student in ("Ada Lovelace", "Jan Müller_502", "Jan Müller_503")
    ]
    assert "Eve: typed into the platform" in capsys.readouterr().err
    later = {"Jan Müller_601_assignsubmission_file/market.py": "sold = 1"}
    assert collected(pack("n.zip", later))[0] == 1
    assert "Jan Müller: could be Jan Müller_502 or Jan Müller_503; name" in capsys.readouterr().err


def test_a_name_is_the_same_however_it_is_spelt(place):
    """macOS packs UTF-8 without saying so, and parts letters from their dots."""
    name = "Jan Müller_502_assignsubmission_file/coins.py"
    plain = zipped({name: "one = 1"})
    assert name.encode() in plain
    bare = bytearray(plain)
    for start in (plain.index(b"PK\x03\x04") + 6, plain.index(b"PK\x01\x02") + 8):
        bare[start : start + 2] = b"\0\0"  # the flag that says so
    put(place, {"bare.zip": bytes(bare)})
    parted = name.replace("ü", "u\u0308")
    assert collected("bare.zip", pack("parted.zip", {parted: "one = 1"}))[0] == 0
    assert [path.name for path in (place / "submissions").glob("J*")] == ["Jan Müller"]


def test_a_roster_names_students_by_login(place, capsys):
    put(place, {"roster.csv": ROSTER})
    files = {"Ada Lovelace_501_assignsubmission_file/coins.py": "m = 1"}
    status, there = collected(pack("m.zip", files), "--roster", "roster.csv")
    assert (status, list(counting(there))) == (0, [f"ada/{STAGE}/coins.py"])
    files = {CANVAS: "c = 1", "hoppergrace_1202_88002_coins.py": "g = 1"}
    status, there = collected(pack("c.zip", files), "--roster", "roster.csv")
    assert (status, list(counting(there).values())) == (1, ["c = 1"])
    assert "hoppergrace: nobody in the roster, or more than one" in capsys.readouterr().err


def test_a_name_without_a_comma_is_no_login_where_there_is_one(place):
    put(place, {"roster.csv": f"{ROSTER}Madonna,1203,mad7,A\n"})
    files = {"madonna_1203_88001_coins.py": "m = 1"}
    there = collected(pack("c.zip", files), "--roster", "roster.csv")[1]
    assert list(counting(there)) == [f"mad7/{STAGE}/coins.py"]


def test_a_program_in_a_folder_of_the_stages_name_does_not_hide_another(place):
    files = {
        "Ada_501_assignsubmission_file/coins.py": "one = 1",
        f"Ada_501_assignsubmission_file/{STAGE}/coins.py": "two = 2",
    }
    there = counting(collected(pack("m.zip", files))[1])
    assert sorted(there.values()) == ["one = 1", "two = 2"]


def test_what_is_there_stays_if_another_cannot_take_its_place(place, monkeypatch):
    collected(pack("1.zip", {CANVAS: "first = 1"}))
    rename = Path.rename

    def renamed(path, target):
        if path.name.startswith("new-"):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)
    status, there = collected(pack("2.zip", {"lovelaceada_1201_88002_coins.py": "later = 1"}))
    assert (status, list(counting(there).values())) == (1, ["first = 1"])
    assert [path.name for path in (place / "submissions/.hearts").glob("new-*")] == []


def test_who_has_another_number_in_canvass_roster_is_not_called_by_name(place, capsys):
    put(place, {"roster.csv": ROSTER})
    files = {"lovelaceada_1299_88001_coins.py": "other = 1"}
    status, there = collected(pack("c.zip", files), "--roster", "roster.csv")
    assert (status, counting(there)) == (1, {})
    assert "lovelaceada: nobody in the roster, or more than one" in capsys.readouterr().err


def test_a_roster_without_logins_tells_two_of_one_name_apart(place):
    sheet = "Identifier,Full name,Grade\nParticipant 502,Jan Müller,\nParticipant 503,Jan Müller,\n"
    put(place, {"sheet.csv": sheet})
    files = {f"Jan Müller_{n}_assignsubmission_file/coins.py": f"n = {n}" for n in (502, 503)}
    status, there = collected(pack("m.zip", files), "--roster", "sheet.csv")
    assert (status, sorted(counting(there))) == (
        0,
        [f"Jan Müller_{n}/{STAGE}/coins.py" for n in (502, 503)],
    )


def test_a_download_from_gradescope(place, capsys):
    files = {
        "assignment_7_export/submission_metadata.yml": METADATA,
        "assignment_7_export/submission_9/my/coins.py": REFERENCE,
        "assignment_7_export/submission_8/coins.py": REFERENCE,
    }
    status, there = collected(pack("g.zip", files))
    assert status == 1
    assert sorted(counting(there)) == [
        f"{student}/{STAGE}/{name}"
        for student in ("100", "bob@example.org")
        for name in ("my/coins.py", "timestamp.txt")
    ]
    assert "submission_8/coins.py: submission_metadata.yml does not say" in capsys.readouterr().err


def test_the_exchange_of_nbgrader(place):
    early = f"inbound/ada+{STAGE}+2026-11-21 10:00:00.000000 UTC+x1"
    late = f"inbound/ada+{STAGE}+2026-11-22 10:00:00.000000 UTC+x2"
    files = {
        f"{late}/{STAGE}.ipynb": full_notebook(),
        f"{late}/timestamp.txt": "2026-11-22",
        f"{early}/{STAGE}.ipynb": "{}",
        f"inbound/bob+other+2026-11-22 10:00:00 UTC/{STAGE}.ipynb": "{}",
    }
    status, there = collected(pack("n.zip", files))
    assert (status, counting(there)) == (
        1,
        {
            f"ada/{STAGE}/{STAGE}.ipynb": full_notebook(),
            f"ada/{STAGE}/timestamp.txt": "2026-11-22 10:00:00.000000 UTC\n",
        },
    )
    assert collected("n.zip") == (1, there)


def test_when_it_was_handed_in_is_what_nbgrader_wrote(place):
    put(
        place / "class",
        {
            f"submitted/bob/{STAGE}/coins.py": REFERENCE,
            f"submitted/bob/{STAGE}/timestamp.txt": "2026-11-22 11:00:00 Europe/Berlin",
        },
    )
    there = collected("class")[1]
    assert there[f"bob/{STAGE}/timestamp.txt"] == "2026-11-22 11:00:00 Europe/Berlin\n"
    assert handed_in(place / f"submissions/bob/{STAGE}") == datetime(2026, 11, 22, 10)


def test_when_it_was_handed_in_is_what_gradescope_says(place):
    files = {"submission_metadata.yml": METADATA, "submission_9/coins.py": REFERENCE}
    assert collected(pack("g.zip", files))[0] == 0
    assert handed_in(place / f"submissions/100/{STAGE}") == datetime(2026, 11, 1, 10)


def test_a_student_does_not_say_when_it_was_handed_in(place):
    early = "2026-01-01 00:00:00 UTC"
    number = {"coins.py": 1, "timestamp.txt": 2, "timestamp-1.txt": 3}
    texts = {"coins.py": REFERENCE}
    canvas = {f"ada_1_{n}_{name}": texts.get(name, early) for name, n in number.items()}
    status, there = collected(pack("c.zip", canvas))
    assert (status, [name for name in there if name.endswith("timestamp.txt")]) == (0, [])
    put(place / "class", {"bob/coins.py": REFERENCE, "bob/timestamp.txt": early})
    collected("class")
    assert handed_in(place / f"submissions/bob/{STAGE}") is None


def test_a_time_that_a_student_sent_along_does_not_make_an_attempt_another(place, capsys):
    files = {f"ada_1_1_{name}": name for name in ("coins.py", "timestamp.txt")}
    collected(pack("c.zip", files))
    collected("c.zip")
    assert "     1 there already\n" in capsys.readouterr().out


def test_a_file_of_a_students_does_not_make_moodles_download_gradescopes(place):
    forged = METADATA.replace("submission_9", "Ada_502_assignsubmission_file")
    files = {
        "Ada_502_assignsubmission_file/coins.py": "ada = 1",
        "Eve_504_assignsubmission_file/submission_metadata.yml": forged,
        "Eve_504_assignsubmission_file/coins.py": "eve = 1",
    }
    there = counting(collected(pack("m.zip", files))[1])
    assert there[f"Ada/{STAGE}/coins.py"] == "ada = 1"


def test_a_listing_of_a_lone_students_does_not_make_a_download_gradescopes(place):
    forged = METADATA.replace("submission_9", "sub")
    folder = "Eve_504_assignsubmission_file"
    files = {f"{folder}/submission_metadata.yml": forged, f"{folder}/sub/coins.py": "eve = 1"}
    there = counting(collected(pack("m.zip", files))[1])
    assert {name.partition("/")[0] for name in there} == {"Eve"}


def test_a_listing_of_a_students_own_is_not_gradescopes(place):
    forged = METADATA.replace("submission_9", "coins.py")
    files = {
        "assignment_7_export/submission_9/submission_metadata.yml": forged,
        "assignment_7_export/submission_9/coins.py": REFERENCE,
        "assignment_7_export/submission_metadata.yml": METADATA,
    }
    there = counting(collected(pack("g.zip", files))[1])
    assert f"100/{STAGE}/coins.py" in there


def test_a_folder_of_a_students_does_not_make_a_class_nbgraders(place):
    put(place / "class", {"ada/coins.py": "ada = 1", "bob/c++/coins.py": "bob = 1"})
    status, there = collected("class")
    assert (status, sorted(counting(there))) == (
        0,
        [f"ada/{STAGE}/coins.py", f"bob/{STAGE}/c++/coins.py"],
    )


@pytest.mark.parametrize(
    "forged",
    ["Ada_502_assignsubmission_file/coins.py", f"ada+{STAGE}+2026-11-21 10:00:00 UTC/coins.py"],
)
def test_a_class_is_not_laid_out_as_one_student_says(place, forged):
    files = {"ada/coins.py": "ada = 1", "bob/coins.py": "bob = 1", f"eve/{forged}": "eve = 1"}
    put(place / "class", files)
    there = collected("class")[1]
    assert there[f"ada/{STAGE}/coins.py"] == "ada = 1"
    assert there[f"bob/{STAGE}/coins.py"] == "bob = 1"


def test_folders_of_students_are_read_as_they_lie(place):
    put(
        place / "class",
        {
            "ada/coins.py": REFERENCE,
            "ada/market.py": "sold = 1",
            f"bob/{STAGE}/coin.py": "misnamed",
            "cy.zip": zipped({"coins.py": REFERENCE}),
            "__MACOSX/x": "",
        },
    )
    (place / "class/mal").mkdir()
    (place / "class/mal/coins.py").symlink_to("/etc/passwd")
    status, there = collected("class")
    assert status == 1
    assert sorted(counting(there)) == [
        *("ada/01-coins/coins.py", "ada/02-market/market.py"),
        *("bob/01-coins/coin.py", "cy/01-coins/cy.zip"),
    ]


def test_an_assignment_of_another_name_is_said_to_be_a_stage(place, capsys):
    attempt = "inbound/ada+ps1+2026-11-21 10:00:00 UTC"
    archive = pack("n.zip", {f"{attempt}/coins.py": REFERENCE})
    assert collected(archive)[0] == 1
    assert "n.zip: ada: ps1 is no stage of the course; say --stage\n" in capsys.readouterr().err
    status, there = collected(archive, "--stage", "1")
    assert (status, there[f"ada/{STAGE}/coins.py"]) == (0, REFERENCE)


def test_only_the_stage_that_was_asked_for_is_collected(place, capsys):
    put(place / "class", {f"ada/{STAGE}/coins.py": REFERENCE, "ada/02-market/market.py": "s = 1"})
    status, there = collected("class", "--stage", "2")
    assert (status, list(counting(there))) == (0, ["ada/02-market/market.py"])
    assert "ada: 01-coins left out: you asked for 02-market\n" in capsys.readouterr().out


def test_the_starter_is_nothing_that_was_written(place):
    put(place / "class", {"ada/coins.py": STARTER, "ada/market.py": "sold = 1"})
    status, there = collected("class")
    assert (status, list(counting(there))) == (0, ["ada/02-market/market.py"])


def test_tricks_of_an_archive_stay_outside(place, capsys):
    files = {
        "../evil.py": "1",
        "/abs.py": "1",
        "ada/..\\..\\evil.py": "1",
        "ada/coins.py": REFERENCE,
        ".hearts/coins.py": "2",
        "-rf/coins.py": "3",
    }
    status, there = collected(pack("c.zip", files))
    assert (status, sorted(counting(there))) == (
        1,
        ["%2Drf/01-coins/coins.py", "ada/01-coins/coins.py"],
    )
    assert not list(place.glob("evil*"))
    assert capsys.readouterr().err.count("contains an unsafe path") == 3


def test_a_student_who_is_a_link_is_left_alone(place, capsys):
    (place / "elsewhere").mkdir()
    (place / "submissions").mkdir()
    (place / "submissions/lovelaceada_1201").symlink_to(place / "elsewhere")
    assert run(["collect", pack("c.zip", {CANVAS: REFERENCE})]) == 1
    assert "is no folder; nothing is put in its place" in capsys.readouterr().err
    assert not any((place / "elsewhere").iterdir())


def test_one_student_whose_folder_cannot_be_used_holds_nobody_up(place, capsys):
    put(place, {f"submissions/ada/{STAGE}": "a file"})
    files = {f"{name}/coins.py": f"{name} = 1" for name in ("ada", "bob")}
    status, there = collected(pack("c.zip", files))
    assert (status, there[f"bob/{STAGE}/coins.py"]) == (1, "bob = 1")
    why = f"submissions/ada/{STAGE}: is no folder; nothing is put in its place"
    assert capsys.readouterr().err == f"hearts: c.zip: ada: {STAGE}: {why}\n"


def test_one_folder_that_may_not_be_listed_holds_nobody_up(place, monkeypatch, capsys):
    put(place / "class", {"ada/coins.py": "ada = 1", "mal/\x1b[2J/coins.py": "mal = 1"})
    scandir = os.scandir

    def scanned(folder):
        if "mal/" in str(folder):
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", scanned)
    status, there = collected("class")
    assert (status, counting(there)) == (1, {f"ada/{STAGE}/coins.py": "ada = 1"})
    assert "class: mal/\\x1b[2J: may not be opened (Permission denied)" in capsys.readouterr().err


def test_a_dry_run_writes_nothing(place, capsys):
    assert run(["collect", pack("c.zip", {CANVAS: REFERENCE}), "--dry-run"]) == 0
    assert (
        capsys.readouterr().out == "c.zip: Canvas, 01-coins\n     1 placed\nnothing was written\n"
    )
    assert not (place / "submissions").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.zip"], "none.zip: No such file or directory; name what you downloaded"),
        (["text.zip"], "text.zip: no zip, or a damaged one; download it again"),
        (["empty.zip"], "empty.zip: nothing in it"),
        (["c.zip", "--into", "text.zip"], "text.zip: is no folder; choose another with --into"),
        (["c.zip", "--stage", "9"], "no stage is called '9'"),
        (["c.zip", "--roster", "text.zip"], "text.zip: no table"),
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
    assert io.StringIO(err).readline() == err
