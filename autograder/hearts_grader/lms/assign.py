"""Sort the files of a download by student and stage; report each file that fits nowhere."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.text import safe_line

from hearts_grader.lms.archive import Archive, Download, Submitter
from hearts_grader.lms.attempt_files import AttemptReader, Remarks, StudentFiles
from hearts_grader.lms.misnamed import MisnamedModules
from hearts_grader.lms.placing import Placement
from hearts_grader.lms.stage_files import CourseFiles

Stages = tuple[str, ...]
Holds = Callable[[str, str], bool]  # whether this student has a submission for this stage


class Assignment:
    """Decides which files of a download go to which student and stage.

    `placements` must be carried out in their order: the oldest attempt comes first. `stages` are
    the wanted stages, and `remarks` are the lines for the instructor.
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
        """Assign the files; `asked` are the wanted stages, empty for all stages.

        `names` has what `name_students` returns. With `accept_names`, a file that has all
        definitions of a module is taken as the module. Raise UsageError if the stage of the
        download is unclear.
        """
        self._archive = archive
        self._download = download
        self._order = {stage.name: number for number, stage in enumerate(course.stages)}
        self._holds = holds
        self.remarks = Remarks([*download.notes], [*archive.faults, *download.unplaced])
        course_files = CourseFiles(course)
        self._reader = AttemptReader(archive, course_files, self.remarks)
        self._misnamed = MisnamedModules(
            archive, course, course_files, self.remarks, accept_names=accept_names
        )
        students = self._students(names)
        self.stages = self._stages_about(students, asked)
        self._in_own_folder = {(student.name, student.attempt.stage) for student in students}
        self.placements: list[Placement] = []
        for student in students:
            self.placements += self._placements_or_line(student)

    def _students(self, names: Mapping[Submitter, tuple[str, str]]) -> list[StudentFiles]:
        """Return the attempts of students with a name, oldest first; report other students."""
        attempts = list(self._download.attempts)
        attempts.sort(key=lambda attempt: (attempt.order, attempt.submitter.name))
        students = []
        for attempt in attempts:
            name, fault = names[attempt.submitter]
            if fault:
                self.remarks.unplaced.append(f"{safe_line(attempt.submitter.name)}: {fault}")
            else:
                students.append(self._reader.files_of(attempt, name))
        return students

    def _placements_or_line(self, student: StudentFiles) -> list[Placement]:
        """Return the student's placements; if there are none, a remark says why."""
        lines_so_far = len(self.remarks.unplaced) + len(self.remarks.notes)
        placements = self._placements(student)
        if not placements and len(self.remarks.unplaced) + len(self.remarks.notes) == lines_so_far:
            self.remarks.unplaced.append(f"{student.name}: no file is for a stage of the course")
        return placements

    def _stages_about(self, students: Iterable[StudentFiles], asked: Stages) -> Stages:
        """Return the stages asked for, or else the stage that most students worked on.

        If the download is not about one assignment, return only the stages asked for. A student who
        hands in several stages is counted for the last stage, because it builds on the others.
        Raise UsageError if two stages are equally likely.
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

    def _placements(self, student: StudentFiles) -> list[Placement]:
        """Return the student's placements.

        If only one stage is wanted, files that fit no stage go to this stage. The wanted stages are
        the stage that the attempt's folder is named after; without such a folder, the stages that
        the whole download is about; without these, the stages that the student's files belong to.
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
            self.remarks.unplace(
                student.name, "does not match a stage by its name; use --stage", student.unknown
            )
        placements = []
        for stage, files in chosen.items():
            if files:
                placements.append(self._placement(student, stage, files))
        return placements + self._earlier_stages(student, others, bool(placements))

    def _named_stage(self, student: StudentFiles) -> str | None:
        """Return the stage that the attempt's folder is named after; "" without a stage's folder.

        Return None, and add a remark, if the folder names a stage that nobody asked for. An
        instructor may rename an assignment, so the folder's name may not be a stage's name. Then
        return the stage that the whole download is about. If it is not about exactly one stage, add
        a remark and return None.
        """
        about = self.stages
        named_stage = student.attempt.stage
        if named_stage and named_stage not in self._order:
            if len(about) != 1:
                problem = f"{safe_line(named_stage)} is not a stage of the course; use --stage"
                self.remarks.unplaced.append(f"{student.name}: {problem}")
                return None
            named_stage = about[0]
        if named_stage and about and named_stage not in about:
            self.remarks.notes.append(
                f"{student.name}: {named_stage} left out: you asked for {', '.join(about)}"
            )
            return None
        return named_stage

    def _earlier_stages(
        self, student: StudentFiles, others: dict[str, dict[str, str]], something: bool
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
                self.remarks.notes.append(
                    f"{student.name}: {listed} placed in {stage}, which was empty"
                )
                placements.append(self._placement(student, stage, theirs))
            elif something:
                self.remarks.notes.append(
                    f"{student.name}: {listed} left out: {stage} already has a submission"
                )
            else:
                self.remarks.unplace(
                    student.name,
                    f"belongs to {stage}, which already has a submission; use --stage",
                    theirs,
                )
        return placements

    def _beside_the_folder(self, student: StudentFiles, stage: str) -> list[Placement]:
        """Add a remark that files beside the stage's folder are left out; return no placements.

        The files beside the folder must not replace the program in the folder.
        """
        for file in student.unknown:
            line = f"{safe_line(file)} left out: it is beside the folder {stage}"
            self.remarks.notes.append(f"{student.name}: {line}")
        return []

    def _placement(self, student: StudentFiles, stage: str, files: dict[str, str]) -> Placement:
        """Return the placement of these files, under the names that the stage's modules have."""
        named = self._misnamed.named(student.name, stage, files)
        return Placement(
            archive=self._archive,
            platform=self._download.platform,
            attempt=student.attempt,
            student=student.name,
            stage=stage,
            files=named.files,
            renamed=named.renamed,
        )
