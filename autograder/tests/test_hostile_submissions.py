"""Programs that are after points, hidden inputs, the machine or the grader; each in every sandbox.

Each gets exactly what its honest parts are worth, learns nothing, and leaves nothing: the class
around it is graded as if it had never been there.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hearts_course.boundary import program
from hearts_course.boundary.sandbox import PREFERENCE, works
from hearts_course.course import Stage
from hearts_course.grading.results import Result, Status
from hearts_course.grading.submission import Submission
from hearts_course.grading.work import Work, grade_one
from tiny_course import REFERENCE, STAGE_TOML, write_stage

SANDBOXES = [name for name in PREFERENCE if works(name)]
LIMITS = "[limits]\ntest_seconds = 1\nimport_seconds = 5\n\n[[task]]"
MARK = f"hostile-{os.getpid()}"  # in the command line of each process that a program starts
LEAK = "LEAK"

# What the far side is made of, as a program can reach it, and a way to write any bytes as answers.
FAR = """
import os, sys, time
SERVER, FIRST = sys.modules["farside.server"], []
ANSWER, RECEIVE, SEND = SERVER.Server.answer, SERVER.Channel.receive, SERVER.Channel.send
def receive(channel):
    FIRST[:] = [channel]
    question = RECEIVE(channel)
    if question["do"] == "begin":
        FIRST[1:] = [question["id"]]
    return question
SERVER.Channel.receive = receive
def raw(body):
    frame = len(body).to_bytes(4, "big") + body
    while frame:
        frame = frame[os.write(FIRST[0]._out, frame):]
def everywhere(function):
    SERVER.Server.answer = function
"""

# Whatever is asked about a coin's worth or a purse's total does this.
CALLED = """
def hostile(*args):
{}
Coin.worth, Purse.total, richest = property(hostile), hostile, hostile
"""


def called(*lines: str) -> str:
    return CALLED.format("\n".join(f"    {line}" for line in lines))


def answers(expression: str) -> str:
    return f"{FAR}everywhere(lambda server, question: {expression})\n"


def collides(tag: str, item: str) -> str:
    """A set or dict of numbers that share one hash: to build it takes the square of their count."""
    return f"""{FAR}
BODY = ",".join({item} for n in range(1, 40_000))
def answer(server, question):
    if question["do"] == "get" and question["name"] == "worth":
        raw(f'{{{{"id": {{question["id"]}}, "value": {{{{"{tag}": [{{BODY}}]}}}}}}}}'.encode())
        os._exit(0)
    return ANSWER(server, question)
everywhere(answer)
"""


# Each: what it tries, the lines after the reference, its honest score, how its five tests end
# (passed, failed, timeout, crashed, not reached: worth twice, purse, total, hidden richest).
ATTACKS = [
    ("answers True to everything", answers("{'id': question['id'], 'value': True}"), 0, "fffff"),
    ("answers an object to everything", answers(
        "{'id': question['id'], 'value': {'handle': -10**50, 'class': '<b>' * 9999}}"), 0, "fffff"),
    ("answers with somebody else's number", answers("{'id': True, 'value': 10}"), 0, "ccccc"),
    ("answers with no answer", answers("[1]"), 0, "ccccc"),
    ("answers every question twice", FAR + (
        "SERVER.Channel.send = lambda c, a: (SEND(c, a), SEND(c, a))\n"), 0, "ccccc"),
    ("answers ahead", FAR + (
        "SERVER.Channel.send = lambda channel, answer: (SEND(channel, answer),"
        " SEND(channel, {'id': answer['id'] + 1, 'value': 10}))\n"), 0, "ccccc"),
    ("claims an answer of 2 GiB", answers("os.write(FIRST[0]._out, bytes([127, 255, 255, 255]))"),
        0, "ccccc"),
    ("answers half a frame and leaves", answers(
        "(os.write(FIRST[0]._out, bytes([0, 0, 0, 9, 1])), os._exit(0))"), 0, "ccccc"),
    ("answers a nest of a million brackets", answers("raw(b'[' * 10**6)"), 0, "ccccc"),
    ("tells hidden inputs by where its JSON breaks", answers(
        "raw(b' ' * len(str(question)) + b'!')"), 0, "ccccc"),
    ("tells hidden inputs by how it says it ended", answers(
        "{'id': FIRST[1], 'ended': 'LEAK ' + str(question)}"), 0, "ccccc"),
    ("tells hidden inputs by its exit status", called("import os", "os._exit(len(str(args)))"),
        3, "ccpcc"),
    ("tells hidden inputs by a hash that raises", """
class Teller:
    told = None
    def __hash__(self):
        if self.told:
            raise ValueError("LEAK " + self.told)
        return 1
""" + called("teller = Teller()", "answer = {teller}", "teller.told = repr(args)", "return answer"),
        3, "ccpcc"),
    ("tells hidden inputs by what it raises", called("raise ValueError('LEAK', args)"), 3, "ffpff"),
    ("raises what means the end of a generator", called("raise StopIteration"), 3, "ffpff"),
    ("raises what means Ctrl-C", called("raise KeyboardInterrupt"), 3, "ccpcc"),
    ("raises what cannot be shown", "class Odd(BaseException):\n    def __str__(self):\n"
        "        raise MemoryError\n    __repr__ = __str__\n" + called("raise Odd"), 3, "ffpff"),
    ("raises markup, escapes and 100 kB", called(
        "raise type('\\x1b[31m<script>\\n', (Exception,), {})('\\x1b]0;x\\x07\\ud800' * 10**5)"),
        3, "ffpff"),
    ("lacks an attribute, then hangs when looked at", FAR + """
