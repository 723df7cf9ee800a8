"""Whose hand was first: the arbiter of a round in which everybody grabs at once, fair to slow links. Pure, no I/O.

Cards are sent to the slowest link first, so that all browsers show them at the same instant and none holds them early
(`send_delays`). A browser measures the time from the frame with the cards to the touch and reports it. A report is
believed within bounds that the server measures itself: with E from sending to arrival, and `cap` the most that the
line can account for, the reaction lies between E - cap and E (`Terms.accept`). So lying or delaying helps nobody beyond
a few milliseconds, and a slow line costs nothing. In strict mode nothing is believed: E minus the usual round trip.

A `Race` is one round. Grabs go in with the time of their arrival; each piece is settled when no connected seat could
still have been quicker (`Race.next_time` says when to look again), and everything is published then: before that no
hand is shown to anybody. Hands as close as the tie window are parted by the rule that was agreed on, usually by lot.
The result is what the game's rules ask for: what each hand reaches for, first and second, and the order of the hands.

All times are whole microseconds of the server's monotonic clock, or lengths of time. Nothing depends on when the caller
looks, only on what came in when; so `Race.record` holds everything, and `replay` reaches the same verdict from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median_low
from typing import Any, Final, Self

from bolzplatz.core.errors import BolzplatzError

MS: Final = 1000
"""Microseconds of a millisecond."""

PINGS_AT_FIRST: Final = 8
PING_GAP_AT_FIRST: Final = 100 * MS
PING_GAP: Final = 3000 * MS
PINGS_KEPT_FOR: Final = 30_000 * MS

SILENCE: Final = (600 * MS, 1800 * MS)
"""Between "1, 2, 3" and the cards, so that nobody can foresee the moment."""
MOST_STAGGER: Final = 250 * MS
CAP_MARGIN: Final = 40 * MS
MOST_CAP: Final = 250 * MS
MOST_HOLD: Final = 250 * MS
"""So long a piece is held for others at most, from its first grab on; a head start comes on top."""
FALSE_START: Final = 150 * MS
"""Nobody reads cards in less."""
LOCKED: Final = 250 * MS
"""After a false start a hand is held back for so long."""
HAND_TRAVEL: Final = 100 * MS
"""A hand is not at both pieces at once."""
TIE: Final = 25 * MS
TIE_MIXED: Final = 35 * MS
"""Where mice and fingers meet: screens and mice are late by different amounts."""
TIE_ONE_DEVICE: Final = 8 * MS
TIES: Final = (TIE, TIE_MIXED, TIE_ONE_DEVICE)
LAST_CALL: Final = 1500 * MS
"""When one piece is gone, the other one stays on the table for so long."""
ROUND_LIMIT: Final = 8000 * MS
MOST_HANDICAP: Final = 1500 * MS

WEAK_RTT: Final = 500 * MS
WEAK_SPREAD: Final = 150 * MS
BARS: Final = (60 * MS, 120 * MS, 250 * MS, WEAK_RTT)
DOUBT: Final = 30 * MS
REPORTS_KEPT: Final = 12
REPORTS_TO_DOUBT: Final = 6

PIECES: Final = ("black", "red")

BY_LOT: Final = "lots"
BY_CHIPS: Final = "chips"
NOBODY_GETS_IT: Final = "nobody"
BY_ARRIVAL: Final = "arrival"
TIE_RULES: Final = (BY_LOT, BY_CHIPS, NOBODY_GETS_IT, BY_ARRIVAL)

# What became of a grab.
COUNTED: Final = "counted"
FALSE: Final = "false start"
HELD_BACK: Final = "held back"
DOUBLED: Final = "doubled"
HAS_ONE: Final = "has one"
LATE: Final = "late"
STILL: Final = "kept still"


class GrabError(BolzplatzError):
    """A grab, a lot or a record that cannot be: an unknown seat or piece, a lot that nobody asked for."""


# --- links and trust ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """Round trips of one browser's pings in the last 30 seconds, as (when it came back, how long it took)."""

    pings: tuple[tuple[int, int], ...] = ()

    def heard(self, at: int, rtt: int) -> Self:
        """Return the link with one more ping that came back `at`."""
        kept = tuple(ping for ping in self.pings if at - ping[0] <= PINGS_KEPT_FOR)
        return replace(self, pings=(*kept, (at, max(0, rtt))))

    @property
    def known(self) -> bool:
        """Whether there have been enough pings to play on."""
        return len(self.pings) >= PINGS_AT_FIRST // 2

    @property
    def smallest(self) -> int:
        """The smallest round trip: what the line itself takes."""
        return min(rtt for _, rtt in self.pings)

    @property
    def usual(self) -> int:
        """The median round trip: the line with what usually comes on top."""
        return median_low(rtt for _, rtt in self.pings)

    @property
    def spread(self) -> int:
        """How far nine tenths of the round trips are above the smallest: one stray ping says nothing."""
        trips = sorted(rtt for _, rtt in self.pings)
        return trips[(9 * len(trips) - 1) // 10] - trips[0]

    @property
    def bars(self) -> int:
        """Bars of the signal icon, 0 to 4."""
        return sum(self.smallest < limit for limit in BARS)

    @property
    def weak(self) -> bool:
        """Whether this link is asked to accept its handicap or to watch."""
        return self.smallest > WEAK_RTT or self.spread > WEAK_SPREAD


@dataclass(frozen=True, slots=True)
class Conduct:
    """How far a seat's reports lay below what its line explains, the last few rounds; honest ones scatter around 0."""

    margins: tuple[int, ...] = ()

    def after(self, margin: int | None) -> Self:
        """Return the conduct after a round; None where the seat reported nothing."""
        return self if margin is None else replace(self, margins=(*self.margins, margin)[-REPORTS_KEPT:])

    @property
    def doubted(self) -> bool:
        """Whether reports are too good to be true again and again; then only the line itself is allowed for.

        The usual round trip is what they are compared with, not the smallest: jitter is no lie.
        """
        return len(self.margins) >= REPORTS_TO_DOUBT and median_low(self.margins) > DOUBT


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms one seat plays a round.

    Attributes:
        cap: at most so much of E is not reaction.
        usual: usual round trip, which strict mode takes off and reports are compared with.
        handicap: head start of the others, added to the reaction.
        chips: what the seat has, where that parts equal hands.
    """

    cap: int
    usual: int
    handicap: int = 0
    chips: int = 0

    @classmethod
    def of(cls, link: Link, conduct: Conduct, handicap: int = 0, chips: int = 0) -> Self:
        """Return the terms of a browser's seat."""
        if not 0 <= handicap <= MOST_HANDICAP:
            raise GrabError(f"a handicap of {handicap} is not between 0 and {MOST_HANDICAP}")
        cap = min(link.smallest + (0 if conduct.doubted else CAP_MARGIN), MOST_CAP)
        return cls(cap, min(link.usual, MOST_CAP), handicap, chips)

    @classmethod
    def here(cls, handicap: int = 0, chips: int = 0) -> Self:
        """Return the terms of a computer player: its hand moves at the server, there is no line."""
        return cls(0, 0, handicap, chips)

    @property
    def possible(self) -> bool:
        """Whether a line may have been allowed for so: `of` and `here` give no other terms."""
        return 0 <= self.cap <= MOST_CAP and 0 <= self.usual <= MOST_CAP

    def lowest(self, elapsed: int, strict: bool) -> int:
        """Return the quickest reaction that can lie behind a grab that arrives `elapsed` after the cards were sent."""
        return elapsed - (self.usual if strict else self.cap)

    def accept(self, elapsed: int, reported: int | None, strict: bool) -> int:
        """Return the reaction that counts: the reported one within bounds, without a report the longest."""
        lowest = self.lowest(elapsed, strict)
        if strict:
            return lowest
        return elapsed if reported is None else min(max(reported, lowest), elapsed)


def send_delays(links: Mapping[int, Link]) -> dict[int, int]:
    """Return how long the cards wait before they are sent to each seat, so that all see them at once."""
    halves = {seat: link.smallest // 2 for seat, link in links.items()}
    longest = max(halves.values(), default=0)
    return {seat: min(longest - half, MOST_STAGGER) for seat, half in halves.items()}


def silence(below: Callable[[int], int]) -> int:
    """Draw how long the silence before the cards lasts; `below(n)` draws from 0..n-1."""
    shortest, longest = SILENCE
    return shortest + below(longest - shortest + 1)


def tie_window(pointers: Sequence[str], one_device: bool = False) -> int:
    """Return how close hands must be to be parted by rule; `pointers` are the kinds (`mouse`, `touch`) in play."""
    if one_device:
        return TIE_ONE_DEVICE
    return TIE_MIXED if len(set(pointers)) > 1 else TIE


def handicap_order(wishes: Sequence[str], handicaps: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the reaching hands of thinking mode, smallest handicap first; seats of one group are parted by lot."""
    hands = [seat for seat, wish in enumerate(wishes) if wish != "none"]
    steps = sorted({handicaps[seat] for seat in hands})
    return [tuple(seat for seat in hands if handicaps[seat] == step) for step in steps]


# --- one round ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RaceRules:
    """What was agreed before the game.

    Attributes:
        tie: how close hands must be to be parted by rule, below HAND_TRAVEL.
        tie_rule: one of TIE_RULES.
        strict: whether reports are ignored.
        limit: how long a round lasts where nobody grabs, None: until all keep still.
        last_call: how long the other piece stays when one is gone.
    """

    tie: int = TIE
    tie_rule: str = BY_LOT
    strict: bool = False
    limit: int | None = ROUND_LIMIT
    last_call: int = LAST_CALL

    def __post_init__(self) -> None:
        """Refuse what a round could not be played by."""
        if not 0 <= self.tie < HAND_TRAVEL or self.tie_rule not in TIE_RULES:
            raise GrabError(f"hands within {self.tie} cannot be parted by {self.tie_rule!r}")


@dataclass(frozen=True, slots=True)
class Grab:
    """One hand on one piece, with all its numbers.

    Attributes:
        seat, piece: who, and which.
        arrived: when it came in.
        reported: what the browser measured, None without.
        elapsed: E, from sending the cards to the arrival; None: the cards had not been sent.
        accepted: the reaction that counts.
        time: the same with handicap, by which hands are compared.
        status: COUNTED, or why not.
    """

    seat: int
    piece: str
    arrived: int
    reported: int | None
    elapsed: int | None
    accepted: int
    time: int
    status: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """A piece that is gone: its holder (None: nobody gets it), when, and the hands that were tied, quickest first."""

    piece: str
    holder: int | None
    at: int
    tied: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules of the game ask for: a wish a seat, and the order of the hands that reach."""

    wishes: tuple[str, ...]
    order: tuple[int, ...]

    @property
    def order_text(self) -> str | None:
        """The chance outcome after the joint node, None where fewer than two hands reach."""
        return f"order {' '.join(map(str, self.order))}" if len(self.order) > 1 else None


@dataclass(slots=True)
class Race:
    """One round: what came in, and what follows from it.

    Inputs are methods that take the time `at`; a time before the last one counts as the last one, for no clock runs
    backwards. Nothing here waits: `look(now)` brings the round up to date, `next_time` says when that pays again.

    Attributes:
        terms: each seat's.
        rules: what was agreed.
        grabs: everything that came in, counted or not.
        settled: the pieces that are gone, in the order in which they went.
        lot: piece and seats for which a lot is needed; nothing is settled before `cast`.
        closed_at: when the round ended, None before.
    """

    terms: tuple[Terms, ...]
    rules: RaceRules = RaceRules()
    grabs: list[Grab] = field(default_factory=list)
    settled: dict[str, Settlement] = field(default_factory=dict)
    lot: tuple[str, tuple[int, ...]] | None = None
    closed_at: int | None = None
    _sent: dict[int, int] = field(default_factory=dict)
    _gone: set[int] = field(default_factory=set)
    _still: set[int] = field(default_factory=set)
    _held_until: dict[int, int] = field(default_factory=dict)
    _now: int = 0
    _inputs: list[list[Any]] = field(default_factory=list)

    # --- what comes in ----------------------------------------------------------------------------------------

    def sent(self, seat: int, at: int) -> None:
        """Note that the cards were sent to a seat; for a computer player, when the others see them.

        A seat that is not there when they are sent must `leave`: else it is waited for.
        """
        self._take("sent", at, seat)
        self._sent.setdefault(seat, self._now)

    def grab(self, seat: int, piece: str, at: int, reported: int | None = None) -> Grab:
        """Take in a hand on a piece; `reported` is the browser's own measure. Returns what became of it.

        The sender must not be told more than that it arrived. Raises GrabError for an unknown seat or piece.
        """
        if piece not in PIECES or not (reported is None or type(reported) is int):
            raise GrabError(f"no grab: piece {piece!r}, reported {reported!r}")
        self._take("grab", at, seat, piece, reported)
        elapsed = self._now - self._sent[seat] if seat in self._sent else None
        accepted = 0 if elapsed is None else self.terms[seat].accept(elapsed, reported, self.rules.strict)
        time = accepted + self.terms[seat].handicap
        first = self._first(seat)
        if first is not None:
            time = max(time, first.time + HAND_TRAVEL)
        status = self._status(seat, piece, accepted, elapsed)
        if status == FALSE:
            self._held_until[seat] = max(self._held_until.get(seat, 0), accepted + LOCKED)
        made = Grab(seat, piece, self._now, reported, elapsed, accepted, time, status)
        self.grabs.append(made)
        return made

    def keep_still(self, seat: int, at: int) -> None:
        """Note that a seat sees no goal, or no other one: it is not waited for any more."""
        self._take("keep_still", at, seat)
        self._still.add(seat)

    def leave(self, seat: int, at: int) -> None:
        """Note that a seat's line broke: its grabs stand, but nobody waits for it."""
        self._take("leave", at, seat)
        self._gone.add(seat)

    def come_back(self, seat: int, at: int) -> None:
        """Note that a seat is there again."""
        self._take("come_back", at, seat)
        self._gone.discard(seat)

    def cast(self, order: Sequence[int], at: int) -> None:
        """Part the tied hands by the lot that was asked for: seats of `lot`, the drawn one first; else GrabError."""
        self.look(at)
        if self.lot is None or sorted(order) != sorted(self.lot[1]):
            raise GrabError(f"no lot between {list(order)} is asked for")
        self._take("cast", at, list(order))
        piece = self.lot[0]
        self.lot = None
        self.settled[piece] = Settlement(piece, order[0], self._now, tuple(order))
        self.look(self._now)  # where nobody is left who could do more, the round is over with it

    def _take(self, kind: str, at: int, *what: Any) -> None:
        if isinstance(what[0], int) and not 0 <= what[0] < len(self.terms):
            raise GrabError(f"no seat {what[0]} plays here")
        self.look(at)
        self._inputs.append([kind, self._now, *what])

    def _status(self, seat: int, piece: str, accepted: int, elapsed: int | None) -> str:
        if self.closed_at is not None:
            return LATE
        if elapsed is None or accepted < FALSE_START:
            return FALSE
        if accepted < self._held_until.get(seat, 0):
            return HELD_BACK
        if self._has_one(seat):
            return HAS_ONE
        if any(made.piece == piece for made in self._counted(seat)):
            return DOUBLED
        if seat in self._still:
            return STILL
        asked = self.lot is not None and self.lot[0] == piece
        return LATE if asked or piece in self.settled else COUNTED

    # --- what follows -----------------------------------------------------------------------------------------

    @property
    def next_time(self) -> int | None:
        """When something will happen by itself; None: never, or only after a lot."""
        if self.closed_at is not None or self.lot is not None:
            return None
        times = [due for piece in PIECES if (due := self._due(piece)) is not None]
        if (end := self._end()) is not None:
            times.append(end)
        return min(times, default=None)

    def look(self, now: int) -> None:
        """Bring the round up to `now`: settle what is due, close it when it is over."""
        while (time := self.next_time) is not None and time <= now:
            self._now = max(self._now, time)
            due = [piece for piece in PIECES if (at := self._due(piece)) is not None and at <= self._now]
            if due:
                self._settle(min(due, key=lambda piece: self._candidates(piece)[0].time))
            else:
                self.closed_at = self._now
        self._now = max(self._now, now)

    def _holder(self, piece: str) -> int | None:
        return self.settled[piece].holder if piece in self.settled else None

    def _has_one(self, seat: int) -> bool:
        return any(self._holder(piece) == seat for piece in PIECES)

    def _counted(self, seat: int) -> list[Grab]:
        return [made for made in self.grabs if made.seat == seat and made.status == COUNTED]

    def _first(self, seat: int) -> Grab | None:
        return next(iter(self._counted(seat)), None)

    def _candidates(self, piece: str) -> list[Grab]:
        """Return the hands that may still get a piece, quickest first; of equal ones, the one that came in first."""
        hands = (made for made in self.grabs if made.piece == piece and made.status == COUNTED)
        return sorted((made for made in hands if not self._has_one(made.seat)), key=lambda made: made.time)

    def _tied(self, piece: str) -> list[Grab]:
        candidates = self._candidates(piece)
        return [made for made in candidates if made.time <= candidates[0].time + self.rules.tie]

    def _due(self, piece: str) -> int | None:
        """Return when nobody can be quicker at a piece any more; None where no hand is there, or it has gone.

        A second reach waits until it is known whether the first one has got its piece.
        """
        if piece in self.settled or self.lot is not None or not self._candidates(piece):
            return None
        tied = self._tied(piece)
        best = tied[0]
        if any(made != self._first(made.seat) and self._other(piece) not in self.settled for made in tied):
            return None
        since = min(made.arrived for made in self._candidates(piece))
        waits = [self._wait_for(seat, piece, best, since) for seat in range(len(self.terms))]
        return max([best.arrived, *waits, *(settlement.at for settlement in self.settled.values())])

    def _wait_for(self, seat: int, piece: str, best: Grab, since: int) -> int:
        """Return until when a hand of this seat could still arrive that beats `best` or is level with it."""
        first, terms = self._first(seat), self.terms[seat]
        level = best.time + self.rules.tie
        if seat in self._gone | self._still or self._finished(seat):
            return since
        if first is not None and (first.piece == piece or first.time + HAND_TRAVEL > level):
            return since
        most = since + MOST_HOLD + max(0, self.terms[best.seat].handicap - terms.handicap)
        if seat not in self._sent:
            return most
        # The first moment from which `lowest` of what arrives is above the level.
        return min(self._sent[seat] + level - terms.handicap - terms.lowest(0, self.rules.strict) + 1, most)

    def _other(self, piece: str) -> str:
        return PIECES[1 - PIECES.index(piece)]

    def _settle(self, piece: str) -> None:
        """Give a piece to the quickest hand, or part the hands that are level."""
        tied = self._tied(piece)
        seats = tuple(made.seat for made in tied)
        if len(tied) > 1 and self.rules.tie_rule == NOBODY_GETS_IT:
            self.settled[piece] = Settlement(piece, None, self._now, seats)
            return
        if self.rules.tie_rule == BY_ARRIVAL:
            tied.sort(key=self.grabs.index)
            tied = tied[:1]
        elif self.rules.tie_rule == BY_CHIPS:
            fewest = min(self.terms[made.seat].chips for made in tied)
            tied = [made for made in tied if self.terms[made.seat].chips == fewest]
        if len(tied) > 1:
            self.lot = piece, tuple(made.seat for made in tied)
        else:
            self.settled[piece] = Settlement(piece, tied[0].seat, self._now, seats if len(seats) > 1 else ())

    def _finished(self, seat: int) -> bool:
        """Say whether a seat can do nothing more: it has a piece, or has reached for both."""
        return self._has_one(seat) or len(self._counted(seat)) == len(PIECES)

    def _end(self) -> int | None:
        """Return when the round ends if nothing more comes in; None while a hand waits for its piece, or for ever."""
        if any(piece not in self.settled and self._candidates(piece) for piece in PIECES):
            return None
        last = max((settlement.at for settlement in self.settled.values()), default=None)
        if last is not None and len(self.settled) == len(PIECES):
            return last
        there = [seat for seat in range(len(self.terms)) if seat not in self._gone]
        if there and all(seat in self._still or self._finished(seat) for seat in there):
            return self._now
        if last is not None:
            return last + self.rules.last_call + max((self.terms[seat].cap for seat in there), default=0)
        if self.rules.limit is None or not self._sent:
            return None
        return max(self._sent.values()) + self.rules.limit + max(term.cap for term in self.terms)

    # --- the outcome ------------------------------------------------------------------------------------------

    @property
    def verdict(self) -> Verdict:
        """The outcome of a closed round; GrabError before.

        Hands that hold a piece come first, by the time of the grab that got it, then the others: served in this order,
        each taking the first of its wishes that is free, they come to hold exactly what was settled here.
        """
        if self.closed_at is None:
            raise GrabError("the round is not over")
        given_to_nobody = {piece for piece, settlement in self.settled.items() if settlement.holder is None}
        reached: dict[int, list[Grab]] = {seat: [] for seat in range(len(self.terms))}
        for made in self.grabs:
            if made.status == COUNTED and made.piece not in given_to_nobody:
                reached[made.seat].append(made)
        wishes = tuple(">".join(made.piece for made in reached[seat]) or "none" for seat in reached)

        def place(seat: int) -> tuple[bool, int, int]:
            won = [made for made in reached[seat] if self._holder(made.piece) == seat]
            decisive = (won or reached[seat])[0]
            return not won, decisive.time, self.grabs.index(decisive)

        return Verdict(wishes, tuple(sorted((seat for seat in reached if reached[seat]), key=place)))

    def margins(self) -> dict[int, int]:
        """Return for each seat with a report how far it lies below what its usual round trip explains (`Conduct`)."""
        found = {}
        for made in self.grabs:
            if made.reported is not None and made.elapsed is not None and made.seat not in found:
                found[made.seat] = made.elapsed - self.terms[made.seat].usual - made.reported
        return found

    def record(self) -> dict[str, Any]:
        """Return everything as whole numbers and texts, for the log; `replay` comes to the same verdict from it."""
        verdict = None if self.closed_at is None else asdict(self.verdict)
        return {
            "rules": asdict(self.rules),
            "terms": [asdict(terms) for terms in self.terms],
            "inputs": [list(entry) for entry in self._inputs],
            "now": self._now,
            "grabs": [asdict(made) for made in self.grabs],
            "settled": [asdict(settlement) for settlement in self.settled.values()],
            "closed_at": self.closed_at,
            "verdict": verdict,
        }


_INPUTS: Final[Mapping[str, Callable[..., Any]]] = {
    "sent": Race.sent,
    "keep_still": Race.keep_still,
    "leave": Race.leave,
    "come_back": Race.come_back,
    "cast": Race.cast,
}


def replay(record: Mapping[str, Any]) -> Race:
    """Play a recorded round again from what came in alone; GrabError where the recorded verdict does not follow."""
    try:
        race = Race(tuple(Terms(**terms) for terms in record["terms"]), RaceRules(**record["rules"]))
        for kind, at, who, *what in record["inputs"]:
            if kind == "grab":
                race.grab(who, what[0], at, what[1])
            else:
                _INPUTS[kind](race, who, at)
        race.look(record["now"])
        same = _plain(race.record()) == _plain(record)
    except (KeyError, TypeError, ValueError, IndexError) as fault:
        raise GrabError(f"a round that cannot be replayed: {fault}") from None
    if not same:
        raise GrabError("the recorded round does not follow from what came in")
    return race


def _plain(value: Any) -> Any:
    """Return nested lists and dicts in the shape in which JSON gives them back."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
