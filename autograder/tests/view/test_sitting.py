"""A program's card table: what its view shows, and which errors of a program do not break it."""

import pytest
from hearts_course.errors import UsageError
from hearts_course.view.players import Chance
from hearts_course.view.sitting import Sitting

COUNTER = {
    "BOOKS": {"ONE": 1, "TEN": 10},
    "new_table": lambda book, chance: {"ONE": 1, "TEN": 10}[book],
    "show": lambda table: {"prompt": str(table)},
    "click": lambda table, event, chance: table + event["click"],
}


def sitting(**other):
    return Sitting(COUNTER | other, Chance(7))


def not_written(*_):
    raise NotImplementedError("Task 9: Answer every click")


def test_a_game_begins_with_the_first_rule_book_and_events_go_on_from_it():
    counter = sitting()
    assert counter.view == {"prompt": "1"}
    for _ in range(3):
        counter.handle({"click": 2})
    assert counter.view == {"prompt": "7"}


def test_the_program_gets_the_random_generator():
    draws = sitting(click=lambda table, event, chance: chance.random())
    draws.handle({})
    assert draws.view == {"prompt": str(Chance(7).random())}


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


def test_an_unwritten_function_is_named_with_its_task():
    counter = sitting(click=not_written)
    counter.handle({"click": 1})
    assert counter.view["fault"].startswith("not written yet: Task 9: Answer every click (in ")


def test_a_program_cannot_change_a_view_later():
    hand = ["QS"]
    counter = sitting(show=lambda table: {"hand": hand})
    hand.clear()
    assert counter.view == {"hand": ["QS"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *[({"show": lambda _, v=view: v}, "TypeError") for view in (None, [], {"hand": {1, 2}})],
        ({"new_table": not_written}, "not written yet: Task 9"),
        *[({"BOOKS": b}, "^TypeError: BOOKS is not a dict of rule books$") for b in ({}, None, 3)],
    ],
)
def test_a_program_without_a_usable_table_is_refused(changes, message):
    with pytest.raises(UsageError, match=message):
        sitting(**changes)


@pytest.mark.parametrize("name", COUNTER)
def test_a_program_without_a_needed_name_is_refused(name):
    names = {other: value for other, value in COUNTER.items() if other != name}
    with pytest.raises(UsageError, match=f"`{name}` does not exist yet"):
        Sitting(names, Chance(7))


@pytest.mark.filterwarnings("default")  # the widget library may warn
def test_the_widget_counts_views_and_ignores_what_is_repeated():
    pytest.importorskip("anywidget")
    from hearts_course.view.widget import CardTable

    table = CardTable(sitting(click=lambda table, event, _: min(table + event["click"], 4)))

    def send(event, **more):
        table._handle(table, {"event": event, **more}, [])
        return table.view["prompt"], table.version

    assert send({"click": 1}, auto=True, version=0) == ("2", 1)
    # Another copy of the widget sends the same automatic event for version 0. It counts only once.
    assert send({"click": 1}, auto=True, version=0) == ("2", 1)
    assert send({"click": 1}, auto=True, version=1) == ("3", 2)
    assert send({"click": 5}) == ("4", 3)
    assert send({"click": 5}) == ("4", 3)  # the view stays the same
    assert "export default" in table._esm
    assert ".hc" in table._css


TABLE = {  # a click on a card plays it; a click on "next" draws the card of a computer player
    "BOOKS": {"ONE": 0},
    "new_table": lambda book, chance: (),
    "show": lambda cards: {
        "phase": "playing" if cards else "scored",
        "books": [{"new": "ONE", "label": "One", "chosen": True}],
        "trick": [{"card": card} for card in cards[max(0, len(cards) - 1) // 4 * 4 :]],
    },
    "click": lambda cards, event, chance: (
        (*cards, chance.choice(["4D", "KD"]) if event["click"] == "next" else event["click"])
    ),
}


def test_a_finished_table_offers_the_kinds_of_computer_players():
    table = Sitting(TABLE, Chance(7))
    offered = [(kind["opponent"], kind["chosen"]) for kind in table.view["opponents"]]
    assert offered == [
        ("random", False),
        ("cautious", True),
        ("counter", False),
        ("sampler", False),
    ]
    table.handle({"opponent": "counter"})
    assert [kind["opponent"] for kind in table.view["opponents"] if kind["chosen"]] == ["counter"]
    table.handle({"opponent": "counter of beans"})  # the program gets this unknown event
    assert table.view["fault"].startswith("KeyError")


@pytest.mark.parametrize(
    ("kind", "gone", "card"),
    [
        ("cautious", [], "4D"),
        ("counter", [], "KD"),  # nine diamonds are unseen: play high
        ("counter", ["5D", "6D", "7D", "8D"], "4D"),  # five are unseen: play low
    ],
)
def test_the_chosen_kind_plays_and_knows_what_the_deal_has_shown(kind, gone, card):
    table = Sitting(TABLE, Chance(7))
    table.handle({"opponent": kind})
    for code in [*gone, "2D", "9D", "3D"][: len(gone) + 2]:
        table.handle({"click": code})
    table.handle({"click": "next"})
    assert table.view["trick"][-1] == {"card": card}
