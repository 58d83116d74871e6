"""A release has the released stages and the files that install them, but no answers."""

import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from importlib.util import MAGIC_NUMBER
from shutil import which

import pytest
from hearts_course.brief import load_discussion
from hearts_course.cli import run
from hearts_course.course import Course, find_course
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import write_whole
from hearts_course.play.table import NEEDED
from hearts_course.student.workspace import STATE_FILE, start_workspace
from hearts_grader.model_answers import MODEL_ANSWERS
from hearts_grader.release.bundle import (
    INSIDE,
    autograder,
    build_wheel,
    bundle,
    files_below,
    github_template,
    in_wheel,
    model_answers,
    refuse_secrets,
    released_stages,
    self_study,
    solutions,
)
from hearts_grader.release.publish import publish
from hearts_grader.site import build
from hearts_grader.site.parts import PYODIDE
from proofs import proofs_after
from surroundings import cannot_be_renamed
from tiny_class import course_with_starter, zipped

COURSE = find_course()
FIRST = COURSE.stages[0]
REVEALED = FIRST.revealed.relative_to(COURSE.root).as_posix()
HIDDEN = {
    path.relative_to(COURSE.root).as_posix(): path.read_bytes()
    for stage in COURSE.stages
    for folder in (stage.solution, stage.autograder)
    for path in files_below(folder)
    if path.name != MODEL_ANSWERS
}
MODEL = {path.read_bytes() for path in model_answers(COURSE.stages)}
SECRET = {data for name, data in HIDDEN.items() if name.endswith(".py")}


@pytest.fixture(name="files", scope="module")
def _files():
    return dict(bundle(COURSE, [FIRST]))


