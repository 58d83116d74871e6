"""The tiny course, for the tests of this folder."""

import pytest
from tiny_class import course_with_starter


@pytest.fixture
def course(tmp_path):
    return course_with_starter(tmp_path / "course")


@pytest.fixture
def stage(course):
    return course.stages[0]
