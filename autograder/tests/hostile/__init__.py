"""Submissions that are after points, secrets, the machine, the grader's time or the grader itself.

forging    points that were not earned
stealing   what a student must not know
harming    files, processes, terminals and pages that are not the program's
stalling   the time of the class
speaking   the protocol of the boundary, spoken byte by byte with ill intent
broken     what cannot be read, by accident or on purpose
probing    what `hearts doctor` tries, from the same table

attack     what an attack is; the tiny stage that all of them are handed in for
scene      the machine around it: what must not change there, and what must not come out
trial      one attack handed in beside an honest program, and everything that must hold
"""

from hostile import broken, forging, harming, probing, speaking, stalling, stealing

FAMILIES = (forging, stealing, harming, stalling, speaking, broken, probing)
ATTACKS = tuple(attack for family in FAMILIES for attack in family.ATTACKS)
