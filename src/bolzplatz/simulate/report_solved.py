"""The sections of a report that need best play: exact values, what the options change exactly, and how much is luck.

`report_bar_bolz` and `report_fifty_fifty` are the games' own doors to it. Variants that are not solved have none of
these sections.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from bolzplatz.simulate.grading import take_apart
from bolzplatz.simulate.plot_solved import chart_of_solved, is_drawn
from bolzplatz.simulate.report import Asked, Section, Table, standard_of
from bolzplatz.simulate.results import options_changed
from bolzplatz.solve import Solution, refusal, solve

MATCHES: Final = 300
"""Matches that are taken apart move by move; that takes some time."""
OF_A_TABLE: Final = ("table", "table_bytes", "provenance")
"""Figures of a solution that tell of its file, another one on every machine; a report is the same everywhere."""


def sections(asked: Asked) -> Iterator[Section]:
    """Yield what best play says of this game, each section when it is done."""
    if refusal(asked.game) is not None:
        return
    solution = solve(asked.game, asked.progress, asked.workers)
    yield _best_play(asked, solution)
    yield _luck(asked, solution)


def _best_play(asked: Asked, solution: Solution) -> Section:
    """Say what the seats are worth in best play, and under the standard rules."""
    t, start = asked.t, _start(solution)

    def shown(chance: float) -> str:
        return f"{t.number(100 * chance, 4)} %"

    rows: list[tuple[str, ...]] = [(t("report.seat", n=seat), shown(chance)) for seat, chance in enumerate(start)]
    headings: tuple[str, ...] = ("", t("report.best.wins"))
    figures = {name: figure for name, figure in solution.facts().items() if name not in OF_A_TABLE}
    data: dict[str, Any] = {"chances": list(start), **figures}
    changed = options_changed(asked.game.name, asked.game.options)
    if changed and refusal(standard_of(asked.game)) is None:
        standard = _start(solve(standard_of(asked.game), asked.progress, asked.workers))
        headings = ("", t("report.standard"), t("report.these"))
        rows = [(name, shown(usual), now) for (name, now), usual in zip(rows, standard, strict=True)]
        data["standard"] = list(standard)
    table = Table("", headings, tuple(rows))
    chart = chart_of_solved(solution, t) if is_drawn(solution.game) else None
    return Section("best_play", t("report.best.title"), (t("report.best.exact"),), (table,), data, chart)


def _start(solution: Solution) -> tuple[float, ...]:
    return solution.win_chances(solution.game.new_initial_state())


def _luck(asked: Asked, solution: Solution) -> Section:
    """Say how much of who wins is luck, between players of this level, and what their moves give away."""
    t, matches = asked.t, min(asked.matches, MATCHES)
    results, moved, losses = [], [], list[float]()
    for match in range(matches):
        apart = take_apart(solution, asked.policy, asked.seed, match)
        results.append(apart.result)
        moved.append(apart.by_moves)
        losses += apart.losses
        asked.progress((match + 1) / matches, t("report.doing.luck"))
    thrown = [result - by_moves for result, by_moves in zip(results, moved, strict=True)]
    by_luck, by_skill = _variance(thrown), _variance(moved)
    share = by_luck / (by_luck + by_skill) if by_luck + by_skill else 1.0
    loss = math.fsum(losses) / max(1, len(losses))
    lines = (
        t("report.luck.share", share=t.number(100 * share, 1), n=t.number(matches)),
        t("report.luck.loss", points=t.number(100 * loss, 2)),
    )
    data = {
        "matches": matches,
        "luck": share,
        "luck_sd": by_luck**0.5,
        "moves_sd": by_skill**0.5,
        "mean_loss": loss,
        "moves": len(losses),
    }
    return Section("luck", t("report.luck.title"), lines, (), data)


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)
