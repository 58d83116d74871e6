"""A test that cannot reach any change to the reference passes without being run."""

import pytest
from hearts_course.results import Outcome
from hearts_course.testing.reach import ON_IMPORT, changes
from hearts_grader.authoring.mutants import mutants_of
from tiny_course import HIDDEN, REFERENCE, write_stage
from tiny_grade import all_tests, changed, grade

READS = '''

@pytest.mark.task("total")
def test_text(source):
    """A dime is worth ten pence."""
    assert "10 if" in source["coins"]
'''


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("10 if", "5 if", "coins.py:15"),
        ("return self.face", "return str(self.face)", "coins.py:20"),
        ("coin.worth for", "1 for", "coins.py:35"),
        ("return sum", "yield sum", ON_IMPORT),
        ("frozen=True", "frozen=False", ON_IMPORT),
        ("The coin's worth", "Its worth", ON_IMPORT),
        ("key=Purse.total)", "key=Purse.total) or PURSE\n\n\nPURSE = None", ON_IMPORT),
    ],
)
def test_a_change_belongs_to_a_function_or_to_the_import(old, new, found):
    assert changes({"coins": REFERENCE}, {"coins": changed(old, new)}) == {found}
    assert changes({"coins": REFERENCE}, {"coins": REFERENCE}) == set()


@pytest.mark.needs_sandbox
def test_only_tests_that_may_notice_a_change_are_run(tmp_path):
    """Only two tests can notice the change. Both fail, because the program has another mistake."""
    stage = write_stage(tmp_path, HIDDEN=HIDDEN + READS)
    (line,) = changes({"coins": REFERENCE}, {"coins": changed("max(", "min(")})
    result = grade(stage, changed("10 if", "5 if"), changed=frozenset({line}))
    failed = [test.name for test in all_tests(result) if test.outcome is not Outcome.PASSED]
    assert failed == ["test_coins_hidden.py::test_richest", "test_coins_hidden.py::test_text"]
    assert len(all_tests(result)) == 6


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_mutants_end_as_if_every_test_was_run(tmp_path):
    stage = write_stage(tmp_path)
    lives = 0
    for mutant in mutants_of("coins", REFERENCE):
        found = changes({"coins": REFERENCE}, {"coins": mutant.text})
        few, every = (
            sorted(all_tests(grade(stage, mutant.text, changed=which)), key=lambda test: test.name)
            for which in (found, None)
        )
        assert few == every
        lives += {test.outcome for test in few} == {Outcome.PASSED}
    assert 0 < lives < 15