def contents(wheel):
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def hearts(installed, folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(installed), "GITHUB_ACTOR": "ada"}
    command = [sys.executable, "-P", "-m", "hearts_course", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_a_wheel_of_the_checkout_holds_no_answers_and_can_be_used(tmp_path):
    wheel = build_wheel(COURSE)
    inside = contents(wheel.data)
    assert SECRET
    assert not SECRET & set(inside.values())
    shipped = {name.split("/")[2] for name in inside if name.startswith(INSIDE)}
    assert shipped == {"assignments", "notebooks"}
    zipfile.ZipFile(io.BytesIO(wheel.data)).extractall(tmp_path / "installed")
    started = hearts(tmp_path / "installed", tmp_path, "start", "work")
    assert started.returncode == 0, started.stderr
    checked = hearts(tmp_path / "installed", tmp_path, "check", FIRST.name, "--dir", "work")
    assert checked.returncode == 1, checked.stderr
    assert f"0 of {FIRST.points}" in checked.stdout


def test_the_wheel_of_a_release_holds_only_the_released_stages(files):
    (name,) = (name for name in files if name.endswith(".whl"))
    assert re.fullmatch(r"hearts_course-0\.1\.0\+stages\.1\.x\w{7}-py3-none-any\.whl", name)
    shipped = {path.split("/")[3] for path in contents(files[name]) if path.startswith(INSIDE)}
    shared = {"README.md", "five-games.md", "hearts-in-a-page.md", "pairs.md", "pictures"}
    assert shipped == {FIRST.name, f"{FIRST.name}.ipynb", *shared}
    assert bundle(COURSE, [FIRST]) == files


def test_the_readme_of_a_release_says_first_how_to_install(files):
    readme = files["README.md"].decode()
    assert readme.index("(INSTALL.md)") < readme.index("`hearts predict")


def test_a_release_that_is_started_again_changes_no_text(files, tmp_path):
    publish(tmp_path, "work", files)
    (wheel,) = (tmp_path / "work").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    started = hearts(tmp_path / "installed", tmp_path / "work", "start", ".")
    assert started.returncode == 0, started.stderr
    for name, data in files.items():
        if name != STATE_FILE:
            assert (tmp_path / "work" / name).read_bytes() == data, name


def test_notebooks_need_what_the_card_table_needs(files):
    (name,) = (name for name in files if name.endswith(".whl"))
    assert files["requirements-notebook.txt"].decode().splitlines()[1] == f"./{name}[notebook]"
    (metadata,) = (
        text for path, text in contents(files[name]).items() if path.endswith("METADATA")
    )
    for package in ("jupyterlab", *NEEDED):
        assert re.search(
            rf"(?m)^Requires-Dist: {package}\b.*extra == 'notebook'", metadata.decode()
        )


def compiled(source):
    """Return bytes like those of a compiled module on the web site."""
    return MAGIC_NUMBER + bytes(4) + importlib.util.source_hash(source) + b"code"


def tar_xz(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


REFERENCE = (FIRST.solution / FIRST.files[0]).read_bytes()
PATTERNS = (FIRST.autograder / "patterns.json").read_bytes()


@pytest.mark.parametrize(
    "leak",
    [
        {"hearts_course/answer.py": REFERENCE},
        {"x.pyc": compiled(FIRST.hidden_tests[0].read_bytes())},
        {"x.zip": zipped({"x.whl": zipped({"patterns.json": PATTERNS})})},
        {"x.tar.xz": tar_xz({"a/b.pyc": compiled(REFERENCE)})},
        {f"{INSIDE}solutions/x": b"x"},
        {f"{INSIDE}{REVEALED}/{FIRST.files[0]}": COURSE.stages[1].reference()["legal"].encode()},
        {f"{INSIDE}{REVEALED}/{FIRST.files[0]}": FIRST.hidden_tests[0].read_bytes()},
    ],
)
def test_a_release_with_an_answer_is_refused(leak):
    with pytest.raises(CourseError, match="not for students"):
        refuse_secrets(COURSE, leak.items(), in_wheel(solutions([FIRST])))


def test_no_release_holds_model_answers():
    assert len(MODEL) == sum(bool(load_discussion(stage)) for stage in COURSE.stages)
    for answer in MODEL:
        with pytest.raises(CourseError, match="not for students"):
            refuse_secrets(COURSE, [("notes.md", answer)])
    assert not MODEL & set(autograder(COURSE, FIRST).values())


def test_a_release_reveals_the_solution_of_the_named_stage_only(tmp_path):
    with pytest.raises(UsageError, match=f"{COURSE.stages[1].name}: not among the released"):
        bundle(COURSE, [FIRST], ["02"])
    files = bundle(COURSE, COURSE.stages[:2], ["01"])
    (name,) = (name for name in files if name.endswith(".whl"))
    assert name.startswith("hearts_course-0.1.0+stages.1.2.solved.1.x")
    revealed = {path for path, data in contents(files[name]).items() if data in SECRET}
    alternatives = {f"alternatives/{path.name}" for path in FIRST.autograder.glob("alternatives/*")}
    folders = {path.removeprefix(f"{INSIDE}{REVEALED}/").rpartition("/")[0] for path in revealed}
    assert folders == {"", *alternatives}
    zipfile.ZipFile(io.BytesIO(files[name])).extractall(tmp_path / "installed")
    publish(tmp_path, "hearts", files)
    for stage in COURSE.stages[:2]:
        for module, text in stage.reference().items():
            (tmp_path / "hearts" / f"{module}.py").write_text(text, encoding="utf-8")
        hearts(tmp_path / "installed", tmp_path / "hearts", "submit", stage.name)
    shown = hearts(tmp_path / "installed", tmp_path / "hearts", "compare", "deal-the-cards")
    assert "A third version" in shown.stdout, shown.stderr
    refused = hearts(tmp_path / "installed", tmp_path / "hearts", "compare", "02")
    assert "the solution of 02-legal-moves is not out yet" in refused.stderr


def test_a_student_can_begin_with_a_release(files, tmp_path):
    assert publish(tmp_path, "hearts", files) == "wrote"
    assert publish(tmp_path, "hearts", files) == "unchanged"
    with zipfile.ZipFile(tmp_path / "hearts.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    workspace = tmp_path / "unpacked/hearts"
    given = json.loads((workspace / ".hearts.json").read_text())["given"]
    assert {f"checks/{path.name}" for path in FIRST.visible_tests} < given.keys()
    assert all((workspace / name).is_file() for name in given)
    assert {"README.md", *FIRST.files} < given.keys()
    (wheel,) = workspace.glob("*.whl")
    assert f"./{wheel.name}\n" in (workspace / "requirements.txt").read_text()
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    done = hearts(tmp_path / "installed", workspace, "result")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((workspace / "result.json").read_text())
    keys = ("schema", "owner", "assignment", "score", "max-score")
    assert [document[key] for key in keys] == [
        *("classroom50/result/v1", "ada", FIRST.name, 0, FIRST.points)
    ]


@pytest.mark.proof
def test_a_unit_is_released_with_its_stages_its_points_and_its_page(tmp_path, capsys):
    assert run(["release", str(tmp_path / "out"), "--unit", "three-weeks"], COURSE) == 0
    assert "01-cards, 02-legal-moves, 02-clinic, 03-uva-181\n" in capsys.readouterr().out
    workspace = tmp_path / "out/hearts"
    brief = (workspace / "briefs/03-uva-181.md").read_text()
    headings = [line for line in brief.splitlines() if line.startswith("## Task ")]
    assert len(headings) == 9
    left_out = [number for number, line in enumerate(headings, start=1) if "left out" in line]
    assert left_out == [1, 2, 8, 9]
    assert "tasks 3 to 7" in (workspace / "UNIT.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--unit", "three"], "no unit is called 'three'; did you mean three-weeks?"),
        (["--unit", "three-weeks", "--stage", "01"], "leave out --stage"),
    ],
)
def test_a_unit_is_named_alone_and_exists(tmp_path, capsys, arguments, problem):
    assert run(["release", str(tmp_path / "out"), *arguments], COURSE) == 2
    assert problem in capsys.readouterr().err


