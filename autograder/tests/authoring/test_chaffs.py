"""Chaffs are edits of the reference, each quoting a text that occurs exactly once."""

import pytest
from hearts_course.authoring.chaffs import load_chaffs
from hearts_course.errors import StageError
from tiny_course import CHAFFS, REFERENCE, STAGE_TOML, write_stage


def test_a_chaff_is_the_reference_with_its_edit(tmp_path):
    first, second = load_chaffs(write_stage(tmp_path))
    assert (first.name, first.task) == ("a dime is worth five", "worth")
    assert first.modules == {"coins": REFERENCE.replace("10 if", "5 if")}
    assert second.task == "total"


def test_a_chaff_of_several_edits_and_files(tmp_path):
    edits = """
[[chaff]]
name = "two at once"
task = "total"
[[chaff.edit]]
file = "coins.py"
find = "10 if"
put = "5 if"
[[chaff.edit]]
file = "more.py"
find = "x = 1"
put = ""
"""
    toml = STAGE_TOML.replace('"coins.py"', '"coins.py", "more.py"')
    stage = write_stage(tmp_path, STAGE_TOML=toml, CHAFFS=edits)
    (stage.solution / "more.py").write_text("x = 1\n")
    (chaff,) = load_chaffs(stage)
    assert chaff.modules == {"coins": REFERENCE.replace("10 if", "5 if"), "more": "\n"}


@pytest.mark.parametrize(
    ("find", "put", "fault"),
    [
        ("10 if", "11 if", "[[chaff]] 1: '11 if' occurs 0 times; quote a text that occurs once"),
        ("10 if", "self", "[[chaff]] 1: 'self' occurs 10 times"),
        ("5 if", "10 if", "[[chaff]] 1: `find` and `put` are the same"),
        ("5 if", "5 (", "[[chaff]] 1: coins.py is no longer Python: line 18: "),
        ('"total"', '"totl"', "[[chaff]] 2: 01-coins has no task 'totl'"),
        (
            "counts the coins instead of their worth",
            "a dime is worth five",
            "[[chaff]] 2: a second",
        ),
        ("put = '''5 if'''", "putt = ''", "[[chaff]] 1: unknown key 'putt'"),
        ("put = '''5 if'''", "", "[[chaff]] 1: edit 1: missing key 'put'"),
        ("put = '''5 if'''", "put = 5", "[[chaff]] 1: edit 1: put: expected str, not 5"),
        ("find = '''10 if'''", "find = ''", "[[chaff]] 1: '' occurs 0 times"),
        ("put = '''5 if'''", "put = ''\nfile = 'x.py'", "file = 'x.py'; name one of coins.py"),
        ("put = '''5 if'''", "edit = []", "both [[chaff.edit]] and `find`"),
        ("[[chaff]]", "[[chaffs]]", "may hold [[chaff]] tables only"),
        ("[[chaff]]", "[[chaff", "not TOML: "),
    ],
)
def test_a_chaff_that_cannot_be_made_is_a_fault(tmp_path, find, put, fault):
    stage = write_stage(tmp_path, CHAFFS=CHAFFS.replace(find, put))
    with pytest.raises(StageError) as raised:
        load_chaffs(stage)
    assert str(raised.value).startswith(str(stage.autograder / "chaffs.toml"))
    assert fault in str(raised.value)
