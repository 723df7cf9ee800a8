"""Charts: paper cards on a pitch, as an SVG or PNG file, or card by card for a page; here that of a simulation.

A `Chart` says what is on its cards; matplotlib, which comes with the extra `plot`, is imported only when one is drawn.
The same numbers give the same file, byte for byte. Texts are those of a `Catalogue`.
"""

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.errors import BolzplatzError
from bolzplatz.core.texts import Catalogue, catalogue
from bolzplatz.simulate.results import SimulationResult
from bolzplatz.simulate.statistics import Distribution, Share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PITCH: Final = "#1E6B3C"
CREAM: Final = "#FFF8E7"
INK: Final = "#16202A"
AMBER: Final = "#F5B301"
CORAL: Final = "#FF6B4A"
CHALK: Final = "#E4DCC6"
"""Lines on cream that only guide the eye."""
SERIES: Final = (PITCH, CORAL, INK, AMBER)
"""Colours of seats side by side; with more seats than these all are drawn as one."""
STROKES: Final = ("-", (0, (5, 2)), (0, (2, 1)), "-.")
"""How their lines are drawn, for those who do not tell the colours apart."""
FORMATS: Final = (".svg", ".png")
SIZE: Final = (13.0, 8.0)
"""Inches."""
EDGE: Final = 0.45
GAP: Final = 0.3
TITLE: Final = 1.2
"""Inches: around the cards, between them, and for the title."""
ALONE: Final = (5.2, 3.4)
"""Inches of a card on a page, where it is as wide as a phone."""
HEADING: Final = 0.26
"""Inches that a card on a page needs less on top: its title is a text of the page."""
MARGINS: Final = (0.95, 0.35, 0.62, 0.62)
"""Left, right, bottom and top of a histogram on its card; inches."""
LETTER: Final = 0.092
"""Inches of a letter of a label."""
TITLE_LETTER: Final = 0.0085
"""Inches of a letter of a title, for each point of its size."""
NUMBERS: Final = 0.95
"""Inches to the right of shares where their numbers end."""
PNG_DPI: Final = 130
MOST_BARS: Final = 48
FEW_VALUES: Final = 12
"""Up to so many different numbers each has a bar of its own."""

_STYLE: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.facecolor": CREAM,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.hashsalt": "bolzplatz",
    "svg.fonttype": "path",
    "hatch.linewidth": 0.8,
}

Place = tuple[float, float, float, float]
"""Left, bottom, width, height; inches."""
Margins = tuple[float, float, float, float]
"""Left, right, bottom, top of the axes on their card; inches."""


