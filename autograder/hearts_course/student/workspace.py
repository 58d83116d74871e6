"""The folder a student works in: all programs side by side, because they add up to one program.

A new workspace has the stages that build on no other stage. It grows: another stage is added once
the core tasks of the stages that it builds on pass.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from hearts_course.brief import BRIEF, linked_from_briefs, page_among_briefs
from hearts_course.course import (
    BRIEFS,
    CHANGES,
    CHECKS,
    Course,
    Stage,
    Task,
    name_tasks,
    pick,
)
from hearts_course.edition import Edition
from hearts_course.errors import CourseError, UsageError
from hearts_course.files import digest, disk_error, read_json, read_text, write_whole
from hearts_course.notebook import only_opened
from hearts_course.student.state import StudentState, load_state, save_state
from hearts_course.student.work import work_files
from hearts_course.submissions.bare import bare_modules, bare_notebook
from hearts_course.text import listed

STATE_FILE = ".hearts.json"  # a folder with this file is a workspace
README = "README.md"
GUIDE = Path(__file__).with_name("guide.md")  # the text of README.md
GIVEN_LETTERS = 16  # length of the digest that is kept of each text that was handed out
CLOSE = 0.75  # similarity from 0 to 1: a name as similar as this is the only suggestion
# The guide's sentences about stages that come later. In a workspace with all stages, COMPLETE
# replaces these sentences.
GROWS = re.compile(r"It begins with the first stage\..*?(?=\n\n)", re.DOTALL)
COMPLETE = "All stages are here. Begin with the first one."
BEGIN = "## Where to begin\n"  # a heading in the guide
INSTALL = "INSTALL.md"  # only a release's workspace has this page
INSTALL_FIRST = f"\nWithout the command `hearts`, begin with [{INSTALL}]({INSTALL}).\n"
COURSE_FOLDERS = ("assignments", "solutions", "autograder")


@dataclass(frozen=True)
class Workspace:
    """A student's folder; `note` is "", or says that the file with the state was damaged.

    The state's file lies in the folder, so the state moves with the folder.
    """

    root: Path
    course: Course
    state: StudentState
    note: str = ""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that are in this workspace; all stages if it does not grow."""
        if not self.state.grows:
            return self.course.stages
        stages = self.course.stages
        return tuple(stage for stage in stages if _is_here(self.root, self.state, stage))

    def update_state(self, change: Callable[[StudentState], StudentState]) -> None:
        """Change the state in its file.

        The file is read again first, because another window may have changed it during a check.
        """
        old_state, _ = load_state(self.root / STATE_FILE)
        new_state = change(old_state)
        if new_state != old_state:
            save_state(self.root / STATE_FILE, new_state)


def find_workspace(course: Course, start: Path) -> Workspace | None:
    """Return the workspace around `start`, or else the only workspace directly inside `start`.

    Return None if there is no such workspace.
    """
    inner = [path.parent for path in start.glob(f"*/{STATE_FILE}")]
    root = find_root(start)
    if root is None and len(inner) == 1:
        root = inner[0]
    if root is None:
        return None
    return Workspace(root, course, *load_state(root / STATE_FILE))


def find_root(start: Path) -> Path | None:
    """Return the workspace's folder: `start` or a folder above it; None without a workspace."""
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / STATE_FILE).is_file():
            return folder
    return None


def need_workspace(course: Course, start: Path) -> Workspace:
    """Return the workspace that `find_workspace` finds; raise UsageError if there is none.

    If the student's programs are there and only the state is missing, the error says how to go on.
    """
    if workspace := find_workspace(course, start):
        return workspace
    for stage in course.stages:
        if any((start / name).is_file() for name in stage.files):
            raise UsageError(
                f"{start.absolute()}: {STATE_FILE} is missing; "
                "`hearts start .` there makes a new one"
            )
    raise UsageError(
        f"{start.absolute()} is not a workspace; make one with `hearts start DIR` and go there"
    )


