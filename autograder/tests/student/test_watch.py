"""`hearts watch`: what the screen shows after a save or a key."""

import os
import shlex
import shutil
import sys

import pytest
from hearts_course.student import workspace
from hearts_course.student.keyboard import Keyboard
from hearts_course.student.stage_checks import Quit
from hearts_course.student.terminal import without_colour
from hearts_course.student.watch import Watch
from hearts_course.student.workspace import find_workspace
from student_course import REFERENCE, SECOND_STAGE, start_workspace, two_stages

BANK = SECOND_STAGE["solutions/02-bank/bank.py"]
FIVE_PENCE = REFERENCE.replace("10 if", "5 if")


@pytest.fixture
def course(tmp_path):
    return two_stages(tmp_path / "course")


@pytest.fixture
def root(course, tmp_path):
    return start_workspace(course, tmp_path / "mine").root


@pytest.fixture
def watch(course, root):
    """Yield a function that begins to watch the named stage, and returns the Watch."""
    begun = []

    def begin(stage):
        begun.append(Watch(find_workspace(course, root), course.stage(stage)))
        return begun[0]

    yield begin
    begun[0].close()


def shown(watch):
    return " ".join(without_colour(watch.screen()).split())


def save(root, name, text):
    (root / name).write_text(text, encoding="utf-8")


def test_a_save_shows_the_first_failure_and_only_n_goes_on(watch, root):
    watch = watch("01")
    assert "○ Task 1: What a coin is worth 0 of 2 points, not written yet" in shown(watch)
    assert not watch.poll()
    save(root, "coins.py", FIVE_PENCE)
    assert watch.poll()
    assert "1 of 2 points, 1 of 2 checks pass coins.py:16 A dime is worth" in shown(watch)
    assert "a known mistake: “a dime is worth five”. Could that be it?" in shown(watch)
    assert not watch.press("n")
    save(root, "coins.py", REFERENCE)
    assert watch.poll()
    assert "✓ Task 1, What a coin is worth, passes. n goes on to task 2, A purse." in shown(watch)
    assert "2 of 6 points" in shown(watch)
    assert watch.press("n")
    assert watch.press("n")
    assert "✓ Task 3, Add up, passes. Every visible check of 01-coins passes." in shown(watch)
    assert watch.screen().commands() == {}
    assert watch.press("n")
    assert "e runs `hearts explain 01-coins`. c runs `hearts compare 01-coins`." in shown(watch)
    assert "n next h hint e explain c compare l list q quit" in shown(watch)
    shutil.rmtree(watch.now.stage.solution)
    assert "c runs" not in shown(watch)
    assert watch.press("n")
    assert "02 Banks" in shown(watch)


def test_what_breaks_an_earlier_task_is_shown_first(watch, root):
    save(root, "coins.py", REFERENCE.replace("coin.worth for", "1 for"))
    watch = watch("01")
    assert "✗ Task 3: Add up 0 of 1 point, 0 of 1 check passes" in shown(watch)
    assert "Waiting for it" not in shown(watch), "task 2, which builds on it, passes"
    save(root, "coins.py", FIVE_PENCE)
    watch.poll()
    assert "◐ Task 1: What a coin is worth" in shown(watch)


def test_a_task_that_may_follow_shows_its_first_failure(watch, root):
    save(root, "coins.py", REFERENCE.replace("coin.worth for", "1 for").replace("append", "index"))
    watch = watch("01")
    assert "✗ Task 2: A purse 0 of 3 points, fails along with task 3" not in shown(watch)
    assert "✗ Task 2: A purse 0 of 3 points, may follow from task 3" in shown(watch)
    assert (
        "✗ Task 2: A purse It may follow from task 3 or another task, or have a mistake of its own."
        " Its first failing check:" in shown(watch)
    )
    assert "raised ValueError" in shown(watch)
    assert "All of it: hearts check purse" in shown(watch)


def test_a_save_goes_back_to_an_earlier_stage_and_never_forward(watch, root):
    save(root, "coins.py", REFERENCE)
    watch = watch("02")
    save(root, "bank.py", BANK)
    assert watch.poll()
    assert "Every visible check of 02-bank passes." in shown(watch)
    save(root, "coins.py", FIVE_PENCE)
    assert watch.poll()
    assert "01 Coins and purses coins.py" in shown(watch)
    save(root, "bank.py", BANK + "\n")
    assert not watch.poll()
    assert "01 Coins and purses coins.py" in shown(watch)


