"""The scene of an attack: what the program is told, and what it must not change or reveal."""

import csv
import ctypes
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
from hearts_course.results import Status
from hearts_course.sandbox.worker import WORKER_DIR
from hearts_course.student.terminal import without_colour
from hearts_course.submissions.find import find_submissions
from hearts_course.submissions.read import read_found
from hearts_course.text import safe_name
from hearts_grader.grading.grade import GradeJob, grade_one
from hearts_grader.grading.publish import Publisher
from hearts_grader.grading.records import Record
from hearts_grader.grading.store import Store
from hearts_grader.reports import TEMPLATES
from hearts_grader.reports.class_report import About, write_report
from hearts_grader.reports.student_pages import FeedbackWriter
from hearts_grader.reports.terminal import results_table
from hearts_grader.sandbox.selftest import PROBES, VARIABLE, canaries

from hostile.attack import FOLDER, KNOWN, REFERENCE, write_stage

KINDS = ("suite", "expected", "hidden", "reference", "chaffs", "neighbour", "results", "home")
OWN_SCRIPT = f"<script>{(TEMPLATES / 'sort_and_filter.js').read_text()}</script>"
FOREIGN_TAG = re.compile(r"<\s*(script|img|iframe|hostile)\b|<[^>]*\son\w+=", re.IGNORECASE)
FORMULA = tuple("=+-@\t\r")
OTHER_SEPARATOR = re.compile("[;|]")  # a spreadsheet may split a cell at these characters
MAX_READ = 2**20  # bytes; a larger file is compared only by mode, owner, links and time
MAX_SECONDS = 20  # for grading an attack and the honest submission, even on a busy machine
MAX_VERDICT = 600  # characters of the result's message
MAX_MESSAGE = 2000  # characters of a test's message
PR_SET_CHILD_SUBREAPER = 36


class Scene:
    """A course of one stage, a class of two students, and all files that a program might reach."""

    def __init__(self, root, laid_out, sandbox):
        self.root, self.canaries, self.sandbox = root, laid_out, sandbox
        self.secrets = {kind: f"secret-{secrets.token_hex(8)}" for kind in KINDS}
        self.course = write_stage(root / "course", self.secrets)
        self.mark = f"hostile-{secrets.token_hex(8)}"
        self.home, self.out = root / "home", root / "out"
        for folder in (self.home, self.out, root / "work"):
            folder.mkdir()
        (self.home / ".netrc").write_text(self.secrets["home"])
        (self.out / "grades.csv").write_text(self.secrets["results"])
        honest = root / "class/ada" / FOLDER
        honest.mkdir(parents=True)
        (honest / "safe.py").write_text(f"{REFERENCE}# {self.secrets['neighbour']}\n")
        self._children = set(psutil.Process().children())
        self._victim = psutil.Process(laid_out.victim)
        while self._victim.status() != psutil.STATUS_SLEEPING:  # the process may still be starting
            time.sleep(0.01)
        self._unhurt = self._state_of_victim()
        self._calm = {}
        self.damaged = ()  # results that could not be read back when they were last published

    @property
    def known(self):
        """The paths, process numbers and addresses that every program gets in `AT`."""
        course = self.course.root
        return {
            "suite": str(course / f"autograder/stages/{FOLDER}/test_safe_hidden.py"),
            "visible": str(course / f"assignments/{FOLDER}/test_safe.py"),
            "chaffs": str(course / f"autograder/stages/{FOLDER}/chaffs.toml"),
            "reference": str(course / f"solutions/{FOLDER}/safe.py"),
            "neighbour": str(self.root / f"class/ada/{FOLDER}/safe.py"),
            "results": str(self.out / "grades.csv"),
            "home": str(self.home),
            "sandbox_worker": str(WORKER_DIR),
            "python": os.path.realpath(sys.base_prefix),
            "folders": [str(folder) for folder in self.folders],
            "mark": self.mark,
            "variable": VARIABLE,
            "grader": os.getpid(),
            "victim": self.canaries.victim,
            "port": self.canaries.servers[0].getsockname()[1],
            "socket": str(self.canaries.folder / "socket"),
            "name": f"\0{self.canaries.token}",
        }

    @property
    def folders(self):
        """Folders in which a program might leave a file."""
        ours = [self.home, self.out, Path.cwd(), self.root / "class/ada", self.course.root]
        shared = ["/", "/tmp", "/var/tmp", "/dev/shm", "/dev", str(Path.home()), str(WORKER_DIR)]
        return [*ours, *map(Path, shared)]

    @contextmanager
    def beside_the_honest(self, attack):
        """Put the attack into the class of the honest student; remove it at the end."""
        folder = self.root / "class" / attack.student / FOLDER
        folder.mkdir(parents=True)
        text = KNOWN.format(at=self.known) + attack.source
        (folder / "safe.py").write_text(text, errors="surrogatepass")
        yield
        shutil.rmtree(folder.parent)

    def grade(self, student, limits):
        """Grade the student's submission as `hearts grade` does, and return the result."""
        layout = find_submissions(self.root / "class", self.course)
        slot = next(slot for slot in layout.paths if slot.student == student)
        stage = replace(slot.stage, limits=limits)
        return grade_one(GradeJob(stage, read_found(slot), self.sandbox))

    def calm(self, limits):
        """Return the honest student's result without any attack, as JSON."""
        if limits not in self._calm:
            self._calm[limits] = json.dumps(self.grade("ada", limits).as_json())
        return self._calm[limits]

    def snapshot(self):
        """Return the state of every file."""
        return {str(path): _state(path) for path in sorted(self.root.rglob("*"))}

    def harm(self, former_state):
        """Return a line for each changed or new file, and for every other kind of harm.

        A process that the attack left behind, and that still runs, is harm too.
        """
        current_state = self.snapshot()
        changed = [
            path
            for path in former_state | current_state
            if former_state.get(path) != current_state.get(path)
        ]
        left = [folder / self.mark for folder in self.folders]
        damage = [str(path) for path in left if path.exists() or path.is_symlink()]
        for path in damage:
            Path(path).unlink()
        touched = [look(self.canaries) for look in {probe.harm for probe in PROBES}]
        if self._state_of_victim() != self._unhurt:
            touched.append("another process is not as it was")
        return [*changed, *damage, *filter(None, touched), *self._still_running()]

    def _state_of_victim(self):
        with suppress(psutil.NoSuchProcess), self._victim.oneshot():
            victim = self._victim
            limits = victim.rlimit(psutil.RLIMIT_NOFILE), victim.rlimit(psutil.RLIMIT_CPU)
            return victim.status(), victim.nice(), victim.cpu_affinity(), limits
        return None

    def _still_running(self):
        """Return descriptions of the new processes that still run after some seconds.

        A process that a program leaves behind is our child, because `set_up` makes us its parent.
        """
        deadline = time.monotonic() + 3
        while left := [p for p in psutil.Process().children(recursive=True) if self._is_new(p)]:
            if time.monotonic() > deadline:
                return [str(process) for process in left]
            time.sleep(0.01)
        return []

    def _is_new(self, process):
        with suppress(psutil.NoSuchProcess, ChildProcessError):
            if process in self._children:
                return False
            if process.status() != psutil.STATUS_ZOMBIE:
                return True
            os.waitpid(process.pid, os.WNOHANG)
        return False

    def publish(self, results):
        """Return the text of every published file about these results, by the name of the file."""
        store = Store(self.root / "published")
        publisher = Publisher(store, FeedbackWriter(self.course).pages)
        slots = find_submissions(self.root / "class", self.course).paths
        for result in results:
            slot = next(slot for slot in slots if slot.student == result.student)
            publisher.publish(Record(result, None), slot)
        self.damaged = store.results.load()[1]
        write_report(store, results, self.course, About())
        files = [path for path in sorted(store.root.rglob("*")) if path.is_file()]
        texts = {str(path.relative_to(store.root)): path.read_text() for path in files}
        shutil.rmtree(store.root)
        return texts | {"terminal": without_colour(results_table(results))}

    def leaks(self, texts):
        """Return which secrets were published."""
        secrets_by_name = self.secrets | {"variable": self.canaries.token}
        return [
            f"{kind} in {place}"
            for kind, secret in secrets_by_name.items()
            for place, text in texts.items()
            if any(form in place + text for form in (secret, secret[::-1], secret.encode().hex()))
        ]


