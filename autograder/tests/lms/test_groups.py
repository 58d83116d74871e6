"""A group may have the name of a student, because on some platforms students choose the names."""

import pytest
from hearts_course.submissions.find import find_submissions
from hearts_grader.lms.groups import grouped, read_groups
from tiny_class import STAGE, put
from tiny_course import REFERENCE, write_course

CANVAS = "name,login_id,group_name\nAda,ada,carl\nBob,bob,carl\nCarl,carl,\n"
OWN_GROUP_FIRST = "group,student\nteam 2,carl\ncarl,ada\ncarl,bob\n"
OWN_GROUP_LAST = "group,student\ncarl,ada\ncarl,bob\nteam 2,carl\n"
BOTH = "groups.csv: carl is the name of a group and of a student, whose folder this is"


@pytest.fixture
def course(tmp_path):
    return write_course(tmp_path / "course")


@pytest.fixture
def handed_in(course, tmp_path):
    """Return a function that submits a program for each student, with `table` as `groups.csv`.

    The function returns the submissions' layout, in which groups share a program.
    """

    def handed_in(table, *students):
        for student in students:
            put(tmp_path / "class" / student / STAGE, {"coins.py": f"{REFERENCE}# {student}\n"})
        (tmp_path / "class/groups.csv").write_text(table)
        return grouped(find_submissions(tmp_path / "class", course), course)

    return handed_in


def authors(layout):
    """Map each student to the name of the folder that holds the student's program."""
    return {path.student: path.path.parent.name for path in layout.paths if path.path}


@pytest.mark.parametrize("table", [CANVAS, OWN_GROUP_FIRST, OWN_GROUP_LAST])
def test_a_group_called_like_a_student_does_not_get_the_student_s_program(handed_in, table):
    layout = handed_in(table, "ada", "carl")
    assert authors(layout) == {"ada": "ada", "bob": "ada", "carl": "carl"}
    assert BOTH in layout.warnings


def test_a_group_may_be_called_like_its_member(handed_in):
    layout = handed_in("group,student\nada,ada\nada,bob\n", "ada")
    assert authors(layout) == {"ada": "ada", "bob": "ada"}
    assert not [line for line in layout.warnings if "whose folder" in line]


def test_a_folder_may_be_called_like_a_group(handed_in):
    assert authors(handed_in("group,student\np1,ada\np1,bob\n", "p1")) == {"ada": "p1", "bob": "p1"}


def test_a_platform_s_name_that_is_a_student_s_means_the_student(course, tmp_path):
    file = tmp_path / "groups.csv"
    file.write_text(
        'group,student\nTeam One,ada\nTeam One,bob\n"Lovelace, Ada",cyd\n,lovelaceada\n'
    )
    groups = read_groups(file, course)
    assert groups.called("teamone") == "Team One"
    assert groups.called("lovelaceada") == ""
