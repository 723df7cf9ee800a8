"""Reports: what a game is like with these options, for people who design, judge or argue about it.

A report is a list of sections, each with sentences, tables and at most one chart, in the language that was asked for;
it becomes a page in HTML that needs nothing else (`simulate.page`), JSON, or tables in a terminal. Every game has the
sections of this module: what a seat is worth, how long a match is, what is scored, and what the options change against
the standard rules; and those of `simulate.skill`. A game's own sections come from a module
`bolzplatz.simulate.report_<room>` with `sections(asked)`, where there is one.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bolzplatz.core.game import Game
from bolzplatz.core.texts import Catalogue, catalogue
from bolzplatz.core.workplace import on_cluster
from bolzplatz.games import load_game
from bolzplatz.simulate.plot import Chart, chart_of
from bolzplatz.simulate.results import SimulationResult, options_changed
from bolzplatz.simulate.run import simulate
from bolzplatz.simulate.statistics import Distribution, Share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Progress = Callable[[float, str], None]
"""Told what is being done, and how much of it, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a report is about.

    Attributes:
        game: the game with its options.
        policy: the level that plays all seats.
        matches: how many matches the main numbers come from.
        seed: of all runs.
        workers: how many threads play; one for each core where None.
        progress: told how it goes on; KeyboardInterrupt passes through it.
        language: one of `core.texts.LANGUAGES`, for all sentences.
    """

    game: Game
    policy: str
    matches: int
    seed: int
    workers: int | None = None
    progress: Progress = lambda _share, _what: None
    language: str = "en"

    @property
    def t(self) -> Catalogue:
        """The texts in that language."""
        return catalogue(self.language)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; the first column is a name, the others read as numbers."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """One part of a report.

    Attributes:
        key: its name in JSON.
        title: its heading.
        lines: what it says, in sentences.
        tables: the numbers for people.
        data: the numbers for programs, JSON-able.
        chart: what can be drawn of it; None: nothing.
    """

    key: str
    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    chart: Chart | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report, or as much of it as was done when it was stopped."""

    asked: Asked
    sections: tuple[Section, ...]
    interrupted: bool = False

    @property
    def title(self) -> str:
        """Say what it is."""
        return self.asked.t("report.title", game=self.asked.game.spec.title)

    @property
    def setting(self) -> str:
        """Say in one line what was played."""
        game, t = self.asked.game, self.asked.t
        players = t("report.players", levels=t(f"level.{self.asked.policy}"))
        played = ", ".join((players, *options_changed(game.name, game.options)))
        return f"{played}; {t('report.seed', n=self.asked.seed)}"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict; the same for any number of workers."""
        game = self.asked.game
        return {
            "game": game.name,
            "rules_version": game.rules_version,
            "options": dict(game.options),
            "language": self.asked.language,
            "policy": self.asked.policy,
            "matches": self.asked.matches,
            "seed": self.asked.seed,
            "interrupted": self.interrupted,
            "sections": {
                section.key: {"title": section.title, "lines": list(section.lines), **section.data}
                for section in self.sections
            },
        }


def add_up(jobs: "Sequence[Callable[[], NDArray[np.int64]]]", asked: Asked, what: str) -> "NDArray[np.int64]":
    """Do all jobs on as many threads as were asked for, and return the sum of their arrays: it has no order."""
    from joblib import Parallel, cpu_count, delayed

    if on_cluster():
        parts = Parallel(n_jobs=-1, return_as="generator")(delayed(job)() for job in jobs)
        total: NDArray[np.int64] = next(parts)
        for number, part in enumerate(parts, 2):
            total = total + part
            asked.progress(number / len(jobs), what)
        return total
    total = jobs[0]()  # compiles, once for all threads
    threads = ThreadPoolExecutor(asked.workers or cpu_count())
    try:
        for number, part in enumerate(threads.map(lambda job: job(), jobs[1:]), 2):
            total = total + part
            asked.progress(number / len(jobs), what)
    finally:
        threads.shutdown(cancel_futures=True)
    return total


# --- making one ---------------------------------------------------------------------------------------------------


def make_report(asked: Asked) -> Report:
    """Play, and return the report; Ctrl-C ends it early, with the sections that are done."""
    done: list[Section] = []
    try:
        done.extend(_all_sections(asked))
    except KeyboardInterrupt:
        return Report(asked, tuple(done), interrupted=True)
    return Report(asked, tuple(done))


def _all_sections(asked: Asked) -> Iterator[Section]:
    t = asked.t
    result = play_matches(asked, asked.game, (asked.policy,), t("report.doing.match"))
    yield _fairness(result, t)
    yield _course(result, t)
    changed = options_changed(asked.game.name, asked.game.options)
    if changed:
        standard = play_matches(asked, standard_of(asked.game), (asked.policy,), t("report.doing.standard"))
        yield _what_if(result, standard, changed, t)
    room = asked.game.rules.begin.__module__.rpartition(".")[2]
    name = f"bolzplatz.simulate.report_{room}"
    if importlib.util.find_spec(name) is not None:
        yield from importlib.import_module(name).sections(asked)
    yield from importlib.import_module("bolzplatz.simulate.skill").sections(asked)  # which knows what a section is


def play_matches(asked: Asked, game: Game, policies: Sequence[str], what: str) -> SimulationResult:
    """Play the matches of one section; an interrupted run is no section."""
    result = simulate(
        game,
        policies,
        asked.matches,
        asked.seed,
        asked.workers,
        progress=lambda done: asked.progress(done / asked.matches, what),
    )
    if result.interrupted:
        raise KeyboardInterrupt
    return result


def standard_of(game: Game) -> Game:
    """Return the game with as many players, and all other options at their defaults."""
    counted = {name: game.options[name] for name in ("players", "teams") if name in game.options}
    return load_game(game.name, **counted)


def percent(share: Share, t: Catalogue) -> tuple[str, str]:
    """Return a share and its interval as table cells."""
    low, high = share.interval
    return f"{t.number(100 * share.share, 2)} %", range_text(100 * low, 100 * high, 2, t)


def range_text(low: float, high: float, digits: int, t: Catalogue, *, signed: bool = False) -> str:
    """Return the ends of an interval as a text."""
    return t("report.range", low=t.number(low, digits, signed=signed), high=t.number(high, digits, signed=signed))


def _fairness(result: SimulationResult, t: Catalogue) -> Section:
    """Say what a seat is worth."""
    rows = []
    for seat in result.seats:
        advantage, low, high = (100 * value for value in seat.advantage)
        lead = f"{t.number(advantage, 2, signed=True)} ({range_text(low, high, 2, t, signed=True)})"
        fair = f"{t.number(100 * seat.fair, 2)} %"
        rows.append((t("report.seat", n=seat.seat), *percent(seat.wins, t), fair, lead))
    best = max(result.seats, key=lambda seat: seat.advantage[0])
    low = best.advantage[1]
    verdict = t("report.fairness.level")
    if low > 0:
        verdict = t("report.fairness.ahead", n=best.seat, points=t.number(100 * low, 2))
    undecided = Share(result.undecided, result.matches)
    nobody = dict(zip(("share", "range"), percent(undecided, t), strict=True))
    lines = (
        t("report.fairness.matches", n=t.number(result.matches)),
        verdict,
        *([t("report.fairness.nobody", **nobody)] if result.undecided else []),
    )
    wins, fair, over = (t(f"report.fairness.{key}") for key in ("wins", "fair", "over"))
    table = Table("", ("", wins, t("report.interval"), fair, over), tuple(rows))
    data = {"seats": [seat.to_dict() for seat in result.seats], "undecided": undecided.to_dict()}
    return Section("fairness", t("report.fairness.title"), lines, (table,), data, chart_of(result, t))


def numbers_row(name: str, numbers: Distribution, t: Catalogue) -> tuple[str, ...]:
    """Return a distribution as a row under `numbers_headings`."""
    whole = (
        min(numbers.counts, default=0),
        *(numbers.quantile(p) for p in (5, 50, 95)),
        max(numbers.counts, default=0),
    )
    return name, t.number(numbers.mean, 2), t.number(numbers.sd, 2), *(t.number(value) for value in whole)


def numbers_headings(t: Catalogue) -> tuple[str, ...]:
    """Return what stands above distributions."""
    mean, sd, least, median, most = (t(f"report.course.{key}") for key in ("mean", "sd", "least", "median", "most"))
    return "", mean, sd, least, "5 %", median, "95 %", most


def _course(result: SimulationResult, t: Catalogue) -> Section:
    """Say how long a match is and what is scored."""
    rows = [numbers_row(t("report.course.steps"), result.lengths, t)]
    rows += [numbers_row(t("report.course.score", n=seat.seat), seat.scores, t) for seat in result.seats]
    low, high = (t.number(result.lengths.quantile(share)) for share in (5, 95))
    lines = (t("report.course.said", mean=t.number(result.lengths.mean, 1), low=low, high=high),)
    data = {"lengths": result.lengths.to_dict(), "scores": [seat.scores.to_dict() for seat in result.seats]}
    table = Table("", numbers_headings(t), tuple(rows))
    return Section("course", t("report.course.title"), lines, (table,), data)


def _what_if(result: SimulationResult, standard: SimulationResult, changed: Sequence[str], t: Catalogue) -> Section:
    """Say what the options change against the standard rules, with the same seed."""
    rows = [
        (t("report.changes.wins", n=ours.seat), percent(theirs.wins, t)[0], percent(ours.wins, t)[0])
        for ours, theirs in zip(result.seats, standard.seats, strict=True)
    ]
    shares = (Share(each.undecided, each.matches) for each in (standard, result))
    before, now = (percent(share, t)[0] for share in shares)
    rows.append((t("report.changes.nobody"), before, now))
    before, now = (t.number(each.lengths.mean, 1) for each in (standard, result))
    rows.append((t("report.changes.steps"), before, now))
    for ours, theirs in zip(result.seats, standard.seats, strict=True):
        before, now = (t.number(seat.scores.mean, 2) for seat in (theirs, ours))
        rows.append((t("report.changes.score", n=ours.seat), before, now))
    data = {
        "changed": list(changed),
        "standard": {
            "seats": [seat.to_dict() for seat in standard.seats],
            "undecided": standard.undecided,
            "lengths": standard.lengths.to_dict(),
        },
    }
    table = Table("", ("", t("report.standard"), t("report.these")), tuple(rows))
    lines = (t("report.changes.changed", options=", ".join(changed)),)
    return Section("what_if", t("report.changes.title"), lines, (table,), data)
