"""A submission's process is timed, killed and restarted, in each sandbox of this machine.

The probes of `hearts doctor` and the hostile submissions prove what the process cannot reach.
"""

import sys
import time
from itertools import pairwise

import psutil
import pytest
from hearts_course.course import Limits
from hearts_course.errors import NoSandbox, NotStarted, UsageError
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.client import MAX_REMEMBERED_BYTES
from hearts_course.sandbox.imports import describe_failed_import
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker import kernel, script
from hearts_course.sandbox.worker.protocol import MAX_ANSWERS_BYTES
from hearts_grader.sandbox.backends import choose_sandbox
from machine import sandboxes
from surroundings import no_sandbox_works, without_processes, workers_run

LIMITS = Limits(test_seconds=0.5, import_seconds=5.0)
PROGRAM = """
import os, signal, sys, time
COUNT = []

def count():
    COUNT.append(1)
    return len(COUNT)

def loop():
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        try:
            while True:
                pass
        except:
            pass

def wait():
    time.sleep(99)

def leave():
    os._exit(0)

def leave_politely():
    sys.exit(3)

def interrupt():
    raise KeyboardInterrupt

def kill_itself():
    os.kill(os.getpid(), 9)

def print_hello():
    print("hello")
    return "said"

def take(size):
    return len(bytearray(size))

def recurse():
    return recurse()

def huge():
    return "x" * 10**7

def text(size):
    return "x" * size

def variables():
    return list(os.environ)

def ask():
    return input()

def speak(text):
    for number in range(3, 20):
        try:
            os.write(number, text)
        except OSError:
            pass
    return 1

def signal_host():
    os.kill(os.getppid(), signal.SIGTERM)

def fork():
    return os.fork()

def descriptors():
    found = []
    for number in range(64):
        try:
            os.close(os.dup(number))
            found.append(number)
        except OSError:
            pass
    return found

if __name__ == "__main__":
    print(descriptors())
    try:
        fork()
    except OSError as error:
        print(error.strerror)
"""


@pytest.fixture(name="program", params=[*sandboxes(), "none"])
def _program(request):
    with SubmissionProcess(
        {"m": PROGRAM, "n": "from m import *"}, LIMITS, request.param
    ) as program:
        yield program


def ask(program, function, *args):
    program.begin()
    try:
        return getattr(program.connection.module("m"), function)(*args)
    finally:
        program.end()


def test_each_test_has_a_freshly_imported_program(program):
    assert [ask(program, "count") for _ in range(3)] == [1, 1, 1]


def test_all_answers_of_a_test_together_have_a_limit(program):
    size = MAX_ANSWERS_BYTES // 5
    for _ in range(2):  # each test has its own limit
        program.begin()
        module = program.connection.module("m")
        for _ in range(4):
            assert module.text(size) == "x" * size
        texts = [value for _, value in program.connection.answers if type(value) is str]
        assert size <= sum(map(len, texts)) <= MAX_REMEMBERED_BYTES < 4 * size
        with pytest.raises(SubmissionStopped, match="more than 8 MiB in one test") as caught:
            module.text(size)
        assert caught.value.kind == "crashed"
        program.end()


@pytest.mark.parametrize("sandbox", sandboxes())
def test_a_process_number_does_not_count_the_tests_before_it(sandbox):
    with SubmissionProcess({"m": PROGRAM}, LIMITS, sandbox) as program:
        numbers = []
        for _ in range(8):
            program.begin()
            numbers.append(program.connection.standard("os").getpid())
            program.end()
    assert len({after - before for before, after in pairwise(numbers)}) > 1


def test_without_fork_tests_share_one_process():
    with SubmissionProcess({"m": PROGRAM}, LIMITS, "none", fork=False) as program:
        assert [ask(program, "count") for _ in range(3)] == [1, 2, 3]
        program.begin()
        for _ in range(2):
            assert program.variant({"m": PROGRAM}).connection.module("m").count() == 1
        program.end()
        with pytest.raises(SubmissionStopped):
            ask(program, "loop")
        assert ask(program, "count") == 1


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        ("loop", "timeout", "took longer than 0.5 s"),
        ("wait", "timeout", "took longer than 0.5 s"),
        ("leave", "crashed", "ended by itself"),
    ],
)
def test_a_program_that_stops_answering_ends_its_test_alone(program, function, kind, text):
    with pytest.raises(SubmissionStopped, match=text) as stopped:
        ask(program, function)
    assert stopped.value.kind == kind
    assert ask(program, "print_hello") == "said"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        ("leave_politely", "SystemExit"),
        ("interrupt", "KeyboardInterrupt"),
        ("recurse", "RecursionError"),
        ("huge", "ProtocolError"),
        ("ask", "EOFError"),
    ],
)
def test_exceptions_of_a_call_are_the_program_s_errors(program, function, kind):
    with pytest.raises(RemoteError) as caught:
        ask(program, function)
    assert caught.value.kind == kind


