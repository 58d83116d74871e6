"""Which tasks still have the starter's definitions."""

import pytest
from hearts_course.course import Stage, Task
from hearts_course.student.work import untouched_tasks

STARTER = '''\
class Card:
    """A card."""

    def text(self):
        raise NotImplementedError("Task 2")


def deal():
    raise NotImplementedError("Task 3")
'''
TASKS = tuple(Task(n, n, 1, (b,)) for n, b in [("make", "Card"), ("write", "Card.text")])
TASKS += (Task("deal", "deal", 1, ("deal",)),)


@pytest.fixture
def stage(tmp_path):
    stage = Stage("01-cards", tmp_path, "Cards", ("cards.py",), TASKS, "all", "1")
    stage.assignment.mkdir(parents=True)
    (stage.assignment / "cards.py").write_text(STARTER, encoding="utf-8")
    return stage


@pytest.mark.parametrize(
    ("was", "becomes", "left"),
    [
        ("", "", {"make", "write", "deal"}),
        ('"""A card."""', '"""A card."""\n    suit = "S"', {"write", "deal"}),
        ("class Card:", "class Card(tuple):", {"write", "deal"}),
        ('raise NotImplementedError("Task 2")', 'return "QS"', {"make", "deal"}),
        ("    def text", "\n\n\n    def text", {"make", "write", "deal"}),
        ("def deal():", "def give():", {"make", "write"}),
        ("def deal():", "def deal(players=4):", {"make", "write"}),
        ("class Card:", "def broken(:", set()),
        ("class Card:", "\0", set()),
    ],
)
def test_a_task_is_untouched_until_one_of_its_own_definitions_changes(stage, was, becomes, left):
    assert untouched_tasks(stage, {"cards": STARTER.replace(was, becomes, 1)}) == left


def test_a_module_that_is_not_there_is_not_untouched(stage):
    assert untouched_tasks(stage, {}) == set()
