"""Submissions that attack: for points, secrets, the machine, or the grader's time.

Among them is a submission for each probe of `hearts doctor`, in an otherwise honest program.
"""

from hearts_course.sandbox.selftest import PROBES, PROBES_FILE

from hostile import forging, harming, speaking, stalling, stealing
from hostile.attack import REFERENCE, Attack

NEVER_ENDS = {"never_end"}  # `stalling` has programs that never end


def probing(probe):
    """Return an honest program; if the probe gets something, its label is wrong."""
    source = f"""{PROBES_FILE.read_text(encoding="utf-8")}
{REFERENCE}
def label(text):
    found = ""
    try:
        found = {probe.function}(*AT["probes"][{probe.title!r}])
    except (OSError, MemoryError, ValueError, NotImplementedError):
        pass
    return found or text[::-1]
"""
    return Attack(f"tries to {probe.title}", source)


FAMILIES = (forging, stealing, harming, stalling, speaking)
ATTACKS = (
    *(attack for family in FAMILIES for attack in family.ATTACKS),
    *(probing(probe) for probe in PROBES if probe.function not in NEVER_ENDS),
)
