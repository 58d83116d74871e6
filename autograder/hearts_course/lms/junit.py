"""JUnit's XML, as pytest writes it (`xunit2`): for whatever shows the results of tests.

It has no field for points: they are properties of the suite.

junit   the document of a result
"""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from hearts_course.course import Stage
from hearts_course.lms.topic_lines import TopicResult, lines_of, verdict
from hearts_course.results import Result, Status


def junit(result: Result, stage: Stage, when: str) -> str:
    """The document; `when` is the time of the result.

    A topic that does not hold is a failure; one that was not reached is skipped; a program that
    could not be read is an error.
    """
    lines = tuple(lines_of(result))
    unread = result.status is not Status.GRADED
    failed = sum(not line.passed and line.reached for line in lines)
    skipped = sum(not line.passed and not line.reached for line in lines)
    counts = {"errors": int(unread), "failures": failed, "skipped": skipped}
    counts["tests"] = len(lines) + unread
    numbers = {name: str(count) for name, count in counts.items()}
    suites = Element("testsuites", name=f"{result.stage} {result.student}")
    suite = SubElement(
        suites, "testsuite", {"name": result.stage, **numbers, "time": "0", "timestamp": when}
    )
    _add_properties(suite, result)
    if unread:
        case = SubElement(suite, "testcase", classname=result.stage, name="program", time="0")
        SubElement(case, "error", message=verdict(result, stage)).text = verdict(result, stage)
    for line in lines:
        _add_case(suite, result, line)
    ElementTree.indent(suites, " ")
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_properties(suite: Element, result: Result) -> None:
    properties = SubElement(suite, "properties")
    values = {
        "student": result.student,
        "status": result.status.value,
        "sandbox": result.sandbox,
        "score": f"{result.score:g}",
        "max_score": str(result.max_score),
    }
    for task in result.tasks:
        values[f"score of {task.task}"] = f"{task.score:g}"
        values[f"max_score of {task.task}"] = str(task.max_score)
    for name, value in values.items():
        SubElement(properties, "property", name=name, value=value)


def _add_case(suite: Element, result: Result, line: TopicResult) -> None:
    name = f"{line.number} {line.topic}"
    place = f"{result.stage}.{line.task}"
    case = SubElement(suite, "testcase", classname=place, name=name, time="0")
    if line.passed:
        return
    if line.reached:
        SubElement(case, "failure", message=line.output.split("\n")[0]).text = line.output
    else:
        SubElement(case, "skipped", type="not-reached", message="this was not reached")
