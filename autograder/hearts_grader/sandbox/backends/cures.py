"""Say why a sandbox does not work on this machine, and which command makes it work."""

import errno
import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from hearts_course.sandbox.worker.landlock import landlock_refusal

LANDLOCK_SINCE = (5, 13)
NO_NAMESPACES = "the {who} refuses to make namespaces"
# Words in errors of bwrap or the kernel. They mean that namespaces are forbidden.
REFUSES_NAMESPACES = re.compile(r"namespace|uid map|operation not permitted", re.IGNORECASE)
# Kernel settings that may forbid namespaces: the forbidding value, and a value that allows them.
SETTINGS = Path("/proc/sys")
SWITCHES = {
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),  # Ubuntu 24.04
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "10000"),
}
CONTAINER = "docker run --rm -v .:/course -w /course python:3.12"
ON_OTHER_SYSTEMS = (
    f"grading needs Linux, and this is {{system}}; grade in a container: `{CONTAINER} make demo`"
)


@dataclass(frozen=True)
class Machine:
    """Facts that decide which advice fits a machine.

    `landlock_refusal` is the number of the error with which the kernel refuses Landlock, 0 if the
    kernel has Landlock. `release` is the kernel's, and `settings` is the folder of its settings.
    """

    in_container: bool
    landlock_refusal: int
    release: str
    settings: Path = SETTINGS


def this_machine() -> Machine:
    """Return the facts about the machine that this process runs on."""
    return Machine(in_container(), landlock_refusal(), platform.release())


def explained(name: str, complaint: str, machine: Machine | None = None) -> str:
    """Put the complaint of a sandbox's own program, or of the kernel, into plain words.

    `name` is the sandbox's name, and `machine` is by default this machine. A complaint for which
    there are no plainer words is returned as it is.
    """
    if name == "bwrap" and REFUSES_NAMESPACES.search(complaint):
        machine = machine or this_machine()
        who = "container" if machine.in_container else "system"
        # Leave out what bwrap guesses about the kernel, because `cure` looks at this machine.
        what_failed = complaint.removeprefix("bwrap: ").partition(", likely")[0]
        return f"{NO_NAMESPACES.format(who=who)} ({what_failed})"
    return complaint


def cure(name: str, reason: str, machine: Machine | None = None) -> str:
    """Return which command or change makes the sandbox work, or "" if none is known.

    `reason` is what `unavailable_reason` returned, and `machine` is by default this machine. The
    answer continues a line about the sandbox, so it is one clause without a full stop.
    """
    machine = machine or this_machine()
    if name == "bwrap":
        if reason == "not installed":
            return "`apt install bubblewrap`"
        return _allow_namespaces(machine)
    if name == "landlock":
        return _get_landlock(machine) if "Landlock" in reason else ""
    # The reason is from `why_refused`. It says "leads to Python" if other users may not enter a
    # folder above Python, and "only root" if we are not root.
    if "lead" in reason:
        return "use a Python that everybody may run: `make demo PYTHON=/usr/bin/python3`"
    return "grade as root" if "root" in reason else ""


def _allow_namespaces(machine: Machine) -> str:
    """Return how to allow namespaces; "" if nothing is known to forbid them.

    Only the first setting that forbids namespaces is named. Once it is changed, the next call names
    the next setting.
    """
    for switch, (forbids, allows) in SWITCHES.items():
        file = machine.settings.joinpath(*switch.split("."))
        if file.exists() and file.read_text().strip() == forbids:
            return f"`sudo sysctl -w {switch}={allows}` allows them"
    if machine.in_container:
        return "a container started with `--privileged` may make them"
    return ""


def _get_landlock(machine: Machine) -> str:
    """Return why Landlock does not work here, and what to do if something can be done.

    The kernel's error and release show the reason.
    """
    release = tuple(map(int, re.findall(r"\d+", machine.release)[:2]))
    if machine.landlock_refusal == errno.EOPNOTSUPP:
        return "it is switched off: add `landlock` to `lsm=` on the kernel's command line"
    if release < LANDLOCK_SINCE:
        return f"it needs Linux 5.13 or newer, and this is {machine.release}"
    if machine.landlock_refusal == errno.EPERM or machine.in_container:
        return "the container refuses it: use a newer Docker or Podman"
    return "this kernel was built without it"


def in_container() -> bool:
    """Return whether this process seems to be in a container.

    Docker and Podman leave a file, and other systems set a variable. A container may hide both, so
    False is not certain.
    """
    marks = map(Path, ("/.dockerenv", "/run/.containerenv"))
    return any(mark.exists() for mark in marks) or bool(
        {"container", "KUBERNETES_SERVICE_HOST"} & os.environ.keys()
    )


def other_system(system: str) -> str:
    """Return what to do on a system of this name if it is not Linux; "" on Linux."""
    if system == "Linux":
        return ""
    return ON_OTHER_SYSTEMS.format(system=system)
