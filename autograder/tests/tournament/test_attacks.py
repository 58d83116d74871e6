"""Players that attack: what they try to learn, what they answer, and how their deals end.

A player that learns a secret raises an error whose name says how. So an attack has failed if its
player has no fault.
"""

import json
import re
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest
from hearts_course.tournament.schedule import lot
from hearts_course.tournament.table import SeatFault
from hearts_grader.sandbox.backends import choose_sandbox
from hearts_grader.tournament.entries import find_entries
from hearts_grader.tournament.rounds import RoundPlayer
from hearts_grader.tournament.seats import RemoteSeat
from tournaments import (
    COURSE,
    SEED,
    STAGE,
    faults_by_player,
    played,
    program,
    setup_for,
    write,
)

pytestmark = pytest.mark.needs_sandbox

# Ways to leave a note for a later process or for another process. For each way: code that leaves
# the note, and code that sees it. `C` is the C library, `fcntl` and `os` are modules.
NOTES = {
    "file": ("open('/tmp/note', 'w').close()", "os.stat('/tmp/note')"),
    "file_here": ("open('note', 'w').close()", "os.stat('note')"),
    "memory_file": ("open('/dev/shm/note', 'w').close()", "os.stat('/dev/shm/note')"),
    "folder": ("os.mkdir('/tmp/notes')", "os.rmdir('/tmp/notes')"),
    "link": ("os.symlink('x', '/tmp/link')", "os.readlink('/tmp/link')"),
    "shared_memory": (
        "SharedMemory('note', create=True, size=8)",
        "SharedMemory('note')",
    ),
    "old_shared_memory": (
        "check(C.shmget(4711, 4096, 0o1666))",
        "check(C.shmget(4711, 4096, 0o666))",
    ),
    "semaphore": ("check(C.semget(4711, 1, 0o1666))", "check(C.semget(4711, 1, 0o666))"),
    "queue": ("check(C.msgget(4711, 0o1666))", "check(C.msgget(4711, 0o666))"),
    "key": (
        "check(C.syscall(248, b'user', b'note', b'x', 1, -4))",
        "check(C.syscall(249, b'user', b'note', None, -4))",
    ),
    "socket": (
        "KEPT.append(socket.socket(socket.AF_UNIX)); KEPT[-1].bind(chr(0) + 'note');"
        " KEPT[-1].listen()",
        "socket.socket(socket.AF_UNIX).connect(chr(0) + 'note')",
    ),
    "pipe_flag": (
        "[fcntl.fcntl(n, fcntl.F_SETFL, fcntl.fcntl(n, fcntl.F_GETFL) | os.O_NONBLOCK)"
        " for n in OPEN()]",
        "[n for n in OPEN() if fcntl.fcntl(n, fcntl.F_GETFL) & os.O_NONBLOCK][0]",
    ),
    "pipe_size": (
        "[fcntl.fcntl(n, 1031, 2**12) for n in OPEN()]",
        "[n for n in OPEN() if fcntl.fcntl(n, 1032) == 2**12][0]",
    ),
    "pipe_owner": (
        "[fcntl.fcntl(n, fcntl.F_SETSIG, 12) for n in OPEN()]",
        "[n for n in OPEN() if fcntl.fcntl(n, fcntl.F_GETSIG) == 12][0]",
    ),
    "pipe_rights": (
        "[os.fchmod(n, 0o604) for n in OPEN()]",
        "[n for n in OPEN() if os.fstat(n).st_mode & 0o777 == 0o604][0]",
    ),
    "pipe_time": (
        "[os.utime(n, (7, 7)) for n in OPEN()]",
        "[n for n in OPEN() if os.fstat(n).st_mtime == 7][0]",
    ),
    "lock": (
        "[fcntl.flock(n, fcntl.LOCK_EX | fcntl.LOCK_NB) for n in OPEN()]",
        "[BUSY(n) for n in OPEN()][0]",
    ),
    "priority": (  # the lowest priority; these tests may have a low one
        "os.setpriority(os.PRIO_PROCESS, 0, 19)",
        "[0][19 - os.getpriority(os.PRIO_PROCESS, 0)]",
    ),
    "own_group": ("os.setpgid(0, 0)", "[0][os.getpgrp() != os.getpid()]"),
    "processors": (
        "os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])",
        "[0][len(os.sched_getaffinity(0)) - 1 + ONE_PROCESSOR]",
    ),
    "limits": (
        "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))",
        "[0][resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 9]",
    ),
    "time_zone": ("os.environ.update(TZ='NOTE')", "[0][os.environ['TZ'] != 'NOTE']"),
    "module": ("setattr(random, 'note', 1)", "random.note"),
    "seat": (
        "setattr(sys.modules['tournament_seat'], 'note', 1)",
        "sys.modules['tournament_seat'].note",
    ),
}
NOTING = f"""
import ctypes, fcntl, os, random, resource, socket, stat, sys
from multiprocessing.shared_memory import SharedMemory
C = ctypes.CDLL(None, use_errno=True)
KEPT = []
ONE_PROCESSOR = len(os.sched_getaffinity(0)) == 1
NOTES = {NOTES!r}

def check(result):
    if result < 0:
        raise OSError
    return result

def OPEN():
    found = []
    for number in range(20):
        try:
            if not stat.S_ISREG(os.fstat(number).st_mode):  # ctypes may keep its library open
                found.append(number)
        except OSError:
            pass
    return found

def BUSY(number):
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    raise OSError

def is_seen(name):
    try:
        eval(NOTES[name][1])
    except BaseException:
        return False
    return True

def look_around():
    for name in NOTES:
        if is_seen(name):
            raise type(f"saw_{{name}}", (Exception,), {{}})

def leave_notes():
    left = 0
    for name, (leaving, _) in NOTES.items():
        try:
            eval(leaving) if ";" not in leaving else exec(leaving)
            left += 1
        except BaseException:
            pass
    return left
"""


