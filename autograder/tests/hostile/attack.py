"""An attack, and the tiny stage for which every attack is a submission.

The stage has eight tests with a point each, in this order:

    shown, equal, total                       visible
    order, hash, members, label, refused      hidden

The test `total` may run the program as a script, so it has its own process.
"""

import re
from dataclasses import dataclass

from hearts_course.course import Course, Limits

ALL = "ppp ppppp"  # every test passes
NONE = "... ....."
ONE = "ppp ppp.p"  # every test passes except `label`
NO_ERROR = "ppp pppp."  # every test passes except `refused`
SHOWN = ".pp .pp.."  # every test passes except `shown`, `order`, `label` and `refused`
FOLDER = "01-safe"

PATIENT = Limits(import_seconds=10.0)
# A test may take 0.25 s of processor time; a test that only waits is stopped after 3 s.
HURRIED = Limits(test_seconds=0.25, import_seconds=2.0)

# `AT` tells every program the paths of secrets, because no protection may depend on hiding paths.
KNOWN = "AT = {at!r}\n"

STAGE_TOML = """\
title = "Tokens and bags"
files = ["safe.py"]
source = "none"
hours = "1"

[[task]]
id = "seen"
title = "What students see"
points = 3
blanks = ["Token.__str__"]

[[task]]
id = "unseen"
title = "What they do not"
points = 5
blanks = ["Bag", "label"]
"""

REFERENCE = '''\
"""Tokens, and bags of them."""

from dataclasses import dataclass


# %% token
@dataclass(frozen=True, order=True)
class Token:
    """A number on a piece of wood."""

    number: int

    def __str__(self) -> str:
        return f"T{self.number}"


# %% bag
class Bag:
    """Some tokens."""

    def __init__(self) -> None:
        self._tokens: list[Token] = []

    def add(self, token: Token) -> None:
        """Put a token in."""
        self._tokens.append(token)

    def __len__(self) -> int:
        return len(self._tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._tokens

    def total(self) -> int:
        """All numbers together."""
        return sum(token.number for token in self._tokens)

    def best(self) -> Token:
        """The token with the highest number; raises ValueError for an empty bag."""
        if not self._tokens:
            raise ValueError("an empty bag has no best token")
        return max(self._tokens)


def label(text: str) -> str:
    """The text backwards."""
    return text[::-1]
'''

VISIBLE = '''\
import pytest


@pytest.mark.task("seen")
def test_shown(safe):
    """A token shows its number."""
    assert str(safe.Token(7)) == "T7"


@pytest.mark.task("seen")
def test_equal(safe):
    """Tokens of one number are equal."""
    seven = safe.Token(7)
    assert [seven == safe.Token(7), seven == safe.Token(8)] == [True, False]


@pytest.mark.task("seen")
def test_total(safe, run):
    """A bag knows what is in it."""
    bag = safe.Bag()
    bag.add(safe.Token(3))
    bag.add(safe.Token(4))
    assert bag.total() == 7
'''

HIDDEN = '''\
"""{suite}"""

import pytest

pytestmark = pytest.mark.task("unseen")
EXPECTED = "{expected}"


def test_order(safe):
    """Tokens are sorted by their number.

    Try: sorted([Token(2), Token(1)])
    """
    assert [str(t) for t in sorted([safe.Token(30), safe.Token(4), safe.Token(5)])] == [
        "T4",
        "T5",
        "T30",
    ]


def test_hash(safe):
    """Equal tokens are one in a set.

    Try: len({{Token(1), Token(1)}})
    """
    assert len({{safe.Token(61), safe.Token(61), safe.Token(62)}}) == 2


def test_members(safe):
    """A bag knows its tokens from others.

    Try: Token(1) in Bag()
    """
    bag = safe.Bag()
    bag.add(safe.Token(71))
    assert [safe.Token(71) in bag, safe.Token(72) in bag, len(bag)] == [True, False, 1]


def test_label(safe):
    """A label reads backwards.

    Try: label("abc")
    """
    assert safe.label("{hidden}") == "{hidden}"[::-1] != EXPECTED


def test_refused(safe):
    """An empty bag has no best token.

    Try: Bag().best()
    """
    bag = safe.Bag()
    with pytest.raises(ValueError, match="empty"):
        bag.best()
    bag.add(safe.Token(81))
    bag.add(safe.Token(82))
    assert str(bag.best()) == "T82"
'''


@dataclass(frozen=True)
class Attack:
    """A submission that attacks.

    `aim`      what the attack tries, in one line
    `source`   the program; a line above it defines `AT`, a dict with the paths of all secrets
    `ends`     a letter for each test: p passes, t times out, f fails, and "." does not pass
    `limits`   the time limits; short ones for a program that runs until a limit ends it
    """

    aim: str
    source: str = ""
    ends: str = ALL
    limits: Limits = PATIENT
    student: str = "eve"

    @property
    def score(self):
        """The points that the submission should get for its honest parts."""
        return self.ends.count("p")

    def has_ended_so(self, ends):
        """Return whether the tests ended as expected; "." stands for any end except a pass."""
        return re.fullmatch(self.ends.replace(".", "[^p ]"), ends) is not None


def beside(source):
    """Return an honest program, followed by these lines."""
    return f"{REFERENCE}\n\n{source}\n"


def whenever(*lines):
    """Return an honest program that runs these lines when a token or a label is shown."""
    body = "\n".join(f"    {line}" for line in lines)
    return beside(f"def hostile(*args):\n{body}\nToken.__str__ = label = hostile")


def labels(*lines):
    """Return an honest program whose function `label` runs these lines."""
    body = "\n".join(f"    {line}" for line in lines)
    return beside(f"def label(text):\n{body}")


def write_stage(root, secrets):
    """Write the stage, with a secret in everything that students must not see."""
    files = {
        f"assignments/{FOLDER}/stage.toml": STAGE_TOML,
        f"assignments/{FOLDER}/test_safe.py": VISIBLE,
        f"assignments/{FOLDER}/safe.py": '"""Tokens, and bags of them."""\n',
        f"autograder/stages/{FOLDER}/test_safe_hidden.py": HIDDEN.format(**secrets),
        f"autograder/stages/{FOLDER}/chaffs.toml": f"# {secrets['chaffs']}\n",
        f"solutions/{FOLDER}/safe.py": f"{REFERENCE}# {secrets['reference']}\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Course(root)
