"""Programs that say whatever pleases: none of them has done anything, so none may get a point.

Every name of every module is there, and is the same object, or a function that always does the
same. `LIARS` maps what a liar says to the text of any module of it.
"""

# An object that takes whatever is done to it; each liar adds what it says in return.
OBJECT = """
import itertools

class Liar:
    def __init__(self, *args, **named):
        pass
    def __call__(self, *args, **named):
        return self
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self
    def __getitem__(self, key):
        return self
    def __setitem__(self, key, value):
        pass
    __setattr__ = __setitem__
    def __delitem__(self, key):
        pass
    __delattr__ = __delitem__
    def __add__(self, other=None):
        return self
    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __pos__ = __add__
    __or__ = __and__ = __xor__ = __mod__ = __truediv__ = __floordiv__ = __add__
    __enter__ = __iadd__ = __add__
    def __exit__(self, *args):
        return True
    def __hash__(self):
        return 1
    def __index__(self):
        return 1
    __int__ = __index__
    def __float__(self):
        return 1.0
    def __format__(self, spec):
        return str(self)
    def __instancecheck__(self, thing):
        return True
    __subclasscheck__ = __instancecheck__
    def __reversed__(self):
        return iter(self)
    {says}

LIAR = Liar()

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return LIAR
"""

# A function that is every function, and every class.
FUNCTION = """
def liar(*args, **named):
    {does}

def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return liar
"""

YES = "__eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = lambda s, o: True"
NO = "__eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = lambda s, o: False"
EQUAL = "__eq__ = __le__ = __ge__ = __contains__ = lambda s, o: True"
SHOWS = "__str__ = __repr__ = lambda s: {!r}"
HOLDS = "__len__ = lambda s: {0}; __iter__ = lambda s: iter([s] * {0}); __bool__ = lambda s: {1}"
ENDLESS = (
    "__len__ = lambda s: 1; __iter__ = lambda s: itertools.repeat(s); __bool__ = lambda s: True"
)


def _object(*lines: str) -> str:
    return OBJECT.format(says="\n    ".join(lines))


def _function(line: str) -> str:
    return FUNCTION.format(does=line)


LIARS = {
    "yes, one, the queen of spades": _object(YES, SHOWS.format("QS"), HOLDS.format(1, True)),
    "yes, none, nothing": _object(YES, SHOWS.format(""), HOLDS.format(0, False)),
    "yes, without end": _object(YES, SHOWS.format("2C"), ENDLESS),
    "yes, thirteen": _object(YES, SHOWS.format("TH"), HOLDS.format(13, True)),
    "yes, fifty-two": _object(YES, SHOWS.format("10"), HOLDS.format(52, True)),
    "no, none, nothing": _object(NO, SHOWS.format(""), HOLDS.format(0, False)),
    "no, one": _object(NO, SHOWS.format("QS"), HOLDS.format(1, True)),
    "equal, never less": _object(EQUAL, SHOWS.format("AS"), HOLDS.format(4, True)),
    **{
        f"always {value}": _function(f"return {value}")
        for value in ("None", "True", "False", "0", "1", "''", "'QS'", "[]", "()", "{}", "set()")
    },
    "always what it is given": _function("return args[-1] if args else None"),
    "always itself": _function("return liar"),
    **{
        f"always a {error}": _function(f"raise {error}({text!r} * 20)")
        for error, text in {
            "ValueError": "not a card: ",
            "TypeError": "cannot: ",
            "LookupError": "no such card: ",
            "IndexError": "empty: ",
            "KeyError": "QS",
            "AttributeError": "frozen: ",
            "StopIteration": "",
            "NotImplementedError": "",
            "SystemExit": "",
        }.items()
    },
}
