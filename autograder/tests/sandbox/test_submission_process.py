"""A submission's process: kept in, timed, killed, started again; under each sandbox there is."""

import os
import time
from collections.abc import Iterator

import pytest
from hearts_course.course import Limits
from hearts_course.errors import NoSandbox, UsageError
from hearts_course.sandbox.answers import RemoteError, SubmissionStopped
from hearts_course.sandbox.backends import PREFERENCE, choose_sandbox, works
from hearts_course.sandbox.submission_process import SubmissionProcess, describe_failed_import

LIMITS = Limits(test_seconds=1.0, import_seconds=5.0)
SANDBOXES = [name for name in PREFERENCE if works(name)]
PROGRAM = """
import os, sys
COUNT = []

def count():
    COUNT.append(1)
    return len(COUNT)

def loop():
    while True:
        try:
            while True:
                pass
        except:
            pass

def leave():
    os._exit(0)

def leave_politely():
    sys.exit(3)

def flood():
    while True:
        print("x" * 1000)

def whisper():
    print("hello")
    return "said"

def take(size):
    return len(bytearray(size))

def recurse():
    return recurse()

def huge():
    return "x" * 10**7

def read(path):
    with open(path) as file:
        return file.read()

def write(path):
    with open(path, "w") as file:
        file.write("x")

def call_home():
    import socket
    socket.create_connection(("127.0.0.1", 9), timeout=1)

def variables():
    return dict(os.environ)

def ask():
    return input()

def speak(text):
    for number in range(3, 20):
        try:
            os.write(number, text)
        except OSError:
            pass
    return 1

def loop_deaf():
    import signal
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass

def wait():
    import time
    time.sleep(99)

def background():
    if os.fork() == 0:
        import time
        while True:
            time.sleep(0.01)
    return 1
"""


@pytest.fixture(name="program", params=[*SANDBOXES, "none"])
def _program(request: pytest.FixtureRequest) -> Iterator[SubmissionProcess]:
    with SubmissionProcess({"m": PROGRAM}, LIMITS, request.param) as program:
        yield program


def ask(program: SubmissionProcess, function: str, *args: object) -> object:
    program.begin()
    try:
        return getattr(program.connection.module("m"), function)(*args)
    finally:
        program.end()


def test_there_is_a_sandbox_to_test_with() -> None:
    assert SANDBOXES, "install sandlock or bubblewrap: the trust boundary is untested without them"


def test_each_test_meets_the_program_as_imported(program: SubmissionProcess) -> None:
    assert [ask(program, "count") for _ in range(3)] == [1, 1, 1]


def test_without_fork_tests_share_one_process() -> None:
    with SubmissionProcess({"m": PROGRAM}, LIMITS, "none", fork=False) as program:
        assert [ask(program, "count") for _ in range(3)] == [1, 2, 3]
        with pytest.raises(SubmissionStopped):
            ask(program, "loop")
        assert ask(program, "count") == 1


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        ("loop", "timeout", "took longer than 1 s"),
        ("loop_deaf", "timeout", "took longer than 1 s"),
        ("wait", "timeout", "took longer than 1 s"),
        ("leave", "crashed", "ended by itself"),
        ("flood", "timeout", "took longer than 1 s"),
    ],
)
def test_a_program_that_stops_answering_ends_its_test_alone(
    program: SubmissionProcess, function: str, kind: str, text: str
) -> None:
    before = time.monotonic()
    with pytest.raises(SubmissionStopped, match=text) as stopped:
        ask(program, function)
    assert stopped.value.kind == kind
    assert time.monotonic() - before < 10
    assert ask(program, "whisper") == "said"


@pytest.mark.parametrize(
    ("function", "error"),
    [("leave_politely", "SystemExit"), ("recurse", "RecursionError"), ("huge", "ProtocolError")],
)
def test_what_a_call_raises_is_the_program_s(
    program: SubmissionProcess, function: str, error: str
) -> None:
    with pytest.raises(RemoteError) as caught:
        ask(program, function)
    assert caught.value.kind == error


def test_memory_is_bounded(program: SubmissionProcess) -> None:
    with pytest.raises(MemoryError):
        ask(program, "take", 2 * 2**30)
    assert ask(program, "take", 2**20) == 2**20


def test_a_question_at_the_keyboard_meets_its_end(program: SubmissionProcess) -> None:
    with pytest.raises(EOFError):
        ask(program, "ask")


@pytest.mark.parametrize("text", [b"x" * 100, b"\xff\xff\xff\xff", b"\x00\x00\x00\x02{}"])
def test_a_program_that_writes_into_the_protocol_fails_only_itself(
    program: SubmissionProcess, text: bytes
) -> None:
    with pytest.raises(SubmissionStopped, match=r"cannot be read|took longer"):
        ask(program, "speak", text)
    assert ask(program, "whisper") == "said"