def _state(path):
    status = path.lstat()
    whose = f"{status.st_mode:o} {status.st_uid} {status.st_nlink} {status.st_mtime_ns}"
    if path.is_dir():
        return f"{status.st_mode:o}"
    content = path.read_bytes() if path.is_file() and status.st_size < MAX_READ else b""
    return f"{whose} {hashlib.sha256(content).hexdigest()}"


def unsafe(texts):
    """Return a line for each text that could control a terminal, a browser or a spreadsheet."""
    formulas = []
    for place, text in texts.items():
        if odd := {c for c in text if not c.isprintable() and c not in "\n\t"}:
            formulas.append(f"{sorted(odd)!r} in {place}")
        if len(text) > 100_000:
            formulas.append(f"{len(text)} characters in {place}")
        if place.endswith(".html") and (tag := FOREIGN_TAG.search(text.replace(OWN_SCRIPT, ""))):
            formulas.append(f"{tag[0]!r} in {place}")
        if place.endswith(".csv"):
            cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
            parts = [part for cell in cells for part in OTHER_SEPARATOR.split(cell)]
            formulas += [f"{part!r} in {place}" for part in parts if part.startswith(FORMULA)]
    return formulas


def faults(scene, attack):
    """Return a line for each fault: an unearned score, a changed neighbour, harm or a leak."""
    calm = scene.calm(attack.limits)
    with scene.beside_the_honest(attack):
        former_state = scene.snapshot()
        started = time.monotonic()
        result = scene.grade(safe_name(attack.student), attack.limits)
        honest = scene.grade("ada", attack.limits)
        seconds = time.monotonic() - started
        fault_lines = scene.harm(former_state)
        texts = scene.publish([result, honest])
    if seconds > MAX_SECONDS:
        fault_lines.append(f"took {seconds:.0f} s")
    if json.dumps(honest.as_json()) != calm:
        fault_lines.append(f"changed a neighbour's result: {honest.message or endings(honest)}")
    fault_lines += scene.damaged
    return [*fault_lines, *_unearned(attack, result), *scene.leaks(texts), *unsafe(texts)]


def _unearned(attack, result):
    got = (result.status, result.score, endings(result))
    if got[:2] != (Status.GRADED, attack.score) or not attack.has_ended_so(got[2]):
        return [f"{got}, not {attack.score} {attack.ends}: {result.message}"]
    if len(result.message) > MAX_VERDICT:
        return [f"a verdict of {len(result.message)} characters"]
    tests = [test for task in result.tasks for test in task.tests]
    return [f"{test.name} tells too much" for test in tests if len(test.message) > MAX_MESSAGE]


def endings(result):
    """Return a letter for how each test ended, with a space after the visible tests."""
    return " ".join("".join(test.outcome[0] for test in task.tests) for task in result.tasks)


@contextmanager
def set_up(root, sandbox):
    """Yield a scene. Meanwhile, every process that a program leaves behind becomes our child."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        with canaries() as laid_out:
            yield Scene(root, laid_out, sandbox)
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
