"""A submission that tries in many ways to put its own markup into the page of a grader."""

import json
from html.parser import HTMLParser
from typing import Any

from hearts_course.course import Stage
from hearts_grader.authoring.notebook import notebook_text, reference_notebook

IMAGE = '<img src="x" onerror="window.attacked = {!r}">'  # runs its script without a click
LINK = "[read this](javascript:window.attacked='{}')"
FENCES = f"```\n{IMAGE}\n````\n{IMAGE}\n``\n~~~\n{IMAGE}\n"
WAYS = {
    "html": IMAGE,
    "script": "<script>window.attacked = {!r}</script>",
    "mermaid": f"```mermaid\n</pre>{IMAGE}\n```",
    "fences": FENCES + IMAGE,
    "indented": f"    {IMAGE}\n{IMAGE}",
    "line ends": "\r".join(["text", "", IMAGE, "", IMAGE]) + f"\v\n\n{IMAGE}",
    "link": LINK,
    "address": "<javascript:window.attacked>",
    "reference": "[words][r]\n\n[r]: javascript:window.attacked='{}'",
    "heading": f"# {LINK}",
    "table": f"| a |\n|---|\n| {LINK} |",
}
MARKDOWN = {name: way.replace("{!r}", f"'{name}'").format(name) for name, way in WAYS.items()}
NO_PICTURE = "![a picture](attachment:missing.svg)"  # not attached, so nbconvert fails


class _Live(HTMLParser):
    """Collects the tags and scripts of a page that would run a student's script."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if any(
            name == "onerror" or (value or "").startswith("javascript:") for name, value in attrs
        ):
            self.found.append(self.get_starttag_text() or tag)

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script" and "attacked" in data:
            self.found.append(data)


def live_markup(page: str) -> list[str]:
    """Return the tags and scripts of the page that would run a student's script."""
    parser = _Live()
    parser.feed(page)
    parser.close()
    return parser.found


def submission_with_markup(stage: Stage) -> dict[str, str | bytes]:
    """Return the files of a solved submission, with markup wherever a student can put markup."""
    image = IMAGE.format("metadata")
    text = "\n\n".join([*MARKDOWN.values(), NO_PICTURE])
    outputs = [
        {"output_type": "display_data", "data": {"text/html": image}, "metadata": {}},
        {"output_type": "stream", "name": "stdout", "text": image},
    ]
    marks = {"tags": [image], "name": image, "nbgrader": {"grade_id": image, "solution": True}}
    theirs: dict[str, Any] = {"metadata": marks, "attachments": {"a.svg": {"text/html": image}}}
    data = json.loads(notebook_text(reference_notebook(stage)))
    for cell in data["cells"]:
        cell["metadata"]["tags"] = [image]
        if cell["cell_type"] == "code":
            cell["outputs"] = outputs
        if cell["id"] == "manual-design":
            cell["source"] += text
    data["cells"] += [
        *(
            theirs | {"cell_type": "markdown", "id": name.replace(" ", "-"), "source": source}
            for name, source in [*MARKDOWN.items(), ("picture", NO_PICTURE)]
        ),
        theirs | {"cell_type": "raw", "id": "raw", "source": image},
        theirs | {"cell_type": "code", "id": "code", "source": f"# {image}", "outputs": outputs},
    ]
    data["metadata"] |= {"title": image, "name": image}
    return {
        f"{stage.name}.ipynb": json.dumps(data),
        "answers.md": text,
        f"{image.replace('/', '')}.txt": "a file",
    }
