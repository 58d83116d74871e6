"""Hostile: looks for the other hands wherever it can."""

import gc
import sys
from pathlib import Path

from cards import Hand
from players import Player, by_rank, highest

ALIAS = "<b>Spy</b>"


class Spy(Player):
    """Play high if `search` finds another hand, so a leak would show in the moves."""

    def pass_cards(self, view):
        """Pass the highest cards."""
        self.search(view)
        return highest(view.hand, 3)

    def play(self, view):
        """Search for other hands; play high if one is found, otherwise low."""
        return (max if self.search(view) else min)(view.legal, key=by_rank)

    def search(self, view):
        """Return whether any other hand can be found."""
        frame = sys._getframe()
        while frame is not None:
            if "hands" in frame.f_locals:
                return True
            frame = frame.f_back
        for path in ("/proc/self/maps", "/etc/passwd", "/tmp", "."):
            try:
                return bool(Path(path).read_text(encoding="utf-8"))
            except OSError:
                continue
        mine = {*view.hand}
        full = [thing for thing in gc.get_objects() if type(thing) is Hand and len([*thing]) == 13]
        return any({*hand} != mine for hand in full)


def enter():
    """Return the player."""
    return Spy()
