"""Coins and what they are worth."""

from dataclasses import dataclass

FACES = ("penny", "dime")  # in order


@dataclass(frozen=True)
class Coin:
    """One coin."""

    face: str

    @property
    def worth(self) -> int:
        """The coin's worth in pence."""
        return 9 if self.face == "dime" else 1

    def __str__(self) -> str:
        return self.face  # as it is spoken


class Purse:
    """What one person carries."""

    def __init__(self) -> None:
        self._coins: list[Coin] = []

    def add(self, coin: Coin) -> None:
        """Put a coin in."""
        self._coins.append(coin)

    def total(self) -> int:
        """The worth of all coins."""
        return sum(coin.worth for coin in self._coins)


def richest(purses: list[Purse]) -> Purse:
    """The purse that holds most."""
    return max(purses, key=Purse.total)
