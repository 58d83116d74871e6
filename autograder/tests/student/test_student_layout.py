"""`hearts start` lays out a workspace and never overwrites anything."""

import errno

import pytest
from hearts_course.errors import UsageError
from hearts_course.student.workspace import find_workspace, lay_out
from student_course import student_course

FILES = ("README.md", "briefs/01-coins.md", "coins.py", "01-coins.ipynb", "test_coins.py")


@pytest.fixture
def course(tmp_path):
    return student_course(tmp_path / "course")


def test_everything_lies_flat_in_one_folder(course, tmp_path):
    done = lay_out(course, tmp_path / "deep" / "mine")
    assert (done.added, done.kept) == (FILES, ())
    (stage,) = course.stages
    assert (done.root / "coins.py").read_bytes() == (stage.assignment / "coins.py").read_bytes()
    assert (done.root / "01-coins.ipynb").read_bytes() == stage.notebook.read_bytes()
    assert (done.root / "briefs/01-coins.md").read_text(encoding="utf-8").startswith("# 01 Coins")


def test_the_guide_names_the_stages_and_the_commands(course, tmp_path):
    text = (lay_out(course, tmp_path / "mine").root / "README.md").read_text(encoding="utf-8")
    assert "| `01-coins` | Coins and purses | [brief](briefs/01-coins.md) | `coins.py` |" in text
    assert "`hearts check worth`" in text
    assert "{" not in text


def test_a_second_start_keeps_all_work(course, tmp_path):
    lay_out(course, tmp_path)
    (tmp_path / "coins.py").write_text("mine", encoding="utf-8")
    (tmp_path / "README.md").unlink()
    done = lay_out(course, tmp_path)
    assert (done.added, done.kept) == (("README.md",), FILES[1:])
    assert (tmp_path / "coins.py").read_text(encoding="utf-8") == "mine"


def test_a_second_start_keeps_what_is_remembered(course, tmp_path):
    lay_out(course, tmp_path)
    (tmp_path / ".hearts.json").write_text('{"hints": {"worth": 1}, "checks": {}}')
    lay_out(course, tmp_path)
    workspace = find_workspace(course, tmp_path)
    assert workspace is not None
    assert workspace.memory.hints == {"worth": 1}


def test_even_a_dangling_link_is_not_written_through(course, tmp_path):
    (tmp_path / "coins.py").symlink_to(tmp_path / "elsewhere.py")
    assert "coins.py" in lay_out(course, tmp_path).kept
    assert not (tmp_path / "elsewhere.py").exists()


@pytest.mark.parametrize("inside", ["", "mine", "assignments/01-coins"])
def test_the_course_itself_is_no_place_to_work(course, inside):
    before = sorted(course.root.rglob("*"))
    with pytest.raises(UsageError, match="lies inside the course itself; choose a folder else"):
        lay_out(course, course.root / inside)
    assert sorted(course.root.rglob("*")) == before


def test_another_checkout_of_the_course_is_none_either(course, tmp_path):
    for place in ("assignments", "solutions", "autograder"):
        (tmp_path / "other" / place).mkdir(parents=True)
    with pytest.raises(UsageError, match="inside the course itself"):
        lay_out(course, tmp_path / "other" / "mine")


def test_a_workspace_in_a_workspace_is_refused(course, tmp_path):
    root = lay_out(course, tmp_path / "mine").root
    with pytest.raises(UsageError, match=r"lies inside your workspace .*mine; go there, or choose"):
        lay_out(course, root / "briefs")
    assert not (root / "briefs" / "coins.py").exists()


def test_one_that_is_there_already_is_mended(course, tmp_path):
    inner = lay_out(course, tmp_path / "mine" / "inner").root
    lay_out(course, tmp_path / "mine")
    (inner / "coins.py").unlink()
    assert lay_out(course, inner).added == ("coins.py",)


def test_a_file_in_the_way_is_said(course, tmp_path):
    (tmp_path / "mine").write_text("")
    with pytest.raises(UsageError, match=r"mine: File exists; choose a folder you can write to"):
        lay_out(course, tmp_path / "mine")


def test_a_file_further_up_in_the_way_is_said(course, tmp_path):
    (tmp_path / "mine").write_text("")
    with pytest.raises(UsageError, match=r"Not a directory; choose a folder you can write to"):
        lay_out(course, tmp_path / "mine" / "deeper")


def test_a_folder_one_may_not_write_to_is_said(course, tmp_path, monkeypatch):
    def refuse(path, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    with pytest.raises(UsageError, match="Permission denied; choose a folder you can write to"):
        lay_out(course, tmp_path / "mine")


def test_sample_files_come_along(course, tmp_path):
    (course.stages[0].assignment / "sample-coins.txt").write_text("dime\n", encoding="utf-8")
    laid_out = lay_out(course, tmp_path / "work")
    assert "sample-coins.txt" in laid_out.added
    assert (tmp_path / "work" / "sample-coins.txt").read_text(encoding="utf-8") == "dime\n"
