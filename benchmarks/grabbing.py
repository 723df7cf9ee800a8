"""Fair grabbing in numbers: how often does the wrong hand get a piece? Two equal people, honest browsers, three lines.

A reaction is drawn from a normal distribution; what a browser measures is off by the noise of touch and frames; each
way over a line takes its base time and an exponential rest. A verdict is wrong where the piece goes to the one whose
true reaction was slower; hands that are parted by lot are counted apart. Rules compared:

    arrival   whose grab comes in first, cards sent to all at once
    strict    the race in strict mode: arrival less the usual round trip
    common    cards shown at one instant, then arrival order
    reports   the race with reports within bounds, without a tie window
    race      the race as it is played

`python -m benchmarks.grabbing` prints the table.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bolzplatz.core.grab import MS, PINGS_AT_FIRST, Conduct, Link, Race, RaceRules, Terms, send_delays

TASKS: Final = {"quick": (450, 110), "reading": (1500, 450)}
"""Mean and standard deviation of a reaction, in milliseconds."""
TOUCH_NOISE: Final = 8
FRAME_NOISE: Final = 8
SHORTEST: Final = 200


@dataclass(frozen=True)
class Line:
    """One way over a line, in milliseconds: its base time, and the mean of what comes on top."""

    base: float
    jitter: float

    def trip(self, luck: random.Random) -> float:
        """Draw one way."""
        return self.base + luck.expovariate(1 / self.jitter)


FIBRE: Final = Line(5, 1)
PAIRS: Final = {
    "LAN": (Line(1, 1), Line(1, 1)),
    "fibre v mobile": (FIBRE, Line(45, 30)),
    "EU v overseas": (FIBRE, Line(85, 15)),
}


@dataclass(frozen=True)
class Try:
    """One round of two hands, in milliseconds: true and measured reactions, and every way over the lines."""

    reactions: tuple[float, ...]
    measured: tuple[float, ...]
    down: tuple[float, ...]
    up: tuple[float, ...]
    links: tuple[Link, ...]

    @property
    def first(self) -> int:
        """Whose reaction was quicker."""
        return self.reactions.index(min(self.reactions))


def tries(task: str, lines: Sequence[Line], count: int, seed: int) -> Iterator[Try]:
    """Yield rounds, each with links that have pinged for half a minute."""
    luck = random.Random(f"{seed} {task}")
    mean, deviation = TASKS[task]
    for _ in range(count):
        reactions = tuple(max(SHORTEST, luck.gauss(mean, deviation)) for _ in lines)
        links = []
        for line in lines:
            link = Link()
            for ping in range(PINGS_AT_FIRST + 10):
                link = link.heard(ping * MS, round(MS * (line.trip(luck) + line.trip(luck))))
            links.append(link)
        yield Try(
            reactions,
            tuple(r + luck.gauss(0, TOUCH_NOISE) + luck.uniform(-FRAME_NOISE, FRAME_NOISE) for r in reactions),
            tuple(line.trip(luck) for line in lines),
            tuple(line.trip(luck) for line in lines),
            tuple(links),
        )


def by_arrival(one: Try) -> int:
    """Give the piece to the grab that comes in first."""
    times = [down + own + up for down, own, up in zip(one.down, one.measured, one.up, strict=True)]
    return times.index(min(times))


def at_a_common_instant(one: Try) -> int:
    """Let all see the cards at one instant, then take what comes in first."""
    times = [own + up for own, up in zip(one.measured, one.up, strict=True)]
    return times.index(min(times))


def by_race(one: Try, rules: RaceRules) -> int | None:
    """Let the arbiter decide; None where it asks for a lot."""
    race = Race(tuple(Terms.of(link, Conduct()) for link in one.links), rules)
    delays = send_delays(dict(enumerate(one.links)))
    arrivals = []
    for seat, delay in delays.items():
        arrives = delay + round(MS * (one.down[seat] + one.measured[seat] + one.up[seat]))
        arrivals.append((arrives, seat))
    for seat, delay in sorted(delays.items(), key=lambda item: item[1]):
        race.sent(seat, delay)
    for arrives, seat in sorted(arrivals):
        race.grab(seat, "black", arrives, round(MS * one.measured[seat]))
    race.look(10_000 * MS)
    return race.settled["black"].holder if race.lot is None else None


USUAL: Final = RaceRules()
RULES: Final[dict[str, Callable[[Try], int | None]]] = {
    "arrival": by_arrival,
    "strict": lambda one: by_race(one, replace(USUAL, strict=True, tie=0)),
    "common": at_a_common_instant,
    "reports": lambda one: by_race(one, replace(USUAL, tie=0)),
    "race": lambda one: by_race(one, USUAL),
}


def shares(rule: str, task: str, pair: str, count: int, seed: int = 1) -> tuple[float, float]:
    """Return the share of decided rounds that are wrong, and the share of rounds that a lot decides."""
    wrong, lots = 0, 0
    for one in tries(task, PAIRS[pair], count, seed):
        winner = RULES[rule](one)
        lots += winner is None
        wrong += winner is not None and winner != one.first
    return wrong / max(1, count - lots), lots / count


def run(count: int = 20_000) -> Iterator[tuple[str, str, str, float, float]]:
    """Yield rule, task, pair of links, wrong share and share of lots."""
    for rule in RULES:
        for task in TASKS:
            for pair in PAIRS:
                yield (rule, task, pair, *shares(rule, task, pair, count))


def main() -> None:
    """Print the table, as Markdown."""
    print("| rule | task | links | wrong % | lots % |\n|---|---|---|---|---|")
    for rule, task, pair, wrong, lots in run():
        print(f"| {rule} | {task} | {pair} | {100 * wrong:.2f} | {100 * lots:.1f} |", flush=True)


if __name__ == "__main__":
    main()
