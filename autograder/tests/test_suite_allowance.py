"""How long a run may take on a machine that has other work, too."""

import pytest
from hearts_course.boundary.program import PATIENCE
from hearts_course.suite import allowance
from hearts_course.suite.allowance import Allowance


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Sets the clock, and for how long something has waited for a processor; both in seconds."""

    def at(clock, waited):
        micro = round(waited * 1e6)
        pressure.write_text(
            f"some avg10=1.00 avg60=0.80 avg300=0.20 total={micro}\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
        )
        monkeypatch.setattr(allowance.time, "monotonic", lambda: clock)

    pressure = tmp_path / "cpu"
    monkeypatch.setattr(allowance, "PRESSURE", pressure)
    return at


def test_on_a_quiet_machine_all_time_counts(machine):
    machine(100, 7)
    time = Allowance(30)
    machine(130, 7)
    assert not time.is_used_up()
    machine(130.1, 7)
    assert time.is_used_up()


def test_what_is_left(machine):
    machine(100, 7)
    time = Allowance(30)
    machine(120, 7)
    assert time.left() == 10
    machine(150, 28)
    assert time.left() == 1


def test_what_other_work_costs_does_not_count(machine):
    machine(100, 7)
    time = Allowance(30)
    machine(150, 27.5)
    assert not time.is_used_up()
    machine(151, 27.5)
    assert time.is_used_up()


def test_nobody_has_more_than_so_much_by_the_clock(machine):
    machine(100, 7)
    time = Allowance(30)
    machine(100 + PATIENCE * 30, 7 + PATIENCE * 30)
    assert not time.is_used_up()
    machine(100.1 + PATIENCE * 30, 7.1 + PATIENCE * 30)
    assert time.is_used_up()


@pytest.mark.parametrize("text", [None, "", "some nonsense\n"])
def test_where_nothing_is_told_all_time_counts(machine, text, monkeypatch, tmp_path):
    machine(100, 7)
    pressure = tmp_path / "other"
    if text is not None:
        pressure.write_text(text)
    monkeypatch.setattr(allowance, "PRESSURE", pressure)
    time = Allowance(30)
    machine(130.1, 27)
    assert time.is_used_up()


def test_what_is_ours_does_not_count(machine):
    machine(100, 7)
    time = Allowance(30)
    with time.paused():
        machine(150, 9)
    machine(180, 9)
    assert time.left() == 0
    machine(180.1, 9)
    assert time.is_used_up()