@pytest.mark.parametrize("turn_has_come", [True, False])
def test_the_next_stage_is_added_when_its_turn_has_come_or_at_a_key(
    course, tmp_path, monkeypatch, turn_has_come
):
    root = workspace.start_workspace(course, tmp_path / "mine").root
    save(root, "coins.py", REFERENCE)
    if not turn_has_come:  # as if the next stage needed other stages first
        monkeypatch.setattr("hearts_course.student.watch_memory.open_stages", lambda workspace: ())
    watch = Watch(find_workspace(course, root), course.stages[0])
    assert (root / "bank.py").exists() == turn_has_come
    assert ("New: 02 Banks: briefs/02-bank.md" in shown(watch)) == turn_has_come
    for _ in range(2):
        watch.press("n")
    assert "02 Banks bank.py" in shown(watch)
    watch.close()


def test_hints_and_the_list_come_at_a_key_and_errors_as_a_line(watch, course, root):
    watch = watch("01")
    assert watch.press("h")
    assert "Hint 1 of 2" in shown(watch)
    assert watch.press("h")
    assert "Hint 2 of 2" in shown(watch)
    assert watch.press("l")
    assert "○ 1 What a coin is worth: not written yet" in shown(watch)
    assert not watch.press("x")
    save(root, "coins.py", "def f(:\n")
    watch.poll()
    assert "✗ coins.py, line 1" in shown(watch)
    (root / "coins.py").unlink()
    (root / "01-coins.ipynb").unlink()
    watch.poll()
    assert "✗ coins.py: missing; `hearts start .` puts the starter back" in shown(watch)
    assert find_workspace(course, root).state.hints == {"worth": 2}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
def test_without_a_terminal_no_key_ever_comes(tmp_path):
    with (tmp_path / "input").open("w+") as file, Keyboard(file) as keyboard:
        assert keyboard.read(0.0) == ""


def test_the_terminal_is_left_as_it_was(tmp_path):
    pexpect = pytest.importorskip("pexpect")
    run = [sys.executable, "-m", "hearts_course"]
    pexpect.run(shlex.join([*run, "start", str(tmp_path / "mine")]))
    screen = pexpect.spawn("sh", cwd=str(tmp_path / "mine"), dimensions=(24, 80), timeout=60)
    screen.sendline(f"{shlex.join([*run, 'watch', '01'])}; stty -a | grep -c -- -icanon")
    screen.expect(r"p asks (\d) questions.*q quit")
    screen.send("p")
    for _ in range(int(screen.match[1])):
        screen.expect("or Enter to skip")
        screen.sendline("a")
    screen.expect("Any key goes back")
    screen.send("x")
    screen.expect("not written yet.*n next   h hint   l list   q quit")
    screen.send("h")
    screen.expect("Hint 1 of")
    screen.send("q")
    screen.expect(r"\r\n0\r\n")
    screen.close()


def test_after_a_file_that_python_cannot_read_all_tasks_are_checked_again(watch, course, root):
    save(root, "coins.py", REFERENCE)
    watch = watch("01")
    assert "6 of 6 points ✓" in shown(watch)
    watch.press("n")
    before = find_workspace(course, root).state.checks
    save(root, "coins.py", f"{REFERENCE}\n(")
    watch.poll()
    assert "6 of 6 points, before this error ✗ coins.py, line" in shown(watch)
    assert find_workspace(course, root).state.checks == before
    save(root, "coins.py", FIVE_PENCE)
    watch.poll()
    assert "before this error" not in shown(watch)
    save(root, "coins.py", f"{REFERENCE}\n(")
    watch.poll()
    save(root, "coins.py", REFERENCE)
    watch.poll()
    assert "6 of 6 points ✓ Task 3, Add up, passes." in shown(watch)


def test_after_an_error_the_tasks_that_were_left_behind_are_checked_too(watch, root):
    save(root, "coins.py", FIVE_PENCE.replace("self._coins.append(coin)", "pass"))
    watch = watch("01")
    assert watch.now.task == 1
    save(root, "coins.py", "(")
    watch.poll()
    save(root, "coins.py", REFERENCE)
    watch.poll()
    assert "6 of 6 points ✓ Task 1, What a coin is worth, passes." in shown(watch)


