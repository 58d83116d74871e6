"""Sort the files of a download by student and stage; report each file that fits nowhere."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.submissions.model import Unreadable
from hearts_course.submissions.packed import is_packed
from hearts_course.submissions.read import MAX_ZIP, problem_of
from hearts_course.submissions.untrusted import TIMESTAMP, FileSource
from hearts_course.text import safe_line, safe_name

from hearts_grader.lms.archive import Archive, Attempt, AttemptFile, Download, Submitter
from hearts_grader.lms.placing import Placement
from hearts_grader.lms.stage_files import CourseFiles

# Limits for one attempt, which is read whole to find out which stage it is for.
MAX_FILES = 100
MAX_BYTES = 20 * 2**20
MAX_PARTS = 3  # of a path that is kept: a file, and the folders that may name a stage
Stages = tuple[str, ...]
Holds = Callable[[str, str], bool]  # whether a student has something for a stage already


@dataclass
class _StudentFiles:
    """One attempt: its files for each stage, its other files, and the stages worked on.

    The files are given as a mapping: names in the student's folder to paths in the archive.
    """

    name: str
    attempt: Attempt
    stages: dict[str, dict[str, str]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)


class Assignment:
    """The placements to make, oldest attempt first, and their `stages`.

    `notes` are lines about files left out on purpose, `unplaced` about files that fit nowhere.
    """

    def __init__(
        self,
        archive: Archive,
        download: Download,
        course: Course,
        names: Mapping[Submitter, tuple[str, str]],
        asked: Stages,
        holds: Holds,
        *,
        accept_names: bool = False,
    ) -> None:
        """Assign the files; `asked` are the wanted stages, or nothing for all.

        With `accept_names`, a misnamed file that has all of a program is taken as that program.
        Raise UsageError if the stage of the download is unclear.
        """
        self._archive = archive
        self._download = download
        self._files = CourseFiles(course)
        self._course = course
        self._order = {stage.name: number for number, stage in enumerate(course.stages)}
        self._holds = holds
        self._accept_names = accept_names
        self.notes: list[str] = [*download.notes]
        self.unplaced: list[str] = [*archive.faults, *download.unplaced]
        students = self._students(names)
        self.stages = self._stages_about(students, asked)
        self._in_own_folder = {(student.name, student.attempt.stage) for student in students}
        self.placements: list[Placement] = []
        for student in students:
            self.placements += self._placements_or_line(student)

    def _students(self, names: Mapping[Submitter, tuple[str, str]]) -> list[_StudentFiles]:
        """Return each attempt, oldest first, of the students who have a name."""
        attempts = list(self._download.attempts)
        attempts.sort(key=lambda attempt: (attempt.order, attempt.submitter.name))
        students = []
        for attempt in attempts:
            name, fault = names[attempt.submitter]
            if fault:
                self.unplaced.append(f"{safe_line(attempt.submitter.name)}: {fault}")
            else:
                students.append(self._look_into(attempt, name))
        return students

    def _placements_or_line(self, student: _StudentFiles) -> list[Placement]:
        """Return the student's placements; if there are none, see that a line says why."""
        lines_so_far = len(self.unplaced) + len(self.notes)
        placements = self._placements(student)
        if not placements and len(self.unplaced) + len(self.notes) == lines_so_far:
            self.unplaced.append(f"{student.name}: no file is for a stage of the course")
        return placements

    def _look_into(self, attempt: Attempt, name: str) -> _StudentFiles:
        """Find out which stages the student's files belong to.

        Do not keep file contents, because those of a whole class may not fit in memory.
        """
        student = _StudentFiles(name, attempt)
        for place, (path, data) in self._read(attempt, name).items():
            belongs = self._files.stages_of(place, data)
            student.written |= belongs.written
            for stage in belongs.stages:
                student.stages.setdefault(stage, {})[place] = path
            if not belongs.stages and not belongs.given:
                student.unknown[place] = path
        return student

    def _read(self, attempt: Attempt, name: str) -> dict[str, tuple[str, bytes]]:
        """Return path and content of each file by its place in the student's folder.

        If several files have one name, the last upload counts.
        """
        files: dict[str, tuple[str, bytes]] = {}
        own_names = {file.name for file in attempt.files}
        # Bytes that the attempt may still have; a student must not fill the disk or the memory.
        room = MAX_BYTES
        for file in sorted(attempt.files, key=lambda file: (file.number, file.path)):
            if len(files) >= MAX_FILES or room <= 0:
                self.unplaced.append(f"{name}: too many or too large files; the rest was left out")
                break
            place = self._place(file, own_names)
            if place.rpartition("/")[2] == TIMESTAMP:  # students cannot set their own time
                continue
            try:
                data = self._archive.files.read(file.path, MAX_ZIP)
            except Unreadable as problem:
                self.unplaced.append(f"{name}: {safe_line(str(problem))}")
                continue
            room -= len(data)
            if place in files:
                self.notes.append(f"{name}: {safe_line(file.name)} counts, uploaded last")
            files[place] = (file.path, data)
        return files

    def _place(self, file: AttemptFile, own_names: set[str]) -> str:
        """Return the file's path in the student's folder; it never leaves that folder."""
        name = self._files.original_name(file.name)
        if name in own_names and not file.number:  # both names were handed in
            name = file.name
        parts = [safe_name(part) for part in name.split("/") if part not in ("", ".")]
        return "/".join(parts[-MAX_PARTS:])

    def _stages_about(self, students: Iterable[_StudentFiles], asked: Stages) -> Stages:
        """Return the stages asked for, or the one that most students of an assignment worked on.

        A student who hands in several stages is counted for the last: the earlier ones are there
        because the last one builds on them. Raise UsageError if two stages are equally likely.
        """
        if asked or not self._download.one_assignment:
            return asked
        students_by_stage: Counter[str] = Counter()
        for student in students:
            if student.written:
                students_by_stage[max(student.written, key=self._order.__getitem__)] += 1
        ranking = students_by_stage.most_common(2)
        if len(ranking) == 2 and ranking[0][1] == ranking[1][1]:
            candidates = " or ".join(sorted(name for name, _ in ranking))
            raise UsageError(f"{self._archive.name}: {candidates}? Name the stage with --stage")
        return tuple(name for name, _ in ranking[:1])

    def _placements(self, student: _StudentFiles) -> list[Placement]:
        """Return the student's placements; files of no stage go to the only wanted stage.

        A folder named after a stage decides before anything else. Then come the stages that
        the whole download is about, and last the stages that the student's own files belong to.
        """
        named_stage = self._named_stage(student)
        if named_stage is None:
            return []
        wanted = self.stages or tuple(sorted(student.written or student.stages))
        if named_stage:
            wanted = (named_stage,)
        chosen = {stage: student.stages.get(stage, {}) for stage in wanted}
        others = {stage: files for stage, files in student.stages.items() if stage not in wanted}
        if len(wanted) == 1:
            (only,) = wanted
            if not named_stage and not chosen[only] and (student.name, only) in self._in_own_folder:
                return self._beside_the_folder(student, only)
            chosen[only] = chosen[only] | student.unknown
            if named_stage:  # everything in a folder named after the stage is for the stage
                for files in others.values():
                    chosen[only] |= files
                others = {}
        else:
            self._unplace(
                student, "does not match a stage by its name; use --stage", student.unknown
            )
        placements = []
        for stage, files in chosen.items():
            if files:
                placements.append(self._placement(student, stage, files))
        return placements + self._earlier_stages(student, others, bool(placements))

    def _named_stage(self, student: _StudentFiles) -> str | None:
        """Return the stage that the attempt's folder names, "" if it names none.

        Return None, and say why, if the attempt is left out: it is for a stage that nobody asked
        for, or for an assignment that is not a stage. If the download is about a single stage, the
        assignment is taken for that stage, because an instructor may call it by another name.
        """
        about = self.stages
        named_stage = student.attempt.stage
        if named_stage and named_stage not in self._order:
            if len(about) != 1:
                problem = f"{safe_line(named_stage)} is not a stage of the course; use --stage"
                self.unplaced.append(f"{student.name}: {problem}")
                return None
            named_stage = about[0]
        if named_stage and about and named_stage not in about:
            self.notes.append(
                f"{student.name}: {named_stage} left out: you asked for {', '.join(about)}"
            )
            return None
        return named_stage

    def _earlier_stages(
        self, student: _StudentFiles, others: dict[str, dict[str, str]], something: bool
    ) -> list[Placement]:
        """Place files of other stages, if the student has no submission for these stages yet.

        Replacing a submission would change the grade of an assignment that is over. `something`
        says whether the student has files in the stages that were wanted.
        """
        placements = []
        for stage, files in others.items():
            theirs = dict(files)
            for other_stage, other_files in student.stages.items():
                if other_stage != stage:
                    for name in other_files:  # a notebook or zip may belong to several stages
                        theirs.pop(name, None)
            if stage not in student.written or not theirs:
                continue
            listed = ", ".join(map(safe_line, theirs))
            if not self._holds(student.name, stage):
                self.notes.append(f"{student.name}: {listed} placed in {stage}, which was empty")
                placements.append(self._placement(student, stage, theirs))
            elif something:
                self.notes.append(
                    f"{student.name}: {listed} left out: {stage} already has a submission"
                )
            else:
                self._unplace(
                    student,
                    f"belongs to {stage}, which already has a submission; use --stage",
                    theirs,
                )
        return placements

    def _beside_the_folder(self, student: _StudentFiles, stage: str) -> list[Placement]:
        """Leave out files beside the stage's own folder: they must not take the program's place."""
        for file in student.unknown:
            line = f"{safe_line(file)} left out: it is beside the folder {stage}"
            self.notes.append(f"{student.name}: {line}")
        return []

    def _unplace(self, student: _StudentFiles, why: str, files: Iterable[str]) -> None:
        """Report each file that fits nowhere, with the reason.

        `why` continues the sentence that begins with the file's name.
        """
        self.unplaced.extend(f"{student.name}: {safe_line(file)} {why}" for file in files)

    def _placement(self, student: _StudentFiles, stage: str, files: dict[str, str]) -> Placement:
        """Return the placement; if it is not readable, note what would make it readable.

        A missing module may have been handed in under another name. A file counts as the module if
        it has all of the module's definitions. The file is renamed only with `accept_names`.
        """
        renamed: list[str] = []
        opened = self._opened(files)
        for wanted in self._files.missing_modules(stage, opened):
            for name, path in opened.items():
                try:
                    data = self._archive.files.read(path, MAX_ZIP)
                except Unreadable:
                    continue  # a damaged file is no reason to keep the others back
                if count := self._files.definitions_found(wanted, name, data):
                    self._note_other_name(student.name, name, wanted, count)
                    renamed.append(f"{safe_line(name)} was taken as {wanted}")
                    folder, slash, _ = name.rpartition("/")
                    opened = _without(opened, name)
                    opened[f"{folder}{slash}{wanted}"] = path
                    break
        if renamed and self._accept_names:
            files = opened
        if not renamed:
            problem = problem_of(_Chosen(self._archive.files, files), self._course.stage(stage))
            line = f"{student.name}: {problem}"
            if problem and line not in self.notes:
                self.notes.append(line)
        return Placement(
            archive=self._archive,
            platform=self._download.platform,
            attempt=student.attempt,
            student=student.name,
            stage=stage,
            files=files,
            renamed="; ".join(renamed) if self._accept_names else "",
        )

    def _note_other_name(self, student: str, name: str, wanted: str, count: int) -> None:
        """Note that a file has all definitions of the wanted module, and what becomes of it."""
        definitions = "the one definition" if count == 1 else f"all {count} definitions"
        how = "it was taken as" if self._accept_names else "--accept-names takes it as"
        remark = f"{safe_line(name)} has {definitions} of {wanted}; {how} {wanted}"
        self.notes.append(f"{student}: {remark}")

    def _opened(self, files: dict[str, str]) -> dict[str, str]:
        """Return the files; if there is a single archive among them, its files replace it."""
        packed = [name for name in files if is_packed(name)]
        if len(packed) != 1:
            return files
        opened = _without(files, packed[0])
        path = files[packed[0]]
        for name in self._archive.files.inside(path):
            place = "/".join(map(safe_name, name.split("/")[-MAX_PARTS:]))
            opened[place] = f"{path}/{name}"
        return opened


def _without(files: Mapping[str, str], left_out: str) -> dict[str, str]:
    return {name: path for name, path in files.items() if name != left_out}


@dataclass(frozen=True)
class _Chosen:
    """Some files of an archive, under the names that they will have in the student's folder."""

    archive: FileSource
    paths: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.paths)

    def read(self, name: str, limit: int) -> bytes:
        return self.archive.read(self.paths[name], limit)

    def time(self, name: str) -> str:
        return self.archive.time(self.paths[name])