def answer(server, question):
    if question.get("name") == "__dict__":
        time.sleep(60)
    return ANSWER(server, question)
everywhere(answer)
del Coin.worth, Purse.total
""", 3, "ffpff"),
    ("stalls the grader with a set of colliding numbers", collides("set", "str(n * (2**61 - 1))"),
        4, "ccppp"),
    ("stalls the grader with a dict of colliding numbers",
        collides("dict", "f'[{n * (2**61 - 1)},1]'"), 4, "ccppp"),
    ("stalls the grader with a text to compare", called("return '10\\n1x\\n' * 300_000"),
        3, "ffpff"),
    ("takes what cannot be sent", called("me = []", "me.append(me)", "return me"), 3, "ffpff"),
    ("stops itself", "def richest(purses):\n    import os\n    os.kill(os.getpid(), 19)\n",
        5.5, "ppppt"),
    ("kills its parent", called("import os", "os.kill(os.getppid(), 9)", "return 5"), 3, "ffpff"),
    ("closes what it can", called("import os", "os.closerange(0, 99)"), 3, "ccpcc"),
    ("ignores every signal and loops", """
import signal
def richest(purses):
    for number in set(range(1, 65)) - {9, 19, 32, 33}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass
""", 5.5, "ppppt"),
    ("leaves a daemon behind", called("import os, time", "if os.fork() == 0:", "    os.setsid()",
        "    if os.fork() == 0:", "        time.sleep(99)", "    os._exit(0)", "return 5"),
        3, "ffpff"),
    ("starts threads on import", "import threading, time\n"
        "for _ in range(8):\n    threading.Thread(target=time.sleep, args=(99,)).start()\n",
        6, "ppppp"),
    ("empties the interpreter on import", "import sys, json\n"
        "json.dumps = lambda *a, **k: '{}'\nsys.modules.clear()\n", 0, "nnnnn"),
    ("fakes the end of its import", FAR + "import gc\n"
        "FIRST += [o for o in gc.get_objects() if isinstance(o, SERVER.Channel)]\n"
        "raw(b'{\"id\":1,\"value\":null}')\n", 0, "cnnnn"),
]  # fmt: skip


@pytest.fixture(name="stage", scope="module")
def _stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    quick = STAGE_TOML.replace("[[task]]", LIMITS, 1)
    return write_stage(tmp_path_factory.mktemp("course"), STAGE_TOML=quick)


@pytest.fixture(name="marked", autouse=True)
def _marked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    command = program.far_command()
    monkeypatch.setattr(program, "far_command", lambda: [*command, MARK])
    yield
    deadline = time.monotonic() + 2
    while left := processes():
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


def processes() -> list[str]:
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if MARK in line and line[0] != "Z"]


def grade(stage: Stage, source: str, sandbox: str) -> Result:
    return grade_one(Work(stage, Submission("eve", stage.name, {"coins": source}), sandbox))


def endings(result: Result) -> str:
    return "".join(test.outcome[0] for task in result.tasks for test in task.tests)


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize(
    ("lines", "score", "ends"), [attack[1:] for attack in ATTACKS], ids=[a[0] for a in ATTACKS]
)
def test_an_attack_gets_what_its_honest_parts_are_worth(
    stage: Stage, lines: str, score: float, ends: str, sandbox: str
) -> None:
    started = time.monotonic()
    result = grade(stage, f"{REFERENCE}\n{lines}", sandbox)
    assert (result.status, endings(result), result.score) == (Status.GRADED, ends, score)
    assert time.monotonic() - started < 20
    told = [result.message, *(t.message for task in result.tasks for t in task.tests if t.hidden)]
    assert not [text for text in told if LEAK in text or len(text) > 500 or "\n\n" in text]
    assert grade(stage, REFERENCE, sandbox).score == 6


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_verdict_is_one_line(stage: Stage, sandbox: str) -> None:
    result = grade(stage, "raise ValueError('a\\nb\\x1b[31m' * 10**5)", sandbox)
    assert len(result.message) <= 300
    assert result.message.isprintable()


REACH = """
import os, resource
DONE = []
def attempt(action, *args):
    try:
        DONE.append((action.__name__, action(*args)))
    except OSError:
        pass
attempt(os.chmod, {file!r}, 0)
attempt(os.utime, {file!r}, (1, 1))
attempt(os.chown, {file!r}, 1, 1)
attempt(os.setxattr, {file!r}, "user.note", b"hello")
attempt(os.truncate, {file!r}, 0)
attempt(os.unlink, {file!r})
attempt(os.kill, {process}, 9)
attempt(resource.prlimit, {process}, resource.RLIMIT_NOFILE, (3, 3))
attempt(os.sched_setaffinity, {process}, {{0}})
attempt(os.setpriority, os.PRIO_PROCESS, {process}, 15)
raise ValueError(DONE)
"""


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_neither_files_nor_processes_of_ours_can_be_touched(
    stage: Stage, tmp_path: Path, sandbox: str
) -> None:
    file = tmp_path / "grades.csv"
    file.write_text("ada,20")
    before = file.stat()
    with subprocess.Popen(["sleep", "20"]) as victim:
        source = REACH.format(file=str(file), process=victim.pid)
        assert grade(stage, source, sandbox).message.endswith("ValueError: []")
        victim.kill()
    assert (file.stat(), file.read_text()) == (before, "ada,20")
