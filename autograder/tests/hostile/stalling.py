"""Attacks on time: programs that never end, or end just before the limit."""

from dataclasses import replace

from hostile.attack import HURRIED, NONE, ONE, SHOWN, Attack, beside, labels, whenever

LATE = "ppp ppptp"


def waits(aim, source, ends=LATE):
    return Attack(aim, source, ends, limits=HURRIED)


ATTACKS = [
    waits("loops under except, deaf to every signal", labels(
        "import signal", "for number in set(range(1, 65)) - {9, 19, 32, 33}:",
        "    signal.signal(number, signal.SIG_IGN)", "while True:", "    try:",
        "        while True:", "            pass", "    except:", "        pass")),
    waits("computes in C, where Python takes no signal", labels("return pow(3, 10**8)")),
    waits("searches a text that takes the square of its length and more", labels(
        "import re", "return re.match('(a+)+$', 'a' * 40 + 'b')")),
    waits("sleeps", labels("import time", "time.sleep(99)")),
    waits("reads the next question itself, which does not come", labels(
        "import os", "os.read(3, 3)", "os._exit(0)")),
    waits("stops itself in a test", labels("import os", "os.kill(os.getpid(), 19)")),
    waits("loops at import", "while True:\n    try:\n        pass\n    except:\n        pass\n",
        NONE),
    waits("loops when its objects are thrown away", beside("""
class Heavy:
    def __del__(self):
        while True:
            pass
def label(text):
    Heavy()
""")),
    waits("loops when a test is over", labels(
        "import os, time", "def loop(*status):", "    while True:", "        time.sleep(0.01)",
        "os._exit = loop", "return text[::-1]"), "ppp ppppp"),
    Attack("starts a thread, for the next process to have another number", labels(
        "import threading", "threading.Thread(target=print).start()", "return text[::-1]"), ONE),
    Attack("takes just its time with each answer, until the time for all is over", beside("""
import time
def late(token):
    time.sleep(0.55)
    return f"T{token.number}"
def total(bag):
    time.sleep(0.55)
    return 7
Token.__str__, Bag.total = late, total
"""), "ppp .....", limits=replace(HURRIED, test_seconds=0.3, submission_seconds=0.2)),
    waits("leaves a process that holds its pipes open", beside("""
import os, time
def label(text):
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
"""), ONE),
    Attack("asks at the keyboard", labels("return input()"), ONE),
    Attack("prints without end", labels("while True:", "    print('x' * 9999)"), ONE),
    Attack("answers with more than can be sent", labels("return 'x' * 10**8"), ONE),
    Attack("answers with a text that takes long to compare", labels("return '1x\\n' * 10**6"),
        ONE),
    Attack("counts without end where a length is asked", beside(
        "import itertools\nBag.__len__ = lambda self: sum(1 for _ in itertools.repeat(1, 10**7))\n"
        ), "ppp pp.pp"),
    Attack("raises an error of 100 MB, with a cause of its own", whenever(
        "try:", "    raise ValueError('x' * 10**8)", "except ValueError as error:",
        "    error.__cause__ = error", "    raise error"), SHOWN),
    Attack("raises what takes for ever to be shown", beside("""
class Slow(Exception):
    def __str__(self):
        while True:
            pass
def label(text):
    raise Slow
"""), LATE, limits=HURRIED),
]  # fmt: skip
