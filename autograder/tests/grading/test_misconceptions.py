"""Where failures come from: a known misconception, or another task that fails too."""

from dataclasses import replace

import pytest
from hearts_course.misconceptions import (
    Pattern,
    answers,
    diagnose,
    facts,
    load_patterns,
    pattern_of,
    patterns_text,
    unknown_ground,
    visible_part,
)
from hearts_course.reports.task_summary import FirstFailure, TopicStatus, begin_with, summarise
from hearts_course.results import Outcome, SourcePosition, TestResult, score_stage
from hearts_course.testing.own_tests import ASKS_NOTHING
from student_course import SECOND_STAGE, two_stages
from tiny_course import write_course, write_stage

P = Outcome.PASSED
F = Outcome.FAILED
N = Outcome.NOT_REACHED
T = Outcome.TIMEOUT


@pytest.fixture
def stage(tmp_path):
    return write_stage(tmp_path)


def pattern(name, *failing, task="purse", **later):
    fails = {task: frozenset(f"t[{i}]" for i in failing)}
    return Pattern(name, task, fails | {k: frozenset(v) for k, v in later.items()})


def result(stage, *, hidden=False, **outcomes):
    """Return a result in which the tests t[1], t[2] and so on of each task have these outcomes."""
    tests = {
        task: [TestResult(f"t[{i}]", "A.", hidden, end) for i, end in enumerate(ends, start=1)]
        for task, ends in outcomes.items()
    }
    return score_stage(stage, "ada", tests, sandbox="none")


def told(stage, *came_back, tests=6, file="test_coins.py"):
    """Return a result in which tests of `purse` fail, because these answers came back.

    `purse` has as many tests as `tests` says. A test passes if its answer is None or left out.
    """
    ends = [
        TestResult(f"{file}::t[{i}]", "A.", False, P if text is None else F, f"  {text}")
        for i, text in enumerate([*came_back, *[None] * (tests - len(came_back))], start=1)
    ]
    total = [TestResult(f"{file}::total", "A.", False, P)]
    return score_stage(stage, "ada", {"purse": ends, "total": total}, sandbox="none")


def names(result, stage, patterns):
    diagnosis = diagnose(result, stage, patterns)
    return {task: like.names for task, like in diagnosis.matches.items()}


def matched(stage, patterns, **outcomes):
    return names(result(stage, **{"total": [P], **outcomes}), stage, patterns)


def test_the_same_tests_fail(stage):
    patterns = [pattern("one", 1, 2), pattern("other", 2), pattern("else", 1, 2, task="worth")]
    assert matched(stage, patterns, purse=[F, T, P]) == {"purse": ("one",)}


def test_two_equal_matches_are_reported_and_three_are_not(stage):
    patterns = [pattern(name, 1) for name in ("one", "other", "third")]
    for number, tells in ((2, True), (3, False)):
        ended = result(stage, total=[P], purse=[F, P])
        (like,) = diagnose(ended, stage, patterns[:number]).matches.values()
        assert len(like.names) == number
        assert like.tells is tells


@pytest.mark.parametrize(
    ("answers_now", "match"),
    [
        ("ab", ("one",)),
        ("ax", None),  # the same tests fail, but one answer differs
        ("abc", None),
        ("mno", ("all of three",)),
        ("mnx", None),
    ],
)
def test_answers_decide_between_mistakes_that_fail_the_same_tests(stage, answers_now, match):
    answers_by_name = {"one": "ab", "other": "xb", "long": "abcd", "all of three": "mno"}
    tests = {"all of three": 3, "mno": 3, "mnx": 3}
    patterns = [
        pattern_of(name, "purse", told(stage, *answers_of_chaff, tests=tests.get(name, 6)))
        for name, answers_of_chaff in answers_by_name.items()
    ]
    named_mistakes = names(
        told(stage, *answers_now, tests=tests.get(answers_now, 6)), stage, patterns
    )
    assert named_mistakes == ({"purse": match} if match else {})


def test_hidden_tests_that_all_fail_make_no_match(stage):
    assert matched(stage, [pattern("one", 1, 2)], purse=[F, F]) == {}


