"""What `hearts doctor` tries, handed in: each probe of its table, by an otherwise honest program.

The same table serves both, so that a new probe is tried on the user's machine and in these tests.
"""

from hearts_course.sandbox.selftest import PROBES, PROBES_FILE, Probe

from hostile.attack import REFERENCE, Attack

NOT_HERE = {"never_end"}  # `stalling` has what never ends


def tries(probe: Probe) -> Attack:
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


ATTACKS = [tries(probe) for probe in PROBES if probe.function not in NOT_HERE]
