"""Mass play on all cores: compiled rules over chunks of match numbers, added up as whole numbers.

Where policies differ they change seats, and each seating plays as many matches as the others, so that what a policy is
worth and what a seat is worth can be told apart. Seating r plays the matches r * 2**40, r * 2**40 + 1, … of the run's
seed: no two matches share their dice. Chunks may be cut anywhere: nothing but a match's number decides its dice.
"""

import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import chance_drawer, chooser, level_fault, level_index, memory_of
from bolzplatz.bots.plugins import plugged_in
from bolzplatz.core.engine import DEFAULT_LIMIT, Engine, Matches
from bolzplatz.core.errors import OptionError
from bolzplatz.core.game import Game
from bolzplatz.core.workplace import on_cluster
from bolzplatz.simulate.plain import play_plainly
from bolzplatz.simulate.results import PolicyResult, Seating, SeatResult, SimulationResult
from bolzplatz.simulate.statistics import Distribution, Share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEATING_STRIDE: Final = 2**40
"""Distance between the first match numbers of two seatings."""
FIRST_CHUNK: Final = 16
"""Matches of each seating in the first chunk; later ones are cut to last CHUNK_SECONDS."""
CHUNK_SECONDS: Final = 0.1
LARGEST_CHUNK: Final = 200_000
_DENSE: Final = 2**20
"""Numbers below this are counted by place; others, or negative ones, by sorting."""


def seat_policies(game: Game, policies: Sequence[str]) -> tuple[str, ...]:
    """Return the policy of each seat, from one for all or one a seat; raises OptionError."""
    for policy in policies:
        if reason := level_fault(game, policy):
            raise OptionError(f"{game.name}: {reason}")
    if len(policies) not in (1, game.num_players):
        raise OptionError(
            f"{game.name}: {len(policies)} policies for {game.num_players} seats; give one for all, or one a seat"
        )
    return tuple(policies) if len(policies) > 1 else tuple(policies) * game.num_players


def sides_of(game: Game) -> list[tuple[int, ...]]:
    """Return the seats that win or lose together, side by side: each seat for itself where there are no teams."""
    sizes = re.fullmatch(r"(\d+)v(\d+)", str(game.options.get("teams")))
    if not sizes:
        return [(seat,) for seat in range(game.num_players)]
    first = int(sizes[1])
    return [tuple(range(first)), tuple(range(first, game.num_players))]


def seatings_of(game: Game, policies: tuple[str, ...], rotate: bool) -> list[tuple[str, ...]]:
    """Return each way to seat the policies: all turns round the table, teams of one size change sides as a whole."""
    sides = sides_of(game)
    if not rotate or len({len(side) for side in sides}) > 1:
        return [policies]
    shifts = range(0, len(policies), len(sides[0]))
    return list(dict.fromkeys(policies[shift:] + policies[:shift] for shift in shifts))


@dataclass(slots=True)
class _Tally:
    """What is counted of the matches of one seating."""

    matches: int
    undecided: int
    unfinished: int
    wins: list[int]
    lengths: Counter[int]
    scores: list[Counter[int]]

    @classmethod
    def empty(cls, seats: int) -> "_Tally":
        return cls(0, 0, 0, [0] * seats, Counter(), [Counter() for _ in range(seats)])

    @classmethod
    def count(cls, played: Matches) -> "_Tally":
        steps, won, scores = played
        over = steps >= 0
        all_over = bool(over.all())
        return cls(
            matches=len(steps),
            undecided=len(steps) - int(won.any(axis=1).sum()),
            unfinished=len(steps) - int(over.sum()),
            wins=won.sum(axis=0).tolist(),
            lengths=_counter(steps if all_over else steps[over]),
            scores=[_counter(column if all_over else column[over]) for column in scores.T],
        )

    def plus(self, other: "_Tally") -> "_Tally":
        """Return both together; neither changes, so that Ctrl-C never leaves half a sum."""
        return _Tally(
            self.matches + other.matches,
            self.undecided + other.undecided,
            self.unfinished + other.unfinished,
            [own + more for own, more in zip(self.wins, other.wins, strict=True)],
            self.lengths + other.lengths,
            [own + more for own, more in zip(self.scores, other.scores, strict=True)],
        )


