"""Rounds in which all move at once, as far as the log tells: cards face down, what was chosen, the race, the verdict.

A round begins with a deal, one hidden draw. Nobody may know its cards yet, so they stay here and out of the match's
state until they lie open. Then, while there is time to think, everybody chooses in secret; else the hands race
(`core.grab`, run by `live.LiveRound`). What a round came to is one joint move of the state, and the order of the hands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from bolzplatz.core.grab import MS, PIECES

THINKING: Final = "thinking"
"""Everybody chooses in secret, without time."""
GRAB: Final = "grab"
"""Whoever's hand is first."""
HAND: Final = "hand"
"""Real cards and hands: people say what happened."""

OVER: Final = "over"
BROKEN_OFF: Final = "interrupted"
"""How a round ended: by its rules, or the server stopped in it, so that no hand counts."""

MEASURED: Final = 15
"""So many milliseconds a browser's measure may be off: frames, touch screens."""


@dataclass(slots=True)
class Rounds:
    """The present round of a table, and the verdict on the last one.

    Attributes:
        n: the round's number: the version after its cards were dealt or, by hand, entered.
        dealt: the moves of its cards while they lie face down.
        deal: the throw of which they are, as `frames.Frame.draw` describes it.
        called_at: when people were asked to be ready, for these cards or for a race of taps (seconds since 1970).
        opened_at: when the cards were laid open for all to choose (seconds since 1970).
        choices: what people have chosen in secret, by seat.
        armed: what the race is run by, from the moment it began until its verdict; armed_at: the version then.
        lot: the seats between which a lot was asked for.
        lots: what was drawn for level hands, the drawn one first.
        tapping: what a race of taps is run by, from the whistle until somebody has the ball.
        tap_step: the length of the history at which hands were asked to be ready for that race.
        verdicts: those on the rounds that stand, oldest first, as `frames.Frame.round` describes them.
    """

    n: int = 0
    dealt: tuple[str, ...] = ()
    deal: dict[str, Any] | None = None
    called_at: float = 0.0
    opened_at: float = 0.0
    choices: dict[int, str] = field(default_factory=dict)
    armed: dict[str, Any] | None = None
    armed_at: int = 0
    lot: tuple[int, ...] = ()
    lots: list[tuple[int, ...]] = field(default_factory=list)
    tapping: dict[str, Any] | None = None
    tap_step: int | None = None
    verdicts: list[dict[str, Any]] = field(default_factory=list)

    def begin(self, n: int, at: float, dealt: Sequence[str], deal: dict[str, Any] | None) -> None:
        """Take a round's cards, face down, and let people get ready for them from `at` on."""
        self.clear()
        self.n, self.called_at, self.dealt, self.deal = n, at, tuple(dealt), deal

    def clear(self) -> None:
        """Forget the present round; the verdicts on those before stay."""
        self.dealt, self.deal, self.choices, self.armed, self.lot, self.lots = (), None, {}, None, (), []
        self.tapping, self.tap_step = None, None

    def begin_taps(self, n: int, at: float, step: int) -> None:
        """Let hands get ready for a race of taps from `at` on."""
        self.clear()
        self.n, self.called_at, self.tap_step = n, at, step

    def judge(self, step: int, end: int, pace: str, verdict: Mapping[str, Any]) -> None:
        """Keep the verdict on the present round, which took the history entries from `step` to before `end`."""
        self.verdicts.append({"n": self.n, "step": step, "end": end, "pace": pace, **verdict})
        self.clear()

    def back_to(self, length: int) -> None:
        """Go back to a history of that length."""
        self.verdicts = [verdict for verdict in self.verdicts if verdict["end"] <= length]
        self.clear()

    def last(self, step: int | None = None) -> dict[str, Any] | None:
        """Return the verdict on the last round, or on the last one before the history entry `step`."""
        return next((each for each in reversed(self.verdicts) if step is None or each["end"] <= step), None)


@dataclass(frozen=True, slots=True)
class Line:
    """How a seat's line is: bars from 0 to 4, whether it is so weak that its person is asked, round trip in ms."""

    bars: int
    weak: bool
    rtt: int


@dataclass(frozen=True, slots=True)
class RoundNow:
    """What of a round is not in the log: who has said ready, whether 3-2-1 is running, how the lines are."""

    ready: tuple[int, ...] = ()
    counting: bool = False
    lines: tuple[Line | None, ...] = ()


def verdict_of_race(race: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page shows of a race's record (`Race.record`): all hands, quickest first, and who took what."""
    settled = {each["piece"]: each for each in race["settled"]}
    taken = {piece: settled[piece]["holder"] if piece in settled else None for piece in PIECES}
    return {
        "hands": [_hand(made, race, taken) for made in sorted(race["grabs"], key=lambda made: made["time"])],
        "taken": taken,
        "tied": {piece: list(settled[piece]["tied"]) if piece in settled else [] for piece in PIECES},
        "wishes": list(race["verdict"]["wishes"]),
        "order": list(race["verdict"]["order"]),
        "how": OVER,
    }


def _hand(made: Mapping[str, Any], race: Mapping[str, Any], taken: Mapping[str, Any]) -> dict[str, Any]:
    terms, elapsed, reported = race["terms"][made["seat"]], made["elapsed"], made["reported"]
    allowance = None if elapsed is None else elapsed - made["accepted"]
    by_computer = terms["cap"] == 0 and reported is None
    believed = not race["rules"]["strict"] and reported == made["accepted"]
    off = 0 if by_computer else MEASURED if believed else max(MEASURED, terms["cap"] // (2 * MS))
    return {
        "seat": made["seat"],
        "piece": made["piece"],
        "ms": round(made["accepted"] / MS),
        "handicap": terms["handicap"] // MS,
        "time": round(made["time"] / MS),
        "plus_minus": off,
        "allowance": None if allowance is None else round(allowance / MS),
        "status": made["status"],
        "took": taken[made["piece"]] == made["seat"] and made["status"] == "counted",
    }


def verdict_of_wishes(wishes: Sequence[str], order: Sequence[int], how: str = OVER) -> dict[str, Any]:
    """Return the same for hands without times: served in order, each takes the first of its wishes that is free."""
    taken: dict[str, int | None] = dict.fromkeys(PIECES)
    for seat in order:
        piece = next((wish for wish in wishes[seat].split(">") if taken[wish] is None), None)
        if piece is not None:
            taken[piece] = seat
    return {
        "hands": [_untimed(seat, wish, taken) for seat in order for wish in wishes[seat].split(">")],
        "taken": taken,
        "tied": {piece: [] for piece in PIECES},
        "wishes": list(wishes),
        "order": list(order),
        "how": how,
    }


def _untimed(seat: int, piece: str, taken: Mapping[str, int | None]) -> dict[str, Any]:
    without = dict.fromkeys(("ms", "time", "plus_minus", "allowance"))
    return {"seat": seat, "piece": piece, **without, "handicap": 0, "status": "counted", "took": taken[piece] == seat}
