"""Comments that an instructor writes once for many students: `comments.toml`.

    [[comment]]
    task = "read-a-card"
    mistake = "forgets the ten"     # or group = "3f2a91", or student = "ada"
    text = "Look at the length of the text before you look at its letters."

The students who fail exactly the same tests of a task are a group; the report lists the groups. A
known mistake is recognised by its pattern, which is the set of tests that fail because of it. The
comments in the course stay from year to year. Comments beside the grades or the submissions are for
one class.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course, Stage
from hearts_course.errors import UsageError
from hearts_course.files import digest, read_toml, to_dataclass
from hearts_course.misconceptions import Pattern, diagnose
from hearts_course.results import Outcome, Result, Status, TaskResult
from hearts_course.submissions.find import COMMENTS_FILE

ID_DIGITS = 6  # digits of a group's name; few, because an instructor copies the name
MIN_OFFERED = 3  # a group with fewer students is not offered as a new mistake


@dataclass(frozen=True)
class Comment:
    """A text on a task: for one group, for students with one known mistake, or for one student."""

    task: str
    text: str
    group: str = ""
    mistake: str = ""
    student: str = ""


@dataclass(frozen=True)
class _Comments:
    """The file's content: TOML collects all tables `[[comment]]` in a list `comment`."""

    comment: tuple[Comment, ...] = ()


@dataclass(frozen=True)
class Group:
    """Students who fail the same tests of a task, and the known mistakes that explain this.

    `fails_all` says whether the task has several tests, and the students fail all of them.
    """

    task: str
    id: str
    topics: tuple[str, ...]
    students: tuple[str, ...]
    mistakes: tuple[str, ...]
    fails_all: bool = False

    @property
    def is_offered(self) -> bool:
        """Whether the report offers the group to authors, as a mistake that is not known yet.

        This is so if the group has at least MIN_OFFERED students, `fails_all` is False, and no
        known mistake explains the failures.
        """
        return len(self.students) >= MIN_OFFERED and not (self.mistakes or self.fails_all)

    @property
    def entry(self) -> str:
        """The lines for `comments.toml` that comment on all students of the group."""
        return f'[[comment]]\ntask = "{self.task}"\ngroup = "{self.id}"\ntext = "..."'


def load_comments(course: Course, *files: Path | None) -> tuple[Comment, ...]:
    """Return the comments of the course and of these files.

    Raise UsageError if a comment's task is unknown, or if it is unclear who gets the comment.
    """
    comments: list[Comment] = []
    for path in (course.root / "autograder" / COMMENTS_FILE, *files):
        if path is None or not path.is_file():
            continue
        tasks: set[str] = set()
        for stage in course.stages:
            tasks.update(task.id for task in stage.tasks)
        for comment in to_dataclass(_Comments, read_toml(path), path).comment:
            if comment.task not in tasks:
                raise UsageError(f"{path}: no task is called {comment.task!r}")
            if sum(map(bool, (comment.group, comment.mistake, comment.student))) != 1:
                raise UsageError(
                    f"{path}: the comment {comment.text[:30]!r} needs one of group, mistake and"
                    " student"
                )
            comments.append(comment)
    return tuple(comments)


def comments_on(
    result: Result, stage: Stage, patterns: Iterable[Pattern], comments: Sequence[Comment]
) -> Iterator[tuple[str, str]]:
    """Yield each comment on the result, task by task: the task's id, and the comment's text."""
    tasks = {task.id for task in stage.tasks}
    wanted = [comment for comment in comments if comment.task in tasks]
    if not wanted or result.status is not Status.GRADED:
        return
    mistakes = _mistakes(result, stage, patterns)
    for scored in result.tasks:
        number = stage.number(stage.task(scored.task))
        for comment in wanted:
            if comment.task == scored.task and (
                comment.student == result.student
                or comment.mistake in mistakes.get(scored.task, ())
                or (comment.group and comment.group == group_id(scored))
            ):
                yield scored.task, f"Task {number}, from your instructor: {comment.text}"


def group_id(scored: TaskResult) -> str:
    """Return the name of the group that fails the same tests of the task; "" if no test fails.

    The name is a digest, so that it is the same in every run, also when students join or leave.
    """
    failed = sorted(test.name for test in scored.tests if test.outcome is not Outcome.PASSED)
    return digest(scored.task, *failed)[:ID_DIGITS] if failed else ""


def groups_of(
    results: Iterable[Result], stage: Stage, patterns: Sequence[Pattern]
) -> tuple[Group, ...]:
    """Return the groups of at least two students, the largest first.

    Groups that fail all tests of a task come last. Most of their students have not written the
    task, or their programs could not be imported.
    """
    members: dict[tuple[str, str], list[str]] = {}
    topics: dict[tuple[str, str], tuple[str, ...]] = {}
    named: dict[tuple[str, str], tuple[str, ...]] = {}
    whole: set[tuple[str, str]] = set()
    for result in results:
        if result.status is not Status.GRADED:
            continue
        mistakes = _mistakes(result, stage, patterns)
        for scored in result.tasks:
            if name := group_id(scored):
                key = scored.task, name
                members.setdefault(key, []).append(result.student)
                failed = [test for test in scored.tests if test.outcome is not Outcome.PASSED]
                topics[key] = tuple(dict.fromkeys(test.topic for test in failed))
                if len(scored.tests) > 1 and len(failed) == len(scored.tests):
                    whole.add(key)
                named.setdefault(key, mistakes.get(scored.task, ()))
    groups = []
    for key, students in members.items():
        if len(students) > 1:
            task, name = key
            is_whole = key in whole
            group = Group(task, name, topics[key], tuple(students), named[key], is_whole)
            groups.append(group)
    return tuple(sorted(groups, key=_from_largest))


def _from_largest(group: Group) -> tuple[bool, int, str, str]:
    """Return the key that sorts groups: the largest first, but groups that fail all tests last."""
    return group.fails_all, -len(group.students), group.task, group.id


def _mistakes(
    result: Result, stage: Stage, patterns: Iterable[Pattern]
) -> Mapping[str, tuple[str, ...]]:
    """Map tasks to the known mistakes in them, but only to those that the student's page names."""
    matches = diagnose(result, stage, patterns).matches
    return {task: match.names for task, match in matches.items() if match.tells}