def _counter(values: "NDArray[np.int64]") -> Counter[int]:
    """Count how often each number occurs."""
    import numpy as np

    if len(values) and values.min() >= 0 and values.max() < _DENSE:
        counts = np.bincount(values)
        seen = np.flatnonzero(counts)
        return Counter(dict(zip(seen.tolist(), counts[seen].tolist(), strict=True)))
    seen, counts = np.unique(values, return_counts=True)
    return Counter(dict(zip(seen.tolist(), counts.tolist(), strict=True)))


@dataclass(frozen=True, slots=True)
class _Run:
    """What every chunk of a run shares; travels to worker processes where a backend has them."""

    game: Game
    seatings: list[tuple[str, ...]]
    seed: int
    limit: int
    matches: int

    def share_of(self, seating: int) -> int:
        """Return how many matches a seating plays in the whole run."""
        return self.matches // len(self.seatings) + (seating < self.matches % len(self.seatings))

    def engine(self) -> Engine | None:
        """Return the compiled game with its computer players; None where some are plugged in, for they are not."""
        policies = self.seatings[0]
        if set(policies) & set(plugged_in(self.game.name)):
            return None
        memory = memory_of(self.game, policies)
        return Engine(self.game, chooser(self.game.name, policies), chance_drawer(self.game.name), memory)

    def play(self, first: int, count: int) -> tuple[list[_Tally], float]:
        """Play matches first … first+count-1 of each seating; return the tallies and the seconds that it took."""
        began = time.perf_counter()
        engine = self.engine()
        tallies = []
        for number, policies in enumerate(self.seatings):
            left = max(0, min(count, self.share_of(number) - first))
            start = number * SEATING_STRIDE + first
            if engine is None:
                played = play_plainly(self.game, policies, left, self.seed, start, self.limit)
            else:
                levels = [level_index(self.game.name, policy) for policy in policies]
                played = engine.play(left, self.seed, start, levels, self.limit)
            tallies.append(_Tally.count(played))
        return tallies, time.perf_counter() - began


@dataclass(slots=True)
class _Chunks:
    """Cuts a run into chunks that last about CHUNK_SECONDS, by what the finished ones took."""

    total: int
    size: int = FIRST_CHUNK

    def __iter__(self) -> Iterator[tuple[int, int]]:
        first = 0
        while first < self.total:
            count = min(self.size, self.total - first)
            yield first, count
            first += count

    def learn(self, count: int, seconds: float) -> None:
        """Take over how long a chunk of `count` matches of each seating took."""
        fitting = int(count * CHUNK_SECONDS / max(seconds, 1e-6))
        self.size = max(1, min(fitting, 8 * count, LARGEST_CHUNK))


@dataclass(slots=True)
class _Totals:
    """The tallies of all chunks that are done, in the order of match numbers."""

    seatings: list[_Tally]
    interrupted: bool = False
    seconds: float = 0.0

    @property
    def matches(self) -> int:
        return sum(tally.matches for tally in self.seatings)


