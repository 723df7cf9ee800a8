"""Is one player stronger than another? Pairs of matches with changed seats, and a test that stops when it knows.

A pair's result is the mean of its two matches, a tie counting half: 0, 1/4, 1/2, 3/4 or 1. The test is a generalised
sequential probability ratio test with the variance that the pairs show; it decides between two shares of points, with
5 % error on either side. What is done lies in a file and counts on the next run.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bolzplatz.core.workplace import on_cluster

BOUND: Final = math.log(0.95 / 0.05)
"""Evidence at which the test stops."""
Z_95: Final = 1.959964
STEPS: Final = 5
"""A pair ends in 0, 1/4, 1/2, 3/4 or 1."""
LEAST_PAIRS: Final = 10
"""Before these the variance is not known well enough."""
FIRST_LOOK: Final = 16
PIECE_SECONDS: Final = 0.3
LARGEST_PIECE: Final = 100_000
ELO: Final = 400 / math.log(10)

Play = Callable[[int, int], tuple[list[int], float]]
"""Plays so many pairs from a number on; returns the counts of their results and the seconds."""


@dataclass(slots=True)
class Duel:
    """One player against another.

    Attributes:
        strong: the player in question, and `weak` the other one.
        digest: of all that decides a match; what another digest has played does not count.
        counts: how many pairs ended with 0 to 4 quarters for `strong`.
        seconds: of one core, without compiling.
        low, high: shares of points between which the test decides.
    """

    strong: str
    weak: str
    digest: str
    counts: list[int] = field(default_factory=lambda: [0] * STEPS)
    seconds: float = 0.0
    low: float = 0.0
    high: float = 1.0

    @property
    def pairs(self) -> int:
        """How many pairs were played."""
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """The share of points of `strong`."""
        return sum(i * count for i, count in enumerate(self.counts)) / (4 * max(1, self.pairs))

    @property
    def variance(self) -> float:
        """The variance of a pair's result, never 0: one pair more that lies in the middle of what is asked."""
        middle = (self.low + self.high) / 2
        around = sum(count * (i / 4 - self.mean) ** 2 for i, count in enumerate(self.counts))
        return (around + (middle - self.mean) ** 2 + 1e-3) / (self.pairs + 1)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share."""
        return self.within(Z_95)

    def within(self, deviations: float) -> tuple[float, float]:
        """Return the interval of the share that reaches so many standard deviations to either side."""
        reach = deviations * math.sqrt(self.variance / max(1, self.pairs))
        return max(0.0, self.mean - reach), min(1.0, self.mean + reach)

    @property
    def evidence(self) -> float:
        """The log likelihood ratio of `high` against `low`."""
        return self.pairs * (self.high - self.low) * (2 * self.mean - self.low - self.high) / (2 * self.variance)

    @property
    def verdict(self) -> str:
        """`yes`, `no`, or `open` while neither is settled."""
        if self.pairs >= LEAST_PAIRS and abs(self.evidence) >= BOUND:
            return "yes" if self.evidence > 0 else "no"
        return "open"

    def add(self, counts: Sequence[int], seconds: float) -> None:
        """Take more pairs in; never half of them, so that Ctrl-C leaves whole sums."""
        self.counts = [own + more for own, more in zip(self.counts, counts, strict=True)]
        self.seconds += seconds


def elo_of(share: float) -> float:
    """Return the difference in Elo points that stands for a share of points; infinite for all or none.

    >>> round(elo_of(0.75), 2), elo_of(0.5), elo_of(1.0)
    (190.85, 0.0, inf)
    """
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return ELO * math.log(share / (1 - share))


def share_of(elo: float) -> float:
    """Return the share of points that stands for a difference in Elo points."""
    return (1 + math.tanh(elo / (2 * ELO))) / 2  # the logistic curve, where no large number overflows


def next_look(pairs: int) -> int:
    """Return the number of pairs after which the test looks at the results next.

    Looks depend on nothing but that number, so that a run ends at the same pair with any number of workers.
    """
    look = FIRST_LOOK
    while look <= pairs:
        look += max(FIRST_LOOK, look // 4)
    return look


def settle(duel: Duel, play: Play, workers: int, until: float, most: int) -> Iterator[Duel]:
    """Play on until the test has decided, or the pairs or the time are used up; yield the duel after each few pairs.

    Pairs are played by so many threads, or on all workers of a cluster (`core.workplace`). `until` is a time of
    `time.monotonic`. The numbers of the pairs go on from those that the duel holds, so that a run
    that was stopped plays the very pairs that it had left.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    jobs = -1 if on_cluster() else workers
    pieces = effective_n_jobs(jobs)
    size, look = 1, duel.pairs if duel.pairs and next_look(duel.pairs - 1) == duel.pairs else next_look(duel.pairs)
    with Parallel(n_jobs=jobs, prefer="threads") as parallel:
        while duel.pairs < most and time.monotonic() < until:
            if duel.pairs == look:
                if duel.verdict != "open":
                    return
                look = next_look(look)
            end = min(look, most)
            firsts = range(duel.pairs, min(duel.pairs + size * pieces, end), size)
            done = parallel(delayed(play)(first, min(size, end - first)) for first in firsts)
            for counts, seconds in done:
                duel.add(counts, seconds)
            size = piece_after(size, max(seconds for _, seconds in done))
            yield duel


def piece_after(size: int, seconds: float) -> int:
    """Return how many pairs a worker plays next at a time, after so many took so long: what Ctrl-C loses."""
    return max(1, min(8 * size, int(size * PIECE_SECONDS / max(seconds, 1e-6)), LARGEST_PIECE))


# --- the file of results ------------------------------------------------------------------------------------------


def read_results(file: Path) -> dict[str, Any]:
    """Return what is done, by game; nothing where there is no such file. ValueError: it is something else."""
    done = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if not isinstance(done, dict):
        raise ValueError("not a file of results")
    return done


def write_results(file: Path, done: Mapping[str, Any]) -> None:
    """Write what is done, whole or not at all."""
    partial = file.with_name(f"{file.name}.part")
    partial.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)
