"""`nbgrader generate_feedback`, without the hidden tests that it would show.

FeedbackPage   takes the place of its HTML exporter
"""

from typing import Any

from nbconvert.exporters import HTMLExporter
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade, is_locked


class FeedbackPage(HTMLExporter):  # type: ignore[misc]
    """nbgrader's page, from a notebook in which no cell holds a hidden test."""

    def from_notebook_node(self, nb: Any, resources: Any = None, **more: Any) -> tuple[Any, Any]:
        """The page; what a student wrote is sanitised, and what a check says is in it."""
        self.sanitize_html = True
        clear = ClearHiddenTests()
        for cell in nb.cells:
            if is_grade(cell) and is_locked(cell):  # in any other a student may have written this
                clear.preprocess_cell(cell, resources, 0)
        page: tuple[Any, Any] = super().from_notebook_node(nb, resources, **more)
        return page
