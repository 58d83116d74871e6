"""Run a program in `sandlock`: Landlock, seccomp, and a supervisor that counts and ends it."""

import threading
from pathlib import Path

from hearts_course.course import Limits
from hearts_course.sandbox.pipes import running
from hearts_course.sandbox.worker import (
    ENVIRONMENT,
    SYSTEM_FOLDERS,
    WORKER_DIR,
    interpreter_folders,
)

# Calls that Landlock does not refuse: owners, modes, attributes and times of files, and the
# scheduling of the same user's processes. sandlock itself needs `prlimit`: `seccomp` refuses it.
DENIED = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    *("utime", "utimes", "futimesat", "utimensat", "setpriority", "ioprio_set"),
    *("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"),
)


class SandlockProcess:
    """A process of `sandlock`."""

    def __init__(self, command: list[str], limits: Limits) -> None:
        import sandlock

        self._one_at_a_time = threading.Lock()  # sandlock's wait() allows one caller only
        pipe = sandlock.StdioMode.PIPED
        self._process = sandlock.Sandbox(
            fs_readable=[
                *(folder for folder in SYSTEM_FOLDERS if Path(folder).exists()),
                *interpreter_folders(),
                str(WORKER_DIR),
                "/dev/null",
                "/dev/urandom",
            ],
            fs_writable=["/dev/null"],
            extra_deny_syscalls=DENIED,
            clean_env=True,
            env=ENVIRONMENT,
            # A second limit; the kernel's comes first, as a MemoryError. At most four processes
            # run: one that starts tests, the test's, and below it program and script.
            max_memory=limits.memory_bytes * limits.processes,
            max_processes=limits.processes,
            max_open_files=limits.open_files,
            no_coredump=True,
            cwd="/",
        ).popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.stdin = self._process.stdin
        self.stdout = self._process.stdout
        self.stderr = self._process.stderr
        running.add(self)

    def kill(self) -> int | None:
        """End it and all it has started; harmless if it has already ended."""
        running.discard(self)
        with self._one_at_a_time:
            self._process.kill()
            self._process.wait()
        return None
