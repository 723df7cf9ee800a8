"""A table with several browsers, for tests: each contributes to the dice, checks what it is shown, may be silent."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bolzplatz.core.sealed import Contributor
from bolzplatz.table.commands import Command, Contribute, Do, Enter, Fill, OwnMove, OwnThrow, Refused, Sit, Start, Tips
from bolzplatz.table.company import GONE, HERE, Company
from bolzplatz.table.handling import handle
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.store import Entry, NewTable
from bolzplatz.table.table import (
    WAIT_BOT,
    WAIT_CONTRIBUTE,
    WAIT_DECIDE,
    WAIT_THROW,
    WAIT_TIP,
    Secrets,
    Table,
)

ANN, BEN, CLEO, DAN = "browser of ann", "browser of ben", "browser of cleo", "browser of dan"
BROWSERS = (ANN, BEN, CLEO, DAN)


def open_seat() -> dict[str, Any]:
    return {"kind": "open"}


@dataclass
class Friends:
    """A table as it stores, and the browsers around it."""

    table: Table
    entries: list[Entry] = field(default_factory=list)
    guards: dict[str, Contributor] = field(default_factory=dict)
    now: float = 1000.0
    presence: dict[str, str] = field(default_factory=dict)
    taps: int = 0

    @classmethod
    def new(cls, setup: TableSetup, creator: str = ANN) -> "Friends":
        owners = tuple(creator if seat.kind == "human" else None for seat in setup.seats)
        secrets = Secrets(bytes(range(32)), bytes(range(32, 64)), owners, creator)
        return cls(Table.fresh("table-1", setup, secrets))

    @property
    def company(self) -> Company:
        clock = self.table.turn_clock(0.0)
        browsers = [each for each in self.table.owners if each is not None]
        host = self.table.host
        if self.presence.get(host) == GONE:
            host = next((each for each in browsers if self.presence.get(each, HERE) == HERE), host)
        return Company(host, self.presence, 0, clock)

    def do(self, command: Command) -> Refused | None:
        """Handle, store, absorb."""
        entries = handle(self.table, command, self.now, self.company)
        if isinstance(entries, Refused):
            return entries
        self.entries += entries
        self.table.absorb(entries)
        return None

    def refused(self, command: Command) -> str:
        """Expect a refusal and return its reason."""
        found = self.do(command)
        assert isinstance(found, Refused), f"{command} was carried out"
        assert found.text
        return found.reason

    def tap(self) -> str:
        self.taps += 1
        return f"tap {self.taps}"

    def reloaded(self) -> Table:
        table, first = self.table, self.table.secrets
        rows = NewTable(table.id, 1000.0, self.first_setup(), first.to_dict(), tuple(self.entries))
        return Table.load(rows)

    def first_setup(self) -> dict[str, Any]:
        return self._first

    def __post_init__(self) -> None:
        self._first = self.table.setup.to_dict()

    # --- the dice ---

    def guard(self, owner: str) -> Contributor:
        """Return a browser's guard over the dice, made when the browser is first asked for its tip."""
        if owner not in self.guards:
            who = self.table.contributor_name(owner)
            secret = None if who is None else hashlib.sha256(owner.encode()).digest()
            self.guards[owner] = Contributor(self.table.id, who, secret)
        return self.guards[owner]

    def open(self, silent: Iterable[str] = ()) -> "Friends":
        """Let all browsers but the silent ones send their tips, and show the result to all."""
        silent = set(silent)
        renewing = self.table.sealed is not None
        expected = {who: owner for who, owner in self.table.expected_tips.items() if owner not in silent}
        tips = {who: (owner, self.guard(owner).tip()) for who, owner in expected.items()}
        assert self.do(Tips(tips)) is None
        body = self.entries[-1].body
        for owner in silent:
            # Its tip is not in the opening: it can only watch.
            self.guards.setdefault(owner, Contributor(self.table.id))
        for guard in self.guards.values():
            guard.renew(body["entry"]) if renewing else guard.open(body["opening"])
        return self

    def draw(self, silent: Iterable[str] = ()) -> None:
        """Let all contributors but the silent ones answer, and check the result as every browser does."""
        request = self.table.request
        assert request is not None
        values = {}
        for who, owner in self.table.contributors.items():
            if owner not in silent and who in request.expected:
                values[who] = self.guards[owner].answer(request.to_json())
        assert self.do(Contribute(self.table.version, values)) is None
        for guard in self.guards.values():
            guard.accept(self.entries[-1].body)

    # --- playing ---

    def sit(self, owner: str, seat: int, name: str) -> None:
        assert self.do(Sit(self.tap(), seat, name, owner)) is None

    def start(self, owner: str = ANN) -> "Friends":
        assert self.do(Start(self.tap(), owner)) is None
        return self

    def step(self, choice: int = 0, silent: Iterable[str] = ()) -> None:
        """Do what the table waits for, by the usual way."""
        table = self.table
        version, waiting = table.version, table.waiting
        if waiting.kind == WAIT_TIP:
            self.open(silent)
        elif waiting.kind == WAIT_CONTRIBUTE:
            self.draw(silent)
        elif waiting.kind == WAIT_BOT and table.state.is_chance_node():
            assert self.do(OwnThrow(version)) is None
        elif waiting.kind == WAIT_BOT:
            legal = table.state.legal_actions()
            assert self.do(OwnMove(version, legal[choice % len(legal)])) is None
        elif waiting.kind == WAIT_THROW and table.by_hand:
            outcomes = table.state.legal_actions()
            text = table.state.action_to_string(outcomes[choice % len(outcomes)])
            seats = None if waiting.seat is None else (waiting.seat,)
            assert self.do(Enter(self.tap(), version, text, seats)) is None
        elif waiting.kind == WAIT_THROW:
            assert waiting.seat is not None
            assert self.do(Do(self.tap(), version, waiting.seat, (), True)) is None
        elif waiting.kind == WAIT_DECIDE:
            assert waiting.seat is not None
            legal = table.state.legal_actions()
            move = table.state.action_to_string(legal[choice % len(legal)])
            assert self.do(Do(self.tap(), version, waiting.seat, (move,), False)) is None

    def until(self, kind: str, seat: int | None = None, choice: int = 0) -> None:
        """Play until the table waits for something of some seat."""
        while self.table.waiting.kind != kind or seat not in (None, self.table.waiting.seat):
            assert self.table.waiting.kind != "over"
            self.step(choice)

    def throw(self) -> None:
        """Play until the next throw has fallen."""
        count = self.thrown()
        while self.thrown() == count:
            self.step()

    def thrown(self) -> int:
        return sum(entry.kind in ("draw", "hand") for entry in self.entries)

    def last(self, kind: str) -> Entry:
        return next(entry for entry in reversed(self.entries) if entry.kind == kind)

    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.entries]


def fill_bot(tap: str, seat: int, owner: str = ANN, name: str = "Robo", level: str = "good") -> Fill:
    return Fill(tap, seat, "bot", level, name, owner)


def seats_taken(friends: Friends, people: Sequence[tuple[str, str]]) -> Friends:
    """Let people take the open seats in order, and start."""
    for seat, (owner, name) in zip(friends.table.setup.open_seats, people, strict=True):
        friends.sit(owner, seat, name)
    return friends.start()
