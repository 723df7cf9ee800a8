"""`make bench-ladder`: does each level of the computer players beat the one below it in at least 65 %?

    python -m benchmarks.ladder --game dribbel-fieber --minutes 8

Two levels play pairs of matches with changed seats and the same stream of draws; a pair's result is the mean of its
two matches, a tie counting half. A sequential test (`simulate.sequential`) decides between 62.5 % and 67.5 %.
Searching levels have a fixed number of iterations, worth a tenth of a second.

What is done is in a file and counts on the next run, as long as rules and players are the same to the byte; Ctrl-C, or
the end of the time, loses a few pairs at most.
"""

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import bolzplatz
from bolzplatz.bots import chance_drawer, chooser, level_index, levels, memory_of
from bolzplatz.core.engine import Engine
from bolzplatz.core.kernels import play_many
from bolzplatz.simulate.bench import digest_of
from bolzplatz.simulate.sequential import STEPS, Duel, read_results, settle, write_results

RESULTS: Final = Path(__file__).with_name("ladder.json")
LOW: Final = 0.625
HIGH: Final = 0.675
SEED: Final = 20_101
MOST_PAIRS: Final = 1000
NONE: Final = (0,) * STEPS


def new_rung(strong: str, weak: str, digest: str, counts: Sequence[int] = NONE, seconds: float = 0.0, **_: Any) -> Duel:
    """Return one level against the one below it, with what was played before."""
    return Duel(strong, weak, digest, list(counts), seconds, LOW, HIGH)


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


def climb(game: bolzplatz.Game, rung: Duel, workers: int, until: float, most: int) -> Iterator[Duel]:
    """Play on until the test has decided, the pairs or the time are used up; yield the rung after each few pairs."""
    play_pairs(game, rung.strong, rung.weak, 0, 0)  # compiles
    return settle(
        rung, lambda first, count: play_pairs(game, rung.strong, rung.weak, first, count), workers, until, most
    )


# --- the file of results ------------------------------------------------------------------------------------------


def rungs_of(game: bolzplatz.Game, done: dict[str, Any], names: Sequence[str]) -> list[Duel]:
    """Return the rungs of a game, with what was played before by the same rules and players."""
    digest = digest_of(game, play_many)
    kept = {(rung["strong"], rung["weak"]): new_rung(**rung) for rung in done.get(game.name, [])}
    fresh = [new_rung(strong, weak, digest) for weak, strong in pairwise(names)]
    found = [kept.get((rung.strong, rung.weak), rung) for rung in fresh]
    return [old if old.digest == digest else new for old, new in zip(found, fresh, strict=True)]


def keep_rungs(file: Path, done: dict[str, Any], game: str, rungs: Sequence[Duel]) -> None:
    """Write what is done."""
    done[game] = [asdict(rung) for rung in rungs]
    write_results(file, done)


def line_of(game: str, rung: Duel) -> str:
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
                keep_rungs(given.results, done, game.name, rungs)
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
