"""What a simulation found, as data: JSON-able, and the same for any number of workers but for `timing`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bolzplatz.core.spec import OptionValue, show_value
from bolzplatz.games import game_spec
from bolzplatz.simulate.statistics import Distribution, Share


def options_changed(game: str, options: Mapping[str, OptionValue]) -> tuple[str, ...]:
    """Return the options that are not at their defaults, as `name=value`; what came from a file by a short name."""
    spec, found = game_spec(game), []
    for option in spec.options:
        value = options[option.name]
        if value != option.check(game, option.default):
            own = spec.data_file if spec.data_file is not None and spec.data_file.option == option.name else None
            found.append(f"{option.name}={show_value(value) if own is None else own.show(str(value))}")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SeatResult:
    """One seat over all matches.

    Attributes:
        seat: its number.
        wins: matches in which it won, out of all; where several win together, each of them did.
        fair: the mean of all seats, which each would have if seats made no difference.
        scores: its scores at the end.
    """

    seat: int
    wins: Share
    fair: float
    scores: Distribution

    @property
    def advantage(self) -> tuple[float, float, float]:
        """Return by how much the seat wins more often than is fair, and the ends of the 99 % interval."""
        low, high = self.wins.interval
        return self.wins.share - self.fair, low - self.fair, high - self.fair

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        advantage, low, high = self.advantage
        return {
            "seat": self.seat,
            "wins": self.wins.to_dict(),
            "fair": self.fair,
            "advantage": {"value": advantage, "low": low, "high": high},
            "scores": self.scores.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """One policy over all seats that it played.

    Attributes:
        policy: its name.
        seats: at how many seats of each match it plays.
        wins: matches won at these seats, out of all played there; a team of several counts once.
        fair: the mean of all seats, which each policy would have if policies made no difference.
    """

    policy: str
    seats: int
    wins: Share
    fair: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {"policy": self.policy, "seats": self.seats, "wins": self.wins.to_dict(), "fair": self.fair}


@dataclass(frozen=True, slots=True)
class Seating:
    """Matches with the same policy at each seat.

    Attributes:
        policies: seat by seat.
        first: the number of its first match; `core.drivers.FastDriver(seed, first + i)` draws its match i again.
        matches: how many were played.
        wins: each seat's.
    """

    policies: tuple[str, ...]
    first: int
    matches: int
    wins: tuple[Share, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {
            "policies": list(self.policies),
            "first": self.first,
            "matches": self.matches,
            "wins": [share.to_dict() for share in self.wins],
        }


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Everything that a simulation found.

    Attributes:
        game: its name; title, rules_version and options belong to it.
        policies: as they were asked for, one a seat.
        seed: of the run.
        wanted: how many matches were asked for.
        matches: how many were played: fewer where the run was interrupted.
        interrupted: whether it was.
        undecided: matches that nobody won.
        unfinished: matches among these that were given up after too many steps; lengths and scores leave them out.
        lengths: decisions and throws of a match.
        seats: the result of each seat.
        by_policy: the result of each policy, in the order of `policies`.
        seatings: who sat where in which matches; more than one where policies change seats.
        seconds: how long it took.
        workers: how many threads or processes played.
    """

    game: str
    title: str
    rules_version: str
    options: Mapping[str, OptionValue]
    policies: tuple[str, ...]
    seed: int
    wanted: int
    matches: int
    interrupted: bool
    undecided: int
    unfinished: int
    lengths: Distribution
    seats: tuple[SeatResult, ...]
    by_policy: tuple[PolicyResult, ...]
    seatings: tuple[Seating, ...]
    seconds: float
    workers: int

    @property
    def changed_options(self) -> tuple[str, ...]:
        """Return the options that are not at their defaults, as `name=value`."""
        return options_changed(self.game, self.options)

    @property
    def matches_per_second(self) -> float:
        """Return the speed of the whole run."""
        return self.matches / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict; what depends on the machine is under `timing` alone."""
        return {
            "game": self.game,
            "rules_version": self.rules_version,
            "options": dict(self.options),
            "policies": list(self.policies),
            "seed": self.seed,
            "wanted": self.wanted,
            "matches": self.matches,
            "interrupted": self.interrupted,
            "undecided": self.undecided,
            "unfinished": self.unfinished,
            "lengths": self.lengths.to_dict(),
            "seats": [seat.to_dict() for seat in self.seats],
            "by_policy": [policy.to_dict() for policy in self.by_policy],
            "seatings": [seating.to_dict() for seating in self.seatings],
            "timing": {
                "seconds": self.seconds,
                "matches_per_second": self.matches_per_second,
                "workers": self.workers,
            },
        }
