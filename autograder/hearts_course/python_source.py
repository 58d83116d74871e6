"""Read the text of a program: its syntax tree, its functions and classes, and their lines.

A text may be hostile. `ast.parse` cannot be interrupted. It takes quadratic time for two things:

- many accents on one letter, because it sorts the accents
- many parts of an imported name, because it joins the parts

A hostile text of 100,000 characters can take minutes. So `parsed` refuses such a text, and
`definition_spans` does not parse at all.
"""

import ast
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

MAX_CHARACTERS = 200_000  # a longer text could take gigabytes of memory
MAX_ACCENTS = 30  # accents in a row, as many as Unicode allows in "stream-safe" texts
MAX_PARTS = 200  # parts of an imported name; `os.path` has two
# Matches from an `import` or `from` to the end of the statement. A backslash continues the
# statement in the next line.
IMPORTED = re.compile(r"\b(?:import|from)\b((?:\\\r?\n|\\\r|[^\\\r\n;()])*)")
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # errors that `parsed` raises
MAX_SEARCHED = 200_000  # characters of a module that are searched for definitions
OPENING = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
DECORATOR = re.compile(r"[ \t]*@")
CLOSING = re.compile(r"[ \t]*[)\]}]")
# Matches a string in three quotes, a string in one quote, or a comment. If its last quote is
# missing, a string in three quotes ends with the text, and a string in one quote with its line.
STRINGS = re.compile(
    r'("""|\'\'\')(?:\\.|(?!\1).)*?(?:\1|\Z)|"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])*\'?|#[^\n]*',
    re.DOTALL,
)
Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FORMS: Mapping[str, tuple[type[ast.AST], ...]] = {
    "comprehension": (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    "for loop": (ast.For, ast.AsyncFor),
    "while loop": (ast.While,),
    "global": (ast.Global,),
    "lambda": (ast.Lambda,),
    "try": (ast.Try,),
    "f-string": (ast.JoinedStr,),
    "conditional expression": (ast.IfExp,),
}


def definitions_in(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield the full name and the tree of each function and class; a class precedes its methods.

    Definitions inside of functions, or of statements such as `if`, are left out.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition):
            yield prefix + child.name, child
        if isinstance(child, ast.ClassDef):
            yield from definitions_in(child, f"{prefix}{child.name}.")


def definitions(source: str) -> list[tuple[str, Definition]]:
    """Return the full name, such as `Card.parse`, and the tree of each definition of a module.

    Raise one of UNPARSABLE, as `parsed` does.
    """
    return list(definitions_in(parsed(source)))


def code_text(node: ast.stmt | ast.expr) -> str:
    """Return the code of a syntax tree as a person writes it: `sum(points)`, not `sum((points))`.

    `ast.unparse` always puts a generator expression in brackets, even as a call's only argument.
    """
    text = ast.unparse(ast.fix_missing_locations(node))
    brackets: list[tuple[int, int]] = []  # line and column of each needless bracket
    for call in ast.walk(ast.parse(text)):
        match call:
            case ast.Call(args=[ast.GeneratorExp() as generator], keywords=[]):
                last = (generator.end_col_offset or 0) - 1
                has_call_brackets = generator.col_offset == call.func.end_col_offset
                if not has_call_brackets:
                    brackets.append((generator.lineno, generator.col_offset))
                    brackets.append((generator.end_lineno or 0, last))
    lines = [line.encode() for line in text.split("\n")]  # columns count bytes
    for number, column in sorted(brackets, reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:column] + line[column + 1 :]
    return b"\n".join(lines).decode()


def defined_names(source: str) -> set[str]:
    """Return the full names of a module's functions and classes.

    Raise one of UNPARSABLE, as `parsed` does.
    """
    return {name for name, _ in definitions(source)}


def functions_that_may_give_none(source: str) -> set[str]:
    """Return a module's functions and methods with an annotation such as `-> Suit | None`.

    A method has its name without its class. Raise one of UNPARSABLE, as `parsed` does.
    """
    names = set()
    for _, node in definitions(source):
        if not isinstance(node, ast.ClassDef) and node.returns and _is_optional(node.returns):
            names.add(node.name)
    return names


def _is_optional(annotation: ast.expr) -> bool:
    """Return whether the annotation is a union with None, such as `int | None`."""
    match annotation:
        case ast.BinOp(left, ast.BitOr(), right):
            sides = (left, right)
            has_none = any(isinstance(side, ast.Constant) and side.value is None for side in sides)
            return has_none or any(map(_is_optional, sides))
        case ast.Subscript(ast.Name("Optional")):
            return True
    return False


@dataclass(frozen=True)
class Form:
    """How a function or class is written: which of FORMS are in it, and how many lines it has."""

    uses: frozenset[str]
    lines: int


def form_of(text: str, name: str) -> Form:
    """Return the form of a definition such as `Hand.show`, for a test that gives points for form.

    Raise AssertionError if the definition is missing or still as in the starter.
    """
    try:
        written = dict(definitions_in(parsed(text)))
    except UNPARSABLE:
        written = {}
    if name not in written or _is_stub(written[name]):
        raise AssertionError(f"{name} is not written yet")
    return form_in(written[name])


def form_in(node: Definition) -> Form:
    """Return the form of a definition in a syntax tree."""
    kinds = {type(inner) for inner in ast.walk(node)}
    uses = {form for form, types in FORMS.items() if not kinds.isdisjoint(types)}
    return Form(frozenset(uses), len(lines_of(node)))


def _is_stub(node: Definition) -> bool:
    """Return whether the definition ends by raising NotImplementedError, as in a starter."""
    last = node.body[-1]
    return isinstance(last, ast.Raise) and "NotImplementedError" in ast.unparse(last)


def defines(text: str, names: Iterable[str]) -> bool:
    """Return whether a module with this text defines one of these functions or classes.

    Raise one of UNPARSABLE, as `parsed` does.
    """
    return not defined_names(text).isdisjoint(names)


def without_lines(text: str, spans: Iterable[range]) -> str:
    """Return the text without these lines, counted from 0, and without empty lines above them."""
    lines = text.split("\n")
    for span in sorted(spans, key=lambda span: span.start, reverse=True):
        first = span.start
        while first and not lines[first - 1].strip():
            first -= 1
        del lines[first : span.stop]
    return "\n".join(lines)


def without_docstrings(text: str) -> str:
    """Return the text without docstrings; a docstring that shares a line with code stays."""
    lines = text.split("\n")
    spans = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Definition | ast.Module) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            span = lines_of(docstring)
            on_lines = "\n".join(lines[span.start : span.stop])
            if on_lines.strip() == ast.get_source_segment(text, docstring):
                spans.append(span)
    return without_lines(text, spans)


