"""Feedback and task summaries: all forms say the same, and a student's words are never markup.

Task B "follows" from task A if a mistake in A explains all failures of B. B "may follow" from A if
this is possible but not certain.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course.cli import run
from hearts_course.misconceptions import load_patterns
from hearts_course.reports.classroom50 import Provenance
from hearts_course.reports.feedback import RENDERINGS, feedback, pages
from hearts_course.reports.html import escape_markdown
from hearts_course.reports.task_summary import (
    Causes,
    TaskSummary,
    TopicStatus,
    TopicSummary,
    begin_with,
    summarise,
)
from hearts_course.results import (
    Outcome,
    Prerequisites,
    SourcePosition,
    Status,
    TestResult,
    score_stage,
)
from hearts_course.student.page import report_html
from hearts_course.student.report import TERMINAL, report_on
from hearts_course.student.terminal import report_text, without_colour
from hearts_course.submissions.model import Submission
from hearts_grader.grading.final_scores import Adjustment, AttemptSummary, ManualScore
from hearts_grader.grading.late_policy import Counts, Lateness
from hearts_grader.lms.documents import FORMATS
from hearts_grader.nbgrader.grader_view import check_outputs
from hearts_grader.reports.student_pages import final_feedback
from tiny_class import STAGE, put, result
from tiny_course import REFERENCE

P = Outcome.PASSED
F = Outcome.FAILED
N = Outcome.NOT_REACHED
T = Outcome.TIMEOUT
WRONG = REFERENCE.replace("10 if", "5 if")
EVIL = "</pre><script>alert(1)</script>`````\n# x [a](javascript:b) \x1b[2J\u202e"
FORMS = pytest.mark.parametrize("form", RENDERINGS)


def checks(*outcomes, topic="A rule.", hidden=False, message="call\n  came back 5"):
    return [
        TestResult(f"test_a[{i}]", topic, hidden, o, "" if o is Outcome.PASSED else message)
        for i, o in enumerate(outcomes)
    ]


def summary_of(stage, tests):
    return summarise(score_stage(stage, "ada", {"purse": tests}, sandbox="none"), stage, ())[1]


def rendered(form, stage, result, source=WRONG, **options):
    submission = Submission(result.student, STAGE, {"coins": source})
    return pages(feedback(result, stage, submission, load_patterns(stage), **options))[form]


def adjusted(form, stage, given, adjustment):
    """Return the page, in this form, of a result with manual points and a late penalty."""
    submission = Submission(given.student, STAGE, {"coins": WRONG})
    return pages(final_feedback(given, stage, adjustment, submission, load_patterns(stage)))[form]


def one_line(text):
    return " ".join(text.split())


def failing(course, **changes):
    """Return a result that fails the same test as the known mistake "a dime is worth five"."""
    failed_result = result(course, "ada", 1)
    worth = replace(failed_result.tasks[0].tests[1], name="test_coins.py::test_worth[1]")
    first = replace(failed_result.tasks[0], tests=(failed_result.tasks[0].tests[0], worth))
    return replace(failed_result, tasks=(first, *failed_result.tasks[1:]), **changes)


@pytest.mark.parametrize(
    ("tests", "status", "sentence"),
    [
        (checks(P, P), TopicStatus.PASSED, "2 of 2 checks pass: 3 of 3 points"),
        (checks(P, P, P, P, P, F), TopicStatus.PARTLY, "5 of 6 checks pass: 2.5 of 3 points"),
        (checks(F), TopicStatus.FAILED, "0 of 1 check passes: 0 of 3 points"),
        *(
            (
                [replace(checks(F)[0], stub=stub), *checks(T, hidden=True)],
                status,
                "0 of 2 checks pass: 0 of 3 points",
            )
            for stub, status in (
                (0, TopicStatus.BEGUN),
                (2, TopicStatus.BEGUN),
                (3, TopicStatus.FAILED),
            )
        ),
        (checks(N, N), TopicStatus.NOT_REACHED, "0 of 2 checks pass, 2 not tried: 0 of 3 points"),
        ([], TopicStatus.NOT_REACHED, "0 of 0 checks pass: 0 of 3 points"),
    ],
)
def test_a_task_has_a_status_and_a_sentence_about_its_points(stage, tests, status, sentence):
    summary = summary_of(stage, tests)
    assert (summary.status, summary.sentence) == (status, sentence)


def test_each_topic_has_its_share_of_the_points_and_each_message_once(stage):
    tests = [
        *checks(P, F, F),
        *checks(F, message="other"),
        *checks(T, message=""),
        *checks(F, hidden=True, message="Try: Purse()"),
    ]
    visible, hidden = summary_of(stage, tests).failing
    assert (visible.hidden, visible.passed, visible.total) == (False, 1, 5)
    assert (visible.score, visible.max_score, hidden.max_score) == (0.5, 2.5, 0.5)
    assert [(note.message, note.count) for note in visible.notes] == [
        ("call\n  came back 5", 2),
        ("other", 1),
        ("this took too long", 1),
    ]
    assert (hidden.hidden, hidden.notes[0].message) == (True, "Try: Purse()")


def test_a_rule_weighs_the_same_however_many_cases_it_has(stage):
    copies = [TestResult("test_b", "Another rule.", True, F)]
    task = score_stage(stage, "ada", {"purse": [*checks(P, P, P, F), *copies]}, sandbox="none")
    many, single_case = summarise(task, stage, ())[1].topics
    assert [task.score, many.score, many.max_score] == [1.12, 1.125, 1.5]
    assert [single_case.score, single_case.max_score] == [0, 1.5]


@FORMS
def test_a_page_is_as_expected(course, stage, form):
    """The page has a known mistake, a check that was not run, and every part of a final score."""
    graded = failing(course, prerequisites=Prerequisites(2.5, 1.0, ("coins",)))
    first = replace(graded.tasks[0], skipped=("no terminal here", "no terminal here"))
    graded = replace(graded, tasks=(first, *graded.tasks[1:]))
    scores = (ManualScore("design", "Design", 4, 3.0), ManualScore("names", "Names", 1))
    attempts = (
        AttemptSummary("2026-10-01 10:00 UTC", score=2.0),
        AttemptSummary("2026-10-02 13:00 UTC", late := Lateness(27 * 3600, 2, 0.5), 2.75),
    )
    adjustment = Adjustment(scores, {"worth": 1.5}, late, attempts, 2, Counts.BEST)
    graded = replace(graded, receipt="abcdefghij", python="3.11.7")
    text = adjusted(form, stage, graded, adjustment)
    expected = Path(__file__).with_name("pages") / f"feedback{form}"
    assert (text.partition("<body>")[2] or text) == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize("form", [*RENDERINGS, "formgrader", *FORMATS, "terminal", "notebook"])
def test_what_follows_is_one_line_and_what_may_follow_shows_its_first_failure(stage, form, follows):
    """Task 2 still counts its passing check ("1 of 3"), and the page says to begin with task 3."""
    message = "spend(3)\n  raised       a shower of errors\n  in           coins.py, line 9: x"
    tests = {
        "purse": [
            *checks(P, message=message),
            *checks(F, topic="Spend.", message=message),
            *checks(F, topic="Another rule.", message="spend(4)\n  came back    no second"),
        ],
        "total": checks(F, F, message="total()\n  raised       the first error"),
    }
    if follows:
        place = {"where": SourcePosition("coins.py", 9), "ends_in": "total"}
        tests = {task: [replace(test, **place) for test in ended] for task, ended in tests.items()}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    if form in RENDERINGS:  # leave out the text inside a closed <details>
        text = re.sub(
            r"</summary>.*?</details>", "", rendered(form, stage, graded), flags=re.DOTALL
        )
    elif form == "formgrader":
        text = "\n".join(check_outputs(graded, stage).values())
    elif form in FORMATS:
        text = FORMATS[form].text(
            graded, stage, Provenance.of_digest(STAGE, "ada", "0" * 64, "now")
        )
    else:
        report = report_on(stage, graded, where="coins.py", commands=TERMINAL)
        show = (
            report_html if form == "notebook" else lambda shown: without_colour(report_text(shown))
        )
        text = one_line(show(report))
    words = "fails along with" if follows else "may follow from"
    if form != "classroom50":  # this export has only scores
        assert f"{words} task 3" in text
        assert "the first error" in text
        assert ("Spend." in text) is (not follows or form in FORMATS)
        text = one_line(text.replace("\\n", "\n"))
        in_full = form not in ("terminal", "notebook") and not follows
        assert ("raised a shower of errors in coins.py, line 9: x" in text) is not follows
        # A page shows every failure of a task that may have a mistake of its own.
        assert ("no second" in text) is in_full
    if form not in FORMATS:
        assert "1 of 3" in text
        first = (
            "what fails there makes task 2 fail, too" if follows else "task 2 may follow from it"
        )
        assert f"Begin with task 3: {first}." in text or form == "formgrader"


def test_what_was_not_tried_is_not_to_begin_with(stage):
    tests = {"purse": checks(F, message="spend()"), "total": checks(N, N)}
    graded = score_stage(stage, "ada", tests, sandbox="none")
    assert "Begin" not in begin_with(summarise(graded, stage, ())).words


def test_each_cause_has_its_sentence():
    def task(number, **causes):
        return TaskSummary(number, "", "", TopicStatus.FAILED, 0, 1, (), causes=Causes(**causes))

    tasks = (task(4, follows=(1,)), task(6, may_follow=(3, 5)), task(7, may_follow=(1,)))
    assert begin_with(tasks).words == (
        "Begin with task 1: what fails there makes task 4 fail, too, and task 7 may follow from "
        "it. Then look at tasks 3 and 5: task 6 may follow from them."
    )
    # A task that may follow from others is not named as one to begin with.
    tasks = (task(4, follows=(1,)), task(7, may_follow=(1, 4)), task(8, follows=(4,)))
    assert begin_with(tasks).words == (
        "Begin with task 1: what fails there makes tasks 4 and 8 fail, too, and task 7 may follow "
        "from it."
    )
    # Task 8 follows from task 5, which may follow from task 3. So task 8 may follow from task 3.
    tasks = (task(5, may_follow=(3,)), task(8, follows=(5,)))
    assert begin_with(tasks).words == "Begin with task 3: tasks 5 and 8 may follow from it."
    # Tasks that only wait for others come last, and are not named as consequences.
    tasks = (task(6, follows=(5,), waits=True), task(8, follows=(9,), waits=True))
    assert begin_with(tasks).words == (
        "Task 6 waits for task 5, which is not finished yet. "
        "Task 8 waits for task 9, which is not finished yet."
    )
    tasks = (task(6, follows=(5,), waits=True), task(7, may_follow=(5,)))
    assert begin_with(tasks).words == (
        "Begin with task 5: task 6 waits for it, and task 7 may follow from it."
    )
    tasks = (task(5, may_follow=(3,)), task(8, follows=(5,)))
    # Task 2 fails by itself; the others may depend on it, although no test shows that.
    topic = TopicSummary("A.", False, TopicStatus.FAILED, 0, 1, 0, 1, ())
    alone = TaskSummary(2, "", "", TopicStatus.FAILED, 0, 1, (topic,))
    assert begin_with((alone, *tasks)).words == (
        "Begin with task 2. Then look at task 3: tasks 5 and 8 may follow from it."
    )
    assert begin_with((alone,)).words == ""


@pytest.mark.parametrize(
    ("causes", "words"),
    [
        (
            {5: (3,), 6: (3, 4)},
            "Begin with task 3: task 5 may follow from it. "
            "Then look at task 4: task 6 may follow from tasks 3 and 4.",
        ),
        (
            {5: (3,), 6: (4,), 7: (3, 4)},
            "Begin with task 3: task 5 may follow from it. "
            "Then look at task 4: task 7 may follow from tasks 3 and 4. "
            "Task 6 may follow from task 4.",
        ),
    ],
)
def test_no_task_is_named_twice_as_the_next_one_to_look_at(causes, words):
    tasks = []
    for number, may_follow in causes.items():
        known = Causes(may_follow=may_follow)
        tasks.append(TaskSummary(number, "", "", TopicStatus.FAILED, 0, 1, (), causes=known))
    beginning = begin_with(tasks)
    assert (beginning.words, beginning.task) == (words, 3)


def may_follow(stage, tests):
    """Return the summary of a task with these tests; it may follow from another failed task."""
    total = checks(F, message="total()\n  came back    1")
    graded = score_stage(stage, "ada", {"purse": tests, "total": total}, sandbox="none")
    return summarise(graded, stage, ())[1]


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (
            "a = f()\ng(a)\n  came back    ' 1'\n  expected     '2'\nWhy it matters: So.",
            ("  came back    ' 1'", "  expected     '2'"),
        ),
        ("g(a)\nyour program took longer than 2 s", ("your program took longer than 2 s",)),
        (
            "for a in b:\n    g(a)\n  came back    1\nTo try it, type this first:\n    b",
            ("  came back    1",),
        ),
        (
            "  run          python a.py\n  type         x\n  then         end the input\n"
            "  came back    1\n  expected     2",
            ("  came back    1", "  expected     2"),
        ),
        ("  found        one\n  found        two", ("  found        one",)),
        ("not written yet", ("not written yet",)),
    ],
)
def test_a_first_failure_is_its_rule_and_what_came_of_it(stage, message, facts):
    """The call is left out, because it may use names that only the whole message explains."""
    purse = may_follow(stage, checks(F, P, message=message))
    assert purse.first_failure.lines == ("A rule.", *facts)


@pytest.mark.parametrize(
    ("example", "lines"),
    [
        ("from a import g, h\ng(b)", ("A rule.", "Try it: g(b)")),
        ("b = f()\ng(b)", ("A rule.",)),  # the last line needs `b`, so it is not shown alone
        ("", ("A rule.",)),
    ],
)
def test_a_hidden_first_failure_shows_what_fails_here_too_or_only_its_rule(stage, example, lines):
    tests = [replace(checks(F, hidden=True)[0], message="Why.", example=example)]
    assert may_follow(stage, tests).first_failure.lines == lines


def test_what_may_be_right_is_not_given_to_try(stage):
    """A `Try:` that has words instead of code is left out, because the program may be right.

    The failures of this task may follow from another task.
    """
    tests = checks(F, hidden=True, message="Why.\nTry: Answer `e`.")
    assert may_follow(stage, tests).failing[0].notes[0].message == "Why."
    assert summary_of(stage, tests).failing[0].notes[0].message == "Why.\nTry: Answer `e`."


def test_a_task_that_is_asked_for_shows_all_that_fails(stage):
    graded = score_stage(stage, "ada", {"purse": checks(F, P), "total": checks(F)}, sandbox="none")
    report = report_on(stage, graded, where="coins.py", commands=TERMINAL, task=stage.task("purse"))
    assert report.tasks[0].words == "may follow from task 3"
    assert [failure.topic for failure in report.tasks[0].failures] == ["A rule."]
    assert report.tasks[0].first_failure is None


@FORMS
def test_nothing_that_a_student_wrote_is_markup_or_steers_anything(course, stage, form):
    graded = result(course, EVIL, 1, message=EVIL, text=EVIL)
    text = rendered(form, stage, graded, f"class Coin:\n    def worth(self):\n        {EVIL}\n")
    assert all(character.isprintable() or character == "\n" for character in text)
    if form == ".html":
        assert "<script" not in text
    if form == ".md":
        fences = [line for line in text.split("\n") if line.startswith("``````")]
        assert fences[0::2] == ["``````text"] * len(fences[0::2])
        assert fences[1::2] == ["``````"] * len(fences[0::2])
        outside = "".join(part for i, part in enumerate(text.split("``````")) if i % 2 == 0)
        assert "<script" not in outside.replace("\\<", "")


def test_markdown_in_a_students_words_is_escaped():
    assert escape_markdown("[a](b) <i>\n*x* `y`") == r"\[a\]\(b\) \<i\> \*x\* \`y\`"


@FORMS
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"status": Status.UNREADABLE, "message": "cannot read class"},
            ("could not be read", "Your code, coins.py, lines 1 to 4", "Fix this and submit again"),
        ),
        (
            {"status": Status.MISSING, "message": "nothing was handed in for coins"},
            ("nothing was handed in for coins", "Hand in your program."),
        ),
        ({"status": Status.GRADER_ERROR, "message": "?"}, ("This is not your fault",)),
    ],
)
def test_a_page_without_a_grade_says_what_to_do(course, stage, form, changes, words):
    graded = replace(result(course, "ada", **changes), where=SourcePosition("coins.py", 2))
    text = rendered(form, stage, graded, "import os\nclass\nx = 1\n")
    assert all(word in text for word in words)
    assert "## Task" not in text
    assert "<section" not in text


@pytest.mark.parametrize(
    ("own_score", "reference", "sentences"),
    [(2.5, None, 1), (2.5, 2.5, 1), (1.0, 2.5, 0), (None, 2.5, 0)],
)
def test_own_earlier_stages_are_named_if_they_count(course, stage, own_score, reference, sentences):
    graded = failing(course, prerequisites=Prerequisites(own_score, reference, ("coins", "legal")))
    text = rendered(".html", stage, graded)
    assert text.count("This was graded with your own coins.py and legal.py.") == sentences


@FORMS
def test_a_program_that_could_not_be_run_says_so(stage, form):
    graded = score_stage(stage, "ada", {"purse": checks(N)}, sandbox="bwrap", message="it loops")
    text = rendered(form, stage, graded)
    assert "Your program could not be run" in text
    assert "Fix the error that is shown above" in text


@FORMS
def test_a_file_that_cannot_be_imported_is_fixed_before_any_task(course, stage, form):
    """Another file of the stage was tested, so some tasks have results."""
    graded = replace(failing(course), where=SourcePosition("coins.py", 2))
    assert "Begin with" in rendered(form, stage, failing(course))
    text = rendered(form, stage, graded)
    assert "Fix the error that is shown above" in text
    assert "Begin with" not in text


def test_pages_follow_the_final_scores(course, tmp_path):
    folder = put(tmp_path / "class/ada" / STAGE, {"coins.py": REFERENCE})
    put(folder, {"timestamp.txt": "2026-10-03 12:00:00 UTC\n"})
    page = tmp_path / f"out/feedback/ada/{STAGE}.md"
    late = course.root / "autograder/late.toml"

    def grade():
        folders = (str(tmp_path / "class"), "--out", str(tmp_path / "out"))
        assert run(["grade", *folders, "--sandbox", "none", "--jobs", "1"], course) == 0
        return page.read_text()

    assert "**6 of 6 points**" in grade()
    late.write_text(f"percent_per_day = 10\n[due]\n{STAGE} = 2026-10-01T12:00:00Z\n")
    assert "**4.8 of 6 points**" in grade()
    assert "2 days late: this counts as 2 days and costs 1.2 points." in page.read_text()
    # Make the folder as if the run had been stopped while it wrote the page.
    (tmp_path / "out/.hearts/page-adjustments.json").unlink()
    (tmp_path / "out/.hearts/final").unlink()
    page.write_text("former")
    assert "**4.8 of 6 points**" in grade()
    late.unlink()
    assert "**6 of 6 points**" in grade()


def test_a_student_who_has_everything_is_sent_on(course, stage):
    full = result(course, "ada")
    full = replace(full, tasks=tuple(replace(t, score=t.max_score) for t in full.tasks))
    later = replace(stage, title="Banks", name="02-banks")
    onward = rendered(".md", stage, full, after=later)
    assert "The next stage is Banks.\n\nRead briefs/02-banks.md." in onward
    assert "Everything passes, and this was the last stage." in rendered(".md", stage, full)


@pytest.mark.parametrize("form", RENDERINGS)
def test_lines_to_type_can_be_pasted_as_they_stand(stage, form):
    """Python refuses a line that is indented without need."""
    message = "f()\n  came back 1\nTo try it, type this first:\n    def f():\n        return 1"
    tests = [replace(checks(F)[0], message=message)]
    text = rendered(form, stage, score_stage(stage, "ada", {"purse": tests}, sandbox="none"))
    assert "type this first:\ndef f():\n    return 1\n" in text.replace("</pre>", "\n")


@pytest.mark.parametrize("form", RENDERINGS)
def test_checks_are_counted_as_in_the_sentence_about_the_points(stage, form):
    """Two checks of one rule count as two checks, as in "1 of 7 checks pass"."""
    unwritten = [replace(test, stub=2) for i in range(3) for test in checks(F, F, topic=f"R{i}.")]
    tests = [*checks(P, topic="It is a purse."), *unwritten]
    text = rendered(form, stage, score_stage(stage, "ada", {"purse": tests}, sandbox="none"))
    assert "1 of 7 checks pass" in text
    assert "To be checked: 6 checks" in text
    assert "Already passing: 1 check" in text
    partly = [*checks(P, topic="It is a purse."), *checks(P, F, topic="It has an owner.")]
    text = rendered(form, stage, score_stage(stage, "ada", {"purse": partly}, sandbox="none"))
    assert "2 of 3 checks pass" in text
    assert "Already passing: 2 checks" in text
    assert "topic" not in re.sub(r'class="topic"|\.topic', "", text)


@pytest.mark.parametrize("form", [*RENDERINGS, "formgrader"])
def test_topics_that_were_not_tried_are_one_line(stage, form):
    late = [replace(checks(N)[0], topic=f"Rule {i}.", message="no time left") for i in range(19)]
    graded = score_stage(stage, "ada", {"purse": [*checks(F), *late]}, sandbox="none")
    text = (
        rendered(form, stage, graded)
        if form in RENDERINGS
        else check_outputs(graded, stage)["purse"]
    )
    assert "19 checks not tried: no time left" in text
    assert "came back 5" in text
    assert "Rule 1" not in text


def test_many_messages_are_folded(stage):
    tests = [test for i in range(5) for test in checks(F, message=f"message {i}")]
    graded = score_stage(stage, "ada", {"purse": tests}, sandbox="none")
    text = rendered(".html", stage, graded)
    shown, folded = text.split("<summary>2 more of these checks</summary>")
    assert [f"message {i}" in shown for i in range(5)] == [True] * 3 + [False] * 2
    assert "message 3" in folded
    assert "message 4" in folded


@pytest.mark.parametrize(
    ("topic", "shown"),
    [
        ("With `10` for `T`.", "With <code>10</code> for <code>T</code>."),
        ("`<b>` and \x1b", "<code>&lt;b&gt;</code> and \\x1b"),
        ("Half a ` only.", "Half a ` only."),
    ],
)
def test_text_between_backticks_is_code(stage, topic, shown):
    graded = score_stage(stage, "ada", {"purse": checks(P, topic=topic)}, sandbox="bwrap")
    assert f"<li>{shown}</li>" in rendered(".html", stage, graded)
