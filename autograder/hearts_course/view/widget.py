"""The card table in a notebook: JupyterLab, Notebook 7, VS Code, Colab and JupyterLite."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from hearts_course.view.sitting import Sitting

FOLDER = Path(__file__).parent


class CardTable(anywidget.AnyWidget):  # type: ignore[misc]
    """A card table that the browser draws.

    `view` is what to draw. The browser sends an event for each click, and gets the next view.
    """

    _esm = FOLDER / "card_table.js"
    _css = FOLDER / "card_table.css"
    view = traitlets.Dict().tag(sync=True)
    version = traitlets.Int(0).tag(sync=True)  # the number of views so far

    def __init__(self, sitting: Sitting) -> None:
        """Show the table of this sitting."""
        super().__init__(view=sitting.view)
        self._sitting = sitting
        self.on_msg(self._handle)

    def _handle(self, _widget: object, message: Any, _buffers: object) -> None:
        """Let the program answer an event, and show the new view.

        A notebook may show a table twice, and each copy sends the steps that need no click. Such a
        step counts only if its copy shows the current version; otherwise it would count twice.
        """
        if message.get("auto") and message.get("version") != self.version:
            return
        self._sitting.handle(message.get("event"))
        if self._sitting.view != self.view:
            with self.hold_sync():
                self.version += 1
                self.view = self._sitting.view
