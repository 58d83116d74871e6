"""Questions: their answers come from the reference, their wrong answers from the chaffs."""

import pytest
from hearts_course.errors import CourseError
from hearts_course.questions import load_questions
from hearts_grader.authoring.build import questions_files
from hearts_grader.authoring.checks import answered_questions, objectives
from hearts_grader.authoring.questions import questions_text
from tiny_course import BRIEF, STAGE_TOML, write_course

SOURCES = """\
[[know]]
code = "2 + 2"
wrong = ["5"]
why = "Arithmetic"

[[predict]]
task = "worth"
code = '''Coin("dime").worth'''
why = "What a coin is worth"
wrong = ["'ten'"]

[[predict]]
task = "total"
code = '''
purse = Purse()
purse.add(Coin("dime"))
print(purse.total())
'''
why = "Write `Purse.total`"

[[call]]
code = '''Coin("dime").worth'''
"""


def course_with(root, sources):
    course = write_course(root)
    (course.stages[0].assignment / "questions.toml").write_text(sources, encoding="utf-8")
    return course


def test_the_reference_and_the_chaffs_answer(tmp_path):
    course = course_with(tmp_path, SOURCES)
    (stage,) = course.stages
    (missing,) = answered_questions(course, stage)
    assert missing.endswith("questions.json: missing; run `hearts build`")
    (file,) = questions_files(course, [stage])
    file.path.write_text(file.text, encoding="utf-8")
    assert list(answered_questions(course, stage)) == []
    found = load_questions(stage)
    (known,) = found.know
    assert (known.right, set(known.choices), known.mistakes) == ("4", {"4", "5"}, {})
    worth, total = found.predict
    assert (worth.right, sorted(worth.choices)) == ("10", ["'ten'", "10", "5"])
    assert worth.mistakes == {"5": "a dime is worth five"}
    assert (total.right, sorted(total.choices)) == ("10", ["1", "10"])
    assert total.mistakes == {"1": "counts the coins instead of their worth"}
    (call,) = found.calls
    assert (call.right, call.unmasks) == ("10", {"a dime is worth five"})


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (
            "Coin(\"dime\").worth'''\nwhy",
            "Coin(\"penny\").worth'''\nwhy",
            "no chaff answers otherwise",
        ),
        ("What a coin is worth", "A coin is round", "the brief does not say 'A coin is round'"),
        ("'''Coin", "'''1, Coin", "ends with a tuple; ask for a list"),
        ('Coin("dime").worth', "Coin('test_richest').worth", "a hidden test uses 'test_richest'"),
        ('task = "total"', 'task = "sum"', "no task of 01-coins is called 'sum'"),
    ],
)
def test_a_question_that_proves_nothing_is_refused(tmp_path, before, after, problem):
    assert before in SOURCES
    course = course_with(tmp_path, SOURCES.replace(before, after))
    with pytest.raises(CourseError) as refused:
        questions_text(course, course.stages[0])
    assert problem in str(refused.value)


def test_a_stage_without_questions_has_none(tmp_path):
    course = write_course(tmp_path)
    assert questions_text(course, course.stages[0]) == ""
    assert load_questions(course.stages[0]).predict == ()


def test_each_objective_has_something_to_predict(tmp_path):
    text = STAGE_TOML.replace('"Classes" }', '"Classes", sums = "Sums" }')
    head, total = text.split('id = "total"')
    text = f'{head}id = "total"{total.replace("classes", "sums")}'
    course = write_course(
        tmp_path, STAGE_TOML=text, BRIEF=BRIEF.replace("- Classes", "- Classes\n- Sums")
    )
    (stage,) = course.stages
    path = stage.assignment / "questions.toml"
    path.write_text(SOURCES, encoding="utf-8")
    assert list(objectives(course, stage)) == []
    path.write_text(SOURCES.replace('task = "total"', 'task = "worth"'), encoding="utf-8")
    (line,) = objectives(course, stage)
    assert line.endswith("questions.json: no [[predict]] about the objective 'sums'; write one")