@pytest.mark.parametrize(
    ("first_message", "second_message", "is_same_answer"),
    [
        ("f(1)\n  came back    2\n  expected     3", "g(1)\n  came back    4\n  expected     3", 0),
        ("f\n  raised       KeyError: 1\n  in  a.py, line 2", "f\n  raised       KeyError: 2", 1),
        ("e\nf\n  raised       KeyError: 1", "e\n  raised       KeyError: 1\n  in  f", 0),
        (
            "f\n  its message  'no'\n  must contain 'QS'",
            "f\n  its message  'oh'\n  must contain 'QS'",
            1,
        ),
        ("your program took longer than 2 s", "not written yet", 0),
        (
            "f\n  came back    [\"line 7, 'A wins.': late\"]",
            "f\n  came back    [\"line 9, 'B wins.': late\"]",
            1,
        ),
        (
            "f\n  came back    on one: fails; on your repair: raises KeyError in it (line 7)",
            "f\n  came back    on one: fails; on your repair: raises KeyError in it (line 9)",
            1,
        ),
        (
            "f\n  came back    on one: fails; on your repair: raises KeyError in it (line 7)",
            "f\n  came back    on one: fails; on your repair: fails",
            0,
        ),
        (
            "f\n  came back    [<Coin>]",
            "f\n  came back    [<Coin>]\n  <Coin> stands for an object of class Coin",
            1,
        ),
    ],
)
def test_an_answer_is_what_came_back_whatever_line_or_words_it_came_with(
    stage, first_message, second_message, is_same_answer
):
    (purse,), (also,) = (
        [task for task in told(stage, text).tasks if task.task == "purse"]
        for text in (first_message, second_message)
    )
    assert (answers(purse) == answers(also)) is bool(is_same_answer)


def test_an_answer_may_hold_what_no_text_file_can(stage):
    half, none = (
        [task for task in told(stage, text).tasks if task.task == "purse"]
        for text in ("f(1)\n  came back    \ud800", "f(1)\n  came back    ")
    )
    assert answers(half[0]) != answers(none[0])


@pytest.mark.parametrize(
    ("failing", "match"),
    [(["x"], None), (["x[1]", "x[2]"], None), (["x", "y"], ("one",))],
    ids=["a rule", "cases of a rule", "two rules"],
)
def test_one_hidden_rule_alone_names_no_mistake(stage, failing, match):
    ends = {name: F if name in failing else P for name in ("x", "x[1]", "x[2]", "y", "z")}
    tests = [TestResult(name, "A.", True, end) for name, end in ends.items()]
    total = [TestResult("total", "A.", False, P)]
    ended = score_stage(stage, "ada", {"purse": tests, "total": total}, sandbox="none")
    patterns = [Pattern("one", "purse", {"purse": frozenset(failing)})]
    assert names(ended, stage, patterns) == ({"purse": match} if match else {})


@pytest.mark.parametrize(
    ("came_back", "hidden", "match"),
    [
        ("''", [], None),
        ("['', 0]", [F], None),  # the missing text may have been printed instead
        ("['', 7]", [], ("one",)),
        ("[]", [], ("one",)),
        ("None", [], ("one",)),
        ("False", [], None),
        ("[True, (False, True)]", [P], None),
        ("[True, False]", [F], ("one",)),
        ("[True, 'QS']", [], ("one",)),
        ("[<Card>, True]", [], ("one",)),
    ],
)
def test_an_answer_that_has_many_reasons_names_no_mistake(stage, came_back, hidden, match):
    message = f"f(1)\n  came back    {came_back}\n  expected     7"
    seen = [TestResult("t[1]", "A.", False, F, message), TestResult("t[2]", "A.", False, P)]
    unseen = [TestResult(f"h[{i}]", "A.", True, end) for i, end in enumerate(hidden)]
    tests = {"purse": [*seen, *unseen], "total": [TestResult("total", "A.", False, P)]}
    ended = score_stage(stage, "ada", tests, sandbox="none")
    known_pattern = pattern_of("one", "purse", ended)
    assert names(ended, stage, [known_pattern]) == ({"purse": match} if match else {})