LOOP = REFERENCE.replace("return 10 if", "while True:\n            pass\n        return 10 if")


def test_a_check_says_so_at_once_and_a_newer_save_ends_it(course, root):
    """Without the newer save, the check would go on until the loop times out."""
    save(root, "coins.py", REFERENCE)
    screens = []

    def save_once_more():
        if screens[1:] and (root / "coins.py").read_text(encoding="utf-8") == LOOP:
            save(root, "coins.py", FIVE_PENCE)
        return False

    watch = Watch(
        find_workspace(course, root),
        course.stage("01"),
        show=lambda screen: screens.append(without_colour(screen)),
        asked=save_once_more,
    )
    try:
        save(root, "coins.py", LOOP)
        assert watch.poll()
        assert not watch.poll()
    finally:
        watch.close()
    assert "checking ..." in screens[1]
    assert "6 of 6 points" in screens[1]
    assert "a dime is worth five" in shown(watch)


def test_a_loop_is_named_once_and_the_others_were_not_run(watch, root):
    save(root, "coins.py", LOOP)
    watch = watch("01")
    line = LOOP[: LOOP.index("while")].count("\n") + 1
    assert f"coins.py:{line}" in shown(watch)
    assert f"in coins.py, line {line}: while True:" in shown(watch)
    assert f"not run: `Coin.worth` (coins.py, line {line}) did not end" in shown(watch)


def test_q_ends_a_check_and_another_key_waits_for_its_end(course, root):
    pty = pytest.importorskip("pty")
    hands, screen = pty.openpty()
    save(root, "coins.py", LOOP)
    with (
        os.fdopen(hands, "wb", 0) as keys,
        os.fdopen(screen) as terminal,
        Keyboard(terminal) as keyboard,
    ):
        keys.write(b"q")
        with pytest.raises(Quit):
            Watch(find_workspace(course, root), course.stage("01"), asked=keyboard.has_key)
        keys.write(b"l")
        while not keyboard.has_key():  # the system may deliver the key later
            pass
        assert keyboard.read(0.0) == "l"


def test_the_bar_is_true_when_a_later_task_is_repaired(watch, root):
    save(root, "coins.py", FIVE_PENCE.replace("self._coins.append(coin)", "pass"))
    watch = watch("01")
    assert not watch.check_rest()
    save(root, "coins.py", FIVE_PENCE)
    watch.poll()
    assert watch.now.task == 1
    assert watch.check_rest()
    assert not watch.check_rest()
    save(root, "coins.py", REFERENCE)
    watch.poll()
    assert watch.check_rest()
    assert "6 of 6 points" in shown(watch)
    assert "Task 2, A purse, passes too: n goes on to it." in shown(watch)


def test_a_key_puts_off_the_check_of_later_tasks(course, root):
    keys = []
    watch = Watch(find_workspace(course, root), course.stage("01"), asked=lambda: bool(keys))
    try:
        save(root, "coins.py", FIVE_PENCE)
        watch.poll()
        keys.append("l")
        assert not watch.check_rest()
        keys.clear()
        assert watch.check_rest()
    finally:
        watch.close()


def test_q_ends_the_watch_during_the_check_of_later_tasks(course, root):
    keys = []

    def asked():
        if keys:
            raise Quit
        return False

    watch = Watch(find_workspace(course, root), course.stage("01"), asked=asked)
    try:
        save(root, "coins.py", FIVE_PENCE)
        watch.poll()
        keys.append("q")
        with pytest.raises(Quit):
            watch.check_rest()
    finally:
        watch.close()


def test_an_example_of_the_brief_that_differs_is_shown_and_holds_nobody_up(watch, root, tmp_path):
    watch = watch("01")
    brief = tmp_path / "course/assignments/01-coins/README.md"
    brief.write_text(brief.read_text().replace("worth\n10\n", "worth\n11\n"))
    save(root, "coins.py", REFERENCE)
    assert watch.poll()
    assert "✓ Task 1, What a coin is worth, passes. Task 1: What a coin is worth" in shown(watch)
    assert (
        'comes out differently: from coins import Coin Coin("dime").worth came back 10 expected 11'
        in shown(watch)
    )
    assert watch.press("n")