def locate(
    course: Course,
    first: str | None,
    second: str | None = None,
    *,
    here: Callable[[], Stage | None] = lambda: None,
) -> tuple[Stage | None, Task | None]:
    """Return the stage and task that `[STAGE] [TASK]` name; a single name may be either.

    A task is named by its id, by its title if no other task has this title, or by its number after
    its stage. Raise UsageError, with a suggestion, for any other name. `here` returns the stage
    that the student works on, so that its tasks are suggested.
    """
    if first is None:
        return None, None
    if second is not None:
        stage = _stage_before_a_task(course, first)
        by_name = {_as_id(task.title): task for task in stage.tasks}
        by_name |= {str(stage.number(task)): task for task in stage.tasks}
        return stage, by_name.get(_as_id(second)) or stage.task(second)
    with suppress(UsageError):
        return course.stage(first), None
    if first.isdecimal():
        last = course.stages[-1].name
        raise UsageError(
            f"there is no stage {first}; the last one is {last}. Name a task by its id, or by its "
            f"number after its stage: `{last} {first}`"
        )
    for stage in course.stages_with(f'"{first}"'):
        for task in stage.tasks:
            if task.id == first:
                return stage, task
    return _by_title(course, first, here)


def _by_title(
    course: Course, name: str, here: Callable[[], Stage | None]
) -> tuple[Stage, Task | None]:
    """Return the stage and the only task with this title; raise UsageError if there is none."""
    stages: dict[str, tuple[Stage, Task | None]] = {}
    tasks: dict[str, tuple[Stage, Task]] = {}
    for stage in course.stages:
        stages[stage.name] = (stage, None)
        for task in stage.tasks:
            tasks[task.id] = (stage, task)
    titled = [pair for pair in tasks.values() if _as_id(pair[1].title) == _as_id(name)]
    if len(titled) == 1:
        return titled[0]
    if current := here():
        ids = current.task_ids
        advice = f"{current.name} has: {', '.join(ids)}"
        if close := get_close_matches(name, [*ids, *stages], n=1, cutoff=CLOSE):
            advice = f"did you mean {close[0]}?"
        raise UsageError(f"no stage or task is called {name!r}; {advice}")
    return pick(name, {**stages, **tasks}, "stage or task")


def _stage_before_a_task(course: Course, name: str) -> Stage:
    """Return the stage of that name; raise UsageError if there is none.

    If `name` is a task's id instead, the error says how to name a task.
    """
    try:
        return course.stage(name)
    except UsageError:
        for stage in course.stages:
            if name in stage.task_ids:
                raise UsageError(
                    f"give one task: `{name}`, or with its stage `{stage.name} {name}`"
                ) from None
        raise


