"""Measure contenders in turn, again and again, and compare their best rounds: what disturbs one round disturbs few."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Contender = Callable[[], tuple[int, float]]
"""Does a fixed piece of work; returns how many steps that were and how many seconds of CPU (or wall) they took."""


@dataclass(frozen=True)
class Rate:
    """Steps a second in the best round, and in the median one."""

    best: float
    median: float


def compare(contenders: Mapping[str, Contender], rounds: int = 7) -> dict[str, Rate]:
    """Run each contender once to warm up, then `rounds` times in turn; return their rates."""
    for contender in contenders.values():
        contender()
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            steps, seconds = contender()
            rates[name].append(steps / seconds)
    return {name: Rate(max(found), sorted(found)[len(found) // 2]) for name, found in rates.items()}


def timed(work: Callable[[], int]) -> Contender:
    """Turn work that returns its number of steps into a contender measured by the CPU time of this process."""

    def contender() -> tuple[int, float]:
        start = time.process_time()
        steps = work()
        return steps, time.process_time() - start

    return contender
