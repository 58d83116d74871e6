"""A term from the first download to the grades: `python autograder/tests/term/term.py DIR`.

Sixty students hand in five stages, each through another platform. Read `replay` from the top: it
does what an instructor does from week to week, and prints each command with its output.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, product
from pathlib import Path

import platforms
from hearts_course.course import Course, Stage, find_course
from hearts_grader.authoring.chaffs import load_chaffs
from hearts_grader.authoring.notebook import notebook_text, reference_notebook
from platforms import HandIn, Student

FIRST = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Frances", "Ken", "Radia", "Tony"]
LAST = ["Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth"]
STAGES = ("01-cards", "02-legal-moves", "03-uva-181", "04-console-game", "05-full-hearts")
PAIRS, NOTEBOOKS = STAGES[3:]
START = datetime(2026, 10, 1, 12, tzinfo=UTC)
END = datetime(2027, 2, 1, tzinfo=UTC)
WEEK = timedelta(weeks=1)
DAY = timedelta(days=1)
KINDS = ("right", "mistaken", "right", "unwritten", "right", "right", "unreadable", "right")
DATES = """\
course = "CIT 590, autumn 2026"
roster = "../canvas.csv"
percent_per_day = 10
max_percent = 30
section.evening.extension_days.05-full-hearts = 1

[due]
"""


def kind(student: Student) -> str:
    """Return which kind of program the student hands in for every stage, such as "mistaken"."""
    return KINDS[student.number % len(KINDS)]


def is_late(student: Student) -> bool:
    return student.number % 6 == 5


def hands_in_twice(student: Student) -> bool:
    """Return whether the student first submits the starter, and later the attempt that counts."""
    return student.number % 12 == 4


def author(student: Student) -> int:
    """Return the number of the student whose submission counts for the pair."""
    return student.number | 1


def due(stage: str) -> datetime:
    return START + WEEK * 2 * (STAGES.index(stage) + 1)


def program(student: Student, stage: Stage) -> dict[str, str]:
    """Return the files that the student hands in for the stage."""
    modules = stage.reference()
    match kind(student):
        case "right" if stage.name == NOTEBOOKS:
            return {stage.notebook.name: notebook_text(reference_notebook(stage))}
        case "mistaken":
            chaffs = load_chaffs(stage)
            modules = dict(chaffs[student.number // len(KINDS) * 5 % len(chaffs)].modules)
        case "unwritten":
            modules = stage.starter()
        case "unreadable":
            modules[next(iter(modules))] = "def (:\n"
    return files_of(modules)


def files_of(modules: Mapping[str, str]) -> dict[str, str]:
    return {f"{name}.py": text for name, text in modules.items()}


def misnamed(hand_in: HandIn) -> HandIn:
    """Return the submission; for one student in ten, change the names of the files."""
    if hand_in.student.number % 10 != 2:
        return hand_in
    return replace(
        hand_in, files={name.replace(".", "_final."): text for name, text in hand_in.files.items()}
    )


class Term:
    """A term: its folder, its students, its stages, and the submissions."""

    def __init__(self, course: Course, place: Path, size: int) -> None:
        names = islice(product(LAST, FIRST), size)
        self.students = [Student(at, first, last) for at, (last, first) in enumerate(names)]
        self.stages = [course.stage(name) for name in STAGES]
        self.place = place

    def hand_ins(self, stage: Stage) -> Iterator[HandIn]:
        """Yield all submissions of a stage, first attempts first.

        In a pair, `author` submits for both, or only for one if the partner has submitted alone.
        """
        day_before = due(stage.name) - DAY
        for student in filter(hands_in_twice, self.students):
            yield HandIn(student, files_of(stage.starter()), day_before - DAY)
        for student in self.students:
            late = is_late(student)
            partner = None
            if stage.name == PAIRS:
                if student.number != author(student):
                    continue
                neighbour = self.students[student.number ^ 1]
                partner = None if hands_in_twice(neighbour) else neighbour
            yield HandIn(
                student, program(student, stage), day_before + 1.5 * DAY * late, late, partner
            )

    def latest(self, stage: Stage, when: datetime = END) -> list[HandIn]:
        """Return each student's latest attempt before `when`; some platforms export no other."""
        then = {
            hand_in.student: hand_in for hand_in in self.hand_ins(stage) if hand_in.time <= when
        }
        return list(then.values())

    def pairs(self) -> str:
        """Return `groups.csv`, which says who work together."""
        rows = (
            f"pair-{student.number // 2},{student.address},{PAIRS}" for student in self.students
        )
        return "\n".join(["group,student,stage", *rows]) + "\n"

    def write(self, name: str, text: str) -> None:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def hearts(self, *arguments: str) -> str:
        """Run `hearts` in the term's folder, and print and return the output."""
        print(f"\n$ hearts {' '.join(arguments)}", flush=True)
        command = [sys.executable, "-m", "hearts_course", *arguments]
        done = subprocess.run(command, cwd=self.place, capture_output=True, text=True, check=False)
        print(done.stdout + done.stderr, end="", flush=True)
        return done.stdout + done.stderr


