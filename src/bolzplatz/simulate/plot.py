"""A chart of a simulation, as SVG or PNG: who wins how often, how long matches last, what is scored.

Matplotlib comes with the extra `plot` and is imported only here. The same result gives the same file, byte for byte.
"""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.errors import BolzplatzError
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
FORMATS: Final = (".svg", ".png")
SIZE: Final = (13.0, 8.0)
"""Inches."""
EDGE: Final = 0.45
GAP: Final = 0.3
TITLE: Final = 1.2
"""Inches: around the cards, between them, and for the title."""
MARGINS: Final = (0.75, 0.35, 0.5, 0.62)
SHARE_MARGINS: Final = (1.05, 1.2, 0.5, 0.62)
"""Left, right, bottom and top of a histogram, and of shares, on their card; inches."""
NUMBERS: Final = 0.9
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
}


class PlotError(BolzplatzError):
    """A chart that cannot be drawn; one clear line."""


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


def write_plot(result: SimulationResult, file: str) -> None:
    """Draw a result into an .svg or .png file; raises PlotError."""
    save_chart(lambda: draw_plot(result), file)


def save_chart(draw: Callable[[], "Figure"], file: str) -> None:
    """Write what `draw` returns into an .svg or .png file; raises PlotError."""
    check_plot(file)
    import matplotlib

    kind = Path(file).suffix.lower()[1:]
    with matplotlib.rc_context(_STYLE):
        figure = draw()
        metadata = {"Date": None, "Creator": "Bolzplatz"} if kind == "svg" else {"Software": "Bolzplatz"}
        try:
            figure.savefig(file, format=kind, dpi=PNG_DPI, facecolor=PITCH, metadata=metadata)
        except OSError as fault:
            raise PlotError(f"no chart can be written to {file!r}: {fault.strerror or fault}") from None


def chart_svg(draw: Callable[[], "Figure"]) -> str:
    """Return what `draw` returns as the text of an SVG file; raises PlotError."""
    need_matplotlib()
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context(_STYLE):
        draw().savefig(text, format="svg", facecolor=PITCH, metadata={"Date": None, "Creator": "Bolzplatz"})
    return text.getvalue()


def draw_plot(result: SimulationResult) -> "Figure":
    """Return the chart: paper cards on a pitch, one or two with win shares, one with lengths, one with scores."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, facecolor=PITCH)
    draw_markings(figure)
    against = " against ".join(dict.fromkeys(result.policies))
    setting = shorten(", ".join((against, *result.changed_options)), 60, placeholder=" …")
    many = f"{result.matches:,} matches between computer players, seed {result.seed}; bars show 99 % intervals"
    draw_title(figure, result.title, f"{setting}  ·  {many}")
    shares = _share_cards(result)
    places, lengths_place, scores_place = _layout([len(rows) for _, rows, _ in shares])
    for (title, rows, fair), place in zip(shares, places, strict=True):
        _draw_shares(card(figure, place, title, SHARE_MARGINS), rows, fair)
    _draw_histogram(card(figure, lengths_place, "Moves and throws of a match", MARGINS), {"": result.lengths})
    _draw_histogram(card(figure, scores_place, "Scores at the end", MARGINS), _score_series(result))
    return figure


Place = tuple[float, float, float, float]
"""Left, bottom, width, height; inches."""


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


def draw_title(figure: "Figure", title: str, line: str) -> None:
    """Write what the chart shows on top, and a line of details."""
    top = figure.get_size_inches()[1]
    write_text(figure, EDGE, top - 0.62, title, color=CREAM, fontsize=23, fontweight="bold")
    write_text(figure, EDGE, top - 0.95, line, color=CREAM, fontsize=11.5)


def write_text(figure: "Figure", x: float, y: float, text: str, **how: Any) -> None:
    """Write a text at a place in inches."""
    width, height = figure.get_size_inches()
    figure.text(x / width, y / height, text, **how)


def draw_markings(figure: "Figure") -> None:
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


def card(figure: "Figure", place: Place, title: str, margins: tuple[float, float, float, float]) -> "Axes":
    """Draw a paper card with a title, and return the axes on it; `margins`: left, right, bottom, top, in inches."""
    from matplotlib.patches import FancyBboxPatch

    x, y, width, height = place
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
    write_text(figure, x + 0.22, y + height - 0.36, title, fontsize=13, fontweight="bold", zorder=3)
    west, east, south, north = margins
    across, up = figure.get_size_inches()
    inner = ((x + west) / across, (y + south) / up, (width - west - east) / across, (height - south - north) / up)
    axes = figure.add_axes(inner, zorder=2)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.set_axisbelow(True)
    return axes


def draw_legend(axes: "Axes", columns: int, beyond: float) -> None:
    """Draw the legend on the line of the card's title; `beyond`: how far it reaches past the axes, inches."""
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        bbox_transform=_shifted(axes, axes.transAxes, beyond, 0.22),
        frameon=False,
        ncols=columns,
        fontsize=10,
        borderpad=0,
        borderaxespad=0,
        handlelength=1.2,
        columnspacing=1.2,
    )


