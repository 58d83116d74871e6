"""Questions: the right answers come from the reference, and wrong ones from known mistakes."""

import pytest
from hearts_course.errors import CourseError, StageError
from hearts_course.questions import load_questions
from hearts_grader.authoring.build import questions_files
from hearts_grader.authoring.checks import answered_questions, objectives
from hearts_grader.authoring.questions import ErrorTypes, Family, Source, _question, questions_text
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
    questions_of_stage = load_questions(stage)
    (know_question,) = questions_of_stage.know
    assert (know_question.right, set(know_question.choices), know_question.mistakes) == (
        "4",
        {"4", "5"},
        {},
    )
    worth, total = questions_of_stage.predict
    assert (worth.right, sorted(worth.choices)) == ("10", ["'ten'", "10", "5"])
    assert worth.mistakes == {"5": "a dime is worth five"}
    assert (total.right, sorted(total.choices)) == ("10", ["1", "10"])
    assert total.mistakes == {"1": "counts the coins instead of their worth"}
    (call,) = questions_of_stage.calls
    assert (call.right, call.unmasks) == ("10", {"a dime is worth five"})


@pytest.mark.parametrize(
    ("old_text", "new_text", "problem"),
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
        ("purse = Purse()", "purses = {Purse()}\npurse = Purse()", "say in `because` what Python"),
        ("purse.add(Coin", "purse.coins.append(Coin", "say in `because` what Python does"),
        ('Coin("dime")', 'Coin("dime".lower().strip())', "about texts more than about the stage"),
        (
            "wrong = [\"'ten'\"]",
            'because = "It is ten. Always."',
            "`because` has 4 words; write one sentence of at most 25",
        ),
        (
            "wrong = [\"'ten'\"]",
            'families = [{ answer = "7", name = "counts twice" }]',
            "no chaff answers '7'; correct `families`",
        ),
    ],
)
def test_a_question_that_proves_nothing_is_refused(tmp_path, old_text, new_text, problem):
    assert old_text in SOURCES
    course = course_with(tmp_path, SOURCES.replace(old_text, new_text))
    with pytest.raises(CourseError) as refused:
        questions_text(course, course.stages[0])
    assert problem in str(refused.value)


NO_CLASSES = ErrorTypes({})
THREE = ["adds twice", "adds late", "adds all"]


def test_the_commonest_wrong_answer_is_offered_and_has_a_name():
    mistakes_by_answer = {"1": ["a"], "2": ["b"], "3": THREE, "4": ["c", "d"]}
    with pytest.raises(ValueError, match="3 mistakes answer '3'; name what they share"):
        _question(Source("0"), "0", mistakes_by_answer, NO_CLASSES)
    families = (Family("3", "adds wrongly"),)
    content = _question(
        Source("0", wrong=("9", "1"), families=families), "0", mistakes_by_answer, NO_CLASSES
    )
    assert sorted(content["choices"]) == ["0", "1", "3", "9"]
    assert content["mistakes"] == {"3": "adds wrongly", "1": "a"}
    content = _question(Source("0", families=families), "0", mistakes_by_answer, NO_CLASSES)
    assert content["mistakes"] == {"3": "adds wrongly", "4": "c or d", "1": "a"}


def test_of_an_error_and_a_kind_of_it_only_one_is_offered():
    errors = ErrorTypes({"legal": "class Refused(ValueError): ...\nclass Revoke(Refused): ..."})
    mistakes_by_answer = {
        "raises ValueError": ["a"],
        "raises Revoke": ["b"],
        "raises KeyError": ["c"],
    }
    content = _question(Source("x"), "raises Revoke", {**mistakes_by_answer}, errors)
    assert sorted(content["choices"]) == ["raises KeyError", "raises Revoke"]
    content = _question(Source("x"), "1", {**mistakes_by_answer}, errors)
    assert sorted(content["choices"]) == ["1", "raises KeyError", "raises ValueError"]
    assert errors.related("raises KeyError", "raises LookupError")
    assert not errors.related("raises KeyError", "raises ValueError")
    assert not errors.related("KeyError", "raises KeyError")


@pytest.mark.parametrize("table", ["predict", "try_it"])
def test_a_question_before_an_unknown_task_is_refused_with_the_file(tmp_path, table):
    question = f"[[{table}]]\ntask = 'totl'\ncode = '1'\nwhy = 'Coins'\n"
    course = course_with(tmp_path, question)
    with pytest.raises(StageError, match=r"questions.toml: no task of .* is called 'totl'"):
        questions_text(course, course.stages[0])


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
