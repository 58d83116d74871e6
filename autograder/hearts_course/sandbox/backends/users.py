"""Users that nobody is: root makes each program one of its own.

own_user   a number that no other program has now
as_user    the command that starts a program as this user, with a limit on its processes
"""

import itertools
import os
from pathlib import Path

FIRST = 0x70000000  # beyond all that systems give to people, services and containers
AT_A_TIME = 32  # of one grading process
EVERYBODY = ["0", "0", "4294967295"]  # in /proc/self/uid_map: no user namespace around us

_numbers = itertools.count()


def own_user() -> int:
    """A user that no other program is; within the users that there are, in a container of few."""
    place = os.getpid() * AT_A_TIME + next(_numbers) % AT_A_TIME
    words = Path("/proc/self/uid_map").read_text().split()
    if words == EVERYBODY:
        return FIRST + place
    ranges = [(int(size), int(first)) for first, size in zip(words[::3], words[2::3], strict=True)]
    size, first = max(ranges)
    room = size // 2  # the upper half: the lower is for those who have a name there
    return first + size - 1 - place % max(room, 1)


def as_user(user: int, processes: int) -> list[str]:
    """The command that starts a program as the user; its threads count, too."""
    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    less = ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
    return ["prlimit", f"--nproc={processes}", "--", *become, *less]
