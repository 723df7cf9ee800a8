"""What tests of tables share: setups, a browser that contributes to the dice, and a table that stores as it goes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bolzplatz.core.sealed import Contributor
from bolzplatz.table.commands import (
    Choose,
    Command,
    Contribute,
    Do,
    OpenCards,
    OwnMove,
    OwnThrow,
    Refused,
    Tips,
    Together,
)
from bolzplatz.table.handling import handle
from bolzplatz.table.service import BLINK_SECONDS, CONTRIBUTION_SECONDS, TIP_SECONDS
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.store import Entry, NewTable
from bolzplatz.table.table import (
    WAIT_BOT,
    WAIT_CHOOSE,
    WAIT_CONTRIBUTE,
    WAIT_DECIDE,
    WAIT_READY,
    WAIT_THROW,
    WAIT_TIP,
    Secrets,
    Table,
)

OWNER = "the first browser"
WISHES = ("none", "red", "black", "red>black", "black>red")
PATIENCE = 20.0


async def patient(seconds: float, patience: float = PATIENCE) -> None:
    """Sleep as tables do, but give browsers longer for their shares: those of a busy machine are late, not silent."""
    await asyncio.sleep(patience if seconds in (TIP_SECONDS, CONTRIBUTION_SECONDS - BLINK_SECONDS) else seconds)


def human(name: str) -> dict[str, Any]:
    return {"kind": "human", "name": name}


def bot(name: str, level: str = "good") -> dict[str, Any]:
    return {"kind": "bot", "name": name, "level": level}


def setup_of(game: str, *seats: dict[str, Any], dice: str = "sealed", **options: Any) -> TableSetup:
    return TableSetup.from_dict({"game": game, "seats": list(seats), "dice": dice, "options": options})


SETUPS = {
    "bar-bolz": lambda: setup_of("bar-bolz", human("Mia"), bot("Robo")),
    "bar-bolz by hand": lambda: setup_of("bar-bolz", human("Mia"), human("Ben"), dice="hand"),
    "5050": lambda: setup_of("5050", human("Mia"), bot("Robo", "random"), human("Ben"), target=1000),
    "5050 by hand": lambda: setup_of("5050", human("Mia"), bot("Robo", "child"), dice="hand", target=1000),
    "computers alone": lambda: setup_of("5050", bot("Robo", "random"), bot("Roba", "child"), target=400),
}


@dataclass
class Stored:
    """A table with the entries that a store would hold."""

    table: Table
    entries: list[Entry] = field(default_factory=list)
    contributor: Contributor | None = None

    @classmethod
    def new(cls, setup: TableSetup, deck: bytes = bytes(range(32, 64))) -> "Stored":
        owners = tuple(None if seat.is_bot else OWNER for seat in setup.seats)
        secrets = Secrets(bytes(range(32)), deck, owners, OWNER)
        return cls(Table.fresh("table-1", setup, secrets))

    def do(self, command: Command) -> Refused | None:
        """Handle, store, absorb."""
        entries = handle(self.table, command, 1000.0 + len(self.entries))
        if isinstance(entries, Refused):
            return entries
        self.entries += entries
        self.table.absorb(entries)
        return None

    def reloaded(self, entries: Sequence[Entry] | None = None) -> Table:
        table = self.table
        rows = tuple(self.entries if entries is None else entries)
        return Table.load(NewTable(table.id, 1000.0, table.setup.to_dict(), table.secrets.to_dict(), rows))

    def browser(self) -> Contributor:
        """Return the contributor, made when it is first needed."""
        if self.contributor is None:
            who = self.table.contributor_name(OWNER)
            assert who is not None
            self.contributor = Contributor(self.table.id, who, bytes(reversed(range(32))))
        return self.contributor

    def tip(self) -> Tips:
        browser = self.browser()
        assert browser.who is not None
        return Tips({browser.who: (OWNER, browser.tip())})

    def open(self) -> "Stored":
        """Open the match with the browser's tip, or renew the chains."""
        renewing = self.table.sealed is not None
        assert self.do(self.tip()) is None
        if renewing:
            self.browser().renew(self.entries[-1].body["entry"])
        else:
            self.browser().open(self.entries[-1].body["opening"])
        return self

    def contribute(self, present: bool = True) -> None:
        """Answer the request as the browser does, and check the result as it does."""
        request = self.table.request
        assert request is not None
        browser, values = self.browser(), {}
        if present:
            values = {browser.who: browser.answer(request.to_json())}
        assert self.do(Contribute(self.table.version, values)) is None  # type: ignore[arg-type]
        browser.accept(self.entries[-1].body)

    def step(self, choice: int = 0, name: str = "c") -> None:
        """Do what the table waits for, by the usual way; `choice` picks among the legal moves."""
        table = self.table
        version, waiting = table.version, table.waiting
        if waiting.kind == WAIT_TIP:
            self.open()
        elif waiting.kind == WAIT_CONTRIBUTE:
            self.contribute()
        elif waiting.kind == WAIT_BOT and table.state.is_chance_node():
            assert self.do(OwnThrow(version)) is None
        elif waiting.kind == WAIT_READY:
            assert self.do(OpenCards(version)) is None
        elif waiting.kind == WAIT_CHOOSE:
            for seat in table.choosing:
                wish = WISHES[(choice + seat) % len(WISHES)]
                assert self.do(Choose(f"{name}{table.version}", table.rounds.n, seat, wish, OWNER)) is None
        elif waiting.kind == WAIT_BOT and waiting.seat is None:
            actions = {seat: (choice + seat) % len(WISHES) for seat in range(len(table.owners))}
            assert self.do(Together(version, actions)) is None
        elif waiting.kind == WAIT_BOT:
            legal = table.state.legal_actions()
            assert self.do(OwnMove(version, legal[choice % len(legal)])) is None
        elif waiting.kind == WAIT_THROW:
            assert waiting.seat is not None
            assert self.do(Do(f"{name}{version}", version, waiting.seat, (), True)) is None
        elif waiting.kind == WAIT_DECIDE:
            assert waiting.seat is not None
            legal = table.state.legal_actions()
            move = table.state.action_to_string(legal[choice % len(legal)])
            assert self.do(Do(f"{name}{version}", version, waiting.seat, (move,), False)) is None


def picture(table: Table) -> dict[str, Any]:
    """Everything that a table knows, in a form that can be compared."""
    request = table.request
    return {
        "version": table.version,
        "state": table.state.to_json(),
        "events": [event.to_dict() for event in table.state.events()],
        "waiting": table.waiting,
        "asked": table.asked,
        "request": None if request is None else request.to_json(),
        "applied": dict(table.applied),
        "contributors": dict(table.contributors),
        "words": table.words,
        "rematch": table.rematch,
        "seats": (table.setup, table.owners, table.host, table.witnesses, table.started),
        "friends": (dict(table.substitutes), table.proposal, table.renewing, table.ended, table.open_hands),
        "named": (dict(table.named), table.absent, table.silent),
        "told": (list(table.turns), list(table.happenings)),
        "round": replace(table.rounds),
        "throw": table.last_throw,
        "undo": table.undo_start(),
        "since": [table.steps_since(version) for version in range(table.version + 1)],
        "log": None if table.sealed is None else table.sealed.head,
        "record": table.record(),
    }
