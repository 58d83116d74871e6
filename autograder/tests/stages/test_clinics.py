"""In a clinic, a student tests another person's program, finds its one slip, and repairs it."""

import difflib
import itertools
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hearts_course.course import find_course
from hearts_course.misconceptions import diagnose, load_patterns
from hearts_course.sandbox.answers import SubmissionStopped, remote_error
from hearts_course.sandbox.imports import WITHOUT_PACKAGES
from hearts_course.student.report import TERMINAL, report_on
from hearts_course.submissions.find import find_submissions
from hearts_course.submissions.model import Submission
from hearts_course.submissions.untouched import untouched_tasks
from hearts_course.testing import own_tests
from hearts_course.testing.in_process import check_program
from hearts_grader.grading.grade import GradeJob, grade_one
from hearts_grader.release.bundle import released_stages
from machine import sandboxes
from proofs import proofs_after
from references import module_at
from surroundings import undisguised

COURSE = find_course()
MAX_LINES = 3
MIN_CORRECT = 3
# A student's test that fails if its process has one of these ids. Wrong programs used to run in
# processes with these ids, so such a test could tell them apart without testing them.
COUNTS = """
import os

def {test}():
    assert os.getpid() not in [3, 5, 7, 8, 11, 12]
"""
# Code by which a student's test might show the correct program's text in a visible check.
QUOTES = {
    "an error on import": "raise ValueError(text)",
    "an error": "def {test}():\n    raise ValueError(text)",
    "a missing name": "def __getattr__(name):\n    raise AttributeError(text)",
    "what is no test": "{test} = text",
    "an end": "import os\nos._exit(len(text) % 256)",
}
QUOTING = """
import sys

text = sys.modules["sandbox_worker.script"].ProgramFinder.texts["{module}.py"]
if "{mistaken}" in text:
    def {test}():
        assert False
else:
    {quote}
"""
CLINICS = [stage for stage in COURSE.stages if stage.clinic]


def names(stages):
    return [stage.name for stage in stages]


@pytest.mark.parametrize("clinic", CLINICS, ids=names(CLINICS))
def test_one_slip_is_all_that_is_wrong_with_the_program_that_students_get(clinic):
    starter = clinic.starter()
    (theirs,) = (name for name, text in starter.items() if "NotImplementedError" not in text)
    right = clinic.reference()[theirs].split("\n")
    compared = difflib.ndiff(
        [line for line in right if "# %%" not in line], starter[theirs].split("\n")
    )
    assert len([line for line in compared if line[:1] == "+" and line[1:].strip()]) <= MAX_LINES
    assert "\n".join(right) != starter[theirs]


