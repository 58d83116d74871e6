"""Measure how fast two sandboxed programs can still send bits to each other.

python autograder/tests/bench/bench_channels.py [--sandbox auto] [--bits 400]

The sender keeps a processor busy or idle, and the receiver notices. Both need only a clock, and no
filter can take the clock away. The rate is in bits a second, without the bits that an
error-correcting code needs.
"""

import argparse
import math
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hearts_course.course import Limits
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_grader.sandbox.backends import choose_sandbox

LIMITS = Limits(test_seconds=60, import_seconds=20, submission_seconds=90)
SLOTS = (0.002, 0.004, 0.008, 0.016)  # seconds for each bit; only the best result is printed
PROGRAM = """
import time

def spin(start, slot, bits):
    for number, bit in enumerate(bits):
        end = start + (number + 1) * slot
        if bit:
            while time.time() < end:
                pass
        else:
            time.sleep(max(0.0, end - time.time()))

def count(start, slot, many):
    counted = []
    while time.time() < start:
        pass
    for number in range(many):
        end, steps = start + (number + 1) * slot, 0
        while time.time() < end:
            steps += 1
        counted.append(steps)
    return counted
"""


def main() -> None:
    """Measure; print a line for two programs on one processor, and one for two processors."""
    parser = argparse.ArgumentParser(description="Measure what two sandboxes can tell each other.")
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--bits", type=int, default=400)
    options = parser.parse_args()
    sandbox = choose_sandbox(options.sandbox)
    rng = random.Random(1)
    bits = [rng.random() < 0.5 for _ in range(options.bits)]
    for where, processors in (("one processor", (0, 0)), ("two processors", (0, 1))):
        if max(processors) < (os.cpu_count() or 1):
            found = [by_processor(sandbox, bits, processors, slot) for slot in SLOTS]
            report(f"load, on {where}", *max(found))


def report(way: str, rate: float, errors: float) -> None:
    """Print the rate and the share of wrong bits."""
    print(f"{way:24} {rate:8.0f} bits a second, {errors:.0%} of them wrong before correction")


def by_processor(
    sandbox: str, bits: list[bool], processors: tuple[int, int], slot: float
) -> tuple[float, float]:
    """Return the rate, and the share of wrong bits, if each bit takes `slot` seconds.

    The sender computes for a 1 and sleeps for a 0. In the same time the receiver counts as far as
    it can: a low count means a 1.
    """
    with program(sandbox, processors[0]) as sender, program(sandbox, processors[1]) as receiver:
        start = time.time() + 0.5
        with ThreadPoolExecutor() as both:
            sending = both.submit(ask(sender, "spin"), start, slot, bits)
            counted = ask(receiver, "count")(start, slot, len(bits))
            sending.result()
    middle = sorted(counted)[len(counted) // 2]
    guessed = [steps < middle for steps in counted]
    return capacity(bits, guessed, len(bits) * slot)


def capacity(sent: list[bool], heard: list[bool], seconds: float) -> tuple[float, float]:
    """Return the bits a second that an error-correcting code carries, and the share of errors."""
    errors = sum(a != b for a, b in zip(sent, heard, strict=True)) / len(sent)
    errors = min(errors, 1 - errors)
    lost = -sum(p * math.log2(p) for p in (errors, 1 - errors) if p)
    return len(sent) / seconds * (1 - lost), errors


def program(sandbox: str, processor: int) -> SubmissionProcess:
    """Start PROGRAM in a new sandbox on this processor; return the process, ready for calls."""
    os.sched_setaffinity(0, {processor})
    started = SubmissionProcess({"talker": PROGRAM}, LIMITS, sandbox)
    started.load()
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    started.begin()
    return started


def ask(talker: SubmissionProcess, function: str) -> Callable[..., Any]:
    """Return the talker's function of this name."""
    return getattr(talker.connection.module("talker"), function)


if __name__ == "__main__":
    main()
