"""Programs that go wrong when they are read by Python, imported or called.

Each function takes a stage and returns the files of one submission.
"""

from hearts_course.authoring.blank import blank, definitions
from hearts_course.authoring.forms import Files, reference
from hearts_course.course import Stage

PLACE = "put the hostile lines here"


def syntax_error(stage: Stage) -> Files:
    """A first definition without its colon."""
    lines = stage.reference()[stage.modules[0]].split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(("class ", "def ")))
    lines[first] = lines[first].rstrip(":")
    return _first_file(stage, "\n".join(lines))


def import_raises(stage: Stage) -> Files:
    """An exception on import."""
    return _appended(stage, 'raise RuntimeError("this deck is cursed")')


def import_loops(stage: Stage) -> Files:
    """An import that never ends."""
    return _appended(stage, "while True:\n    pass")


def exit_on_import(stage: Stage) -> Files:
    """A program that ends itself on import."""
    return _appended(stage, "import sys\n\nsys.exit(0)")


def loop_under_except(stage: Stage) -> Files:
    """A function that loops and swallows whatever is raised in it."""
    loop = ["while True:", "    try:", "        while True:", "            pass"]
    return _injected(stage, [*loop, "    except:", "        pass"])


def exit_in_function(stage: Stage) -> Files:
    """A function that ends the process with a status that means success."""
    return _injected(stage, ["import os", "", "os._exit(0)"])


def endless_output(stage: Stage) -> Files:
    """A function that prints for ever."""
    return _injected(stage, ["while True:", '    print("hearts " * 100, flush=True)'])


def much_memory(stage: Stage) -> Files:
    """A function that takes 2 GiB."""
    return _injected(stage, ['return len(b"x" * 2 * 2**30)'])


def _first_file(stage: Stage, text: str) -> Files:
    return {**reference(stage), stage.files[0]: text.encode()}


def _appended(stage: Stage, lines: str) -> Files:
    return _first_file(stage, f"{stage.reference()[stage.modules[0]]}\n\n{lines}\n")


def _injected(stage: Stage, lines: list[str]) -> Files:
    """The reference with these lines as the body of the first function that is a blank."""
    for name in (name for task in stage.tasks for name in task.blanks):
        for module, source in stage.reference().items():
            if name in definitions(source):
                text = _with_body(source, name, lines)
                if text != source:
                    return {**reference(stage), f"{module}.py": text.encode()}
    raise AssertionError(f"no task of {stage.name} leaves a function blank")


def _with_body(source: str, name: str, lines: list[str]) -> str:
    """The source with another body for the function, or as it is if that is a class."""
    found = blank(source, {name: PLACE}).split("\n")
    stub = next((i for i, line in enumerate(found) if PLACE in line), None)
    if stub is None:
        return source
    indent = " " * (len(found[stub]) - len(found[stub].lstrip()))
    found[stub : stub + 1] = [f"{indent}{line}".rstrip() for line in lines]
    return "\n".join(found)
