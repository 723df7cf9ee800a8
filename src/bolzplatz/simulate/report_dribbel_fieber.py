"""What an edition of Dribbel-Fieber plays like: the sections of its own for the report (`simulate.report`).

Counted are goals, shots with their values, what becomes of the cards, and what the kick-off is worth. The worth of a
card or of coins is found by experiment: one side owns it from the kick-off on, the other does not, each side in half of
the matches, and the goals that it is ahead by are what it is worth. Action cards cannot be added to a pile; theirs is
what having one in the hand when a turn begins adds to the goals of that turn less those of the turn after it, by least
squares over all hands.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import chance_drawer, chooser, level_index, memory_of
from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.engine import Engine, links_of
from bolzplatz.core.fast import RNG_SIZE, start_stream
from bolzplatz.core.forms import MAX_DRAWN
from bolzplatz.core.game import Game, State
from bolzplatz.core.kernels import apply, choose, draw_outcome, legal, look_as, player_to_act
from bolzplatz.core.nodes import CHANCE
from bolzplatz.core.texts import Catalogue, game_texts
from bolzplatz.games.dribbel_fieber import NAME
from bolzplatz.games.dribbel_fieber.codes import BUY_AT, DISCARD_AT, DONE, MOVE_AT, NO_BUY, PLACES
from bolzplatz.games.dribbel_fieber.edition import CARD_NAMES
from bolzplatz.games.dribbel_fieber.notation import action_word, card_text
from bolzplatz.games.dribbel_fieber.state import (
    BUY,
    CARDS,
    DRAW,
    FACE_UP,
    KINDS,
    NO_LIMIT,
    OWNED,
    PLAY,
    POLDIS,
    ROLL,
    TURNS,
    VOLLEY,
)
from bolzplatz.simulate.plot import (
    ALONE,
    AMBER,
    CHALK,
    EDGE,
    GAP,
    INK,
    MARGINS,
    PITCH,
    SIZE,
    TITLE,
    Card,
    Chart,
    draw_legend,
    margins_for,
    write_numbers,
)
from bolzplatz.simulate.report import (
    Asked,
    Section,
    Table,
    add_up,
    numbers_headings,
    numbers_row,
    percent,
    range_text,
)
from bolzplatz.simulate.statistics import Z_99, Distribution, Share

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

CHUNK: Final = 8
"""Matches that one thread plays at a time."""
EXTRA_COINS: Final = 4
COINS: Final = "coins"
FEW_GOALS, MANY_GOALS = 2, 6
"""A match between good players should have so many goals, in the mean."""

# What is counted, by place in the tally.
MOST_GOALS: Final = TURNS + 1
MOST_SHOTS: Final = 40
MOST_VALUE: Final = 10
GOALS_AT: Final = 0
"""How many matches had so many goals."""
SHOTS_AT: Final = GOALS_AT + MOST_GOALS
"""How many matches had so many shots, the last entry: or more."""
VALUES_AT: Final = SHOTS_AT + MOST_SHOTS
"""By shot value: goals, bounce-backs, misses."""
RESULTS_AT: Final = VALUES_AT + 3 * MOST_VALUE
"""Matches that the side with the kick-off lost, drew, won."""
AHEAD_AT: Final = RESULTS_AT + 3
"""Goals that it was ahead by, in all, and the sum of their squares."""
TURN_GOALS_AT: Final = AHEAD_AT + 2
CARDS_AT: Final = TURN_GOALS_AT + TURNS
"""By card: drawn, played, discarded for coins, bought."""
CARD_COUNTS: Final = 4
DRAWN, PLAYED, DISCARDED, BOUGHT = range(CARD_COUNTS)
HANDS_AT: Final = CARDS_AT + CARD_COUNTS * CARDS
"""Of hands when a turn begins: how many, products of the counts of kinds, those with the goals, squares of goals."""
PRODUCTS_AT: Final = HANDS_AT + 1
GOALS_WITH_AT: Final = PRODUCTS_AT + KINDS * KINDS
SQUARES_AT: Final = GOALS_WITH_AT + KINDS
TALLY: Final = SQUARES_AT + 1


# --- counting: the compiled subset --------------------------------------------------------------------------------


def count_action(s: Any, action: int, tally: Any) -> None:
    """Count what a decision does with a card."""
    if s.phase == PLAY and MOVE_AT <= action < DISCARD_AT:
        tally[CARDS_AT + (action - MOVE_AT) // PLACES * CARD_COUNTS + PLAYED] += 1
    elif s.phase == PLAY and DISCARD_AT <= action < DONE:
        tally[CARDS_AT + (action - DISCARD_AT) * CARD_COUNTS + DISCARDED] += 1
    elif s.phase == BUY and action != NO_BUY:
        tally[CARDS_AT + (KINDS + action - BUY_AT) * CARD_COUNTS + BOUGHT] += 1


def count_outcome(s: Any, outcome: int, tally: Any) -> None:
    """Count a card that is drawn, and what the attack die makes of a shot."""
    if s.phase == DRAW:
        tally[CARDS_AT + outcome * CARD_COUNTS + DRAWN] += 1
    elif s.phase == ROLL:
        came = 1
        if outcome + 1 > s.shot_value:
            came = 0
            tally[TURN_GOALS_AT + s.turn - 1] += 1
        elif outcome + 1 < s.shot_value:
            came = 2
        tally[VALUES_AT + 3 * s.shot_value + came] += 1


def note_hand(s: Any, o: Any, turn: int, hands: Any) -> None:
    """Write down which kinds of cards the attacker holds when a turn begins, and how the match stands then."""
    at = turn * (KINDS + 2)
    for i in range(KINDS):
        hands[at + i] = 0
    for i in range(CARDS):
        if o.action[i] != VOLLEY:
            hands[at + o.action[i]] += s.hand[s.attacker * CARDS + i]
    hands[at + KINDS] = s.attacker
    hands[at + KINDS + 1] = s.goals[0] - s.goals[1]


def count_hands(hands: Any, tally: Any) -> None:
    """Add the hands of a match up, each with the goals of its turn less those of the turn after it."""
    size = KINDS + 2
    for turn in range(1, TURNS):
        at = turn * size
        gained = hands[at + 2 * size + KINDS + 1] - hands[at + KINDS + 1]
        if hands[at + KINDS] == 1:
            gained = -gained
        tally[HANDS_AT] += 1
        tally[SQUARES_AT] += gained * gained
        for i in range(KINDS):
            tally[GOALS_WITH_AT + i] += hands[at + i] * gained
            for j in range(KINDS):
                tally[PRODUCTS_AT + i * KINDS + j] += hands[at + i] * hands[at + j]


def count_match(s: Any, shots: int, tally: Any) -> None:
    """Count how a match ended."""
    ahead = s.goals[s.first] - s.goals[1 - s.first]
    tally[GOALS_AT + s.goals[0] + s.goals[1]] += 1
    tally[SHOTS_AT + (shots if shots < MOST_SHOTS else MOST_SHOTS - 1)] += 1
    tally[RESULTS_AT + (2 if ahead > 0 else 1 if ahead == 0 else 0)] += 1
    tally[AHEAD_AT] += ahead
    tally[AHEAD_AT + 1] += ahead * ahead


def play_and_count(view: Any, o: Any, level: int, seed: int, first: int, count: int, buffers: Any, tally: Any) -> None:
    """Play matches first … first+count-1 and add up what happens in them."""
    rng, actions, drawn, hands = buffers
    states = view[0]
    for match in range(first, first + count):
        states[0] = states[1]
        s = states[0]
        start_stream(rng, seed, match)
        turn = 0
        shots = 0
        player = player_to_act(s, o)
        while player > -3:
            if s.turn > turn:
                turn = s.turn
                note_hand(s, o, turn, hands)
            if player == CHANCE:
                outcome = draw_outcome(s, o, rng, drawn)
                if s.phase == ROLL:
                    shots += 1
                count_outcome(s, outcome, tally)
                apply(s, o, outcome, None)
            else:
                n = legal(s, o, player, actions)
                action = choose(level, look_as(s, view, player), o, player, actions, n, rng)
                count_action(s, action, tally)
                apply(s, o, action, None)
            player = player_to_act(s, o)
        note_hand(s, o, TURNS + 1, hands)
        count_hands(hands, tally)
        count_match(s, shots, tally)


# --- playing ------------------------------------------------------------------------------------------------------


def sections(asked: Asked) -> Iterator[Section]:
    """Yield the sections, each when it is done."""
    tally, t = _counted(asked), asked.t
    yield _goals_section(tally, t)
    yield _kick_off_section(tally, t)
    yield _use_section(asked.game, tally, t)
    yield _worth_section(asked.game, tally, _experiments(asked), t)


def _engine(asked: Asked) -> Engine:
    name, levels = asked.game.name, (asked.policy,)
    return Engine(asked.game, chooser(name, levels), chance_drawer(name), memory_of(asked.game, levels))


def _counted(asked: Asked) -> "NDArray[np.int64]":
    """Return the tally of all matches."""
    import numpy as np

    links = links_of(asked.game.rules, chooser(asked.game.name, (asked.policy,)), hides=True)
    code, level = compile_functions([play_and_count], links), level_index(asked.game.name, asked.policy)

    def play(first: int, count: int) -> "NDArray[np.int64]":
        engine, tally = _engine(asked), np.zeros(TALLY, dtype=np.int64)
        sizes = (RNG_SIZE, 0, MAX_DRAWN, (TURNS + 2) * (KINDS + 2))
        rng, _, drawn, hands = (np.zeros(size, dtype=np.int64) for size in sizes)
        buffers = (rng, engine.new_work(), drawn, hands)
        code.play_and_count(engine.view, engine.setup, level, asked.seed, first, count, buffers, tally)
        return tally

    firsts = range(0, asked.matches, CHUNK)
    jobs = [partial(play, first, min(CHUNK, asked.matches - first)) for first in firsts]
    return add_up(jobs, asked, asked.t("report.doing.counting"))


@dataclass(frozen=True, slots=True)
class Worth:
    """What it is worth to own something from the kick-off on, in goals.

    Attributes:
        name: of the thing, in notation.
        price: of the thing; None where it has none.
        goals: what it is worth.
        reach: half the width of the 99 % interval.
        volley: whether it is a volley.
    """

    name: str
    price: int | None
    goals: float
    reach: float
    volley: bool = False

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.goals - self.reach

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.goals + self.reach


def poldi_name(game: Game, number: int) -> str:
    """Return number and action of a Poldi card."""
    return f"{card_text(game.setup, number)} {action_word(game.setup, number)}"


def shown_name(name: str, t: Catalogue) -> str:
    """Return the name of a card, or of coins, in the reader's words: `#140 cross` has a cross, `4 coins` are coins."""
    words = game_texts(NAME, t.language).words
    first, _, second = name.rpartition(" ")
    if second == COINS:
        return t("report.worth.coins", n=first)
    return f"{first} {words[second]}".strip()