@pytest.mark.parametrize("clinic", CLINICS, ids=names(CLINICS))
def test_tries_come_in_an_order_that_no_student_can_know(clinic, monkeypatch):
    (suite,) = clinic.hidden_tests
    tried = module_at(suite).CLINIC
    undisguised(own_tests, monkeypatch)
    orders = set()
    for number in range(5):
        order = []

        def program_with(order=order, **modules):
            order.append(modules[tried.module])
            test = tried.test.rpartition(".")[2]
            module = SimpleNamespace(**{test: lambda: None})
            return SimpleNamespace(module=lambda name: module)

        on_theirs, on_correct = tried.endings(program_with, {"any": str(number)})
        tries = Counter(order)
        theirs = clinic.starter()[tried.module]
        assert tries.pop(theirs) == len(on_theirs) == own_tests.TRIES
        assert [*tries.values()] == [own_tests.TRIES] * (len(on_correct) // own_tests.TRIES)
        assert len(tries) >= MIN_CORRECT
        orders.add(tuple(order))
    assert len(orders) > 1


@pytest.mark.parametrize("clinic", CLINICS, ids=names(CLINICS))
def test_visible_checks_try_their_program_and_correct_ones_in_an_order_by_chance(clinic):
    (suite,) = clinic.visible_tests
    complaint = module_at(suite).COMPLAINT
    theirs = clinic.starter()[complaint.module]
    orders = set()
    for _ in range(20):
        order = []

        def program_with(order=order, **modules):
            text = modules.get(complaint.module)
            order.append("repair" if text is None else "theirs" if text == theirs else "correct")
            test = complaint.test.rpartition(".")[2]
            module = SimpleNamespace(**{test: lambda: None})
            return SimpleNamespace(module=lambda name: module)

        your_test = complaint.tried(program_with)
        asked = (own_tests.AS_YOU_GOT_IT, own_tests.CORRECT, own_tests.YOUR_REPAIR)
        assert [your_test(on=on) for on in asked] == [own_tests.PASSES] * 3
        assert Counter(order) == {"correct": 2, "repair": 2, "theirs": 2}
        orders.add(tuple(order))
    assert len(orders) > 3


def test_a_test_that_fails_in_the_first_process_only_shows_no_slip():
    complaint = module_at(CLINICS[0].visible_tests[0]).COMPLAINT
    processes = itertools.count()

    def program_with(**modules):
        number = next(processes)
        test = complaint.test.rpartition(".")[2]

        def goes_by_the_number():
            if number == 0:
                raise remote_error({"type": "E", "base": "ValueError", "text": "", "where": None})

        module = SimpleNamespace(**{test: goes_by_the_number, own_tests.CALLS: [1]})
        return SimpleNamespace(module=lambda name: module)

    your_test = complaint.tried(program_with)
    asked = (own_tests.AS_YOU_GOT_IT, own_tests.YOUR_REPAIR)
    assert own_tests.FAILS not in [your_test(on=on) for on in asked]


def test_an_error_on_one_program_is_raised_where_that_program_is_asked_for():
    clinic = CLINICS[0]
    complaint = module_at(clinic.visible_tests[0]).COMPLAINT

    def program_with(**modules):
        if not modules:
            raise SubmissionStopped("timeout", "took longer than 2 s")
        test = complaint.test.rpartition(".")[2]
        return SimpleNamespace(module=lambda name: SimpleNamespace(**{test: lambda: None}))

    your_test = complaint.tried(program_with)
    assert your_test(on=own_tests.AS_YOU_GOT_IT) == own_tests.PASSES
    with pytest.raises(SubmissionStopped):
        your_test(on=own_tests.YOUR_REPAIR)


@pytest.mark.parametrize("sandbox", sandboxes())
@pytest.mark.parametrize("clinic", CLINICS[:1], ids=names(CLINICS[:1]))
def test_counting_processes_does_not_show_the_slip(clinic, sandbox):
    (suite,) = clinic.hidden_tests
    module, _, test = module_at(suite).CLINIC.test.partition(".")
    modules = clinic.reference() | {module: COUNTS.format(test=test)}
    result = grade_one(GradeJob(clinic, Submission("eve", clinic.name, modules), sandbox))
    show, repair = result.tasks
    assert [test.outcome for test in show.tests if test.hidden] == ["failed", "failed"]
    assert all(test.outcome == "passed" for test in repair.tests if test.hidden)


@pytest.mark.parametrize("sandbox", sandboxes())
@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_a_visible_check_never_quotes_the_correct_program(quote, sandbox):
    clinic = CLINICS[0]
    tried = module_at(clinic.hidden_tests[0]).CLINIC
    module, _, test = tried.test.partition(".")
    theirs = clinic.starter()[tried.module]
    right = clinic.reference()[tried.module]
    mistaken = next(line.strip() for line in theirs.split("\n") if line not in right.split("\n"))
    text = QUOTING.format(
        module=tried.module,
        mistaken=mistaken,
        test=test,
        quote=quote.format(test=test).replace("\n", "\n    "),
    )
    modules = {tried.module: theirs, module: text}
    result = grade_one(GradeJob(clinic, Submission("eve", clinic.name, modules), sandbox))
    show, _ = result.tasks
    on_theirs, on_correct = (test for test in show.tests if not test.hidden)
    assert on_theirs.outcome == "failed"
    assert on_correct.outcome == "failed"
    came_back, _ = on_correct.message.split("expected")
    assert came_back.rstrip().endswith("; on a correct program: fails")


# Maps the body of a wrong test to the way in which this test ends on the clinic's program.
NOT_THE_COMPLAINT = {
    "    assert False": "fails without asking their program anything ({module}.py, line 2)",
    "    raise ValueError('no card')": "fails without asking their program anything "
    "(ValueError: no card; {module}.py, line 2)",
    "    nobody()": "raises NameError itself: name 'nobody' is not defined ({module}.py, line 2)",
    "    [].nothing": "raises AttributeError itself: 'list' object has no attribute 'nothing'",
}


@pytest.mark.parametrize("body", NOT_THE_COMPLAINT)
@pytest.mark.parametrize("clinic", proofs_after(1, CLINICS), ids=names(CLINICS))
def test_a_mistake_in_the_test_is_not_the_complaint(clinic, body):
    module, _, test = module_at(clinic.hidden_tests[0]).CLINIC.test.partition(".")
    modules = COURSE.whole_reference(clinic) | clinic.starter()
    modules[module] = f"def {test}():\n{body}\n"
    show, _ = check_program(clinic, modules, tasks=[clinic.tasks[0].id]).tasks
    assert show.score == 0
    end = NOT_THE_COMPLAINT[body].format(module=module)
    assert f"came back    {end}" in show.tests[0].message


@pytest.mark.parametrize(
    ("task", "ending"), [(0, "so nothing was tested"), (1, "the rest was tested")]
)
def test_a_clinic_s_check_does_not_know_the_student_s_own_program(task, ending):
    clinic = COURSE.stage("02-clinic")
    modules = COURSE.whole_reference(clinic)
    text = modules["legal_complaint"]
    modules["legal_complaint"] = text.replace("from their_legal import", "from legal import")
    result = check_program(clinic, modules, tasks=[clinic.tasks[task].id])
    why = "this check runs the clinic's program alone: import from their_legal"
    assert result.message.endswith(f"No module named 'legal'; {why}; {ending}")


def test_a_test_that_cannot_be_imported_belongs_to_the_task_where_it_is_written():
    clinic = COURSE.stage("02-clinic")
    modules = COURSE.whole_reference(clinic)
    modules["legal_complaint"] = "import legall\n"
    result = check_program(clinic, modules)
    report = report_on(clinic, result, where="", commands=TERMINAL)
    repair = report.tasks[1]
    reason = "1 check not tried: legal_complaint.py (task 1) cannot be imported"
    assert (repair.summary.passing != (), repair.summary.not_tried) == (True, reason)
    show_it, repair_it = (f"hearts hint {task.id}" for task in clinic.tasks)
    assert (repair.hint, repair.other_hints) == (show_it, (repair_it,))


def test_a_missing_module_that_is_not_the_course_s_is_not_explained_by_the_clinic():
    clinic = COURSE.stage("02-clinic")
    modules = COURSE.whole_reference(clinic)
    modules["legal_complaint"] = "import legall\n"
    result = check_program(clinic, modules, tasks=[clinic.tasks[0].id])
    ending = f"No module named 'legall'; {WITHOUT_PACKAGES}; so nothing was tested"
    assert result.message.endswith(ending)


# Endless loops in a repair: the clinic, the line before which the loop is put, and the loop.
REPAIRS_THAT_LOOP = {
    "before following": ("02-clinic", "    points_stay_home =", "    while True: pass\n"),
    "before the tricks": ("03-clinic", "    while hands[leader]:", "    while True: pass\n"),
    "after a trick": ("03-clinic", "        leader = taker\n", "        while True: pass\n"),
    "for the cards": (
        "04-clinic",
        "        self._taken[self._turn] += self._trick",
        "        while self._trick: self._taken[self._turn].append(self._trick[0])\n",
    ),
}


@pytest.mark.parametrize("repair", proofs_after(1, REPAIRS_THAT_LOOP))
def test_a_repair_that_does_not_end_leaves_a_right_test_its_points(repair):
    name, line, loop = REPAIRS_THAT_LOOP[repair]
    clinic = COURSE.stage(name)
    theirs = module_at(clinic.hidden_tests[0]).CLINIC.module
    modules = COURSE.whole_reference(clinic)
    assert modules[theirs].count(line) == 1
    modules[theirs] = modules[theirs].replace(line, loop + line)
    quick = replace(clinic, limits=replace(clinic.limits, test_seconds=0.5))
    show, repaired = check_program(quick, modules).tasks
    assert [test.message for test in show.tests] == ["", ""]
    assert show.score == show.max_score
    of_rule, *_, of_test = repaired.tests
    number = modules[theirs].split("\n").index(loop.rstrip()) + 1
    assert f"{theirs}.py, line {number}: {loop.strip()}" in of_rule.message
    assert of_test.message.endswith(f"({theirs}.py, line {number}) did not end in another check")


@pytest.mark.parametrize("clinic", proofs_after(0, CLINICS), ids=names(CLINICS))
def test_a_test_that_does_not_end_is_named_with_its_line(clinic):
    module, _, test = module_at(clinic.hidden_tests[0]).CLINIC.test.partition(".")
    modules = COURSE.whole_reference(clinic)
    modules[module] = f"def {test}():\n    while True:\n        pass\n"
    show, repair = check_program(clinic, modules).tasks
    assert f"{module}.py, line 2: while True:" in show.tests[0].message
    reason = f"`{test}` ({module}.py, line 2) did not end in another check"
    assert [show.tests[1].message, repair.tests[-1].message] == [reason, reason]


@pytest.mark.parametrize("clinic", proofs_after(1, CLINICS), ids=names(CLINICS))
def test_the_grader_says_of_a_wrong_test_that_it_fails_on_a_correct_program(clinic):
    """The first check passes. The second one says that the test also fails on a correct program."""
    module, _, test = module_at(clinic.hidden_tests[0]).CLINIC.test.partition(".")
    modules = COURSE.whole_reference(clinic)
    modules[module] += f"\nright = {test}\n\n\ndef {test}():\n    right()\n    assert False\n"
    result = check_program(clinic, modules)
    show, repair = result.tasks
    on_theirs, on_correct = show.tests
    assert (on_theirs.outcome, on_correct.outcome) == ("passed", "failed")
    title = "Your test tells their program from one that keeps the rules of this table."
    assert on_correct.topic == title
    fails = "came back    on their program as you got it: fails; on {}: fails"
    assert fails.format("a correct program") in on_correct.message
    *_, last_test = repair.tests
    assert fails.format("your repair") in last_test.message
    assert "the repair is not complete" in last_test.message


@pytest.mark.parametrize("clinic", proofs_after(1, CLINICS), ids=names(CLINICS))
def test_a_slip_in_a_test_that_only_a_right_program_reaches_is_named(clinic):
    module, _, test = module_at(clinic.hidden_tests[0]).CLINIC.test.partition(".")
    modules = COURSE.whole_reference(clinic)
    modules[module] += f"\nright = {test}\n\n\ndef {test}():\n    right()\n    retrun\n"
    *_, last_test = check_program(clinic, modules).tasks[-1].tests
    named = "on your repair: raises NameError itself: name 'retrun' is not defined"
    assert named in last_test.message


@pytest.mark.parametrize("clinic", proofs_after(0, CLINICS, most=2), ids=names(CLINICS))
def test_their_program_is_not_diagnosed_before_the_student_has_changed_it(clinic):
    """If the tool named a known mistake before the repair, it would give away the slip."""
    theirs = module_at(clinic.hidden_tests[0]).CLINIC.module
    modules = clinic.reference() | {theirs: clinic.starter()[theirs]}
    commented = modules | {theirs: f"# Where is it?\n{modules[theirs]}"}
    begun = modules | {theirs: f"{modules[theirs]}\nTRIED = True\n"}
    patterns = load_patterns(clinic, visible=True)
    reference = COURSE.whole_reference(clinic)
    named = []
    for tried in (modules, commented, begun):
        result = check_program(clinic, reference | tried)
        result = result.with_untouched(untouched_tasks(clinic, tried))
        assert result.tasks[0].score == result.tasks[0].max_score
        named.append({*diagnose(result, clinic, patterns).matches})
    assert named[:2] == [set(), set()]
    assert clinic.tasks[1].id in named[2]


def test_lists_that_all_deals_share_are_not_repaired_by_emptying_them():
    clinic = COURSE.stage("04-clinic")
    modules = COURSE.whole_reference(clinic)
    text = clinic.starter()["their_table"]
    copied = "        self._taken = dict(NOTHING)\n"
    emptied = "        for cards in NOTHING.values():\n            cards.clear()\n"
    assert copied in text
    modules["their_table"] = text.replace(copied, emptied + copied)
    result = check_program(clinic, modules, tasks=[clinic.tasks[1].id])
    failed = [test for task in result.tasks for test in task.tests if test.message]
    assert [test.topic for test in failed] == [
        "In a new deal nobody has taken a card, and the deal before keeps the cards taken in it."
    ]
    assert "[0, 0, 0, 0]" in failed[0].message  # the deal before this one has lost its cards


def test_a_number_means_the_stage_and_not_its_clinic():
    assert COURSE.stage("02").name == "02-legal-moves"
    assert names(COURSE.stages)[1:3] == ["02-legal-moves", "02-clinic"]
    assert COURSE.after(COURSE.stage("02")).name == "03-uva-181"


@pytest.mark.parametrize(
    ("asked", "clinics"), [("02", []), ("03", ["02-clinic"]), ("02-clinic", ["02-clinic"])]
)
def test_a_clinic_comes_with_the_next_stage(asked, clinics):
    assert [name for name in names(released_stages(COURSE, [asked])) if "clinic" in name] == clinics


def test_a_clinic_counts_only_if_it_is_named(tmp_path):
    for stage in ("01-cards", "02-clinic"):
        (tmp_path / "ada" / stage).mkdir(parents=True)
    layout = find_submissions(tmp_path, COURSE)
    assert names(layout.stages) == ["01-cards"]
    assert layout.warnings == ("02-clinic counts only if you name it: --stage 02-clinic",)
    assert names(find_submissions(tmp_path, COURSE, ["02-clinic"]).stages) == ["02-clinic"]
