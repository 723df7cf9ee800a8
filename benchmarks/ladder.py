"""`make bench-ladder`: does each level of the computer players beat the one below it in at least 65 %?

    python -m benchmarks.ladder --game dribbel-fieber --minutes 8

Two levels play pairs of matches with changed seats and the same stream of draws; a pair's result is the mean of its
two matches, a tie counting half. A sequential test (GSPRT, with the variance that the pairs show) decides between
62.5 % and 67.5 %, with 5 % error on either side. Searching levels have a fixed number of iterations, worth a tenth of a
second.

What is done is in a file and counts on the next run, as long as rules and players are the same to the byte; Ctrl-C, or
the end of the time, loses one chunk of pairs at most.
"""

import argparse
import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import bolzplatz
from bolzplatz.bots import chance_drawer, chooser, level_index, levels, memory_of
from bolzplatz.core.compiled import constants_of, reachable
from bolzplatz.core.engine import Engine, links_of
from bolzplatz.core.kernels import play_many

RESULTS: Final = Path(__file__).with_name("ladder.json")
LOW: Final = 0.625
HIGH: Final = 0.675
AIM: Final = 0.65
BOUND: Final = math.log(0.95 / 0.05)
Z_95: Final = 1.959964
SEED: Final = 20_101
CHUNK: Final = 1
"""Pairs that one thread plays at a time: what Ctrl-C loses."""
MOST_PAIRS: Final = 1000
STEPS: Final = 5
"""A pair ends in 0, 1/4, 1/2, 3/4 or 1."""