def test_a_task_that_the_student_has_not_begun_names_no_mistake(stage):
    ended = result(stage, total=[P], purse=[F, P])
    assert names(ended.with_untouched({"total"}), stage, [pattern("one", 1)]) == {"purse": ("one",)}
    assert names(ended.with_untouched({"purse"}), stage, [pattern("one", 1)]) == {}


def test_students_get_only_the_visible_part(stage):
    hidden = told(stage, "a", file="test_coins_hidden.py")
    mixed_pattern = replace(pattern_of("both", "purse", told(stage, "b")), answers={})
    mixed_pattern = replace(
        mixed_pattern, fails={"purse": mixed_pattern.fails["purse"] | {"test_coins_hidden.py::x"}}
    )
    unseen = pattern_of("unseen", "purse", hidden)
    (visible_pattern,) = visible_part(stage, [mixed_pattern, unseen])
    assert visible_pattern == Pattern(
        "both", "purse", {"purse": frozenset({"test_coins.py::t[1]"})}
    )


def test_before_a_name_is_told_the_tasks_below_are_run_too(stage):
    patterns = [pattern("one", 1)]
    assert unknown_ground(result(stage, purse=[F, P]), stage, patterns) == {"total"}
    assert unknown_ground(result(stage, purse=[P, F]), stage, patterns) == set()
    assert unknown_ground(result(stage, purse=[F, P], total=[P]), stage, patterns) == set()
    assert names(result(stage, purse=[F, P]), stage, patterns) == {}


@pytest.mark.parametrize("ends", [[T, T, P], [T, T, T, T, T, P]])
def test_timeouts_alone_are_not_a_match(stage, ends):
    patterns = [pattern("two", 1, 2), pattern("five", 1, 2, 3, 4, 5)]
    assert matched(stage, patterns, total=[P], purse=ends) == {}
    assert matched(stage, patterns, total=[P], purse=[F, *ends[1:]]) != {}


@pytest.mark.parametrize(
    "known_patterns", [[], [pattern("below", 1, task="total")]], ids=["no", "a"]
)
def test_a_task_that_builds_on_a_failing_one_has_no_match(stage, known_patterns):
    patterns = [pattern("one", 1), *known_patterns]
    below = {"total": ("below",)} if known_patterns else {}
    assert matched(stage, patterns, purse=[F, P], total=[F, P]) == below
    assert matched(stage, patterns, purse=[F, P], total=[P, P]) == {"purse": ("one",)}


@pytest.mark.parametrize(
    ("ends", "patterns", "follows", "may_follow"),
    [
        ({"purse": [F], "total": [F]}, [], {}, {"purse": ("total",)}),
        ({"purse": [P], "total": [F]}, [], {}, {}),
        ({"purse": [F], "worth": [F], "total": [P]}, [], {}, {}),
        ({"purse": [F], "total": [T, P]}, [], {}, {"purse": ("total",)}),
        ({"worth": [F, P], "total": [F, N]}, [pattern("x", 1, task="worth")], {}, {}),
        # A known mistake in `total` counts more than the fact that `purse` builds on `total`.
        ({"purse": [F], "total": [F, P]}, [pattern("x", 1, task="total")], {}, {}),
        # The known mistake fails only t[2] of purse, so t[1] may have another reason.
        (
            {"purse": [F, F], "total": [F, P]},
            [pattern("x", 1, task="total", purse=["t[2]"])],
            {},
            {"purse": ("total",)},
        ),
        (
            {"purse": [P, F], "total": [F, P]},
            [pattern("x", 1, task="total", purse=["t[2]"])],
            {"purse": ("total",)},
            {},
        ),
        # Two known mistakes fit, but only x fails the test t[2] of purse.
        (
            {"purse": [P, F], "total": [F, P]},
            [
                pattern("x", 1, task="total", purse=["t[2]"]),
                pattern("y", 1, task="total", purse=["t[3]"]),
            ],
            {},
            {"purse": ("total",)},
        ),
        (
            {"worth": [F, P], "total": [F]},
            [pattern("x", 1, task="worth", total=["t[1]"])],
            {"total": ("worth",)},
            {},
        ),
        (
            {"worth": [F, P], "total": [F], "purse": [F]},
            [pattern("x", 1, task="worth", total=["t[1]"], purse=["t[1]"])],
            {"total": ("worth",), "purse": ("worth",)},
            {},
        ),
    ],
)
def test_a_failure_follows_only_from_a_known_mistake_that_fails_all_its_tests(
    stage, ends, patterns, follows, may_follow
):
    diagnosis = diagnose(result(stage, hidden=True, **ends), stage, patterns)
    assert (diagnosis.follows, diagnosis.may_follow) == (follows, may_follow)


