"""Submissions that share more than the starter and the reference explain: a reason for a look.

sources    programs as rows of symbols, in which names, numbers and texts do not count
compare    what two rows share, without what is explained
pairs     a whole class, a stage at a time
"""
