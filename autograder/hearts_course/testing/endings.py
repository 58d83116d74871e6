"""How a student's own test ends, in the words that the student reads."""

PASSES, FAILS, UNWRITTEN = "passes", "fails", "is not written yet"
RAISES = "raises"
TOO_LONG = "takes too long"
# The beginning of a text which says that a student's tests fail on a program of somebody else.
NOT_ALL_PASS = "your tests do not all pass"
AS_YOU_GOT_IT = "their program as you got it"


def says_how_it_ends(text: str) -> bool:
    """Return whether a text says how a student's test ends, on one program or on several."""
    on_theirs = f"on {AS_YOU_GOT_IT}: "
    begins = (PASSES, FAILS, UNWRITTEN, RAISES, TOO_LONG, NOT_ALL_PASS, on_theirs)
    return text.startswith(begins)
