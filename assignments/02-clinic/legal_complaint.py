"""One test for the complaint: it fails on their program, and passes on every correct one."""


def test_the_complaint() -> None:
    """On the first trick, a void player keeps the queen of spades while another card is free."""
    raise NotImplementedError("Task 1: Show the slip")
