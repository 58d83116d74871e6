"""Submissions that attack: for points, secrets, the machine, or the grader's time.

The tests of `hearts doctor` run its own probes.
"""

from hostile import forging, harming, speaking, stalling, stealing

FAMILIES = (forging, stealing, harming, stalling, speaking)
ATTACKS = tuple(attack for family in FAMILIES for attack in family.ATTACKS)
