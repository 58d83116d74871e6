"""Files, processes, terminals and pages that are not the program's."""

from hostile.attack import ALL, HURRIED, NONE, ONE, SHOWN, Attack, beside, labels, whenever


def does(*lines: str) -> str:
    """An honest program that does these things on import, as far as it is let."""
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


EVERYWHERE = "[open(os.path.join(f, AT['mark']), 'w') for f in [{}]]"
NASTY = (
    "\\x1b]0;owned\\x07\\x1b[2J\\x1b[31m\\x9b5m\\x00\\x08\\r\\u202egnp\\ud800"
    "<script>alert(1)</script><img src=x onerror=alert(1)>\\\"'><hostile>&lt;"
)
FORMULA = "=cmd|'/c calc'!A1"

ATTACKS = [
    Attack("writes a file in every folder it knows", does(
        *(f"open(os.path.join(AT['folders'][{n}], AT['mark']), 'w')" for n in range(12)),
        "open(AT['mark'], 'w')", "os.mkdir('/tmp/' + AT['mark'])",
        "os.mkfifo('/tmp/' + AT['mark'])", "os.symlink('/', '/tmp/' + AT['mark'])")),
    Attack("overwrites the suite, the grades and another's submission", does(
        *(f"open(AT['{n}'], 'w')" for n in ("suite", "visible", "results", "neighbour")))),
    Attack("deletes whatever it can", does(
        "os.unlink(AT['neighbour'])", "os.unlink(AT['results'])", "shutil.rmtree(AT['home'])",
        "os.rename(AT['suite'], AT['suite'] + 'x')", "os.truncate(AT['results'], 0)",
        "shutil.rmtree(os.path.dirname(os.path.dirname(AT['neighbour'])))")),
    Attack("changes whose files are, and when they were", does(
        "os.chmod(AT['results'], 0o777)", "os.chown(AT['results'], 65534, 65534)",
        "os.utime(AT['results'], (1, 1))", "os.setxattr(AT['results'], 'user.x', b'x')",
        "os.chmod(AT['home'], 0)")),
    Attack("poisons the interpreter and the far side for who comes next", does(
        "open(AT['sandbox_worker'] + '/wire.py', 'a').write('#')",
        "open(AT['sandbox_worker'] + '/__pycache__/' + AT['mark'], 'w')",
        "open(AT['python'] + '/lib/python3.11/random.py', 'a').write('#')",
        "open('/usr/lib/' + AT['mark'], 'w')",
        "open(AT['home'] + '/.bashrc', 'w')")),
    Attack("kills its parent", whenever("import os", "os.kill(os.getppid(), 9)", "return 5"),
        SHOWN),
    Attack("kills the grader and everybody else", does(
        "os.kill(AT['grader'], 15)", "os.kill(AT['victim'], 9)",
        "os.killpg(os.getpgid(AT['grader']), 15)", "os.killpg(os.getpgid(AT['victim']), 9)")),
    Attack("kills everybody that it can at once", labels("import os", "os.kill(-1, 9)"), ONE),
    Attack("takes other processes' limits and turns", does(
        "resource.prlimit(AT['victim'], resource.RLIMIT_NOFILE, (3, 3))",
        "os.setpriority(os.PRIO_PROCESS, AT['victim'], 19)",
        "os.sched_setaffinity(AT['victim'], {0})",
        "ctypes.CDLL(None).ptrace(16, AT['victim'], 0, 0)")),
    Attack("calls the network, and servers on this machine", does(
        "socket.create_connection(('127.0.0.1', AT['port']), 0.1)",
        "socket.create_connection(('192.0.2.1', 80), 0.1)",
        "socket.socket(socket.AF_INET6).connect(('::1', AT['port']))",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
        "socket.socket(socket.AF_UNIX).connect(AT['socket'])",
        "socket.socket(socket.AF_UNIX).connect(AT['name'])",
        "socket.create_server(('', 0))")),
    Attack("fills the memory", labels(
        "kept = []", "while True:", "    kept.append(bytearray(2**24))"), ONE),
    Attack("fills the disk, or what looks like one", does(
        "[os.write(os.memfd_create(str(n)), bytes(2**20)) for n in range(99)]",
        "open('/dev/shm/' + AT['mark'], 'wb').write(bytes(2**24))",
        "open('/tmp/' + AT['mark'], 'wb').write(bytes(2**24))")),
    Attack("starts processes without end", labels(
        "import os", "while True:", "    os.fork()"), ONE),
    Attack("starts programs without end", labels("import subprocess", "while True:",
        "    subprocess.Popen(['/bin/sleep', '99'])"), ONE),
    Attack("opens files without end", labels("import os", "while True:", "    os.dup(2)"), ONE),
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
    Attack("leaves threads behind", beside("""
import threading, time
for _ in range(8):
    threading.Thread(target=time.sleep, args=(99,)).start()
""")),
    Attack("stops itself", "import os\nos.kill(os.getpid(), 19)\n", NONE, limits=HURRIED),
    Attack("falls over its own memory", beside("""
import sys
sys.setrecursionlimit(10**9)
def label(text):
    return label(text)
"""), ONE),
    Attack("closes every file it has", labels("import os", "os.closerange(0, 99)"), ONE),
    Attack("changes the room: root, namespace, user", does(
        "os.chroot('/tmp')", "ctypes.CDLL(None).unshare(0x10000000)",
        "ctypes.CDLL(None).unshare(0x00020000)", "os.setuid(0)", "os.setuid(65534)",
        "ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None)",
        "ctypes.CDLL(None).sethostname(b'x', 1)", "time.clock_settime(0, 1)")),
    Attack("leaves notes for the next program", does(
        "ctypes.CDLL(None).shmget(77, 4096, 0o1666)", "ctypes.CDLL(None).msgget(77, 0o1666)",
        "ctypes.CDLL(None).mq_open(b'/hostile', 0o102, 0o666, None)",
        "ctypes.CDLL(None).syscall(248, b'user', b'hostile', b'x', 1, -4)")),
    Attack("types into the terminal, and takes it", does(
        "[__import__('fcntl').ioctl(n, 0x5412, b'x') for n in (0, 1, 2)]",
        "open('/dev/tty', 'w').write('x')", "os.tcsetpgrp(0, os.getpid())", "os.openpty()")),
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
]  # fmt: skip
