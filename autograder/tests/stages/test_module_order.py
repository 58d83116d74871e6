"""A stage's modules are in order of import; a notebook's notes about imports rely on this."""

import ast

import pytest
from hearts_course.course import find_course

SEVERAL = [stage for stage in find_course().stages if len(stage.modules) > 1]


@pytest.mark.parametrize("stage", SEVERAL, ids=lambda stage: stage.name)
def test_a_module_imports_only_from_those_before_it(stage):
    for number, module in enumerate(stage.modules):
        nodes = list(ast.walk(ast.parse(stage.reference()[module])))
        names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        names |= {
            alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
        }
        assert names.isdisjoint(stage.modules[number:])
