"""A page of the table taken apart: its SVG drawings with their colours, put down anywhere on one large SVG.

The page is HTML that a browser lays out. A picture needs no browser: `Page` reads the same HTML, the same drawings and
the same style sheets, and what is picked by a selector is drawn at a place that the caller names. Styles are worked out
here and written into each element, so that any SVG library can show the result.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, NamedTuple

from bolzplatz.web.language import Catalogue
from bolzplatz.web.templating import fill

STYLES: Final = Path(__file__).parent.parent / "static" / "css"
FAMILY: Final = "Roboto Condensed"
"""The one family of the pictures, the second of the page's headlines; its file lies beside this module."""
FONT: Final = Path(__file__).parent / "RobotoCondensed-Bold.ttf"

_VOID: Final = ("input", "br", "meta", "link", "img", "hr")
_CASED: Final = {"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio", "clippath": "clipPath"}
"""SVG's names that an HTML parser has written small."""
_PAINTED: Final = (
    "fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "opacity", "paint-order",
    "text-anchor", "visibility", "font-size",
)  # fmt: skip
_INHERITED: Final = {*_PAINTED, "color"} - {"opacity"}
_KEPT: Final = (
    "x", "y", "width", "height", "viewBox", "preserveAspectRatio", "d", "cx", "cy", "r", "rx", "ry", "x1", "x2", "y1",
    "y2", "points", "transform", "clip-path", *_PAINTED,
)  # fmt: skip
_VARIABLE: Final = re.compile(r"var\((--[\w-]+)(?:,\s*([^()]*))?\)")
_MIXED: Final = re.compile(r"color-mix\(in srgb, #(\w\w)(\w\w)(\w\w) (\d+)%, transparent\)")
_SPACED: Final = re.compile(r"rgb\((\d+) (\d+) (\d+) / (\d+)%\)")
_SHADOW: Final = re.compile(r"(-?[\d.]+)(?:px)? (-?[\d.]+)(?:px)? 0(?:px)? ([^,]+?)\)?$")
_STEP: Final = re.compile(r"(translate|rotate|scale)\(([^)]*)\)")

Styles = dict[str, str]


class Rect(NamedTuple):
    """A place on the picture."""

    x: float
    y: float
    width: float
    height: float


class _Reader(HTMLParser):
    """Builds a tree of a page that our own templates made: what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.root = ET.Element("html")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {_CASED.get(name, name): value or "" for name, value in attrs}
        made = ET.SubElement(self._open[-1], _CASED.get(tag, tag), named)
        if tag not in _VOID:
            self._open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, _tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        last = self._open[-1]
        if len(last):
            last[-1].tail = (last[-1].tail or "") + data
        else:
            last.text = (last.text or "") + data


@cache
def _rules(game: str) -> Any:
    """Return the matcher of the page's style sheets; rules for wide screens, small ones and motion are left out."""
    import cssselect2
    import tinycss2

    matcher = cssselect2.Matcher()
    for name in ("base", "table", game):
        text = (STYLES / f"{name}.css").read_text(encoding="utf-8")
        for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
            if rule.type != "qualified-rule":
                continue
            told: Styles = {}
            for each in tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True):
                if each.type == "declaration":
                    told[each.name] = tinycss2.serialize(each.value).strip()
            try:
                selectors = cssselect2.compile_selector_list(rule.prelude)
            except cssselect2.SelectorError:  # of what only a browser has, such as a dialog's backdrop
                continue
            for selector in selectors:
                if selector.pseudo_element is None:
                    matcher.add_selector(selector, told)
    return matcher


