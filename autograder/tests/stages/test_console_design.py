"""In stage 04, a message gives the right reason if Python cannot parse a module or open a file."""

import pytest
from hearts_course.course import find_course
from hearts_course.testing.in_process import check_program
from references import module_at

STAGE = find_course().stage("04-console-game")
DESIGN = module_at(STAGE.assignment / "test_design.py")
NESTED = "is an expression nested hundreds of times?"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(:\n", "Python cannot read own_tests.py, line 1: invalid syntax"),
        ("x = 1\n y = 2\n", "Python cannot read own_tests.py, line 2: unexpected indent"),
        ("x = '\0'\n", "Python cannot read own_tests.py"),
        ("-" * 100_000 + "1\n", f"Python cannot read own_tests.py: {NESTED}"),
    ],
)
def test_only_a_parser_that_runs_out_of_room_asks_about_nesting(text, told):
    with pytest.raises(pytest.fail.Exception) as failed:
        DESIGN.tree_of({"own_tests": text}, "own_tests")
    assert str(failed.value).startswith(told)
    assert (NESTED in str(failed.value)) is (NESTED in told)


def test_a_test_of_the_student_that_opens_a_file_learns_that_none_need_be_there():
    modules = find_course().whole_reference(STAGE)
    modules["own_tests"] += "\n\ndef test_text():\n    assert open('no.txt').read()\n"
    result = check_program(STAGE, modules, tasks=["test-the-table"])
    messages = [test.message for task in result.tasks for test in task.tests]
    reason = "'no.txt'; your files need not be there when a check runs your test"
    assert any(reason in message for message in messages)
