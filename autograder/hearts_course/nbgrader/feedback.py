"""What nbgrader shows as pages: no hidden test to students, no stranger's HTML to anybody.

FeedbackPage       takes the place of `nbgrader generate_feedback`'s HTML exporter
escaped_markdown   takes the place of the filter by which Markdown becomes HTML
"""

from typing import Any

from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import is_grade, is_locked


class FeedbackPage(HTMLExporter):  # type: ignore[misc]
    """nbgrader's page, from a notebook in which no cell holds a hidden test."""

    def from_notebook_node(self, nb: Any, resources: Any = None, **more: Any) -> tuple[Any, Any]:
        """The page, with what the checks say."""
        clear = ClearHiddenTests()
        for cell in nb.cells:
            if is_grade(cell) and is_locked(cell):  # in any other a student may have written this
                clear.preprocess_cell(cell, resources, 0)
        page: tuple[Any, Any] = super().from_notebook_node(nb, resources, **more)
        return page


def escaped_markdown(source: str) -> str:
    """The Markdown as HTML; HTML in it stays to be read, since students may write it.

    It would be shown in a page in which the instructor is logged in.
    """
    renderer = IPythonRenderer(escape=True, attachments={}, embed_images=False)
    page: str = MarkdownWithMath(renderer=renderer).render(source)
    return page
