"""Reports: what a game is like with these options, for people who design, judge or argue about it.

A report is a list of sections, each with sentences, tables and at most one chart; it becomes a page in HTML that needs
nothing else, JSON, or tables in a terminal. Every game has the sections of this module: what a seat is worth, how long
a match is, what is scored, and what the options change against the standard rules. A game's own sections come from a
module `bolzplatz.simulate.report_<room>` with `sections(asked)`, where there is one.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.game import Game
from bolzplatz.core.workplace import on_cluster
from bolzplatz.games import load_game
from bolzplatz.simulate.plot import CREAM, INK, PITCH, chart_svg, draw_plot
from bolzplatz.simulate.results import SimulationResult, options_changed
from bolzplatz.simulate.run import simulate
from bolzplatz.simulate.statistics import Distribution, Share

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Progress = Callable[[float, str], None]
"""Told what is being done, and how much of it, from 0 to 1."""
SHARES: Final = "99 % interval"


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
    """

    game: Game
    policy: str
    matches: int
    seed: int
    workers: int | None = None
    progress: Progress = lambda _share, _what: None


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
        chart: draws its chart; None: it has none.
    """

    key: str
    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    chart: "Callable[[], Figure] | None" = None


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report, or as much of it as was done when it was stopped."""

    asked: Asked
    sections: tuple[Section, ...]
    interrupted: bool = False

    @property
    def setting(self) -> str:
        """Say in one line what was played."""
        game = self.asked.game
        parts = (f"{self.asked.policy} players", *options_changed(game.name, game.options))
        return f"{', '.join(parts)}; seed {self.asked.seed}"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict; the same for any number of workers."""
        game = self.asked.game
        return {
            "game": game.name,
            "rules_version": game.rules_version,
            "options": dict(game.options),
            "policy": self.asked.policy,
            "matches": self.asked.matches,
            "seed": self.asked.seed,
            "interrupted": self.interrupted,
            "sections": {
                section.key: {"title": section.title, "lines": list(section.lines), **section.data}
                for section in self.sections
            },
        }

    def to_html(self) -> str:
        """Return a page with all charts in it."""
        title = f"{self.asked.game.spec.title}: report"
        body = "\n".join(_html_of(section) for section in self.sections)
        note = "<p><strong>Stopped early: some sections are missing.</strong></p>" if self.interrupted else ""
        return _PAGE.format(
            title=escape(title), setting=escape(self.setting), note=note, body=body, pitch=PITCH, cream=CREAM, ink=INK
        )


_PAGE: Final = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; background: {pitch}; color: {ink}; font: 16px/1.5 system-ui, sans-serif }}
header, section {{ max-width: 60rem; margin: 1.5rem auto; padding: 0 1.25rem }}
header {{ color: {cream} }}
section {{ background: {cream}; border: 2px solid {ink}; border-radius: 14px; padding-bottom: 1rem; overflow-x: auto }}
table {{ border-collapse: collapse; margin: 1rem 0 }}
caption {{ text-align: left; font-weight: 700 }}
th, td {{ padding: .25rem .75rem .25rem 0; text-align: right; white-space: nowrap }}
th:first-child, td:first-child {{ text-align: left }}
thead th {{ border-bottom: 2px solid {ink} }}
svg {{ width: 100%; min-width: 44rem; height: auto; border-radius: 10px }}
</style></head><body>
<header><h1>{title}</h1><p>{setting}</p>{note}</header>
{body}
</body></html>
"""


def _html_of(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>", *(f"<p>{escape(line)}</p>" for line in section.lines)]
    if section.chart is not None:
        svg = chart_svg(section.chart)
        parts.append(svg[svg.index("<svg") :])
    parts += [_html_table(table) for table in section.tables]
    return f'<section id="{escape(section.key)}">{"".join(parts)}</section>'


def _html_table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in table.headings)
    rows = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in table.rows
    )
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


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
    result = _play(asked, asked.game, "the match")
    yield _fairness(result)
    yield _course(result)
    changed = options_changed(asked.game.name, asked.game.options)
    if changed:
        yield _what_if(result, _play(asked, standard_of(asked.game), "the standard rules"), changed)
    room = asked.game.rules.begin.__module__.rpartition(".")[2]
    name = f"bolzplatz.simulate.report_{room}"
    if importlib.util.find_spec(name) is not None:
        yield from importlib.import_module(name).sections(asked)


