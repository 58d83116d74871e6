"""The card table in a notebook: JupyterLab, Notebook 7, VS Code, Colab and JupyterLite show it."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from hearts_course.view.sitting import Sitting

FOLDER = Path(__file__).parent


class CardTable(anywidget.AnyWidget):  # type: ignore[misc]
    """A table that is drawn in the browser, and somebody who sits at it."""

    _esm = FOLDER / "card_table.js"
    _css = FOLDER / "card_table.css"
    view = traitlets.Dict().tag(sync=True)
    version = traitlets.Int(0).tag(sync=True)  # counts the views

    def __init__(self, sitting: Sitting) -> None:
        """The table of this sitting."""
        super().__init__(view=sitting.view)
        self._sitting = sitting
        self.on_msg(self._hear)

    def _hear(self, _widget: object, message: Any, _buffers: object) -> None:
        """Pass on an event, and show what has become of the table.

        What a view sends by itself counts only for the version that it has shown: a notebook may
        show a table twice, and both of them would go on.
        """
        if message.get("auto") and message.get("version") != self.version:
            return
        self._sitting.hear(message.get("event"))
        if self._sitting.view != self.view:
            with self.hold_sync():
                self.version += 1
                self.view = self._sitting.view
