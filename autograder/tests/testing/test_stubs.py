"""A message shows which task is unwritten: in a script, a design check or a student's own test."""

import pytest
from hearts_course.testing.stubs import stub_shown
from student_course import SECOND_STAGE, two_stages


@pytest.mark.parametrize(
    ("message", "stage", "number"),
    [
        (
            "  came back    the error NotImplementedError: Task 1: Savings, and exit status 1\n"
            "  expected     no error, and exit status 0",
            "02-bank",
            1,
        ),
        ("  found        test_x fails: NotImplementedError: Task 2: A purse", "01-coins", 2),
        (
            '  found        bank.py, line 9 (raise NotImplementedError("Task 2: A pu ...): '
            "not written yet",
            "01-coins",
            2,
        ),
        (
            "  found        test_x fails: NotImplementedError: Task 2: A purse\n"
            "  found        and 3 more",
            "01-coins",
            2,
        ),
        ("  found        bank.py, line 1 (): not written yet", "02-bank", 0),
    ],
)
def test_a_message_shows_the_unwritten_definition_that_was_met(tmp_path, message, stage, number):
    first, second = two_stages(tmp_path, SECOND_STAGE).stages
    stub = stub_shown(message, (second, first))
    assert stub is not None
    assert (stub.stage.name, stub.number) == (stage, number)


@pytest.mark.parametrize(
    "message",
    [
        "  came back    1",
        "  raised       NotImplementedError: nothing of the course",
        "  found        test_x fails: NotImplementedError: Task 2: A purse\n"
        "  found        test_y fails: AssertionError",
        "  found        test_x fails: NotImplementedError: Task 2: Another title",
    ],
)
def test_a_message_may_show_another_fault(tmp_path, message):
    first, second = two_stages(tmp_path, SECOND_STAGE).stages
    assert stub_shown(message, (second, first)) is None