def lines_of(node: ast.stmt) -> range:
    """Return the lines of a statement, counted from 0. The decorators of a definition belong to it.

    Python itself counts a definition from its `def` or `class` on.
    """
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first - 1, node.end_lineno or first)


def first_line(node: ast.stmt) -> int:
    """Return the number, counted from 1, of a statement's first line; decorators belong to it."""
    return lines_of(node).start + 1


def with_first_statements(text: str, of_module: str, of_function: str) -> str:
    """Return the module's text with a new first statement in the module and in each function.

    Docstrings, and the imports at the top of the module, stay before the new statements. In
    `of_function`, `{line}` stands for the number of the function's first line.
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = 0 if ast.get_docstring(node) is None else 1
            statement = of_function.format(line=first_line(node))
            node.body[first:first] = ast.parse(statement).body
    first = 0 if ast.get_docstring(tree) is None else 1
    while first < len(tree.body) and isinstance(tree.body[first], ast.Import | ast.ImportFrom):
        first += 1
    tree.body[first:first] = ast.parse(of_module).body
    return ast.unparse(tree)


def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a module, without warnings.

    Raise one of UNPARSABLE if Python cannot read the text, or would take too long to do so.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"more than {MAX_CHARACTERS} characters")
    if _imports_too_long_a_name(text):
        raise ValueError(f"an imported name of more than {MAX_PARTS} parts")
    if _has_too_many_accents(text):
        raise ValueError(f"more than {MAX_ACCENTS} accents in a row")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _imports_too_long_a_name(text: str) -> bool:
    """Return whether the text imports a name of more parts than any package has."""
    for match in IMPORTED.finditer(text):
        for name in match[1].split(","):
            if name.count(".") > MAX_PARTS:
                return True
    return False


def _has_too_many_accents(text: str) -> bool:
    """Return whether a letter has more accents than any language needs.

    Python normalizes names, and some characters become accents only then.
    """
    if text.isascii():
        return False
    usual = {character: unicodedata.normalize("NFKD", character) for character in set(text)}
    accents = [character for character in usual if unicodedata.combining(usual[character][0])]
    in_a_row = f"[{''.join(map(re.escape, accents))}]{{{MAX_ACCENTS + 1}}}"
    return bool(accents) and re.search(in_a_row, text) is not None


@dataclass(frozen=True)
class DefinitionSpan:
    """A function or class; decorators belong to it, blank lines after it do not.

    Lines are counted from 1, as in messages.
    """

    name: str  # the full name, such as `Purse.add`
    first: int
    last: int
    opens: int  # the line with `def` or `class`

    @property
    def lines(self) -> range:
        """The numbers of the definition's lines, counted from 1."""
        return range(self.first, self.last + 1)