def unpacked(data):
    """Yield the content of each file in a zip, and in the zips and wheels inside it."""
    for inner in contents(data).values():
        yield inner
        if zipfile.is_zipfile(io.BytesIO(inner)):
            yield from unpacked(inner)


@pytest.mark.proof
def test_only_the_edition_for_learning_alone_holds_what_is_hidden(tmp_path):
    publish(tmp_path, "hearts", bundle(COURSE, COURSE.stages))
    ordinary = list(unpacked((tmp_path / "hearts.zip").read_bytes()))
    assert (FIRST.assignment / "README.md").read_bytes() in ordinary
    assert not set(HIDDEN.values()) & set(ordinary)
    publish(tmp_path, "alone", self_study(COURSE, COURSE.stages[:1]))
    alone = set(unpacked((tmp_path / "alone.zip").read_bytes()))
    of_first = {n: data for n, data in HIDDEN.items() if FIRST.name in n.split("/")}
    assert set(of_first.values()) <= alone
    assert not {data for n, data in HIDDEN.items() if n not in of_first} & alone
    assert not MODEL & {*ordinary, *alone}
    (wheel,) = (tmp_path / "alone").glob("hearts_course-0.1.0+stages.1.selfstudy.x*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    assert "--give-up" in (tmp_path / "alone/README.md").read_text()
    assert "and graded" not in (tmp_path / "alone" / FIRST.notebook.name).read_text()
    started = hearts(tmp_path / "installed", tmp_path, "start", "alone")
    assert "replaced" not in started.stdout, "the wheel has the same texts"
    for name, text in FIRST.reference().items():
        (tmp_path / "alone" / f"{name}.py").write_text(text, encoding="utf-8")
    checked = hearts(tmp_path / "installed", tmp_path / "alone", "check", "--full", FIRST.name)
    points = f"{FIRST.points} of {FIRST.points} points. The hidden checks are included."
    assert points in checked.stdout, checked.stderr
    assert (
        "A third version"
        in hearts(tmp_path / "installed", tmp_path / "alone", "compare", "1").stdout
    )
    again = hearts(tmp_path / "installed", tmp_path, "release", "out")
    assert "not a checkout of the course" in again.stderr


@pytest.mark.proof
def test_a_class_gets_what_is_released_and_a_learner_alone_one_stage_after_the_other():
    stages = COURSE.stages[:2]
    second = f"briefs/{stages[1].name}.md"
    for files, grows in ((bundle(COURSE, stages), False), (self_study(COURSE, stages), True)):
        state = json.loads(files[".hearts.json"])
        assert (state["grows"], second not in files) == (grows, grows)
        assert f"briefs/{FIRST.name}.md" in state["given"]


@pytest.mark.parametrize("name", ["a.py", "mine.py", ".git/HEAD"])
def test_a_file_that_somebody_put_into_a_release_stays(tmp_path, name):
    publish(tmp_path, "hearts", {"a.py": b"1"})
    mine = tmp_path / "hearts" / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(UsageError, match=rf"hearts/{name}: not part of a release; move it away"):
        publish(tmp_path, "hearts", {"a.py": b"2"})
    assert mine.read_text() == "mine"


def test_an_interrupted_release_is_finished(tmp_path):
    publish(tmp_path, "hearts", {"a.py": b"1"})
    old = (tmp_path / "hearts.zip").read_bytes()
    publish(tmp_path, "hearts", {"a.py": b"2"})
    (tmp_path / "hearts.zip").write_bytes(old)
    assert publish(tmp_path, "hearts", {"a.py": b"2"}) == "replaced"
    assert publish(tmp_path, "hearts", {"a.py": b"2"}) == "unchanged"


def test_a_release_that_fails_leaves_the_one_before(tmp_path, monkeypatch):
    publish(tmp_path, "hearts", {"a.py": b"1"})
    new = b"2"
    cannot_be_renamed(monkeypatch, lambda path: (path / "a.py").read_bytes() == new)
    with pytest.raises(CourseError, match="No space left"):
        publish(tmp_path, "hearts", {"a.py": b"2"})
    assert (tmp_path / "hearts/a.py").read_bytes() == b"1"
    assert {path.name for path in tmp_path.iterdir()} == {"hearts", "hearts.zip"}


def test_a_template_holds_a_workflow_and_no_answers(files):
    made = github_template(files)
    assert not SECRET & set(made.values())
    assert not [name for name in made if "hidden" in name or "chaffs" in name]
    workflow = made[".github/workflows/hearts.yml"].decode()
    assert "pip install --quiet -r requirements.txt" in workflow
    assert "run: hearts result" in workflow
    assert '["3.11", "3.12", "3.13"]' in workflow
    assert b"result.json\n" in made[".gitignore"]
    assert made.keys() - files.keys() == {".github/workflows/hearts.yml", ".gitignore"}


def test_a_stage_comes_with_those_that_it_builds_on():
    finished = [stage for stage in COURSE.counted if not stage.draft]
    last = finished[-1]
    chosen = [stage for stage in COURSE.counted if stage in released_stages(COURSE, [last.name])]
    assert {*chosen} == {last, *COURSE.prerequisites(last)}
    every = [stage for stage in COURSE.stages if not stage.draft]
    assert [*released_stages(COURSE, [])] == every


def test_the_command_says_what_it_wrote(tmp_path, capsys):
    out = str(tmp_path / "out")
    alone = tmp_path / "alone"
    assert run(["release", str(alone), "--stage", "1", "--self-study", "--github"]) == 2
    assert "give it alone" in capsys.readouterr().err
    assert run(["release", str(alone), "--stage", "1", "--self-study"]) == 0
    assert f"wrote {alone}/hearts-self-study, and hearts-self-study.zip" in capsys.readouterr().out
    assert run(["release", out, "--stage", "1", "--github"]) == 0
    assert capsys.readouterr().out == (
        f"stages: {FIRST.name}\nwrote {out}/hearts, and hearts.zip\n"
        f"wrote {out}/hearts-github, and hearts-github.zip\n"
    )


def test_a_release_that_cannot_be_made_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert run(["release", str(tmp_path)]) == 2
    assert run(["release", str(tmp_path / "mine.txt")]) == 2
    assert run(["release", str(tmp_path / "new"), "--stage", "99"]) == 2
    course = course_with_starter(tmp_path / "course")
    assert run(["release", str(tmp_path / "new")], course) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert "holds mine.txt; choose an empty folder" in lines[0]
    assert "coins.py: out of date; run `hearts build`" in lines[3]
    assert not (tmp_path / "new").exists()
    monkeypatch.setitem(sys.modules, "hatchling", None)  # as if it were not installed
    with pytest.raises(CourseError, match="run `pip install hatchling`"):
        build_wheel(COURSE)


@pytest.fixture(name="work")
def _work(tmp_path):
    """A student's workspace for the tiny course."""
    course = course_with_starter(tmp_path / "course")
    start_workspace(course, tmp_path / "work")
    return tmp_path / "work"


@pytest.mark.skipif(which("git") is None, reason="there is no git here")
def test_the_time_of_a_result_is_that_of_the_workspace_commit(work, monkeypatch):
    (work.parent / "elsewhere").mkdir()
    monkeypatch.chdir(work.parent / "elsewhere")
    for folder, seconds in {"../work": 10**9, ".": 2 * 10**9}.items():
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{seconds} +0000")
        for command in ("init", "-c user.name=a -c user.email=b commit --allow-empty -m x"):
            git = ["git", "-C", folder, *command.split()]
            subprocess.run(git, check=True, capture_output=True)
    assert run(["result", "--dir", str(work)], Course(work.parent / "course")) == 0
    assert '"2001-09-09T01:46:40Z"' in (work / "result.json").read_text()


def test_a_program_that_cannot_be_read_has_no_points(work, monkeypatch, capsys):
    (work / "coins.py").unlink()
    (work / "01-coins.ipynb").write_text("{")
    page = work.parent / "page.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    assert run(["result", "--dir", str(work)], Course(work.parent / "course")) == 0
    assert "01-coins.ipynb: not a notebook" in capsys.readouterr().err
    document = json.loads((work / "result.json").read_text())
    assert (document["score"], document["max-score"]) == (0, 6)
    assert page.read_text() == "- visible checks only\n- 01-coins: 0 of 6 points\n"


def test_a_site_says_what_it_needs_and_replaces_no_other_files(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.txt").write_text("", encoding="utf-8")
    assert run(["site", str(tmp_path)], COURSE) == 2
    assert "holds other files; name a new folder" in capsys.readouterr().err
    monkeypatch.setenv("PATH", "")
    assert run(["site", str(tmp_path / "site")], COURSE) == 2
    assert "install Node.js 20 or newer" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("leak", proofs_after(1, [False, True]))
def test_a_site_has_no_draft_and_nothing_hidden(tmp_path, tmp_path_factory, monkeypatch, leak):
    """The site is built without notebooks, because they would take a minute."""
    for name in ("npm", "node"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    parts = tmp_path_factory.mktemp("parts")
    (parts / PYODIDE).mkdir()

    def write_lab(folder, course, pyodide, wheel, edition, game):
        wheel = zipped({"x.py": REFERENCE}) if leak else wheel
        write_whole(folder / "jupyter-lite.json", json.dumps([one.name for one in course.stages]))
        write_whole(folder / "python.zip", zipped({"x.whl": wheel}))

    monkeypatch.setattr(build, "write_lab", write_lab)
    course = Course(COURSE.root)
    last = COURSE.stages[-1]
    vars(course)["stages"] = (*COURSE.stages[:-1], replace(last, draft=True))
    site = tmp_path / "site"
    if leak:
        with pytest.raises(CourseError, match=r"x\.py: not for students"):
            list(build.write_site(course, site, parts=parts))
        assert [path.name for path in tmp_path.iterdir()] == ["bin"]
        return
    list(build.write_site(course, site, parts=parts))
    found = {path.relative_to(site).as_posix(): path.read_bytes() for path in files_below(site)}
    names = [*found, *contents(next(unpacked(found.pop("lab/python.zip"))))]
    assert f"{FIRST.name}.html" in names
    assert f"{INSIDE}notebooks/{FIRST.name}.ipynb" in names
    assert not [name for name in names if last.name in name]
    assert not [name for name, data in found.items() if last.name.encode() in data]
