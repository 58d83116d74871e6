"""`line_of` finds a line for every instruction, even where Python reports none."""

from hearts_course.sandbox.worker.script import line_of

LOOP = """\
def settle(pot, takers):
    while pot > 0:
        for seat in takers:
            if pot >= len(takers):
                pot -= 1
"""


def test_an_instruction_without_a_line_has_that_of_the_one_before():
    """A jump back to a loop's beginning may have no line, but a loop may time out there."""
    names = {}
    exec(compile(LOOP, "scoring.py", "exec"), names)
    code = names["settle"].__code__
    parts = [(begin, line) for begin, _, line in code.co_lines()]
    assert line_of(7, code, parts[-1][0]) == 7
    last = code.co_firstlineno
    for begin, line in parts:
        last = line or last
        assert line_of(line, code, begin) == last
        assert line_of(None, code, begin) == last
