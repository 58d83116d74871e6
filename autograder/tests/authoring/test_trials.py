"""`hearts verify`: the scores that programs must reach, and the verdicts that are remembered."""

import shutil

import pytest
from hearts_course.course import Course
from hearts_course.errors import CourseError, StageError
from hearts_course.misconceptions import load_patterns, patterns_text
from hearts_course.results import Outcome, Status, TestResult, score_stage
from hearts_course.testing.job import StopAfter
from hearts_grader.authoring.build import build
from hearts_grader.authoring.chaffs import find_patterns
from hearts_grader.authoring.mutants import mutants_of
from hearts_grader.authoring.rungs import load_rungs, rung_problems
from hearts_grader.authoring.scaffold import scaffold
from hearts_grader.authoring.trials import TRIALS, run_trials, try_mutants
from hearts_grader.authoring.verify import MUTANTS_DIE, CheckResult, Mutants, verify
from hearts_grader.grading.grade import grade_one
from tiny_course import CHAFFS, HINTS, PATTERNS, REFERENCE, STAGE_TOML, write_course

STARTER, FULL, CHAFF, ALTERNATIVE, RUNG = TRIALS
PLAIN = REFERENCE.replace("# %% coin\n", "").replace("# %% purse\n", "")


@pytest.fixture
def course(tmp_path):
    course = write_course(tmp_path, PATTERNS="{}")
    build(course, course.stages)
    return course


def grade(jobs):
    return map(grade_one, jobs)


class FakeGrader:
    """Grades without running a program.

    `fails` takes a program and returns the ids of the tasks that it fails. Tests of these tasks get
    `outcome`; all other tests pass. `graded` is the list of all jobs so far.
    """

    def __init__(self, fails, outcome=Outcome.FAILED, **more):
        self.fails, self.outcome, self.more, self.graded = fails, outcome, more, []

    def __call__(self, jobs):
        for job in jobs:
            self.graded.append(job)
            failed = self.fails(job.submission.modules["coins"])
            outcomes = {
                task.id: self.outcome if task.id in failed else Outcome.PASSED
                for task in job.stage.tasks
                if job.tasks is None or task.id in job.tasks
            }
            tests = {
                task: [TestResult("t", "", False, outcome)] for task, outcome in outcomes.items()
            }
            student = job.submission.student
            yield score_stage(job.stage, student, tests, sandbox="none", **self.more)

    @property
    def programs(self):
        return [job.submission.modules["coins"] for job in self.graded]


def broken_grader():
    return FakeGrader(as_it_should, status=Status.GRADER_ERROR, message="no room")


def as_it_should(source):
    """Return the ids of the tiny course's tasks whose tests this program should fail."""
    if "NotImplementedError" in source:
        return {"worth", "purse", "total"}
    return {task for task, sign in (("worth", "5 if"), ("total", "1 for")) if sign in source}


def problems(course, grader):
    (stage,) = course.stages
    return {check: lines for check, lines in run_trials(stage, grader).items() if lines}


def test_a_good_stage_passes_every_trial(course):
    grader = FakeGrader(as_it_should)
    assert problems(course, grader) == {}
    starter = course.stages[0].starter()["coins"]
    chaffs = [REFERENCE.replace("10 if", "5 if"), REFERENCE.replace("coin.worth for", "1 for")]
    assert grader.programs == [starter, REFERENCE, PLAIN, *chaffs]


UNCAUGHT = "loses nothing in worth; write a test that catches it"
ELSEWHERE = (
    "also loses points in purse, which does not build on worth; make its tests ask less, or say so "
    "in stage.toml"
)
SCORES = "scores in purse, because t passes; make that test ask more"


