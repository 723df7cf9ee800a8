"""A whole evening looked at: who was luckiest over several matches, exactly where the game is solved.

For each player, wins = chances at the start + luck - what own moves gave away + what the others' moves gave away, added
up over the matches (`solve.coach`). Matches of games that are not solved count as played and won, no more.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bolzplatz.core.errors import RecordError
from bolzplatz.core.record import Record, load_recorded_game, replay_record
from bolzplatz.games import load_game
from bolzplatz.solve import Solution, SolveError, refusal
from bolzplatz.solve.coach import Analysis, Balance, analyse


@dataclass(frozen=True, slots=True)
class Match:
    """A match of an evening.

    Attributes:
        game: its game.
        names: a name for each seat.
        won: each seat's share in the win.
        balances: one a seat; None where the match is not solved, or not yet.
        pending: whether it is being solved.
    """

    game: str
    names: tuple[str, ...]
    won: tuple[float, ...]
    balances: tuple[Balance, ...] | None
    pending: bool = False


@dataclass(slots=True)
class Person:
    """A player over the evening; people are told apart by their names.

    Attributes:
        name: as they are called.
        matches: how many they played, and `known` how many of these are taken apart.
        won: how many they won, shares counted; `won_known` those among the known ones.
        start, luck, own_losses, gifts: sums over the known matches, in matches.
    """

    name: str
    matches: int = 0
    known: int = 0
    won: float = 0.0
    won_known: float = 0.0
    start: float = 0.0
    luck: float = 0.0
    own_losses: float = 0.0
    gifts: float = 0.0

    @property
    def rest(self) -> float:
        """By how much the sum misses the result: rounding."""
        return self.won_known - (self.start + self.luck - self.own_losses + self.gifts)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Evening:
    """Several matches and what they were for each player, the luckiest first."""

    matches: list[Match]
    people: list[Person] = field(default_factory=list)

    @property
    def luckiest(self) -> Person | None:
        """Who had most luck; None where nothing is known, or nobody had any."""
        known = [person for person in self.people if person.known and person.luck > 0]
        return max(known, key=lambda person: person.luck, default=None)

    @property
    def pending(self) -> bool:
        """Whether a match is still being solved."""
        return any(match.pending for match in self.matches)


def evening_of(matches: Iterable[Match]) -> Evening:
    """Add matches up."""
    evening, people = Evening(list(matches)), dict[str, Person]()
    for match in evening.matches:
        for seat, name in enumerate(match.names):
            person = people.setdefault(name, Person(name))
            person.matches += 1
            person.won += match.won[seat]
            if match.balances is not None:
                balance = match.balances[seat]
                person.known += 1
                person.won_known += balance.end
                person.start += balance.start
                person.luck += balance.luck
                person.own_losses += balance.own_losses
                person.gifts += balance.gifts
    evening.people = sorted(people.values(), key=lambda person: (-person.luck, person.name))
    return evening


def match_of(record: Record, solved: Callable[[Any], Solution | None], names: Sequence[str] = ()) -> Match:
    """Take a recorded match that is over apart.

    Args:
        record: of the match.
        solved: returns the solution of a game that can be solved; None while it is being solved, SolveError where that
            failed.
        names: of the seats, where they are other than those of the record.

    Raises RecordError where the record cannot be played, or the match is not over.
    """
    game = load_recorded_game(record, load_game)
    shown = tuple(names or record.seats)
    state = replay_record(record, load_game)
    if not state.is_terminal():
        raise RecordError("moves", "the match is not over")
    winners = [float(value > 0) for value in state.returns()]
    won = tuple(value / max(1.0, sum(winners)) for value in winners)
    if refusal(game) is not None:
        return Match(game.name, shown, won, None)
    try:
        solution = solved(game)
    except SolveError:
        return Match(game.name, shown, won, None)
    if solution is None:
        return Match(game.name, shown, won, None, pending=True)
    analysis: Analysis = analyse(solution, record.moves, record.given)
    return Match(game.name, shown, won, analysis.balances)