def stopped(number, line, ends_in="total", **changes):
    """Return a visible test that stops at this line of the program, in the task `ends_in`."""
    where = SourcePosition("coins.py", line)
    return TestResult(
        f"t[{number}]", "A.", False, F, "f()\n  raised  E", where, ends_in=ends_in, **changes
    )


@pytest.mark.parametrize(
    ("purse", "shown"),
    [
        ([stopped(1, 7)], True),
        ([stopped(1, 7), stopped(2, 7)], True),
        ([stopped(1, 8)], False),  # no test of the earlier task stops at this line
        ([stopped(1, 7), stopped(2, 20, "purse")], False),
        ([stopped(1, 7), TestResult("t[2]", "A.", False, F, "f()\n  came back 1")], False),
        ([stopped(1, 7), TestResult("t[2]", "A.", True, F)], False),  # a hidden test has no line
        ([TestResult("t[1]", "A.", False, F, "not written yet", stub=3)], True),
        ([TestResult("t[1]", "A.", False, F, "not written yet", stub=1)], False),
    ],
)
def test_a_failure_follows_from_the_task_at_whose_faulty_line_it_stops(stage, purse, shown):
    tests = {"purse": purse, "total": [stopped(1, 7)]}
    diagnosis = diagnose(score_stage(stage, "ada", tests, sandbox="none"), stage, ())
    assert diagnosis.follows == ({"purse": ("total",)} if shown else {})
    assert diagnosis.may_follow == ({} if shown else {"purse": ("total",)})


def test_of_what_follows_in_part_a_check_is_shown_that_may_not(stage):
    unexplained = TestResult("u", "Another.", False, F, "g()\n  came back 1")
    tests = {"purse": [stopped(1, 7), unexplained], "total": [stopped(1, 7)]}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    assert diagnose(graded, stage, ()).apart == {"purse": {"u"}}
    purse = summarise(graded, stage, ())[1]
    lead = "follows in part from task 3. A check to look at again after that:"
    assert purse.first_failure == FirstFailure(lead, ("Another.", "  came back 1"))
    too_long = (
        "g()\nyour program took longer than 2 s\n  in           coins.py, line 9: while True:"
    )
    tests["purse"] = [stopped(1, 7), replace(unexplained, message=too_long)]
    purse = summarise(score_stage(stage, "ada", tests, sandbox="none"), stage, ())[1]
    assert purse.first_failure.lines == ("Another.", *too_long.split("\n")[1:])
    tests["purse"] = [unexplained]
    (_, purse, _) = summarise(score_stage(stage, "ada", tests, sandbox="none"), stage, ())
    assert purse.first_failure.lead == (
        "may follow from task 3 or another task, or have a mistake of its own."
        " Its first failing check:"
    )


def unwritten(number, stub, **changes):
    """Return a visible test that calls an unwritten definition of the task number `stub`."""
    test = TestResult(f"t[{number}]", "A.", False, F, "not written yet", stub=stub)
    return replace(test, **changes)


@pytest.mark.parametrize("own_stub", [0, 2])
def test_what_is_only_not_written_yet_follows_from_nothing(stage, own_stub):
    passing = TestResult("p", "B.", False, P)
    tests = {"purse": [passing, unwritten(1, own_stub)], "total": [stopped(1, 7)]}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    diagnosis = diagnose(graded, stage, ())
    assert (diagnosis.follows, diagnosis.may_follow) == ({}, {})
    (_, purse, total) = summarise(graded, stage, ())
    assert (purse.status, purse.failing) == (TopicStatus.BEGUN, ())
    assert [topic.topic for topic in purse.ahead] == ["A."]
    assert total.causes.words == ""


