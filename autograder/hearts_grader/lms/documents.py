"""Write a result as a document for another system: Gradescope, JUnit, Classroom 50.

Each topic of each task gets a line in a document. Tests get no lines of their own: even the name
of a hidden test can reveal its inputs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from hearts_course.course import Stage
from hearts_course.misconceptions import load_patterns
from hearts_course.reports.classroom50 import Provenance, as_json, classroom50
from hearts_course.reports.task_summary import (
    TaskSummary,
    TopicStatus,
    TopicSummary,
    summarise,
)
from hearts_course.results import Result, Status
from hearts_course.text import safe_block

MAX_MESSAGES = 3  # different messages that are shown for one topic


def _topics(result: Result, stage: Stage) -> Iterator[tuple[str, TaskSummary, TopicSummary]]:
    """Yield number, task and topic for each topic; `2.3` is the third topic of task 2."""
    for task in summarise(result, stage, load_patterns(stage)):
        for place, topic in enumerate(task.topics, start=1):
            yield f"{task.number}.{place}", task, topic


def _output(task: TaskSummary, topic: TopicSummary) -> str:
    """Return what the student reads about a topic; "" if all its checks pass.

    If the topic has several checks, the text says how many of them pass. Then it says where the
    task's failures come from, if that is known. Last come the first MAX_MESSAGES messages. They are
    left out if all failures come from elsewhere.
    """
    if topic.passes:
        return ""
    paragraphs = []
    if topic.total > 1:
        paragraphs.append(f"{topic.passed} of {topic.total} checks pass.")
    if task.causes.words:
        paragraphs.append(f"This {task.causes.words}.")
    if not task.folds:
        paragraphs += [note.text for note in topic.notes[:MAX_MESSAGES]]
    return safe_block("\n\n".join(filter(None, paragraphs)))


def result_text(result: Result, stage: Stage) -> str:
    """Return the result in a sentence or two, for the student."""
    what = {
        Status.GRADED: f"{result.score:g} of {result.max_score} points",
        Status.MISSING: "nothing was handed in",
        Status.UNREADABLE: "your program could not be read",
        Status.GRADER_ERROR: "no score",
    }[result.status]
    lines = (f"{stage.title}: {what}", result.for_student().message, result.score_parts.words)
    return safe_block("\n".join(filter(None, lines)))


def gradescope(result: Result, stage: Stage, notes: Sequence[str] = ()) -> str:
    """Return Gradescope's `results.json`; `notes` are remarks for the instructor.

    The student may see everything in this file, the notes as well. Nothing is hidden, because
    Gradescope hides the score as soon as one test is hidden.
    """
    data = {
        "score": result.score,
        "output": result_text(result, stage),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_gradescope_test(*topic) for topic in _topics(result, stage)],
        "extra_data": {
            "student": result.student,
            "stage": result.stage,
            "status": result.status.value,
            "max_score": result.max_score,
            "sandbox": result.sandbox,
            "notes": list(notes),
        },
    }
    return as_json(data)


def _gradescope_test(number: str, task: TaskSummary, topic: TopicSummary) -> dict[str, Any]:
    """Return a topic as one of Gradescope's tests.

    The student sees the topic on Gradescope's page. A tag says whether its checks are hidden.
    """
    status = "passed" if topic.passes else "failed"
    kind = "hidden" if topic.hidden else "visible"
    return {
        "name": f"{task.title}: {safe_block(topic.topic)}",
        "number": number,
        "score": topic.score,
        "max_score": topic.max_score,
        "status": status,
        "output": _output(task, topic),
        "visibility": "visible",
        "tags": [kind, task.id],
    }


def junit(result: Result, stage: Stage, when: str) -> str:
    """Return JUnit's XML as pytest writes it (`xunit2`); `when` is the time of the result.

    A topic with a failed check is a failure. A topic that was not reached is skipped. A program
    that was not graded is an error. Points are properties, because JUnit has no field for them.
    """
    unread = result.status is not Status.GRADED
    topics = tuple(_topics(result, stage))
    suites = Element("testsuites", name=f"{result.stage} {result.student}")
    attributes = {"name": result.stage, "time": "0", "timestamp": when}
    attributes |= _junit_counts(topics, unread)
    suite = SubElement(suites, "testsuite", attributes)
    properties = SubElement(suite, "properties")
    for name, value in _junit_properties(result).items():
        SubElement(properties, "property", name=name, value=value)
    if unread:
        case = SubElement(suite, "testcase", classname=result.stage, name="program", time="0")
        problem = result_text(result, stage)
        SubElement(case, "error", message=problem).text = problem
    for number, task, topic in topics:
        name = f"{number} {safe_block(topic.topic)}"
        place = f"{result.stage}.{task.id}"
        case = SubElement(suite, "testcase", classname=place, name=name, time="0")
        if topic.status is TopicStatus.NOT_REACHED:
            SubElement(case, "skipped", type="not-reached", message="this was not reached")
        elif output := _output(task, topic):
            SubElement(case, "failure", message=output.split("\n")[0]).text = output
    # A person can read an indented document, and compare two of them line by line.
    ElementTree.indent(suites, " ")
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _junit_counts(
    topics: Sequence[tuple[str, TaskSummary, TopicSummary]], unread: bool
) -> dict[str, str]:
    """Return the counts for a suite's attributes; an ungraded program counts as one more test.

    The counts are texts, because attributes are texts.
    """
    statuses = [topic.status for _, _, topic in topics]
    skipped = statuses.count(TopicStatus.NOT_REACHED)
    failures = len(topics) - skipped - statuses.count(TopicStatus.PASSED)
    return {
        "tests": str(len(topics) + unread),
        "errors": str(int(unread)),
        "failures": str(failures),
        "skipped": str(skipped),
    }


def _junit_properties(result: Result) -> dict[str, str]:
    """Return the result, and the points of each task, as the names and values of properties."""
    properties = {
        "student": result.student,
        "status": result.status.value,
        "sandbox": result.sandbox,
        "score": f"{result.score:g}",
        "max_score": str(result.max_score),
    }
    for task in result.tasks:
        properties[f"score of {task.task}"] = f"{task.score:g}"
    for task in result.tasks:
        properties[f"max_score of {task.task}"] = str(task.max_score)
    return properties


@dataclass(frozen=True)
class Format:
    """The name of a document's file, and the function that returns the file's content."""

    file: str
    text: Callable[[Result, Stage, Provenance], str]


FORMATS: Mapping[str, Format] = {
    "gradescope": Format("results.json", lambda result, stage, _: gradescope(result, stage)),
    "junit": Format("junit.xml", lambda result, stage, origin: junit(result, stage, origin.when)),
    "classroom50": Format("result.json", lambda result, _, origin: classroom50([result], origin)),
}
