"""Each chaff is the reference with edits; an edit replaces a text that occurs exactly once."""

from hearts_grader.authoring.chaffs import load_chaffs
from tiny_course import REFERENCE, STAGE_TOML, write_stage


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
