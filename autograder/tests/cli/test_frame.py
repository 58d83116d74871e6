"""The command `hearts` reports a fault in one line; the exit status says what kind of fault."""

import os
import subprocess
import sys

import pytest
from hearts_course import cli
from hearts_course.errors import CourseError, UsageError
from student_course import start_workspace, student_course


@pytest.fixture
def failing(monkeypatch):
    """Return a function that makes plain `hearts` raise the given error."""

    def fail_with(error):
        def show_status(context):
            raise error

        monkeypatch.setattr("hearts_course.cli.student.show_status", show_status)

    return fail_with


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (CourseError("a: b; run c"), 1, "hearts: a: b; run c\n"),
        (UsageError("a: b\nand c"), 2, "hearts: a: b and c\n"),
        (PermissionError(13, "Permission denied", "x.py"), 1, "hearts: x.py: Permission denied\n"),
        (OSError("odd"), 1, "hearts: this machine: odd\n"),
        (KeyboardInterrupt(), 130, "\nhearts: stopped\n"),
    ],
)
def test_an_expected_error_is_one_line(failing, capsys, error, status, line):
    failing(error)
    assert cli.run([]) == status
    assert capsys.readouterr() == ("", line)


def test_an_unexpected_error_asks_to_be_reported(failing, capsys):
    failing(ZeroDivisionError("division by zero"))
    assert cli.run([]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "hearts: unexpected ZeroDivisionError: division by zero; please report this line "
        "(HEARTS_DEBUG=1 shows where it came from)\n"
    )


def test_debugging_shows_the_traceback(failing, capsys, monkeypatch):
    monkeypatch.setenv("HEARTS_DEBUG", "1")
    failing(ZeroDivisionError("division by zero"))
    assert cli.run([]) == 1
    assert capsys.readouterr().err.startswith("Traceback (most recent call last):")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["chek"], "hearts: no command is called 'chek'; did you mean check?\n"),
        (["check", "--notebok"], "--notebook"),
        (["submit"], "see `hearts submit --help`\n"),
        (
            ["start"],
            "name a folder for it, such as `hearts start my-hearts`; see `hearts start --help`\n",
        ),
        (["--nonsense"], "see `hearts --help`\n"),
    ],
)
def test_misuse_is_one_line_with_advice(capsys, arguments, line):
    assert cli.run(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("hearts: ")
    assert line in err


def test_help_sorts_commands_by_audience(capsys):
    assert cli.run(["--help"]) == 0
    out = capsys.readouterr().out
    assert out.index("Every day") < out.index("  check ") < out.index("  submit ")
    assert out.index("Later") < out.index("  play ") < out.index("For instructors")
    assert out.index("  grade ") < out.index("For authors") < out.index("  verify ")


def test_without_the_grader_its_commands_are_not_listed_and_say_what_they_need(capsys, monkeypatch):
    monkeypatch.setattr(cli, "HAS_GRADER", False)
    assert cli.run(["--help"]) == 0
    out = capsys.readouterr().out
    assert "Every day" in out
    assert not [word for word in ("For instructors", "For authors", "--overlay") if word in out]
    assert cli.run(["grade", "class"]) == 2
    assert capsys.readouterr().err == (
        "hearts: `hearts grade` is for instructors and authors; "
        "run it in a checkout, after `make setup`\n"
    )


def test_in_a_workspace_a_student_is_shown_a_students_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(start_workspace(student_course(tmp_path / "course"), tmp_path / "mine").root)
    assert cli.run(["--help"]) == 0
    out = capsys.readouterr().out
    assert "  watch " in out
    hidden = ("For instructors", "  grade ", "  result ", "--overlay")
    assert not [word for word in hidden if word in out]


def test_every_command_has_help(capsys):
    for name in cli.hearts.list_commands(None):
        assert cli.run([name, "--help"]) == 0
        assert capsys.readouterr().out.startswith(f"Usage: hearts {name}")


def command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "hearts_course", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        timeout=30,
        check=False,
    )


def test_version():
    done = command("--version")
    assert (done.returncode, done.stdout[:7], done.stderr) == (0, b"hearts ", b"")


@pytest.mark.proof
def test_a_file_named_like_a_module_of_pythons_stops_no_command(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('my dice')\n")
    for arguments, status in ((["start", "."], 0), (["check", "01"], 1)):
        hearts = [sys.executable, "-m", "hearts_course", *arguments]
        done = subprocess.run(hearts, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        assert (done.returncode, b"my dice" in done.stderr) == (status, False)
    assert b"not written yet" in done.stdout


def test_a_console_without_symbols_does_not_end_a_command(tmp_path):
    done = command("check", "--dir", str(tmp_path / "♣"), PYTHONIOENCODING="cp1252")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"/? is not a workspace" in done.stderr


def test_a_console_without_symbols_prints_the_rest():
    code = (
        "from hearts_course.text import make_stdout_tolerant; "
        "make_stdout_tolerant(); print('a ♣ b')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": "cp1252:strict"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, b"a ? b", b"")


def test_importing_the_package_is_light():
    code = (
        "import sys, hearts_course; "
        "sys.exit(bool({'rich', 'pytest', 'click', 'nbformat'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_student_commands_do_not_need_posix():
    """The child process acts as on Windows: it cannot import the modules that `code` names."""
    code = (
        "import sys\n"
        "for name in ('fcntl', 'resource', 'pwd', 'grp', 'termios', 'pty'):\n"
        "    sys.modules[name] = None\n"
        "import hearts_course.cli.student\n"
        "import hearts_course.student.jupyter, hearts_course.cli.play\n"
        "import hearts_course.testing.in_process\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


NAMELESS = """
import pwd, sys
from pathlib import Path
pwd.getpwuid = {}.__getitem__  # the user has no entry
sys.argv = ["hearts", "--help"]
from hearts_course.__main__ import main
try:
    main()
finally:
    print(Path.home())
"""


def test_a_user_without_a_home_folder_has_one_that_holds_nothing():
    """Some libraries look for the home folder on import; without one, the command would fail."""
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    completed = subprocess.run(
        [sys.executable, "-c", NAMELESS],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.endswith("\n/\n")
