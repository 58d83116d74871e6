"""Write the students' feedback pages as files for a platform or a mail program.

Canvas and Moodle take a zip whose files are named like the files in a download of submissions. So
the names are taken from the instructor's download.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.files import write_whole, zipped
from hearts_course.text import safe_name

from hearts_grader.grading.store import Store
from hearts_grader.lms.archive import open_archive
from hearts_grader.lms.csv_table import CsvTable
from hearts_grader.lms.downloads import recognise
from hearts_grader.lms.roster import Roster, name_students
from hearts_grader.lms.stage_results import StageResults, format_score

PLATFORMS = {"canvas-comments": "Canvas", "moodle-feedback": "Moodle"}
MAIL = ("student", "name", "address", "stage", "score", "max_score", "file")


@dataclass(frozen=True)
class Written:
    """The file that was written, how many pages it holds or lists, and lines about problems.

    A problem is a page that was left out, or a student without an address.
    """

    path: Path
    count: int
    left_out: tuple[str, ...]


def write_zip(
    form: str,
    download: Path,
    results: StageResults,
    store: Store,
    course: Course,
    roster: Roster | None,
    out: Path,
) -> Written:
    """Write a zip of one stage's pages, named like the files in the download.

    The platform finds a student by the folder or prefix of the file that was handed in last. So
    the student's page gets the same folder or prefix. Raise CourseError if the zip cannot be
    written, if `results` has several stages, or if the download is from another platform.
    """
    if len(results.stages) != 1:
        there = ", ".join(results.stages)
        raise UsageError(f"{download}: is of one stage; choose it with --stage: {there}")
    (stage,) = results.stages
    _, scores = results.stages[stage]
    found = recognise(open_archive(download), course)
    if found.platform != PLATFORMS[form]:
        raise UsageError(
            f"{download}: looks like {found.platform}; name the zip of submissions that you"
            f" downloaded from {PLATFORMS[form]}"
        )
    names = name_students((attempt.submitter for attempt in found.attempts), roster, {})
    places: dict[str, str] = {}
    # Go from the oldest attempt to the newest, so that the newest decides the place.
    for attempt in sorted(found.attempts, key=lambda attempt: attempt.order):
        file = attempt.files[-1]
        student, _ = names[attempt.submitter]
        places[student] = file.path.removesuffix(file.name)
    files = {}
    left_out = []
    for student in scores:
        page = store.feedback.path(student, stage)
        if student not in places:
            left_out.append(f"{stage} of {student}: {download.name} has no file of this student")
        elif not page.is_file():
            left_out.append(f"{stage} of {student}: no page; run `hearts grade` again")
        else:
            files[f"{places[student]}{stage}.html"] = page.read_bytes()
    return Written(write_whole(out / f"{stage}.zip", zipped(files)), len(files), tuple(left_out))


def write_mail(
    results: StageResults,
    store: Store,
    people: Mapping[str, tuple[str, str, str]],
    addresses: Mapping[str, str],
    out: Path,
) -> Written:
    """Write each student's pages into one folder, and a table for a mail merge.

    `people` has first name, last name and address of each student in the roster. An address in
    `addresses` wins over the roster's address.
    """
    rows = []
    left_out = []
    for stage, (_, scores) in results.stages.items():
        for student, result in scores.items():
            page = store.feedback.path(student, stage)
            if not page.is_file():
                left_out.append(f"{stage} of {student}: no page; run `hearts grade` again")
                continue
            first, last, known = people.get(student, ("", "", ""))
            address = addresses.get(student, known)
            if not address:
                left_out.append(f"{student}: no address; name a roster in late.toml")
            file = f"{safe_name(student)}-{stage}.html"
            write_whole(out / file, page.read_bytes())
            score = format_score(result.score)
            name = f"{first} {last}".strip()
            rows.append((student, name, address, stage, score, str(result.max_score), file))
    table = CsvTable("mail", (MAIL, *rows)).as_text()
    return Written(write_whole(out / "mail.csv", table), len(rows), _once(left_out))


def _once(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the lines without repeats.

    A student without an address would otherwise be listed once for every stage.
    """
    return tuple(dict.fromkeys(lines))