def _play(asked: Asked, game: Game, what: str) -> SimulationResult:
    """Play the matches of one section; an interrupted run is no section."""
    result = simulate(
        game,
        [asked.policy],
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


def percent(share: Share) -> tuple[str, str]:
    """Return a share and its interval as table cells."""
    low, high = share.interval
    return f"{100 * share.share:.2f} %", f"{100 * low:.2f} to {100 * high:.2f}"


def _fairness(result: SimulationResult) -> Section:
    """Say what a seat is worth."""
    rows = []
    for seat in result.seats:
        advantage, low, high = (100 * value for value in seat.advantage)
        lead = f"{advantage:+.2f} ({low:+.2f} to {high:+.2f})"
        rows.append((f"seat {seat.seat}", *percent(seat.wins), f"{100 * seat.fair:.2f} %", lead))
    best = max(result.seats, key=lambda seat: seat.advantage[0])
    low = best.advantage[1]
    verdict = (
        f"Seat {best.seat} wins more often than is fair, by {100 * low:.2f} percentage points at least."
        if low > 0
        else "No seat is seen to win more often than is fair."
    )
    undecided = Share(result.undecided, result.matches)
    lines = (
        f"{result.matches:,} matches between {result.policies[0]} players.",
        verdict,
        *([f"Nobody wins {' ('.join(percent(undecided))} %) of the matches."] if result.undecided else []),
    )
    table = Table("", ("seat", "wins", SHARES, "fair", "points over fair"), tuple(rows))
    data = {"seats": [seat.to_dict() for seat in result.seats], "undecided": undecided.to_dict()}
    return Section("fairness", "Is every seat worth the same?", lines, (table,), data, lambda: draw_plot(result))


def numbers_row(name: str, numbers: Distribution) -> tuple[str, ...]:
    """Return a distribution as a row under NUMBERS."""
    whole = (
        min(numbers.counts, default=0),
        *(numbers.quantile(p) for p in (5, 50, 95)),
        max(numbers.counts, default=0),
    )
    return name, f"{numbers.mean:,.2f}", f"{numbers.sd:,.2f}", *(f"{value:,}" for value in whole)


NUMBERS: Final = ("", "mean", "sd", "least", "5 %", "median", "95 %", "most")


def _course(result: SimulationResult) -> Section:
    """Say how long a match is and what is scored."""
    rows = [numbers_row("decisions and throws of a match", result.lengths)]
    rows += [numbers_row(f"score of seat {seat.seat}", seat.scores) for seat in result.seats]
    lines = (
        f"A match takes {result.lengths.mean:,.1f} decisions and throws in the mean, "
        f"nine of ten between {result.lengths.quantile(5):,} and {result.lengths.quantile(95):,}.",
    )
    data = {"lengths": result.lengths.to_dict(), "scores": [seat.scores.to_dict() for seat in result.seats]}
    return Section("course", "How long, and how much", lines, (Table("", NUMBERS, tuple(rows)),), data)


def _what_if(result: SimulationResult, standard: SimulationResult, changed: Sequence[str]) -> Section:
    """Say what the options change against the standard rules, with the same seed."""
    rows = [
        (f"seat {ours.seat} wins", percent(theirs.wins)[0], percent(ours.wins)[0])
        for ours, theirs in zip(result.seats, standard.seats, strict=True)
    ]
    shares = (Share(each.undecided, each.matches) for each in (standard, result))
    before, now = (percent(share)[0] for share in shares)
    rows.append(("nobody wins", before, now))
    rows.append(("decisions and throws", f"{standard.lengths.mean:,.1f}", f"{result.lengths.mean:,.1f}"))
    for ours, theirs in zip(result.seats, standard.seats, strict=True):
        rows.append((f"mean score of seat {ours.seat}", f"{theirs.scores.mean:,.2f}", f"{ours.scores.mean:,.2f}"))
    data = {
        "changed": list(changed),
        "standard": {
            "seats": [seat.to_dict() for seat in standard.seats],
            "undecided": standard.undecided,
            "lengths": standard.lengths.to_dict(),
        },
    }
    table = Table("", ("", "standard rules", "these rules"), tuple(rows))
    return Section("what_if", "Against the standard rules", (f"Changed: {', '.join(changed)}.",), (table,), data)
