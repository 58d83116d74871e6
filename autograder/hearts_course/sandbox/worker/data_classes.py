"""Compile the methods of a program's data classes once, for all processes of its tests.

`dataclass` writes each method as a text and compiles it. That takes more than half of the time of
an import, and a program is imported in each test's process. So the first process makes data classes
with the same fields and keeps their compiled methods. The tests' processes inherit these. The first
process runs no student code.
"""

import ast
import builtins
import dataclasses
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import CodeType
from typing import Any

# Matches from the decorator to the end of the class's body. The rest of a module is not parsed,
# because parsing takes as long as compiling.
DATA_CLASS = re.compile(
    r"^@(?:dataclasses\.)?dataclass\b.*\n"
    r"(?:[@ \t)].*\n)*"  # the decorator's other lines, and other decorators
    r"class .*\n"
    r"(?:(?:[ \t)].*)?\n)*",  # lines that are indented, or empty
    re.MULTILINE,
)
_compiled: dict[str, CodeType] = {}


def compile_methods(text: str) -> None:
    """Compile and keep the methods of a module's data classes, without running the module."""
    setattr(dataclasses, "exec", _compile_and_run)  # noqa: B010 - it hides the built-in `exec`
    classes: dict[str, type] = {}
    for data_class in DATA_CLASS.findall(f"{text}\n"):
        # A class that cannot be made here is compiled when the program makes it.
        with suppress(Exception):
            (node,) = ast.parse(data_class).body
            assert isinstance(node, ast.ClassDef)
            classes[node.name] = _alike(node, classes)
    setattr(dataclasses, "exec", _run)  # noqa: B010


def _compile_and_run(text: str, *names: dict[str, Any]) -> None:
    _compiled[text] = compile(text, "<string>", "exec", dont_inherit=True)
    _run(text, *names)


def _run(text: str, *names: dict[str, Any]) -> None:
    """Do what the built-in `exec` does, without compiling a known text again."""
    builtins.exec(_compiled.get(text, text), *names)


def _alike(node: ast.ClassDef, earlier: Mapping[str, type]) -> type:
    """Return a data class with the field names and the settings of the class `node`.

    Raise LookupError if the class is not a data class. `earlier` maps names to the data
    classes above this one, because this one may inherit their fields.
    """
    settings = _settings(node)
    body: dict[str, Any] = {"__annotations__": {}}
    for part in node.body:
        match part:
            case ast.AnnAssign(ast.Name(name)) if "ClassVar" not in ast.unparse(part.annotation):
                body["__annotations__"][name] = object
                if part.value is not None:
                    body[name] = _default(part.value)
            case ast.FunctionDef("__post_init__"):  # `__init__` calls this method
                body["__post_init__"] = lambda self: None
    bases = [ast.unparse(base) for base in node.bases]
    inherited = tuple(earlier[base] for base in bases if base in earlier)
    return dataclasses.dataclass(**settings)(type(node.name, inherited, body))


def _settings(node: ast.ClassDef) -> dict[str, Any]:
    """Return the settings of the class's decorator `dataclass`; raise LookupError without it."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Name("dataclass") | ast.Attribute(attr="dataclass"):
                return {}
            case ast.Call(ast.Name("dataclass") | ast.Attribute(attr="dataclass")):
                return dict(_constants(decorator))
    raise LookupError(node.name)


def _default(value: ast.expr) -> Any:
    """Return a default value for which `__init__` has the same code as for this one."""
    match value:
        case ast.Call(ast.Name("field") | ast.Attribute(attr="field")):
            settings = dict(_constants(value))
            if any(keyword.arg == "default_factory" for keyword in value.keywords):
                settings["default_factory"] = list
            elif any(keyword.arg == "default" for keyword in value.keywords):
                settings["default"] = None
            return dataclasses.field(**settings)
    return None


def _constants(call: ast.Call) -> Iterator[tuple[str, Any]]:
    """Yield the keyword arguments that are constants."""
    for keyword in call.keywords:
        if keyword.arg and isinstance(keyword.value, ast.Constant):
            yield keyword.arg, keyword.value.value
