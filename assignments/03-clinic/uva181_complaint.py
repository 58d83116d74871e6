"""One test for the complaint: it fails on their program, and passes on every correct one."""


def test_the_next_leader() -> None:
    """The seat that takes a trick leads to the next one."""
    raise NotImplementedError("Task 1: Show the slip")
