"""One match at a table: the fold of its log.

`Table` is pure: no clock, no store, no sockets. `handling.handle` answers a command with the entries that it leads to,
or with a refusal, and changes nothing; `absorb` folds entries in once they are stored. Loading a table is absorbing its
entries, so what is seen live is what a restart finds. Who is there right now is not in the log (`company.Company`).

Kinds of entries before the match, each with all `seats` and `owners` as they are after it (`room.Room`):
    joined left moved renamed filled removed added

Kinds of entries of the match:
    started     the host begins the match
    opened      sealed dice: the opening record, which browser contributes as whom, and which seats' people do not
    action      a decision: seat, move, and by whom (a person, a computer player, or the only move there was)
    throw       a throw was asked for; the request to the contributors follows from the log up to here
    draw        a finished sealed draw
    renewing    new chains were asked for
    renewal     new chains in place of the old ones
    hand        what real dice, cards or hands showed, as people entered it
    reveal      the cards of a round lie open: everybody chooses (`rounds`)
    choice      what somebody has chosen in secret
    together    what all seats do at once
    armed       a race of hands begins, on these terms
    lot         hands are level: a lot was asked for
    race        how the race ended, with all its numbers; `race` null: it was broken off
    tap         whose hand throws next in a race of taps, with all its numbers; `tap` null: that race begins anew
    undo        takes back everything from one entry on, by one's own hand or by agreement; the log keeps both
    substitute  a computer plays on for a person, or no longer
    proposed agreed declined    a question to the others, and answers
    seat_taken  a seat has another browser and name
    open_hands  what is hidden in the hands is open from here on
    ended       the match is over by agreement
    host witness    who is host, who contributes to the dice without a seat
    rematch     the next match is played at another table
"""

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any, Final, Self

from bolzplatz.core.declare import Seen
from bolzplatz.core.fast import FastStream
from bolzplatz.core.forms import FORM_HIDDEN, form_kind
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS
from bolzplatz.core.proven import DEAL, LOT, NO_HAND, THROW
from bolzplatz.core.record import HAND_DICE, SEALED_DICE, record_of, write_record
from bolzplatz.core.sealed import (
    SERVER,
    CheckedDraw,
    DrawRequest,
    Opening,
    SealedServer,
    make_chain,
    new_secret,
    seat_name,
    six_words,
)
from bolzplatz.core.sealed_throw import (
    ORDER,
    deal_size,
    dealt_moves,
    face_texts,
    order_of_hands,
    outcome_of_sealed,
    sealed_form,
)
from bolzplatz.core.taps import tap_begins, tapping
from bolzplatz.table.clock import OVER, TurnClock
from bolzplatz.table.commands import END, OPEN_HANDS, REWIND, SEAT
from bolzplatz.table.company import Company
from bolzplatz.table.rounds import BROKEN_OFF, GRAB, THINKING, Rounds, verdict_of_race, verdict_of_wishes
from bolzplatz.table.rounds import HAND as BY_HAND
from bolzplatz.table.setup import HAND, HUMAN, SEALED, Seat, TableSetup, offered_levels
from bolzplatz.table.store import Entry, NewTable, StoreError

WAIT_ROOM: Final = "room"
"""For people to sit down, and for the host to start."""
WAIT_TIP: Final = "tip"
"""For chain tips of the browsers: the match opens with them, and chains are renewed (sealed dice only)."""
WAIT_THROW: Final = "throw"
"""For `seat` to throw: `Do` with `throw`; by hand, for somebody to enter what the dice show."""
WAIT_DECIDE: Final = "decide"
"""For a decision of `seat`, a person."""
WAIT_CONTRIBUTE: Final = "contribute"
"""For the contributions to the draw that was asked for; nothing to press."""
WAIT_BOT: Final = "bot"
"""For the table itself: a computer player's move or throw, the only move there is, a throw that no seat makes."""
WAIT_READY: Final = "ready"
"""For all people to be ready: the cards of a round lie face down, or a race of taps is to begin."""
WAIT_CHOOSE: Final = "choose"
"""For people to choose in secret, all at once."""
WAIT_GRAB: Final = "grab"
"""For the hands that race, and the verdict."""
WAIT_TAP: Final = "tap"
"""For taps: whoever's hand is first throws."""
WAIT_HANDS: Final = "hands"
"""By hand: for somebody to enter who took what."""
WAIT_OVER: Final = "over"
"""For nothing: the match is over."""

PERSON: Final = "person"
COMPUTER: Final = "computer"
FORCED: Final = "forced"
TOGETHER: Final = "together"