def _experiments(asked: Asked) -> list[Worth]:
    """Let each side own each Poldi card, and some coins, from the kick-off on."""
    game, found = asked.game, []
    o = game.setup
    rounds = max(1, asked.matches // (2 * CHUNK * 4))
    coins = extra_coins(game)
    for item in range(POLDIS + 1 if coins else POLDIS):
        name = f"{coins} {COINS}" if item == POLDIS else poldi_name(game, KINDS + item)
        jobs = [partial(_with_item, asked, item, seat, CHUNK * i) for i in range(rounds) for seat in range(2)]
        doing = asked.t("report.doing.worth", name=shown_name(name, asked.t))
        ahead, squares, many = (int(part) for part in add_up(jobs, asked, doing))
        mean = ahead / many
        reach = Z_99 * sqrt(max(0.0, squares / many - mean * mean) / many)
        volley = item < POLDIS and o.action[KINDS + item] == VOLLEY
        found.append(Worth(name, coins if item == POLDIS else o.poldi_price[item], mean, reach, volley))
    return found


def extra_coins(game: Game) -> int:
    """Return how many coins more a side may start with: EXTRA_COINS, if the bank has as many."""
    bank, start = game.setup.bank, 2 * game.setup.start_coins
    return EXTRA_COINS if bank == NO_LIMIT else min(EXTRA_COINS, bank - start)


def start_with(game: Game, item: int, seat: int) -> State:
    """Return the start of a match in which `seat` owns a Poldi card, or `extra_coins` where `item` is POLDIS."""
    state = game.new_initial_state()
    s = state._data
    if item == POLDIS:
        s.coins[seat] += extra_coins(game)
    elif game.setup.action[KINDS + item] == VOLLEY:
        s.poldi[item] = FACE_UP + seat
    else:
        s.poldi[item] = OWNED + seat
        s.pile[seat * CARDS + KINDS + item] += 1
    return state


def _with_item(asked: Asked, item: int, seat: int, first: int) -> "NDArray[np.int64]":
    """Play some matches in which `seat` owns something from the start: goals ahead, their squares, matches."""
    import numpy as np

    engine = _engine(asked)
    engine.load(start_with(asked.game, item, seat))
    levels = [level_index(asked.game.name, asked.policy)] * 2
    scores = engine.play(CHUNK, asked.seed, first, levels).scores
    ahead = scores[:, seat] - scores[:, 1 - seat]
    return np.array([ahead.sum(), (ahead * ahead).sum(), len(ahead)])


# --- what came out ------------------------------------------------------------------------------------------------


def _goals_section(tally: "NDArray[np.int64]", t: Catalogue) -> Section:
    matches = int(tally[GOALS_AT:SHOTS_AT].sum())
    goals = Distribution({n: int(count) for n, count in enumerate(tally[GOALS_AT:SHOTS_AT]) if count})
    shots = Distribution({n: int(count) for n, count in enumerate(tally[SHOTS_AT:VALUES_AT]) if count})
    values = tally[VALUES_AT:RESULTS_AT].reshape(MOST_VALUE, 3).tolist()
    inside = "inside" if FEW_GOALS <= goals.mean <= MANY_GOALS else "outside"
    hit = Share(sum(row[0] for row in values), sum(map(sum, values)))
    lines = (
        t(f"report.goals.{inside}", mean=t.number(goals.mean, 2), few=FEW_GOALS, many=MANY_GOALS),
        t("report.goals.shots_said", shots=t.number(shots.mean, 2), share=percent(hit, t)[0]),
    )
    rows = tuple(
        (str(value), *(t.number(count / matches, 3) for count in (sum(row), *row)))
        for value, row in enumerate(values)
        if sum(row)
    )
    by_turn = [int(count) for count in tally[TURN_GOALS_AT:CARDS_AT]]
    numbers = (numbers_row(t(f"report.goals.{key}"), each, t) for key, each in (("goals", goals), ("shots", shots)))
    headings = tuple(t(f"report.goals.{key}") for key in ("value", "shots", "goals", "bounces", "misses"))
    return Section(
        "goals",
        t("report.goals.title"),
        lines,
        (Table("", numbers_headings(t), tuple(numbers)), Table(t("report.goals.by_value"), headings, rows)),
        {
            "goals": goals.to_dict(),
            "shots": shots.to_dict(),
            "shot_values": {str(value): row for value, row in enumerate(values) if sum(row)},
            "goals_by_turn": by_turn,
        },
        _goals_chart(goals, values, by_turn, t),
    )


def _kick_off_section(tally: "NDArray[np.int64]", t: Catalogue) -> Section:
    lost, drawn, won = (int(count) for count in tally[RESULTS_AT:AHEAD_AT])
    ahead, squares = (int(value) for value in tally[AHEAD_AT:TURN_GOALS_AT])
    matches = lost + drawn + won
    mean = ahead / matches
    reach = Z_99 * sqrt(max(0.0, squares / matches - mean * mean) / matches)
    shares = [Share(count, matches) for count in (won, drawn, lost)]
    said = t(
        "report.kick_off.said",
        goals=t.number(mean, 3, signed=True),
        range=range_text(mean - reach, mean + reach, 3, t, signed=True),
        share=t.number(100 * (won + drawn / 2) / matches, 2),
    )
    lines = (said, *([] if abs(mean) > reach else [t("report.kick_off.unseen")]))
    names = (t(f"report.kick_off.{key}") for key in ("wins", "ties", "losses"))
    rows = tuple((name, *percent(share, t)) for name, share in zip(names, shares, strict=True))
    return Section(
        "kick_off",
        t("report.kick_off.title"),
        lines,
        (Table(t("report.kick_off.side"), ("", t("report.share"), t("report.interval")), rows),),
        {
            "wins": shares[0].to_dict(),
            "ties": shares[1].to_dict(),
            "losses": shares[2].to_dict(),
            "goals_ahead": {"mean": mean, "low": mean - reach, "high": mean + reach},
        },
    )


def _use_section(game: Game, tally: "NDArray[np.int64]", t: Catalogue) -> Section:
    matches, o = int(tally[GOALS_AT:SHOTS_AT].sum()), game.setup
    counts = tally[CARDS_AT:HANDS_AT].reshape(CARDS, CARD_COUNTS).tolist()
    rows, data = [], {}
    for number, row in enumerate(counts):
        used = row[PLAYED] + row[DISCARDED]
        name = card_text(o, number) if number < KINDS else poldi_name(game, number)
        share = "" if not used else f"{t.number(100 * row[PLAYED] / used, 1)} %"
        bought = "" if number < KINDS else t.number(row[BOUGHT] / matches, 3)
        a_match = (t.number(row[what] / matches, 3) for what in (DRAWN, PLAYED, DISCARDED))
        rows.append((shown_name(name, t), *a_match, share, bought))
        data[card_text(o, number)] = dict(zip(("drawn", "played", "discarded", "bought"), row, strict=True))
    columns = ("card", "drawn", "played", "discarded", "of_used", "bought")
    table = Table("", tuple(t(f"report.cards.{key}") for key in columns), tuple(rows))
    return Section("cards", t("report.cards.title"), (t("report.cards.said"),), (table,), {"cards": data})


def kinds_worth(tally: "NDArray[np.int64]", counts: Sequence[int]) -> list[Worth]:
    """Return what each kind of action card in the hand adds to a turn against a card drawn at random."""
    import numpy as np

    products = tally[PRODUCTS_AT:GOALS_WITH_AT].reshape(KINDS, KINDS).astype(np.float64)
    goals = tally[GOALS_WITH_AT:SQUARES_AT].astype(np.float64)
    many = int(tally[HANDS_AT])
    inverse = np.linalg.pinv(products)
    weights = inverse @ goals
    noise = max(0.0, float(tally[SQUARES_AT] - weights @ goals)) / max(1, many - KINDS)
    mean = np.array(counts, dtype=np.float64) / sum(counts)
    found = []
    for kind, name in enumerate(CARD_NAMES):
        against = np.eye(KINDS)[kind] - mean
        reach = Z_99 * sqrt(max(0.0, noise * float(against @ inverse @ against)))
        found.append(Worth(name, None, float(against @ weights), reach))
    return found


def _worth_section(game: Game, tally: "NDArray[np.int64]", items: Sequence[Worth], t: Catalogue) -> Section:
    kinds = kinds_worth(tally, game.setup.count)

    def table(title: str, found: Sequence[Worth], columns: int) -> Table:
        names = (t("report.worth.goals"), t("report.interval"), t("report.worth.price"), t("report.worth.each"))
        rows = (
            (
                shown_name(each.name, t),
                t.number(each.goals, 3, signed=True),
                range_text(each.low, each.high, 3, t, signed=True),
                "" if each.price is None else str(each.price),
                t.number(each.goals / each.price, 3, signed=True) if each.price else "",
            )
            for each in found
        )
        return Table(title, ("", *names)[:columns], tuple(row[:columns] for row in rows))

    def data(found: Sequence[Worth]) -> dict[str, Any]:
        return {
            each.name: {
                "price": each.price,
                "goals": each.goals,
                "low": each.low,
                "high": each.high,
            }
            for each in found
        }

    return Section(
        "worth",
        t("report.worth.title"),
        (t("report.worth.owned_said"), t("report.worth.hand_said")),
        (table(t("report.worth.owned"), items, 5), table(t("report.worth.hand"), kinds, 3)),
        {"owned": data(items), "in_hand": data(kinds)},
        _worth_chart(items, kinds, t),
    )


# --- charts -------------------------------------------------------------------------------------------------------

HALF: Final = (SIZE[0] - 2 * EDGE - GAP) / 2
TALL: Final = SIZE[1] - EDGE - TITLE
LOW: Final = (TALL - GAP) / 2
"""Inches of half a sheet, of a card as high as the sheet, and of one of two above each other."""


def _goals_chart(goals: Distribution, values: Sequence[Sequence[int]], by_turn: Sequence[int], t: Catalogue) -> Chart:
    """Return the chart of how many goals a match has, when they fall, and what becomes of shots."""
    matches, most = goals.total, max(goals.counts)
    of_match = {n: goals.counts.get(n, 0) / matches for n in range(most + 1)}
    turns = {turn: count / matches for turn, count in enumerate(by_turn, 1)}
    shots = {value: [count / matches for count in row] for value, row in enumerate(values) if sum(row)}
    cards = (
        Card(
            t("chart.goals.of_match"),
            t("chart.goals.of_match_said"),
            (EDGE, EDGE + LOW + GAP, HALF, LOW),
            MARGINS,
            partial(_draw_parts, parts=of_match, what=t("chart.goals.goals"), share=t("chart.of_matches"), t=t),
        ),
        Card(
            t("chart.goals.by_turn"),
            t("chart.goals.by_turn_said"),
            (EDGE, EDGE, HALF, LOW),
            MARGINS,
            partial(_draw_parts, parts=turns, what=t("chart.goals.turn"), share=t("chart.goals.with_goal"), t=t),
        ),
        Card(
            t("chart.goals.shots"),
            t("chart.goals.shots_said"),
            (EDGE + HALF + GAP, EDGE, HALF, TALL),
            (*MARGINS[:3], 0.8),
            partial(_draw_shots, shots=shots, t=t),
        ),
    )
    line = t("chart.goals.line", n=t.number(matches), mean=t.number(goals.mean, 2))
    return Chart(t("chart.goals.title"), line, cards)


def _draw_parts(axes: "Axes", parts: Mapping[int, float], what: str, share: str, t: Catalogue) -> None:
    """Draw shares of matches as bars."""
    axes.bar(list(parts), [100 * part for part in parts.values()], color=PITCH, edgecolor=INK)
    axes.set_xticks(list(parts))
    axes.set_xlabel(what)
    axes.set_ylabel(share)
    axes.grid(axis="y", color=CHALK)
    write_numbers(axes.yaxis, t, " %")


def _draw_shots(axes: "Axes", shots: Mapping[int, Sequence[float]], t: Catalogue) -> None:
    """Draw what becomes of the shots of a match, piled up by their value."""
    base = [0.0] * len(shots)
    for what, (key, colour) in enumerate((("goal", AMBER), ("bounce", CHALK), ("miss", PITCH))):
        heights = [row[what] for row in shots.values()]
        label = t(f"chart.goals.{key}")
        axes.bar([str(value) for value in shots], heights, bottom=base, color=colour, edgecolor=INK, label=label)
        base = [low + high for low, high in zip(base, heights, strict=True)]
    axes.set_xlabel(t("chart.goals.exceed"))
    axes.set_ylabel(t("chart.goals.a_match"))
    axes.grid(axis="y", color=CHALK)
    write_numbers(axes.yaxis, t)
    draw_legend(axes, 3)


def _worth_chart(items: Sequence[Worth], kinds: Sequence[Worth], t: Catalogue) -> Chart:
    """Return the chart of what things are worth that a side owns, or holds in the hand."""
    cards = []
    for number, (key, said, found) in enumerate((("owned", "said", items), ("hand", "said_hand", kinds))):
        names = [shown_name(each.name, t) for each in found]
        cards.append(
            Card(
                t(f"chart.worth.{key}"),
                t(f"chart.worth.{said}"),
                (EDGE + number * (HALF + GAP), EDGE, HALF, TALL),
                margins_for(names, MARGINS),
                partial(_draw_worth, found=found, names=names, t=t),
                (ALONE[0], 1.2 + 0.3 * len(found)),
            )
        )
    return Chart(t("chart.worth.title"), t("chart.worth.line"), tuple(cards))


def _draw_worth(axes: "Axes", found: Sequence[Worth], names: Sequence[str], t: Catalogue) -> None:
    """Draw what each is worth as a dot, a square for a volley, with its interval."""
    for y, each in enumerate(found):
        colour = AMBER if each.volley else PITCH
        axes.plot([each.low, each.high], [y, y], color=colour, linewidth=7, alpha=0.5)
        axes.plot([each.goals], [y], "s" if each.volley else "o", color=colour, markeredgecolor=INK, markersize=9)
    axes.axvline(0, color=INK, linewidth=1)
    axes.set_yticks(range(len(found)), names)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_xlabel(t("chart.worth.goals"))
    axes.locator_params(axis="x", nbins=5)
    write_numbers(axes.xaxis, t)
    axes.grid(axis="x", color=CHALK)
