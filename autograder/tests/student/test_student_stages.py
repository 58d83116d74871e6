"""Several stages in one workspace: one program that grows."""

import os

import pytest
from hearts_course import cli
from hearts_course.student.progress import current
from hearts_course.student.workspace import need_workspace
from student_course import REFERENCE, lay_out, two_stages, use

BANK = "from coins import Coin\n\n\ndef savings(face):\n    return Coin(face).worth\n"


@pytest.fixture
def course(tmp_path, monkeypatch):
    course = two_stages(tmp_path / "course")
    use(course, monkeypatch)
    return course


@pytest.fixture
def root(course, tmp_path, monkeypatch):
    root = lay_out(course, tmp_path / "mine").root
    monkeypatch.chdir(root)
    return root


def write(root, name, text, saved=1000):
    (root / name).write_text(text, encoding="utf-8")
    os.utime(root / name, (saved, saved))


def hearts(line, capsys):
    status = cli.run(line.split())
    return status, *capsys.readouterr()


def now(course, root):
    return current(need_workspace(course, root)).name


def test_one_begins_with_the_first_stage(course, root):
    assert now(course, root) == "01-coins"


def test_one_works_on_the_stage_that_was_saved_last(course, root):
    write(root, "bank.py", BANK, saved=1000)
    assert now(course, root) == "02-bank"
    write(root, "coins.py", REFERENCE, saved=2000)
    assert now(course, root) == "01-coins"
    write(root, "bank.py", BANK, saved=3000)
    assert now(course, root) == "02-bank"


def test_a_stage_runs_with_the_students_own_earlier_ones(root, capsys):
    write(root, "bank.py", BANK)
    write(root, "coins.py", REFERENCE)
    assert hearts("check 02-bank", capsys)[0] == 0
    write(root, "coins.py", REFERENCE.replace("10 if", "5 if"))
    status, out, _ = hearts("check 2", capsys)
    assert (status, "came back    5" in out) == (1, True)


def test_an_earlier_stage_that_cannot_be_read_is_named(root, capsys):
    write(root, "bank.py", BANK)
    (root / "coins.py").unlink()
    (root / "01-coins.ipynb").unlink()
    assert hearts("check 2", capsys) == (
        2,
        "",
        "hearts: 02-bank builds on 01-coins: coins.py: missing; "
        "`hearts start .` puts the starter back\n",
    )


def test_when_a_stage_is_done_the_next_one_follows(root, capsys):
    write(root, "coins.py", REFERENCE)
    hearts("check", capsys)
    out = hearts("", capsys)[1]
    assert "  01 Coins and purses  ■■■  3 of 3 tasks\n  02 Banks             □" in out
    assert "  Hand it in: hearts submit 01-coins\n" in out
    assert "Next is task 1, Savings, in bank.py or 02-bank.ipynb.\n" in out


def test_a_submission_holds_its_own_stage_only(root, capsys):
    write(root, "bank.py", BANK)
    write(root, "coins.py", REFERENCE)
    assert "It holds bank.py.\n" in hearts("submit 2", capsys)[1]