@pytest.mark.parametrize(
    ("sign", "lost", "check", "line"),
    [
        ("NotImplementedError", {"worth", "total"}, STARTER, f"the starter {SCORES}"),
        ("# %% coin\n", {"total"}, FULL, "the reference scores 0.0 of 1 in total: t: failed"),
        ("5 if", set(), CHAFF, f"the chaff 'a dime is worth five' {UNCAUGHT}"),
        ("5 if", {"worth", "purse"}, CHAFF, f"the chaff 'a dime is worth five' {ELSEWHERE}"),
        (
            *("# another", {"worth"}, ALTERNATIVE),
            "the alternative 'another' scores 0.0 of 2 in worth: t: failed",
        ),
    ],
)
def test_a_program_that_scores_otherwise_is_a_problem(course, sign, lost, check, line):
    alternative = course.stages[0].autograder / "alternatives/another/coins.py"
    alternative.parent.mkdir(parents=True)
    alternative.write_text(f"{PLAIN}# another\n")

    def fails(source):
        is_chaff = "5 if" in source or "1 for" in source
        hit = sign in source and (sign == "5 if" or not is_chaff)
        return lost if hit else as_it_should(source)

    assert problems(course, FakeGrader(fails)) == {check: [f"01-coins: {line}"]}


TOTAL_RUNG = """\
[[rung]]
task = "total"
function = "Purse.total"
lines = '''
worth = 0
for coin in self._coins:
    worth += coin.worth
return worth
'''
"""


def test_lines_in_their_order_must_solve_the_task(course):
    (course.stages[0].autograder / "rungs.toml").write_text(TOTAL_RUNG)
    grader = FakeGrader(as_it_should)
    assert problems(course, grader) == {}
    program = grader.programs[-1]
    assert grader.graded[-1].tasks == {"total"}
    assert '"""The worth of all coins."""\n        worth = 0\n        for coin in self' in program
    assert "return worth\n\n\ndef richest" in program
    assert "sum(" not in program
    wrong = FakeGrader(lambda source: {"total"} if "worth = 0" in source else as_it_should(source))
    line = "01-coins: the lines of total do not pass: t: failed"
    assert problems(course, wrong) == {RUNG: [line]}


LINES = """
### 2

Put these in order.

```lines
return worth
worth = 0
worth += coin.worth
worth += 1
for coin in self._coins:
```

### 3

And then?
"""


@pytest.mark.parametrize(
    ("old_text", "new_text", "problem"),
    [
        ("", "", ""),
        ("### 3\n\nAnd then?\n", "", "one block of `lines`, in the hint before the last"),
        ("worth = 0\n", "", "'worth = 0' of rungs.toml is missing"),
        ("worth += 1\n", "", "0 lines that do not belong there; write 1 to 2"),
        (
            LINES[LINES.index("return") : LINES.index("```\n\n###")],
            "worth = 0\nfor coin in self._coins:\nworth += 1\nworth += coin.worth\nreturn worth\n",
            "the lines are in order already; mix them",
        ),
    ],
)
def test_lines_to_order_are_mixed_in_the_hint_before_the_last(
    tmp_path, old_text, new_text, problem
):
    course = write_course(tmp_path, HINTS=HINTS + LINES.replace(old_text, new_text))
    rungs = course.stages[0].autograder / "rungs.toml"
    lines = [f"{course.stages[0].assignment}/hints.md: total: {problem}"] if problem else []
    rungs.write_text(TOTAL_RUNG)
    assert list(rung_problems(course.stages[0])) == lines
    rungs.unlink()
    (line,) = rung_problems(course.stages[0])
    assert line.endswith("total: write its lines, in order, into rungs.toml")


def test_lines_belong_to_a_function_of_the_reference(course):
    stage = course.stages[0]
    (stage.autograder / "rungs.toml").write_text(TOTAL_RUNG.replace("Purse.total", "Purse.sum"))
    with pytest.raises(CourseError, match=r"total: the reference has no function 'Purse.sum'"):
        load_rungs(stage)


def test_lines_of_an_unknown_task_are_refused_with_the_file(course):
    stage = course.stages[0]
    rungs = TOTAL_RUNG.replace('task = "total"', 'task = "totl"')
    (stage.autograder / "rungs.toml").write_text(rungs)
    with pytest.raises(StageError, match=r"rungs.toml: no task of .* is called 'totl'"):
        load_rungs(stage)


