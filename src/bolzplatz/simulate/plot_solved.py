"""Charts of solved games, in the look of `simulate.plot`: best play at a glance, and one match looked at afterwards."""

from collections.abc import Sequence
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.game import Game
from bolzplatz.core.texts import Catalogue, catalogue
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
    STROKES,
    TITLE,
    Card,
    Chart,
    PlotError,
    draw_legend,
    margins_for,
    save_chart,
    write_numbers,
)
from bolzplatz.solve.bar_bolz import Attack, BarBolz
from bolzplatz.solve.coach import Analysis
from bolzplatz.solve.fifty_fifty import FiftyFifty, SolvedTurns
from bolzplatz.solve.fifty_fifty_three import FiftyFiftyThree
from bolzplatz.solve.subgames import Figures
from bolzplatz.solve.turn_kernels import FIRST

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

FIFTY_FIFTY: Final = "5050"
MARGINS: Final = (0.95, 0.35, 0.62, 0.75)
MAP_MARGINS: Final = (0.95, 0.3, 0.65, 0.6)
KEY_MARGINS: Final = (0.3, 1.55, 2.3, 1.2)
KEY_ALONE: Final = (0.3, 3.0, 0.15, 0.6)
"""Left, right, bottom and top of a chart, of a map and of its colours on their card; inches."""
MAP_ALONE: Final = 4.4
"""How wide a map is by itself, and how high: inches."""
MAP_COLUMNS: Final = {2: 2, 3: 3}
"""How many maps stand side by side, by players. With three, a column has one score of the last player."""
THIRD_SCORES: Final = (0.0, 0.4, 0.8)
"""Which scores of the last one of three have maps, as shares of the target."""
KEY_WIDTH: Final = 2.2
KEY_LETTERS: Final = 24
"""How wide the card of their colours is: inches, and letters of a line on it."""
NEVER: Final = 1e9
COLOUR_STEPS: Final = (400, 500, 700, 1000, 1500, 2000, 3000, 4000)
STOPS: Final = ("#dcebd0", "#ffe08a", AMBER, "#f58a2e", CORAL, "#b83a36", "#6b2b38")
"""Colours from stopping at once to going on for long, ever darker; none is that of the paper."""
LATE: Final = "#141c2e"
"""That of stopping with the target reached only."""
MOST_SCORES: Final = 50


def write_solved_plot(solution: Figures, file: str, language: str = "en") -> None:
    """Draw best play of a solved game into an .svg or .png file; raises PlotError."""
    save_chart(chart_of_solved(solution, catalogue(language)), file)


def is_drawn(game: Game) -> bool:
    """Say whether a chart shows best play of a game."""
    return game.name == BAR_BOLZ or (game.name == FIFTY_FIFTY and game.num_players in MAP_COLUMNS)


def check_drawn(game: Game) -> None:
    """Raise PlotError for a game that has no chart of best play; to be asked before the long work."""
    if not is_drawn(game):
        seats = f" for {game.num_players}" if game.name == FIFTY_FIFTY else ""
        raise PlotError(f"{game.name}{seats}: no chart shows its best play")


def chart_of_solved(solution: Figures, t: Catalogue) -> Chart:
    """Return the chart of best play; raises PlotError for a game that has none."""
    check_drawn(solution.game)
    if isinstance(solution, FiftyFifty | FiftyFiftyThree):
        return _stops_chart(solution, t)
    assert isinstance(solution, BarBolz)
    return _attacks_chart(solution, t)


# --- 5050: when to stop -----------------------------------------------------------------------------------------


