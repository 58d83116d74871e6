"""nbgrader's converters, chosen per assignment: ours for a stage, otherwise nbgrader's own."""

import warnings
from typing import Any

import sqlalchemy
from nbformat.warnings import MissingIDFieldWarning
from nbgrader.apps import api, autogradeapp, generateassignmentapp, generatefeedbackapp
from nbgrader.converters import autograde as nbgraders
from nbgrader.converters import base, generate_assignment, generate_feedback
from traitlets import List, Type
from traitlets.config import Config

from hearts_grader.nbgrader.autograde import StageAutograde, submitted_at
from hearts_grader.nbgrader.course import CourseConfig
from hearts_grader.nbgrader.hooks import FeedbackPage

# Only these parts of an instructor's settings apply to stages. Others could do harm: with another
# delimiter for hidden tests, for example, nbgrader would release our hidden tests.
KEPT = ("CourseConfig", "BaseConverter", "IncludeHeaderFooter", "SaveCells", "HTMLExporter")
PASSED_ON = ("force", "permissions", "create_student", "no_database")
GENERATE = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "hearts_grader.nbgrader.hooks.StarterCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "hearts_grader.nbgrader.hooks.NoKernel",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]


class StageRelease(generate_assignment.GenerateAssignment):  # type: ignore[misc]
    """nbgrader's GenerateAssignment for a stage: the starter is in the solution cells."""

    preprocessors = List(GENERATE)


class StageFeedback(generate_feedback.GenerateFeedback):  # type: ignore[misc]
    """nbgrader's GenerateFeedback for a stage: without hidden tests."""

    exporter_class = Type(FeedbackPage)


def _either(theirs: type[base.BaseConverter], ours: type[base.BaseConverter]) -> Any:
    """Return a subclass of nbgrader's converter that runs our converter for a stage.

    `start` makes the choice, because the assignment is unknown before. nbgrader still converts the
    instructor's own assignments.
    """

    def start(self: Any) -> None:
        """Run our converter for a stage, and nbgrader's own for anything else."""
        if not CourseConfig(parent=self).is_stage(self.coursedir.assignment_id):
            theirs.start(self)
            return
        config = Config({name: self.config[name] for name in KEPT if name in self.config})
        converter = ours(coursedir=self.coursedir, parent=self.parent, config=config)
        for name in PASSED_ON:
            if self.has_trait(name):
                setattr(converter, name, getattr(self, name))
        converter.start()

    return type(theirs.__name__, (theirs,), {"__doc__": theirs.__doc__, "start": start})


Autograde = _either(nbgraders.Autograde, StageAutograde)
GenerateAssignment = _either(generate_assignment.GenerateAssignment, StageRelease)
GenerateFeedback = _either(generate_feedback.GenerateFeedback, StageFeedback)


def replace_converters() -> None:
    """Replace the converters of nbgrader's commands and of formgrader; no setting can do this."""
    warnings.filterwarnings("ignore", category=sqlalchemy.exc.SAWarning, module="nbgrader")
    warnings.filterwarnings("ignore", category=MissingIDFieldWarning)  # for an old header.ipynb
    api.Autograde = autogradeapp.Autograde = Autograde
    api.GenerateAssignment = generateassignmentapp.GenerateAssignment = GenerateAssignment
    api.GenerateFeedback = generatefeedbackapp.GenerateFeedback = GenerateFeedback
    api.NbGraderAPI.get_submitted_timestamp = submitted_at
