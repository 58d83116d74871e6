"""In every stage, `hearts reset TASK` makes this task blank again and no other."""

import pytest
from hearts_course.course import find_course
from hearts_course.student.reset import with_blanks
from hearts_course.submissions.untouched import untouched_tasks
from proofs import proofs_after

STAGES = find_course().stages


@pytest.mark.parametrize("stage", proofs_after(3, STAGES), ids=[stage.name for stage in STAGES])
def test_every_task_of_the_course_can_begin_again_alone(stage):
    blanks = {name for task in stage.tasks for name in task.blanks}
    starter = stage.starter()
    untouched = untouched_tasks(stage, stage.reference())
    for task in stage.tasks:
        modules = {
            name: with_blanks(text, starter[name], task.blanks, blanks)
            for name, text in stage.reference().items()
        }
        begun = {
            other_task.id
            for other_task in stage.tasks
            if other_task.blanks and {*other_task.blanks} <= {*task.blanks}
        }
        assert untouched_tasks(stage, modules) == untouched | begun  # tasks may share blanks
    assert not untouched
    assert untouched_tasks(stage, starter) == {task.id for task in stage.tasks}


def test_two_missing_methods_go_back_into_their_own_classes():
    starter = (
        "class A:\n    def a(self):\n        ...\n\n\nclass B:\n    def b(self):\n        ...\n"
    )
    text = "class A:\n    pass\n\n\nclass B:\n    pass\n"
    names = ("A.a", "B.b")
    put_back = with_blanks(text, starter, names, names)
    assert put_back == starter.replace("class A:\n", "class A:\n    pass\n\n").replace(
        "class B:\n", "class B:\n    pass\n\n"
    )
