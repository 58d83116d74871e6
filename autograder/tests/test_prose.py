"""The counts that `make lint` prints about the prose of the code."""

from prose import counts_of

MODULE = '''"""A module."""

import re  # beside code


# Why it is so.
def double(one, number):
    """Return it."""
    a, b = b, a
    c, d = 1, number
    return [x for x in a] if b else c
'''


def test_what_makes_a_reader_stop_is_counted():
    assert dict(counts_of(MODULE)) == {
        "code": 5,
        "words": 4,
        "vague names": 1,
        "tuple assignments": 1,
        "comprehensions": 1,
        "conditional expressions": 1,
    }
