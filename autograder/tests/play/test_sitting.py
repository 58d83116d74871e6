"""Somebody at a card table: what reaches the view, and what a wrong program cannot break."""

import random

import pytest
from hearts_course.errors import UsageError
from hearts_course.view.sitting import Sitting

COUNTER = {
    "BOOKS": {"ONE": 1, "TEN": 10},
    "new_table": lambda book, chance: {"ONE": 1, "TEN": 10}[book],
    "show": lambda table: {"prompt": str(table)},
    "click": lambda table, event, chance: table + event["click"],
}


def sitting(**other):
    return Sitting(COUNTER | other, random.Random(7))


def test_a_new_game_by_the_first_rule_book_is_shown():
    assert sitting().view == {"prompt": "1"}


def test_every_event_goes_on_from_the_last_table():
    counter = sitting()
    for _ in range(3):
        counter.handle({"click": 2})
    assert counter.view == {"prompt": "7"}


def test_chance_is_handed_on():
    draws = sitting(click=lambda table, event, chance: chance.random())
    draws.handle({})
    assert draws.view == {"prompt": str(random.Random(7).random())}


def test_an_error_is_a_line_of_the_view_and_the_table_stays():
    counter = sitting()
    counter.handle({"click": 2})
    counter.handle({"click": "two"})
    assert counter.view["prompt"] == "3"
    assert counter.view["fault"].startswith("TypeError: unsupported operand")
    assert "(in <lambda>, line " in counter.view["fault"]
    counter.handle({"click": 2})
    assert counter.view == {"prompt": "5"}


def test_a_table_that_cannot_be_shown_is_not_kept():
    counter = sitting(show=lambda table: {"prompt": str(9 // (3 - table))})
    counter.handle({"click": 2})
    assert counter.view["fault"].startswith("ZeroDivisionError")
    counter.handle({"click": 1})
    assert counter.view == {"prompt": "9"}


def test_what_is_not_written_is_said_to_be_so():
    def click(table, event, chance):
        raise NotImplementedError("Task 9: Answer every click")

    counter = sitting(click=click)
    counter.handle({"click": 1})
    assert counter.view["fault"].startswith("not written yet: Task 9: Answer every click (in click")


@pytest.mark.parametrize("view", [None, [], {"prompt": object()}, {"hand": {1, 2}}])
def test_a_view_is_a_dictionary_of_plain_values(view):
    with pytest.raises(UsageError, match="TypeError"):
        sitting(show=lambda table: view)


def test_the_program_cannot_change_a_view_afterwards():
    hand = ["QS"]
    counter = sitting(show=lambda table: {"hand": hand})
    hand.clear()
    assert counter.view == {"hand": ["QS"]}


@pytest.mark.parametrize("name", ["BOOKS", "new_table", "show", "click"])
def test_a_program_without_a_needed_name_is_refused(name):
    names = {other: value for other, value in COUNTER.items() if other != name}
    with pytest.raises(UsageError, match=f"`{name}` does not exist yet"):
        Sitting(names, random.Random(7))


def test_a_program_that_has_no_new_table_yet_is_refused():
    def new_table(book, chance):
        raise NotImplementedError("Task 9: Answer every click")

    with pytest.raises(UsageError, match="not written yet: Task 9"):
        sitting(new_table=new_table)


@pytest.mark.parametrize(
    ("books", "said"),
    [
        ({}, "ValueError: BOOKS holds no rule book"),
        (None, "TypeError: BOOKS is NoneType, not a dict of rule books"),
        (3, "TypeError: BOOKS is int, not a dict of rule books"),
    ],
)
def test_a_program_without_a_rule_book_is_refused(books, said):
    with pytest.raises(UsageError, match=f"^{said}$"):
        sitting(BOOKS=books)
