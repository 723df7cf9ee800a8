"""A race of hands while it runs: when cards go out and to whom, what comes in, when the verdict is due. Pure, no I/O.

`LiveRound` stands between `core.grab.Race`, which judges, and the service, which sends. It is told the time, in
microseconds of a clock that never runs backwards, and says when it wants to be looked at again. Its record counts from
the moment the race was armed, so that it can be judged anew anywhere.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from bolzplatz.core.grab import (
    HAND_TRAVEL,
    MOST_STAGGER,
    PIECES,
    Grab,
    GrabError,
    Link,
    Race,
    RaceRules,
    Terms,
    send_delays,
)

MOST_GRABS: Final = 12
"""So many grabs of one seat a round are kept; nobody needs more."""

Hand = tuple[int, str, int]
"""A computer player's hand: seat, piece, reaction."""


@dataclass(frozen=True, slots=True)
class Taken:
    """News for everybody: a piece is gone, to a seat or, where the rule says so, to nobody."""

    piece: str
    seat: int | None


@dataclass(slots=True)
class LiveRound:
    """One race.

    Attributes:
        n: the round's number.
        race: the arbiter.
        began: when the race was armed.
        sends: when the cards go out, by seat; those of the computer see them when the others do.
        watchers: when they go out to everybody else.
        computers: the seats of the computer.
        hands: what its hands do, by the time at which they are there.
        still: those of its seats that keep still.
        casts: how many lots have parted level hands.
        gone: the seats that nobody waits for: their browser is off the line.
    """

    n: int
    race: Race
    began: int
    sends: dict[int, int]
    watchers: int
    computers: tuple[int, ...]
    hands: list[tuple[int, int, str]] = field(default_factory=list)
    still: tuple[int, ...] = ()
    casts: int = 0
    gone: set[int] = field(default_factory=set)
    _shown: set[int] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)
    _still: set[int] = field(default_factory=set)

    @classmethod
    def begin(
        cls, n: int, armed: Mapping[str, Any], links: Mapping[int, Link], computers: Sequence[int], now: int
    ) -> "LiveRound":
        """Start the silence before the cards.

        Args:
            n: the round's number.
            armed: the terms of the race, as the log keeps them (`commands.Arm`).
            links: the lines of the seats that people play.
            computers: the other seats.
            now: the time.
        """
        delays = send_delays(links)
        seen = min(max((link.smallest // 2 for link in links.values()), default=0), MOST_STAGGER)
        start = int(armed["silence"])
        sends = {seat: start + delay for seat, delay in delays.items()} | dict.fromkeys(computers, start + seen)
        hands = [(start + seen + reaction, seat, piece) for seat, piece, reaction in armed["hands"]]
        still = tuple(seat for seat in computers if seat not in {seat for _, seat, _ in hands})
        race = Race(tuple(Terms(**terms) for terms in armed["terms"]), RaceRules(**armed["rules"]))
        return cls(n, race, now, sends, max(sends.values(), default=start), tuple(computers), sorted(hands), still)

    # --- what comes in ----------------------------------------------------------------------------------------

    def grab(self, seat: int, piece: str, reported: int | None, now: int) -> Grab:
        """Take in a person's hand; GrabError for no seat or piece, and for one grab too many."""
        self.advance(now)
        if sum(made.seat == seat for made in self.race.grabs) >= MOST_GRABS:
            raise GrabError(f"seat {seat} has grabbed {MOST_GRABS} times in this round")
        return self.race.grab(seat, piece, now - self.began, reported)

    def keep_still(self, seat: int, now: int) -> None:
        """Take in that a person sees no goal; once is enough."""
        self.advance(now)
        if seat not in self._still:
            self._still.add(seat)
            self.race.keep_still(seat, now - self.began)

    def follow(self, there: Collection[int], now: int) -> None:
        """Note who is there now: nobody waits for a seat whose browser is off the line, until it is back."""
        self.advance(now)
        for seat in range(len(self.race.terms)):
            here = seat in there or seat in self.computers
            if here and seat in self.gone:
                self.gone.discard(seat)
                self.race.come_back(seat, now - self.began)
            elif not here and seat not in self.gone:
                self.gone.add(seat)
                self.race.leave(seat, now - self.began)

    def cast(self, order: Sequence[int], now: int) -> None:
        """Part hands that are level by the lot that was drawn."""
        self.race.cast(order, now - self.began)
        self.casts += 1

    # --- what follows -----------------------------------------------------------------------------------------

    def due(self, seats: Sequence[int], now: int) -> bool:
        """Say whether the cards are to be shown to the browser of these seats (none: a watcher) by now."""
        times = [self.sends[seat] for seat in seats if seat in self.sends]
        return now - self.began >= min(times, default=self.watchers)

    def shown(self, seat: int, now: int) -> None:
        """Note that the cards went out to a seat."""
        if seat not in self._shown:
            self._shown.add(seat)
            self.race.sent(seat, now - self.began)

    def advance(self, now: int) -> None:
        """Let the computer see the cards and its hands come, up to now, each at its own time."""
        passed = now - self.began
        for seat, at in sorted(self.sends.items(), key=lambda item: item[1]):
            if seat in self.computers and at <= passed and seat not in self._shown:
                self._shown.add(seat)
                self.race.sent(seat, at)
                if seat in self.still:
                    self.race.keep_still(seat, at)
        while self.hands and self.hands[0][0] <= passed:
            at, seat, piece = self.hands.pop(0)
            self.race.grab(seat, piece, at)
        self.race.look(passed)

    def news(self) -> list[Taken]:
        """Return the pieces that have gone since the last call."""
        found = [each for piece, each in self.race.settled.items() if piece not in self._told]
        self._told.update(each.piece for each in found)
        return [Taken(each.piece, each.holder) for each in found]

    def next_time(self) -> int | None:
        """Return when to look again; None: not before something comes in."""
        times = [at for seat, at in self.sends.items() if seat not in self._shown]
        times += [at for at, _, _ in self.hands[:1]]
        if self.race.next_time is not None:
            times.append(self.race.next_time)
        return None if not times else self.began + min(times)

    @property
    def over(self) -> bool:
        """Whether the verdict is there."""
        return self.race.closed_at is not None


def reaches(seat: int, wish: str, reaction: int) -> list[Hand]:
    """Return the hands of a computer player: a beaten one reaches for its second piece as soon as it can."""
    pieces = [piece for piece in wish.split(">") if piece in PIECES]
    return [(seat, piece, reaction + place * HAND_TRAVEL) for place, piece in enumerate(pieces)]