@pytest.mark.parametrize(
    ("hidden", "words"), [(False, "may follow from"), (True, "fails along with")]
)
def test_nothing_waits_for_a_task_that_is_written_and_wrong(stage, hidden, words):
    patterns = [pattern("x", 1, task="worth", total=["t[1]"])]
    graded = result(stage, hidden=hidden, worth=[F, P], total=[F])
    (total,) = (task for task in summarise(graded, stage, patterns) if task.id == "total")
    assert total.causes.words == f"{words} task 1"


def test_a_task_waits_for_the_one_whose_unwritten_definition_it_meets(stage):
    """The task `total` waits for the unwritten `purse`, although `purse` builds on `total`.

    `purse` itself waits for no task, because the student must write it first.
    """
    tests = {"total": [unwritten(1, 2)], "purse": [unwritten(1, 2)]}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    diagnosis = diagnose(graded, stage, ())
    assert (diagnosis.follows, diagnosis.may_follow) == ({"total": ("purse",)}, {})
    (_, purse, total) = summarise(graded, stage, ())
    assert (total.causes.words, purse.status) == ("waits for task 2", TopicStatus.BEGUN)
    (_, purse, _) = summarise(graded.with_untouched({"purse"}), stage, ())
    assert purse.status is TopicStatus.UNWRITTEN
    assert begin_with([total]).words == "Task 3 waits for task 2, which is not finished yet."


@pytest.mark.parametrize(
    ("hidden", "may"), [(False, {}), (True, {"purse": ("total",)})], ids=["visible", "hidden"]
)
def test_what_does_not_meet_the_unwritten_definition_does_not_follow_from_it(stage, hidden, may):
    """A hidden test does not say whether it calls an unwritten definition."""
    wrong = TestResult("t[1]", "A.", hidden, F, "f()\n  came back 1")
    tests = {"total": [unwritten(1, 3)], "purse": [wrong]}
    diagnosis = diagnose(score_stage(stage, "ada", tests, sandbox="none"), stage, ())
    assert (diagnosis.follows, diagnosis.may_follow) == ({}, may)


def test_a_task_about_what_others_write_is_not_written_while_they_are_not(stage):
    purse = replace(stage.tasks[1], blanks=())
    about_others = replace(stage, tasks=(stage.tasks[0], purse, stage.tasks[2]))
    tests = {"purse": [unwritten(1, 3)], "total": [unwritten(1, 3)]}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    (_, purse, _) = summarise(graded.with_untouched({"purse"}), about_others, ())
    assert (purse.status, purse.causes.words) == (TopicStatus.UNWRITTEN, "")
    (_, purse, _) = summarise(graded, stage, ())
    assert (purse.status, purse.causes.words) == (TopicStatus.FAILED, "waits for task 3")


@pytest.mark.parametrize(
    ("error", "follows"), [("NameError: name 'x' is not defined", True), ("ValueError: no", False)]
)
@pytest.mark.parametrize(
    "form", ["  came back    the error {}, and exit status 1", "g()\n  raised       {}"]
)
def test_the_slip_of_an_earlier_task_explains_a_script_that_ends_with_it(
    stage, form, error, follows
):
    """An error such as ValueError is not a slip: a function may be right to refuse its input."""
    raised = TestResult("t[1]", "A.", False, F, f"f()\n  raised       {error}")
    tests = {"total": [raised], "purse": [TestResult("t[2]", "A.", False, F, form.format(error))]}
    diagnosis = diagnose(score_stage(stage, "ada", tests, sandbox="none"), stage, ())
    assert diagnosis.follows == ({"purse": ("total",)} if follows else {})
    assert diagnosis.may_follow == ({} if follows else {"purse": ("total",)})


