"""A sandbox that was started early runs one program. If the limits differ, it is ended unused."""

import os
from dataclasses import replace

import pytest
from hearts_course.course import Limits
from hearts_course.sandbox import pipes
from hearts_course.sandbox.processors import processors
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.rlimits import stay_on
from hearts_grader.sandbox.ahead import Ahead
from machine import sandboxes

LIMITS = Limits()
SANDBOXES = sandboxes()


@pytest.fixture(params=SANDBOXES)
def sandbox(request):
    return request.param


def test_a_program_uses_it_and_the_next_one_gets_another(sandbox):
    waiting = Ahead(processors())
    for number in (1, 2):
        waiting.start(sandbox, LIMITS)
        early = waiting.take(sandbox, LIMITS)
        assert early is not None
        modules = {"m": f"def number():\n    return {number}\n"}
        with SubmissionProcess(modules, LIMITS, sandbox, early=early) as program:
            program.begin()
            assert program.connection.module("m").number() == number
    assert waiting.take(sandbox, LIMITS) is None


def test_one_of_another_kind_is_ended(sandbox):
    before = set(pipes.running)
    waiting = Ahead(processors())
    waiting.start(sandbox, LIMITS)
    waiting.start(sandbox, LIMITS)
    assert len(pipes.running - before) == 1
    assert waiting.take(sandbox, replace(LIMITS, processes=LIMITS.processes + 1)) is None
    assert pipes.running == before


def test_one_that_was_killed_meanwhile_costs_no_program_anything(sandbox):
    waiting = Ahead(processors())
    waiting.start(sandbox, LIMITS)
    early = waiting.take(sandbox, LIMITS)
    early.kill()
    with SubmissionProcess({"m": "x = 1\n"}, LIMITS, sandbox, early=early) as program:
        program.begin()
        assert program.connection.module("m").x == 1


def test_if_none_can_be_started_none_waits(monkeypatch):
    monkeypatch.setenv("PATH", "")  # bwrap cannot be found on this path
    waiting = Ahead(processors())
    waiting.start("bwrap", LIMITS)
    assert waiting.take("bwrap", LIMITS) is None


@pytest.mark.skipif(len(processors()) < 2, reason="needs two processors")
def test_it_starts_anywhere_and_then_stays_with_its_grader(sandbox):
    there = processors()
    modules = {"m": "import os\n\ndef where():\n    return sorted(os.sched_getaffinity(0))\n"}
    waiting = Ahead(there)
    try:
        stay_on(there[:1])
        waiting.start(sandbox, LIMITS)
        assert processors() == there[:1]
        early = waiting.take(sandbox, LIMITS)
        assert sorted(os.sched_getaffinity(early._process.pid)) == there
        with SubmissionProcess(modules, LIMITS, sandbox, early=early) as program:
            program.begin()
            assert program.connection.module("m").where() == there[:1]
    finally:
        stay_on(there)