def test_a_starter_that_does_not_import_is_a_problem(course):
    everything = {"worth", "purse", "total"}
    grader = FakeGrader(lambda source: everything, Outcome.NOT_REACHED, message="a loop")
    problem_lines = problems(course, grader)
    assert problem_lines[STARTER] == ["01-coins: the starter does not import: a loop"]


def test_a_chaff_may_lose_points_where_something_builds_on_its_task(course):
    grader = FakeGrader(
        lambda source: as_it_should(source) | ({"purse"} if "1 for" in source else set())
    )
    assert problems(course, grader) == {}  # because purse builds on total
    graded_in = [job.tasks for job in grader.graded if job.tasks is not None]
    assert graded_in == [{"worth", "purse", "total"}, {"worth", "total"}]


def test_a_program_that_cannot_be_graded_is_a_problem(course):
    assert problems(course, broken_grader())[FULL] == [
        "01-coins: the reference cannot be graded: no room",
        "01-coins: the reference as a notebook cannot be graded: no room",
    ]


def test_an_invalid_chaff_stops_no_other_trial(course):
    path = course.stages[0].autograder / "chaffs.toml"
    path.write_text(CHAFFS.replace("10 if", "11 if"))
    problem_lines = problems(course, FakeGrader(as_it_should))
    assert list(problem_lines) == [CHAFF]
    assert "occurs 0 times" in problem_lines[CHAFF][0]


LIVES = 'return 10 if self.face == "dime" else 2'
LISTED = """
[[equivalent]]
line = 'return 10 if self.face == "dime" else 1'
mutant = 'return 10 if self.face == "dime" else 2'
reason = "nobody has a penny"
"""


def kills_but(*alive):
    return FakeGrader(lambda source: set() if any(text in source for text in alive) else {"total"})


def survivors(course, grader, **options):
    lines, _ = try_mutants(course, course.stages[0], grader, **options)
    return [line.replace(f"{course.root}/", "") for line in lines]


def test_every_mutant_is_graded_until_a_test_fails(course):
    grader = kills_but()
    assert survivors(course, grader) == []
    assert grader.programs == [mutant.text for mutant in mutants_of("coins", REFERENCE)]
    assert all(job.stop is StopAfter.RUN for job in grader.graded)


def test_the_tests_of_the_changed_task_come_first(course):
    grader = kills_but()
    survivors(course, grader)
    first = {source: job.first for source, job in zip(grader.programs, grader.graded, strict=True)}
    assert first[REFERENCE.replace("10 if", "11 if")] == {"worth"}
    assert first[REFERENCE.replace("frozen=True", "frozen=False")] == set()


def test_a_mutant_that_survives_is_a_problem(course):
    assert survivors(course, kills_but(LIVES)) == [
        'solutions/01-coins/coins.py:18: `return 10 if self.face == "dime" else 2` in place of '
        '`return 10 if self.face == "dime" else 1`: no test notices it; write one, or list it as '
        "equivalent"
    ]


def test_a_mutant_without_a_failed_test_is_not_killed(course):
    """Here the mutant uses up its time, so some of its tests are not reached."""
    grader = FakeGrader(lambda source: {"total"}, Outcome.NOT_REACHED, message="no time left")
    survivor_lines = survivors(course, grader)
    assert len(survivor_lines) == 15
    assert all(line.endswith(": not tried to the end: no time left") for line in survivor_lines)
    assert survivors(course, kills_but()) == [], "it is tried again"


def test_mutants_killed_by_a_timeout_are_counted(course):
    grader = FakeGrader(lambda source: {"total"}, Outcome.TIMEOUT)
    assert try_mutants(course, course.stages[0], grader) == ([], "15 of 15 by a timeout")