class Page:
    """One page, and the picture that is put together from its pieces.

    Args:
        game: whose style sheet it has.
        html: the element `#table`.
        t: the words of its language, for letters on cards.
        size: width and height of the picture.
    """

    def __init__(self, game: str, html: str, t: Catalogue, size: tuple[int, int]) -> None:
        import cssselect2

        reader = _Reader()
        drawings = ["sprite.svg", *(["games/wilde-kerle.svg"] if game == "wilde-kerle" else [])]
        reader.feed(f'<body data-theme="day">{"".join(fill(name, t=t) for name in drawings)}{html}</body>')
        reader.close()
        self._root = cssselect2.ElementWrapper.from_html_root(reader.root)
        self._rules = _rules(game)
        self._styles: dict[ET.Element, Styles] = {}
        self._symbols = {each.etree_element.get("id"): each for each in self._root.query_all("symbol")}
        width, height = size
        self.picture = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}"})
        self._filters: dict[str, str] = {}

    # --- what the page says -----------------------------------------------------------------------------------

    def all(self, selector: str) -> list[Any]:
        """Return what a selector picks, in the order of the page."""
        return list(self._root.query_all(selector))

    def one(self, selector: str) -> Any:
        """Return the first that a selector picks, or None."""
        return self._root.query(selector)

    def style(self, piece: Any) -> Styles:
        """Return the styles of an element, inherited ones and variables filled in."""
        known = self._styles.get(piece.etree_element)
        if known is None:
            above = self.style(piece.parent) if piece.parent is not None else {}
            known = self._styles[piece.etree_element] = self._resolve(piece, above)
        return known

    def _resolve(self, piece: Any, above: Mapping[str, str]) -> Styles:
        found = {name: value for name, value in above.items() if name in _INHERITED or name.startswith("--")}
        own: Styles = {}
        for _specificity, _order, _pseudo, told in self._rules.match(piece):
            own.update(told)
        found.update({name: value for name, value in own.items() if name.startswith("--")})
        for name, value in own.items():
            if not name.startswith("--"):
                found[name] = above.get(name, "") if value == "inherit" else _plain(value, found)
        if "font" in own and (size := re.search(r"(\d+(?:\.\d+)?)px", found["font"])):
            found["font-size"] = f"{size[1]}"
        return found

    @staticmethod
    def words(piece: Any) -> str:
        """Return what an element says, without what only a screen reader reads."""
        return " ".join("".join(_said(piece.etree_element)).split())

    # --- what is put down -------------------------------------------------------------------------------------

    def put(self, piece: Any, place: Rect, turn: str = "", shadow: bool = True) -> None:
        """Draw an SVG element of the page into a place, turned as the page turns `turn`'s element (`transform`)."""
        styles = self.style(piece)
        into = self.picture
        if turn:
            into = ET.SubElement(into, "g", {"transform": _about(turn, place)})
        if shadow and (filter_id := self._filter(styles.get("filter", ""))):
            into = ET.SubElement(into, "g", {"filter": f"url(#{filter_id})"})
        frame = {name: f"{value:g}" for name, value in place._asdict().items()}
        drawn = self._drawn(piece, styles)
        drawn.attrib.update(frame)
        into.append(drawn)

    def box(self, piece: Any, place: Rect, radius: float | None = None) -> None:
        """Draw the ground, the border and the hard shadow of an HTML element."""
        styles = self.style(piece)
        round_ = radius if radius is not None else _number(styles.get("border-radius", "0"))
        shadow = _SHADOW.search(styles.get("box-shadow", ""))
        if shadow and "inset" not in styles["box-shadow"]:
            moved = place._replace(x=place.x + float(shadow[1]), y=place.y + float(shadow[2]))
            self.rect(moved, shadow[3], radius=round_)
        words = styles.get("border", "0").split(None, 2)
        width = _number(styles.get("border-width", words[0]))
        edge = styles.get("border-color", words[2] if len(words) == 3 else "none")
        ground = styles.get("background", styles.get("background-color", "none"))
        dashes = "8 6" if len(words) > 1 and words[1] == "dashed" else ""
        inner = Rect(place.x + width / 2, place.y + width / 2, place.width - width, place.height - width)
        self.rect(inner, "none" if "gradient" in ground else ground, edge, width, round_, dashes)

    def rect(
        self, place: Rect, ground: str, edge: str = "none", width: float = 0, radius: float = 0, dashes: str = ""
    ) -> None:
        """Draw a rectangle."""
        told = {name: f"{value:g}" for name, value in place._asdict().items()}
        told |= {"fill": ground, "stroke": edge, "stroke-width": f"{width:g}", "rx": f"{radius:g}"}
        ET.SubElement(self.picture, "rect", told | ({"stroke-dasharray": dashes} if dashes else {}))

    def path(self, d: str, **paint: str) -> None:
        """Draw a path."""
        ET.SubElement(self.picture, "path", {"d": d} | {name.replace("_", "-"): value for name, value in paint.items()})

    def text(self, said: str, x: float, y: float, size: float, colour: str, anchor: str = "middle") -> None:
        """Write words, the baseline at y."""
        told = {"x": f"{x:g}", "y": f"{y:g}", "font-size": f"{size:g}", "fill": colour, "text-anchor": anchor}
        ET.SubElement(self.picture, "text", told | {"font-family": FAMILY, "font-weight": "700"}).text = said

    def say(self, piece: Any, x: float, y: float, size: float, anchor: str = "middle") -> None:
        """Write what an element says in its own colour."""
        self.text(self.words(piece), x, y, size, self.style(piece).get("color", "#000"), anchor)

    def svg(self) -> str:
        """Return the whole picture."""
        return ET.tostring(self.picture, encoding="unicode")

    def _filter(self, told: str) -> str:
        """Return the id of a filter for the hard shadow that a style asks for, none where it asks for none."""
        found = _SHADOW.search(told.removeprefix("drop-shadow(")) if told.startswith("drop-shadow(") else None
        if found is None:
            return ""
        if told not in self._filters:
            self._filters[told] = f"shadow-{len(self._filters)}"
            room = {"x": "-20%", "y": "-20%", "width": "150%", "height": "150%"}
            made = ET.Element("filter", {"id": self._filters[told]} | room)
            ET.SubElement(
                made, "feDropShadow", {"dx": found[1], "dy": found[2], "stdDeviation": "0", "flood-color": found[3]}
            )
            self.picture.insert(0, made)
        return self._filters[told]

    def _drawn(self, piece: Any, styles: Mapping[str, str]) -> ET.Element:
        """Return an SVG element with its styles written into it, and all that it shows in place."""
        source = piece.etree_element
        if source.tag == "use":
            return self._used(source, styles)
        kept = {name: value for name, value in source.attrib.items() if name in _KEPT}
        if source.tag == "clipPath":
            kept["id"] = source.get("id", "")
        kept |= {name: _paint(styles[name], styles) for name in _PAINTED if name in styles}
        if source.tag == "svg":
            kept["overflow"] = "visible"
        if source.tag == "text":
            kept |= {"font-family": FAMILY, "font-weight": "700"}
        made = ET.Element(source.tag, kept)
        made.text = (source.text or "").strip()
        self._fill(made, piece, styles)
        return made

    def _used(self, source: ET.Element, styles: Mapping[str, str]) -> ET.Element:
        """Return the drawing that a `use` stands for; what it inherits comes from where it is used."""
        symbol = self._symbols[source.get("href", "#").removeprefix("#")]
        kept = {name: value for name, value in source.attrib.items() if name in _KEPT}
        kept["viewBox"] = symbol.etree_element.get("viewBox", "")
        made = ET.Element("svg", kept | {"overflow": "visible"})
        self._fill(made, symbol, self._resolve(symbol, styles))
        return made

    def _fill(self, made: ET.Element, piece: Any, styles: Mapping[str, str]) -> None:
        for child in piece.iter_children():
            below = self._resolve(child, styles)
            if below.get("display") != "none":
                made.append(self._drawn(child, below))


