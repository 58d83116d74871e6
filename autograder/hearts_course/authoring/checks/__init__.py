"""What `hearts verify` checks. Each check yields a line per fault, and nothing if all is well.

files       the four places, what is generated, what must be unique, brief and hints
suite       the tests as texts: marks, topics, near examples
examples    the brief's examples hold for the reference
trials      starter, reference, chaffs and alternatives go through the grader
survivors   mutants go through the grader, and none may pass
"""
