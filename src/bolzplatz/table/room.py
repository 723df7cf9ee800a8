"""The room before a match: who sits where, as a value. Each step returns the room after it, or raises SetupError.

A room knows nothing of the log; `table.table` writes down what it has become.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

from bolzplatz.table.commands import REMOVE, Fill
from bolzplatz.table.setup import BOT, HUMAN, LOOKS, OPEN, Seat, SetupError, TableSetup, check_name, offered_levels


@dataclass(frozen=True, slots=True)
class Room:
    """Seats and the browsers that own them, None at open seats and the computer's."""

    setup: TableSetup
    owners: tuple[str | None, ...]

    def sit(self, owner: str, seat: int, name: str) -> Self:
        """Take an open seat."""
        self._need_open(seat)
        return self._with(seat, self._person(seat, name), owner)

    def rise(self, owner: str, seat: int, by_host: bool) -> Self:
        """Give a seat back."""
        self._need_person(owner, seat, by_host)
        return self._with(seat, self._open(seat), None)

    def move(self, owner: str, seat: int, to: int, by_host: bool) -> Self:
        """Change to another seat; only the host may move somebody else or somebody away. Looks move along."""
        self._need(seat), self._need(to)
        if not by_host:
            self._need_person(owner, seat, by_host)
            self._need_open(to)
        seats, owners = list(self.setup.seats), list(self.owners)
        seats[seat], seats[to] = seats[to], seats[seat]
        owners[seat], owners[to] = owners[to], owners[seat]
        return replace(self, setup=self.setup.seated(seats), owners=tuple(owners))

    def rename(self, owner: str, seat: int, name: str, by_host: bool) -> Self:
        """Change a name: the own one, the host also a computer player's."""
        self._need(seat)
        mine = self.owners[seat] == owner or (by_host and self.setup.seats[seat].is_bot)
        if not mine:
            raise SetupError(f"seats[{seat}]", "not_yours", "this seat is somebody else's")
        renamed = replace(self.setup.seats[seat], name=check_name(f"seats[{seat}].name", name))
        return self._with(seat, renamed, self.owners[seat])

    def fill(self, host: str, given: Fill) -> Self:
        """Say what a seat is that nobody but the host plays."""
        seat = given.seat
        self._need(seat)
        if self.owners[seat] not in (None, host):
            raise SetupError(f"seats[{seat}]", "taken", "somebody sits here")
        if given.kind == OPEN:
            return self._with(seat, self._open(seat), None)
        if given.kind == HUMAN:
            return self._with(seat, self._person(seat, given.name or ""), host)
        if given.kind == BOT:
            levels = offered_levels(self.setup.game, f"seats[{seat}].level")
            if given.level not in levels:
                raise SetupError(f"seats[{seat}].level", "not_offered", f"levels: {', '.join(levels)}")
            name = check_name(f"seats[{seat}].name", given.name)
            return self._with(seat, replace(self.setup.seats[seat], kind=BOT, name=name, level=given.level), None)
        if given.kind == REMOVE:
            seats, owners = list(self.setup.seats), list(self.owners)
            del seats[seat], owners[seat]
            return self._seated(seats, owners)
        raise SetupError(f"seats[{seat}].kind", "not_offered", "open, bot, human or none is expected")

    def add(self) -> Self:
        """Add an open seat at the end, with a look that nobody has."""
        taken = {seat.look for seat in self.setup.seats}
        look = next((look for look in range(LOOKS) if look not in taken), 0)
        return self._seated([*self.setup.seats, Seat(OPEN, "", None, look)], [*self.owners, None])

    # --- what the host may be offered: nothing that the setup would refuse -----------------------------------------

    @property
    def can_add(self) -> bool:
        """Whether there may be one more seat."""
        return self._fits(self.add)

    def can_remove(self, seat: int) -> bool:
        """Say whether the match can do without a seat; whose it is, is another question."""
        others = [each for place, each in enumerate(self.setup.seats) if place != seat]
        return self._fits(lambda: self.setup.seated(others))

    def kinds(self, seat: int) -> list[tuple[str, str | None]]:
        """Return what may be put at a seat that nobody sits at, each kind with the computer player's level."""
        now, found = self.setup.seats[seat], list[tuple[str, str | None]]([(OPEN, None)])
        with suppress(SetupError):  # a game may have no computer players
            found += [(BOT, level) for level in offered_levels(self.setup.game, "level")]
        return [each for each in found if each == (now.kind, now.level) or self._takes(seat, *each)]

    def _takes(self, seat: int, kind: str, level: str | None) -> bool:
        # Without a name: which one is free, is another question.
        seats = list(self.setup.seats)
        seats[seat] = replace(seats[seat], kind=kind, name="", level=level)
        return self._fits(lambda: self.setup.seated(seats))

    def _fits(self, change: Callable[[], object]) -> bool:
        try:
            change()
        except SetupError:
            return False
        return True

    def _need(self, seat: int) -> None:
        if not 0 <= seat < len(self.owners):
            raise SetupError("seat", "not_yours", f"there is no seat {seat}")

    def _need_open(self, seat: int) -> None:
        self._need(seat)
        if self.setup.seats[seat].kind != OPEN:
            raise SetupError(f"seats[{seat}]", "taken", "somebody sits here")

    def _need_person(self, owner: str, seat: int, by_host: bool) -> None:
        self._need(seat)
        if self.owners[seat] is None or not (by_host or self.owners[seat] == owner):
            raise SetupError(f"seats[{seat}]", "not_yours", "this seat is not yours")

    def _open(self, seat: int) -> Seat:
        return replace(self.setup.seats[seat], kind=OPEN, name="", level=None)

    def _person(self, seat: int, name: str) -> Seat:
        named = check_name(f"seats[{seat}].name", name)
        return replace(self.setup.seats[seat], kind=HUMAN, name=named, level=None)

    def _with(self, seat: int, sits: Seat, owner: str | None) -> Self:
        seats, owners = list(self.setup.seats), list(self.owners)
        seats[seat], owners[seat] = sits, owner
        return self._seated(seats, owners)

    def _seated(self, seats: Sequence[Seat], owners: Sequence[str | None]) -> Self:
        return replace(self, setup=self.setup.seated(seats), owners=tuple(owners))
