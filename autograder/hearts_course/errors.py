"""The errors that `hearts` reports, each as one line: where, what, which command fixes it.

CourseError            something that a person can fix
├── UsageError         the command was called in a way that cannot work (exit status 2)
├── StageError         a stage's files are invalid or contradict each other
├── NoSandbox          the sandbox that was asked for does not work on this machine
└── NotStarted         the sandbox works, but starts no program at the moment
"""


class CourseError(Exception):
    """Something that a person can fix; shown as one line, without a traceback."""

    exit_code = 1


class UsageError(CourseError):
    """The command was called in a way that cannot work."""

    exit_code = 2


class StageError(CourseError):
    """A stage's files are invalid or contradict each other."""


class NoSandbox(CourseError):
    """The sandbox that was asked for does not work on this machine."""

    exit_code = 2


class NotStarted(CourseError):
    """The sandbox starts no program at the moment."""
