"""The brief's examples, tried on a program whose visible checks pass."""

import builtins
import re
from dataclasses import replace
from doctest import Example

import pytest
from hearts_course import cli
from hearts_course.brief import examples_of, load_brief
from hearts_course.course import find_course
from hearts_course.results import Outcome, TestResult, score_stage
from hearts_course.student.brief_examples import (
    compare_examples,
    differing_examples,
    lines_before,
    names_of,
)
from hearts_course.student.page import report_html
from hearts_course.student.report import TERMINAL, report_on
from hearts_grader.authoring.checks import examples
from proofs import slow_as_proofs
from student_course import REFERENCE, start_workspace, student_course, use
from surroundings import without_processes
from tiny_course import BRIEF

STAGES = find_course().stages
PURSE = """\
```pycon
>>> from coins import Purse
>>> purse = Purse()
>>> purse.add(Coin("dime"))
>>> purse.total()
10
>>> int("x")
Traceback (most recent call last):
    ...
ValueError: in other words
```

## Task 3"""
PURSES = BRIEF.replace("Write `Purse` and its `add`.\n\n## Task 3", PURSE)
LOOP = """\
class Coin:
    def __init__(self, face):
        pass

    @property
    def worth(self):
        while True:
            pass
"""


def stage_with(tmp_path, brief):
    return student_course(tmp_path / "course", BRIEF=brief).stages[0]


def tried(stage, source, tasks=("worth", "purse", "total")):
    return compare_examples(stage, {"coins": source}, tasks)


def lines(example):
    return list(example.lines())


# Mistakes that pass every visible check. For each: the stage, the text to replace and the new text,
# the task with the example, and what a student reads.
MISTAKES = {
    "words from the value": (
        "01",
        ("{self.rank.word} of", "{self.rank.value} of"),
        ("hold-a-hand", "came back    (2, False, ['12 of Spades', '10 of Hearts'])"),
    ),
    "a default for trump": (
        "02",
        ("leader: int, trump: Suit | None = None", "leader: int, trump: Suit | None = Suit.SPADES"),
        ("take-the-trick", "expected     (2, 1, 2)"),
    ),
    "the third card is refused": (
        "07",
        ("table if len(chosen) > PASSED", "table if len(chosen) >= PASSED"),
        ("choose-and-pass", "expected     ('playing', [], ['Passed to you:"),
    ),
    "an iterable that has no length": (
        "01",
        (
            "self._cards = list(pack if",
            "assert cards is None or len(cards)\n        self._cards = list(pack if",
        ),
        ("deal-the-cards", "deck = Deck(Card.parse(code) for code in"),
    ),
    "another mistake in a clinic's repair": (
        "03-clinic",
        ("sum(card.rank for card in", "sum(1 for card in"),
        ("repair-their-uva181", "expected     [0, 0, 0, 23, 0]"),
    ),
    "an empty line before the error": (
        "06",
        ("talk.say(str(complaint))", "talk.say('')\n            talk.say(str(complaint))"),
        ("ask-again", "ask_limit(script)\nscript.lines[1:4]"),
    ),
    "differences the wrong way round": (
        "08",
        ("first_mean - second_mean", "second_mean - first_mean"),
        ("cautious-player", "came back    'worse'"),
    ),
}


@pytest.mark.parametrize("mistake", slow_as_proofs(["differences the wrong way round"], MISTAKES))
def test_a_mistake_that_passes_every_visible_check_is_shown_by_an_example(mistake):
    name, (find, put), (task, words) = MISTAKES[mistake]
    course = find_course()
    stage = course.stage(name)
    modules = course.whole_reference(stage)
    (module,) = (module for module in stage.modules if find in modules[module])
    wrong = {**modules, module: modules[module].replace(find, put)}
    differing = compare_examples(stage, wrong, [task.id for task in stage.tasks])
    assert words in "\n".join(lines(differing[task])), differing


@pytest.mark.proof
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_no_correct_program_is_told_that_an_example_differs(stage):
    assert list(examples(find_course(), stage)) == []