SUBSTITUTE_LEVEL: Final = "good"
DRAWS_OF_A_ROUND: Final = 4
"""A round has one deal, at most two lots, one order: chains that are shorter are renewed before it."""
DRAWS_OF_A_TAP: Final = 10
"""A tap brings at most a lot and, one after the other, nine dice of different kinds."""
PROPOSAL_SECONDS: Final = 120.0
HAPPENINGS_KEPT: Final = 40
FIRST_FREE_WITNESS: Final = 100
"""From this number on witnesses are people at a seat whose name in the draws is another browser's."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a table waits for; `kind` is one of the WAIT_ constants."""

    kind: str
    seat: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what messages and frames carry."""
        return {"for": self.kind, "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the server alone knows of a table, fixed before the match.

    Attributes:
        chain: the secret of the server's chain of sealed draws.
        deck: the secret of hidden shuffles.
        owners: per seat the browser that plays it (a digest of its token) when the table is set up, None for the
            computer's and for open seats.
        creator: the browser that set the table up.
        follows: the table whose next match this one is, None where nobody asked for a rematch.
    """

    chain: bytes
    deck: bytes
    owners: tuple[str | None, ...]
    creator: str
    follows: str | None = None

    @classmethod
    def fresh(cls, owners: tuple[str | None, ...], creator: str, follows: str | None = None) -> Self:
        """Return new secrets from the operating system."""
        return cls(new_secret(), new_secret(), owners, creator, follows)

    def to_dict(self) -> dict[str, Any]:
        """Return what the store keeps."""
        return {
            "chain": self.chain.hex(),
            "deck": self.deck.hex(),
            "owners": list(self.owners),
            "creator": self.creator,
            **({} if self.follows is None else {"follows": self.follows}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what the store kept."""
        chain, deck = (bytes.fromhex(data[name]) for name in ("chain", "deck"))
        return cls(chain, deck, tuple(data["owners"]), data["creator"], data.get("follows"))


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a turn began: its seat (None: a round of all), the length of the history, and when (seconds since 1970)."""

    seat: int | None
    step: int
    at: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question to the others, as `commands.Propose` asks it.

    Attributes:
        n: its number, the version after it.
        what: one of `commands.PROPOSALS`.
        owner: the browser that asks.
        at: when, in seconds since 1970; it ends after PROPOSAL_SECONDS.
        step: where a rewind goes back to.
        seat: the seat that is asked for.
        name: the name at that seat.
        agreed: the browsers that have said yes.
    """

    n: int
    what: str
    owner: str
    at: float
    step: int
    seat: int
    name: str
    agreed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """One entry of the state's history: the log entry behind it, its move, by whom, for which seat, and its throw."""

    seq: int
    move: str
    by: str
    seat: int | None
    throw: dict[str, Any] | None = None


@dataclass(slots=True)
class Table:
    """A table's present, folded from its entries.

    Attributes:
        id: the table's id.
        setup: how it is set up, with the seats as they are now.
        secrets: the server's secrets of this table.
        state: the match.
        owners: per seat the browser that plays it.
        host: the browser that is host by the log.
        version: number of entries folded in.
        started: whether the match has begun; before that people may sit down.
        asked: whether a throw or a lot was asked for and is not drawn yet.
        rounds: the present round, in games in which all move at once.
        drawn: the last sealed draw, as `frames.Frame.draw` describes it.
        renewing: whether new chains were asked for.
        ended: whether the match was ended by agreement.
        open_hands: whether everybody sees what is hidden in the hands.
        applied: id of each command that was carried out, with the version after it.
        sealed: the server's side of the sealed draws, from the opening on.
        contributors: the browser behind each contributor's name.
        named: the browser that first had each contributor's name.
        absent: contributors that were left out of the last draw.
        words: the six words of the opening record or the last renewal.
        witnesses: browsers without a seat that contribute to the dice.
        substitutes: seats that a computer plays on, with whether only for this turn.
        proposal: the last question to the others that has no end yet; see `open_proposal`.
        rematch: id of the table where the next match is played.
        turns: where the turns that stand began.
        happenings: the last things that happened around the match: dicts with version, step and kind.
        last_at: when the last entry was made.
    """

    id: str
    setup: TableSetup
    secrets: Secrets
    state: State
    owners: tuple[str | None, ...]
    host: str
    started: bool
    version: int = 0
    asked: bool = False
    renewing: bool = False
    ended: bool = False
    open_hands: bool = False
    applied: dict[str, int] = field(default_factory=dict)
    sealed: SealedServer | None = None
    contributors: dict[str, str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    witnesses: tuple[str, ...] = ()
    substitutes: dict[int, bool] = field(default_factory=dict)
    proposal: Proposal | None = None
    rematch: str | None = None
    turns: list[Turn] = field(default_factory=list)
    happenings: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=HAPPENINGS_KEPT))
    last_at: float = 0.0
    rounds: Rounds = field(default_factory=Rounds)
    drawn: dict[str, Any] | None = None
    _steps: list[_Step] = field(default_factory=list)
    _lengths: list[int] = field(default_factory=list)
    """How long the state's history is at each version."""
    _rewound: int = 0
    """The version of the last undo."""
    _waiting: Waiting | None = None
    _taps: tuple[int, ...] | None = None
    _request: DrawRequest | None = None
    _undoable: dict[tuple[int, ...] | None, int | None] = field(default_factory=dict)
    """What was reckoned of the present version, once."""

    @classmethod
    def fresh(cls, table_id: str, setup: TableSetup, secrets: Secrets) -> Self:
        """Return a table without entries."""
        table = cls(
            table_id, setup, secrets, setup.first_state(), secrets.owners, secrets.creator, not setup.room,
            open_hands=setup.open_hands,
        )  # fmt: skip
        table._lengths.append(len(setup.given_moves))
        return table

    @classmethod
    def load(cls, stored: NewTable) -> Self:
        """Rebuild a table from the store; raises StoreError that names the entry where the log does not hold."""
        try:
            setup = TableSetup.from_dict(stored.setup, kept=True)
            table = cls.fresh(stored.id, setup, Secrets.from_dict(stored.secrets))
            table.last_at = stored.created
        except _BROKEN as fault:
            raise StoreError(f"table {stored.id} cannot be read: {fault}") from None
        for entry in stored.entries:
            try:
                table.absorb([entry])
            except _BROKEN as fault:
                raise StoreError(f"table {stored.id} is damaged at entry {entry.seq} ({entry.kind}): {fault}") from None
        return table

    # --- what it waits for, and what there is to know ---------------------------------------------------------

    @property
    def by_hand(self) -> bool:
        """Whether people throw real dice."""
        return self.setup.dice == HAND

    @property
    def over(self) -> bool:
        """Whether the match is over, by its rules or by agreement."""
        return self.ended or self.state.is_terminal()

    @property
    def settled_for_good(self) -> bool:
        """Whether nothing may be taken back any more: what real dice showed last may still be put right."""
        return self.ended or (self.over and not self.by_hand)

    @property
    def has_secrets(self) -> bool:
        """Whether the game has things that not everybody may see."""
        return not self.setup.loaded.spec.perfect_information

    @property
    def has_hands(self) -> bool:
        """Whether somebody holds what only some may see."""
        return any(each.seen_by is Seen.OWNER for each in self.state.game.layout.fields)

    @property
    def waiting(self) -> Waiting:
        """What the table waits for."""
        if self._waiting is None:
            self._waiting = self._wait()
        return self._waiting

    def _wait(self) -> Waiting:
        if not self.started:
            return Waiting(WAIT_ROOM)
        if self.over:
            return Waiting(WAIT_OVER)
        if self.rounds.armed is not None:
            return Waiting(WAIT_GRAB)
        if not self.by_hand and not self.asked and self._needs_tips():
            return Waiting(WAIT_TIP)
        player, roller = self.state.current_player(), self.state.roller()
        if self.asked:
            return Waiting(WAIT_CONTRIBUTE, roller)
        if self.rounds.dealt:
            return Waiting(WAIT_READY)
        if self.taps:
            return Waiting(WAIT_READY if self.rounds.tapping is None else WAIT_TAP)
        if player == SIMULTANEOUS:
            return Waiting(WAIT_HANDS if self.by_hand else WAIT_CHOOSE if self.choosing else WAIT_BOT)
        if player == CHANCE:
            person = roller is not None and not self.plays_itself(roller)
            return Waiting(WAIT_THROW if person or self.by_hand else WAIT_BOT, roller)
        forced = len(self.state.legal_actions(player)) == 1
        return Waiting(WAIT_BOT if forced or self.plays_itself(player) else WAIT_DECIDE, player)

    def _needs_tips(self) -> bool:
        if self.sealed is None or self.renewing:
            return True
        if self.taps:
            return self.sealed.draws_left < DRAWS_OF_A_TAP
        in_round = self.rounds.dealt or not deal_size(self.state)
        return self.sealed.draws_left < (1 if in_round else DRAWS_OF_A_ROUND)

    @property
    def choosing(self) -> list[int]:
        """The seats of people that still choose in a round."""
        return [seat for seat in self.playing if seat not in self.rounds.choices]

    @property
    def playing(self) -> list[int]:
        """The seats that people play now."""
        return [seat for seat in range(len(self.owners)) if not self.plays_itself(seat)]

    @property
    def taps(self) -> tuple[int, ...]:
        """The seats that race for the next throw, whoever taps first; () where none do, or real hands do."""
        if self._taps is None:
            self._taps = tapping(self.state) if self.setup.tapped else ()
        return self._taps

    @property
    def called(self) -> list[int]:
        """The seats of people who are to be ready: all, or those who race for a throw."""
        return [seat for seat in self.playing if not self.taps or seat in self.taps]

    @property
    def handicaps(self) -> list[int]:
        """The head starts in milliseconds that the seats give the others."""
        return [seat.handicap for seat in self.setup.seats]

    @property
    def open_state(self) -> State:
        """The match with the cards of the present round open, for the computer's hands and the arbiter alone."""
        return self.state.clone().play(*self.rounds.dealt)

    def plays_itself(self, seat: int) -> bool:
        """Say whether the computer plays a seat now, as its own or for somebody."""
        return self.setup.seats[seat].is_bot or seat in self.substitutes

    def level_of(self, seat: int) -> str | None:
        """Return the level at which the computer plays a seat now; None: a person plays it."""
        if seat in self.substitutes:
            levels = offered_levels(self.setup.game, "level")
            return SUBSTITUTE_LEVEL if SUBSTITUTE_LEVEL in levels else levels[len(levels) // 2]
        return self.setup.seats[seat].level

    @property
    def throw_goes_on(self) -> bool:
        """Whether some dice of a throw lie there already: those of other kinds follow at once."""
        return bool(self.state.view()["shown"].get("landed"))

    @property
    def same_seat_decides_on(self) -> bool:
        """Whether the seat that decides now made the last decision, too, and nothing was thrown or dealt since."""
        last = self._steps[-1] if self._steps else None
        return last is not None and last.throw is None and last.seat == self.state.current_player()

    @property
    def steps_in_a_row(self) -> int:
        """How many throws and decisions the seat whose turn it is has just made, one after the other.

        A throw of dice of several kinds counts once, though each kind is thrown by itself.
        """
        seat = self.state.roller() if self.state.is_chance_node() else self.state.current_player()
        by_kinds = "landed" in self.state.view()["shown"]
        count, thrown = 0, False
        for step in reversed(self._steps):
            if (step.seat if step.throw is None else step.throw["seat"]) != seat:
                break
            count += not (by_kinds and thrown and step.throw is not None)
            thrown = step.throw is not None
        return count

    @property
    def request(self) -> DrawRequest | None:
        """The request to the contributors while a draw is asked for: the same after every restart."""
        if self._request is None:
            self._request = self._ask()
        return self._request

    def _ask(self) -> DrawRequest | None:
        if self.sealed is None or not self.asked or self.over:
            return None
        if self.rounds.lot:
            return self.sealed.request(LOT, None, "order", len(self.rounds.lot))
        purpose = DEAL if deal_size(self.state) else THROW
        return self.sealed.request(purpose, self.state.roller(), *sealed_form(self.state))

    @property
    def last_throw(self) -> dict[str, Any] | None:
        """The last throw that stands, as `frames.Frame.draw` describes it."""
        return self.throw_before(len(self._steps) + len(self.setup.given_moves))

    def throw_before(self, step: int) -> dict[str, Any] | None:
        """Return the last throw that stands before the history entry `step`."""
        steps = self._steps[: max(0, step - len(self.setup.given_moves))]
        return next((each.throw for each in reversed(steps) if each.throw is not None), None)

    def moves(self) -> list[str]:
        """Return the history that stands, with the moves that were given: hidden things included."""
        return [*self.setup.given_moves, *(step.move for step in self._steps)]

    def whole_step(self, step: int) -> int:
        """Return the last history entry up to `step` that is not in the middle of a round: there a match may begin."""
        inside = (each for each in self.rounds.verdicts if each["step"] < step < each["end"])
        return next((int(each["step"]) for each in inside), step)

    def seats_of(self, owner: str | None) -> tuple[int, ...]:
        """Return the seats that a browser plays."""
        return tuple(seat for seat, name in enumerate(self.owners) if owner is not None and name == owner)

    def takes_part(self, owner: str | None) -> bool:
        """Say whether a browser plays a seat or has set the table up."""
        return owner is not None and (owner in self.owners or owner == self.secrets.creator)

    def is_host(self, owner: str, company: Company) -> bool:
        """Say whether a browser is the host now."""
        return owner == (company.host or self.host)

    def contributor_name(self, owner: str | None) -> str | None:
        """Return the name under which a browser contributes to the draws; None: it does not, or not yet.

        Several seats at one browser are one contributor. Who has set up a table without playing is its first witness.
        A browser keeps its name, and no other is given it: a browser takes a chain under its name for its own.
        """
        if owner is None or not self.started or owner not in {*self.owners, *self.witnesses, self.secrets.creator}:
            return None
        wanted = [seat_name(seat) for seat in self.seats_of(owner)]
        if owner in self.witnesses:
            wanted.append(f"witness-{1 + self.witnesses.index(owner)}")
        elif owner == self.secrets.creator:
            wanted.append("witness-0")
        had = (name for name, browser in self.named.items() if browser == owner)
        free = (name for name in wanted if name not in self.named)
        others = (name for name in map("witness-{}".format, count(FIRST_FREE_WITNESS)) if name not in self.named)
        return next(chain(had, free, others))

    @property
    def expected_tips(self) -> dict[str, str]:
        """The browsers whose chain tips the table waits for: name to browser."""
        browsers = dict.fromkeys(each for each in (*self.owners, self.secrets.creator, *self.witnesses) if each)
        names = {self.contributor_name(browser): browser for browser in browsers}
        return {name: browser for name, browser in names.items() if name is not None}

    @property
    def silent(self) -> tuple[int, ...]:
        """The seats of people whose browser has no part in the dice."""
        if self.sealed is None:
            return ()
        taking = set(self.contributors.values())
        return tuple(seat for seat, owner in enumerate(self.owners) if owner is not None and owner not in taking)

    def has_part(self, owner: str) -> bool:
        """Say whether a browser contributes to the dice, and did so in the last draw that it was asked for."""
        return any(who not in self.absent for who, browser in self.contributors.items() if browser == owner)

    def may_renew(self, owner: str) -> bool:
        """Say whether a browser may ask for new chains now, so that it has a part in the dice from then on."""
        moments = (WAIT_THROW, WAIT_DECIDE, WAIT_BOT, WAIT_READY, WAIT_CHOOSE)
        between = self.sealed is not None and self.waiting.kind in moments
        return between and owner in self.owners and not self.has_part(owner)

    def turn_clock(self, not_before: float, ready: Collection[int] = ()) -> TurnClock | None:
        """Return the clock of the turn if people are to act and time is limited; it runs from `not_before` at most.

        `ready` are the seats that have said so for the round that is to begin: it is the others who are waited for.
        """
        waiting, seats = self.waiting, tuple[int, ...]()
        began = self.turns[-1].at if self.turns else 0.0
        if waiting.kind == WAIT_CHOOSE:
            seats, began = tuple(self.choosing), self.rounds.opened_at
        elif waiting.kind == WAIT_READY:
            seats, began = tuple(seat for seat in self.called if seat not in ready), self.rounds.called_at
        elif waiting.kind in (WAIT_THROW, WAIT_DECIDE) and waiting.seat is not None:
            seats = () if self.plays_itself(waiting.seat) else (waiting.seat,)
        if not self.setup.turn_seconds or not seats:
            return None
        return TurnClock(seats, self.setup.turn_seconds, max(began, not_before))

    def next_setup(self) -> TableSetup:
        """Return the setup of the next match: the same seats; the winner begins where the game has it so (5050 §11).

        It is checked like any that is stored; raises SetupError.
        """
        options, returns = dict(self.setup.options), self.state.returns()
        if "first" in options and max(returns) > 0:
            options["first"] = returns.index(max(returns))
        return TableSetup.from_dict(
            {**self.setup.to_dict(), "options": options, "room": False, "given": None}, kept=True
        )

    @property
    def record_is_open(self) -> bool:
        """Whether everybody may see the record: at once, or where things are hidden after the end."""
        return self.over or not self.has_secrets

    def record(self) -> str:
        """Return the match as a `.bolz` text; the proof of a finished match opens the deck secret."""
        proof = None if self.sealed is None else self.sealed.proof(closed=self.over)
        names = [seat.name for seat in self.setup.seats]
        if self.sealed is not None:
            # Names may have changed since; the record says what the opening says.
            names = [seat["name"] for seat in self.sealed.opening.seats]
        dice = HAND_DICE if self.by_hand else SEALED_DICE
        return write_record(record_of(self.state, names, dice, proof, len(self.setup.given_moves)))

    def steps_since(self, version: int) -> int:
        """Return the length of the history at `version`: later steps are new to who was there then.

        After an undo there is nothing to show of the way: what is new is the present state.
        """
        if not self._rewound <= version <= self.version:
            return self.state.move_number()
        return self._lengths[version]

    def undo_start(self, seats: Sequence[int] | None = None) -> int | None:
        """Return the first entry that an undo takes back now, by the browser that plays `seats` (None: by any).

        With dice by hand that is the last thing that a person did, with all after it. Sealed dice that fell are never
        taken back by one alone, nor what let somebody see hidden things, nor a decision after which another has acted.
        None where nothing may be taken back.
        """
        key = None if seats is None else tuple(seats)
        if key not in self._undoable:
            self._undoable[key] = self._find_undo(key)
        return self._undoable[key]

    def _find_undo(self, seats: tuple[int, ...] | None) -> int | None:
        if self.asked or self.rematch is not None or self.settled_for_good:
            return None
        for step in reversed(self._steps):
            if not self.by_hand and (step.throw is not None or step.by in (COMPUTER, TOGETHER)):
                return None
            if step.by == PERSON:
                mine = seats is None or step.seat is None or step.seat in seats
                return step.seq if mine and not self._has_shown(step) else None
        return None

    def _has_shown(self, step: _Step) -> bool:
        """Say whether things that its seat cannot see were touched from a step on: then it may have seen one.

        What lies in the seat's own hand is no news to it: a card that it played goes back there.
        """
        if not self.has_secrets or self.by_hand:
            return False
        game = self.state.game
        before = game.replay(self.moves()[: self._place(step.seq)])
        return _unseen(game, before, step.seat) != _unseen(game, self.state, step.seat)

    def _place(self, seq: int) -> int:
        """Return the length of the history before the entry `seq`."""
        return len(self.setup.given_moves) + sum(step.seq < seq for step in self._steps)

    def bot_stream(self, seat: int | None = None) -> FastStream:
        """Return the luck of the computer player that decides now, the same whenever this point is reached again.

        `seat` parts those that move at once.
        """
        whose = "" if seat is None else f" at seat {seat} of round {self.rounds.n}"
        digest = hashlib.sha256(
            f"bolzplatz computer player {self.id} {self.secrets.deck.hex()}{whose}".encode()
        ).digest()
        return FastStream(int.from_bytes(digest[:8], "big"), self.state.move_number())

    # --- questions to the others ------------------------------------------------------------------------------

    def open_proposal(self, now: float) -> Proposal | None:
        """Return the question that waits for answers."""
        asked = self.proposal
        if asked is None or now >= asked.at + PROPOSAL_SECONDS or self.rematch is not None:
            return None
        return None if self.settled_for_good or (self.over and asked.what != REWIND) else asked

    def asked_of(self, proposal: Proposal, company: Company) -> frozenset[str]:
        """Return the browsers whose yes a proposal needs: all others who play and are not gone.

        Open hands need everybody's. A seat is its person's own to give away, unless that person is gone.
        """
        others = {owner for owner in self.owners if owner is not None} - {proposal.owner}
        if proposal.what == OPEN_HANDS:
            return frozenset(others)
        if proposal.what == SEAT:
            sitting = self.owners[proposal.seat]
            if sitting is not None and not company.is_gone(sitting):
                return frozenset((sitting,))
        return frozenset(owner for owner in others if not company.is_gone(owner))

    # --- what a browser may do ---------------------------------------------------------------------------------

    def may_enter(self, seats: Sequence[int] | None) -> bool:
        """Say whether the browser that plays `seats` (None: any) throws real dice now, its own or the computer's.

        A card that one seat alone may know is entered where that one sits.
        """
        roller = self.state.drawer()
        if roller is None:
            roller = self.state.roller()
        anybody = roller is None or self.plays_itself(roller)
        return seats is None or (bool(seats) and (anybody or roller in seats))

    def may_substitute(self, seat: int, now: float, company: Company) -> bool:
        """Say whether the others may let the computer play a seat on: its person is gone, or the time is over.

        Where people reach for real pieces the computer has no hand to play with.
        """
        person, clock = self.owners[seat], company.clock
        if person is None or not self.started or self.over or self.substitutes.get(seat) is False:
            return False
        if self.by_hand and self.setup.all_at_once:
            return False
        late = clock is not None and seat in clock.seats and clock.state(now) == OVER
        return company.is_gone(person) or (late and seat not in self.substitutes)

    def may_propose(self, owner: str, company: Company) -> list[str]:
        """Return what a browser may propose now; a rewind and a seat still need a place."""
        seated = bool(self.seats_of(owner))
        if not self.started or self.rematch is not None:
            return []
        found = []
        if self._steps and self.is_host(owner, company) and not self.settled_for_good:
            found.append(REWIND)
        if seated and not self.over:
            found.append(END)
            found += [OPEN_HANDS] if self.has_hands and not self.open_hands else []
        if not seated and not self.over and any(other is not None for other in self.owners):
            found.append(SEAT)
        return found

    def settled(self, now: float, company: Company) -> bool:
        """Say whether all who are still there have agreed to the open question, and somebody has."""
        proposal = self.open_proposal(now)
        if proposal is None or not proposal.agreed or (proposal.what == REWIND and self.asked):
            return False
        return self.asked_of(proposal, company) <= set(proposal.agreed)

    @property
    def server_tip(self) -> bytes:
        """The server's own tip at the opening."""
        return make_chain(self.secrets.chain, self.id, SERVER).tip

    # --- the fold ---------------------------------------------------------------------------------------------

    def absorb(self, entries: Iterable[Entry]) -> None:
        """Fold stored entries in, in order; one of `_BROKEN` where an entry does not follow from those before it."""
        for entry in entries:
            _FOLD[entry.kind](self, entry)
            self.version, self.last_at = entry.seq, entry.at
            self._waiting = self._request = self._taps = None
            self._follow_taps(entry)
            self._undoable.clear()
            self._follow_turn(entry.at)
            self._lengths.append(self.state.move_number())
            if entry.command is not None:
                self.applied[entry.command] = entry.seq

    def _follow_taps(self, entry: Entry) -> None:
        """Note where a race of taps begins, and where it is over."""
        rounds, step = self.rounds, self.state.move_number()
        over = rounds.tap_step != step and not self.asked and (not self.taps or tap_begins(self.state))
        if rounds.tapping is not None and over:
            rounds.tapping = None
        if self.taps and rounds.tapping is None and rounds.tap_step != step:
            rounds.begin_taps(entry.seq, entry.at, step)

    def _follow_turn(self, at: float) -> None:
        """Note where a turn begins; a substitute for one turn, or for one round or race, leaves with it."""
        waiting, step = self.waiting, self.state.move_number()
        together = self.setup.all_at_once or (waiting.kind == WAIT_READY and bool(self.taps))
        if self.rounds.tapping is not None:
            return
        if together:
            begins = waiting.kind in (WAIT_READY, WAIT_THROW) and (not self.turns or self.turns[-1].step != step)
        elif waiting.kind in (WAIT_ROOM, WAIT_TIP, WAIT_OVER) or waiting.seat is None:
            return
        else:
            begins = not self.turns or self.turns[-1].seat != waiting.seat
        after_race = begins and bool(self.turns) and self.turns[-1].seat is None
        if begins:
            self.turns.append(Turn(waiting.seat, step, at))
        acting = self.turns[-1].seat if self.turns else None
        for seat in [seat for seat, only_turn in self.substitutes.items() if only_turn]:
            if begins if together else after_race or seat != acting:
                del self.substitutes[seat]

    def _tell(self, entry: Entry, kind: str | None = None, **told: Any) -> None:
        """Keep what happened, for the log that people read."""
        step = self.state.move_number()
        self.happenings.append({"version": entry.seq, "step": step, "kind": kind or entry.kind, **told})

    def _fold_seating(self, entry: Entry) -> None:
        if self.started:
            raise ValueError("seats change after the start")
        seat = entry.body["seat"]
        before = self.setup.seats[seat].name if seat < len(self.setup.seats) else ""
        self.setup = self.setup.seated([Seat(**each) for each in entry.body["seats"]])
        self.owners = tuple(entry.body["owners"])
        if len(self.owners) != len(self.setup.seats):
            raise ValueError("a seat without an owner's place")
        self.state = self.setup.first_state()
        after = self.setup.seats[seat].name if seat < len(self.setup.seats) else ""
        self._tell(entry, seat=seat, name=after or before, was=before)

    def _fold_started(self, entry: Entry) -> None:
        if self.started or self.setup.open_seats:
            raise ValueError("a start that is not possible")
        self.started = True
        self._tell(entry)

    def _fold_opened(self, entry: Entry) -> None:
        opening = Opening.from_json(entry.body["opening"])
        self.sealed = SealedServer(opening, self.secrets.chain, self.secrets.deck)
        self._take_contributors(entry)
        self._tell(entry, silent=list(self.silent))

    def _fold_renewing(self, entry: Entry) -> None:
        self.renewing = True
        self._tell(entry, seat=entry.body["seat"])

    def _fold_renewal(self, entry: Entry) -> None:
        before = set(self.contributors)
        self._sealed.record(entry.body["entry"])
        self.renewing = False
        self._take_contributors(entry)
        after = set(self.contributors)
        self._tell(entry, "renewed", joined=sorted(after - before), dropped=sorted(before - after))

    def _take_contributors(self, entry: Entry) -> None:
        self.contributors, self.absent = dict(entry.body["contributors"]), ()
        self.named = {**self.contributors, **self.named}
        self.words = six_words(self.id, self._sealed.head)

    def _fold_action(self, entry: Entry) -> None:
        move = entry.body["move"]
        if self.state.is_chance_node():
            raise ValueError("a decision where dice decide")
        self.state.apply_action(self.state.string_to_action(move))
        if self.sealed is not None:
            self.sealed.append(entry.body, hidden=self.has_secrets)
        self._steps.append(_Step(entry.seq, move, entry.body["by"], entry.body["seat"]))

    def _fold_throw(self, _entry: Entry) -> None:
        self.asked = True

    def _fold_draw(self, entry: Entry) -> None:
        checked = self._sealed.record(entry.body)
        if not isinstance(checked, CheckedDraw) or checked.faces is None:
            raise ValueError("no draw of dice")
        self.asked, self.absent = False, checked.draw.absent
        if checked.draw.request.purpose == LOT:
            self.drawn = self._thrown_by(checked, None, None)
            level, self.rounds.lot = sorted(self.rounds.lot), ()
            self.rounds.lots.append(tuple(level[face] for face in checked.faces))
            return
        if deal_size(self.state):
            self.drawn = self._thrown_by(checked, None, None)
            self.rounds.begin(entry.seq, entry.at, dealt_moves(self.state, checked.faces), self.drawn)
            return
        draw = outcome_of_sealed(self.state, checked.faces)
        outcome = order_of_hands(self.state, draw.outcome, self.handicaps)
        dice = len(draw.faces) > 0
        self.drawn = self._thrown_by(
            checked, list(draw.faces) if dice else None, face_texts(self.state, draw.faces) if dice else None
        )
        self._apply_throw(entry.seq, outcome, COMPUTER, None, self.drawn)
        if self.setup.all_at_once:
            self._judge(THINKING)
        # A throw of unlike dice comes in several draws: after a tap the rest is asked for by itself. The throw that
        # comes next when the race is over is somebody's own.
        racing = self.rounds.tapping is not None and self.state.view()["shown"]["race"] is not None
        self.asked = racing and self.state.is_chance_node() and self.state.roller() is not None

    def _thrown_by(self, checked: CheckedDraw, drawn: list[int] | None, faces: list[str] | None) -> dict[str, Any]:
        """Return a sealed draw as `frames.Frame.draw` describes it."""
        return {
            "by": SEALED,
            "drawn": drawn,
            "faces": faces,
            "k": checked.draw.request.k,
            "absent": list(checked.draw.absent),
            "hidden": checked.draw.request.form == "deck",
            "seat": None,
            "move": None,
            "step": self.state.move_number(),
        }

    def _fold_hand(self, entry: Entry) -> None:
        seat, judged = entry.body.get("entered"), self.state.current_player() == SIMULTANEOUS
        for move in entry.body.get("moves") or [entry.body["move"]]:
            if judged:
                self._act_together(entry.seq, move, PERSON, seat)
                continue
            thrown: dict[str, Any] = {
                "by": HAND,
                "drawn": None,
                "faces": None,
                "k": None,
                "absent": [],
                # A real card that only its owner has seen is told to nobody else either.
                "hidden": form_kind(self.state.chance_form()) == FORM_HIDDEN,
            }
            self._apply_throw(entry.seq, self.state.string_to_action(move), PERSON, seat, thrown)
        if judged:
            self._judge(BY_HAND)
        elif self.setup.all_at_once:
            self.rounds.n = entry.seq

    # --- rounds in which all move at once ---

    def _fold_reveal(self, entry: Entry) -> None:
        self._open_cards(entry.seq)
        self.rounds.opened_at = entry.at
        self._sealed.append(entry.body, hidden=True)

    def _open_cards(self, seq: int) -> None:
        """Lay the cards of the present round open."""
        cards, self.rounds.dealt = self.rounds.dealt, ()
        for move in cards:
            self._apply_throw(seq, self.state.string_to_action(move), COMPUTER, None, dict(self.rounds.deal or {}))

    def _fold_choice(self, entry: Entry) -> None:
        self.rounds.choices[entry.body["seat"]] = entry.body["wish"]

    def _fold_together(self, entry: Entry) -> None:
        self._act_together(entry.seq, entry.body["move"], TOGETHER, None)
        self._sealed.append(entry.body, hidden=True)
        if sum(wish != NO_HAND for wish in entry.body["move"].split()) < 2:
            self._judge(THINKING)

    def _act_together(self, seq: int, move: str, by: str, seat: int | None) -> None:
        self.state.play(move)
        self._steps.append(_Step(seq, move, by, seat))

    def _judge(self, pace: str) -> None:
        """Keep the verdict on a round without time, which has just ended."""
        wishes, order = self._steps[-1].move.split(), list[int]()
        if wishes[0] == ORDER:
            wishes, order = self._steps[-2].move.split(), [int(hand) for hand in wishes[1:]]
        order = order or [seat for seat, wish in enumerate(wishes) if wish != NO_HAND]
        began = self.turns[-1].step if self.turns else 0
        self.rounds.judge(began, self.state.move_number(), pace, verdict_of_wishes(wishes, order))

    def _fold_tap(self, entry: Entry) -> None:
        body = entry.body
        self._sealed.append(body)
        if body["tap"] is None:
            self.rounds.begin_taps(entry.seq, entry.at, self.state.move_number())
            return
        self.rounds.lots = []
        self._act_together(entry.seq, body["move"], TOGETHER, None)
        self.asked = True

    def _fold_armed(self, entry: Entry) -> None:
        if self.taps:
            self.rounds.tapping = entry.body
            return
        if not self.rounds.dealt:
            raise ValueError("a race without cards")
        self.rounds.armed, self.rounds.armed_at = entry.body, entry.seq

    def _fold_lot(self, entry: Entry) -> None:
        self.rounds.lot = tuple(entry.body["seats"])
        self.asked = True

    def _fold_race(self, entry: Entry) -> None:
        body, first = entry.body, self.state.move_number()
        self._open_cards(entry.seq)
        self._act_together(entry.seq, body["move"], TOGETHER, None)
        if body["order"] is not None:
            self._act_together(entry.seq, body["order"], TOGETHER, None)
        self._sealed.append(body, hidden=True)
        if body["race"] is None:
            verdict = verdict_of_wishes(body["move"].split(), [], BROKEN_OFF)
        else:
            verdict = verdict_of_race(body["race"])
        self.rounds.judge(first, self.state.move_number(), GRAB, verdict)
        self.asked = False

    def _apply_throw(self, seq: int, outcome: int, by: str, seat: int | None, thrown: dict[str, Any]) -> None:
        if not self.state.is_chance_node():
            raise ValueError("a throw where somebody decides")
        move = self.state.action_to_string(outcome)
        told = None if thrown["hidden"] else move
        thrown |= {"seat": self.state.roller(), "move": told, "step": self.state.move_number()}
        self.state.apply_action(outcome)
        self._steps.append(_Step(seq, move, by, seat, thrown))

    def _fold_undo(self, entry: Entry) -> None:
        kept = [step for step in self._steps if step.seq < entry.body["from"]]
        gone = self._steps[len(kept) :]
        if self.sealed is not None:
            self.sealed.append({"undo": len(kept)})
        self._steps = kept
        self.state = self.setup.loaded.replay(self.moves())
        self.rounds.back_to(self.state.move_number())
        self._rewound = entry.seq
        length = self.state.move_number()
        self.turns = [turn for turn in self.turns if turn.step <= length]
        if self.turns:
            self.turns[-1] = replace(self.turns[-1], at=entry.at)
        if self.proposal is not None and self.proposal.what == REWIND:
            self.proposal = None
        kind = "rewound" if entry.body.get("agreed") else "undo"
        draws = len({step.throw["k"] for step in gone if step.throw is not None} - {None})
        self._tell(entry, kind, steps=len(gone), draws=draws)

    def _fold_substitute(self, entry: Entry) -> None:
        seat = entry.body["seat"]
        if entry.body["on"]:
            self.substitutes[seat] = entry.body["turn"]
        else:
            del self.substitutes[seat]
        together = self.setup.all_at_once or bool(self.taps)
        self._tell(
            entry, seat=seat, on=entry.body["on"], turn=entry.body["turn"], by=entry.body["by"], together=together
        )

    def _fold_proposed(self, entry: Entry) -> None:
        self.proposal = Proposal(entry.seq, at=entry.at, **entry.body)
        seats = self.seats_of(self.proposal.owner)
        self._tell(entry, what=self.proposal.what, seat=seats[0] if seats else None, name=self.proposal.name)

    def _fold_agreed(self, entry: Entry) -> None:
        if self.proposal is None or self.proposal.n != entry.body["n"]:
            raise ValueError("an answer to no question")
        self.proposal = replace(self.proposal, agreed=(*self.proposal.agreed, entry.body["owner"]))

    def _fold_declined(self, entry: Entry) -> None:
        if self.proposal is None or self.proposal.n != entry.body["n"]:
            raise ValueError("an answer to no question")
        self._tell(entry, what=self.proposal.what, seat=entry.body["seat"])
        self.proposal = None

    def _fold_seat_taken(self, entry: Entry) -> None:
        seat, owners, seats = entry.body["seat"], list(self.owners), list(self.setup.seats)
        if seats[seat].kind != HUMAN:
            raise ValueError("a seat that nobody can take over")
        owners[seat] = entry.body["owner"]
        seats[seat] = replace(seats[seat], name=entry.body["name"])
        self.owners, self.setup = tuple(owners), self.setup.seated(seats)
        self.witnesses = tuple(each for each in self.witnesses if each != owners[seat])
        self.substitutes.pop(seat, None)
        self.proposal = None
        self._tell(entry, seat=seat, name=entry.body["name"])

    def _fold_open_hands(self, entry: Entry) -> None:
        self.open_hands, self.proposal = True, None
        self._tell(entry)

    def _fold_ended(self, entry: Entry) -> None:
        self.ended, self.proposal = True, None
        self._tell(entry)

    def _fold_host(self, entry: Entry) -> None:
        self.host = entry.body["owner"]
        seats = self.seats_of(self.host)
        self._tell(entry, seat=seats[0] if seats else None)

    def _fold_witness(self, entry: Entry) -> None:
        owner, on = entry.body["owner"], entry.body["on"]
        others = tuple(each for each in self.witnesses if each != owner)
        self.witnesses = (*others, owner) if on else others
        self._tell(entry, on=on)

    def _fold_rematch(self, entry: Entry) -> None:
        self.rematch = entry.body["table"]

    @property
    def _sealed(self) -> SealedServer:
        if self.sealed is None:
            raise ValueError("a sealed entry before the opening")
        return self.sealed


def _unseen(game: Game, state: State, seat: int | None) -> list[list[int]]:
    """Return what a seat cannot see of a state: what nobody sees, and what only the other seats see of their own."""
    found = []
    for declared in game.layout.fields:
        if declared.seen_by is not Seen.EVERYONE:
            entries = list(getattr(state._data, declared.name))
            if declared.seen_by is Seen.OWNER and seat is not None:
                entries[seat * declared.each : (seat + 1) * declared.each] = []
            found.append(entries)
    return found


_BROKEN: Final = (ValueError, KeyError, TypeError, AttributeError, IndexError)
"""What folding raises over damaged entries; all errors of rules, notation and protocol are ValueErrors."""

_FOLD: Final[Mapping[str, Callable[[Table, Entry], None]]] = {
    "joined": Table._fold_seating,
    "left": Table._fold_seating,
    "moved": Table._fold_seating,
    "renamed": Table._fold_seating,
    "filled": Table._fold_seating,
    "removed": Table._fold_seating,
    "added": Table._fold_seating,
    "started": Table._fold_started,
    "opened": Table._fold_opened,
    "action": Table._fold_action,
    "throw": Table._fold_throw,
    "draw": Table._fold_draw,
    "renewing": Table._fold_renewing,
    "renewal": Table._fold_renewal,
    "hand": Table._fold_hand,
    "reveal": Table._fold_reveal,
    "choice": Table._fold_choice,
    "together": Table._fold_together,
    "armed": Table._fold_armed,
    "lot": Table._fold_lot,
    "race": Table._fold_race,
    "tap": Table._fold_tap,
    "undo": Table._fold_undo,
    "substitute": Table._fold_substitute,
    "proposed": Table._fold_proposed,
    "agreed": Table._fold_agreed,
    "declined": Table._fold_declined,
    "seat_taken": Table._fold_seat_taken,
    "open_hands": Table._fold_open_hands,
    "ended": Table._fold_ended,
    "host": Table._fold_host,
    "witness": Table._fold_witness,
    "rematch": Table._fold_rematch,
}
