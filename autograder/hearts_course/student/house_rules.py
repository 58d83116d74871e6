"""House rules: a stage's rules differ by student; a hash of the student's id chooses them."""

from hearts_course.course import Course
from hearts_course.errors import UsageError
from hearts_course.text import listed


def house_rules(
    course: Course, student: str, stage: str = "", term: str | None = None
) -> list[str]:
    """Return the student's rule books as texts, for the named stage or for all stages.

    `term` replaces the term that the stage gives. Raise UsageError if there are no house rules.
    """
    variants_by_stage = {s.name: s.variants for s in course.stages if s.variants}
    names = set(variants_by_stage)
    if stage:
        names = {course.stage(stage).name}
    if not names & variants_by_stage.keys():
        raise UsageError(
            f"no house rules in {stage or 'any stage'}; stages with house rules: "
            f"{listed(variants_by_stage) or 'none'}"
        )
    texts: list[str] = []
    for name, variants in variants_by_stage.items():
        if name in names:
            texts.append(variants.text_for(student, name, term))
    return texts
