"""If nbgrader cannot use the stages, it stops before it runs a student's cell."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbgrader
import pytest
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.nbgrader.course import make_nbgrader_course
from nbgrader_courses import built_course, submissions
from proofs import proofs_after
from tiny_class import STAGE, put

OWN = "c = get_config()\nc.CourseDirectory.course_id = 'mine'\n"
WRITE = """
try:
    open({!r}, "w").close()
except OSError:  # in the sandbox
    pass
"""
ERRORS = {  # errors in the settings; nbgrader then ignores all settings
    "no module": ("from hearts_grader", "from another_grader"),
    "no function": ("    import", "    import_"),
    "before ours": ("c = get_config()", "c = get_config()\nnothing"),
    "no settings at all": ("c = get_config()", "def"),
}
KINDS = ["a course of stages", "a course of one's own"]
# In an instructor's own course, the settings that `hearts nbgrader` writes follow the course's own
# settings. They are the same as elsewhere, so only one kind of error is tried there by default.
REPEATED = [pytest.param(OWN, error, marks=pytest.mark.exhaustive) for error in [*ERRORS][1:]]
BROKEN = [
    *proofs_after(1, [("", error) for error in ERRORS]),
    *proofs_after(0, [(OWN, "no module")]),
]


@pytest.fixture(scope="module")
def other_python(tmp_path_factory):
    """The Python of an environment that has nbgrader and its packages, but not `hearts`."""
    root = tmp_path_factory.mktemp("other")
    venv.create(root, with_pip=False, symlinks=True)
    paths = sysconfig.get_paths(vars={"base": str(root), "platbase": str(root)})
    for package in Path(nbgrader.__file__).parents[1].iterdir():
        if "hearts_course" not in package.name:
            (Path(paths["purelib"]) / package.name).symlink_to(package)
    return Path(paths["scripts"]) / "python"


@pytest.fixture(params=proofs_after(1, ["", OWN]), ids=KINDS)
def root(request, tmp_path):
    """The folder of a course with a submission that writes a file if any of its cells runs."""
    course = built_course(tmp_path / "course")
    root = tmp_path / "nbgrader"
    if request.param:
        put(root, {"nbgrader_config.py": request.param, "source/ps1/ps1.ipynb": "{}"})
    list(make_nbgrader_course(course, root, course.stages))
    notebook = reference_notebook(course.stages[0])
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source += WRITE.format(str(tmp_path / "ran"))
    put(root / "submitted/ada" / STAGE, {f"{STAGE}.ipynb": notebook_text(notebook)})
    return root


def autograde(python, root):
    command = [python, "-m", "nbgrader", "autograde", STAGE, "--create"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def nothing_was_run(root):
    return not (root.parent / "ran").exists() and not (root / f"autograded/ada/{STAGE}").exists()


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_an_nbgrader_without_this_tool_stops_and_names_the_one_that_has_it(other_python, root):
    done = autograde(other_python, root)
    assert done.returncode == 1
    *_, reason, command = done.stderr.splitlines()
    assert reason == (
        f"nbgrader stops, because {other_python} cannot use the stages here: "
        "No module named 'hearts_grader'"
    )
    programs = command.removeprefix("Run instead: ").removesuffix(" lab").split(", or ")
    assert [Path(one).name for one in programs] == ["nbgrader", "jupyter"]
    assert all(Path(one).is_file() for one in programs)
    assert nothing_was_run(root)
    assert autograde(sys.executable, root).returncode == 0
    assert submissions(f"sqlite:///{root}/gradebook.db")["ada"][0] == 6


def test_settings_for_a_course_that_was_moved_stop_nbgrader(tmp_path, root):
    (tmp_path / "course").rename(tmp_path / "moved")
    done = autograde(sys.executable, root)
    assert done.returncode == 1
    assert "no course is here" in done.stderr
    assert nothing_was_run(root)


@pytest.mark.parametrize(
    ("root", "error"),
    [*BROKEN, *REPEATED],
    indirect=["root"],
    ids=lambda value: KINDS[bool(value)] if value in ("", OWN) else value,
)
def test_settings_with_an_error_let_nbgrader_run_nothing(root, error):
    settings = root / "nbgrader_config.py"
    text = settings.read_text()
    right, wrong = ERRORS[error]
    assert right in text
    settings.write_text(text.replace(right, wrong))
    assert autograde(sys.executable, root).returncode
    assert nothing_was_run(root)
