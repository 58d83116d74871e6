"""Processes that grade a small class, for tests that interrupt or kill them."""

import os
import re
import subprocess
import sys
import time

from tiny_class import STAGE, course_with_starter, full_notebook, put, zipped
from tiny_course import REFERENCE

HEARTS = """
import sys
from pathlib import Path
from hearts_course.cli import run
from hearts_course.course import Course

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], Course(Path("course").resolve())))
"""
TIME = re.compile(b"<time.*?</time>")
GRADE = ("grade", "class", "--out")
CLASS: tuple[dict[str, str | bytes], ...] = (
    {f"{STAGE}/coins.py": REFERENCE},
    {f"{STAGE}/coins.py": REFERENCE.replace("10 if", "5 if")},
    {f"{STAGE}/coins.py": REFERENCE.replace("return max", "import os; os._exit")},
    {f"{STAGE}/{STAGE}.ipynb": full_notebook()},
    {f"{STAGE}.zip": zipped({"coins.py": REFERENCE})},
    {f"{STAGE}/coins.py": "def ("},
    {f"{STAGE}/coin.py": "misnamed"},
    {f"{STAGE}/coins.py": "raise ValueError"},
    *({f"{STAGE}/coins.py": f"{REFERENCE}# {number}"} for number in range(2)),
)


def write_class(place):
    """Write the tiny course, a class, and a script that grades it."""
    course_with_starter(place / "course")
    for number, handed_in in enumerate(CLASS):
        put(place / f"class/student-{number:02}", handed_in)
    (place / "hearts.py").write_text(HEARTS)


def start(place, *arguments):
    """Start `hearts` with these arguments, and return the process."""
    return subprocess.Popen(
        [sys.executable, "hearts.py", *arguments],
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )


def finish(grader):
    """Wait until the grader ends; return its exit status and its error output."""
    said = grader.communicate(timeout=60)[1]
    return grader.returncode, said


def written(folder):
    """Return the number of files in the folder, complete or not."""
    return sum(len(files) for _, _, files in os.walk(folder))


def wait_for(count, folder, grader):
    """Wait until the folder has `count` files or the grader has ended."""
    while written(folder) < count and grader.poll() is None:
        time.sleep(0.01)


def final(folder):
    """Map paths to the bytes of each file made for a class, without the time in the report."""
    wanted = ("results", "feedback", "grades.csv", "report.html")
    files = [path for path in folder.rglob("*") if path.is_file()]
    named = {path.relative_to(folder).as_posix(): path for path in files}
    found = {name: named[name].read_bytes() for name in named if name.split("/")[0] in wanted}
    return {name: TIME.sub(b"", content) for name, content in found.items()}
