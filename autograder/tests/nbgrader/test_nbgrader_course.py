"""`hearts nbgrader`: a course that nbgrader releases itself, with nothing secret in the release."""

import ast
import json
import re

import pytest
from desks import STAGE, cells, source_of, tiny_desk
from hearts_course.authoring.build import build
from hearts_course.cli import run
from hearts_course.course import find_course
from hearts_course.nbgrader.course import config_text, hidden_tests_by_task, make_nbgrader_course
from tiny_class import put
from tiny_course import write_course

BODY_LEAST = 12  # letters; a shorter body, such as `pass`, is nobody's secret


def squeezed(text):
    return re.sub(r"[\s#]+", "", text)


def everything(folder, without=""):
    """Every byte of every file, as it stands, and once more as the text that JSON spells out."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.parent.name != without)
    for path in sorted(files):
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


def bodies(source):
    """The body of each function, without its docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            rest = node.body[1:] if ast.get_docstring(node) is not None else node.body
            if rest:
                yield "\n".join(source.split("\n")[rest[0].lineno - 1 : node.end_lineno])


def hidden(stage):
    return [text for texts in hidden_tests_by_task(stage).values() for text in texts]


def nothing_secret_is_released(course, desk):
    released = squeezed("\n".join(everything(desk / "release")))
    public = squeezed("\n".join(everything(course.root / "assignments", "__pycache__")))
    secrets = {}
    for stage in course.stages:
        for source in stage.reference().values():
            for body in map(squeezed, bodies(source)):
                if body not in public and len(body) >= BODY_LEAST:
                    secrets[body] = stage.name
        for text in map(squeezed, hidden(stage)):
            assert text not in public
            secrets[text] = stage.name
        for path in stage.hidden_tests:
            for body in map(squeezed, bodies(path.read_text())):
                if body not in public and len(body) >= BODY_LEAST:
                    secrets[body] = stage.name
    assert len(secrets) > 200
    assert [(where, secret) for secret, where in secrets.items() if secret in released] == []


def the_search_would_find_what_is_secret(course, desk):
    source = squeezed("\n".join(everything(desk / "source")))
    for stage in course.stages:
        for text in hidden(stage):
            assert squeezed(text) in source
    body = max(bodies(course.stages[0].reference()["cards"]), key=len)
    assert squeezed(body) in source


