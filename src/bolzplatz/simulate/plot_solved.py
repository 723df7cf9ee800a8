"""Charts of solved games, in the look of `simulate.plot`: best play at a glance, and one match looked at afterwards."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.game import Game
from bolzplatz.games.bar_bolz import ATTACK, GOAL_POINTS
from bolzplatz.games.bar_bolz import NAME as BAR_BOLZ
from bolzplatz.simulate.plot import (
    AMBER,
    CHALK,
    CORAL,
    CREAM,
    EDGE,
    GAP,
    INK,
    PITCH,
    SERIES,
    SIZE,
    TITLE,
    Place,
    PlotError,
    card,
    draw_legend,
    draw_markings,
    draw_title,
    save_chart,
    write_text,
)
from bolzplatz.solve.bar_bolz import Attack, BarBolz
from bolzplatz.solve.coach import Analysis
from bolzplatz.solve.fifty_fifty import FiftyFifty
from bolzplatz.solve.subgames import Figures
from bolzplatz.solve.turn_kernels import FIRST

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

FIFTY_FIFTY: Final = "5050"
MARGINS: Final = (0.8, 0.35, 0.62, 0.62)
MAP_MARGINS: Final = (0.95, 0.3, 0.65, 0.6)
KEY_MARGINS: Final = (0.3, 1.55, 2.3, 1.2)
"""Left, right, bottom and top of a chart, of a map and of its colours on their card; inches."""
MAP_COLUMNS: Final = 2
"""How many maps stand side by side."""
KEY_WIDTH: Final = 2.2
KEY_LETTERS: Final = 24
"""How wide the card of their colours is: inches, and letters of a line on it."""
NEVER: Final = 1e9
COLOUR_STEPS: Final = (400, 500, 700, 1000, 1500, 2000, 3000, 4000)
STOPS: Final = ("#dcebd0", "#ffe08a", AMBER, "#f58a2e", CORAL, "#b83a36", "#6b2b38")
"""Colours from stopping at once to going on for long; none is that of the paper, nor the dark one of the target."""
MOST_SCORES: Final = 50


def write_solved_plot(solution: Figures, file: str) -> None:
    """Draw best play of a solved game into an .svg or .png file; raises PlotError."""
    save_chart(lambda: draw_solved(solution), file)


def is_drawn(game: Game) -> bool:
    """Say whether a chart shows best play of a game."""
    return game.name == BAR_BOLZ or (game.name == FIFTY_FIFTY and game.num_players == 2)


def check_drawn(game: Game) -> None:
    """Raise PlotError for a game that has no chart of best play; to be asked before the long work."""
    if not is_drawn(game):
        seats = f" for {game.num_players}" if game.name == FIFTY_FIFTY else ""
        raise PlotError(f"{game.name}{seats}: no chart shows its best play")


def draw_solved(solution: Figures) -> "Figure":
    """Return the chart of best play; raises PlotError for a game that has none."""
    check_drawn(solution.game)
    if isinstance(solution, FiftyFifty):
        return _draw_thresholds(solution, stop_thresholds(solution))
    assert isinstance(solution, BarBolz)
    return _draw_attacks(solution)


def _new_chart(title: str, line: str, height: float = SIZE[1]) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(SIZE[0], height), facecolor=PITCH)
    draw_markings(figure)
    draw_title(figure, title, line)
    return figure


# --- 5050: when to stop -----------------------------------------------------------------------------------------


def stop_thresholds(solution: FiftyFifty) -> "NDArray[np.float64]":
    """Return from how many points at risk on it is best to stop, (7, scores, scores): dice left, own and other score.

    Scores go up to the target, MOST_SCORES of them or a few more. It is the seat that began which is to move. NEVER
    where throwing on is better up to the target and beyond, and for numbers of dice with which nobody may stop. From
    there on it stays best to stop, but for a few points just short of the target.
    """
    import numpy as np

    unit = solution.turn.unit
    scores = range(0, solution.steps, max(1, solution.steps // MOST_SCORES))
    found = np.full((7, len(scores), len(scores)), NEVER)
    first_stop = -(-_hurdle(solution) // unit)
    columns = classes_of_dice(solution)
    for row, own in enumerate(scores):
        for column, other in enumerate(scores):
            values = solution.turn_values(FIRST, own, other)
            for dice, kind in columns.items():
                stops = values[:, 2 * kind + 1] > values[:, 2 * kind]
                stops[:first_stop] = False
                if stops.any():
                    found[dice, row, column] = int(stops.argmax()) * unit
    return found


def classes_of_dice(solution: FiftyFifty) -> dict[int, int]:
    """Return the class of a throw by somebody who could have stopped, for each number of dice with which one can."""
    enough = {dice: kind for (dice, points, _), kind in solution.turn.class_of.items() if points >= _hurdle(solution)}
    return dict(sorted({**enough, 6: solution.turn.class_of[6, 0, 0]}.items()))


def _hurdle(solution: FiftyFifty) -> int:
    hurdle: int = solution.game.setup.threshold
    return hurdle


def _bounds_of_colours(solution: FiftyFifty, highest: float) -> list[int]:
    """Return from how many points on each colour stands: from the hurdle on, finely first; the last is for all more."""
    first = _hurdle(solution)
    return [first, *(bound for bound in COLOUR_STEPS if first < bound <= highest)]


def goes_for_it(solution: FiftyFifty, thresholds: "NDArray[np.float64]") -> "NDArray[np.bool_]":
    """Return where best play stops only with the target reached, or never, though it could stop before."""
    import numpy as np

    unit = solution.turn.unit
    rows = np.arange(thresholds.shape[1]) * max(1, solution.steps // MOST_SCORES) * unit
    late: NDArray[np.bool_] = thresholds + rows[:, None] >= solution.steps * unit
    return late & (thresholds > -(-_hurdle(solution) // unit) * unit)


def _draw_thresholds(solution: FiftyFifty, thresholds: "NDArray[np.float64]") -> "Figure":
    """Draw a square map for each number of dice that would be thrown next, and beside them what the colours mean."""
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap, ListedColormap
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    kinds, target = list(classes_of_dice(solution)), solution.steps * solution.turn.unit
    wide = (SIZE[0] - 2 * EDGE - MAP_COLUMNS * GAP - KEY_WIDTH) / MAP_COLUMNS
    tall = wide - MAP_MARGINS[0] - MAP_MARGINS[1] + MAP_MARGINS[2] + MAP_MARGINS[3]
    rows = -(-len(kinds) // MAP_COLUMNS)
    whole = rows * (tall + GAP) - GAP
    figure = _new_chart(
        "5050: when to stop",
        "Best play of the seat that began: from how many points at risk on it stops, by both scores and the dice left",
        whole + EDGE + TITLE,
    )
    late = goes_for_it(solution, thresholds)
    bounds = _bounds_of_colours(solution, float(thresholds[(thresholds < NEVER) & ~late].max(initial=0)))
    shades = LinearSegmentedColormap.from_list("stops", STOPS)
    steps: Any = [*(shades(i / max(1, len(bounds) - 1)) for i in range(len(bounds))), INK]
    colours = ListedColormap(steps)
    shown = np.where(late, len(bounds), np.digitize(thresholds, bounds) - 1)
    for number, dice in enumerate(reversed(kinds)):
        row, column = divmod(number, MAP_COLUMNS)
        place = (EDGE + column * (wide + GAP), EDGE + (rows - 1 - row) * (tall + GAP), wide, tall)
        left = "all six dice, anew" if dice == 6 else f"{dice} dice left" if dice > 1 else "1 die left"
        axes = card(figure, place, left, MAP_MARGINS)
        axes.imshow(
            shown[dice].T,
            origin="lower",
            cmap=colours,
            vmin=-0.5,
            vmax=len(bounds) + 0.5,
            interpolation="nearest",
            extent=(0, target, 0, target),
        )
        axes.plot((0, target), (0, target), color=INK, linewidth=1, linestyle=(0, (4, 4)), alpha=0.6)
        for axis, text in ((axes.xaxis, "own points"), (axes.yaxis, "the other’s points")):
            axis.set_major_locator(MaxNLocator(6))
            axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axis.set_label_text(text)
        axes.set(xlim=(0, target), ylim=(0, target))
        for spine in axes.spines.values():
            spine.set_visible(True)
    place = (SIZE[0] - EDGE - KEY_WIDTH, EDGE, KEY_WIDTH, whole)
    _draw_key(figure, place, bounds, steps, _example(solution, thresholds, late))
    return figure


def _draw_key(figure: "Figure", place: Place, bounds: Sequence[int], colours: Any, example: str) -> None:
    """Draw what the colours of the maps mean, and how one place of them reads."""
    axes = card(figure, place, "It stops from", KEY_MARGINS)
    axes.bar([0] * len(colours), 1, bottom=range(len(colours)), width=1, color=colours, edgecolor=INK, linewidth=0.5)
    axes.set(xlim=(-0.5, 0.5), ylim=(0, len(colours)), xticks=[], yticks=[])
    axes.spines["bottom"].set_visible(False)
    for number, bound in enumerate([*(f"{bound:,}" for bound in bounds), "only with\nthe target\nreached"]):
        middle = number == len(bounds)
        axes.annotate(
            bound,
            (0.5, number + 0.5 * middle),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            annotation_clip=False,
        )
    x, y, _, height = place
    write_text(figure, x + 0.22, y + height - 0.68, "… points at risk on", fontsize=11)
    write_text(figure, x + 0.22, y + 0.25, f"- - - level scores\n\n{example}", fontsize=10.5, linespacing=1.35)


def _example(solution: FiftyFifty, thresholds: "NDArray[np.float64]", late: "NDArray[np.bool_]") -> str:
    """Tell in words what the maps say of one place in their middle."""
    unit, step = solution.turn.unit, max(1, solution.steps // MOST_SCORES)
    own, other = (thresholds.shape[1] * share // 5 for share in (2, 3))
    dice = max(each for each in classes_of_dice(solution) if each < 6)
    threshold = f"from {thresholds[dice, own, other]:,.0f} on"
    stops = "only with the target reached" if late[dice, own, other] else threshold
    scores = f"{own * step * unit:,} against {other * step * unit:,}"
    return fill(f"With {scores} and {dice} {'die' if dice == 1 else 'dice'} left it stops {stops}.", KEY_LETTERS)


# --- Bar-Bolz-Bande: an attack ----------------------------------------------------------------------------------


def _draw_attacks(solution: BarBolz) -> "Figure":
    """Draw the chance of a goal over the points of an attack, a line for each number of fouls."""
    attacks = list(solution.attacks.items())
    alike = len({attack.values[0] for _, attack in attacks}) == 1
    shown = attacks[:1] if alike else attacks
    value = solution.facts()["starter"]
    figure = _new_chart(
        "Bar-Bolz-Bande: an attack",
        f"Chance that the attack becomes a goal with best play; the side that begins wins with {100 * value:.2f} %",
    )
    wide = (SIZE[0] - 2 * EDGE - GAP * (len(shown) - 1)) / len(shown)
    for number, (side, attack) in enumerate(shown):
        place = (EDGE + number * (wide + GAP), EDGE, wide, SIZE[1] - EDGE - TITLE)
        title = "Chance of a goal, by points" if alike else f"Chance of a goal, side {'AB'[side]}"
        _draw_attack(card(figure, place, title, MARGINS), attack)
    return figure


def _draw_attack(axes: "Axes", attack: Attack) -> None:
    labels = ("no foul", "warned", "yellow card")
    axes.grid(axis="y", color=CHALK)
    for fouls, label in enumerate(labels):
        points = sorted(p for phase, p, f in attack.nodes if phase == ATTACK and f == fouls)
        heights = [100 * float(attack.values[attack.nodes[ATTACK, p, fouls]]) for p in points]
        axes.plot(
            points, heights, "o-", color=SERIES[fouls], markeredgecolor=INK, linewidth=2.5, markersize=8, label=label
        )
        if fouls == 0:
            for x, y in zip(points, heights, strict=True):
                paper = {"boxstyle": "round,pad=0.12", "facecolor": CREAM, "edgecolor": "none"}
                axes.annotate(
                    f"{y:.1f}", (x, y), (0, 11), textcoords="offset points", ha="center", fontsize=10, bbox=paper
                )
    axes.set_xticks(range(0, GOAL_POINTS, 5))
    axes.set_xlabel("points of the attack")
    axes.yaxis.set_major_formatter(lambda tick, _: f"{tick:g} %")
    axes.set_ylim(bottom=0)
    axes.margins(y=0.12)
    draw_legend(axes, 3, 0.05)


# --- one match --------------------------------------------------------------------------------------------------


def write_match_plot(game: Game, names: Sequence[str], analysis: Analysis, file: str) -> None:
    """Draw the chances to win over a match, and what luck and moves made of them; raises PlotError."""
    save_chart(lambda: _draw_match(game, names, analysis), file)


def _draw_match(game: Game, names: Sequence[str], analysis: Analysis) -> "Figure":
    figure = _new_chart(
        game.spec.title, "Chances to win after every throw and move, if everybody had played on at best"
    )
    tall = SIZE[1] - EDGE - TITLE
    low = 0.6 + 0.55 * min(len(names), 4)
    curve = (EDGE, EDGE + low + GAP, SIZE[0] - 2 * EDGE, tall - low - GAP)
    _draw_curve(card(figure, curve, "Chances to win", MARGINS), names, analysis)
    parts = (EDGE, EDGE, SIZE[0] - 2 * EDGE, low)
    _draw_balance(card(figure, parts, "Luck and moves, in percentage points", (1.6, 0.35, 0.4, 0.55)), names, analysis)
    return figure


def _draw_curve(axes: "Axes", names: Sequence[str], analysis: Analysis) -> None:
    seats = range(1 if len(names) == 2 else len(names))
    axes.grid(axis="y", color=CHALK)
    for seat in seats:
        heights = [100 * analysis.start[seat], *(100 * step.chances[seat] for step in analysis.steps)]
        axes.step(
            range(len(heights)), heights, where="post", color=SERIES[seat % len(SERIES)], linewidth=2, label=names[seat]
        )
    for step in analysis.worst(5):
        height = 100 * step.chances[0]
        axes.plot([step.number - analysis.given], [height], "v", color=CORAL, markeredgecolor=INK, markersize=10)
    axes.axhline(50, color=INK, linewidth=1, linestyle=":")
    axes.set_ylim(-2, 102)
    axes.set_xlim(0, max(1, len(analysis.steps)))
    axes.set_xlabel("throws and moves")
    axes.yaxis.set_major_formatter(lambda tick, _: f"{tick:g} %")
    axes.plot([], [], "v", color=CORAL, markeredgecolor=INK, markersize=9, label="moves that gave away most")
    draw_legend(axes, len(seats) + 1, 0.05)


def _draw_balance(axes: "Axes", names: Sequence[str], analysis: Analysis) -> None:
    """Draw for each seat luck, own moves and the others' moves side by side."""
    kinds: Any = (("luck", AMBER), ("own moves", CORAL), ("others' moves", PITCH))
    axes.grid(axis="x", color=CHALK)
    for number, balance in enumerate(analysis.balances):
        for place, (part, (_, colour)) in enumerate(
            zip((balance.luck, -balance.own_losses, balance.gifts), kinds, strict=True)
        ):
            axes.barh(number + 0.26 * (place - 1), 100 * part, 0.24, color=colour, edgecolor=INK, linewidth=1)
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    for label, colour in kinds:
        axes.barh([0], [0], color=colour, edgecolor=INK, label=label)
    draw_legend(axes, 3, 0.05)
