"""`predict` and `catch`, in a terminal and in a notebook."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hearts_course import cli
from hearts_course.course import find_course
from hearts_course.questions import load_questions
from hearts_course.student import jupyter, page, quiz
from hearts_course.student.own_answers import STOPPED, answers_in_program
from student_course import REFERENCE, start_workspace, two_stages, use
from surroundings import typed, without_processes

NOT_CARDS = "✗ these cannot be shown as cards"
CALLS = [["five", "six"], ["six"], ["ten", "five"], ["two"], []]
DIME = {
    "task": "worth",
    "code": 'Coin("dime").worth',
    "right": "10",
    "choices": ["5", "10", "raises KeyError"],
    "why": "a dime is worth ten",
    "mistakes": {"5": "a dime is worth five"},
}
FIRST = {
    "know": [{"code": "2 + 2", "right": "4", "choices": ["4", "5"], "why": "chapter 1"}],
    "predict": [
        DIME,
        {
            "task": "worth",
            "code": 'print("a\\nb")',
            "right": "a\nb",
            "choices": ["nothing", "a\nb"],
            "why": "lines",
        },
    ],
    "calls": [
        {"code": f"Coin({n}).worth", "right": str(n), "unmasks": names}
        for n, names in enumerate(CALLS, start=1)
    ],
}


@pytest.fixture
def course(tmp_path, monkeypatch):
    course = two_stages(tmp_path / "course")
    course.stages[0].questions.write_text(json.dumps(FIRST), encoding="utf-8")
    use(course, monkeypatch)
    monkeypatch.chdir(start_workspace(course, tmp_path / "mine").root)
    return course


@pytest.fixture
def hearts(course, capsys, monkeypatch):
    """Return a function that runs a command, types the lines, and returns status and output."""

    def run(line, *lines):
        typed(monkeypatch, lines)
        status = cli.run(line.split())
        out, err = capsys.readouterr()
        return status, " ".join(out.split()) + err

    return run


@pytest.fixture
def notebook(course, capsys):
    jupyter._session.cache_clear()
    yield lambda: " ".join(capsys.readouterr().out.split())
    jupyter._session.cache_clear()


def test_a_wrong_prediction_is_explained_and_comes_back_before_the_next_stage(hearts):
    assert "Warm up: hearts predict 01-coins Predict: hearts predict worth" in hearts("")[1]
    status, shown = hearts("predict worth", "x", "a", "")
    assert status == 0
    assert "Question 1 of 2. What does the last line show?" in shown
    assert "• a `5` • b `10` • c an error, `KeyError`" in shown
    assert "'x' is no answer; choose a or b or c" in shown
    assert "✗ No, the answer is: `10` The brief says: a dime is worth ten." in shown
    assert "Your answer belongs to a known mistake: a dime is worth five." in shown
    assert shown.endswith("0 of 2 right. Now write it, then: hearts check worth")
    assert "Question 1 of 1. What does the last line show? Coin" in hearts("predict 02", "b")[1]
    assert "Nothing to predict before 02-bank." in hearts("predict 02")[1]
    assert "1 of 1 right." in hearts("predict 01", "a")[1]
    assert "hearts predict worth" in hearts("")[1]
    assert "1 of 2 right." in hearts("predict worth", "", "b")[1]
    assert "hearts predict" not in hearts("")[1]


SUMS = [
    {
        "code": f"{n} + {n}",
        "right": str(2 * n),
        "choices": [str(2 * n), "7"],
        "why": f"chapter {n}",
        "because": f"It is twice {n}.",
    }
    for n in (1, 2, 3)
]


@pytest.fixture
def warm_up(course):
    course.stages[0].questions.write_text(
        json.dumps(FIRST | {"know": SUMS, "enough": 2}), encoding="utf-8"
    )


def test_a_miss_in_the_warm_up_has_a_reason_and_too_many_have_consequences(hearts, warm_up):
    shown = hearts("predict 01", "a", "b", "b")[1]
    assert shown.count("It is twice") == 2
    assert "No, the answer is: `4` It is twice 2. Read about it in chapter 2." in shown
    assert "1 of 3 right. 1 of 3: 01-coins counts on what you missed. Read this first" in shown
    assert "• chapter 2 • chapter 3 If you begin at once, plan twice the usual 1 hours" in shown
    assert shown.count("chapter 1") == 0
    shown = hearts("predict 01", "", "a", "")[1]  # the right answer of the first run counts
    assert "counts on what you missed" not in shown
    assert "counts on" not in hearts("predict worth", "a", "a")[1]


def test_a_notebook_gives_the_same_advice_once_all_is_answered(warm_up, notebook):
    jupyter.predict("01-coins", "bb")
    assert "counts on" not in notebook()
    jupyter.predict("01-coins", "bbb")
    assert "0 of 3: 01-coins counts on what you missed." in notebook()
    jupyter.predict("01-coins", "aab")
    assert "counts on" not in notebook()
    jupyter.predict("01-coins", "aaa")
    assert "You know what this stage counts on. `README.md` describes the fast lane." in notebook()


def test_a_warm_up_has_at_most_eight_questions(course, hearts):
    missed = [{**SUMS[0], "code": f"{n} * 1"} for n in range(10)]
    course.stages[0].questions.write_text(json.dumps({"know": missed}), encoding="utf-8")
    hearts("predict 01", *("b" * 8))
    assert "Question 1 of 8." in hearts("predict 02", "")[1]


@pytest.mark.parametrize("stage", find_course().stages, ids=lambda stage: stage.name)
def test_each_question_of_a_warm_up_has_one_sentence_of_why(stage):
    questions_of_stage = load_questions(stage)
    assert len(questions_of_stage.know) <= quiz.MAX_WARM_UP
    assert questions_of_stage.enough <= len(questions_of_stage.know)
    for question in questions_of_stage.know:
        assert question.because.endswith(".")
        assert ". " not in question.because
        assert len(question.because.split()) <= 25


def test_once_a_task_passes_its_questions_run_on_the_students_own_program(course, hearts):
    worth = [DIME, {**DIME, "code": "richest", "right": "<function richest>"}]
    course.stages[0].questions.write_text(json.dumps({"predict": worth}), encoding="utf-8")
    assert "Run it now" not in hearts("predict worth", "b", "b")[1]
    Path("coins.py").write_text(REFERENCE, encoding="utf-8")
    hearts("check worth")
    shown = hearts("predict worth", "b", "", "y")[1]
    assert "What a coin is worth passes. Run it now on your own program? [Y/n]" in shown
    assert shown.endswith("richest `<function richest>` ✓ The course's program shows the same.")
    assert 'Your own program shows: Coin("dime").worth `10`' in shown
    assert "Your own program" not in hearts("predict worth", "b", "", "n")[1]
    worth[0] = {**DIME, "right": "12"}
    course.stages[0].questions.write_text(json.dumps({"predict": worth}), encoding="utf-8")
    shown = hearts("predict worth", "b", "", "y")[1]
    assert "worth `10` ✗ The course's program shows `12`." in shown
    assert "shows the same" not in shown


@pytest.mark.parametrize("has_processes", [True, False], ids=["process", "browser"])
def test_an_error_and_a_long_wait_are_answers_of_ones_own_program(
    course, monkeypatch, has_processes
):
    if not has_processes:
        without_processes(monkeypatch)
    stage = course.stages[0]
    loop = "import time\nclass Coin: pass\ndef wait():\n    time.sleep(60)\n"
    codes = ['int("x")', "wait()", "print(1)", "None"]
    stage = replace(stage, limits=replace(stage.limits, test_seconds=0.3))
    answers = answers_in_program(stage, {"coins": loop}, codes)
    assert answers == ("raises ValueError", STOPPED, "1", "nothing")


def test_what_was_answered_is_kept_when_the_input_ends(hearts):
    status, shown = hearts("predict worth", "a")
    assert (status, "hearts: stopped" in shown) == (130, True)
    assert "Question 1 of 1" in hearts("predict 02", "")[1]


def test_three_calls_unmask_wrong_programs(hearts):
    Path("coins.py").write_text(REFERENCE, encoding="utf-8")
    assert "Catch mistakes: hearts catch 01-coins" in hearts("check 01")[1]
    status, shown = hearts("catch 01")
    assert status == 0
    assert "4 programs for 01-coins are wrong, each in one place." in shown
    assert "5. `Coin(5).worth`" in shown
    _, shown = hearts("catch 01 1 2 5")
    assert "Call 1 shows `1` and unmasks 2." in shown
    assert "Together they unmask 2 of 4 wrong programs. Three calls can unmask 4." in shown
    assert "• ten • two Choose again; then you see the best three." in shown
    assert "call 3" not in shown
    _, shown = hearts("catch 01 1 3 5")
    assert "Together they unmask 3 of 4 wrong programs. The calls 1, 3 and 4 unmask 4." in shown
    assert "• two: call 4" in shown
    assert "unmask 4 of 4 wrong programs. No three calls unmask more." in hearts("catch 1 4 3 1")[1]


@pytest.mark.parametrize("picked", ["1", "1 1 2", "0 1 2", "1 2 6"])
def test_other_choices_of_calls_are_refused(hearts, picked):
    problem = "hearts: choose three different numbers from 1 to 5\n"
    assert hearts(f"catch 01 {picked}") == (2, problem)
    assert hearts("catch 02") == (2, "hearts: 02-bank has no page of calls; 01-coins has one\n")


def test_a_notebook_asks_and_answers(course, notebook):
    jupyter.predict("worth")
    assert notebook().endswith('Answer with a letter for each, such as `predict("worth", "ba")`.')
    jupyter.predict("worth", "b, b")
    assert notebook().count("✓ Yes. The brief says: ") == 2
    jupyter.predict("worth", "bbb")
    assert "too many letters: 2 questions, and 3 answers" in notebook()
    assert "Run it now" not in notebook()
    jupyter.predict("worth", run=True)
    assert "your program answers once the checks of the task pass; predict first" in notebook()
    Path("coins.py").write_text(REFERENCE, encoding="utf-8")
    cli.run(["check", "worth"])
    jupyter.predict("worth", "bb")
    assert 'Run it now on your own program: `predict("worth", run=True)`' in notebook()
    jupyter.predict("worth", run=True)
    assert "Your own program shows:" in notebook()
    jupyter.predict("savings")
    assert "Nothing to predict here." in notebook()
    jupyter.catch("01-coins", 1, 3, 4)
    assert "No three calls unmask more." in notebook()
    assert len(jupyter._load_state().predicted) == 2


@pytest.mark.parametrize(
    ("cards", "shown"),
    [
        (["QS", "TH"], "Q♠ T♥"),
        ([], "no cards"),
        (
            ["QS", "1H"],
            "✗ these cannot be shown as cards (ValueError: '1H' is not the code of a card)",
        ),
        (7, "✗ these cannot be shown as cards (TypeError: 'int' object is not iterable)"),
    ],
)
def test_a_hand_is_shown_as_cards(notebook, cards, shown):
    jupyter.show_hand(cards)
    assert notebook() == shown


def test_the_faces_of_cards_have_signs_and_not_only_colours():
    faces = page.cards_html(["TH", "QS"])
    assert "10<br>♥" in faces
    assert "Q<br>♠" in faces