def stop_thresholds(solution: SolvedTurns, *further: int) -> "NDArray[np.float64]":
    """Return from how many points at risk on it is best to stop, (7, scores, scores): dice left, own and next score.

    Scores go up to the target, MOST_SCORES of them or a few more. It is the seat that began which is to move; `further`
    are the scores, in steps, of the seats after the next one. NEVER where throwing on is better up to the target and
    beyond, and for numbers of dice with which nobody may stop. From there on it stays best to stop, but for a few
    points just short of the target.
    """
    import numpy as np

    unit = solution.turn.unit
    scores = range(0, solution.steps, _stride(solution))
    found = np.full((7, len(scores), len(scores)), NEVER)
    first_stop = -(-_hurdle(solution) // unit)
    columns = classes_of_dice(solution)
    for row, own in enumerate(scores):
        for column, following in enumerate(scores):
            values = solution.turn_values(FIRST, own, following, *further)
            for dice, kind in columns.items():
                stops = values[:, 2 * kind + 1] > values[:, 2 * kind]
                stops[:first_stop] = False
                if stops.any():
                    found[dice, row, column] = int(stops.argmax()) * unit
    return found


def _stride(solution: SolvedTurns) -> int:
    """Return how many steps lie between the scores that have a place on the maps."""
    return max(1, solution.steps // MOST_SCORES)


def classes_of_dice(solution: SolvedTurns) -> dict[int, int]:
    """Return the class of a throw by somebody who could have stopped, for each number of dice with which one can."""
    enough = {dice: kind for (dice, points, _), kind in solution.turn.class_of.items() if points >= _hurdle(solution)}
    return dict(sorted({**enough, 6: solution.turn.class_of[6, 0, 0]}.items()))


def _hurdle(solution: SolvedTurns) -> int:
    hurdle: int = solution.game.setup.threshold
    return hurdle


def _bounds_of_colours(solution: SolvedTurns, highest: float) -> list[int]:
    """Return from how many points on each colour stands: from the hurdle on, finely first; the last is for all more."""
    first = _hurdle(solution)
    return [first, *(bound for bound in COLOUR_STEPS if first < bound <= highest)]


def goes_for_it(solution: SolvedTurns, thresholds: "NDArray[np.float64]") -> "NDArray[np.bool_]":
    """Return where best play stops only with the target reached, or never, though it could stop before."""
    import numpy as np

    unit = solution.turn.unit
    rows = np.arange(thresholds.shape[1]) * _stride(solution) * unit
    late: NDArray[np.bool_] = thresholds + rows[:, None] >= solution.steps * unit
    return late & (thresholds > -(-_hurdle(solution) // unit) * unit)


def _stops_chart(solution: FiftyFifty | FiftyFiftyThree, t: Catalogue) -> Chart:
    """Return a chart of square maps, one for each number of dice that would be thrown next, and what colours mean.

    With three players there are as many for each of some scores of the last one.
    """
    import numpy as np

    three = solution.game.num_players == 3
    kinds, columns = list(reversed(classes_of_dice(solution))), MAP_COLUMNS[solution.game.num_players]
    thirds = [(int(share * solution.steps),) for share in THIRD_SCORES] if three else [()]
    thresholds = np.stack([stop_thresholds(solution, *third) for third in thirds])
    late = np.stack([goes_for_it(solution, each) for each in thresholds])
    bounds = _bounds_of_colours(solution, float(thresholds[(thresholds < NEVER) & ~late].max(initial=0)))
    shown = np.where(late, len(bounds), np.digitize(thresholds, bounds) - 1)
    maps = [(dice, number) for dice in kinds for number in range(len(thirds))]
    wide = (SIZE[0] - 2 * EDGE - columns * GAP - KEY_WIDTH) / columns
    square = sum(MAP_MARGINS[2:]) - sum(MAP_MARGINS[:2])
    rows = -(-len(maps) // columns)
    whole = rows * (wide + square + GAP) - GAP
    cards = [_key_card(whole, bounds, _example(solution, t, thresholds[0], late[0], thirds[0]), t)]
    for place, (dice, number) in enumerate(maps):
        row, column = divmod(place, columns)
        left, third = _left(t, dice), thirds[number]
        cards.append(
            Card(
                t("chart.stop.last", left=left, points=_points(solution, third[0], t)) if third else left,
                _example(solution, t, thresholds[number], late[number], third, dice),
                (EDGE + column * (wide + GAP), EDGE + (rows - 1 - row) * (wide + square + GAP), wide, wide + square),
                MAP_MARGINS,
                partial(_draw_map, colours=shown[number, dice], bounds=bounds, solution=solution, t=t),
                (MAP_ALONE, MAP_ALONE + square - 0.3),
                (*MAP_MARGINS[:3], MAP_MARGINS[3] - 0.3),
            )
        )
    line = t("chart.stop.line_three" if three else "chart.stop.line")
    return Chart(t("chart.stop.title"), line, tuple(cards), whole + EDGE + TITLE)


def _left(t: Catalogue, dice: int) -> str:
    return t("chart.stop.six") if dice == 6 else t("chart.stop.dice", n=dice) if dice > 1 else t("chart.stop.die")


def _points(solution: SolvedTurns, steps: int, t: Catalogue) -> str:
    return t.number(steps * solution.turn.unit)


def _shades(bounds: Sequence[int]) -> list[Any]:
    """Return the colours of the maps: one for each bound, and that of stopping with the target reached only."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("stops", STOPS)
    return [*(shades(i / max(1, len(bounds) - 1)) for i in range(len(bounds))), LATE]


def _draw_map(
    axes: "Axes", colours: "NDArray[np.int64]", bounds: Sequence[int], solution: SolvedTurns, t: Catalogue
) -> None:
    """Draw a map: own points to the right, the next player's upwards."""
    from matplotlib.colors import ListedColormap
    from matplotlib.ticker import MaxNLocator

    target = solution.steps * solution.turn.unit
    axes.imshow(
        colours.T,
        origin="lower",
        cmap=ListedColormap(_shades(bounds)),
        vmin=-0.5,
        vmax=len(bounds) + 0.5,
        interpolation="nearest",
        extent=(0, target, 0, target),
    )
    # Dashes of ink between those of paper, so that they are seen on all colours.
    axes.plot((0, target), (0, target), color=CREAM, linewidth=1, alpha=0.5)
    axes.plot((0, target), (0, target), color=INK, linewidth=1, linestyle=(0, (4, 4)), alpha=0.6)
    other = t("chart.stop.other" if solution.game.num_players == 2 else "chart.stop.next")
    for axis, text in ((axes.xaxis, t("chart.stop.own")), (axes.yaxis, other)):
        axis.set_major_locator(MaxNLocator(4))
        write_numbers(axis, t)
        axis.set_label_text(text)
    axes.set(xlim=(0, target), ylim=(0, target))
    for spine in axes.spines.values():
        spine.set_visible(True)


def _key_card(whole: float, bounds: Sequence[int], example: str, t: Catalogue) -> Card:
    """Return the card of what the colours of the maps mean, with how one place of them reads."""
    place = (SIZE[0] - EDGE - KEY_WIDTH, EDGE, KEY_WIDTH, whole)
    more, told = t("chart.stop.key_more"), fill(example, KEY_LETTERS)
    notes = ((0.22, whole - 0.68, more), (0.22, 0.25, f"{t('chart.stop.level')}\n\n{told}"))
    title, said, draw = t("chart.stop.key"), t("chart.stop.key_said"), partial(_draw_key, bounds=bounds, t=t)
    return Card(title, said, place, KEY_MARGINS, draw, (MAP_ALONE, 3.4), KEY_ALONE, notes)


def _draw_key(axes: "Axes", bounds: Sequence[int], t: Catalogue) -> None:
    """Draw the colours of the maps with their bounds."""
    colours = _shades(bounds)
    axes.bar([0] * len(colours), 1, bottom=range(len(colours)), width=1, color=colours, edgecolor=INK, linewidth=0.5)
    axes.set(xlim=(-0.5, 0.5), ylim=(0, len(colours)), xticks=[], yticks=[])
    axes.spines["bottom"].set_visible(False)
    for number, bound in enumerate([*(t.number(bound) for bound in bounds), t("chart.stop.late")]):
        axes.annotate(
            bound,
            (0.5, number),
            xytext=(8, 5 if number == len(bounds) else 0),
            textcoords="offset points",
            va="bottom" if number == len(bounds) else "center",
            annotation_clip=False,
        )


def _example(
    solution: SolvedTurns,
    t: Catalogue,
    thresholds: "NDArray[np.float64]",
    late: "NDArray[np.bool_]",
    third: tuple[int, ...],
    dice: int | None = None,
) -> str:
    """Tell in words what a map says of one place in its middle: that of most dice but all six, where none is named."""
    own, other = (thresholds.shape[1] * share // 5 for share in (2, 3))
    left = max(each for each in classes_of_dice(solution) if each < 6) if dice is None else dice
    scores = {
        "own": own * _stride(solution),
        "other": other * _stride(solution),
        **({"third": third[0]} if third else {}),
    }
    example = "example" + ("_three" if third else "") + ("_late" if late[left, own, other] else "")
    if third:
        scores["third"] = third[0]
    places = {name: _points(solution, steps, t) for name, steps in scores.items()}
    return t(f"chart.stop.{example}", left=_left(t, left), points=t.number(thresholds[left, own, other]), **places)


# --- Bar-Bolz-Bande: an attack ----------------------------------------------------------------------------------


def _attacks_chart(solution: BarBolz, t: Catalogue) -> Chart:
    """Return the chart of the chance of a goal over the points of an attack, a line for each number of fouls."""
    attacks = list(solution.attacks.items())
    alike = len({attack.values[0] for _, attack in attacks}) == 1
    shown = attacks[:1] if alike else attacks
    line = t("chart.attack.line", share=t.number(100 * solution.facts()["starter"], 2))
    wide = (SIZE[0] - 2 * EDGE - GAP * (len(shown) - 1)) / len(shown)
    cards = [
        Card(
            t("chart.attack.both") if alike else t("chart.attack.side", side="AB"[side]),
            t("chart.attack.said"),
            (EDGE + number * (wide + GAP), EDGE, wide, SIZE[1] - EDGE - TITLE),
            MARGINS,
            partial(_draw_attack, attack=attack, t=t),
        )
        for number, (side, attack) in enumerate(shown)
    ]
    return Chart(t("chart.attack.title"), line, tuple(cards))


def _draw_attack(axes: "Axes", attack: Attack, t: Catalogue) -> None:
    axes.grid(axis="y", color=CHALK)
    for fouls, name in enumerate(("none", "warned", "yellow")):
        points = sorted(p for phase, p, f in attack.nodes if phase == ATTACK and f == fouls)
        heights = [100 * float(attack.values[attack.nodes[ATTACK, p, fouls]]) for p in points]
        axes.plot(
            points,
            heights,
            "os^"[fouls],
            linestyle=STROKES[fouls],
            color=SERIES[fouls],
            markeredgecolor=INK,
            linewidth=2.5,
            markersize=8,
            label=t(f"chart.attack.{name}"),
        )
        if fouls == 0:
            for x, y in zip(points, heights, strict=True):
                paper = {"boxstyle": "round,pad=0.12", "facecolor": CREAM, "edgecolor": "none"}
                axes.annotate(
                    t.number(y, 1), (x, y), (0, 11), textcoords="offset points", ha="center", fontsize=10, bbox=paper
                )
    axes.set_xticks(range(0, GOAL_POINTS, 5))
    axes.set_xlabel(t("chart.attack.points"))
    axes.set_ylabel(t("chart.attack.goal"))
    write_numbers(axes.yaxis, t, " %")
    axes.set_ylim(0, 1.2 * axes.dataLim.ymax)  # with room for the numbers
    draw_legend(axes, 3)


# --- one match --------------------------------------------------------------------------------------------------


def write_match_plot(game: Game, names: Sequence[str], analysis: Analysis, file: str, language: str = "en") -> None:
    """Draw the chances to win over a match, and what luck and moves made of them; raises PlotError."""
    save_chart(_match_chart(game, names, analysis, catalogue(language)), file)


def _match_chart(game: Game, names: Sequence[str], analysis: Analysis, t: Catalogue) -> Chart:
    tall = SIZE[1] - EDGE - TITLE
    low = 0.75 + 0.55 * min(len(names), 4)
    wide = SIZE[0] - 2 * EDGE
    cards = (
        Card(
            t("chart.match.curve"),
            t("chart.match.curve_said"),
            (EDGE, EDGE + low + GAP, wide, tall - low - GAP),
            MARGINS,
            partial(_draw_curve, names=names, analysis=analysis, t=t),
        ),
        Card(
            t("chart.match.balance"),
            t("chart.match.balance_said"),
            (EDGE, EDGE, wide, low),
            margins_for(names, (0, 0.35, 0.4, 0.7)),
            partial(_draw_balance, names=names, analysis=analysis, t=t),
        ),
    )
    return Chart(game.spec.title, t("chart.match.line"), cards)


def _draw_curve(axes: "Axes", names: Sequence[str], analysis: Analysis, t: Catalogue) -> None:
    seats = range(1 if len(names) == 2 else len(names))
    axes.grid(axis="y", color=CHALK)
    for seat in seats:
        heights = [100 * analysis.start[seat], *(100 * step.chances[seat] for step in analysis.steps)]
        axes.step(
            range(len(heights)),
            heights,
            where="post",
            color=SERIES[seat % len(SERIES)],
            linestyle=STROKES[seat % len(STROKES)],
            linewidth=2,
            label=names[seat],
        )
    for step in analysis.worst(5):
        height = 100 * step.chances[0]
        axes.plot([step.number - analysis.given], [height], "v", color=CORAL, markeredgecolor=INK, markersize=10)
    axes.axhline(50, color=INK, linewidth=1, linestyle=":")
    axes.set_ylim(-2, 102)
    axes.set_xlim(0, max(1, len(analysis.steps)))
    axes.set_xlabel(t("chart.match.steps"))
    write_numbers(axes.xaxis, t)
    write_numbers(axes.yaxis, t, " %")
    axes.plot([], [], "v", color=CORAL, markeredgecolor=INK, markersize=9, label=t("chart.match.worst"))
    draw_legend(axes, len(seats) + 1)


def _draw_balance(axes: "Axes", names: Sequence[str], analysis: Analysis, t: Catalogue) -> None:
    """Draw for each seat luck, own moves and the others' moves side by side."""
    kinds: Any = (("luck", AMBER, ""), ("own", CORAL, "///"), ("others", PITCH, ""))
    axes.grid(axis="x", color=CHALK)
    for number, balance in enumerate(analysis.balances):
        parts = (balance.luck, -balance.own_losses, balance.gifts)
        for place, (part, (_, colour, hatch)) in enumerate(zip(parts, kinds, strict=True)):
            axes.barh(
                number + 0.26 * (place - 1), 100 * part, 0.24, color=colour, hatch=hatch, edgecolor=INK, linewidth=1
            )
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    write_numbers(axes.xaxis, t)
    for name, colour, hatch in kinds:
        axes.barh([0], [0], color=colour, hatch=hatch, edgecolor=INK, label=t(f"chart.match.{name}"))
    draw_legend(axes, 3)