def _as_id(title: str) -> str:
    """Return the title in the form of an id, such as `read-a-card`."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")


@dataclass(frozen=True)
class StartedWorkspace:
    """What `hearts start` did with each file; the paths are relative to `root`.

    added      the file was missing
    kept       the file was left alone
    replaced   the student had not changed the text of an earlier release
    beside     the student had changed the file, so the new text lies beside it, in NAME.new

    `note` says that the state was damaged. `changes` are the lines that this release adds to
    CHANGES.md, by stage. `left` are the stages that are not in the workspace yet.
    """

    root: Path
    added: tuple[str, ...]
    kept: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    note: str = ""
    changes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    left: tuple[Stage, ...] = ()


def start_workspace(course: Course, root: Path, *, everything: bool = False) -> StartedWorkspace:
    """Make `root` a workspace, or bring it up to date without changing what the student wrote.

    A new workspace has the stages that build on no other stage, and the stages whose program is
    already there; `everything` adds all others. Raise UsageError if `root` lies in the course or in
    another workspace, and CourseError if a file cannot be written.
    """
    refuse_unsuitable(course, root)
    is_new = not (root / STATE_FILE).exists()
    state, note = load_state(root / STATE_FILE)
    state = replace(state, grows=(state.grows or is_new or bool(note)) and not everything)
    stages = course.stages
    if state.grows:
        here: list[Stage] = []
        for stage in stages:
            if _is_here(root, state, stage) or _is_open(course, state, stage):
                here.append(stage)
        stages = course.with_prerequisites(here)
    files = dict(workspace_files(course, stages, _checked_in_place(root, state, stages)))
    if (root / INSTALL).is_file():
        files[README] = naming_install(files[README])
    changes = {stage.name: list(_new_changes(root, stage, files)) for stage in stages}
    done = _bring_all(root, files, state.given, stages)
    save_state(root / STATE_FILE, replace(state, given={**state.given, **given_digests(files)}))
    news = {stage: lines for stage, lines in changes.items() if lines}
    return StartedWorkspace(
        root=root,
        added=tuple(done["added"]),
        kept=tuple(done["kept"]),
        replaced=tuple(done["replaced"]),
        beside=tuple(done["beside"]),
        note=note,
        changes=news,
        left=tuple(stage for stage in course.stages if stage not in stages),
    )


def open_stages(workspace: Workspace) -> tuple[Stage, ...]:
    """Add each missing stage that builds only on stages that pass; return the added stages.

    A workspace that does not grow has all stages already.
    """
    course = workspace.course
    root = workspace.root
    state, _ = load_state(root / STATE_FILE)
    if not state.grows:
        return ()
    opened = [stage for stage in course.stages if _is_open(course, state, stage)]
    missing = [stage for stage in opened if not _is_here(root, state, stage)]
    return add_stages(workspace, missing)


def start_bare(workspace: Workspace, stage: Stage) -> tuple[Path, ...]:
    """Replace the stage's starter by its bare start, in files and notebook; return the paths.

    A bare start is a starter without the outline of those tasks that the student designs. Raise
    UsageError if the stage has none, or if the student has changed one of its files.
    """
    if not stage.bare:
        raise UsageError(f"{stage.name} has no bare start: its tasks need the given outline")
    root = workspace.root
    add_stages(workspace, [stage])
    starters = starter_files(stage)
    texts = {f"{name}.py": text for name, text in bare_modules(stage).items()}
    notebook = json.dumps(bare_notebook(stage), indent=1, ensure_ascii=False)
    texts[stage.notebook.name] = f"{notebook}\n"
    paths = work_files(root, stage)
    for path in paths:
        if path.read_text("utf-8", "replace") not in (starters[path.name], texts[path.name]):
            raise UsageError(
                f"{path.name}: you have begun it; rename it, or put the starter back with "
                f"`hearts reset {stage.name}`, and ask again"
            )
    return tuple(write_whole(path, texts[path.name]) for path in paths)


def starter_files(stage: Stage) -> dict[str, str]:
    """Map the name of each file of the starter, and of the notebook, to its text."""
    files = {f"{name}.py": text for name, text in stage.starter().items()}
    return files | {stage.notebook.name: read_text(stage.notebook)}


def next_stages(workspace: Workspace) -> tuple[Stage, ...]:
    """Return the stages that the next stage builds on, and then the next stage itself.

    The next stage is the first one that is not in the workspace. Return () if the workspace has all
    stages.
    """
    left = [stage for stage in workspace.course.stages if stage not in workspace.stages]
    return workspace.course.with_prerequisites(left[:1])


def add_stages(workspace: Workspace, stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """Add the missing files of these stages, and return the stages that are new here.

    Missing stages that these stages build on are added as well. Raise CourseError if a file cannot
    be written.
    """
    course = workspace.course
    root = workspace.root
    wanted = tuple(stages)
    state, _ = load_state(root / STATE_FILE)
    needed = course.with_prerequisites(wanted)
    new = tuple(stage for stage in needed if not _is_here(root, state, stage))
    added = [stage for stage in needed if stage in (*wanted, *new)]
    older = _checked_in_place(root, state, added)
    files: dict[str, str] = {}
    for stage in added:
        files.update(_files_of(stage, _checks_folder(stage, older), stage.edition))
    _bring_all(root, files, state.given, added)
    digests = given_digests(files)
    workspace.update_state(lambda state: replace(state, given={**state.given, **digests}))
    return new


def _is_here(root: Path, state: StudentState, stage: Stage) -> bool:
    """Return whether the stage was added to the workspace, or one of its files lies there."""
    brief = f"{BRIEFS}/{stage.name}.md"
    if brief in state.given:
        return True
    return any(path.exists() for path in (root / brief, *work_files(root, stage)))


def _is_open(course: Course, state: StudentState, stage: Stage) -> bool:
    """Return whether the core tasks of all stages that this stage builds on pass.

    A clinic, a stage with a program to repair, also needs the stage that it belongs to.
    """
    needed = {*stage.builds_on, stage.clinic}
    return all(state.passes_core(earlier) for earlier in course.stages if earlier.name in needed)


def _checked_in_place(root: Path, state: StudentState, stages: Iterable[Stage]) -> set[str]:
    """Return the names of the stages whose visible checks lie beside the programs.

    Earlier releases put the checks there. Such checks stay, because pytest would report a second
    copy as an error, and because the student may have changed them.
    """

    in_place: set[str] = set()
    for stage in stages:
        for path in stage.visible_tests:
            is_given = path.name in state.given or not state.grows
            if is_given and (root / path.name).is_file():
                in_place.add(stage.name)
    return in_place


def _checks_folder(stage: Stage, checked_in_place: Collection[str]) -> str:
    """Return how the paths of the stage's checks begin; "" if they lie beside the programs."""
    if stage.name in checked_in_place:
        return ""
    return f"{CHECKS}/"


