"""One match at a table: the fold of its log, and the commands that add to the log.

`Table` is pure: no clock, no store, no sockets. `handle` answers a command with the entries that it leads to, or with a
refusal, and changes nothing; `absorb` folds entries in once they are stored. Loading a table is absorbing its entries,
so what is seen live is what a restart finds.

Kinds of entries:
    opened    sealed dice: the opening record, and which browser contributes; the match begins
    action    a decision: seat, move, and by whom (a person, a computer player, or the only move there was)
    throw     a throw was asked for; the request to the contributors follows from the log up to here
    draw      a finished sealed draw
    renewal   new chains in place of used-up ones
    hand      a throw of real dice as people entered it
    undo      takes back everything from one entry on; the log keeps both
    rematch   the next match is played at another table
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from bolzplatz.core.errors import IllegalActionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import State
from bolzplatz.core.nodes import CHANCE
from bolzplatz.core.record import HAND_DICE, SEALED_DICE, record_of, write_record
from bolzplatz.core.sealed import (
    SERVER,
    CheckedDraw,
    DrawRequest,
    Opening,
    Renewal,
    SealedError,
    SealedServer,
    deck_commitment,
    make_chain,
    new_secret,
    seat_name,
    six_words,
)
from bolzplatz.core.sealed_throw import data_digest, face_texts, outcome_of_sealed, sealed_form
from bolzplatz.table.setup import HAND, SEALED, TableSetup
from bolzplatz.table.store import Entry, NewTable, StoreError

WAIT_TIP: Final = "tip"
"""For a chain tip of the first browser: the match opens with it, and used-up chains are renewed (sealed dice only)."""
WAIT_THROW: Final = "throw"
"""For `seat` to throw: `Do` with `throw`; by hand, for anybody to enter what the dice show."""
WAIT_DECIDE: Final = "decide"
"""For a decision of `seat`, a person."""
WAIT_CONTRIBUTE: Final = "contribute"
"""For the contributions to the draw that was asked for; nothing to press."""
WAIT_BOT: Final = "bot"
"""For the table itself: a computer player's move or throw, the only move there is, a throw that no seat makes."""
WAIT_OVER: Final = "over"
"""For nothing: the match is over."""

PERSON: Final = "person"
COMPUTER: Final = "computer"
FORCED: Final = "forced"


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
        owners: per seat the browser that plays it (a digest of its token), None for the computer's.
        creator: the browser that set the table up.
    """

    chain: bytes
    deck: bytes
    owners: tuple[str | None, ...]
    creator: str

    @classmethod
    def fresh(cls, owners: tuple[str | None, ...], creator: str) -> Self:
        """Return new secrets from the operating system."""
        return cls(new_secret(), new_secret(), owners, creator)

    def to_dict(self) -> dict[str, Any]:
        """Return what the store keeps."""
        return {
            "chain": self.chain.hex(),
            "deck": self.deck.hex(),
            "owners": list(self.owners),
            "creator": self.creator,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what the store kept."""
        return cls(bytes.fromhex(data["chain"]), bytes.fromhex(data["deck"]), tuple(data["owners"]), data["creator"])


# --- commands -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Do:
    """A person's moves in order, all or nothing; `throw` also asks for the throw that follows them."""

    id: str
    version: int
    seat: int
    moves: tuple[str, ...]
    throw: bool


@dataclass(frozen=True, slots=True)
class Enter:
    """What real dice show, in notation."""

    id: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last entry by hand back."""

    id: str
    version: int


@dataclass(frozen=True, slots=True)
class Tip:
    """A contributor's chain tip; `who` is its name in the protocol, `owner` the browser that sent it."""

    who: str
    owner: str
    tip: bytes


@dataclass(frozen=True, slots=True)
class OwnThrow:
    """The table throws for a computer player, or where no seat does."""

    version: int


@dataclass(frozen=True, slots=True)
class OwnMove:
    """The table moves: what a computer player chose, or the only move there is."""

    version: int
    action: int


@dataclass(frozen=True, slots=True)
class Contribute:
    """The values that came in for the draw that was asked for; whoever is missing is left out."""

    version: int
    values: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Rematch:
    """The next match is played at the table `table`."""

    id: str
    table: str


Command = Do | Enter | Undo | Tip | OwnThrow | OwnMove | Contribute | Rematch


@dataclass(frozen=True, slots=True)
class Refused:
    """A command that is not carried out.

    Attributes:
        reason: the key of the reason: stale, not_now, illegal, …
        text: one sentence in English.
        rule: the paragraph of the rules that refuses a move.
        code: the name of the game's refusal, the key of its translations.
    """

    reason: str
    text: str
    rule: str | None = None
    code: str | None = None