class PlotError(BolzplatzError):
    """A chart that cannot be drawn; one clear line."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card of a chart.

    Attributes:
        title: what it shows.
        said: how it is read, in a sentence.
        place: where it lies on the sheet.
        margins: between its edge and its axes.
        draw: draws on the axes.
        alone: how large it is by itself, inches.
        alone_margins: likewise; those of the sheet where None.
        notes: texts that stand on the sheet only, by their place on the card from its left lower corner, inches.
    """

    title: str
    said: str
    place: Place
    margins: Margins
    draw: "Callable[[Axes], None]"
    alone: tuple[float, float] = ALONE
    alone_margins: Margins | None = None
    notes: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A sheet with a title, a line of details, and cards; `height` in inches, as wide as SIZE."""

    title: str
    line: str
    cards: tuple[Card, ...]
    height: float = SIZE[1]


# --- drawing ------------------------------------------------------------------------------------------------------


def check_plot(file: str) -> None:
    """Raise PlotError where a chart cannot be written to that file; to be asked before the long work."""
    path = Path(file)
    if path.suffix.lower() not in FORMATS:
        raise PlotError(f"a chart is written as {' or '.join(FORMATS)}, not as {file!r}")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise PlotError(f"no chart can be written to {file!r}: no such folder, or it is one")
    need_matplotlib()


def need_matplotlib() -> None:
    """Raise PlotError where charts cannot be drawn."""
    if find_spec("matplotlib") is None:
        raise PlotError("charts need matplotlib: install the extra, as in pip install 'bolzplatz[plot]'")


def save_chart(chart: Chart, file: str) -> None:
    """Draw a chart into an .svg or .png file; raises PlotError."""
    check_plot(file)
    import matplotlib

    kind = Path(file).suffix.lower()[1:]
    with matplotlib.rc_context(_STYLE):
        figure = _sheet(chart)
        metadata = {"Date": None, "Creator": "Bolzplatz"} if kind == "svg" else {"Software": "Bolzplatz"}
        try:
            figure.savefig(file, format=kind, dpi=PNG_DPI, facecolor=PITCH, metadata=metadata)
        except OSError as fault:
            raise PlotError(f"no chart can be written to {file!r}: {fault.strerror or fault}") from None


def card_svg(card: Card, name: str, colours: Mapping[str, str]) -> str:
    """Return a card by itself as an SVG element for a page, without its title; raises PlotError.

    Args:
        card: what to draw.
        name: begins all ids in it, so that many cards may stand on a page.
        colours: by which other ones those of this module are drawn, such as variables of the page.
    """
    need_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    text = io.StringIO()
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=card.alone)
        west, east, south, north = card.alone_margins or (*card.margins[:3], card.margins[3] - HEADING)
        wide, tall = card.alone
        inner = (west / wide, south / tall, (wide - west - east) / wide, (tall - south - north) / tall)
        card.draw(_axes(figure, inner))
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": "Bolzplatz"})
    svg = text.getvalue()
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", svg[svg.index("<svg") :])
    for colour, other in colours.items():
        svg = svg.replace(colour.lower(), other)
    return svg


def _sheet(chart: Chart) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(SIZE[0], chart.height), facecolor=PITCH)
    _draw_markings(figure)
    _write(figure, EDGE, chart.height - 0.62, chart.title, color=CREAM, fontsize=23, fontweight="bold")
    _write(figure, EDGE, chart.height - 0.95, chart.line, color=CREAM, fontsize=11.5)
    for card in chart.cards:
        card.draw(_on_paper(figure, card))
    return figure


def _write(figure: "Figure", x: float, y: float, text: str, **how: Any) -> None:
    """Write a text at a place in inches."""
    width, height = figure.get_size_inches()
    figure.text(x / width, y / height, text, **how)


def _draw_markings(figure: "Figure") -> None:
    """Draw half a centre circle behind the title."""
    from matplotlib.patches import Circle

    width, height = figure.get_size_inches()
    for radius, filled in ((1.05, False), (0.07, True)):
        circle = Circle(
            (width - 1.8, height),
            radius,
            transform=figure.dpi_scale_trans,
            fill=filled,
            color=CREAM,
            linewidth=2,
            alpha=0.28,
            zorder=0,
        )
        figure.add_artist(circle)


def _on_paper(figure: "Figure", card: Card) -> "Axes":
    """Draw a card with its title, and return the axes on it."""
    from matplotlib.patches import FancyBboxPatch

    x, y, width, height = card.place
    paper = FancyBboxPatch(
        (x, y),
        width,
        height,
        boxstyle="round,pad=0,rounding_size=0.16",
        transform=figure.dpi_scale_trans,
        facecolor=CREAM,
        edgecolor=INK,
        linewidth=2,
        zorder=1,
    )
    figure.add_artist(paper)
    size = min(13.0, (width - 0.44) / len(card.title) / TITLE_LETTER)
    _write(figure, x + 0.22, y + height - 0.36, card.title, fontsize=size, fontweight="bold", zorder=3)
    for right, up, text in card.notes:
        _write(figure, x + right, y + up, text, fontsize=10.5, linespacing=1.35, zorder=3)
    west, east, south, north = card.margins
    across, up = figure.get_size_inches()
    inner = ((x + west) / across, (y + south) / up, (width - west - east) / across, (height - south - north) / up)
    return _axes(figure, inner)


def _axes(figure: "Figure", inner: Place) -> "Axes":
    axes = figure.add_axes(inner, zorder=2)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.tick_params(axis="x", pad=6)  # apart from what the other axis has at its end
    axes.set_axisbelow(True)
    return axes


def draw_legend(axes: "Axes", columns: int, beyond: float = 0.05) -> None:
    """Draw the legend above the axes; `beyond`: how far it reaches past them, inches."""
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        bbox_transform=_shifted(axes, axes.transAxes, beyond, 0.08),
        frameon=False,
        ncols=columns,
        fontsize=10,
        borderpad=0,
        borderaxespad=0,
        handlelength=1.6,
        columnspacing=1.2,
    )


def write_numbers(axis: Any, t: Catalogue, unit: str = "") -> None:
    """Let an axis have its numbers as the language writes them."""
    from matplotlib.ticker import FuncFormatter

    def written(tick: float, _place: int | None) -> str:
        digits = max(0, len(f"{tick:.6g}".partition(".")[2]))
        return t.number(tick, digits) + unit

    axis.set_major_formatter(FuncFormatter(written))


def _shifted(axes: "Axes", base: Any, right: float, up: float) -> Any:
    """Return a transform moved by inches."""
    from matplotlib.transforms import ScaledTranslation

    return base + ScaledTranslation(right, up, axes.figure.dpi_scale_trans)


def margins_for(labels: Sequence[str], margins: Margins) -> Margins:
    """Return margins with as much room on the left as the longest line of the labels of rows takes."""
    longest = max(len(line) for label in labels for line in label.split("\n"))
    return (0.35 + LETTER * longest, *margins[1:])


# --- a simulation -------------------------------------------------------------------------------------------------


def write_plot(result: SimulationResult, file: str, language: str = "en") -> None:
    """Draw a result into an .svg or .png file; raises PlotError."""
    save_chart(chart_of(result, catalogue(language)), file)


def chart_of(result: SimulationResult, t: Catalogue) -> Chart:
    """Return the chart: one or two cards with win shares, one with lengths, one with scores."""
    players = " – ".join(t(f"level.{policy}") for policy in dict.fromkeys(result.policies))
    setting = shorten(", ".join((players, *result.changed_options)), 60, placeholder=" …")
    many = t("chart.setting", n=t.number(result.matches), seed=result.seed)
    shares = _shares(result, t)
    places, lengths_place, scores_place = _layout([len(rows) for _, rows in shares])
    cards = [
        Card(
            title,
            t("chart.shares_said"),
            place,
            margins_for([label for label, _, _ in rows], (0, NUMBERS + 0.2, 0.5, 0.75)),
            partial(_draw_shares, rows=rows, t=t),
            (ALONE[0], 1.35 + 0.45 * len(rows)),
        )
        for (title, rows), place in zip(shares, places, strict=True)
    ]
    lengths, scores = {"": result.lengths}, _score_series(result, t)
    for key, place, series, what in (
        ("lengths", lengths_place, lengths, "steps"),
        ("scores", scores_place, scores, "score"),
    ):
        said = t("chart.mean_said" if _has_mean(series) else "chart.histogram_said")
        draw = partial(_draw_histogram, series=series, what=t(f"chart.{what}"), t=t)
        cards.append(Card(t(f"chart.{key}"), said, place, MARGINS, draw))
    return Chart(result.title, f"{setting}  ·  {many}", tuple(cards))


def _layout(rows: Sequence[int]) -> tuple[list[Place], Place, Place]:
    """Return the places of the cards with that many rows of shares, of lengths, and of scores.

    One card with few rows lies above the two others; else shares are on the left and the others on the right.
    """
    wide, tall = SIZE[0] - 2 * EDGE, SIZE[1] - EDGE - TITLE
    half = (wide - GAP) / 2
    right = EDGE + half + GAP
    if len(rows) == 1 and rows[0] <= 4:
        high = 1.35 + 0.45 * rows[0]
        low = tall - high - GAP
        return [(EDGE, EDGE + low + GAP, wide, high)], (EDGE, EDGE, half, low), (right, EDGE, half, low)
    free = tall - GAP * (len(rows) - 1)
    top, places = EDGE + tall, []
    for count in rows:
        high = free * (count + 2.2) / (sum(rows) + 2.2 * len(rows))
        places.append((EDGE, top - high, half, high))
        top -= high + GAP
    high = (tall - GAP) / 2
    return places, (right, EDGE + high + GAP, half, high), (right, EDGE, half, high)


# --- win shares ---------------------------------------------------------------------------------------------------

_Row = tuple[str, Share, float]
"""A label, how often it won, and its fair share."""


def _shares(result: SimulationResult, t: Catalogue) -> list[tuple[str, list[_Row]]]:
    """Return what the cards of shares show: title and rows."""
    cards = []
    if len(result.by_policy) > 1:
        policies = [(t(f"level.{policy.policy}"), policy.wins, policy.fair) for policy in result.by_policy]
        cards.append((t("chart.by_policy"), policies))
    kept = len(result.by_policy) > 1 and len(result.seatings) == 1
    seats = [
        (
            t("report.seat", n=seat.seat) + (f"\n{t(f'level.{result.policies[seat.seat]}')}" if kept else ""),
            seat.wins,
            seat.fair,
        )
        for seat in result.seats
    ]
    return [*cards, (t("chart.by_seat"), seats)]


def _draw_shares(axes: "Axes", rows: Sequence[_Row], t: Catalogue) -> None:
    """Draw each share as a dot with its interval, on a scale that fits them all, and a mark where it would be fair."""
    ends = [100 * end for _, share, lot in rows for end in (*share.interval, lot)]
    room = 0.08 * max(max(ends) - min(ends), 0.5)
    axes.set_xlim(min(ends) - room, max(ends) + room)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.grid(axis="x", color=CHALK)
    for y, (_, share, lot) in enumerate(rows):
        least, most = share.interval
        axes.plot([100 * lot] * 2, [y - 0.3, y + 0.3], color=AMBER, linewidth=4, solid_capstyle="round", zorder=2)
        axes.plot([100 * least, 100 * most], [y, y], color=PITCH, linewidth=7, alpha=0.45, zorder=3)
        axes.plot([100 * share.share], [y], "o", color=PITCH, markeredgecolor=INK, markersize=9, zorder=4)
        axes.text(
            1.0,
            y,
            f"{t.number(100 * share.share, 2)} %",
            transform=_shifted(axes, axes.get_yaxis_transform(), NUMBERS, 0),
            ha="right",
            va="center_baseline",
            fontweight="bold",
        )
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    write_numbers(axes.xaxis, t, " %")
    axes.locator_params(axis="x", nbins=4)
    axes.plot([], [], color=PITCH, linewidth=7, alpha=0.45, label=t("report.interval"))
    axes.plot([], [], color=AMBER, linewidth=4, label=t("chart.fair"))
    draw_legend(axes, 2, NUMBERS)


# --- histograms ---------------------------------------------------------------------------------------------------


def _score_series(result: SimulationResult, t: Catalogue) -> dict[str, Distribution]:
    """Return the scores of each seat, or of all seats as one where they are too many to tell apart."""
    if len(result.seats) <= len(SERIES):
        return {t("report.seat", n=seat.seat): seat.scores for seat in result.seats}
    together: dict[int, int] = {}
    for seat in result.seats:
        for score, count in seat.scores.counts.items():
            together[score] = together.get(score, 0) + count
    return {"": Distribution(together)}


def _values(series: Mapping[str, Distribution]) -> list[int]:
    return sorted({value for numbers in series.values() for value in numbers.counts})


def _has_mean(series: Mapping[str, Distribution]) -> bool:
    """Say whether the mean is marked: where there is one distribution of many different numbers."""
    return len(series) == 1 and len(_values(series)) > FEW_VALUES


def _draw_histogram(axes: "Axes", series: Mapping[str, Distribution], what: str, t: Catalogue) -> None:
    """Draw distributions over each other, as shares of their numbers."""
    values = _values(series)
    axes.set_xlabel(what)
    axes.set_ylabel(t("chart.of_matches"))
    if not values:
        return
    axes.grid(axis="y", color=CHALK)
    write_numbers(axes.yaxis, t, " %")
    if len(values) <= FEW_VALUES:
        _draw_bars(axes, series, values, t)
    else:
        _draw_steps(axes, series, values, t)
    axes.locator_params(axis="y", nbins=5)
    axes.set_ylim(bottom=0)
    if len(series) > 1:
        draw_legend(axes, len(series))


def _draw_bars(axes: "Axes", series: Mapping[str, Distribution], values: Sequence[int], t: Catalogue) -> None:
    """Draw a bar for each number, those of several seats side by side."""
    width = 0.8 / len(series)
    for number, (label, numbers) in enumerate(series.items()):
        heights = [100 * numbers.counts.get(value, 0) / max(1, numbers.total) for value in values]
        places = [place - 0.4 + (number + 0.5) * width for place in range(len(values))]
        axes.bar(places, heights, width, color=SERIES[number], edgecolor=INK, linewidth=1, label=label)
    axes.set_xticks(range(len(values)), [t.number(value) for value in values])


def _draw_steps(axes: "Axes", series: Mapping[str, Distribution], values: Sequence[int], t: Catalogue) -> None:
    """Draw the outline of bins of one width, a multiple of the least distance between numbers, and the means."""
    first, step = values[0], math.gcd(*(value - values[0] for value in values))
    per_bin = math.ceil(((_far_end(series) - first) // step + 1) / MOST_BARS)
    width = per_bin * step
    for number, (label, numbers) in enumerate(series.items()):
        bins = [0.0] * ((_far_end(series) - first) // width + 1)
        for value, count in numbers.counts.items():
            place = (value - first) // width
            if place < len(bins):
                bins[place] += 100 * count / numbers.total
        edges = [first + place * width - step / 2 for place in range(len(bins) + 1)]
        if len(series) <= 2:
            axes.stairs(bins, edges, fill=True, color=SERIES[number], alpha=0.85 if len(series) == 1 else 0.25)
        colour = INK if len(series) == 1 else SERIES[number]
        axes.stairs(bins, edges, color=colour, linestyle=STROKES[number], linewidth=2, label=label or None)
    if len(series) == 1:
        _mark_mean(axes, next(iter(series.values())), t)
    axes.set_xlim(first - step, None)
    axes.locator_params(axis="x", nbins=6)
    write_numbers(axes.xaxis, t)


def _far_end(series: Mapping[str, Distribution]) -> int:
    """Return where the drawing stops: beyond it lies less than one in a thousand, which would only flatten the rest."""
    return max(_quantile_999(numbers) for numbers in series.values())


def _quantile_999(numbers: Distribution) -> int:
    left = numbers.total // 1000
    for value in sorted(numbers.counts, reverse=True):
        left -= numbers.counts[value]
        if left < 0:
            return value
    return min(numbers.counts)


def _mark_mean(axes: "Axes", numbers: Distribution, t: Catalogue) -> None:
    """Draw a line at the mean, with room for its number above the bins."""
    axes.set_ylim(top=1.2 * axes.get_ylim()[1])
    axes.axvline(numbers.mean, color=AMBER, linewidth=4, zorder=3)
    axes.annotate(
        t("chart.mean", n=t.number(numbers.mean, 1)),
        (numbers.mean, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(7, -2),
        textcoords="offset points",
        va="top",
        fontweight="bold",
    )
