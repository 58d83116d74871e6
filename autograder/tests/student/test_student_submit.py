"""What is handed in: just the program, the same bytes for the same work, nothing lost."""

import zipfile

import pytest
from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_course.student.layout import lay_out
from hearts_course.student.submit import pack
from hearts_course.student.work import Form, find_work
from hearts_course.submissions.find import find_submissions
from hearts_course.submissions.read import read_found
from student_course import REFERENCE, files_of_at_most, student_course


@pytest.fixture
def stage(tmp_path):
    return student_course(tmp_path / "course").stages[0]


@pytest.fixture
def root(stage, tmp_path):
    return lay_out(Course(stage.root), tmp_path / "mine").root


def contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("form", "name"), [(Form.PY, "coins.py"), (Form.NOTEBOOK, "01-coins.ipynb")]
)
def test_the_zip_holds_just_the_program(root, stage, form, name):
    done = pack(root, find_work(root, stage, form))
    assert (done.path, done.members, done.new) == (root / "submissions/01-coins.zip", (name,), True)
    assert contents(done.path) == {name: (root / name).read_bytes()}


def test_the_same_work_makes_the_same_zip(root, stage):
    first = pack(root, find_work(root, stage)).path.read_bytes()
    (root / "submissions/01-coins.zip").unlink()
    (root / "coins.py").touch()
    assert pack(root, find_work(root, stage)).path.read_bytes() == first


def test_the_same_work_again_leaves_the_zip_alone(root, stage):
    pack(root, find_work(root, stage))
    done = pack(root, find_work(root, stage))
    assert (done.new, done.former) == (False, None)
    assert len(list((root / "submissions").iterdir())) == 1


def test_former_zips_are_kept_under_a_number(root, stage):
    for number in range(3):
        (root / "coins.py").write_text(f"{REFERENCE}# {number}\n", encoding="utf-8")
        done = pack(root, find_work(root, stage))
    assert done.former == root / "submissions/01-coins-2.zip"
    texts = [
        contents(root / "submissions" / name)["coins.py"].decode()[-2]
        for name in ("01-coins-1.zip", "01-coins-2.zip", "01-coins.zip")
    ]
    assert texts == ["0", "1", "2"]


def test_on_a_full_disk_the_former_zip_stays_and_no_part_of_a_new_one(root, stage):
    former = pack(root, find_work(root, stage)).path.read_bytes()
    (root / "coins.py").write_text(REFERENCE, encoding="utf-8")
    with files_of_at_most(100), pytest.raises(CourseError, match="File too large"):
        pack(root, find_work(root, stage))
    (left,) = (root / "submissions").iterdir()
    assert (left.name, left.read_bytes()) == ("01-coins.zip", former)


@pytest.mark.parametrize("form", Form)
def test_the_grader_takes_the_zip(root, stage, form, tmp_path):
    done = pack(root, find_work(root, stage, form))
    (tmp_path / "class/ada").mkdir(parents=True)
    done.path.rename(tmp_path / "class/ada/01-coins.zip")
    (slot,) = find_submissions(tmp_path / "class", Course(stage.root)).paths
    submission = read_found(slot)
    assert (submission.problem, submission.note) == ("", "")
    assert submission.modules == find_work(root, stage, form).modules
