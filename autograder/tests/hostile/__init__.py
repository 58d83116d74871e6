"""Submissions that are after points, secrets, the machine, the grader's time or the grader itself.

Those of `hearts doctor` are among them: each probe of its table is submitted by a program that is
otherwise honest.
"""

from hearts_course.sandbox.selftest import PROBES, PROBES_FILE

from hostile import forging, harming, speaking, stalling, stealing
from hostile.attack import REFERENCE, Attack

NEVER_ENDS = {"never_end"}  # `stalling` has programs that never end


def probing(probe):
    """An honest program, unless the probe gets something: then its label is wrong."""
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
