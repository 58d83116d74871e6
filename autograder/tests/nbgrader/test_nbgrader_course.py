"""`hearts nbgrader`: a course that nbgrader releases itself, with nothing secret in the release."""

import ast
import json
import re
import shutil
from itertools import chain
from pathlib import Path

import pytest
from commands import hearts
from hearts_course.cli import run
from hearts_course.course import find_course
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from hearts_grader.nbgrader.course import (
    config_text,
    hidden_tests_by_task,
    make_nbgrader_course,
)
from nbgrader_courses import (
    built_course,
    cells,
    source_of,
    step,
    submissions,
    tiny_nbgrader_course,
)
from proofs import proofs_after
from surroundings import typed
from tiny_class import STAGE, put
from transcripts import replay

MIN_BODY = 12  # characters; a shorter body, such as `pass`, is not a secret


def squeezed(text):
    return re.sub(r"[\s#]+", "", text)


def everything(folder):
    """Yield each file's text, and for a notebook also the strings in its JSON."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__":
            raw = path.read_text(encoding="utf-8")
            yield raw
            if path.suffix == ".ipynb":
                yield "\n".join(strings(json.loads(raw)))


def strings(value):
    match value:
        case str():
            yield value
        case list():
            yield "".join(part for part in value if isinstance(part, str))
            for part in value:
                yield from strings(part)
        case dict():
            for key, part in value.items():
                yield key
                yield from strings(part)


def functions(source):
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))


def bodies(source):
    """Yield the body of each function, without its docstring."""
    for node in functions(source):
        statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if statements:
            yield "\n".join(source.split("\n")[statements[0].lineno - 1 : node.end_lineno])


def check_that_nothing_secret_is_released(course, root):
    released = squeezed("\n".join(everything(root / "release")))
    public = squeezed("\n".join(everything(course.root / "assignments")))
    source = squeezed("\n".join(everything(root / "source")))
    secrets = {}
    for stage in course.stages:
        programs = [*stage.reference().values(), *(p.read_text() for p in stage.hidden_tests)]
        for body in (squeezed(body) for program in programs for body in bodies(program)):
            if body not in public and len(body) >= MIN_BODY:
                secrets[body] = stage.name
        for text in map(squeezed, chain(*hidden_tests_by_task(stage).values())):
            assert text not in public
            assert text in source  # `source` has it, so a search of `released` would find a leak
            secrets[text] = stage.name
    assert len(secrets) > 200
    assert [(where, secret) for secret, where in secrets.items() if secret in released] == []
    body = max(bodies(course.stages[0].reference()["cards"]), key=len)
    assert squeezed(body) in source


def check_that_students_get_the_notebook_and_files_of_self_learners(stage, root):
    folder = root / "release" / stage.name
    ours, released = (cells(path) for path in (stage.notebook, folder / stage.notebook.name))
    assert [(c["id"], source_of(c)) for c in released] == [(c["id"], source_of(c)) for c in ours]
    files = [stage.assignment / name for name in stage.files]
    for path in (*files, *stage.visible_tests, *stage.samples):
        assert (folder / path.name).read_bytes() == path.read_bytes()


@pytest.mark.proof
@pytest.mark.timeout(600)  # nbgrader releases one stage after another
def test_nbgrader_itself_releases_all_stages_without_secrets(tmp_path):
    course = find_course()
    root = tmp_path / "nbgrader"
    list(make_nbgrader_course(course, root, course.stages))
    check_that_nothing_secret_is_released(course, root)
    for stage in course.stages:
        check_that_students_get_the_notebook_and_files_of_self_learners(stage, root)
        tests_by_task = hidden_tests_by_task(stage)
        tests = [node for path in stage.hidden_tests for node in functions(path.read_text())]
        assert sum(map(len, tests_by_task.values())) == sum(
            definition.name.startswith("test_") for definition in tests
        )
        assert set(tests_by_task) <= {task.id for task in stage.tasks}


def environment(root, monkeypatch=None):
    """Write empty programs of a Python environment; return the folder `bin` that has them.

    With `monkeypatch`, make this environment the one that seems to run the tool.
    """
    for name in ("python", "nbgrader", "jupyter"):
        put(root / "bin", {name: "#!/bin/sh\n"})
        (root / "bin" / name).chmod(0o755)
    if monkeypatch:
        monkeypatch.setattr("sys.executable", str(root / "bin/python"))
    return root / "bin"


def test_programs_of_another_environment_are_named(hearts_nbgrader, tmp_path, monkeypatch, capsys):
    ours = environment(tmp_path / "ours", monkeypatch)
    other_environment = environment(tmp_path / "other")
    links = tmp_path / "links"
    links.mkdir()
    for name in ("nbgrader", "jupyter"):
        (links / name).symlink_to(ours / name)
    for path, foreign in (
        (ours, []),
        (links, []),
        (tmp_path / "nowhere", []),
        (other_environment, ["nbgrader", "jupyter"]),
    ):
        monkeypatch.setenv("PATH", str(path))
        status, error, _ = hearts_nbgrader({})
        assert status == 0
        assert error.splitlines() == [
            f"hearts: {other_environment / name} is of another Python environment, "
            f"which cannot grade here; use {ours / name}"
            for name in foreign
        ]


PLAIN = "c = get_config()\nc.CourseDirectory.course_id = 'mine'\n"
OURS = "OURS"  # stands for the settings that `hearts nbgrader` writes
EXECUTE = "nbgrader.preprocessors.Execute"
CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return built_course(tmp_path_factory.mktemp("tiny") / "course")


@pytest.fixture
def hearts_nbgrader(course, tmp_path, capsys):
    """Return a function that writes files into a folder and runs `hearts nbgrader` on it.

    The function returns the exit status, the error output, and the names in the folder afterwards.
    """

    def hearts_nbgrader(files, *options):
        folder = tmp_path / "nbgrader"
        if files:
            put(folder, {name: t.replace(OURS, config_text(course)) for name, t in files.items()})
        status = run(["nbgrader", str(folder), *options], course)
        names_in_folder = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
        return status, capsys.readouterr().err, names_in_folder

    return hearts_nbgrader


@pytest.mark.parametrize("config", ["raise ValueError\n", "def"])
def test_settings_that_nbgrader_cannot_read_are_refused(hearts_nbgrader, tmp_path, config):
    status, error, names_in_folder = hearts_nbgrader({"nbgrader_config.py": config}, "--yes")
    assert (status, names_in_folder, error.count("\n")) == (2, ["nbgrader_config.py"], 1)
    assert "nbgrader does not read what `hearts nbgrader` writes there" in error
    assert (tmp_path / "nbgrader/nbgrader_config.py").read_text() == config


def test_settings_of_an_earlier_version_say_which_line_to_change(hearts_nbgrader, course):
    old = config_text(course).replace("hearts_grader.nbgrader.course", "hearts_course.desk.config")
    status, error, _ = hearts_nbgrader({"nbgrader_config.py": old})
    assert (status, error.count("\n")) == (2, 1)
    _, old_line, _, new_line, _ = error.split("`")
    fixed = old.replace(old_line, new_line)
    assert old_line in old
    assert hearts_nbgrader({"nbgrader_config.py": fixed})[0] == 0


TREACHEROUS = f"""{PLAIN}
c.Autograde.sanitize_preprocessors = ['{EXECUTE}']
c.Autograde.autograde_preprocessors = ['{EXECUTE}']
c.SandboxedExecute.enabled = c.SaveAutoGrades.enabled = c.OverwriteCells.enabled = False
c.GenerateAssignment.preprocessors = []
c.ClearHiddenTests.begin_test_delimeter = "VERBORGEN"
"""


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    ("settings_before", "settings_after"), proofs_after(1, [(TREACHEROUS, ""), (OURS, TREACHEROUS)])
)
def test_no_setting_for_own_assignments_reaches_a_stage(
    hearts_nbgrader, course, tmp_path, settings_before, settings_after
):
    stage = course.stages[0]
    root = tmp_path / "nbgrader"
    settings = {"nbgrader_config.py": settings_before + settings_after}
    assert hearts_nbgrader(settings, "--yes")[0] == 0
    check_that_students_get_the_notebook_and_files_of_self_learners(stage, root)
    released = squeezed("\n".join(everything(root / "release")))
    for text in chain(*hidden_tests_by_task(stage).values()):
        assert squeezed(text) not in released
    notebook = reference_notebook(stage)
    notebook.cells[-1].source += f"\nopen({str(tmp_path / 'ran')!r}, 'w')"
    put(root / "submitted/ada" / STAGE, {f"{STAGE}.ipynb": notebook_text(notebook)})
    assert step(root, "autograde")[0]
    assert submissions(f"sqlite:///{root}/gradebook.db")["ada"][0] == 6
    assert not (tmp_path / "ran").exists()


def test_what_is_said_about_stages_in_a_course_of_ones_own(course, tmp_path, monkeypatch, capsys):
    """Three commands exist only in this transcript.

    `$ answer yes hearts ...` runs `hearts ...` and types `yes`. `$ tail FILE` prints the last lines
    of the file. `$ shared FILE` moves the file, lets a group write it, and leaves a link to it.
    """
    shutil.copytree(course.root, tmp_path / "hearts")
    environment(tmp_path / "venv", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "venv/bin"))
    monkeypatch.chdir(tmp_path)

    def answer(arguments):
        typed(monkeypatch, arguments[:1])
        return hearts(*arguments[2:], folder="hearts")

    def tail(arguments):
        print(*Path(arguments[0]).read_text().splitlines()[-13:], sep="\n")

    def shared(arguments):
        path = Path(arguments[0])
        real = Path("shared.py")
        path.rename(real).chmod(0o664)
        path.symlink_to(real.resolve())

    replay(CASES / "own-course", capsys, "hearts", answer=answer, tail=tail, shared=shared)
    assert Path("cs101/nbgrader_config.py").is_symlink()
    assert Path("shared.py").stat().st_mode & 0o777 == 0o664


@pytest.mark.parametrize(
    "name", ["essay.txt", "source/01-coins/a.ipynb", "gradebook.db", "nbgrader_config.json"]
)
def test_a_folder_without_settings_that_is_not_empty_is_refused(hearts_nbgrader, tmp_path, name):
    """A course may have its settings elsewhere, such as in the folder above, or in JSON."""
    put(tmp_path, {"nbgrader_config.py": PLAIN})
    status, error, names_in_folder = hearts_nbgrader({name: "{}"})
    assert (status, names_in_folder) == (2, [name.partition("/")[0]])
    assert "not empty" in error


def test_a_folder_in_the_course_itself_is_refused(course, capsys):
    assert run(["nbgrader", str(course.root / "solutions/nbgrader")], course) == 2
    assert "is in the course itself" in capsys.readouterr().err


def test_a_gradebook_that_cannot_be_used_is_forgotten(hearts_nbgrader, tmp_path):
    status, error, names_in_folder = hearts_nbgrader({}, "--gradebook", "nonsense")
    assert (status, names_in_folder) == (2, [])
    assert "not a gradebook's URL" in error
    mine = f"sqlite:///{tmp_path}/nbgrader/mine.db"
    assert hearts_nbgrader({}, "--gradebook", mine)[0] == 0
    assert (tmp_path / "nbgrader/mine.db").exists()
    status, error, _ = hearts_nbgrader({}, "--gradebook", "sqlite://")
    assert status == 2
    assert "change the gradebook in it" in error


def test_a_second_run_brings_the_course_up_to_date(tmp_path, capsys):
    course, root = tiny_nbgrader_course(tmp_path)
    brief = course.root / f"assignments/{STAGE}/README.md"
    words = "Money, at length. ![A coin](../pictures/coin.svg)"
    brief.write_text(brief.read_text().replace("Money, in short.", words))
    (course.root / "assignments/pictures").mkdir()
    (course.root / "assignments/pictures/coin.svg").write_text("<svg/>")
    assert run(["nbgrader", str(root)], course) == 0
    assert f"released  {STAGE}" in capsys.readouterr().out
    texts = "".join(map(source_of, cells(root / f"release/{STAGE}/{STAGE}.ipynb")))
    assert "Money, at length." in texts
    released = root / f"release/{STAGE}"
    assert "](pictures/coin.svg)" in (released / "README.md").read_text()
    assert (released / "pictures/coin.svg").read_text() == "<svg/>"