def test_memory_is_limited(program):
    with pytest.raises(MemoryError):
        ask(program, "take", 2 * 2**30)
    assert ask(program, "take", 2**20) == 2**20


FORGED = b'{"id":3,"value":true}'


@pytest.mark.parametrize(
    "text", [b"x" * 100, b"\xff\xff\xff\xff", len(FORGED).to_bytes(4, "big") + FORGED]
)
def test_a_program_that_writes_into_the_protocol_fails_only_itself(program, text):
    with pytest.raises(SubmissionStopped, match=r"unreadable answer|took longer"):
        ask(program, "speak", text)
    assert ask(program, "print_hello") == "said"


def test_a_program_does_not_see_our_environment(program, monkeypatch):
    monkeypatch.setenv("SECRET", "42")
    given = {"PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "LC_ALL", "LC_CTYPE", "PWD"}
    standard = {"PATH", "HOME", "USER", "TERM", "LANG"}
    assert set(ask(program, "variables")) <= given | standard


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def f(:", "m.py, line 2 (def f(:): Python cannot read this: invalid syntax"),
        ("x = 1 / 0", "m.py, line 2 (x = 1 / 0): importing the program raised ZeroDivisionError"),
        ("while True: pass", "importing the program took longer than 1 s"),
        ("import sys; sys.exit()", "the program exited while it was imported"),
        ("import os; os._exit(0)", "importing the program ended by itself"),
        ("x = bytearray(2**31)", "needed more than 512 MiB of memory"),
        ("import nothing_like_it", "No module named 'nothing_like_it'"),
    ],
)
def test_a_failed_import_is_one_clear_line(source, verdict):
    limits = Limits(import_seconds=1.0 if "longer" in verdict else 10.0)
    with SubmissionProcess({"m": f"\n{source}"}, limits, choose_sandbox()) as program:
        with pytest.raises((RemoteError, SubmissionStopped)) as caught:
            program.load()
        line = describe_failed_import(caught.value, limits)
    assert verdict in line
    assert "\n" not in line


def test_a_module_that_cannot_be_imported_costs_only_what_asks_for_it(program):
    program.exchange({"n": "import pytest_is_not_here\ndef two():\n    return 2"})
    program.load()
    assert {name: error.kind for name, error in program.failed.items()} == {
        "n": "ModuleNotFoundError"
    }
    assert ask(program, "count") == 1
    program.begin()
    with pytest.raises(ModuleNotFoundError, match="pytest_is_not_here"):
        program.connection.module("n")
    program.end()
    with pytest.raises(ModuleNotFoundError):
        program.load(needed=["n"])
    assert ask(program, "count") == 1


def test_an_unknown_sandbox_is_misuse_and_a_missing_one_is_explained(monkeypatch):
    with pytest.raises(UsageError, match="choose one of: auto, bwrap, landlock, user, none"):
        choose_sandbox("jail")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoSandbox, match="bwrap does not work here: not installed; `apt"):
        choose_sandbox("bwrap")
    no_sandbox_works(monkeypatch)
    with pytest.raises(NoSandbox, match="no sandbox works on this machine"):
        choose_sandbox()
    assert choose_sandbox("none") == "none"


