"""Markdown to the HTML of a reading page: the rules of a game, and the texts that are longer than a label."""

import re
from collections import Counter
from importlib.resources import files
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARAGRAPH: Final = re.compile(r"§(\d+)\b")


def page_text(name: str, language: str) -> str:
    """Return a long text of the pages, as Markdown (`texts/<name>.<language>.md`)."""
    return (files("bolzplatz") / "texts" / f"{name}.{language}.md").read_text(encoding="utf-8")


def to_html(markdown: str, table_label: str, drawing_label: str) -> str:
    """Return HTML. Headings that begin with a paragraph number get it as their id (`s4`).

    Wide tables and drawings (blocks of code) scroll alone: each is a region of its own, labelled with `table_label` or
    `drawing_label` and its number. Raw HTML in the source is shown as text, never passed on.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens: list[Token] = []
    boxes: Counter[str] = Counter()
    for token in (source := parser.parse(markdown)):
        if token.type == "heading_open":
            found = _PARAGRAPH.match(source[source.index(token) + 1].content)
            if found:
                token.attrSet("id", f"s{found[1]}")
        drawing = token.type in ("fence", "code_block")
        if token.type == "table_open" or drawing:
            label = drawing_label if drawing else table_label
            boxes[label] += 1
            box = Token("scroll_open", "div", 1, attrs={"class": "scroll", "role": "region", "tabindex": "0"})
            box.attrSet("aria-label", f"{label} {boxes[label]}")
            tokens.append(box)
        tokens.append(token)
        if token.type == "table_close" or drawing:
            tokens.append(Token("scroll_close", "div", -1))
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html
