"""The picture of a symbol of Dribbel-Fieber: what moves in the middle, an arrow for each way.

Ways are written as in editions (docs/edition.md), `F F` for two spaces ahead. A way that may end earlier as well has a
solid line and a head for each end; a way that must be gone whole is dashed until its end.
"""

from collections.abc import Sequence
from math import atan2, degrees
from typing import Any, Final

STEPS: Final = {
    "F": (0, -1), "B": (0, 1), "L": (-1, 0), "R": (1, 0), "FL": (-1, -1), "FR": (1, -1), "BL": (-1, 1), "BR": (1, 1),
}  # fmt: skip
"""Columns to the right and rows down that a step goes on in the drawing: forward is up."""
UNIT: Final = 20
MARGIN: Final = 0.56
"""Space around the outermost end, in steps."""


def picture(ways: Sequence[str], centre: str) -> dict[str, Any]:
    """Return the drawing of a symbol.

    Returns:
        `half`: half the width of the square drawing around 0, 0; `centre`: what moves; `lines`: {d, dashed} of each
        way; `heads`: {x, y, turn} of each arrow head, pointing up before it is turned by degrees.
    """
    reach, lines, heads = 1, [], []
    for way in ways:
        steps = [STEPS[word] for word in way.split()]
        points = [(0, 0)]
        for x, y in steps:
            points.append((points[-1][0] + x, points[-1][1] + y))
        reach = max(reach, *(max(abs(x), abs(y)) for x, y in points))
        through = all(" ".join(way.split()[:n]) in ways for n in range(1, len(steps)))
        path = "M" + "L".join(f"{x * UNIT} {y * UNIT}" for x, y in points)
        lines.append({"d": path, "dashed": len(steps) > 1 and not through})
        x, y = points[-1]
        turn = degrees(atan2(steps[-1][0], -steps[-1][1]))
        heads.append({"x": x * UNIT, "y": y * UNIT, "turn": round(turn)})
    return {"half": round((reach + MARGIN) * UNIT, 1), "centre": centre, "lines": lines, "heads": heads}