def test_an_example_that_differs_is_shown_and_costs_no_points(tmp_path, monkeypatch, capsys):
    course = student_course(tmp_path / "course")
    use(course, monkeypatch)
    root = start_workspace(course, tmp_path / "mine").root
    monkeypatch.chdir(root)
    (root / "coins.py").write_text(REFERENCE)
    status = cli.run(["check", "worth"])
    as_it_was = capsys.readouterr().out
    brief = course.stages[0].assignment / "README.md"
    brief.write_text(BRIEF.replace("worth\n10\n", "worth\n11\n"))
    assert cli.run(["check", "worth"]) == status == 0
    shown = capsys.readouterr().out
    assert "2 of 2 points  passed, but an example differs" in shown
    assert (
        "Task 1: What a coin is worth\n"
        "  An example of the brief comes out differently:\n"
        "from coins import Coin\n"
        'Coin("dime").worth\n'
        "      came back    10\n"
        "      expected     11\n"
    ) in "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
    assert "2 of 2 points  passed\n" in as_it_was
    assert as_it_was.split("passed\n")[1].strip() in shown


def test_a_page_escapes_the_example_that_differs(tmp_path):
    brief = BRIEF.replace("worth\n10\n", "worth\n'<b>'\n>>> 1\n2\n")
    stage = stage_with(tmp_path, brief)
    passed = {"worth": [TestResult("t", "", False, Outcome.PASSED)]}
    result = score_stage(stage, "", passed, sandbox="none")
    differing = differing_examples(stage, {"coins": REFERENCE}, result)
    report = report_on(stage, result, where="", commands=TERMINAL, examples=differing)
    shown = report_html(report)
    assert "An example of the brief comes out differently:" in shown
    assert "&lt;b&gt;" in shown.replace("&#39;", "'")
    assert "1 more of this task" in shown
    assert (report.score, report.tasks[0].words) == (2, "passed, but an example differs")


@pytest.mark.parametrize("has_processes", [True, False], ids=["process", "browser"])
def test_an_example_that_loops_is_ended_and_named(tmp_path, monkeypatch, has_processes):
    if not has_processes:
        without_processes(monkeypatch)
    stage = stage_with(tmp_path, BRIEF)
    stage = replace(stage, limits=replace(stage.limits, test_seconds=0.2))
    differing = tried(stage, LOOP, ["worth"])["worth"]
    assert differing.words == "an example does not end"
    assert "your program took longer than 0.4 s" in lines(differing)


def test_words_of_errors_are_free_and_so_is_what_the_stage_marks(tmp_path):
    stage = stage_with(tmp_path / "one", PURSES)
    assert tried(stage, REFERENCE) == {}
    assert tried(stage_with(tmp_path / "two", PURSES.replace("ValueError", "KeyError")), REFERENCE)
    changed_brief = PURSES.replace("total()\n10", "total(), 'QS 2C'\n('2C QS', 10)")
    stage = stage_with(tmp_path / "three", changed_brief)
    assert list(tried(stage, REFERENCE)) == ["purse"]
    for mark in ("free_examples", "unordered_examples"):
        assert tried(replace(stage, **{mark: ("total(),",)}), REFERENCE) == {}


def test_a_task_is_told_nothing_while_one_below_it_is_not_ready(tmp_path):
    stage = stage_with(tmp_path, PURSES)
    unwritten = REFERENCE.replace("return sum(", "raise NotImplementedError(")
    assert tried(stage, unwritten, ["purse"]) == {}
    wrong = {"coins": REFERENCE.replace("return sum(", "return 1 + sum(")}
    tests = {"purse": [TestResult("a", "", False, Outcome.PASSED)]}
    result = score_stage(stage, "", tests, sandbox="none")
    assert list(differing_examples(stage, wrong, result)) == ["purse"]
    tests["total"] = [TestResult("b", "", False, Outcome.FAILED)]
    result = score_stage(stage, "", tests, sandbox="none")
    assert differing_examples(stage, wrong, result) == {}


@pytest.mark.parametrize(("stub", "compared"), [(None, []), (1, ["purse"])])
def test_no_example_is_shown_while_a_written_task_fails(tmp_path, stub, compared):
    """The fault may be in the failing task, even if the example's task does not build on it."""
    stage = stage_with(tmp_path, PURSES)
    wrong = {"coins": REFERENCE.replace("return sum(", "return 1 + sum(")}
    tests = {
        "purse": [TestResult("a", "", False, Outcome.PASSED)],
        "worth": [TestResult("b", "", False, Outcome.FAILED, stub=stub)],
    }
    result = score_stage(stage, "", tests, sandbox="none")
    assert list(differing_examples(stage, wrong, result)) == compared


def test_an_example_comes_with_the_lines_that_make_what_it_uses(tmp_path):
    """The example comes with its imports and the lines that change its objects, but no others."""
    brief = PURSES.replace(">>> purse.total()\n10", ">>> other = Purse()\n>>> purse.total()\n11")
    differences = tried(stage_with(tmp_path, brief), REFERENCE)
    assert lines(differences["purse"]) == [
        "from coins import Coin",
        "from coins import Purse",
        "purse = Purse()",
        'purse.add(Coin("dime"))',
        "purse.total()",
        "  came back    10",
        "  expected     11",
    ]
    in_notebook = list(differences["purse"].lines(imports=False))
    assert in_notebook == lines(differences["purse"])[2:]


