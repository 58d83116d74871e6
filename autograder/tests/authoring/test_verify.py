"""Programs that go through the grader: what must come out, and what is remembered."""

import pytest
from hearts_course.authoring.build import build
from hearts_course.authoring.checks import files
from hearts_course.authoring.checks.survivors import survivors
from hearts_course.authoring.checks.trials import CHECKS, run_trials
from hearts_course.authoring.mutants import mutants_of
from hearts_course.authoring.patterns import find_patterns
from hearts_course.authoring.scaffold import scaffold
from hearts_course.authoring.verify import MUTANTS, CheckResult, verify
from hearts_course.course import Course
from hearts_course.errors import CourseError
from hearts_course.grading.grade import grade_one
from hearts_course.grading.misconceptions import as_text, load_patterns
from hearts_course.results import Outcome, Status, TestResult, score_stage
from hearts_course.testing.job import StopAfter
from tiny_course import CHAFFS, PATTERNS, REFERENCE, write_course

STARTER, FULL, CHAFF, ALTERNATIVE = CHECKS


@pytest.fixture
def course(tmp_path):
    course = write_course(tmp_path, PATTERNS="{}")
    build(course, course.stages)
    return course


def grade(works):
    return map(grade_one, works)


class FakeGrader:
    """Passes every task but those that `fails` names for a program; counts what it grades."""

    def __init__(self, fails):
        self.fails = fails
        self.graded = []

    def __call__(self, works):
        for work in works:
            self.graded.append(work)
            yield self.result(work, self.fails(work.submission.modules["coins"]))

    def result(self, work, failed):
        tests = {
            task.id: [
                TestResult("t", "", False, Outcome.FAILED if task.id in failed else Outcome.PASSED)
            ]
            for task in work.stage.tasks
            if work.tasks is None or task.id in work.tasks
        }
        return score_stage(work.stage, work.submission.student, tests, sandbox="none")


def as_it_should(source):
    """The tasks in which a good suite fails a program of the tiny course."""
    if "NotImplementedError" in source:
        return {"worth", "purse", "total"}
    return {task for task, sign in (("worth", "5 if"), ("total", "1 for")) if sign in source}


def trial_faults(course, fails):
    (stage,) = course.stages
    return {check: lines for check, lines in run_trials(stage, FakeGrader(fails)).items() if lines}


def test_a_good_stage_stands_every_trial(course):
    (stage,) = course.stages
    grader = FakeGrader(as_it_should)
    assert run_trials(stage, grader) == {check: [] for check in CHECKS}
    plain = REFERENCE.replace("# %% coin\n", "").replace("# %% purse\n", "")
    starter = stage.starter()["coins"]
    chaffs = [REFERENCE.replace("10 if", "5 if"), REFERENCE.replace("coin.worth for", "1 for")]
    graded = [work.submission.modules["coins"] for work in grader.graded]
    assert graded == [starter, REFERENCE, plain, *chaffs]


def test_a_starter_that_scores_is_a_fault(course):
    def fails(source):
        return as_it_should(source) - {"purse"}

    assert trial_faults(course, fails) == {
        STARTER: ["01-coins: the starter scores in purse, since t passes; make that test ask more"]
    }


def test_a_starter_that_does_not_import_is_a_fault(course):
    class Silent(FakeGrader):
        def result(self, work, failed):
            tests = {
                task.id: [TestResult("t", "", False, Outcome.NOT_REACHED)]
                for task in work.stage.tasks
            }
            student = work.submission.student
            return score_stage(work.stage, student, tests, sandbox="none", message="a loop")

    found = run_trials(course.stages[0], Silent(as_it_should))
    assert found[STARTER] == ["01-coins: the starter does not import: a loop"]


def test_a_reference_that_misses_points_is_a_fault(course):
    def fails(source):
        return as_it_should(source) | ({"total"} if source == REFERENCE else set())

    assert trial_faults(course, fails) == {
        FULL: ["01-coins: the reference scores 0.0 of 1 in total: t: failed"]
    }


def test_a_chaff_that_passes_is_a_fault(course):
    def fails(source):
        return set() if "5 if" in source else as_it_should(source)

    assert trial_faults(course, fails) == {
        CHAFF: [
            "01-coins: the chaff 'a dime is worth five' loses nothing in worth; "
            "write a test that catches it"
        ]
    }


def test_a_chaff_may_lose_points_where_something_builds_on_its_task(course):
    def fails(source):
        return as_it_should(source) | ({"purse"} if "1 for" in source else set())

    assert trial_faults(course, fails) == {}  # purse builds on total