def test_a_listed_mutant_may_survive_but_must_not_be_killed(course):
    (course.stages[0].autograder / "equivalents.toml").write_text(LISTED)
    grader = kills_but(LIVES)
    assert survivors(course, grader) == []
    assert LIVES in grader.programs[0], "it takes longest, so it comes first"
    (course.stages[0].assignment / "test_coins.py").write_text("# a better suite")
    (line,) = survivors(course, kills_but())
    assert line.startswith("autograder/stages/01-coins/equivalents.toml: `return 10 if self.face")
    assert line.endswith("is killed or no longer made; remove it")


def test_a_listed_mutant_that_timed_out_is_tried_again(course):
    """On a busy machine, even a right program may run out of time."""
    (course.stages[0].autograder / "equivalents.toml").write_text(LISTED)
    slow = FakeGrader(lambda source: {"total"}, Outcome.TIMEOUT)
    assert len(survivors(course, slow)) == 1
    grader = kills_but(LIVES)
    assert survivors(course, grader) == []
    assert len(grader.programs) == 1


def test_an_exempt_module_has_no_mutants_and_its_tasks_kill_none(tmp_path):
    toml = STAGE_TOML.replace('"coins.py"', '"coins.py", "more.py"').replace(
        '"Purse.total", "richest"', '"mine"'
    )
    course = write_course(tmp_path, STAGE_TOML=toml)
    (stage,) = course.stages
    (stage.solution / "more.py").write_text("def mine():\n    return 1\n")
    exempt = '[[exempt]]\nmodule = "more"\nreason = "The student\'s own tests."\n'
    (stage.autograder / "equivalents.toml").write_text(exempt)
    grader = kills_but()
    assert len(survivors(course, grader)) == 15
    assert {job.tasks for job in grader.graded} == {frozenset({"worth", "purse"})}


def test_a_second_run_grades_nothing_again_and_finds_the_same(course):
    first = survivors(course, kills_but(LIVES))
    again = kills_but()
    assert survivors(course, again) == first
    assert again.graded == []


def test_an_interrupted_run_is_continued(course):
    def interrupted(jobs):
        for number, result in enumerate(kills_but()(jobs)):
            if number == 5:
                raise KeyboardInterrupt
            yield result

    with pytest.raises(KeyboardInterrupt):
        survivors(course, interrupted)
    remaining_kills = kills_but()
    assert survivors(course, remaining_kills) == []
    assert len(remaining_kills.graded) == len(list(mutants_of("coins", REFERENCE))) - 5


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("assignments/01-coins/test_coins.py", True),
        ("autograder/stages/01-coins/test_coins_hidden.py", True),
        ("assignments/01-coins/stage.toml", False),
        ("autograder/stages/01-coins/tournament_seat.py", False),
        ("assignments/01-coins/README.md", False),
        ("assignments/01-coins/coins.py", False),
        ("autograder/stages/01-coins/chaffs.toml", False),
        ("autograder/stages/01-coins/games/mistakes.toml", True),
        ("autograder/stages/01-coins/alternatives/odd/coins.py", False),
        ("autograder/stages/01-coins/__pycache__/test_coins_hidden.pyc", False),
    ],
)
def test_mutants_are_graded_again_if_the_suite_changes(course, name, again):
    survivors(course, kills_but())
    path = course.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write("\n# changed\n")
    second = kills_but()
    survivors(Course(course.root), second)
    assert bool(second.graded) == again


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("solutions/01-coins/coins.py", True),
        ("autograder/stages/01-coins/test_coins_hidden.py", True),
        ("autograder/stages/01-coins/equivalents.toml", True),
        ("autograder/stages/01-coins/patterns.json", False),
    ],
)
def test_mutants_of_an_unchanged_stage_are_tried_only_if_asked_for(course, name, again):
    path = course.root / name
    path.touch()
    survivors(course, kills_but())
    shutil.rmtree(course.root / ".hearts-verify")
    assert try_mutants(course, course.stages[0], broken_grader()) == (
        [],
        "tried before on these very texts",
    )
    everything = kills_but()
    assert survivors(course, everything, again=True) == []
    assert len(everything.graded) == len(list(mutants_of("coins", REFERENCE)))
    shutil.rmtree(course.root / ".hearts-verify")
    with path.open("a") as file:
        file.write("\n# changed\n")
    changed = kills_but()
    survivors(Course(course.root), changed)
    assert bool(changed.graded) == again


