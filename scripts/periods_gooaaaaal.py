"""Count goals and penalties of GOOAAAAAL! period by period, and draw them: docs/goals-gooaaaaal.svg.

    python scripts/periods_gooaaaaal.py [MATCHES]

Prints the table of docs/goals-gooaaaaal.md: so many matches for each line (500 where none are named).
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib

import bolzplatz
from bolzplatz.simulate.periods import Periods, count_periods
from bolzplatz.simulate.plot import CHALK, CORAL, CREAM, INK, PITCH
from bolzplatz.simulate.statistics import Share

TARGET = Path(__file__).parent.parent / "docs" / "goals-gooaaaaal.svg"
LEVEL = "good"
SEED = 2011
EDITIONS = {"four": PITCH, "nine": CORAL}
MODES = ("five-goals", "match")
SEATS: dict[str, dict[str, Any]] = {"two": {}, "2 against 2": {"teams": "2v2"}, "a ring of 3": {"players": 3}}
MOST_GOALS = 12
HEAD = (
    "Dice", "Mode", "Players", "Goals a period", "Penalties a period", "Penalties scored", "Dead heats",
    "Periods", "Moves and throws", "The first one wins", "Level at the end", "Sudden death",
)  # fmt: skip


def percent(share: Share) -> str:
    """Return a share and half of its 99 % interval."""
    low, high = share.interval
    return f"{100 * share.share:.1f} ± {50 * (high - low):.1f} %"


def row(edition: str, mode: str, seats: str, found: Periods) -> str:
    """Return one line of the table."""
    numbers = [f"{found.goals.mean:.2f}", f"{found.penalties.mean:.2f}", percent(found.scored)]
    numbers += [percent(found.dead_heats), f"{found.periods.mean:.2f}", f"{found.lengths.mean:.0f}"]
    numbers += [percent(found.beginner), percent(found.level), percent(found.sudden)]
    return f"| {' | '.join((edition, mode, seats, *numbers))} |"


def main() -> None:
    """Play, print, draw."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"svg.hashsalt": "bolzplatz", "font.size": 11, "text.color": INK, "axes.edgecolor": INK})
    figure = Figure(figsize=(9, 4.5), facecolor=CREAM, layout="constrained")
    charts = figure.subplots(1, len(MODES), sharey=True)
    for axes, mode in zip(charts, MODES, strict=True):
        axes.set_facecolor(CREAM)
        axes.set_title(mode)
        axes.grid(axis="y", color=CHALK)
        axes.set_axisbelow(True)
        axes.set_xlabel("goals on the lines in a period, both sides together")
        for place, (edition, colour) in enumerate(EDITIONS.items()):
            for seats, options in SEATS.items():
                if options and edition == "nine":
                    continue  # a ring has four dice each, and teams take long
                game = bolzplatz.load_game("gooaaaaal", edition=edition, mode=mode, **options)
                found = count_periods(game, LEVEL, matches, SEED)
                print(row(edition, mode, seats, found), flush=True)
                if not options:
                    heights = [100 * found.goals.counts.get(n, 0) / found.goals.total for n in range(MOST_GOALS + 1)]
                    bars = [n + 0.4 * (place - 0.5) for n in range(MOST_GOALS + 1)]
                    axes.bar(bars, heights, 0.4, color=colour, edgecolor=INK, label=f"{edition} dice each")
    charts[0].set_ylabel("% of the periods")
    charts[0].legend(frameon=False)
    figure.savefig(TARGET, metadata={"Date": None, "Creator": "Bolzplatz"})


if __name__ == "__main__":
    main()