def _said(element: ET.Element) -> Iterator[str]:
    if "hidden" in element.get("class", "").split() or element.tag == "svg":
        return
    yield element.text or ""
    for child in element:
        yield from _said(child)
        yield child.tail or ""


def _plain(value: str, variables: Mapping[str, str]) -> str:
    """Return a value without variables and without ways to write colours that SVG does not know."""
    while found := _VARIABLE.search(value):
        value = value.replace(found[0], variables.get(found[1], found[2] or "0"))
    value = _MIXED.sub(
        lambda m: "rgba({},{},{},{})".format(*(int(m[i], 16) for i in (1, 2, 3)), int(m[4]) / 100), value
    )
    return _SPACED.sub(lambda m: f"rgba({m[1]},{m[2]},{m[3]},{int(m[4]) / 100})", value)


def _paint(value: str, styles: Mapping[str, str]) -> str:
    return styles.get("color", "#000") if value == "currentColor" else value


def _number(text: str) -> float:
    found = re.match(r"-?[\d.]+", text)
    return float(found[0]) if found else 0.0


def _about(turn: str, place: Rect) -> str:
    """Return a CSS transform as SVG's, about the middle of a place."""
    x, y = place.x + place.width / 2, place.y + place.height / 2
    numbers = [(name, [f"{_number(part):g}" for part in parts.split(",")]) for name, parts in _STEP.findall(turn)]
    steps = [f"{name}({' '.join(each)})" for name, each in numbers]
    return " ".join([f"translate({x:g} {y:g})", *steps, f"translate({-x:g} {-y:g})"])
