"""Model answers to a stage's questions for discussion.

They are for the people who grade the students' texts. No release contains them.
"""

from hearts_course.brief import discussion_section, load_discussion, section_of
from hearts_course.course import Stage
from hearts_course.files import read_text

MODEL_ANSWERS = "model-answers.md"  # a file in the folder of a stage's hidden tests


def load_model_answers(stage: Stage) -> dict[str, str]:
    """Map the titles of the stage's questions to the questions' model answers.

    A question without a model answer is left out.
    """
    path = stage.autograder / MODEL_ANSWERS
    if not path.is_file():
        return {}
    text = read_text(path)
    answers = {}
    for title in titles(stage):
        if answer := section_of(text, title):
            answers[title] = answer
    return answers


def titles(stage: Stage) -> list[str]:
    """Return the titles of the stage's questions for discussion."""
    return [_heading(question).lstrip("# ") for question in load_discussion(stage)]


def answers_to_compare(stage: Stage, written: str) -> str:
    """Return the model answers to the questions that a student's text answers.

    Return all model answers if no heading of the text is the title of a question. Headings of the
    returned text are one level deeper than in the file, as in the student's text.
    """
    lines = written.splitlines()
    asked = []
    for question in load_discussion(stage):
        if _heading(discussion_section(question)) in lines:
            asked.append(_heading(question).lstrip("# "))
    answers = load_model_answers(stage)
    wanted = asked or list(answers)
    chosen = [answers[title] for title in wanted if title in answers]
    return "\n\n".join(f"#{answer}" for answer in chosen)


def _heading(section: str) -> str:
    """Return the section's first line, with the `#` signs of the heading."""
    return section.partition("\n")[0].strip()
