"""Coins."""


class Coin:
    pass