def with_notes(enter, play="pass", alias=""):
    """Return a program that has the functions `leave_notes` and `look_around`."""
    text = program(play, enter=enter, alias=alias)
    return f"{NOTING}\n{text}"


def rounds_of(folder, number=1, *others, seed=SEED, **programs):
    """Play `number` rounds with these programs and the players `others`; return their records."""
    entries, remarks = find_entries([str(write(folder, **programs)), *others], COURSE)
    assert remarks == []
    return [json.loads(text) for text in played(entries, range(1, number + 1)).values()]


def faults(records):
    """Return the faults of all rounds, by player."""
    together = {}
    for record in records:
        for alias, kinds in faults_by_player(json.dumps(record)).items():
            together.setdefault(alias, []).extend(kinds)
    return together


HARMLESS = (  # notes that disappear when the process ends
    *("pipe_flag", "pipe_size", "pipe_owner", "pipe_rights", "priority", "own_group"),
    *("limits", "time_zone", "module", "processors", "socket"),
)


def test_the_ways_to_leave_notes_work_without_a_sandbox():
    """If they did not work, the attack below would prove nothing."""
    script = f"""{NOTING}
for name in {HARMLESS}:
    if name != "processors":
        assert not is_seen(name), name
    exec(NOTES[name][0])
    assert ONE_PROCESSOR or is_seen(name), name
"""
    script = f"import sys; sys.modules['tournament_seat'] = sys\n{script}"
    ended = subprocess.run(
        [sys.executable, "-c", script], input="", capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.proof
def test_no_note_outlives_a_deal_or_reaches_another_player(tmp_path):
    """Two players leave notes in all ways, and they and two other players look for the notes."""
    leaver = with_notes("look_around(); leave_notes(); return Lowest()", alias="leaver")
    reader = with_notes("look_around(); return Mine()", "look_around()", alias="reader")
    records = rounds_of(
        tmp_path, 2, ada=leaver, bob=reader, cy=leaver.replace("leaver", "second"), dan=reader
    )
    assert faults(records) == {}


SEARCH = """
def texts():
    import gc, os, sys
    frame = sys._getframe()
    while frame is not None:
        yield from map(repr, frame.f_locals.values())
        frame = frame.f_back
    yield repr([*os.environ.items(), sys.argv, sys.orig_argv])
    for thing in gc.get_objects():
        for part in gc.get_referents(thing):
            if type(part) in (str, bytes):
                yield repr(part)

def search():
    parts = "a seed that ", "nobody can guess"
    for text in texts():
        if "".join(parts) in text or "nobody can" + " guess" in text.replace(str(parts), ""):
            if "texts" not in text and "parts" not in text:
                raise type("saw_the_seed", (Exception,), {})
"""


def test_a_player_cannot_find_the_seed(tmp_path):
    """Whoever knows the seed knows all cards of all deals."""
    searching = program("search()", enter="search(); return Mine()", alias="searcher") + SEARCH
    entries, _ = find_entries([str(write(tmp_path, eve=searching)), "counter"], COURSE)
    (text,) = played(entries, [1]).values()
    assert faults_by_player(text) == {}
    assert SEED not in lot(SEED, "chance", 1, 0, 0, "eve")
    hands = json.loads(text)["tables"][0]["deals"][0]["hands"]
    assert hands != [str(hand) for hand in guessed(SEED)]


def guessed(seed):
    """Return the hands that a player who knew this seed would expect in the first round."""
    rules = RoundPlayer(setup_for([], "none"))._rules
    return rules.hands(Random(f"{seed} deal 1"))


def test_the_search_for_the_seed_finds_a_seed_that_is_there(tmp_path):
    """The attack above would succeed if the seat were given the seed itself."""
    searching = program("search()", enter="search(); return Mine()", alias="s") + SEARCH
    entries, _ = find_entries([str(write(tmp_path, eve=searching))], COURSE)
    seat = RemoteSeat(entries[0], STAGE.limits, choose_sandbox("auto"))
    seat.begin(f"{SEED} chance")
    with pytest.raises(SeatFault, match="raised saw_the_seed"):
        seat.pass_cards({})
    seat.close()


# Answers of a player, and the fault in which each of its deals ends. "" means that there is no
# fault, because the answer's text is a card's code, or because the player harms only itself.
ANSWERS = {
    "equals everything": (
        "return type('L', (), {'__eq__': lambda s, o: True,"
        " '__hash__': lambda s: 0, '__str__': lambda s: 'AS'})()",
        "illegal",
    ),
    "is a text": ("return type('L', (str,), {})(min(view.legal, key=by_rank))", ""),
    "is a number": ("return type('L', (int,), {'__str__': lambda s: 'XX'})(7)", "illegal"),
    "lies when shown": ("return type('L', (), {'__str__': lambda s: 7})()", "raised TypeError"),
    "shows a text that lies": (
        "return type('L', (), {'__str__': lambda s: type('T', (str,),"
        " {'__eq__': lambda s, o: True, '__hash__': lambda s: 0})('XX')})()",
        "illegal",
    ),
    "answers very long": ("return 'A' * 3_000_000", "illegal"),
    "answers too long": ("return 'A' * 2**27", "raised ProtocolError"),
    "many cards": ("import tournament_seat as t; t.codes = lambda c: ['AS'] * 9999", "illegal"),
    "no list": ("import tournament_seat as t; t.codes = lambda c: {'AS': 1}", "illegal"),
    "an object": ("import tournament_seat as t; t.codes = lambda c: [view]", "illegal"),
    "lists in lists": ("import tournament_seat as t; t.codes = lambda c: [[['AS']]]", "illegal"),
    "a card twice": (
        "import tournament_seat as t; t.codes = lambda c: [str(view.legal[0])] * 2",
        "illegal",
    ),
    "changes its hand": (
        "object.__setattr__(view, 'hand', tuple(Deck())[:13]); view.legal.clear()",
        "illegal",
    ),
    "changes the cards": ("import tournament_seat as t; t.CARDS.clear()", "raised KeyError"),
    "changes the rules": (
        "import legal; legal.legal_plays = lambda t: [*t.hand]; Card.__lt__ = None; 1 / 0",
        "raised ZeroDivisionError",
    ),
    "prints without end": ("print('x' * 10**6, flush=True)", ""),
    "forks": ("import os; os.fork()", "raised PermissionError"),
    "threads": ("import threading; threading.Thread(target=print).start()", "raised RuntimeError"),
    "recurses": ("f = lambda: f(); f()", "raised RecursionError"),
    "interrupts": ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    "leaves politely": ("raise SystemExit", "raised SystemExit"),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", "crashed"),
    "shouts": (
        "raise type('<b>' + chr(27) + '[31m' + 'A' * 10**6, (Exception,), {})",
        "raised an error without a proper name",
    ),
    "closes its pipes": ("import os; os.closerange(0, 99)", "crashed"),
    "hides its times": ("import tournament_seat as t; t.spent = None", ""),
    "has no times": ("import tournament_seat as t; t.Seat.spent = ['x']", ""),
}


@pytest.mark.proof
def test_what_a_player_answers_harms_only_itself(tmp_path):
    programs = {}
    for number, (alias, (body, _)) in enumerate(ANSWERS.items()):
        programs[f"s{number}"] = program(body, enter="return Mine()", alias=alias)
    (record,) = rounds_of(tmp_path, 1, "counter", **programs)
    expected = {alias[:24]: [fault] * 4 for alias, (_, fault) in ANSWERS.items() if fault}
    assert faults([record]) == expected
    for table in record["tables"]:
        for deal in table["deals"]:
            cards = "".join(text for _, text in deal["tricks"])
            assert sorted(re.findall("..", cards)) == sorted(
                re.findall("..", "".join(deal["hands"]))
            )
            assert sum(deal["hearts"]) == 13


@pytest.mark.proof
def test_a_player_may_break_at_any_moment(tmp_path):
    """Players break at import, in `enter` or in some deals; all other results stay the same."""
    now_and_then = program(
        "if random.random() < 0.03: os._exit(1)", enter="return Mine()", alias="sometimes"
    )
    programs = {
        "imp": f"{program(alias='at import')}\n1 / 0\n",
        "loops": "ALIAS = 'loops'\ndef enter(): pass\nwhile True: pass\n",
        "ent": program(enter="1 / 0", alias="in enter"),
        "none": program(enter="return None", alias="nobody"),
        "seat": program(
            enter="import tournament_seat as t; t.play = 'AS'; return Lowest()", alias="no seat"
        ),
        "some": f"import os, random\n{now_and_then}",
    }
    records = rounds_of(tmp_path, 6, "counter", "cautious", "random", **programs)
    ended = faults(records)
    assert len(ended["sometimes"]) in range(2, 23), "in some of 24 deals"
    assert {alias: {*kinds} for alias, kinds in ended.items()} == {
        "at import": {"cannot be imported"},
        "loops": {"cannot be imported"},
        "in enter": {"raised ZeroDivisionError"},
        "no seat": {"crashed"},
        "nobody": {"raised AttributeError"},
        "sometimes": {"crashed"},
    }


@pytest.mark.proof
def test_a_deal_may_take_longer_than_a_decision(tmp_path):
    """Each answer has its own limit; the kernel's limit for the process must not end it earlier."""
    slow = program(
        "import time; end = time.process_time() + 0.9\n"
        "        while time.process_time() < end: pass",
        enter="return Mine()",
    )
    entries, _ = find_entries([str(write(tmp_path, ada=slow))], COURSE)
    limits = replace(STAGE.limits, import_seconds=2.0)
    seat = RemoteSeat(entries[0], limits, choose_sandbox("auto"))
    seat.begin("x")
    for _ in range(9):
        assert seat.play(FACTS) == ["2C"]
    seat.end()
    assert all(0.9 < decision.processor_seconds < 2 for decision in seat.decisions)
    assert [decision.move for decision in seat.decisions] == [*range(1, 10)]
    seat.close()


FACTS = {
    **{"seat": 0, "book": "ESTELL_BOOK", "direction": "HOLD", "receiver": 0, "moon": "NONE"},
    **{"hand": ["2C", "3C"], "gave": [], "received": [], "tricks": [], "trick": []},
}


@pytest.mark.proof
def test_a_player_that_sleeps_is_slow_and_nobody_else_is(tmp_path):
    """While the other players wait at the table, this costs none of their time."""
    sleeper = program("import time; time.sleep(0.2)", enter="return Mine()", alias="sleeper")
    for_ever = program("import time; time.sleep(99)", enter="return Mine()", alias="for ever")
    entries, _ = find_entries([str(write(tmp_path, ada=sleeper, bob=for_ever))], COURSE)
    player = RoundPlayer(setup_for(entries))
    record = player.play(1)
    player.close()
    assert faults_by_player(record.text) == {"for ever": ["slow"] * 4}
    slowest = [timed for timed in record.decisions if timed.alias == "sleeper"]
    assert len(slowest) == 4
    for timed in slowest:
        assert timed.decision.processor_seconds < 0.1 < 0.2 < timed.decision.clock_seconds


SIGNS = """
import time
LAST = [time.monotonic()]

def gap():
    return time.monotonic() - LAST[0]
"""


@pytest.mark.proof
def test_a_sign_by_the_clock_is_found_out(tmp_path):
    """One player signals to its friend by thinking long, and the friend's answers give this away.

    The friend plays high after a long wait. When it is asked again without the wait, it plays low.
    """
    signing = program("import time; time.sleep(0.05)", enter="return Mine()", alias="signing")
    reading = program(
        "waited = gap()\n"
        "        legal = sorted(view.legal)\n"
        "        LAST[0] = time.monotonic()\n"
        "        return legal[-1] if waited > 0.03 else legal[0]",
        enter="LAST[0] = time.monotonic(); return Mine()",
        alias="reading",
    )
    records = rounds_of(
        tmp_path, 12, "counter", ada=signing, bob=SIGNS + reading, cy=program(alias="honest")
    )
    again = {}
    for record in records:
        for alias, same in record["again"].items():
            again.setdefault(alias, []).append(same)
    assert False in again["reading"]
    assert {*again["signing"], *again["honest"]} == {True}
    assert faults(records) == {}
