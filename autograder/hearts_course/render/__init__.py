"""Renderings of results; nothing here computes a score.

findings   what tests come to, in words: shared by all renderings
classes    what a class comes to, in numbers: for the report
pages      how a page is made safe: escaping, policy, style
feedback   one student's stage as a page
report     the class as a page
text       the class as a table on the terminal
progress   how far the batch is, on the terminal
"""
