"""The race in which each tap throws: whose hand is next, by the arbiter of grabbing (`core.grab`). Pure, no I/O.

After the whistle everybody throws as often as the own hand taps, and the dice of a throw must be seen before the next
tap. So each hand has a clock of its own: it runs while the hand may tap and stands still while its dice are on their
way, however long its line or a draw takes. Times on these clocks are compared. A hand that has thrown goes on from the
time of its tap; what it needs until the next one is its reaction, which is believed as everywhere (`grab.Terms`).

Each throw is a `grab.Race` for the one piece THROW, in the time of these clocks: a hand's dice are `sent` when its
clock reads `clock`, which enters as its handicap, and its tap is there as much later as it took. The quickest hand
throws. Taps that came in and were not the quickest count on, with the same numbers, in the race for the next throw
(`Hands.after`): that, and the clocks, is what a record is held to.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from bolzplatz.core.game import State
from bolzplatz.core.grab import PIECES, GrabError, Race, RaceRules, Terms

TAP: Final = "tap"
"""The word that begins the outcome of a chance node which says whose hand throws next (docs/notation.md)."""
THROW: Final = PIECES[0]
"""The one piece of these races: the next throw."""

Input = tuple[int, str, int, int | None]
"""What came in of a hand by its clock: when, `grab`, `leave` or `come_back`, the seat, for a grab what was reported."""


def tapping(state: State) -> tuple[int, ...]:
    """Return the seats of which one throws next, whose hand is the first; () where no hands race for a throw.

    >>> from bolzplatz import load_game
    >>> state = load_game("gooaaaaal", mode="sudden-death", penalty_model="tap-race").new_initial_state()
    >>> tapping(state), tapping(state.play("tap 1"))
    ((0, 1), ())
    """
    if not state.is_chance_node() or state.roller() is not None:
        return ()
    words = [state.action_to_string(outcome).split() for outcome in state.legal_actions()]
    return tuple(int(seat) for word, seat in words) if all(word[0] == TAP for word in words) else ()


def tap_begins(state: State) -> bool:
    """Say whether a race of taps is still to begin: its hands have thrown nothing yet."""
    return bool(tapping(state)) and not state.view()["shown"]["race"]["thrown"]


def tap_rules(tie: int, strict: bool) -> RaceRules:
    """Return the rules of a race for one throw: nobody is hurried, and hands that are level draw lots."""
    return RaceRules(tie=tie, strict=strict, limit=None)


@dataclass(frozen=True, slots=True)
class Hands:
    """The hands of one race between two throws.

    Attributes:
        clocks: per seat the reading of its clock when its dice were seen last: the time of its last tap, and before
            the first one its head start.
        inputs: what came in since, ascending in time, and counts for nobody yet.
    """

    clocks: tuple[int, ...]
    inputs: tuple[Input, ...] = ()

    @classmethod
    def at_whistle(cls, handicaps: Sequence[int]) -> Self:
        """Return the hands when the whistle blows; `handicaps` are the head starts that the seats give."""
        return cls(tuple(handicaps))

    def heard(self, at: int, kind: str, seat: int, reported: int | None = None) -> Self:
        """Return the hands with one more input, `at` by the clock of its seat."""
        inputs = sorted((*self.inputs, (at, kind, seat, reported)), key=lambda each: each[0])
        return replace(self, inputs=tuple(inputs))

    def race(
        self,
        terms: Sequence[Terms],
        rules: RaceRules,
        racers: Collection[int],
        now: int,
    ) -> Race:
        """Return the race for the next throw as it stands at `now`.

        Args:
            terms: each seat's; clocks take the place of handicaps.
            rules: as `tap_rules` makes them.
            racers: the seats that race; the others are not there.
            now: so far all clocks have come that may still bring a tap.
        """
        race = Race(tuple(replace(each, handicap=self.clocks[seat]) for seat, each in enumerate(terms)), rules)
        for seat in range(len(terms)):
            if seat not in racers:
                race.leave(seat, 0)
        sent = [(self.clocks[seat], "sent", seat, None) for seat in racers if self.clocks[seat] <= now]
        for at, kind, seat, reported in sorted([*sent, *self.inputs], key=lambda each: (each[0], each[1] != "sent")):
            if at > now:
                break
            if kind == "sent":
                race.sent(seat, at)
            elif kind == "grab":
                race.grab(seat, THROW, at, reported)
            elif kind == "leave":
                race.leave(seat, at)
            else:
                race.come_back(seat, at)
        race.look(now)
        return race

    def after(self, race: Race) -> Self:
        """Return the hands after a throw: its clock goes on from its tap, and only its own inputs are used up.

        GrabError where nobody was first.
        """
        seat, at = first_tap(race)
        clocks = tuple(at if other == seat else clock for other, clock in enumerate(self.clocks))
        return replace(self, clocks=clocks, inputs=tuple(each for each in self.inputs if each[2] != seat))

    def agree(self, record: Mapping[str, Any]) -> bool:
        """Say whether a recorded race (`Race.record`) began with these clocks and took in what was there by its end."""
        came = [tuple(each) for each in record["inputs"]]
        left = [("grab", at, seat, THROW, reported) for at, kind, seat, reported in self.inputs if kind == "grab"]
        sent = [(at, seat) for kind, at, seat, *_ in came if kind == "sent"]
        return (
            tuple(each["handicap"] for each in record["terms"]) == self.clocks
            and all(each in came for each in left if each[1] <= record["now"])
            and all(at == self.clocks[seat] for at, seat in sent)
        )

    def told(self, record: Mapping[str, Any]) -> Self:
        """Return the hands with the taps that a recorded race took in, before its throw."""
        taps = {(at, kind, seat, what[-1]) for kind, at, seat, *what in record["inputs"] if kind == "grab"}
        return replace(self, inputs=tuple(sorted(taps.union(self.inputs), key=lambda each: each[0])))


def first_tap(race: Race) -> tuple[int, int]:
    """Return whose hand throws and when it tapped, by its clock; GrabError where that is not settled."""
    settled = race.settled.get(THROW)
    if settled is None or settled.holder is None:
        raise GrabError("nobody was first")
    taps = [made for made in race.grabs if made.seat == settled.holder and made.status == "counted"]
    return settled.holder, taps[0].time