def replay(term: Term, see: Callable[[str, str], None]) -> None:
    """Replay the term; call `see` with the name and the output of each step."""
    cards, legal, uva, console, full = term.stages
    points = [(stage.name, stage.max_points) for stage in term.stages]
    term.write("canvas.csv", platforms.class_list(term.students, points))
    term.write("github.csv", platforms.github_list(term.students))
    dates = DATES + "".join(f"{name} = {due(name):%Y-%m-%dT%H:%M:%SZ}\n" for name in STAGES)
    term.write("submissions/late.toml", dates)
    term.write("submissions/groups.csv", term.pairs())

    def collected(what: str, *options: str, roster: str = "canvas.csv") -> str:
        return term.hearts("collect", what, "--roster", roster, *options)

    def graded() -> str:
        return term.hearts("grade", "submissions", "--out", "grades")

    # 01 is handed in on Canvas, and downloaded twice: some students submit again, some are late.
    # One student in ten gives the file another name.
    platforms.canvas(term.place / "canvas-1.zip", term.latest(cards, due(cards.name) - 2 * DAY))
    collected("canvas-1.zip")
    platforms.canvas(term.place / "canvas-2.zip", map(misnamed, term.latest(cards)), upload=99000)
    see("canvas", collected("canvas-2.zip", "--accept-names"))
    see("01", graded())

    # 02 is handed in on Moodle, whose zip has people's names but no times.
    platforms.moodle(term.place / "moodle.zip", term.latest(legal))
    see("moodle", collected("moodle.zip"))
    see("02", graded())

    # 03 is pushed to GitHub.
    platforms.clones(term.place / "clones", term.latest(uva))
    see("clones", collected("clones", roster="github.csv"))
    see("03", graded())

    # 04 is written in pairs. It is handed in on Gradescope, with all attempts and their times.
    platforms.gradescope(term.place / "gradescope.zip", term.hand_ins(console))
    see("gradescope", collected("gradescope.zip"))
    see("04", graded())

    # 05 is handed in through nbgrader's exchange, in notebooks.
    platforms.exchange(term.place / "exchange", full.name, term.hand_ins(full))
    see("exchange", collected("exchange"))
    see("05", graded())

    # A student was ill, and gets an extension after the due date. The extension holds for both
    # students of the pair, so their two pages are made again. No program runs again.
    ill = next(filter(is_late, term.students))
    extension = f'\n[student."{ill.address}"]\nextension_days.{PAIRS} = 3\n'
    term.write("submissions/late.toml", dates + extension)
    see("extension", graded())
    see("unchanged", graded())
    see("export", term.hearts("export", "grades", "--to", "canvas", "--into", "canvas.csv"))


def main() -> None:
    """Replay a term in a new folder, and print how long it took and how much memory it needed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", type=Path, metavar="DIR")
    parser.add_argument("--students", type=int, default=60)
    asked = parser.parse_args()
    asked.place.mkdir(parents=True)
    begun = time.monotonic()
    replay(Term(find_course(), asked.place, asked.students), lambda moment, said: None)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    pages = [asked.place / "grades/report.html", *asked.place.glob("grades/report/*.html")]
    print(f"\n{time.monotonic() - begun:.0f} s, at most {used.ru_maxrss / 1024:.0f} MiB")
    print(*(f"{page.name}: {page.stat().st_size / 1000:.0f} kB" for page in pages), sep="\n")


if __name__ == "__main__":
    main()
