"""Attacks on secrets: the message of a visible test would show what the program found."""

from hostile.attack import ONE, SHOWN, Attack, beside, whenever


def steals(*expressions, needs="os, sys"):
    """Return an honest program that shows the values of these expressions."""
    trials = "".join(f"        lambda: {expression},\n" for expression in expressions)
    return beside(f"""
import {needs}
def hostile(*args):
    got = []
    for trial in (
{trials}    ):
        try:
            got.append(str(trial())[-1000:])
        except Exception as error:
            got.append(type(error).__name__)
    raise ValueError(got)
Token.__str__ = label = hostile
""")


def tells(*lines):
    """Return a program that runs these lines, which try to pass on what a hidden test asked."""
    return whenever("import os, signal, sys", *lines)


def refused(calls):
    """Return a program that is honest only if the kernel refuses all `CALLS`.

    The lines `calls` define `CALLS`. They may use `PAGE`, the address of a page of the C library.
    """
    return beside(f"""
import ctypes, errno, os
LIBRARY = ctypes.CDLL(None, use_errno=True)
IS_X86 = os.uname().machine == "x86_64"
PAGE = ctypes.c_void_p(ctypes.cast(LIBRARY.getpid, ctypes.c_void_p).value & ~4095)
{calls}
def is_refused(call):
    ctypes.set_errno(0)
    return LIBRARY.syscall(*call) == -1 and ctypes.get_errno() == errno.EPERM
ALLOWED = [call for call in CALLS if not is_refused(call)]
def label(text):
    return text[::-1] if not ALLOWED else str(ALLOWED)
""")


