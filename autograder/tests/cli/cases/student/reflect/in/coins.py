"""Coins and what they are worth."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Coin:
    """One coin."""

    face: str

    @property
    def worth(self) -> int:
        """The coin's worth in pence."""
        return max(1, 10 * (self.face == "dime"))


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


def test_a_dime_counts() -> None:
    assert Coin("dime").worth == 10
