"""The sections of a report that tell what the player can do and what only luck can: by matches of computer players.

Skill: what the best level gets against each of the others; exactly where both can be followed through the solved game.
Luck, where no solver knows a game's chances: how often a match ends alike when its seats change players on the same
draws. (`report_solved` knows luck better where it can be worked out.)
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from bolzplatz.bots import level_fault, players_of
from bolzplatz.core.game import Game
from bolzplatz.simulate.bench import pairs_of
from bolzplatz.simulate.exactly import exact_share
from bolzplatz.simulate.report import Asked, Section, Table, percent, play_matches, range_text
from bolzplatz.simulate.run import sides_of
from bolzplatz.simulate.sequential import Duel, elo_of, settle
from bolzplatz.simulate.statistics import Z_99, Share
from bolzplatz.solve import refusal

MOST_PAIRS: Final = 2000
"""Pairs of matches from which a share is told that is not known exactly."""
ALIKE: Final = 2
"""Quarters of a pair whose two matches ended alike for each seat: each player has one of the two results."""


def sections(asked: Asked) -> Iterator[Section]:
    """Yield what computer players tell of this game, each section when it is done."""
    two_sides = len(sides_of(asked.game)) == 2
    if two_sides and refusal(asked.game) is not None:
        yield _luck(asked)
    yield _skill(asked) if two_sides else _skill_among_many(asked)


def ladder_of(game: Game) -> tuple[str, ...]:
    """Return the levels that are compared, weakest first: all that play here, but for those that think at length."""
    slow = _slow(game)
    return tuple(level for level in players_of(game.name).LEVELS if level not in slow and not level_fault(game, level))


def _slow(game: Game) -> tuple[str, ...]:
    """Return the levels that think as long as they are given."""
    levels: tuple[str, ...] = getattr(players_of(game.name), "SEARCHING", ())
    return levels


def _duel(asked: Asked, strong: str, weak: str, what: str) -> Duel:
    """Let two levels play all pairs; Ctrl-C ends it between two pieces."""
    from joblib import cpu_count

    pairs = max(1, min(asked.matches // 2, MOST_PAIRS))
    duel = Duel(strong, weak, "", low=0.5, high=0.5)  # a test between equal shares never decides: it plays all
    play = pairs_of(asked.game, strong, weak, asked.seed)
    for _ in settle(duel, play, asked.workers or cpu_count(), math.inf, pairs):
        asked.progress(duel.pairs / pairs, what)
    return duel


def _luck(asked: Asked) -> Section:
    """Say how much of who wins lies in draws and seat, between players of this level."""
    t = asked.t
    duel = _duel(asked, asked.policy, asked.policy, t("report.doing.luck"))
    alike = Share(duel.counts[ALIKE], duel.pairs)
    share, within = percent(alike, t)
    lines = (
        t("report.luck.pairs", n=t.number(duel.pairs)),
        t("report.luck.alike", share=share, range=within),
    )
    return Section("luck", t("report.luck.title"), lines, (), {"pairs": duel.pairs, "alike": alike.to_dict()})


def _skill(asked: Asked) -> Section:
    """Say how far apart players of different strength come to be: what the best level gets against each other one."""
    game, t, rows, data = asked.game, asked.t, [], dict[str, Any]()
    *others, best = ladder_of(game)
    for level in others:
        share, within, how = exact_share(game, best, level), "", t("report.skill.exact")
        interval = None
        if share is None:
            duel = _duel(asked, best, level, t("report.doing.skill"))
            share, interval = duel.mean, duel.within(Z_99)
            within, how = range_text(100 * interval[0], 100 * interval[1], 2, t), t("report.skill.matches")
        elo = elo_of(share) if 0 < share < 1 else None
        shown = "∞" if elo is None else t.number(elo, signed=True)
        rows.append((t(f"level.{level}"), f"{t.number(100 * share, 2)} %", within, shown, how))
        data[level] = {"points": share, "interval": interval, "elo": elo, "exact": interval is None}
    weakest, named = data[others[0]], t(f"level.{best}")
    depth = weakest["elo"]
    lines = (
        t("report.skill.depth", level=named, elo=t.number(depth)) if depth is not None else t("report.skill.endless"),
        t("report.skill.share", level=named, share=t.number(100 * weakest["points"], 1)),
    )
    against, points, how = (t(f"report.skill.{key}") for key in ("against", "points", "how"))
    headings = (against, points, t("report.interval"), "Elo", how)
    return _section(asked, lines, Table("", headings, tuple(rows)), {"best": best, "levels": data, "depth": depth})


def _skill_among_many(asked: Asked) -> Section:
    """Say how often one player of the best level wins among others of a level, at a table of more than two sides."""
    game, t, rows, data = asked.game, asked.t, [], dict[str, Any]()
    *others, best = ladder_of(game)
    for level in others:
        policies = (best,) + (level,) * (game.num_players - 1)
        found = play_matches(asked, game, policies, t("report.doing.skill")).by_policy[0]
        rows.append((t(f"level.{level}"), *percent(found.wins, t), f"{t.number(100 * found.fair, 2)} %"))
        data[level] = {"wins": found.wins.to_dict(), "fair": found.fair}
    weakest, named = data[others[0]], t(f"level.{best}")
    shares = {"share": t.number(100 * weakest["wins"]["share"], 1), "fair": t.number(100 * weakest["fair"], 1)}
    lines = (t("report.skill.among", level=named, **shares),)
    headings = (
        t("report.skill.others"),
        *(t(f"report.{key}") for key in ("fairness.wins", "interval", "fairness.fair")),
    )
    return _section(asked, lines, Table("", headings, tuple(rows)), {"best": best, "levels": data})


def _section(asked: Asked, lines: Sequence[str], table: Table, data: dict[str, Any]) -> Section:
    t, slow = asked.t, _slow(asked.game)
    names = ", ".join(t(f"level.{level}") for level in slow)
    left_out = (t("report.skill.slow", levels=names),) if slow else ()
    return Section("skill", t("report.skill.title"), (*lines, *left_out), (table,), data)
