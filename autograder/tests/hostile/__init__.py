"""Submissions that attack: for points, secrets, the machine, or the grader's time.

`hearts doctor` has probes of its own.
"""

from hostile import forging, harming, speaking, stalling, stealing

FAMILIES = (forging, stealing, harming, stalling, speaking)
ATTACKS = tuple(attack for family in FAMILIES for attack in family.ATTACKS)
