"""Advice about a program's form comes from the syntax tree, with a reason and without points."""

import re

import pytest
from commands import hearts
from hearts_course.course import find_course
from hearts_course.errors import UsageError
from hearts_grader.reports.structure import Rule, advice, load_rules
from tiny_class import STAGE, course_with_starter, put
from tiny_course import REFERENCE

WHY = "It is shorter."
LOOP = REFERENCE.replace(
    "return sum(coin.worth for coin in self._coins)",
    "worth = 0\n        for coin in self._coins:\n            worth += coin.worth\n"
    "        return worth",
)


@pytest.mark.parametrize(
    ("rule", "program", "advice_text"),
    [
        ({"uses": "comprehension"}, REFERENCE, ""),
        ({"uses": "comprehension"}, LOOP, "try a comprehension in Purse.total and richest"),
        ({"avoids": "for loop"}, LOOP, "Purse.total can do without a for loop"),
        ({"avoids": "for loop"}, REFERENCE, ""),
        ({"max_lines": 5}, LOOP, "Purse.total has 6 lines, more than 5"),
        ({"max_lines": 6}, LOOP, ""),
        ({"uses": "global"}, "x = (", ""),
        ({"uses": "global"}, "# nothing is written yet", ""),
        ({"uses": "global"}, "(" * 100_000, ""),
    ],
)
def test_a_rule_that_is_not_kept_is_told_with_its_reason(stage, rule, program, advice_text):
    lines = list(advice({"coins": program}, stage, [Rule("total", WHY, **rule)]))
    assert lines == (
        [f"Advice on task 3, without points: {advice_text}. {WHY}"] if advice_text else []
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("task = 'totl'\nuses = 'try'\nbecause = 'x'", "no task is called 'totl'"),
        ("task = 'total'\nbecause = 'x'", "total: write one of uses, avoids and max_lines"),
        ("task = 'total'\nuses = 'goto'\nbecause = 'x'", "'goto' is not one of comprehension,"),
        ("task = 'total'\nuses = 'try'\nbecause = ' '", "total: because: write the reason"),
        ("task = 'total'\nuses = 'try'", "missing key 'because'"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused(course, tmp_path, text, complaint):
    put(tmp_path, {"structure.toml": f"[[rule]]\n{text}\n"})
    with pytest.raises(UsageError, match=complaint):
        load_rules(course, tmp_path)


def test_advice_reaches_the_page_and_costs_nothing(tmp_path, monkeypatch):
    course_with_starter(tmp_path / "course")
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "class/ada" / STAGE, {"coins.py": LOOP})
    grade = ["grade", "class", "--out", "grades", "--sandbox", "none"]
    assert hearts(*grade) == 0
    former_grades = (tmp_path / "grades/grades.csv").read_text()
    rule = "[[rule]]\ntask = 'total'\nuses = 'comprehension'\nbecause = 'It is shorter.'\n"
    put(tmp_path / "grades", {"structure.toml": rule})
    assert hearts(*grade) == 0
    page = (tmp_path / f"grades/feedback/ada/{STAGE}.md").read_text()
    assert "Advice on task 3, without points: try a comprehension" in page
    assert (tmp_path / "grades/grades.csv").read_text() == former_grades


def test_the_manual_s_example_of_points_for_form_holds_for_the_reference_only():
    course = find_course()
    manual = (course.root / "autograder/docs/REFERENCE.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(import pytest\n.*?form_of.*?)```", manual, re.DOTALL)
    (name,) = re.findall(r"`hearts verify (\S+) --overlay own` tells whether", manual)
    stage = course.stage(name)
    names = {}
    exec(example, names)
    assert stage.task(names["test_form"].pytestmark[0].args[0])
    names["test_form"](stage.reference())
    with pytest.raises(AssertionError):
        names["test_form"](dict.fromkeys(stage.modules, ""))
