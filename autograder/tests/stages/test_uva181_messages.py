"""In stage 03, a message names the place of the first difference in the output."""

import pytest
from hearts_course.course import find_course
from references import module_at

VISIBLE = module_at(find_course().stage("03-uva-181").assignment / "test_uva181.py")
WANTED = " 22  0 68  0 14\n  0  2102  0  0\n"


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (WANTED, "no difference"),
        (WANTED.replace("102", "103"), "line 2, columns 7 to 9: '103' instead of '102'"),
        # The second line of the output is no line of the second deck.
        (WANTED.replace("\n", "\nNone\n"), "line 2, columns 1 to 3: 'Non' instead of '  0'"),
        (WANTED + "\n", "3 lines instead of 2"),
    ],
)
def test_the_place_is_a_line_of_the_output(printed, told):
    assert VISIBLE.difference(printed.encode(), WANTED) == told