def test_another_docstring_of_a_test_has_no_mutant_tried_again(course):
    survivors(course, kills_but())
    path = course.root / "autograder/stages/01-coins/test_coins_hidden.py"
    text = path.read_text()
    assert "The richest purse" in text
    path.write_text(text.replace("The richest purse", "That purse"))
    shutil.rmtree(course.root / ".hearts-verify")
    assert try_mutants(Course(course.root), course.stages[0], broken_grader())[0] == []


def test_a_stage_with_a_surviving_mutant_is_tried_again(course):
    survivors(course, kills_but(LIVES))
    shutil.rmtree(course.root / ".hearts-verify")
    again = kills_but()
    assert survivors(course, again) == []
    assert again.graded


def test_a_line_that_was_cut_off_is_ignored(course):
    survivors(course, kills_but())
    (path,) = course.root.glob(".hearts-verify/01-coins/*.txt")
    path.write_text(path.read_text()[:-3])
    second = kills_but()
    assert survivors(course, second, again=True) == []
    assert len(second.graded) == 1


def test_a_mutant_that_cannot_be_graded_does_not_count_as_killed(course):
    with pytest.raises(CourseError, match="a mutant cannot be graded: no room"):
        survivors(course, broken_grader())


def test_mutants_are_tried_only_if_wanted_and_the_reference_scores_full(course):
    (course.stages[0].assignment / "README.md").unlink()

    def results(fails, **options):
        check_results = verify(course, course.stages, FakeGrader(fails), **options)
        return {result.check: result.problems for result in check_results}

    without = results(as_it_should, mutants=Mutants.NONE)
    assert MUTANTS_DIE not in without
    assert results(lambda source: {"worth"})[MUTANTS_DIE] == (
        "01-coins: not tried, because the reference does not score full",
    )
    missing = f"{course.stages[0].assignment}/README.md: missing; write it, or run `hearts build`"
    assert without["generated files are current"] == (missing,)
    assert without["every task has a visible test"] == (), "one problem stops no other check"


@pytest.mark.needs_sandbox
def test_a_scaffolded_stage_is_proved_by_the_real_grader(tmp_path):
    course = write_course(tmp_path)
    scaffold(course, "08-moon")
    course = Course(course.root)
    build(course, course.stages)
    results = list(verify(course, [course.stage("8")], grade))
    assert [result for result in results if result.problems] == []
    assert len(results) == 26
    assert results[-1] == CheckResult("08-moon", MUTANTS_DIE, ())


@pytest.mark.needs_sandbox
def test_the_real_grader_finds_a_chaff_that_passes_or_fails_in_another_way(tmp_path):
    course = write_course(
        tmp_path,
        CHAFFS=CHAFFS.replace("'''5 if'''", "'''10.0 if'''"),
        PATTERNS=PATTERNS.replace(
            '"test_coins.py::test_total": "', '"test_coins.py::test_total": "0'
        ),
    )
    build(course, course.stages)
    problem_lines = problems(course, grade)
    assert list(problem_lines) == [CHAFF]
    first, second, third = problem_lines[CHAFF]
    assert "fails in another way than" in first
    assert first.endswith(
        "such as in test_coins.py::test_worth[1]: patterns are out of date; "
        "run `hearts build 01-coins --patterns`"
    )
    assert second.endswith("loses nothing in worth; write a test that catches it")
    assert "'counts the coins instead of their worth' fails in another way" in third


@pytest.mark.needs_sandbox
def test_what_each_chaff_fails_is_found_by_grading_it(tmp_path):
    (stage,) = write_course(tmp_path).stages
    patterns = find_patterns(stage, grade)
    assert patterns_text(patterns) == PATTERNS
    assert load_patterns(stage) == patterns