class TestVariants:
    """A variant is the same program with some modules replaced."""

    @pytest.fixture(name="begun")
    def _begun(self, program):
        program.begin(60)
        return program

    def test_each_variant_has_its_module_and_its_own_process(self, begun):
        for number in (1, 2):
            other = begun.variant({"m": f"{PROGRAM}\nmine = {number}\n"}).connection
            assert other.module("n").mine == number
            assert [other.module("m").count(), other.module("m").count()] == [1, 2]
        assert begun.connection.module("n").print_hello() == "said"

    def test_a_variant_that_fails_does_not_affect_the_next(self, begun):
        with pytest.raises(RemoteError, match="by zero"):
            begun.variant({"m": "1 / 0"}).connection.module("m")
        with pytest.raises(SubmissionStopped):
            begun.variant({"m": "import os\nos._exit(0)"})
        with pytest.raises(SubmissionStopped, match="took longer than"):
            begun.variant({}).connection.module("m").loop()
        assert begun.variant({"m": PROGRAM}).connection.module("m").count() == 1

    def test_a_program_can_follow_another_in_its_sandbox(self, program):
        processes = []
        for number in (1, 2):
            program.exchange({"m": f"{PROGRAM}\nmine = {number}\n", "n": "from m import *"})
            program.load()
            program.begin(60)
            asked = program.connection
            variant = program.variant({"n": "from m import mine"})
            mine = [asked.module("n").mine, variant.connection.module("n").mine]
            assert mine == [number, number]
            assert program.sources["m"].endswith(f"mine = {number}\n")
            processes += [asked.standard("os").getppid(), asked.standard("os").getpid()]
            program.end()
        assert len(set(processes)) == 3

    def test_a_killed_variant_is_remembered_until_the_next_test(self, begun):
        with pytest.raises(SubmissionStopped):
            begun.variant({"m": PROGRAM}).connection.module("m").kill_itself()
        begun.variant({"m": PROGRAM})
        assert begun.killed
        begun.end()
        begun.begin()
        assert not begun.killed

    def test_a_variant_that_has_ended_is_not_waited_for(self, begun, monkeypatch):
        """A second wait for the variant's end would time out, and the variant would be killed."""
        begun.variant({"m": PROGRAM})
        begun.end()
        killed = []
        monkeypatch.setattr(SubmissionProcess, "close", killed.append)
        begun.begin()
        begun.end()
        assert not killed

    def test_no_variant_starts_after_the_test_s_time(self, begun, monkeypatch):
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + 600)
        with pytest.raises(SubmissionStopped, match="took longer"):
            begun.variant({"m": PROGRAM})


TALKER = """
import os, signal, sys, time
if __name__ == "__main__":
    print("ready?", flush=True)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[1] == "out of time":
        os.kill(os.getpid(), signal.SIGXCPU)
    while sys.argv[1] == "loud":
        print("x" * 9999)
    while sys.argv[1] == "copies" and (line := sys.stdin.readline()):
        print(line, end="")
    if sys.argv[1] == "silent":
        os.close(1)
        os.close(2)
        time.sleep(60)
"""


FORK_FAILS = """
import os
from sandbox_worker import kernel, server

calls, start = [], os.fork

def fork():
    calls.append(1)
    if len(calls) >= {first}:
        raise BlockingIOError
    return start()

kernel.PAUSES, os.fork = (0, 0), fork
server.serve_submission(confined={{confined}})
"""


@pytest.mark.parametrize(("first", "scripts"), [(1, False), (2, True)])
def test_a_process_that_the_machine_does_not_start_is_the_grader_s_fault(
    monkeypatch, first, scripts
):
    workers_run(monkeypatch, FORK_FAILS.format(first=first))
    with SubmissionProcess({"m": PROGRAM}, LIMITS, "none") as program:

        def runs_a_script():
            program.begin(scripts=scripts)
            program.connection.run("m")

        with pytest.raises(NotStarted, match="out of memory or processes"):
            runs_a_script()


@pytest.mark.parametrize("sandbox", sandboxes())
def test_no_script_of_a_test_is_left_when_the_next_test_begins(sandbox):
    """A dead process counts toward its user's limit of processes until its parent waits for it."""
    before = set(psutil.Process().children(recursive=True))  # an earlier worker may still be ending
    kernel.adopt_orphans()  # processes that the worker leaves become our children
    try:
        with SubmissionProcess({"m": TALKER}, LIMITS, sandbox) as program:
            program.begin(scripts=True)
            for _ in range(3):
                program.connection.start("m", "silent")
            running = set(psutil.Process().children(recursive=True)) - before
            program.end()
            program.begin()
            left = running.intersection(psutil.Process().children())
            assert [process for process in left if process.status() == psutil.STATUS_ZOMBIE] == []
            assert len(running.intersection(psutil.Process().children(recursive=True))) <= (
                len(running) - 3
            )
    finally:
        for process in set(psutil.Process().children()) - before:
            process.wait()
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 0)