ATTACKS = [
    Attack("searches all objects in memory for a test", steals(
        "[o for o in gc.get_objects() if isinstance(o, str) and 'secret-' in o]", needs="gc"),
        SHOWN),
    Attack("reads the suite, the reference and the chaffs", steals(*(
        f"open(AT['{name}']).read()" for name in ("suite", "visible", "reference", "chaffs"))),
        SHOWN),
    Attack("reads grades, another's submission and the home folder", steals(
        "open(AT['results']).read()", "open(AT['neighbour']).read()",
        "open(AT['home'] + '/.netrc').read()", "os.listdir(AT['home'])"), SHOWN),
    Attack("imports the suite by its name", steals(
        "[sys.path.append(os.path.dirname(AT['suite'])), __import__('test_safe_hidden').EXPECTED]",
        "__import__('test_safe').__file__"), SHOWN),
    Attack("reads by winding paths", steals(
        "open('/usr/lib/../../proc/self/root' + AT['suite']).read()",
        "open('/proc/self/cwd/' + AT['suite']).read()",
        "open(f'/proc/{AT[\"grader\"]}/root' + AT['suite']).read()",
        "open('/dev/fd/../../..' + AT['suite']).read()"), SHOWN),
    Attack("reads through links of its own", steals(*(
        f"[os.{way}(AT['suite'], '{folder}/' + AT['mark']),"
        f" open('{folder}/' + AT['mark']).read()]"
        for way in ("symlink", "link") for folder in ("/tmp", "/dev/shm"))), SHOWN),
    Attack("reads from every descriptor that it has", steals(
        *(f"os.set_blocking({n}, False) or os.read({n}, 9999)" for n in (0, 1, 2, *range(5, 12)))),
        SHOWN),
    Attack("tells a hidden input by what it raises", tells("raise ValueError('LEAK', args)"),
        SHOWN),
    Attack("tells a hidden input by the name of what it raises", tells(
        "raise type(f'Leak{args}', (Exception,), {})"), SHOWN),
    Attack("tells a hidden input by the name of a file that raised it", tells(
        "exec(compile('raise ValueError', str(args), 'exec'), {'__name__': str(args)})"), SHOWN),
    Attack("tells a hidden input by the class of what it returns", tells(
        "return type(f'Leak{args}', (), {})()"), SHOWN),
    Attack("tells a hidden input by what it prints", tells(
        "import logging, warnings", "print(args, flush=True)", "os.write(2, repr(args).encode())",
        "warnings.warn(str(args))", "logging.error(str(args))", "return 5"), SHOWN),
    Attack("tells a hidden input by its exit status", tells("os._exit(len(str(args)))"),
        ".pp .pp.."),
    Attack("tells a hidden input by the signal that ends it", tells(
        "os.kill(os.getpid(), signal.SIGUSR1)"), ".pp .pp.."),
    Attack("tells a hidden input by a hash that raises", beside("""
class Teller:
    told = ""
    def __hash__(self):
        if self.told:
            raise ValueError(self.told)
        return 1
def label(text):
    teller = Teller()
    answer = {teller}
    teller.told = text
    return answer
"""), ONE),
    Attack("asks for the number of its pipe, which counts the pipes of the machine", beside("""
import ctypes, os
NUMBER = 5 if os.uname().machine == "x86_64" else 80
KNOWN = [
    ctypes.CDLL(None).syscall(NUMBER, end, ctypes.create_string_buffer(256)) == 0
    for end in range(9)
]
def label(text):
    return "knows it" if any(KNOWN) else text[::-1]
""")),
    Attack("keeps a note in the memory of the standard library", beside("""
import ctypes, sys
(finder,) = (one for one in sys.meta_path if type(one).__name__ == "MemoryFinder")
PAGE, PLACE = 4096, 100
start = ctypes.addressof(finder._archive.obj)
FOUND = ctypes.string_at(start + PLACE, 1) == b"\\xff"
ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), PAGE, 3)
ctypes.memset(start + PLACE, 255, 1)
def label(text):
    return "found a note" if FOUND else text[::-1]
""")),
    Attack("waits for another program, or wakes it, at a place in a library that both have",
        refused("""
FUTEX, ROBUST_LIST, THREAD_END = (202, 273, 218) if IS_X86 else (98, 99, 96)
SOON = (ctypes.c_long * 2)(0, 1)
SHARED = [way | clock for way in range(14) for clock in (0, 256)]
INHERITING = [128 | way for way in (6, 7, 8, 11, 12, 13)]
CALLS = [(FUTEX, PAGE, way, 1, SOON, PAGE, 0) for way in SHARED + INHERITING]
CALLS += [(number, PAGE, 0, 0, 0, 0, 0) for number in (449, 454, 455, 456)]
CALLS += [(ROBUST_LIST, PAGE, 24), (THREAD_END, PAGE)]
""")),
    Attack("notes a hidden input by which pages of a library are in memory", refused("""
IN_MEMORY, ADVICE = (27, 28) if IS_X86 else (232, 233)
SIZE = ctypes.c_size_t(4096)
CALLS = [(IN_MEMORY, PAGE, SIZE, ctypes.create_string_buffer(1))]
CALLS += [(ADVICE, PAGE, SIZE, kind) for kind in (1, 2, 3, 9, 12, 13, 18, 20, 21, 22, 23, 25)]
""")),
    Attack("counts the signals that wait for all programs of its user", beside("""
import os, signal
KIND, COUNT = signal.SIGRTMIN, 0
signal.pthread_sigmask(signal.SIG_BLOCK, [KIND])
for _ in range(9):
    os.kill(os.getpid(), KIND)
while signal.sigtimedwait([KIND], 0):
    COUNT += 1
def label(text):
    return text[::-1] if COUNT == 1 else "can count"
""")),
    Attack("joins pages of the library, and takes memory that is dropped when others need it",
        beside("""
import ctypes, errno, os, sys
X86 = os.uname().machine == "x86_64"
MMAP, MADVISE = (9, 28) if X86 else (222, 233)
(finder,) = (one for one in sys.meta_path if type(one).__name__ == "MemoryFinder")
start = ctypes.c_void_p(ctypes.addressof(finder._archive.obj))
library = ctypes.CDLL(None, use_errno=True)
REFUSED = []
for call in (
    (MADVISE, start, 2**21, 14),
    (MADVISE, start, 2**21, 15),
    (MMAP, None, 4096, 3, 0x28, -1, 0),
):
    ctypes.set_errno(0)
    library.syscall(*call)
    REFUSED.append(ctypes.get_errno() == errno.EPERM)
def label(text):
    return text[::-1] if all(REFUSED) else "may do that"
""")),
    Attack("keeps a hidden input for a visible test that comes late", beside("""
import io, mmap
try:
    NOTE = mmap.mmap(-1, 4096)
except OSError:
    NOTE = type("Own", (io.BytesIO,), {"__getitem__": lambda own, part: own.getvalue()[part]})()
def label(text):
    NOTE.write(text.encode()[-200:])
    return text
def total(self):
    raise NotImplementedError(NOTE[:200].strip(bytes(1)))
Bag.total = total
"""), "pp. ppp.p"),
]  # fmt: skip