@lru_cache(maxsize=16)
def definition_spans(source: str) -> tuple[DefinitionSpan, ...]:
    """Find the definitions in a text, in their order, without parsing the text.

    Hostile text can make a parser slow or crash it. Lines and their indentation show where
    definitions are, also in a program that Python cannot parse.
    """
    spans: list[DefinitionSpan] = []
    around: list[tuple[int, DefinitionSpan]] = []  # open definitions, with their indentation
    inside = _inside_strings(source)
    last = 0  # the last line of code
    first_decorator = 0  # the line of the next definition's first decorator, 0 without decorators
    decorator_indent = 0
    for number, line in enumerate(source.split("\n"), start=1):
        if number in inside:
            last = number
        if number in inside or not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        closes = CLOSING.match(line)  # a line such as the `)` below many parameters
        while around and indent <= around[-1][0] and not closes:
            spans.append(_closed(around, last))
        if match := OPENING.match(line):
            name = match[1]
            if around:
                name = f"{around[-1][1].name}.{name}"
            first = first_decorator or number
            around.append((indent, DefinitionSpan(name, first, number, number)))
        if DECORATOR.match(line):
            first_decorator = first_decorator or number
            decorator_indent = indent
        elif indent <= decorator_indent and not closes:
            first_decorator = 0
        last = number
    while around:
        spans.append(_closed(around, last))
    return tuple(sorted(spans, key=lambda definition: definition.opens))


def _closed(around: list[tuple[int, DefinitionSpan]], last: int) -> DefinitionSpan:
    """Take the innermost open definition off the list and return it with its last line of code."""
    _, definition = around.pop()
    return replace(definition, last=max(last, definition.opens))


def _inside_strings(source: str) -> set[int]:
    """Return the lines that begin within a string of several lines.

    In such a line, a text that looks like a definition is not one.
    """
    numbers: set[int] = set()
    line = 1
    seen = 0
    for match in STRINGS.finditer(source):
        if match[1]:
            line += source.count("\n", seen, match.start())
            seen = match.start()
            numbers |= set(range(line + 1, line + match[0].count("\n") + 1))
    return numbers


@dataclass(frozen=True)
class Names:
    """The names in a piece of code: those that it reads, in order, and those that it binds.

    `inner` are bound only in a part of the code: by a comprehension, as a parameter, or as a caught
    error. The names that a comprehension binds are also in `defined`.
    """

    read: tuple[str, ...]
    defined: frozenset[str]
    inner: frozenset[str]


def names_in(code: str) -> Names:
    """Return the names in the code; `*` stands for all names that a star import defines."""
    read: list[str] = []
    defined: set[str] = set()
    inner: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.append(node.id)
        elif isinstance(node, ast.Name):
            defined.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.alias):
            defined.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            inner.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            inner.add(node.name)
        elif isinstance(node, ast.comprehension):
            inner |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
    return Names(tuple(dict.fromkeys(read)), frozenset(defined), frozenset(inner))
