"""A match looked at afterwards, in words and as a curve: chances to win, luck and moves apart, the costliest moves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from bolzplatz.core.errors import RecordError
from bolzplatz.core.game import Game
from bolzplatz.core.record import Record, load_recorded_game, read_record
from bolzplatz.games import load_game
from bolzplatz.solve import SolveError, solve
from bolzplatz.solve.coach import Analysis, Balance, Step
from bolzplatz.table.afterwards import look_at
from bolzplatz.table.frames import Frame
from bolzplatz.web.language import Catalogue
from bolzplatz.web.render.around import look_of
from bolzplatz.web.render.coach import label
from bolzplatz.web.workshop import BUSY, READY, WAITING, Workshop

KEPT: Final = 32
"""Matches that are kept as taken apart."""
WORST: Final = 5
"""Moves that are listed."""
WIDE: Final = 1000
TALL: Final = 1000
"""Units of the curve's picture; the page stretches it."""
EDGE: Final = 0.06
"""How near the edge of the picture a mark may stand, as a part of its width and height."""
FELT: Final = 0.0005
"""Luck below this is none that anybody would notice."""


@dataclass(frozen=True, slots=True)
class Played:
    """What decides how a match is taken apart."""

    game: Game
    moves: tuple[str, ...]
    given: int


def _look(played: Played) -> Analysis | str:
    """Take a match apart; say why where best play is not known."""
    game = played.game
    record = Record(game.name, game.rules_version, {}, (), "", "", played.moves, given=played.given)
    try:
        return look_at(game, record, lambda each: solve(each, workers=1))
    except (SolveError, RecordError) as fault:
        return str(fault)


WORKSHOP: Final = Workshop[Played, Analysis | str](lambda played: _look(played), KEPT)


@dataclass(frozen=True, slots=True)
class Looked:
    """A match and what became of looking at it.

    Attributes:
        state: READY, or one of the others of `web.workshop`.
        moves: how many entries its history has.
        analysis: where best play is known.
        begun: how many of the first moves were given: the match was played on from there.
    """

    state: str
    moves: int
    analysis: Analysis | None = None
    begun: int = 0

    @property
    def worst(self) -> list[Step]:
        """The moves that gave away most."""
        return [] if self.analysis is None else self.analysis.worst(WORST)


def look_back(text: str) -> Looked:
    """Look at a match by its record; for a thread. Raises RecordError where this version cannot play it."""
    record = read_record(text.encode())
    played = Played(load_recorded_game(record, load_game), record.moves, record.given)
    found = WORKSHOP.ask(played)
    if isinstance(found, Analysis):
        return Looked(READY, len(record.moves), found, record.given)
    return Looked(found if found in (WAITING, BUSY) else READY, len(record.moves), None, record.given)


# --- the page -----------------------------------------------------------------------------------------------------


def told(looked: Looked, makes: Sequence[Callable[[], Frame]], end: Frame, t: Catalogue) -> dict[str, Any]:
    """Return what the page shows.

    Args:
        looked: the match.
        makes: for each of its worst moves what makes the frame of the position before it.
        end: the frame of its end, of which names and shirts are shown.
        t: the words.
    """
    names = [player["name"] for player in end.players]
    looks = [look_of(end, seat) for seat in range(len(names))]
    analysis = looked.analysis
    if analysis is None:
        said = t("afterwards.unknown") if looked.state == READY else t(f"afterwards.{looked.state}")
        return {"state": looked.state, "said": said, "known": False}
    luckiest = max(analysis.balances, key=lambda balance: balance.luck)
    worst = [
        _told_step(step, make(), names, t, number)
        for number, (step, make) in enumerate(zip(looked.worst, makes, strict=True), 1)
    ]
    return {
        "state": READY,
        "known": True,
        "said": t("afterwards.luckiest", name=names[luckiest.seat], n=_signed(luckiest.luck, t))
        if luckiest.luck > FELT
        else t("evening.even"),
        "part": t("afterwards.part", n=analysis.given) if analysis.given > looked.begun else "",
        "order": t("afterwards.order", names=", ".join(names)),
        "areas": [
            {"look": looks[seat], "path": path} for seat, path in reversed(list(enumerate(curve_paths(analysis))))
        ],
        "marks": [_mark(step, number, analysis) for number, step in enumerate(looked.worst, 1)],
        "people": [_person(balance, names, looks, analysis, t) for balance in analysis.balances],
        "worst": worst,
    }


def shares(chances: Sequence[float]) -> list[float]:
    """Return how far up the picture each seat's area reaches, from below, 0 to 1: seats of one side share its chance.

    >>> shares([0.25, 0.75]), shares([1.0, 1.0, 0.0])
    ([0.25, 1.0], [0.5, 1.0, 1.0])
    """
    total = sum(chances)
    return [part / total for part in accumulate(chances)]


def curve_paths(analysis: Analysis) -> list[str]:
    """Return the outline of each seat's area and all below it, as an SVG path in WIDE by TALL units.

    A chance holds from its throw or move to the next one.
    """
    points = [shares(analysis.start), *(shares(step.chances) for step in analysis.steps)]
    paths = []
    for seat in range(len(analysis.start)):
        heights = [round(TALL * (1 - point[seat])) for point in points]
        path, before = f"M0 {TALL}V{heights[0]}", heights[0]
        for number, height in enumerate(heights[1:], 1):
            if height != before:
                path += f"H{_across(number, len(points))}V{height}"
                before = height
        paths.append(f"{path}H{WIDE}V{TALL}z")
    return paths


def _across(number: int, points: int) -> int:
    """Return where the curve has come to after so many steps; the last chance has room as well."""
    return round(WIDE * number / points)


def _mark(step: Step, number: int, analysis: Analysis) -> dict[str, Any]:
    """Return where a move stands on the curve, in percent of its picture: at the top of its seat's area."""
    seat = step.seat or 0
    high = shares(step.chances)[seat]
    across = _across(step.number - analysis.given, 1 + len(analysis.steps)) / WIDE
    x, y = (100 * min(1 - EDGE, max(EDGE, place)) for place in (across, 1 - high))
    return {"number": number, "x": f"{x:.2f}", "y": f"{y:.2f}"}


def _person(
    balance: Balance, names: Sequence[str], looks: Sequence[int], analysis: Analysis, t: Catalogue
) -> dict[str, Any]:
    most = max(abs(each.luck) for each in analysis.balances)
    return {
        "name": names[balance.seat],
        "look": looks[balance.seat],
        "start": _hundred(balance.start, t),
        "luck": _signed(balance.luck, t),
        "own": _signed(-balance.own_losses, t),
        "gifts": _signed(balance.gifts, t),
        "end": _hundred(balance.end, t),
        "bar": round(100 * balance.luck / most) if most else 0,
    }


def _told_step(step: Step, frame: Frame, names: Sequence[str], t: Catalogue, number: int) -> dict[str, Any]:
    best = t("afterwards.or").join(label(move, frame, t) for move in step.best[:2])
    return {
        "number": number,
        "name": names[step.seat or 0],
        "before": step.number - 1,
        "mark": step.mark,
        "move": label(step.move, frame, t),
        "best": best,
        "cost": t("afterwards.cost", n=_hundred(step.loss, t)),
    }


def _hundred(chance: float, t: Catalogue) -> str:
    """Write a chance as matches of a hundred."""
    return t.number(100 * chance, 1)


def _signed(chance: float, t: Catalogue) -> str:
    return t.number(100 * chance, 1, signed=True)
