import csv

import pytest
from hearts_course.reports.grades import grades_csv
from tiny_class import STAGE, course_with_starter, result


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path)


def test_grades_are_a_table(course):
    text = grades_csv([result(course, "Müller, Ada", 1), result(course, "bob")])
    assert list(csv.reader(text.splitlines())) == [
        ["student", "stage", "score", "max_score", "status"],
        ["Müller, Ada", STAGE, "2.0", "6", "graded"],
        ["bob", STAGE, "3.0", "6", "graded"],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "＝"])
def test_no_student_is_a_formula(course, start):
    text = grades_csv([result(course, start + 'cmd|"/c calc"!A1')])
    assert list(csv.reader(text.splitlines()))[1][0] == "'" + start + 'cmd|"/c calc"!A1'