def test_an_example_needs_those_that_may_change_what_it_uses():
    shuffle = Example("deck.shuffle(7)\n", "")
    make = Example("deck = Deck()\n", "")
    ask = Example("ask_limit(deck)\n", "75\n")
    count = Example("len(deck)\n", "52\n")
    draw = Example("deck.draw()\n", "'AS'\n")
    other = Example("ask_limit(1)\n", "75\n")
    typed = [make, shuffle, ask, count, draw, other]
    example = Example("deck.cards\n", "[]\n")
    assert lines_before(example, typed) == tuple(each.source for each in (make, shuffle, ask))
    users = (make, shuffle, ask, count, draw)
    assert lines_before(example, typed, all_uses=True) == tuple(each.source for each in users)


def test_an_example_that_differs_after_a_method_shows_the_call_of_the_method(tmp_path):
    """The first `purse.total()` is shown because the second one differs only after this call."""
    counting = REFERENCE.replace(
        "return sum(", "self._coins.append(Coin('dime'))\n        return sum("
    )
    brief = PURSES.replace(">>> purse.total()\n10", ">>> purse.total()\n20\n>>> purse.total()\n20")
    differences = tried(stage_with(tmp_path, brief), counting)["purse"]
    assert lines(differences)[-4:] == [
        "purse.total()",
        "purse.total()",
        "  came back    30",
        "  expected     20",
    ]


def test_an_example_that_differs_only_after_others_is_shown_with_all_of_them(tmp_path):
    """Alone, the example shows no difference; another example changed a class that both use."""
    shared = REFERENCE.replace(
        "return sum(",
        "Purse.calls = getattr(Purse, 'calls', 0) + 1\n        return Purse.calls // 2 + sum(",
    )
    brief = PURSES.replace(">>> purse.total()\n10", ">>> purse.total()\n10\n>>> Purse().total()\n0")
    differences = tried(stage_with(tmp_path, brief), shared)["purse"]
    assert lines(differences)[-4:] == [
        "purse.total()",
        "Purse().total()",
        "  came back    1",
        "  expected     0",
    ]


def test_an_example_that_raises_is_not_said_to_come_back(tmp_path):
    brief = PURSES.replace(">>> purse.total()\n10", ">>> purse.total()[0]\n10")
    differences = tried(stage_with(tmp_path, brief), REFERENCE)["purse"]
    assert lines(differences)[-2].startswith("  raised       TypeError: ")


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_every_name_of_an_example_is_made_by_the_lines_that_are_shown(stage):
    brief = load_brief(stage)
    typed = examples_of(brief.intro)
    for section in brief.sections.values():
        for example in examples_of(section):
            known_names = set(vars(builtins))
            if example.source.startswith("silently"):  # a block without output
                typed.append(example)
                continue
            for source in (*lines_before(example, typed), example.source):
                used, defined = names_of(source)
                if "*" in defined:
                    [module] = re.findall(r"from (\w+) import", source)
                    reference = find_course().whole_reference(stage)[module]
                    defined |= set(re.findall(r"^(?:class |def )?(\w+)", reference, re.MULTILINE))
                assert used <= known_names | defined, (source, used - known_names)
                known_names |= defined
            typed.append(example)


def test_an_example_that_uses_what_another_task_has_wrong_is_not_compared(tmp_path):
    """The example is part of task 2 and uses `richest` of task 3, which has a mistake."""
    brief = PURSES.replace(">>> purse.total()\n10", ">>> richest([purse]).total()\n11")
    brief = brief.replace("import Purse", "import Purse, richest")
    stage = stage_with(tmp_path, brief)
    assert list(compare_examples(stage, {"coins": REFERENCE}, ["purse"])) == ["purse"]
    assert compare_examples(stage, {"coins": REFERENCE}, ["purse"], {"richest"}) == {}


def test_what_an_unwritten_task_should_have_defined_is_not_asked_for(tmp_path):
    below = PURSES.replace(
        "Write `Purse.total` and `richest`.", "```pycon\n>>> purse.total()\n10\n```"
    )
    stage = stage_with(tmp_path, below)
    without = REFERENCE.replace("def __init__(self) -> None:", "def __init__(self, owner) -> None:")
    assert list(tried(stage, without, ["purse", "total"])) == ["purse"]