def test_a_chaff_is_graded_only_where_it_may_or_must_not_lose_points(course):
    (stage,) = course.stages
    grader = FakeGrader(as_it_should)
    run_trials(stage, grader)
    chaffs = [work.tasks for work in grader.graded if work.tasks is not None]
    assert chaffs == [{"worth", "purse", "total"}, {"worth", "total"}]


def test_a_chaff_that_loses_points_elsewhere_is_a_fault(course):
    def fails(source):
        return as_it_should(source) | ({"purse"} if "5 if" in source else set())

    assert trial_faults(course, fails) == {
        CHAFF: [
            "01-coins: the chaff 'a dime is worth five' also loses points in purse, which does "
            "not build on worth; make its tests ask less, or say so in stage.toml"
        ]
    }


def test_an_alternative_must_score_full(course):
    (stage,) = course.stages
    other = stage.autograder / "alternatives/another/coins.py"
    other.parent.mkdir(parents=True)
    other.write_text(f"{REFERENCE}# another\n")
    assert trial_faults(course, as_it_should) == {}

    def fails(source):
        return as_it_should(source) | ({"worth"} if "# another" in source else set())

    assert trial_faults(course, fails) == {
        ALTERNATIVE: ["01-coins: the alternative 'another' scores 0.0 of 2 in worth: t: failed"]
    }


class BrokenGrader(FakeGrader):
    """Grades nothing, and says so."""

    def result(self, work, failed):
        student, status = work.submission.student, Status.GRADER_ERROR
        return score_stage(
            work.stage, student, {}, sandbox="none", message="no room", status=status
        )


def test_what_cannot_be_graded_is_a_fault_of_its_trial(course):
    assert run_trials(course.stages[0], BrokenGrader(as_it_should))[FULL] == [
        "01-coins: the reference cannot be graded: no room",
        "01-coins: the reference as a notebook cannot be graded: no room",
    ]


def test_a_chaff_that_cannot_be_made_stops_no_other_trial(course):
    path = course.stages[0].autograder / "chaffs.toml"
    path.write_text(CHAFFS.replace("10 if", "11 if"))
    found = trial_faults(course, as_it_should)
    assert list(found) == [CHAFF]
    assert "occurs 0 times" in found[CHAFF][0]


LIVES = 'return 10 if self.face == "dime" else 2'
LISTED = """
[[equivalent]]
line = 'return 10 if self.face == "dime" else 1'
mutant = 'return 10 if self.face == "dime" else 2'
reason = "nobody has a penny"
"""


def kills_but(*alive):
    return lambda source: set() if any(text in source for text in alive) else {"total"}


def survive(course, grader):
    (stage,) = course.stages
    return [line.replace(f"{course.root}/", "") for line in survivors(course, stage, grader)]


def test_every_mutant_is_tried(course):
    grader = FakeGrader(kills_but())
    assert survive(course, grader) == []
    tried = {work.submission.modules["coins"] for work in grader.graded}
    assert tried == {mutant.text for mutant in mutants_of("coins", REFERENCE)}
    assert all(work.stop is StopAfter.RUN for work in grader.graded)


def test_a_mutant_that_lives_is_a_fault(course):
    assert survive(course, FakeGrader(kills_but(LIVES))) == [
        "solutions/01-coins/coins.py:18: no test notices "
        '`return 10 if self.face == "dime" else 2` in place of '
        '`return 10 if self.face == "dime" else 1`; write one, or list it as equivalent'
    ]


def test_a_listed_mutant_may_live_but_must_not_die(course):
    (course.stages[0].autograder / "equivalents.toml").write_text(LISTED)
    assert survive(course, FakeGrader(kills_but(LIVES))) == []
    (course.stages[0].assignment / "test_coins.py").write_text("# a better suite")
    (line,) = survive(course, FakeGrader(kills_but()))
    assert line.startswith("autograder/01-coins/equivalents.toml: `return 10 if self.face")
    assert line.endswith("is killed or no longer made; take it out")


def test_a_second_run_grades_nothing_again_and_finds_the_same(course):
    first = survive(course, FakeGrader(kills_but(LIVES)))
    again = FakeGrader(kills_but())
    assert survive(course, again) == first
    assert again.graded == []