def test_an_answer_given_in_advance_is_not_taken() -> None:
    forged = b'{"id":3,"value":true}'
    with (
        SubmissionProcess({"m": PROGRAM}, LIMITS, choose_sandbox()) as program,
        pytest.raises(SubmissionStopped),
    ):
        ask(program, "speak", len(forged).to_bytes(4, "big") + forged)


@pytest.mark.parametrize("sandbox", SANDBOXES)
class TestSandbox:
    def ask(self, sandbox: str, function: str, *args: object) -> object:
        with SubmissionProcess({"m": PROGRAM}, LIMITS, sandbox) as program:
            return ask(program, function, *args)

    def test_reads_no_file_of_ours(self, sandbox: str) -> None:
        for path in ("/etc/passwd", __file__):
            with pytest.raises(OSError, match=r"Permission|No such file"):
                self.ask(sandbox, "read", path)

    def test_reads_no_variable_of_our_processes(
        self, sandbox: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SECRET", "4242424242")
        for number in (1, os.getpid()):
            try:
                seen = self.ask(sandbox, "read", f"/proc/{number}/environ")
            except OSError:
                continue
            assert "SECRET" not in str(seen)

    def test_writes_nowhere(self, sandbox: str, tmp_path: object) -> None:
        for path in (f"{tmp_path}/x", "/tmp/x", "/x", "/dev/shm/x"):
            with pytest.raises(OSError, match=r"Permission|No such file|Read-only"):
                self.ask(sandbox, "write", path)

    def test_reaches_no_network(self, sandbox: str) -> None:
        with pytest.raises(OSError, match=r"refused|denied|unreachable|not permitted"):
            self.ask(sandbox, "call_home")

    def test_sees_no_variable_of_ours(self, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SECRET", "42")
        seen = self.ask(sandbox, "variables")
        assert isinstance(seen, dict)
        assert (
            set(seen) <= {"PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "LC_ALL", "PWD"} | STANDARD
        )

    def test_starts_no_process(self, sandbox: str) -> None:
        with pytest.raises(PermissionError):
            self.ask(sandbox, "background")


STANDARD = {"PATH", "HOME", "USER", "TERM", "LANG"}


TALKERS = """
import os, signal, sys, time

if __name__ == "__main__":
    print("ready?", flush=True)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[1] == "out of time":
        os.kill(os.getpid(), signal.SIGXCPU)
    while sys.argv[1] == "loud":
        print("x" * 9999)
    os.close(1)
    os.close(2)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("how", "error", "text"),
    [
        ("killed", SubmissionStopped, "was killed while it ran"),
        ("out of time", SubmissionStopped, "used up its time"),
        ("loud", ValueError, "the program printed more than 1024 KiB"),
    ],
)
@pytest.mark.parametrize("terminal", [False, True])
def test_a_talk_that_ends_by_force(how: str, error: type, text: str, terminal: bool) -> None:
    with SubmissionProcess({"m": TALKERS}, Limits(test_seconds=20), choose_sandbox()) as program:
        program.begin(scripts=True)
        talk = program.connection.start("m", how, terminal=terminal)
        assert talk.expect("?").strip() == "ready?"
        with pytest.raises(error, match=text) as stopped:
            talk.expect("more?")
        assert getattr(stopped.value, "killed", None) is {"killed": True, "out of time": False}.get(
            how
        )


def test_who_says_nothing_more_and_goes_on_is_not_waited_for() -> None:
    with SubmissionProcess({"m": TALKERS}, Limits(test_seconds=20), choose_sandbox()) as program:
        program.begin(scripts=True)
        talk = program.connection.start("m", "silent")
        assert talk.expect("more?") == "ready?\n"


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def f(:", "m.py, line 2 (def f(:): Python cannot read this: invalid syntax"),
        ("x = 1 / 0", "m.py, line 2 (x = 1 / 0): importing the program raised ZeroDivisionError"),
        ("while True: pass", "importing the program took longer than 1 s"),
        ("import sys; sys.exit()", "the program ended itself while it was imported"),
        ("import os; os._exit(0)", "importing the program ended by itself"),
        ("while True: print('x' * 999)", "importing the program took longer than"),
        ("x = bytearray(2**31)", "needed more than 512 MiB of memory"),
        ("import nothing_like_it", "No module named 'nothing_like_it'"),
    ],
)
def test_a_failed_import_is_one_clear_line(source: str, verdict: str) -> None:
    limits = Limits(import_seconds=1.0 if "longer" in verdict else 10.0)
    with SubmissionProcess({"m": f"\n{source}"}, limits, choose_sandbox()) as program:
        with pytest.raises((RemoteError, SubmissionStopped)) as caught:
            program.load()
        line = describe_failed_import(caught.value, limits)
    assert verdict in line
    assert "\n" not in line


def test_an_unknown_sandbox_is_a_slip_and_a_missing_one_names_the_fix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="there are: auto, bwrap, sandlock, user, none"):
        choose_sandbox("jail")
    monkeypatch.setattr("hearts_course.sandbox.backends.works", lambda name: False)
    with pytest.raises(NoSandbox, match="apt install bubblewrap"):
        choose_sandbox("bwrap")
    with pytest.raises(NoSandbox, match="no sandbox works on this machine"):
        choose_sandbox()
    assert choose_sandbox("none") == "none"


SEEN = """
import os, time
SEEN = []

def look():
    SEEN.append(1)
    return len(SEEN)

def kill_itself():
    os.kill(os.getpid(), 9)
"""


class TestVariants:
    """The same program with some modules exchanged."""

    @pytest.fixture(name="program", params=[*SANDBOXES, "none"])
    def _program(self, request: pytest.FixtureRequest) -> Iterator[SubmissionProcess]:
        modules = {"m": PROGRAM, "n": "from m import *\nN = 1\n"}
        with SubmissionProcess(modules, LIMITS, request.param) as program:
            program.begin(60)
            yield program

    def test_each_is_the_program_with_that_module_and_knows_no_other(
        self, program: SubmissionProcess
    ) -> None:
        for number in (1, 2):
            other = program.variant({"m": f"{SEEN}\nmine = {number}\n"}).connection
            assert other.module("n").mine == number
            assert [other.module("m").look(), other.module("m").look()] == [1, 2]
        assert program.connection.module("n").whisper() == "said"

    def test_without_fork_each_has_a_process(self) -> None:
        with SubmissionProcess({"m": PROGRAM}, LIMITS, "none", fork=False) as program:
            program.begin()
            for _ in range(2):
                assert program.variant({"m": SEEN}).connection.module("m").look() == 1

    def test_one_that_cannot_be_imported_says_why_and_harms_no_other(
        self, program: SubmissionProcess
    ) -> None:
        with pytest.raises(RemoteError, match="by zero"):
            program.variant({"m": "1 / 0"})
        with pytest.raises(SubmissionStopped):
            program.variant({"m": "import os\nos._exit(0)"})
        assert program.variant({"m": SEEN}).connection.module("m").look() == 1

    def test_each_has_the_time_of_a_test(self, program: SubmissionProcess) -> None:
        loops = program.variant({}).connection.module("m").loop
        with pytest.raises(SubmissionStopped, match="took longer than 1 s"):
            loops()
        assert program.variant({"m": SEEN}).connection.module("m").look() == 1

    def test_one_that_was_killed_is_remembered_until_the_next_test(
        self, program: SubmissionProcess
    ) -> None:
        with pytest.raises(SubmissionStopped):
            program.variant({"m": SEEN}).connection.module("m").kill_itself()
        program.variant({"m": SEEN})
        assert program.killed
        program.end()
        program.begin()
        assert not program.killed

    def test_there_is_none_when_the_test_s_time_is_over(
        self, program: SubmissionProcess, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + 600)
        with pytest.raises(SubmissionStopped, match="took longer"):
            program.variant({"m": SEEN})


SCRIPT = """
import os, signal

def descriptors():
    found = []
    for number in range(64):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return found

def loop():
    while True:
        pass

def leave():
    os._exit(7)

def signal_host():
    os.kill(os.getppid(), signal.SIGTERM)

def fork():
    return os.fork()

if __name__ == "__main__":
    print(descriptors())
    try:
        fork()
    except OSError as error:
        print(error.strerror)
"""


class TestScripts:
    """A test that runs scripts and asks the program's objects, too."""

    @pytest.fixture(name="program", params=[*SANDBOXES, "none"])
    def _program(self, request: pytest.FixtureRequest) -> Iterator[SubmissionProcess]:
        with SubmissionProcess({"m": SCRIPT}, LIMITS, request.param) as program:
            program.begin(scripts=True)
            yield program

    def test_a_script_has_its_three_streams_and_no_other(self, program: SubmissionProcess) -> None:
        connection = program.connection
        connection.start("m")
        assert connection.module("m").descriptors()  # by now there are pipes of two others
        lines = connection.run("m").out.decode().splitlines()
        assert lines[0] == "[0, 1, 2]"

    def test_the_program_beside_it_has_only_its_own_pipes(self, program: SubmissionProcess) -> None:
        program.connection.start("m")
        assert len(program.connection.module("m").descriptors()) == 5

    def test_neither_can_start_a_process_or_signal_their_host(
        self, program: SubmissionProcess
    ) -> None:
        if program._sandbox == "none":
            pytest.skip("without a sandbox nothing is refused")
        assert "Operation not permitted" in program.connection.run("m").out.decode()
        asked = program.connection.module("m")
        for name in ("fork", "signal_host"):
            with pytest.raises(PermissionError):
                getattr(asked, name)()

    @pytest.mark.parametrize(("name", "text"), [("loop", "took longer"), ("leave", "by itself")])
    def test_a_program_that_ends_beside_a_script_ends_the_test_alone(
        self, program: SubmissionProcess, name: str, text: str
    ) -> None:
        with pytest.raises(SubmissionStopped, match=text):
            getattr(program.connection.module("m"), name)()
        program.end()
        program.begin(scripts=True)
        assert program.connection.run("m").status == 0
