"""From `source/` to `release/`: the solutions go, and the starter comes in their place.

StarterCells   takes the place of nbgrader's ClearSolutions, which knows one stub for all
"""

from typing import Any

from nbgrader.preprocessors import ClearSolutions

from hearts_course.authoring.notebook import build_notebook
from hearts_course.nbgrader.settings import CourseConfig


class StarterCells(CourseConfig, ClearSolutions):  # type: ignore[misc]
    """Puts the starter into every cell of the course's; any other is cleared by nbgrader."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """The notebook without solutions; raises CourseError for what is no stage."""
        stage = self.stage(resources["nbgrader"]["assignment"])
        self._starter = {cell.id: cell.source for cell in build_notebook(stage).cells}
        done: tuple[Any, Any] = super().preprocess(nb, resources)
        return done

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """The cell as students get it."""
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution") and marks.get("grade_id") in self._starter:
            cell.source = self._starter[marks["grade_id"]]
            return cell, resources
        done: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return done