class TestScripts:
    """Tests that run the program as a script."""

    @pytest.fixture(name="talker")
    def _talker(self):
        limits = Limits(test_seconds=20)
        with SubmissionProcess({"m": TALKER}, limits, choose_sandbox()) as program:
            program.begin(scripts=True)
            yield program

    @pytest.mark.needs_sandbox
    @pytest.mark.parametrize(
        ("how", "error", "text", "killed"),
        [
            ("killed", SubmissionStopped, "was killed while it ran", True),
            ("out of time", SubmissionStopped, "used up its time", False),
            ("loud", ValueError, "the program printed more than 1024 KiB", None),
        ],
    )
    @pytest.mark.parametrize("terminal", [False, True])
    def test_a_script_that_is_killed_says_how(self, talker, how, error, text, killed, terminal):
        script = talker.connection.start("m", how, terminal=terminal)
        assert script.expect("?").strip() == "ready?"
        with pytest.raises(error, match=text) as stopped:
            script.expect("more?")
        assert getattr(stopped.value, "killed", None) is killed

    @pytest.mark.needs_sandbox
    def test_a_silent_script_is_not_waited_for(self, talker):
        assert talker.connection.start("m", "silent").expect("more?") == "ready?\n"

    @pytest.mark.needs_sandbox
    def test_input_and_output_larger_than_a_pipe_pass(self, talker):
        text = "0123456789\n" * 50_000
        assert talker.connection.run("m", "copies", stdin=text).out.decode() == f"ready?\n{text}"
        assert talker.connection.run("m", "deaf", stdin=text).status == 0

    def test_a_script_has_three_streams_and_the_program_only_its_own_pipes(self, program):
        program.begin(scripts=True)
        connection = program.connection
        connection.start("m")
        assert len(connection.module("m").descriptors()) == 5
        assert connection.run("m").out.decode().splitlines()[0] == "[0, 1, 2]"

    @pytest.mark.needs_sandbox
    @pytest.mark.parametrize("terminal", [False, True])
    def test_the_next_test_finds_no_script_of_the_one_before(self, talker, terminal):
        """If these scripts were left, they would need more pipes than a process may have open."""
        for _ in range(40):
            scripts = [talker.connection.start("m", "silent", terminal=terminal) for _ in range(2)]
            scripts[0].end_input()
            assert scripts[1].expect("?").strip() == "ready?"
            talker.go_on()
        script = talker.connection.start("m", "silent")
        assert script.expect("?") == "ready?"
        with pytest.raises(IndexError):
            scripts[1].finish()

    @pytest.mark.parametrize("sandbox", sandboxes())
    def test_scripts_and_programs_cannot_start_or_signal_processes(self, sandbox):
        with SubmissionProcess({"m": PROGRAM}, LIMITS, sandbox) as program:
            program.begin(scripts=True)
            assert "Operation not permitted" in program.connection.run("m").out.decode()
            for name in ("fork", "signal_host"):
                with pytest.raises(PermissionError):
                    getattr(program.connection.module("m"), name)()

    @pytest.mark.parametrize(("name", "text"), [("loop", "took longer"), ("leave", "by itself")])
    def test_a_program_that_ends_beside_a_script_ends_the_test_alone(self, program, name, text):
        program.begin(scripts=True)
        with pytest.raises(SubmissionStopped, match=text):
            getattr(program.connection.module("m"), name)()
        program.end()
        program.begin(scripts=True)
        assert program.connection.run("m").status == 0


REWRITES = """import sys
sys.stdout.reconfigure(newline="\\n")
sys.stdout.buffer.write(sys.stdin.buffer.read())
print("!", file=sys.stderr)
sys.stdout.close()
"""


def test_without_fork_a_script_has_streams_like_those_of_a_process(monkeypatch):
    """On Windows, for example, a script runs in the process of the test."""
    without_processes(monkeypatch)
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setitem(script.ProgramFinder.texts, "m.py", REWRITES)
    assert script.run_script("m", [], b"TS QC\n") == (b"TS QC\n", b"!\n", 0)


@pytest.mark.parametrize(("failing", "ends"), [(3, "started"), (4, "NoProcess")])
def test_a_process_that_cannot_start_is_tried_again_after_each_pause(monkeypatch, failing, ends):
    """After the last pause, there is one more try."""
    monkeypatch.setattr(kernel, "PAUSES", (0, 0, 0))
    tries = iter([OSError] * failing)

    def fork():
        for error in tries:
            raise error
        return "started"

    try:
        ended = kernel.start_child(fork)
    except kernel.NoProcess as none:
        ended = type(none).__name__
    assert ended == ends
