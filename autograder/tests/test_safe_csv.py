import pytest
from hearts_grader.safe_csv import as_csv, is_formula, safe_cell


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("\t=1", "'\t'=1"),
        ("ada;=1+1", "ada;'=1+1"),
        ('ada;"=1+1', "ada;'\"=1+1"),
        ("ada|@cmd\t+x", "ada|'@cmd\t'+x"),
        ("a; b - c; d = 1", "a; b - c; d = 1"),
        ("-1.5", "-1.5"),
        ("1;-2,5", "1;-2,5"),
        ("-", "-"),
    ],
)
def test_no_part_of_a_cell_is_executed_wherever_a_spreadsheet_splits_it(cell, safe):
    assert safe_cell(cell) == safe
    assert is_formula(cell) is (cell != safe)


def test_a_table_for_a_spreadsheet_has_no_formula():
    rows = [["student", "score"], ["=ada", -1.5], [None, 2]]
    assert as_csv(rows) == "student,score\n'=ada,-1.5\n,2\n"
    assert as_csv(rows, separator=";", ending="\r\n") == "student;score\r\n'=ada;-1.5\r\n;2\r\n"