# --- the table ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Step:
    """One entry of the state's history: the log entry behind it, its move, by whom, and the throw if it was one."""

    seq: int
    move: str
    by: str
    throw: dict[str, Any] | None = None


@dataclass(slots=True)
class Table:
    """A table's present, folded from its entries.

    Attributes:
        id: the table's id.
        setup: how it was set up.
        secrets: the server's secrets of this table.
        state: the match.
        version: number of entries folded in.
        asked: whether a throw was asked for and is not drawn yet.
        applied: id of each command that was carried out, with the version after it.
        sealed: the server's side of the sealed draws, from the opening on.
        contributors: protocol name of each contributor, with the browser that contributes.
        words: the six words to compare aloud, of the opening record or of the last renewal.
        rematch: the table of the next match, once there is one.
    """

    id: str
    setup: TableSetup
    secrets: Secrets
    state: State
    version: int = 0
    asked: bool = False
    applied: dict[str, int] = field(default_factory=dict)
    sealed: SealedServer | None = None
    contributors: dict[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    rematch: str | None = None
    _steps: list[_Step] = field(default_factory=list)
    _lengths: list[int] = field(default_factory=lambda: [0])
    """How long the state's history is at each version."""
    _rewound: int = 0
    """The version of the last undo."""

    @classmethod
    def fresh(cls, table_id: str, setup: TableSetup, secrets: Secrets) -> Self:
        """Return a table without entries."""
        return cls(table_id, setup, secrets, setup.loaded.new_initial_state())

    @classmethod
    def load(cls, stored: NewTable) -> Self:
        """Rebuild a table from the store; raises StoreError that names the entry where the log does not hold."""
        try:
            table = cls.fresh(stored.id, TableSetup.from_dict(stored.setup), Secrets.from_dict(stored.secrets))
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
    def waiting(self) -> Waiting:
        """What the table waits for."""
        if self.state.is_terminal():
            return Waiting(WAIT_OVER)
        if not self.by_hand and (self.sealed is None or self.sealed.draws_left == 0):
            return Waiting(WAIT_TIP)
        player, roller = self.state.current_player(), self.state.roller()
        if self.asked:
            return Waiting(WAIT_CONTRIBUTE, roller)
        if player == CHANCE:
            person = roller is not None and not self.setup.seats[roller].is_bot
            return Waiting(WAIT_THROW if person or self.by_hand else WAIT_BOT, roller)
        forced = len(self.state.legal_actions(player)) == 1
        return Waiting(WAIT_BOT if forced or self.setup.seats[player].is_bot else WAIT_DECIDE, player)

    @property
    def request(self) -> DrawRequest | None:
        """The request to the contributors while a draw is asked for: the same after every restart."""
        if self.sealed is None or self.waiting.kind != WAIT_CONTRIBUTE:
            return None
        return self.sealed.request("throw", self.state.roller(), *sealed_form(self.state))

    @property
    def last_throw(self) -> dict[str, Any] | None:
        """The last throw that stands, as `frames.Frame.draw` describes it."""
        return next((step.throw for step in reversed(self._steps) if step.throw is not None), None)

    def seats_of(self, owner: str | None) -> tuple[int, ...]:
        """Return the seats that a browser plays."""
        return tuple(seat for seat, name in enumerate(self.secrets.owners) if owner is not None and name == owner)

    def contributor_name(self, owner: str | None) -> str | None:
        """Return the name under which a browser contributes to the draws; None: a spectator does not.

        Several seats at one browser are one contributor. Who lets computer players meet is their witness.
        """
        seats = self.seats_of(owner)
        if seats:
            return seat_name(seats[0])
        return "witness-0" if owner == self.secrets.creator else None

    def next_setup(self) -> TableSetup:
        """Return the setup of the next match: the same seats; the winner begins where the game has it so (5050 §11)."""
        returns = self.state.returns()
        if "first" not in self.setup.options or max(returns) <= 0:
            return self.setup
        return replace(self.setup, options={**self.setup.options, "first": returns.index(max(returns))})

    def record(self) -> str:
        """Return the match as a `.bolz` text; the proof of a finished match opens the deck secret."""
        proof = None if self.sealed is None else self.sealed.proof(closed=self.state.is_terminal())
        names = [seat.name for seat in self.setup.seats]
        return write_record(record_of(self.state, names, HAND_DICE if self.by_hand else SEALED_DICE, proof))

    def steps_since(self, version: int) -> int:
        """Return the length of the history at `version`: later steps are new to who was there then.

        After an undo there is nothing to show of the way: what is new is the present state.
        """
        if not self._rewound <= version <= self.version:
            return self.state.move_number()
        return self._lengths[version]

    def undo_start(self) -> int | None:
        """Return the first entry that an undo takes back now: the last that a person made by hand, with all after it.

        None where nothing may be taken back. Sealed dice that fell are never taken back.
        """
        if not self.by_hand:
            return None
        return next((step.seq for step in reversed(self._steps) if step.by == PERSON), None)

    def bot_stream(self) -> FastStream:
        """Return the luck of the computer player that decides now, the same whenever this point is reached again."""
        digest = hashlib.sha256(f"bolzplatz computer player {self.id}".encode()).digest()
        return FastStream(int.from_bytes(digest[:8], "big"), self.state.move_number())

    # --- commands ---------------------------------------------------------------------------------------------

    def handle(self, command: Command, now: float) -> list[Entry] | Refused:
        """Return the entries that a command leads to, to be stored and then absorbed; or why it is refused.

        Whether the sender may speak for the seat is the caller's question, and whether `command.id` was carried out
        before (`applied`). `now` is in seconds since 1970.
        """
        if not isinstance(command, Tip | Rematch) and command.version != self.version:
            return Refused("stale", f"the table has moved on to version {self.version}")
        drafts = self._draft(command)
        if isinstance(drafts, Refused):
            return drafts
        entries = [Entry(self.version + 1 + i, kind, body, now) for i, (kind, body) in enumerate(drafts)]
        if isinstance(command, Do | Enter | Undo | Rematch):
            entries[-1] = replace(entries[-1], command=command.id)
        return entries

    def _draft(self, command: Command) -> "list[_Draft] | Refused":
        try:
            match command:
                case Do():
                    return self._do(command)
                case Enter(text=text):
                    return self._enter(text)
                case Undo():
                    return self._undo()
                case Tip():
                    return self._take_tip(command)
                case OwnThrow():
                    return [("throw", {"seat": self.state.roller()})] if self._throws_itself() else _NOT_NOW
                case OwnMove(action=action):
                    return self._own_move(action)
                case Contribute(values=values):
                    return self._draw(values)
                case Rematch(table=table):
                    over = self.state.is_terminal() and self.rematch is None
                    return [("rematch", {"table": table})] if over else _NOT_NOW
        except IllegalActionError as fault:
            return Refused("illegal", fault.reason, fault.rule, fault.code)
        except SealedError as fault:
            return Refused("sealed", str(fault))

    def _do(self, command: Do) -> "list[_Draft] | Refused":
        if self.waiting.kind not in (WAIT_THROW, WAIT_DECIDE, WAIT_BOT):
            return _NOT_NOW
        trial, drafts = self.state.clone(), list[_Draft]()
        for move in command.moves:
            if trial.current_player() not in (command.seat, CHANCE):
                return _NOT_NOW
            action = trial.string_to_action(move)
            if trial.current_player() == CHANCE:
                return Refused("not_now", "the dice decide here")
            drafts.append(("action", {"seat": command.seat, "move": trial.action_to_string(action), "by": PERSON}))
            trial.apply_action(action)
        if command.throw:
            if self.by_hand or trial.roller() != command.seat:
                return _NOT_NOW
            drafts.append(("throw", {"seat": command.seat}))
        return drafts or _NOT_NOW

    def _enter(self, text: str) -> "list[_Draft] | Refused":
        if not self.by_hand or self.waiting.kind != WAIT_THROW:
            return _NOT_NOW
        move = self.state.action_to_string(self.state.string_to_action(text))
        return [("hand", {"seat": self.state.roller(), "move": move})]

    def _undo(self) -> "list[_Draft] | Refused":
        start = self.undo_start()
        if start is None:
            return Refused("no_undo", "there is nothing that may be taken back")
        return [("undo", {"from": start})]

    def _take_tip(self, command: Tip) -> "list[_Draft] | Refused":
        if self.waiting.kind != WAIT_TIP:
            return Refused("opened_already", "the match is open already")
        if self.sealed is not None:
            renewal = self.sealed.plan_renewal({command.who: command.tip})
            return [("renewal", {"entry": renewal, "contributors": {command.who: command.owner}})]
        opening = Opening(
            self.id,
            self.setup.game,
            self.state.game.rules_version,
            data_digest(self.state.game),
            self.setup.options,
            [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in self.setup.seats],
            {SERVER: make_chain(self.secrets.chain, self.id, SERVER).tip, command.who: command.tip},
            deck_commitment(self.secrets.deck, self.id),
        ).to_json()
        Opening.from_json(opening)
        return [("opened", {"opening": opening, "contributors": {command.who: command.owner}})]

    def _throws_itself(self) -> bool:
        return self.waiting.kind == WAIT_BOT and self.state.is_chance_node()

    def _own_move(self, action: int) -> "list[_Draft] | Refused":
        waiting = self.waiting
        if waiting.kind != WAIT_BOT or waiting.seat is None or self.state.is_chance_node():
            return _NOT_NOW
        move = self.state.action_to_string(action)
        self.state.string_to_action(move)
        by = COMPUTER if self.setup.seats[waiting.seat].is_bot else FORCED
        return [("action", {"seat": waiting.seat, "move": move, "by": by})]

    def _draw(self, values: Mapping[str, bytes]) -> "list[_Draft] | Refused":
        request = self.request
        if request is None or self.sealed is None:
            return _NOT_NOW
        return [("draw", self.sealed.plan_draw(values))]

    # --- the fold ---------------------------------------------------------------------------------------------

    def absorb(self, entries: Iterable[Entry]) -> None:
        """Fold stored entries in, in order; one of `_BROKEN` where an entry does not follow from those before it."""
        for entry in entries:
            _FOLD[entry.kind](self, entry)
            self.version = entry.seq
            self._lengths.append(len(self._steps))
            if entry.command is not None:
                self.applied[entry.command] = entry.seq

    def _fold_opened(self, entry: Entry) -> None:
        opening = Opening.from_json(entry.body["opening"])
        self.sealed = SealedServer(opening, self.secrets.chain, self.secrets.deck)
        self._fold_contributors(entry)

    def _fold_renewal(self, entry: Entry) -> None:
        self._log(entry.body["entry"])
        self._fold_contributors(entry)

    def _fold_contributors(self, entry: Entry) -> None:
        if self.sealed is not None:
            self.contributors = dict(entry.body["contributors"])
            self.words = six_words(self.id, self.sealed.head)

    def _fold_action(self, entry: Entry) -> None:
        move = entry.body["move"]
        if self.state.is_chance_node():
            raise ValueError("a decision where dice decide")
        self.state.apply_action(self.state.string_to_action(move))
        if self.sealed is not None:
            self._log(entry.body)
        self._steps.append(_Step(entry.seq, move, entry.body["by"]))

    def _fold_throw(self, _entry: Entry) -> None:
        self.asked = True

    def _fold_draw(self, entry: Entry) -> None:
        checked = self._log(entry.body)
        if not isinstance(checked, CheckedDraw) or checked.faces is None:
            raise ValueError("no draw of dice")
        request, draw = checked.draw.request, outcome_of_sealed(self.state, checked.faces)
        thrown: dict[str, Any] = {
            "by": SEALED,
            "drawn": list(draw.faces),
            "faces": face_texts(self.state, draw.faces),
            "k": request.k,
            "absent": list(checked.draw.absent),
        }
        self._apply_throw(entry.seq, draw.outcome, COMPUTER, thrown)
        self.asked = False

    def _fold_hand(self, entry: Entry) -> None:
        outcome = self.state.string_to_action(entry.body["move"])
        thrown: dict[str, Any] = {"by": HAND, "drawn": None, "faces": None, "k": None, "absent": []}
        self._apply_throw(entry.seq, outcome, PERSON, thrown)

    def _apply_throw(self, seq: int, outcome: int, by: str, thrown: dict[str, Any]) -> None:
        if not self.state.is_chance_node():
            raise ValueError("a throw where somebody decides")
        move = self.state.action_to_string(outcome)
        thrown |= {"seat": self.state.roller(), "move": move, "step": len(self._steps)}
        self.state.apply_action(outcome)
        self._steps.append(_Step(seq, move, by, thrown))

    def _fold_undo(self, entry: Entry) -> None:
        kept = [step for step in self._steps if step.seq < entry.body["from"]]
        self.state = self.state.game.replay(step.move for step in kept)
        self._steps = kept
        self._rewound = entry.seq

    def _fold_rematch(self, entry: Entry) -> None:
        self.rematch = entry.body["table"]

    def _log(self, logged: Mapping[str, Any]) -> CheckedDraw | Renewal | None:
        if self.sealed is None:
            raise ValueError("a sealed entry before the opening")
        return self.sealed.record(logged)


_Draft = tuple[str, dict[str, Any]]
_NOT_NOW: Final = Refused("not_now", "that is not possible now")
_BROKEN: Final = (ValueError, KeyError, TypeError, AttributeError)
"""What folding raises over damaged entries; all errors of rules, notation and protocol are ValueErrors."""

_FOLD: Final[Mapping[str, Callable[[Table, Entry], None]]] = {
    "opened": Table._fold_opened,
    "action": Table._fold_action,
    "throw": Table._fold_throw,
    "draw": Table._fold_draw,
    "renewal": Table._fold_renewal,
    "hand": Table._fold_hand,
    "undo": Table._fold_undo,
    "rematch": Table._fold_rematch,
}
