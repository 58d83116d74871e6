"""What our parts of nbgrader have to know: a section of `nbgrader_config.py`.

CourseConfig   where the hidden tests are, and how programs are kept in
"""

from pathlib import Path

from traitlets import Unicode
from traitlets.config import Configurable

from hearts_course.course import Course, Stage, find_course
from hearts_course.errors import CourseError


class CourseConfig(Configurable):
    """A part of nbgrader that works for a course."""

    course = Unicode("", help="The course's folder; if empty, the one of this tool.").tag(
        config=True
    )
    sandbox = Unicode("auto", help="What keeps programs in: auto, bwrap, sandlock or none.").tag(
        config=True
    )

    def the_course(self) -> Course:
        """The course; raises CourseError if it is not where it was."""
        course = Course(Path(self.course)) if self.course else find_course()
        if not course.stages:
            raise CourseError(
                f"{course.root}: holds no course; correct CourseConfig.course in nbgrader_config.py"
            )
        return course

    def stage(self, assignment: str) -> Stage:
        """The stage that is the assignment; raises CourseError if there is none."""
        for stage in self.the_course().stages:
            if stage.name == assignment:
                return stage
        raise CourseError(
            f"{assignment}: no stage of the course, so there is nothing to grade it by; "
            "keep assignments of your own in another nbgrader course"
        )
