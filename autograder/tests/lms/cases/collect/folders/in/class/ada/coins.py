"""Coins and what they are worth."""


class Coin:
    """One coin."""
