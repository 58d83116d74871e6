"""A drawing made fit for a page whose policy allows no style but the page's own.

in_page   the drawing as an element of the page

What a program that draws writes as styles becomes attributes; black becomes the colour of the text
around, so that it can be read on dark paper, too; what is never shown goes.
"""

import re
from xml.etree import ElementTree

from markupsafe import Markup

XLINK = "{http://www.w3.org/1999/xlink}href"
DROPPED = {"metadata", "style", "clipPath", "title"}
KEPT = {
    *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"),
    *("stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "opacity"),
    *("font-size", "text-anchor"),
}
SIZE = re.compile(r"([\d.]+)px")
INK = {"#000000", "#000", "black"}


def in_page(drawing: bytes, name: str, words: str) -> Markup:
    """The drawing, an SVG of our own making; `name` keeps its ids apart from those of others."""
    root = ElementTree.fromstring(drawing)
    _adapt(root, name)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.attrib |= {"class": "plot", "role": "img", "aria-label": words}
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _adapt(element: ElementTree.Element, name: str) -> None:
    element.tag = element.tag.rpartition("}")[2]
    attributes = element.attrib
    styles = attributes.pop("style", "")
    attributes.pop("clip-path", None)
    if target := attributes.pop(XLINK, ""):
        attributes["href"] = f"#{name}-{target.removeprefix('#')}"
    if "id" in attributes:
        attributes["id"] = f"{name}-{attributes['id']}"
    for style in filter(None, (part.strip() for part in styles.split(";"))):
        key, _, value = (part.strip() for part in style.partition(":"))
        if key == "font" and (size := SIZE.search(value)):
            key, value = "font-size", size[1]
        if key in KEPT:
            attributes[key] = value
    if element.tag == "text":
        attributes.setdefault("fill", "currentColor")
    for key in ("fill", "stroke"):
        if attributes.get(key) in INK:
            attributes[key] = "currentColor"
    for child in list(element):
        if not isinstance(child.tag, str) or child.tag.rpartition("}")[2] in DROPPED:
            element.remove(child)
        else:
            _adapt(child, name)