def every_hidden_test_is_in_the_source_of_its_task(course, desk):
    for stage in course.stages:
        tests = [
            node
            for path in stage.hidden_tests
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        found = hidden_tests_by_task(stage)
        assert sum(map(len, found.values())) == len(tests)
        assert set(found) <= {task.id for task in stage.tasks}


def the_released_notebook_is_the_one_that_self_learners_have(course, desk):
    for stage in course.stages:
        ours = cells(stage.notebook)
        theirs = cells(desk / "release" / stage.name / stage.notebook.name)
        assert [(c["id"], source_of(c)) for c in theirs] == [(c["id"], source_of(c)) for c in ours]


def files_go_with_the_notebook(course, desk):
    for stage in course.stages:
        folder = desk / "release" / stage.name
        for name in stage.files:
            assert (folder / name).read_text() == (stage.assignment / name).read_text()
        for path in (*stage.visible_tests, *stage.samples):
            assert (folder / path.name).read_bytes() == path.read_bytes()


def test_all_stages_are_released_by_nbgrader_itself(tmp_path):
    course, desk = find_course(), tmp_path / "desk"
    list(make_nbgrader_course(course, desk, course.stages))
    nothing_secret_is_released(course, desk)
    the_search_would_find_what_is_secret(course, desk)
    every_hidden_test_is_in_the_source_of_its_task(course, desk)
    the_released_notebook_is_the_one_that_self_learners_have(course, desk)
    files_go_with_the_notebook(course, desk)


def test_again_it_is_brought_up_to_date_and_settings_stay(tmp_path, monkeypatch, capsys):
    course, desk = tiny_desk(tmp_path)
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    config = desk / "nbgrader_config.py"
    config.write_text(config.read_text() + "# mine\n")
    brief = course.root / f"assignments/{STAGE}/README.md"
    brief.write_text(brief.read_text().replace("Money, in short.", "Money, at length."))
    assert run(["nbgrader", str(desk)]) == 0
    assert f"released  {STAGE}" in capsys.readouterr().out
    assert config.read_text().endswith("# mine\n")
    texts = "".join(map(source_of, cells(desk / f"release/{STAGE}/{STAGE}.ipynb")))
    assert "Money, at length." in texts


def test_what_cannot_be_an_nbgrader_course(tmp_path, monkeypatch, capsys):
    course, desk = tiny_desk(tmp_path)
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/essay.txt").write_text("mine")
    for folder, why in {
        course.root / "solutions/desk": "is in the course itself",
        tmp_path / "full": "not empty",
    }.items():
        assert run(["nbgrader", str(folder)]) == 2
        assert why in capsys.readouterr().err
    assert run(["nbgrader", str(desk), "--gradebook", "sqlite://"]) == 2
    assert "change the gradebook in it" in capsys.readouterr().err


OURS = "OURS"  # what `hearts nbgrader` writes
PLAIN = "c = get_config()\nc.CourseDirectory.course_id = 'mine'\n"
EXECUTE = "nbgrader.preprocessors.Execute"
STEPS = "c.Autograde.autograde_preprocessors"


def desk_with(tmp_path, monkeypatch, config, **files):
    """An nbgrader course with these settings: `hearts nbgrader`'s exit status, and its files."""
    course = write_course(tmp_path / "course")
    build(course, course.stages)
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    text = config.replace(OURS, config_text(course))
    put(tmp_path / "desk", {"nbgrader_config.py": text, **files})
    status = run(["nbgrader", str(tmp_path / "desk")])
    return status, sorted(path.name for path in (tmp_path / "desk").iterdir())


@pytest.mark.parametrize(
    "config",
    [
        PLAIN,
        f"{PLAIN}# hearts_course.nbgrader.autograde.SandboxedExecute\n",
        f"{PLAIN}{STEPS} = ['hearts_course.nbgrader.autograde.SandboxedExecute', '{EXECUTE}']\n",
        f"{OURS}{STEPS} = ['{EXECUTE}', 'nbgrader.preprocessors.SaveAutoGrades']\n",
        f"{OURS}{STEPS}.insert(0, '{EXECUTE}')\n",
        f"{OURS}c.Autograde.sanitize_preprocessors.append('{EXECUTE}')\n",
        f"{OURS}{STEPS}.append('no.such.Preprocessor')\n",
        f"{OURS}c.SandboxedExecute.enabled = False\n",
        "raise ValueError\n",
        "def",
    ],
)
def test_a_course_that_does_not_grade_in_the_sandbox_is_refused(
    tmp_path, monkeypatch, capsys, config
):
    status, there = desk_with(tmp_path, monkeypatch, config)
    assert (status, there) == (2, ["nbgrader_config.py"])
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "does not grade in the sandbox, and students' cells could run with your rights" in err


def test_settings_in_json_count_too(tmp_path, monkeypatch, capsys):
    steps = json.dumps({"Autograde": {"autograde_preprocessors": [EXECUTE]}})
    status, there = desk_with(tmp_path, monkeypatch, OURS, **{"nbgrader_config.json": steps})
    assert (status, there) == (2, ["nbgrader_config.json", "nbgrader_config.py"])
    assert "does not grade in the sandbox" in capsys.readouterr().err


@pytest.mark.parametrize(
    "config",
    [
        f"{OURS}{STEPS}.insert(1, 'nbgrader.preprocessors.IgnorePattern')\n",
        f"{OURS}c.Execute.timeout = 60\n",
        f"{OURS}{STEPS}.append('{EXECUTE}')\nc.Execute.enabled = False\n",
    ],
)
def test_edited_settings_that_grade_in_the_sandbox_are_kept(tmp_path, monkeypatch, config):
    status, there = desk_with(tmp_path, monkeypatch, config)
    assert (status, there) == (0, ["gradebook.db", "nbgrader_config.py", "release", "source"])


@pytest.mark.parametrize(
    "name", ["source/01-coins/a.ipynb", "gradebook.db", "nbgrader_config.json"]
)
def test_another_course_without_settings_of_its_own_is_refused(tmp_path, monkeypatch, capsys, name):
    """Such as one whose settings lie in the folder above, or in JSON."""
    course = write_course(tmp_path / "course")
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    put(tmp_path, {f"desk/{name}": "{}", "nbgrader_config.py": PLAIN})
    assert run(["nbgrader", str(tmp_path / "desk")]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "desk").iterdir()] == [name.partition("/")[0]]


def test_a_gradebook_that_cannot_be_used_is_not_left_behind(tmp_path, monkeypatch, capsys):
    course = write_course(tmp_path / "course")
    build(course, course.stages)
    monkeypatch.setattr("hearts_course.cli.find_course", lambda: course)
    command = ["nbgrader", str(tmp_path / "desk")]
    assert run([*command, "--gradebook", "nonsense"]) == 2
    assert "not a gradebook's URL" in capsys.readouterr().err
    assert run([*command, "--gradebook", f"sqlite:///{tmp_path}/desk/mine.db"]) == 0
    assert (tmp_path / "desk/mine.db").exists()