def simulate(
    game: Game,
    policies: Sequence[str],
    matches: int,
    seed: int = 1,
    workers: int | None = None,
    rotate: bool = True,
    limit: int = DEFAULT_LIMIT,
    progress: Callable[[int], None] | None = None,
) -> SimulationResult:
    """Play matches between computer players and return what came out.

    Ctrl-C ends the run early: the result then covers the matches that are done, the same ones that a run of that many
    matches plays. Only where none is done yet KeyboardInterrupt goes on to the caller.

    Args:
        game: the game with its options.
        policies: names of levels of the game's computer players: one for all seats, or one a seat.
        matches: how many matches, at least one.
        seed: any integer.
        workers: how many threads play; as many as there are cores where None. Under `joblib.parallel_config`, or at
            another `core.workplace`, the chunks go there instead.
        rotate: let different policies change seats; else each keeps its own.
        limit: steps after which a match is given up.
        progress: told the number of matches done, now and then; first 0, when the rules are compiled.

    Raises:
        OptionError: a policy that the game does not have, or another number of policies than of seats.
        ValueError: less than one match or worker.
    """
    from joblib import cpu_count

    if matches < 1 or (workers is not None and workers < 1):
        raise ValueError("at least one match and one worker are needed")
    chosen = seat_policies(game, policies)
    workers = workers or cpu_count()
    run = _Run(game, seatings_of(game, chosen, rotate), seed, limit, matches)
    totals = _Totals([_Tally.empty(game.num_players) for _ in run.seatings])
    progress = progress or (lambda _done: None)
    if (engine := run.engine()) is not None:
        engine.play(0, seed)  # compiles before the clock starts, once for all threads
    progress(0)
    began = time.perf_counter()
    try:
        _play_all(run, workers, totals, progress)
    except KeyboardInterrupt:
        if not totals.matches:
            raise
        totals.interrupted = True
    totals.seconds = time.perf_counter() - began
    return _result(run, chosen, workers, totals)


def _play_all(run: _Run, workers: int, totals: _Totals, progress: Callable[[int], None]) -> None:
    from joblib import Parallel, delayed

    chunks = _Chunks(run.share_of(0))
    # Compiled matches hold no lock, so threads use all cores and start at once. A cluster has as many as it has.
    jobs = -1 if on_cluster() else workers
    parallel: Any = Parallel(n_jobs=jobs, prefer="threads", return_as="generator", pre_dispatch="2*n_jobs")
    results = parallel(delayed(run.play)(first, count) for first, count in chunks)
    try:
        for tallies, seconds in results:
            totals.seatings = [total.plus(tally) for total, tally in zip(totals.seatings, tallies, strict=True)]
            chunks.learn(tallies[0].matches, seconds)
            progress(totals.matches)
    finally:
        with warnings.catch_warnings():  # joblib tells of the chunks that an interrupt leaves unused
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _result(run: _Run, policies: tuple[str, ...], workers: int, totals: _Totals) -> SimulationResult:
    game, sides = run.game, sides_of(run.game)
    whole = reduce(_Tally.plus, totals.seatings)
    fair = sum(whole.wins[side[0]] for side in sides) / (len(sides) * whole.matches)
    seats = tuple(
        SeatResult(seat, Share(wins, whole.matches), fair, Distribution(scores))
        for seat, (wins, scores) in enumerate(zip(whole.wins, whole.scores, strict=True))
    )
    by_policy = tuple(
        PolicyResult(policy, policies.count(policy), _wins_of(policy, run.seatings, totals.seatings, sides), fair)
        for policy in dict.fromkeys(policies)
    )
    seatings = tuple(
        Seating(seating, number * SEATING_STRIDE, tally.matches, tuple(Share(w, tally.matches) for w in tally.wins))
        for number, (seating, tally) in enumerate(zip(run.seatings, totals.seatings, strict=True))
    )
    return SimulationResult(
        game=game.name,
        title=game.spec.title,
        rules_version=game.rules_version,
        options=game.options,
        policies=policies,
        seed=run.seed,
        wanted=run.matches,
        matches=whole.matches,
        interrupted=totals.interrupted,
        undecided=whole.undecided,
        unfinished=whole.unfinished,
        lengths=Distribution(whole.lengths),
        seats=seats,
        by_policy=by_policy,
        seatings=seatings,
        seconds=totals.seconds,
        workers=workers,
    )


def _wins_of(
    policy: str, seatings: Sequence[tuple[str, ...]], tallies: Sequence[_Tally], sides: Sequence[tuple[int, ...]]
) -> Share:
    """Return how often a side won on which the policy plays, out of all such sides of all matches."""
    wins = played = 0
    for seating, tally in zip(seatings, tallies, strict=True):
        for side in sides:
            if policy in (seating[seat] for seat in side):
                wins += tally.wins[side[0]]
                played += tally.matches
    return Share(wins, played)