def test_nothing_is_concluded_about_a_task_that_needs_an_unfinished_earlier_stage(tmp_path):
    stage = two_stages(tmp_path, SECOND_STAGE).stages[1]
    (task,) = stage.tasks
    other_fault = TestResult("u", "B.", False, F, "g()\n  came back 1")
    tests = {task.id: [unwritten(1, None, unfinished="01-coins"), other_fault]}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    assert diagnose(graded, stage, [pattern("x", 1, task=task.id)]).matches == {}
    (summary,) = summarise(graded, stage, ())
    assert (summary.causes.words, summary.failing) == ("waits for coins.py", ())
    assert begin_with([summary], "hearts check {}").words == (
        "Begin with stage 01: coins.py is not finished, and task 1 needs it "
        "(hearts check 01-coins)."
    )


@pytest.mark.parametrize(
    ("line", "ends_in", "may"), [(8, "total", True), (8, "purse", False), (7, "", True)]
)
def test_a_failure_may_follow_where_it_stops_although_the_known_mistake_passes_it(
    stage, line, ends_in, may
):
    total = [stopped(1, 7, ends_in and "total"), TestResult("t[2]", "A.", False, P)]
    tests = {"total": total, "purse": [stopped(1, line, ends_in)]}
    known_patterns = [pattern("x", 1, task="total")]
    diagnosis = diagnose(score_stage(stage, "ada", tests, sandbox="none"), stage, known_patterns)
    assert diagnosis.may_follow == ({"purse": ("total",)} if may else {})


@pytest.mark.parametrize(("ends_in", "match"), [("", {}), ("total", {"total": ("x",)})])
def test_an_error_of_another_stage_names_no_mistake(stage, ends_in, match):
    tests = {"total": [stopped(1, 7, ends_in), TestResult("t[2]", "A.", False, P)]}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    assert names(graded, stage, [pattern("x", 1, task="total")]) == match


def test_a_mistake_explains_a_visible_failure_only_with_the_same_answer(stage):
    def failing_with(answer):
        tests = {
            "purse": [TestResult("t[1]", "A.", False, F, f"f()\n  came back {answer}")],
            "total": [TestResult(f"t[{i}]", "A.", True, end) for i, end in ((1, F), (2, P))],
        }
        return score_stage(stage, "ada", tests, sandbox="none")

    known_patterns = [pattern_of("x", "total", failing_with(1))]
    assert diagnose(failing_with(1), stage, known_patterns).follows == {"purse": ("total",)}
    assert diagnose(failing_with(2), stage, known_patterns).may_follow == {"purse": ("total",)}


@pytest.mark.parametrize("ends", [[F, F], [P, P], [F, N], []])
def test_nothing_matches_if_all_tests_fail_or_pass_or_one_was_not_run(stage, ends):
    assert matched(stage, [pattern("one", 1, 2), pattern("other", 1)], purse=ends) == {}


def test_a_failure_that_follows_from_a_match_is_not_another_match(stage):
    patterns = [
        pattern("first", 1, task="worth", total=["t[2]"]),
        pattern("second", 2, task="total"),
    ]
    assert matched(stage, patterns, worth=[F, P], total=[P, F]) == {"worth": ("first",)}
    assert matched(stage, patterns, worth=[P, P], total=[P, F]) == {"total": ("second",)}


def test_patterns_are_read_as_they_were_written(tmp_path):
    patterns = (pattern("“one”\n", 1, 12, total=["x"]), pattern("other"))
    stage = write_stage(tmp_path, PATTERNS=patterns_text(patterns))
    assert load_patterns(stage) == patterns


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {"task": "t"}}', "\xff"])
def test_a_damaged_file_has_no_patterns(tmp_path, text):
    (stage,) = write_course(tmp_path, PATTERNS=text).stages
    assert load_patterns(stage) == ()
    (stage.autograder / "patterns.json").unlink()
    assert load_patterns(stage) == ()


def test_where_a_clinic_s_test_fails_is_no_fact():
    """The line is left out, because two students with the same mistake fail in different lines."""
    ends = f"on their program: {ASKS_NOTHING} (theirs.py, line 3); on a correct program: fails"
    shown = [f"  came back    {ASKS_NOTHING} (theirs.py, line 3)", f"  came back    {ends}"]
    failing = TestResult("t", "A.", False, F, "\n".join(shown))
    assert facts(failing) == [
        f"  came back    {ASKS_NOTHING}",
        f"  came back    on their program: {ASKS_NOTHING}",
    ]
