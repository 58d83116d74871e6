"""Submissions that attack: for points, secrets, the machine, or the grader's time.

`hearts doctor` tries other attacks: the probes in `hearts_grader.sandbox.probes`.
"""

from hostile import forging, harming, speaking, stalling, stealing

FAMILIES = (forging, stealing, harming, stalling, speaking)
ATTACKS = tuple(attack for family in FAMILIES for attack in family.ATTACKS)
