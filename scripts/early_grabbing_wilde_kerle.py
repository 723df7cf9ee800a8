"""Work out what early grabbing pays in Die wilden Fußballkerle, and draw it: docs/early-grabbing.svg.

    python scripts/early_grabbing_wilde_kerle.py [ROUNDS]

Prints the table of docs/early-grabbing.md. So many rounds are dealt for each way to grab (20000 where none are named).
"""

import sys
from pathlib import Path

import matplotlib

import bolzplatz
from bolzplatz.simulate.early import BLIND, Early, early_grabbing
from bolzplatz.simulate.grabbing import Grabbing, value_grabbing
from bolzplatz.simulate.plot import AMBER, CHALK, CORAL, CREAM, INK, PITCH

TARGET = Path(__file__).parent.parent / "docs" / "early-grabbing.svg"
LEVEL = "adult"
PLAYERS = (3, 5)
SEED = 2008


def row(players: int, each: Early, exact: Grabbing) -> str:
    """Return one line of the table."""
    chips_exactly = {**exact.hurry, BLIND: exact.blind}.get(each.hurry, 0.0)
    time = "–" if each.mean_ms is None else f"{each.mean_ms / 1000:.2f} s"
    right = f"{each.right.share:.0%}" if each.right.of else "–"
    chips = f"{each.chips:+.3f} ± {each.reach:.3f}"
    return f"| {players} | {each.hurry} | {time} | {each.took.share:.0%} | {right} | {chips} | {chips_exactly:+.4f} |"


def main() -> None:
    """Work out, print, draw."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print("| Players | Hurry | Mean time | Got a figure | Of these right | Chips a round | Exactly |")
    print("|---|---|---|---|---|---|---|")
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"svg.hashsalt": "bolzplatz", "font.size": 11, "text.color": INK, "axes.edgecolor": INK})
    figure = Figure(figsize=(9, 5), facecolor=CREAM, layout="constrained")
    axes = figure.add_subplot(facecolor=CREAM)
    for players, colour in zip(PLAYERS, (PITCH, CORAL), strict=True):
        game = bolzplatz.load_game("wilde-kerle", players=players)
        found, exact = early_grabbing(game, LEVEL, rounds, SEED), value_grabbing(game, LEVEL)
        print("\n".join(row(players, each, exact) for each in found))
        hurried = [each for each in found if isinstance(each.hurry, int)]
        axes.errorbar(
            [each.mean_ms / 1000 for each in hurried if each.mean_ms is not None],
            [each.chips for each in hurried],
            [each.reach for each in hurried],
            color=colour,
            ecolor=INK,
            marker="o",
            linewidth=3,
            capsize=3,
            label=f"{players} players",
        )
    axes.axhline(0, color=AMBER, linewidth=2)
    axes.invert_xaxis()
    axes.grid(axis="y", color=CHALK)
    axes.set_xlabel("mean time of the hand that hurries (seconds, earlier to the right)")
    axes.set_ylabel("chips a round")
    axes.legend(frameon=False)
    figure.savefig(TARGET, metadata={"Date": None, "Creator": "Bolzplatz"})


if __name__ == "__main__":
    main()