def test_an_interrupted_run_goes_on_where_it_was(course):
    class Interrupted(FakeGrader):
        def __call__(self, works):
            for number, result in enumerate(super().__call__(works)):
                if number == 5:
                    raise KeyboardInterrupt
                yield result

    with pytest.raises(KeyboardInterrupt):
        survive(course, Interrupted(kills_but()))
    rest = FakeGrader(kills_but())
    assert survive(course, rest) == []
    assert len(rest.graded) == len(list(mutants_of("coins", REFERENCE))) - 5


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("assignments/01-coins/test_coins.py", True),
        ("autograder/01-coins/test_coins_hidden.py", True),
        ("assignments/01-coins/stage.toml", True),
        ("assignments/01-coins/README.md", False),
        ("assignments/01-coins/coins.py", False),
        ("autograder/01-coins/chaffs.toml", False),
        ("autograder/01-coins/games/mistakes.toml", True),
        ("autograder/01-coins/games/wheats/odd/coins.py", True),
        ("autograder/01-coins/alternatives/odd/coins.py", False),
        ("autograder/01-coins/__pycache__/test_coins_hidden.pyc", False),
    ],
)
def test_what_judges_mutants_makes_them_be_judged_again(course, name, again):
    survive(course, FakeGrader(kills_but()))
    path = course.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write("\n# changed\n")
    second = FakeGrader(kills_but())
    survive(Course(course.root), second)
    assert bool(second.graded) == again


def test_a_damaged_line_is_forgotten(course):
    survive(course, FakeGrader(kills_but()))
    (path,) = course.root.glob(".hearts-verify/01-coins/*.txt")
    path.write_text(path.read_text()[:-3])
    second = FakeGrader(kills_but())
    assert survive(course, second) == []
    assert len(second.graded) == 1


def test_a_mutant_that_cannot_be_graded_is_no_dead_one(course):
    with pytest.raises(CourseError, match="a mutant cannot be graded: no room"):
        survive(course, BrokenGrader(kills_but()))


def test_mutants_are_tried_only_if_asked_for_and_the_reference_is_sound(course):
    def verdicts(fails, **options):
        found = verify(course, course.stages, FakeGrader(fails), **options)
        return {verdict.check: verdict for verdict in found}

    assert MUTANTS not in verdicts(as_it_should, mutants=False)
    assert verdicts(lambda source: {"worth"})[MUTANTS].faults == (
        "01-coins: not tried, since the reference does not score full",
    )


def test_a_fault_that_ends_a_check_ends_no_other(course):
    (course.stages[0].assignment / "README.md").unlink()
    verdicts = {v.check: v.faults for v in verify(course, course.stages, FakeGrader(as_it_should))}
    missing = f"{course.stages[0].assignment}/README.md: missing; write it, or run `hearts build`"
    assert verdicts["generated files are current"] == (missing,)
    assert verdicts["every task has a visible test"] == ()


def test_a_scaffolded_stage_is_proved_by_the_real_grader(tmp_path):
    course = write_course(tmp_path)
    scaffold(course, "08-moon")
    course = Course(course.root)
    build(course, course.stages)
    verdicts = list(verify(course, [course.stage("8")], grade))
    assert [verdict for verdict in verdicts if verdict.faults] == []
    assert len(verdicts) == 16
    assert verdicts[-1] == CheckResult("08-moon", MUTANTS, ())


def test_the_real_grader_finds_what_is_wrong(tmp_path):
    chaffs = CHAFFS.replace("'''5 if'''", "'''10.0 if'''")
    course = write_course(tmp_path, CHAFFS=chaffs, PATTERNS="{}")
    build(course, course.stages)
    assert run_trials(course.stages[0], grade) == {
        STARTER: [],
        FULL: [],
        CHAFF: [
            "01-coins: the chaff 'a dime is worth five' loses nothing in worth; "
            "write a test that catches it"
        ],
        ALTERNATIVE: [],
    }


def test_a_chaff_that_fails_other_tests_than_is_written_down_is_a_fault(tmp_path):
    course = write_course(tmp_path, PATTERNS=PATTERNS.replace("[1]", "[2]"))
    build(course, course.stages)
    fault = run_trials(course.stages[0], grade)[CHAFF][0]
    assert "fails other tests than" in fault
    assert fault.endswith(
        "such as test_coins.py::test_worth[1]; run `hearts build 01-coins --patterns`"
    )


def test_what_each_chaff_fails_must_be_written_down(tmp_path):
    course = write_course(tmp_path, PATTERNS=PATTERNS.replace("five", "six"))
    where = f"{tmp_path}/autograder/01-coins/patterns.json"
    mend = "run `hearts build 01-coins --patterns`"
    assert list(files.patterns(course, course.stages[0])) == [
        f"{where}: 'a dime is worth five' is not in it; {mend}",
        f"{where}: 'a dime is worth six' is no chaff any more; {mend}",
    ]


def test_what_each_chaff_fails_is_found_by_grading_it(tmp_path):
    (stage,) = write_course(tmp_path).stages
    patterns = find_patterns(stage, grade)
    assert as_text(patterns) == PATTERNS
    assert load_patterns(stage) == patterns
