"""Model answers to a stage's questions for discussion.

They are for whoever reads what students wrote, and never part of a release.
"""

from hearts_course.brief import discussion_section, load_discussion, section_of
from hearts_course.course import Stage
from hearts_course.files import read_text

MODEL_ANSWERS = "model-answers.md"  # beside a stage's hidden tests


def load_model_answers(stage: Stage) -> dict[str, str]:
    """Return the model answers of the stage by the titles of their questions, those that exist."""
    path = stage.autograder / MODEL_ANSWERS
    text = read_text(path) if path.is_file() else ""
    answers = {title: section_of(text, title) for title in titles(stage)}
    return {title: answer for title, answer in answers.items() if answer}


def titles(stage: Stage) -> list[str]:
    """Return the titles of the stage's questions for discussion."""
    return [_heading(question).lstrip("# ") for question in load_discussion(stage)]


def answers_to_compare(stage: Stage, written: str) -> str:
    """Return the model answers to the questions in a student's answers; to all if it has none."""
    lines = written.splitlines()
    asked = [
        _heading(question).lstrip("# ")
        for question in load_discussion(stage)
        if _heading(discussion_section(question)) in lines
    ]
    answers = load_model_answers(stage)
    chosen = [answers[title] for title in asked or answers if title in answers]
    return "\n\n".join(f"#{answer}" for answer in chosen)


def _heading(section: str) -> str:
    return section.partition("\n")[0].strip()
