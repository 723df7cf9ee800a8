"""Charts of solved games, in the look of `simulate.plot`: best play at a glance, and one match looked at afterwards."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.game import Game
from bolzplatz.games.bar_bolz import ATTACK, GOAL_POINTS
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
    PlotError,
    card,
    draw_legend,
    draw_markings,
    draw_title,
    save_chart,
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

MARGINS: Final = (0.8, 0.35, 0.62, 0.62)
MAP_MARGINS: Final = (0.85, 1.05, 0.6, 0.55)
"""Left, right, bottom and top of a chart on its card; inches."""
NEVER: Final = 1e9
COLOUR_STEPS: Final = (400, 500, 700, 1000, 1500, 2000, 3000, 4000)
STOPS: Final = ("#dcebd0", "#ffe08a", AMBER, "#f58a2e", CORAL, "#b83a36", "#6b2b38", INK)
"""Colours from stopping at once to going on for long; none is that of the paper."""
MOST_SCORES: Final = 50


def write_solved_plot(solution: Figures, file: str) -> None:
    """Draw best play of a solved game into an .svg or .png file; raises PlotError."""
    save_chart(lambda: draw_solved(solution), file)


def draw_solved(solution: Figures) -> "Figure":
    """Return the chart of best play; raises PlotError for a game that has none."""
    if isinstance(solution, FiftyFifty):
        return _draw_thresholds(solution, stop_thresholds(solution))
    if isinstance(solution, BarBolz):
        return _draw_attacks(solution)
    raise PlotError(f"{solution.game.name}: no chart shows its best play")


def _new_chart(title: str, line: str) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, facecolor=PITCH)
    draw_markings(figure)
    draw_title(figure, title, line)
    return figure


# --- 5050: when to stop -----------------------------------------------------------------------------------------


def stop_thresholds(solution: FiftyFifty) -> "NDArray[np.float64]":
    """Return from how many points at risk on it is best to stop, (7, scores, scores): dice left, own and other score.

    Scores go up to the target, MOST_SCORES of them or a few more. It is the seat that began which is to move. NEVER
    where throwing on is better up to the target and beyond, and for numbers of dice with which nobody may stop.
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
                # Once it is best to stop it stays so, but for a few points about the target; the last change counts.
                if stops[-1]:
                    going = np.flatnonzero(~stops)
                    found[dice, row, column] = (going[-1] + 1 if len(going) else 0) * unit
    return found


def classes_of_dice(solution: FiftyFifty) -> dict[int, int]:
    """Return the class of a throw by somebody who could have stopped, for each number of dice with which one can."""
    enough = {dice: kind for (dice, points, _), kind in solution.turn.class_of.items() if points >= _hurdle(solution)}
    return dict(sorted({**enough, 6: solution.turn.class_of[6, 0, 0]}.items()))


def _hurdle(solution: FiftyFifty) -> int:
    hurdle: int = solution.game.setup.threshold
    return hurdle


def _steps_of_colour(solution: FiftyFifty, highest: float) -> list[float]:
    """Return where one colour ends and the next begins: from the hurdle on, finely first."""
    first = float(_hurdle(solution))
    return [first, *(bound for bound in COLOUR_STEPS if first < bound < highest), highest + solution.turn.unit]


def _draw_thresholds(solution: FiftyFifty, thresholds: "NDArray[np.float64]") -> "Figure":
    """Draw a map for each number of dice that would be thrown next."""
    from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, ListedColormap

    unit, n = solution.turn.unit, solution.steps
    figure = _new_chart(
        "5050: when to stop",
        "Best play of the seat that began: from how many points at risk on it stops, by both scores and the dice left",
    )
    bounds = _steps_of_colour(solution, float(thresholds[thresholds < NEVER].max()))
    shades = LinearSegmentedColormap.from_list("stops", STOPS)
    colours = ListedColormap([shades(i / max(1, len(bounds) - 2)) for i in range(len(bounds) - 1)])
    colours.set_over(PITCH)
    norm = BoundaryNorm(bounds, len(bounds) - 1)
    kinds = classes_of_dice(solution)
    columns = (len(kinds) + 1) // 2
    wide, tall = (SIZE[0] - 2 * EDGE - (columns - 1) * GAP) / columns, (SIZE[1] - EDGE - TITLE - GAP) / 2
    for number, dice in enumerate(reversed(kinds)):
        row, column = divmod(number, columns)
        place = (EDGE + column * (wide + GAP), EDGE + (1 - row) * (tall + GAP), wide, tall)
        left = "all six dice, anew" if dice == 6 else f"{dice} dice left" if dice > 1 else "1 die left"
        axes = card(figure, place, left, MAP_MARGINS)
        image = axes.imshow(
            thresholds[dice].T,
            origin="lower",
            cmap=colours,
            norm=norm,
            interpolation="nearest",
            extent=(0, n * unit, 0, n * unit),
            aspect="auto",
        )
        axes.locator_params(nbins=5)
        axes.set_xlabel("own points", labelpad=2)
        if column == 0:
            axes.set_ylabel("the other's points", labelpad=2)
        for spine in axes.spines.values():
            spine.set_visible(True)
        bar = figure.colorbar(
            image, cax=axes.inset_axes((1.03, 0.0, 0.04, 1.0)), extend="max", ticks=bounds, spacing="uniform"
        )
        bar.ax.set_yticklabels([*(f"{bound:,.0f}" for bound in bounds[:-1]), "never"], fontsize=9)
    return figure


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
