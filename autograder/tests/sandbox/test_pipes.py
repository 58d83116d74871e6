"""With `poll` and with threads, a frame arrives whole and in time, or not at all."""

import sys
import time

import pytest
from hearts_course.course import Limits
from hearts_course.sandbox.pipes import PolledPipes, TestEnded, ThreadedPipes
from hearts_course.sandbox.worker.protocol import (
    MAX_FRAME_BYTES,
    ProtocolError,
    from_json,
    to_frame,
)
from hearts_grader.sandbox.backends import start_bare

PREPARED = """
import os, sys, time
def frame(text): return len(text).to_bytes(4, "big") + text
def say(data):
    while data:
        data = data[os.write(1, data):]
def hear():
    size = int.from_bytes(os.read(0, 4), "big")
    data = b""
    while len(data) < size:
        data += os.read(0, size - len(data))
    return data
"""
SOON = 10.0


@pytest.fixture(params=[PolledPipes, ThreadedPipes])
def opened(request):
    """Return a function that starts a process with the given code, and returns the pipes to it."""
    pipes = []

    def open_to(code):
        process = start_bare([sys.executable, "-S", "-c", PREPARED + code], Limits())
        pipes.append(request.param(process))
        return pipes[-1]

    yield open_to
    for one in pipes:
        one.close()


def receive(pipes, seconds=SOON):
    return from_json(pipes.receive(time.monotonic() + seconds))


def test_frames_pass_both_ways_at_once_also_larger_than_a_pipe(opened):
    pipes = opened("while True: say(frame(hear()))")
    for message in ({"id": 1}, [None, True, "♥" * 1000]):
        pipes.send(to_frame(message))
        assert receive(pipes) == message
    message = "x" * (MAX_FRAME_BYTES - 100)
    for _ in range(3):
        pipes.send(to_frame(message))
    assert [receive(pipes) for _ in range(3)] == [message] * 3


def test_a_frame_may_come_byte_by_byte(opened):
    code = "for byte in frame(b'[1, 2]'): say(bytes([byte])); time.sleep(0.001)"
    assert receive(opened(code)) == [1, 2]


TRICKLE = "say((1000).to_bytes(4, 'big'))\nwhile True: say(b' '); time.sleep(0.01)"


@pytest.mark.parametrize("code", ["time.sleep(60)", TRICKLE])
def test_silence_and_a_trickle_end_at_the_deadline(opened, code):
    with pytest.raises(TimeoutError):
        receive(opened(code), 0.3)


def test_error_output_of_the_sandbox_does_not_delay_an_answer(opened):
    assert receive(opened("os.write(2, b'x' * 50000); say(frame(b'1'))")) == 1


TELLS = """
say(frame(b'1'))
hear()
say(frame(b'2') + b'half of an answer')
os.write(2, frame(b'"ended"'))
hear()
say(frame(b'3'))
time.sleep(60)
"""


def test_the_end_of_a_test_comes_by_its_own_pipe():
    process = start_bare([sys.executable, "-S", "-c", PREPARED + TELLS], Limits())
    pipes = PolledPipes(process)
    try:
        assert receive(pipes) == 1
        pipes.start_conversation()
        pipes.send(to_frame({}))
        assert receive(pipes) == 2  # this answer came before the end of the test
        with pytest.raises((TestEnded, ProtocolError)):
            receive(pipes)
        assert pipes.end_of_test(time.monotonic() + SOON) == "ended"
        pipes.send(to_frame({}))
        assert receive(pipes) == 3  # the half answer before the end was dropped
    finally:
        pipes.close()


def test_the_end_of_the_process_is_noticed(opened):
    pipes = opened("")
    for _ in range(2):
        with pytest.raises(EOFError):
            receive(pipes)
        pipes.send(to_frame({}))


@pytest.mark.parametrize("said", ["b'\\xff\\xff\\xff\\xff'", "frame(b'no json')"])
def test_nonsense_is_not_silence(opened, said):
    with pytest.raises(ProtocolError):
        receive(opened(f"say({said}); time.sleep(60)"))