@dataclass(slots=True)
class Rung:
    """One level against the one below it.

    Attributes:
        strong: the level that should win, and `weak` the one below it.
        digest: of rules and players that played.
        counts: how many pairs ended with 0 to 4 quarters for `strong`.
        seconds: of one core, without compiling.
    """

    strong: str
    weak: str
    digest: str
    counts: list[int] = field(default_factory=lambda: [0] * STEPS)
    seconds: float = 0.0

    @property
    def pairs(self) -> int:
        """How many pairs were played."""
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """The share of points of the stronger level."""
        return sum(i * count for i, count in enumerate(self.counts)) / (4 * max(1, self.pairs))

    @property
    def variance(self) -> float:
        """The variance of a pair's result, never 0: one pair more that lies in the middle of what is asked."""
        around = sum(count * (i / 4 - self.mean) ** 2 for i, count in enumerate(self.counts))
        return (around + (AIM - self.mean) ** 2 + 1e-3) / (self.pairs + 1)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share."""
        reach = Z_95 * math.sqrt(self.variance / max(1, self.pairs))
        return max(0.0, self.mean - reach), min(1.0, self.mean + reach)

    @property
    def evidence(self) -> float:
        """The log likelihood ratio of 67.5 % against 62.5 %."""
        return self.pairs * (HIGH - LOW) * (2 * self.mean - LOW - HIGH) / (2 * self.variance)

    @property
    def verdict(self) -> str:
        """`yes`, `no`, or `open` while neither is settled."""
        if self.pairs >= 10 and abs(self.evidence) >= BOUND:
            return "yes" if self.evidence > 0 else "no"
        return "open"


def digest_of(game: bolzplatz.Game) -> str:
    """Return the digest of all code and numbers that decide a match."""
    links = links_of(game.rules, chooser(game.name), chance_drawer(game.name), hides=True)
    functions = list(reachable((play_many,), links).values())
    sources = sorted({function.__code__.co_filename for function in functions})
    digest = hashlib.sha256(repr((game.options, sorted(constants_of(functions).items()))).encode())
    for source in sources:
        digest.update(Path(source).read_bytes())
    return digest.hexdigest()[:16]


def play_pairs(
    game: bolzplatz.Game, strong: str, weak: str, first: int, pairs: int, iterations: int = 0
) -> tuple[list[int], float]:
    """Play pairs first … first+pairs-1; return the counts of their results and the seconds; 0 iterations: as usual."""
    known = memory_of(game, (strong, weak))
    memory = known if len(known) else [iterations]
    engine = Engine(game, chooser(game.name), chance_drawer(game.name), memory)
    a, b = level_index(game.name, strong), level_index(game.name, weak)
    began = time.perf_counter()
    ahead = engine.play(pairs, SEED, first, [a, b]).won @ [1, -1]
    behind = engine.play(pairs, SEED, first, [b, a]).won @ [-1, 1]
    counts = [0] * STEPS
    for quarters in (ahead + behind + 2).tolist():
        counts[quarters] += 1
    return counts, time.perf_counter() - began


def climb(game: bolzplatz.Game, rung: Rung, workers: int, until: float, most: int) -> Iterator[Rung]:
    """Play on until the test has decided, the pairs or the time are used up; yield the rung after each chunk."""
    play_pairs(game, rung.strong, rung.weak, 0, 0)  # compiles
    with ThreadPoolExecutor(workers) as threads:
        while rung.verdict == "open" and rung.pairs < most and time.monotonic() < until:
            firsts = [rung.pairs + CHUNK * i for i in range(workers)]
            jobs = [threads.submit(play_pairs, game, rung.strong, rung.weak, first, CHUNK) for first in firsts]
            for counts, seconds in [job.result() for job in jobs]:
                rung.counts = [own + more for own, more in zip(rung.counts, counts, strict=True)]
                rung.seconds += seconds
            yield rung


# --- the file of results ------------------------------------------------------------------------------------------


def read_results(file: Path) -> dict[str, Any]:
    """Return what is done, by game; nothing where there is no such file."""
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def rungs_of(game: bolzplatz.Game, done: dict[str, Any], names: Sequence[str]) -> list[Rung]:
    """Return the rungs of a game, with what was played before by the same rules and players."""
    digest = digest_of(game)
    kept = {(rung["strong"], rung["weak"]): Rung(**rung) for rung in done.get(game.name, [])}
    fresh = [Rung(strong, weak, digest) for weak, strong in pairwise(names)]
    found = [kept.get((rung.strong, rung.weak), rung) for rung in fresh]
    return [old if old.digest == digest else new for old, new in zip(found, fresh, strict=True)]


def write_results(file: Path, done: dict[str, Any], game: str, rungs: Sequence[Rung]) -> None:
    """Write what is done, whole or not at all."""
    done[game] = [asdict(rung) for rung in rungs]
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)


def line_of(game: str, rung: Rung) -> str:
    """Return a rung as a line of a Markdown table."""
    low, high = rung.interval
    share = f"{100 * rung.mean:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"| {game} | {rung.strong} | {rung.weak} | {rung.pairs} | {share} | {rung.evidence:+.2f} | {rung.verdict} |"


def main() -> None:
    """Climb the ladder as far as the time allows, and print where it stands."""
    parser = argparse.ArgumentParser(description="Play the levels of a game's computer players against each other.")
    parser.add_argument("--game", default="dribbel-fieber")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so many; the next run goes on")
    parser.add_argument("--pairs", type=int, default=MOST_PAIRS, help="of each two levels, at most")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    game, done = bolzplatz.load_game(given.game), read_results(given.results)
    rungs = rungs_of(game, done, levels(game.name))
    try:
        for rung in rungs:
            for _ in climb(game, rung, given.workers, until, given.pairs):
                write_results(given.results, done, game.name, rungs)
                print(line_of(game.name, rung), flush=True)
    except KeyboardInterrupt:
        print("Stopped; what is done is kept.")
    print(
        "\n| game | level | against | pairs | points (95 %) | evidence | at least 65 % |\n|---|---|---|---|---|---|---|"
    )
    for rung in rungs:
        print(line_of(game.name, rung))


if __name__ == "__main__":
    main()
