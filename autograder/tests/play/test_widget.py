"""The card table as a widget, without a notebook around it."""

import random

import pytest
from hearts_course.view.sitting import Sitting

pytest.importorskip("anywidget")
pytestmark = pytest.mark.filterwarnings("default")  # of the widget library, not ours


@pytest.fixture
def table():
    from hearts_course.view.widget import CardTable

    names = {
        "BOOKS": {"ONE": 1},
        "new_table": lambda book, chance: 1,
        "show": lambda table: {"prompt": str(table)},
        "click": lambda table, event, chance: min(table + event["click"], 3),
    }
    return CardTable(Sitting(names, random.Random(7)))


def hear(table, event, **more):
    table._handle(table, {"event": event, **more}, [])
    return table.view["prompt"], table.version


def test_an_event_makes_the_next_view(table):
    assert (table.view, table.version) == ({"prompt": "1"}, 0)
    assert hear(table, {"click": 1}) == ("2", 1)


def test_an_event_that_changes_nothing_makes_no_new_view(table):
    assert hear(table, {"click": 2}) == ("3", 1)
    assert hear(table, {"click": 2}) == ("3", 1)


def test_a_table_that_is_shown_twice_goes_on_once(table):
    assert hear(table, {"click": 1}, auto=True, version=0) == ("2", 1)
    assert hear(table, {"click": 1}, auto=True, version=0) == ("2", 1)
    assert hear(table, {"click": 1}, auto=True, version=1) == ("3", 2)


def test_what_the_browser_runs_comes_along(table):
    assert "export default" in table._esm
    assert ".hc" in table._css
