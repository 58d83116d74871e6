"""Each worker keeps to one processor, and they spread over all there are."""

import os
import subprocess
import sys

import pytest
from hearts_course.grading.pool import least_taken, processors


def test_workers_take_a_processor_each():
    taken = []
    for _ in range(3):
        taken.append(least_taken([4, 5, 7], taken))
    assert sorted(taken) == [4, 5, 7]


def test_a_worker_takes_the_place_of_one_that_died():
    assert least_taken([0, 1, 2], [2, 0]) == 1


def test_more_workers_than_processors_share_them_evenly():
    taken = [0, 1, 1]
    assert least_taken([0, 1], taken) == 0


def test_two_graders_need_not_begin_with_the_same(monkeypatch):
    chosen = set()
    for pid in (100, 101):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        chosen.add(least_taken([0, 1], []))
    assert chosen == {0, 1}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_a_process_and_what_it_starts_stay_on_their_processor():
    last = processors()[-1]
    ask = "import os; print(sorted(os.sched_getaffinity(0)))"
    program = (
        "import subprocess, sys\n"
        "from hearts_course.grading.pool import stay_on\n"
        f"stay_on({last})\n"
        f"subprocess.run([sys.executable, '-c', {ask!r}], check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == f"[{last}]\n"
    assert processors()[-1] == last
