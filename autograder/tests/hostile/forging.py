"""Attacks on points: programs that change the grader or lie about themselves."""

from hostile.attack import NO_ERROR, NONE, Attack, beside

# A program without answers, which fails each test.
UNWRITTEN = """
class Token:
    def __init__(self, number):
        pass

class Bag:
    def add(self, token):
        pass
    def total(self):
        pass
    def best(self):
        pass

def label(text):
    pass
"""


def unwritten(source):
    return f"{UNWRITTEN}\n{source}\n"


FORGED = '{"score": 8, "max_score": 8, "tests": [{"name": "all", "outcome": "passed"}]}'

ATTACKS = [
    Attack("patches pytest so that no assertion fails", unwritten("""
import sys
for name in ("pytest", "_pytest.runner", "_pytest.reports", "_pytest.assertion.rewrite"):
    try:
        module = __import__(name, fromlist=["*"])
        module.raises = module.TestReport = module.CallInfo = lambda *a, **k: True
    except ImportError:
        pass
"""), NONE),
    Attack("patches the built-in functions", unwritten("""
import builtins, operator
for name in ("len", "sorted", "isinstance", "any", "all", "str", "repr", "getattr", "max"):
    setattr(builtins, name, lambda *a, **k: True)
    setattr(operator, name, lambda *a, **k: True)
"""), NONE),
    Attack("claims that everything is an instance of everything", beside("""
class Meta(type):
    __instancecheck__ = __subclasscheck__ = lambda cls, other: True
    __eq__ = lambda cls, other: True
    __hash__ = type.__hash__
class Anything(metaclass=Meta):
    pass
import builtins
builtins.int = builtins.bool = builtins.list = Anything
Bag.total = lambda self: Anything
"""), NONE),
    Attack("answers with a str that equals every str", beside("""
class Any(str):
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = str.__hash__
label = lambda text: Any("x")
"""), "ppp ppp.p"),
    Attack("answers equality with what is true but no bool",
        beside("Token.__eq__ = lambda self, other: 1\nToken.__hash__ = lambda self: 1\n"),
        "p.p p..pp"),
    Attack("explodes when shown, measured, hashed or gone through", beside("""
def explode(*args):
    raise MemoryError("boom")
for name in ("__repr__", "__hash__", "__iter__", "__bool__", "__del__", "__format__"):
    setattr(Token, name, explode)
"""), "ppp p.ppp"),
    Attack("counts on being pickled", beside("""
import os
class Command:
    def __reduce__(self):
        return os.system, (f"touch {AT['home']}/{AT['mark']}",)
    __getstate__ = __reduce_ex__ = __reduce__
label = lambda text: Command()
Bag.total = lambda self: {"score": Command()}
"""), "pp. ppp.p"),
    Attack("forges result files of every known grader", unwritten(f"""
import os
NAMES = ("results.json", "results/results.json", "grades.csv", "results.xml", "conftest.py")
for folder in [*AT["folders"], ".", "/autograder", "/autograder/results"]:
    for name in NAMES:
        try:
            open(os.path.join(folder, name), "w").write({FORGED!r})
        except OSError:
            pass
"""), NONE),
    Attack("prints a perfect result, at import and at exit", unwritten(f"""
import atexit, sys
def claim():
    for stream in (sys.__stdout__, sys.__stderr__):
        print({FORGED!r}, "8 passed in 0.01s", file=stream, flush=True)
claim()
atexit.register(claim)
"""), NONE),
    Attack("ends with success before it can be asked",
        unwritten("import os\nos._exit(0)"), NONE),
    Attack("raises what skips a test, or expects it to fail", unwritten("""
class Skipped(Exception):
    __module__ = "_pytest.outcomes"
class XFailed(Skipped):
    pass
Skipped.__qualname__ = Skipped.__name__ = "skip.Exception"
import unittest
def label(*args):
    raise unittest.SkipTest("skip")
def Token(*args):
    raise Skipped("skip")
def Bag(*args):
    raise XFailed("expected")
"""), NONE),
    Attack("raises what ends generators, runs and interpreters", beside("""
def stop(*args):
    raise KeyboardInterrupt
def end(*args):
    raise StopIteration
def leave(*args):
    raise GeneratorExit
Token.__str__, Bag.total, label = stop, end, leave
"""), ".p. .pp.."),
    Attack("traces every call and changes what it returns", unwritten("""
import sys, threading
def trace(frame, event, value):
    if "answer" in frame.f_locals:
        frame.f_locals["answer"] = True
    frame.f_trace_opcodes = True
    return trace
sys.settrace(trace)
sys.setprofile(trace)
threading.settrace(trace)
"""), NONE),
    Attack("finds what serves it in memory and changes its verbs", unwritten("""
import gc, sys
def please(*args):
    return 7
for thing in gc.get_objects():
    if type(thing).__name__ in ("Server", "Channel"):
        for name in ("_verbs", "_objects", "_modules"):
            if hasattr(thing, name):
                setattr(thing, name, please)
server = sys.modules["sandbox_worker.server"]
server.OPERATIONS.update({name: please for name in server.OPERATIONS})
server.BUILT_IN_ERRORS.clear()
"""), NONE),
    Attack("raises an error of its own that is only called ValueError", beside("""
Refusal = type("ValueError", (TypeError,), {})
def best(self):
    if not self._tokens:
        raise Refusal("empty")
    return max(self._tokens)
Bag.best = best
"""), NO_ERROR),
    Attack("serves its own protocol by an import hook", unwritten("""
import sys
class Hook:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("sandbox_worker", "json")):
            raise SystemExit(0)
sys.meta_path.insert(0, Hook())
for name in [name for name in sys.modules if name.startswith("sandbox_worker")]:
    del sys.modules[name]
"""), NONE),
    Attack("changes what the server knows whenever memory is collected", unwritten("""
import gc
def change(phase, info):
    for thing in gc.get_objects():
        if type(thing).__name__ == "Server":
            thing._objects = [7] * 99
gc.callbacks.append(change)
gc.set_threshold(1)
"""), NONE),
    Attack("claims that the machine has no process for it", beside("""
import os, sys
def label(text):
    raise sys.modules["sandbox_worker.kernel"].NoProcess
Token.__str__ = label
Bag.total = lambda self: os._exit(71)
"""), ".p. .pp.."),
    Attack("is honest", beside("")),
]  # fmt: skip