def _bring_all(
    root: Path, files: Mapping[str, str], digests: Mapping[str, str], stages: Iterable[Stage]
) -> dict[str, list[str]]:
    """Call `_bring` for each file, and map each action that it reports to the names of the files.

    `digests` maps the names of files to digests of the texts that were handed out last.
    """
    programs: set[str] = set()
    for stage in stages:
        programs |= {path.name for path in work_files(root, stage)}
    done: dict[str, list[str]] = {key: [] for key in ("added", "kept", "replaced", "beside")}
    try:
        root.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            is_program = name in programs
            action = _bring(root / name, text, digests.get(name, ""), is_program=is_program)
            done[action].append(name)
    except OSError as error:
        raise disk_error(Path(error.filename or root), error) from None
    return done


def given_digests(files: Mapping[str, str]) -> dict[str, str]:
    """Map each name to the digest of its text, which tells later whether a student changed it."""
    return {name: _given_digest(text) for name, text in files.items()}


def _given_digest(text: str) -> str:
    """Return a short digest of a text that is handed out."""
    return digest(text)[:GIVEN_LETTERS]


def _bring(path: Path, text: str, last_digest: str, *, is_program: bool) -> str:
    """Write a file if the student has not changed it; otherwise write the new text beside it.

    Return what was done: "added", "kept", "replaced" or "beside". `last_digest` is the digest of
    the text that was handed out last. Write nothing beside a program, and write the same text
    beside a file only once.
    """
    new_digest = _given_digest(text)
    if _write_new(path, text):
        return "added"
    try:
        present_digest = _given_digest(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        present_digest = ""
    if present_digest == new_digest or path.is_symlink():
        return "kept"
    if present_digest and (present_digest == last_digest or _only_opened(path)):
        write_whole(path, text)
        return "replaced"
    if is_program or last_digest == new_digest:
        return "kept"
    write_whole(path.with_name(f"{path.name}.new"), text)
    return "beside"


def _only_opened(path: Path) -> bool:
    """Return whether the file is a notebook in which nothing was written."""
    try:
        return path.suffix == ".ipynb" and only_opened(read_json(path))
    except CourseError:
        return False


def _new_changes(root: Path, stage: Stage, files: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines that are new in the stage's CHANGES.md, if the workspace has the stage."""
    if (root / BRIEFS / f"{stage.name}.md").exists():
        name = _changes_name(stage)
        path = root / name
        old_lines: list[str] = []
        if path.is_file():
            old_lines = path.read_text("utf-8", "replace").splitlines()
        for line in files.get(name, "").splitlines():
            if line.strip() and not line.startswith("#") and line not in old_lines:
                yield line


def holds_course(folder: Path) -> bool:
    """Return whether the folder is a checkout of the course, with solutions and hidden tests."""
    return all((folder / name).is_dir() for name in COURSE_FOLDERS)


def refuse_unsuitable(course: Course, root: Path) -> None:
    """Raise UsageError for a folder in the course, or in another workspace.

    In the course, the student's files would mix with the course's files. In another workspace, a
    command could be about either of them.
    """
    resolved = root.resolve()
    for folder in (resolved, *resolved.parents):
        if folder == course.root.resolve() or holds_course(folder):
            raise UsageError(f"{root} is inside the course itself; `hearts start DIR` elsewhere")
    if (resolved / STATE_FILE).is_file():
        return
    if outer := find_root(resolved.parent):
        raise UsageError(
            f"{root} is inside your workspace {outer}; go there, or choose a folder elsewhere"
        )


def workspace_files(
    course: Course,
    stages: Iterable[Stage] | None = None,
    checked_in_place: Collection[str] = (),
    edition: Edition | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield path and text of each file of a workspace with these stages, except the state's file.

    Without `stages`, the workspace has all stages. The checks of the stages in `checked_in_place`
    lie beside the programs. Without an `edition`, the texts fit the course that is installed here.
    """
    edition = edition or course.edition
    if stages is None:
        stages = course.stages
    stages = tuple(stages)
    yield README, edition.text(_guide(course, grows=len(stages) < len(course.stages)))
    yield from shared_files(course, edition)
    for stage in stages:
        yield from _files_of(stage, _checks_folder(stage, checked_in_place), edition)


def naming_install(guide: str) -> str:
    """Return the text of the workspace's README.md with a sentence that names INSTALL.md."""
    return guide.replace(BEGIN, BEGIN + INSTALL_FIRST, 1)


def shared_files(course: Course, edition: Edition) -> Iterator[tuple[str, str]]:
    """Yield the path and text of each page and picture that all stages share."""
    for path in course.shared:
        text = read_text(path)
        if path.suffix == ".md":
            yield f"{BRIEFS}/{path.name}", edition.text(page_among_briefs(text))
        else:
            yield path.relative_to(course.root / "assignments").as_posix(), text


def _files_of(stage: Stage, checks: str, edition: Edition) -> Iterator[tuple[str, str]]:
    """Yield the path and text of each of the stage's files; `checks` is the folder of its checks.

    A sample file that a check reads also lies beside the check, because the check looks there.
    """
    brief = edition.text(read_text(stage.assignment / BRIEF))
    yield f"{BRIEFS}/{stage.name}.md", linked_from_briefs(brief)
    if (changes := stage.assignment / CHANGES).is_file():
        yield _changes_name(stage), read_text(changes)
    for name in stage.files:
        yield name, read_text(stage.assignment / name)
    yield f"{stage.name}.ipynb", read_text(stage.notebook)
    tests = {path.name: read_text(path) for path in stage.visible_tests}
    for name, text in tests.items():
        yield f"{checks}{name}", text
    for path in stage.samples:
        yield path.name, read_text(path)
        if checks and any(path.name in text for text in tests.values()):
            yield f"{checks}{path.name}", read_text(path)


def _changes_name(stage: Stage) -> str:
    """Return the path of a stage's CHANGES.md in a workspace."""
    return f"{BRIEFS}/{stage.name}-changes.md"


def _guide(course: Course, *, grows: bool) -> str:
    """Return the text of the workspace's README.md, with a row for each stage.

    A workspace that `grows` has only some stages, and the text says where the others come from.
    """
    rows: list[str] = []
    for stage in course.stages:
        rows.append(
            f"| `{stage.name}` | {stage.title} | {_needs(stage)} | {_elective(stage)} "
            f"| {stage.points} | {stage.hours} |"
        )
    bare = ""
    if free := [f"`hearts start --bare {stage.name}`" for stage in course.stages if stage.bare]:
        bare = f" Begin on an empty page with {listed(free)}."
    first = course.stages[0]
    text = read_text(GUIDE)
    if not grows:
        text = GROWS.sub(COMPLETE, text)
    return (
        text.replace("{bare}", bare)
        .replace("{stages}", "\n".join(rows))
        .replace("{stage}", first.name)
        .replace("{task}", first.tasks[0].id)
        .replace("{file}", first.files[0])
    )


def _needs(stage: Stage) -> str:
    """Return the numbers of the stages that the stage builds on."""
    return ", ".join(name.partition("-")[0] for name in stage.builds_on)


def _elective(stage: Stage) -> str:
    """Return which of the stage's tasks may be left out, in words."""
    numbers = [stage.number(task) for task in stage.tasks if stage.is_elective(task)]
    if len(numbers) == len(stage.tasks):
        return "all"
    if not numbers:
        return ""
    return name_tasks(numbers)


def _write_new(path: Path, text: str) -> bool:
    """Write a new file and return True; if the file exists, leave it alone and return False."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True
