"""A race in which each tap throws, while it runs: the whistle, taps that come in, whose throw is due. Pure, no I/O.

`LiveTaps` stands between the arbiter (`core.taps`) and the service: it knows when dice went out to whom and turns the
server's time, in microseconds, into readings of the hands' own clocks.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from bolzplatz.core.grab import (
    COUNTED,
    DOUBLED,
    FALSE,
    HAS_ONE,
    HELD_BACK,
    LOCKED,
    MOST_STAGGER,
    GrabError,
    Link,
    Race,
    RaceRules,
    Terms,
    send_delays,
)
from bolzplatz.core.taps import Hands, first_tap

MOST_HASTY: Final = 12
"""So many false starts of one seat are kept for one throw."""


@dataclass(slots=True)
class LiveTaps:
    """One race of taps.

    Attributes:
        n: the round's number.
        terms: each seat's, before their clocks.
        rules: of each race for a throw.
        racers: the seats that race.
        whistles: when the whistle goes out, by racing seat; the computer hears it when the others do.
        watchers: when it goes out to everybody else.
        hands: the hands between two throws.
        seen: when the dice went out with which a seat waits for its own tap; not there while they are on the way.
        gone: the seats that nobody waits for: their browser is off the line.
        back: when a seat that was gone was there again, by the server's time.
        own: when the computer's hands tap, by seat and server's time.
        level: the race in which hands were level, as it stood when that was known: their lot decides it, whatever came
            in since.
        unheard: the seats to which the whistle has not gone out yet.
    """

    n: int
    terms: tuple[Terms, ...]
    rules: RaceRules
    racers: tuple[int, ...]
    whistles: dict[int, int]
    watchers: int
    hands: Hands
    seen: dict[int, int] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    back: dict[int, int] = field(default_factory=dict)
    own: dict[int, int] = field(default_factory=dict)
    level: Race | None = None
    unheard: set[int] = field(default_factory=set)

    @classmethod
    def begin(
        cls, n: int, armed: Mapping[str, Any], links: Mapping[int, Link], racers: Sequence[int], now: int
    ) -> Self:
        """Start the silence before the whistle.

        Args:
            n: the round's number.
            armed: the terms of the race, as the log keeps them (`commands.Arm`).
            links: the lines of the people who race.
            racers: all seats that race.
            now: the time.
        """
        terms = tuple(Terms(**each) for each in armed["terms"])
        delays = send_delays(links)
        seen = min(max((link.smallest // 2 for link in links.values()), default=0), MOST_STAGGER)
        start = now + int(armed["silence"])
        whistles = {seat: start + delays.get(seat, seen) for seat in racers}
        hands = Hands.at_whistle([each.handicap for each in terms])
        return cls(
            n, terms, RaceRules(**armed["rules"]), tuple(racers), whistles, max(whistles.values()), hands,
            unheard=set(racers),
        )  # fmt: skip

    # --- what comes in ----------------------------------------------------------------------------------------

    def due(self, seats: Sequence[int], now: int) -> bool:
        """Say whether the whistle is to be heard by the browser of these seats (none that races: a watcher) by now."""
        times = [self.whistles[seat] for seat in seats if seat in self.whistles]
        return now >= min(times, default=self.watchers)

    def show(self, seat: int, now: int) -> None:
        """Note that a seat was sent its dice, or the whistle."""
        self.seen.setdefault(seat, now)

    def tap(self, seat: int, reported: int | None, now: int) -> bool:
        """Take in the tap of a hand; False: it came too soon, and the hand has to tap again.

        GrabError for a hand that does not race, that has tapped already, or whose dice are still on their way. Taps of
        a hand that is held back are not kept, nor more than MOST_HASTY that began it: nothing would follow from them.
        """
        if seat not in self.racers or seat not in self.seen:
            raise GrabError(f"seat {seat} has nothing to throw now")
        hands = self.hands.heard(self._clock(seat, now), "grab", seat, reported)
        *before, last = [made.status for made in self._all_in(hands).grabs if made.seat == seat]
        if last in (DOUBLED, HAS_ONE):
            raise GrabError(f"seat {seat} has tapped already")
        if last not in (FALSE, HELD_BACK) or (last == FALSE and before.count(FALSE) < MOST_HASTY):
            self.hands = hands
        return last not in (FALSE, HELD_BACK)

    def follow(self, there: Collection[int], now: int) -> None:
        """Note who is there now: the taps of a seat whose browser is off the line stand, but nobody waits for it."""
        for seat in self.racers:
            if (seat in there) == (seat not in self.gone):
                continue
            if seat in there:
                self.gone.discard(seat)
                self.back[seat] = now
            else:
                self.gone.add(seat)
            kind = "come_back" if seat in there else "leave"
            self.hands = self.hands.heard(self._clock(seat, now), kind, seat)

    def drive(self, computers: Collection[int], reaction: Callable[[int], int]) -> None:
        """Let the computer's hands plan their next taps; `reaction` draws how long a seat needs, in microseconds.

        One that takes over from somebody who was gone looks at the dice from then on: what was missed is missed.
        """
        self.own = {seat: at for seat, at in self.own.items() if seat in computers}
        for seat in self.racers:
            if seat in computers and seat in self.seen and seat not in self.own and not self._has_tapped(seat):
                self.own[seat] = max(self.seen[seat], self.back.get(seat, 0)) + reaction(seat)

    def advance(self, now: int) -> None:
        """Let the computer's hands tap up to now."""
        for seat, at in list(self.own.items()):
            del self.own[seat]
            moment = at
            while moment <= now and not self.tap(seat, None, moment):
                moment += LOCKED  # the false start of the person before holds the hand back still
            if moment > now:
                self.own[seat] = moment

    # --- what follows -----------------------------------------------------------------------------------------

    def race(self, now: int) -> Race:
        """Return the race for the next throw as far as it can be known by now."""
        if self.level is not None:
            return self.level
        race = self.hands.race(self.terms, self.rules, self.racers, self._known(now))
        if race.lot is not None:
            self.level = race
        return race

    def cast(self, order: Sequence[int]) -> None:
        """Part the hands that are level, by the lot that was drawn; GrabError where no lot is asked for."""
        if self.level is None:
            raise GrabError("no hands are level")
        self.level.cast(order, 0)

    def next_time(self, race: Race, now: int) -> int | None:
        """Return when to look again; None: not before something comes in."""
        times = [at for seat, at in self.whistles.items() if seat in self.unheard]
        times += [at for at in self.own.values() if at > now]
        if (due := race.next_time) is not None:
            waits = self._awaited()
            if all(seat in self.seen for seat in waits):
                times.append(max((self.seen[seat] + due - self.hands.clocks[seat] for seat in waits), default=now))
        return min(times, default=None)

    def thrown(self, race: Race) -> None:
        """Go on after the race for a throw is settled: the dice of its hand are on their way."""
        seat, at = first_tap(race)
        self.hands = self.hands.after(race)
        self.level = None
        del self.seen[seat]
        if seat in self.gone:
            self.hands = self.hands.heard(at, "leave", seat)

    def _clock(self, seat: int, now: int) -> int:
        """Return the reading of a seat's clock: it stands still while its dice are on the way."""
        return self.hands.clocks[seat] + (max(0, now - self.seen[seat]) if seat in self.seen else 0)

    def _has_tapped(self, seat: int) -> bool:
        """Say whether a hand has tapped for its next throw; a false start, as of a person before, is none."""
        grabs = self._all_in(self.hands).grabs
        return any(made.seat == seat and made.status not in (FALSE, HELD_BACK) for made in grabs)

    def _awaited(self) -> list[int]:
        """Return the seats that may still bring a tap that was quicker than those that are there."""
        tapped = {made.seat for made in self._all_in(self.hands).grabs if made.status == COUNTED}
        return [seat for seat in self.racers if seat not in self.gone and seat not in tapped]

    def _all_in(self, hands: Hands) -> Race:
        """Return the race as if nothing more came in."""
        return hands.race(
            self.terms, self.rules, self.racers, max([*hands.clocks, *(each[0] for each in hands.inputs)])
        )

    def _known(self, now: int) -> int:
        """Return how far all clocks have come that may still bring a tap; all taps are known up to there."""
        awaited = [self._clock(seat, now) for seat in self._awaited()]
        return min(awaited) if awaited else max([*self.hands.clocks, *(each[0] for each in self.hands.inputs)])