def _shifted(axes: "Axes", base: Any, right: float, up: float) -> Any:
    """Return a transform moved by inches."""
    from matplotlib.transforms import ScaledTranslation

    return base + ScaledTranslation(right, up, axes.figure.dpi_scale_trans)


# --- win shares ---------------------------------------------------------------------------------------------------

_Row = tuple[str, Share, float]
"""A label, how often it won, and its fair share."""


def _share_cards(result: SimulationResult) -> list[tuple[str, list[_Row], str]]:
    """Return the cards of shares: title, rows, and what the mark of the fair share means."""
    cards = []
    if len(result.by_policy) > 1:
        policies = [(policy.policy, policy.wins, policy.fair) for policy in result.by_policy]
        cards.append(("Matches won, by policy", policies, "if policies made no difference"))
    kept = len(result.by_policy) > 1 and len(result.seatings) == 1
    seats = [
        (f"seat {seat.seat}" + (f"\n{result.policies[seat.seat]}" if kept else ""), seat.wins, seat.fair)
        for seat in result.seats
    ]
    return [*cards, ("Matches won, by seat", seats, "if seats made no difference")]


def _draw_shares(axes: "Axes", rows: Sequence[_Row], fair: str) -> None:
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
            f"{100 * share.share:.2f} %",
            transform=_shifted(axes, axes.get_yaxis_transform(), NUMBERS, 0),
            ha="right",
            va="center_baseline",
            fontweight="bold",
        )
    axes.set_yticks(range(len(rows)), [label for label, _, _ in rows])
    axes.xaxis.set_major_formatter(lambda tick, _: f"{tick:g} %")
    axes.locator_params(axis="x", nbins=5)
    axes.plot([], [], color=AMBER, linewidth=4, label=fair)
    draw_legend(axes, 1, NUMBERS)


# --- histograms ---------------------------------------------------------------------------------------------------


def _score_series(result: SimulationResult) -> dict[str, Distribution]:
    """Return the scores of each seat, or of all seats as one where they are too many to tell apart."""
    if len(result.seats) <= len(SERIES):
        return {f"seat {seat.seat}": seat.scores for seat in result.seats}
    together: dict[int, int] = {}
    for seat in result.seats:
        for score, count in seat.scores.counts.items():
            together[score] = together.get(score, 0) + count
    return {"": Distribution(together)}


def _draw_histogram(axes: "Axes", series: Mapping[str, Distribution]) -> None:
    """Draw distributions over each other, as shares of their numbers."""
    values = sorted({value for numbers in series.values() for value in numbers.counts})
    if not values:
        return
    axes.grid(axis="y", color=CHALK)
    axes.yaxis.set_major_formatter(lambda tick, _: f"{tick:g} %")
    if len(values) <= FEW_VALUES:
        _draw_bars(axes, series, values)
    else:
        _draw_steps(axes, series, values)
    axes.locator_params(axis="y", nbins=5)
    axes.set_ylim(bottom=0)
    if len(series) > 1:
        draw_legend(axes, len(series), 0.05)


def _draw_bars(axes: "Axes", series: Mapping[str, Distribution], values: Sequence[int]) -> None:
    """Draw a bar for each number, those of several seats side by side."""
    width = 0.8 / len(series)
    for number, (label, numbers) in enumerate(series.items()):
        heights = [100 * numbers.counts.get(value, 0) / max(1, numbers.total) for value in values]
        places = [place - 0.4 + (number + 0.5) * width for place in range(len(values))]
        axes.bar(places, heights, width, color=SERIES[number], edgecolor=INK, linewidth=1, label=label)
    axes.set_xticks(range(len(values)), [f"{value:,}" for value in values])


def _draw_steps(axes: "Axes", series: Mapping[str, Distribution], values: Sequence[int]) -> None:
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
        axes.stairs(bins, edges, color=INK if len(series) == 1 else SERIES[number], linewidth=2, label=label or None)
    if len(series) == 1:
        _mark_mean(axes, next(iter(series.values())))
    axes.set_xlim(first - step, None)
    axes.xaxis.set_major_formatter(lambda tick, _: f"{tick:,.0f}")


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


def _mark_mean(axes: "Axes", numbers: Distribution) -> None:
    """Draw a line at the mean, with room for its number above the bins."""
    axes.set_ylim(top=1.2 * axes.get_ylim()[1])
    axes.axvline(numbers.mean, color=AMBER, linewidth=4, zorder=3)
    axes.annotate(
        f"mean {numbers.mean:,.1f}",
        (numbers.mean, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(7, -2),
        textcoords="offset points",
        va="top",
        fontweight="bold",
    )
