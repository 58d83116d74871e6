"""Attacks on files, processes, terminals and pages."""

from hostile.attack import ALL, NONE, ONE, SHOWN, Attack, beside, labels, whenever


def does(*lines):
    """Return an honest program that evaluates each of these expressions on import."""
    body = "\n".join(f"        lambda: {line}," for line in lines)
    return beside(f"""
import ctypes, os, resource, shutil, signal, socket, subprocess, sys, time
for doing in (
{body}
):
    try:
        doing()
    except Exception:
        pass
""")


NASTY = (
    "\\x1b]0;owned\\x07\\x1b[2J\\x1b[31m\\x9b5m\\x00\\x08\\r\\u202egnp\\ud800"
    "<script>alert(1)</script><img src=x onerror=alert(1)>\\\"'><hostile>&lt;"
)
FORMULA = "=cmd|'/c calc'!A1"

ATTACKS = [
    Attack("overwrites the suite, the grades and another's submission", does(
        *(f"open(AT['{n}'], 'w')" for n in ("suite", "visible", "results", "neighbour")))),
    Attack("deletes whatever it can", does(
        "os.unlink(AT['neighbour'])", "os.unlink(AT['results'])", "shutil.rmtree(AT['home'])",
        "os.rename(AT['suite'], AT['suite'] + 'x')", "os.truncate(AT['results'], 0)",
        "shutil.rmtree(os.path.dirname(os.path.dirname(AT['neighbour'])))")),
    Attack("poisons the interpreter and the worker for the next program", does(
        "open(AT['sandbox_worker'] + '/protocol.py', 'a').write('#')",
        "open(AT['sandbox_worker'] + '/__pycache__/' + AT['mark'], 'w')",
        "open(AT['python'] + '/lib/python3.11/random.py', 'a').write('#')",
        "open('/usr/lib/' + AT['mark'], 'w')",
        "open(AT['home'] + '/.bashrc', 'w')")),
    Attack("kills its parent", whenever("import os", "os.kill(os.getppid(), 9)", "return 5"),
        SHOWN),
    Attack("kills everybody that it can at once", labels("import os", "os.kill(-1, 9)"), ONE),
    Attack("leaves a daemon behind, in a session of its own", beside("""
import os, time
def label(text):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(99)
            os._exit(0)
    except OSError:
        pass
    return text[::-1]
""")),
    Attack("leaves another program behind", beside("""
import subprocess
try:
    subprocess.Popen(["/bin/sleep", "99"], start_new_session=True)
except OSError:
    pass
""")),
    Attack("takes the machine's huge pages, or learns that others have them", beside("""
import ctypes, errno
ADDRESS, SIZE, HUGE = None, 2**21, 0x40022
library = ctypes.CDLL(None, use_errno=True)
library.mmap(ADDRESS, SIZE, 3, HUGE, -1, 0)
REFUSED = ctypes.get_errno() == errno.EPERM
def label(text):
    return text[::-1] if REFUSED else "may have them"
""")),
    Attack("falls over its own memory", beside("""
import sys
sys.setrecursionlimit(10**9)
def label(text):
    return label(text)
"""), ONE),
    Attack("closes every file it has", labels("import os", "os.closerange(0, 99)"), ONE),
    Attack("empties the interpreter", "import sys, json\n"
        "json.dumps = lambda *a, **k: '{}'\nsys.modules.clear()\n", NONE),
    Attack("steers the terminal, and writes markup, by what it raises", whenever(
        f"raise ValueError(\"{NASTY}\")"), SHOWN),
    Attack("steers the terminal, and writes markup, by names", whenever(
        f"raise type(\"{NASTY}\"[:-30], (Exception,), {{}})(\"{NASTY}\" * 1000)"), SHOWN),
    Attack("steers the terminal by what it returns", beside(
        f"Token.__str__ = lambda self: \"{NASTY}\"\nBag.total = lambda self: b\"\\x1b[31m\"\n"),
        ".p. .ppp."),
    Attack("steers the terminal by what it prints", beside(
        f"import os, sys\nsys.stdout.reconfigure(errors='replace')\nprint(\"{NASTY}\")\n"
        "os.write(2, b'\\x1b]0;owned\\x07')\n"), ALL),
    Attack("cannot be imported, and says so with markup and escapes",
        f"raise ValueError(\"{NASTY}\" * 1000)", NONE),
    Attack("raises what cannot be shown", beside("""
class Odd(BaseException):
    def __str__(self):
        raise MemoryError
    __repr__ = __str__
def label(text):
    raise Odd
"""), ONE),
    Attack("raises a formula", whenever(f"raise ValueError(\"{FORMULA}\")"), SHOWN),
    Attack("calls itself a formula", beside(""), student=FORMULA.replace("/", "-")),
    Attack("calls itself markup and escapes", beside(""),
        student="<script>alert(1)<script>\x1b[31m"),
    Attack("calls itself a formula behind a separator", beside(""), student="x;=1+1|@cmd"),
    Attack("reverses and decorates its name", beside(""), student="A\u0301\u202ecarl\u2066"),
    Attack("is a constant that takes the interpreter down", f"x = {'-' * 99_999}1\n", NONE),
    Attack("needs more memory than there is, on import", "x = bytearray(2**34)\n", NONE),
]  # fmt: skip
