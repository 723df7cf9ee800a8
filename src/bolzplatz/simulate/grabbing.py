"""What a grab is worth in Die wilden Fußballkerle, exactly, among hands that react as the computer players do.

The model is that of `bots.wilde_kerle`: once the cards lie open, what each of the others reaches for and after how many
milliseconds has a known distribution, independent of all other hands; equal milliseconds are parted by chance. From it
follows for every moment which figures are still there, how likely, and so what a hand brings that reaches then. Which
figure a hand gets and what it brings or costs is asked of the rules. Values are mean changes of the own chips.

Time runs in cells of a millisecond; within one, a hand is equally likely at any instant, which parts equal ones fairly.
So all chances are polynomials within a cell, and sums over time are exact but for rounding: an array (cells, k + 1)
holds the coefficients of polynomials of degree k, the constant first.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import level_index
from bolzplatz.bots.wilde_kerle import (
    EXPONENTIAL,
    FLOOR_MS,
    HAND_SAVES,
    HAND_SIGMA,
    HAND_TAU,
    MOODS,
    NORMAL,
    PER_MILLE,
    RANDOM,
    RANDOM_SPREAD_MS,
    chance_to_see,
    duel_ms,
    latent_weight,
    steady_ms,
    trait,
)
from bolzplatz.core.game import Game, State
from bolzplatz.games.wilde_kerle import (
    BLACK,
    GRABBING,
    GROUP_OF,
    NONE,
    ONLY_BLACK,
    ONLY_RED,
    RED,
    WHISTLES,
    WISH_COUNT,
    end_card_lies_open,
)
from bolzplatz.solve import SolveError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Cells = NDArray[np.float64]

LONGEST_MS: Final = 9_000
"""No hand of any level takes longer."""
USUAL: Final[Mapping[int, float]] = dict.fromkeys(range(MOODS), 1 / MOODS)
"""The moods of a computer player, each with its chance."""
PIECES: Final = (BLACK, RED)
GONE: Final = 4
"""What is taken: bit 0 black, bit 1 red."""
REACH: Final = (ONLY_BLACK, ONLY_RED)
"""The wish for each piece alone."""


# --- one hand -----------------------------------------------------------------------------------------------------


def hand_of(state: State, level: str, moods: Mapping[int, float] = USUAL) -> "Cells":
    """Return when a hand of a level reaches for what at open cards: (WISH_COUNT, LONGEST_MS), chances by millisecond.

    What is missing to 1 is the chance that it keeps still. `moods` are steps of hurry with their chances.
    """
    import numpy as np

    number, data, setup = level_index(state.game.name, level), state._data, state.game.setup
    hand = np.zeros((WISH_COUNT, LONGEST_MS))
    if number == RANDOM:
        hand[NONE + 1 :, FLOOR_MS : FLOOR_MS + RANDOM_SPREAD_MS] = 1 / (WISH_COUNT * RANDOM_SPREAD_MS)
        return hand
    whole = PER_MILLE ** (3 if end_card_lies_open(data, setup) else 2)
    least, noise = _noise(number)
    for (mood, share), first, wish in product(moods.items(), PIECES, range(NONE + 1, WISH_COUNT)):
        latent = 2 * mood + first
        chance = share / len(PIECES) * latent_weight(number, data, setup, wish, latent) / whole
        begin = steady_ms(number, data, setup, wish, latent) + least
        early = max(0, FLOOR_MS - begin)
        hand[wish, FLOOR_MS] += chance * noise[:early].sum()
        hand[wish, begin + early : begin + len(noise)] += chance * noise[early:]
    return hand


@cache
def _noise(level: int) -> "tuple[int, Cells]":
    """Return the random part of a level's times: the least, in milliseconds, and the chance of each from there on."""
    import numpy as np

    normal = trait(level, HAND_SIGMA) * np.array(NORMAL) // 1000
    tail = trait(level, HAND_TAU) * np.array(EXPONENTIAL) // 1000
    counts = np.convolve(np.bincount(normal - normal.min()), np.bincount(tail - tail.min()))
    return int(normal.min() + tail.min()), counts / counts.sum()


def hand_at(wish: int, ms: int) -> "Cells":
    """Return a hand that reaches for something at a given time for sure."""
    import numpy as np

    hand = np.zeros((WISH_COUNT, LONGEST_MS))
    hand[wish, ms] = 1
    return hand


# --- all others ---------------------------------------------------------------------------------------------------


@cache
def _next_gone(game: Game) -> tuple[tuple[int, ...], ...]:
    """Return at [gone][wish] what is gone after one more hand with that wish, as the rules serve it."""
    table = []
    for gone in range(GONE):
        row = []
        for wish in range(WISH_COUNT):
            state = _at_open_cards(game, ())
            takers = [REACH[piece] if gone >> piece & 1 else NONE for piece in PIECES]
            state.apply_actions([*takers, wish, *[NONE] * (game.num_players - 3)])
            if state.is_chance_node() and state._data.phase != GRABBING and any(state._data.wish):
                state.apply_action(0)  # in the order of the seats
            taken = [event.data["piece"] for event in state.events() if event.kind == "takes"]
            row.append(sum(1 << ("black", "red").index(piece) for piece in taken))
        table.append(tuple(row))
    return tuple(table)


def _at_open_cards(game: Game, cards: Sequence[int]) -> State:
    """Return a first round in which these types of cards lie open, and nothing before the other seats."""
    state = game.new_initial_state()
    data = state._data
    data.phase = GRABBING
    data.left -= game.num_players
    for seat, card in enumerate(cards):
        data.open[seat] = card + 1
    return state


class Rivals:
    """What the other hands leave on the table, for every moment of a round.

    Attributes:
        gone: for each of GONE the chance that just this is taken at an instant: (LONGEST_MS, others + 1), polynomials.
    """

    def __init__(self, game: Game, hands: "Sequence[Cells]") -> None:
        """Hands as `hand_of` returns them, one of each other player; equal ones should be the same array."""
        import numpy as np

        kinds = {id(hand): hand for hand in hands}
        self._kinds = list(kinds.values())
        self._counts = [sum(id(hand) == kind for hand in hands) for kind in kinds]
        self._next = _next_gone(game)
        ones = np.ones((LONGEST_MS, 1))
        nobody = (0,) * len(self._kinds)
        arrived: dict[tuple[int, ...], dict[int, Cells]] = {nobody: {0: ones}}
        for counts in sorted(product(*(range(count + 1) for count in self._counts)), key=sum)[1:]:
            arrived[counts] = self._after_one_more(counts, arrived)
        waiting = [_still_out(hand) for hand in self._kinds]
        self.gone = [np.zeros((LONGEST_MS, len(hands) + 1)) for _ in range(GONE)]
        for counts, parts in arrived.items():
            others = ones
            for out, count, here in zip(waiting, self._counts, counts, strict=True):
                for _ in range(count - here):
                    others = _times(others, out)
            for gone, part in parts.items():
                self.gone[gone] += _times(part, others)

    def _after_one_more(
        self, counts: tuple[int, ...], arrived: "Mapping[tuple[int, ...], Mapping[int, Cells]]"
    ) -> "dict[int, Cells]":
        """Return the chances that so many of each kind have come, by what is gone then; the others are not asked."""
        found: dict[int, Cells] = {}
        for kind, hand in enumerate(self._kinds):
            if counts[kind] == 0:
                continue
            before = (*counts[:kind], counts[kind] - 1, *counts[kind + 1 :])
            still = self._counts[kind] - before[kind]
            for gone, part in arrived[before].items():
                for after in set(self._next[gone]):
                    wishes = [wish for wish in range(NONE + 1, WISH_COUNT) if self._next[gone][wish] == after]
                    more = still * _integral(hand[wishes].sum(axis=0), part)
                    found[after] = found[after] + more if after in found else more
        return found

    def free(self, piece: int) -> "Cells":
        """Return the chance that a piece is still there, at the beginning of each millisecond: (LONGEST_MS,)."""
        return sum(self.gone[gone][:, 0] for gone in range(GONE) if not gone >> piece & 1)  # type: ignore[return-value]

    def brings(self, hand: "Cells", gains: Mapping[int, int]) -> float:
        """Return the mean change of chips that a hand brings.

        Args:
            hand: as `hand_of` returns it.
            gains: what holding each piece changes.
        """
        total = 0.0
        for gone in range(GONE):
            degrees = self.gone[gone].shape[1]
            in_cell = self.gone[gone] @ [1 / (k + 1) for k in range(degrees)]
            for wish in range(NONE + 1, WISH_COUNT):
                taken = self._next[gone][wish] & ~gone
                if taken:
                    total += gains[taken.bit_length() - 1] * float(hand[wish] @ in_cell)
        return total


def _still_out(hand: "Cells") -> "Cells":
    """Return the chance that a hand has not come: (LONGEST_MS, 2)."""
    import numpy as np

    reaching = hand.sum(axis=0)
    return np.stack([1 - np.cumsum(reaching) + reaching, -reaching], axis=1)


def _times(one: "Cells", other: "Cells") -> "Cells":
    """Multiply polynomials cell by cell."""
    import numpy as np

    found = np.zeros((LONGEST_MS, one.shape[1] + other.shape[1] - 1))
    for i, j in product(range(one.shape[1]), range(other.shape[1])):
        found[:, i + j] += one[:, i] * other[:, j]
    return found


def _integral(chances: "Cells", part: "Cells") -> "Cells":
    """Return the integral, up to each instant, of a chance by millisecond times polynomials."""
    import numpy as np

    found = np.zeros((LONGEST_MS, part.shape[1] + 1))
    for k in range(part.shape[1]):
        found[:, k + 1] = chances * part[:, k] / (k + 1)
    whole = found.sum(axis=1)
    found[1:, 0] = np.cumsum(whole)[:-1]
    return found


# --- one position -------------------------------------------------------------------------------------------------


def gains_of(state: State, seat: int) -> dict[int, int]:
    """Return what holding each piece changes of the seat's chips at open cards, as the rules pay and take."""
    gains = {}
    for piece in PIECES:
        after = State(state.game, state.game.layout.copy(state._data))
        after.apply_actions([REACH[piece] if each == seat else NONE for each in range(state.game.num_players)])
        gains[piece] = after._data.chips[seat] - state._data.chips[seat]
    return gains


def rivals_at(state: State, levels: Sequence[str]) -> Rivals:
    """Return the other hands at open cards, one of each level; raises SolveError where no cards lie open."""
    if not state.is_simultaneous_node():
        raise SolveError("hands reach only when the cards lie open")
    hands = {level: hand_of(state, level) for level in set(levels)}
    return Rivals(state.game, [hands[level] for level in levels])


def wish_values(state: State, seat: int, levels: Sequence[str], ms: int) -> dict[int, float]:
    """Return what each wish brings a seat that has read the cards rightly and whose hand arrives after `ms`.

    Args:
        state: a position at open cards.
        seat: whose hand it is.
        levels: of the other hands.
        ms: milliseconds since the reveal.
    """
    rivals, gains = rivals_at(state, levels), gains_of(state, seat)
    return {wish: rivals.brings(hand_at(wish, ms), gains) for wish in range(WISH_COUNT)}


# --- over all deals -----------------------------------------------------------------------------------------------


def deals_refusal(game: Game) -> str | None:
    """Return why the first deals of a game cannot be listed, None where they can."""
    if game.setup.counted == 0:
        return f"{game.name}: real cards that nobody has counted have no chances"
    return f"{game.name}: deals with whistles are not listed" if game.setup.pro == 1 else None


def first_deals(game: Game, levels: Sequence[str]) -> list[tuple[float, State]]:
    """Return the first deals of a fresh stack with their chances; those alike to hands of these levels are one.

    Raises SolveError (`deals_refusal`).
    """
    if reason := deals_refusal(game):
        raise SolveError(reason)
    numbers = [level_index(game.name, level) for level in sorted(set(levels))]
    duels = [_duels(game, colour, numbers) for colour in PIECES]
    total = comb(sum(game.setup.deck), game.num_players)
    return [
        (one_ways * other_ways / total, _at_open_cards(game, (*one, *other)))
        for (one_ways, one), (other_ways, other) in product(*(duel.values() for duel in duels))
        if len(one) + len(other) == game.num_players
    ]


def _duels(game: Game, colour: int, levels: Sequence[int]) -> dict[Any, tuple[int, tuple[int, ...]]]:
    """Return the ways to deal a colour's strikers and the keepers against them, with cards that stand for all alike."""
    found: dict[Any, tuple[int, tuple[int, ...]]] = {}
    groups = (2 + colour, 1 - colour)
    for (ways, strikers), (others, keepers) in product(*(_tops(game, group) for group in groups)):
        cards = (*strikers, *keepers)
        if len(cards) > game.num_players:
            continue
        data, setup = _at_open_cards(game, cards)._data, game.setup
        alike = [
            (chance_to_see(level, data, setup, colour, 0), duel_ms(level, data, setup, colour)) for level in levels
        ]
        key = (len(cards), *alike)
        found[key] = (found.get(key, (0, ()))[0] + ways * others, cards)
    return found


def _tops(game: Game, group: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the ways to deal so many cards of a group with the same highest value, and such cards."""
    yield 1, ()
    stack = [card for card in range(WHISTLES) if GROUP_OF[card] == group for _ in range(game.setup.deck[card])]
    for top, copies in Counter(stack).items():
        below = stack.index(top)
        for count in range(1, game.num_players + 1):
            ways = comb(below + copies, count) - comb(below, count)
            if ways:
                yield ways, tuple(stack[below + copies - count : below + copies])


@dataclass(frozen=True, slots=True)
class Grabbing:
    """What grabbing brings one player among others of a level, over all first deals; the chips do not run out.

    Attributes:
        level: of all hands.
        hurry: mean change of chips a round for each step of hurry (`bots/wilde_kerle.toml`); the others do as usual.
        blind: the same for a hand that takes black as soon as a person can.
        free: the chance that black is still there at each millisecond, if it does not score and if it does.
        judged: mean change of chips for taking a colour at each millisecond that one has judged to score.
    """

    level: str
    hurry: dict[int, float]
    blind: float
    free: "tuple[Cells, Cells]"
    judged: "Cells"

    def needed(self, ms: int, right: int = 1, wrong: int = -2) -> float:
        """Return how sure of a piece one must have been to take it at a time when it is still there.

        Others who have seen it score would have taken it: so it takes more the longer it lies.

        Args:
            ms: milliseconds since the reveal.
            right, wrong: what it changes.
        """
        not_scoring, scoring = (float(free[ms]) for free in self.free)
        return -wrong * not_scoring / (right * scoring - wrong * not_scoring)

    def last_ms(self) -> int:
        """Return until when it pays to take what one has judged to score."""
        return max(ms for ms in range(FLOOR_MS, LONGEST_MS) if self.judged[ms] > 0)

    def best_hurry(self) -> int:
        """Return the step of hurry that brings most."""
        return max(self.hurry, key=lambda step: self.hurry[step])


def value_grabbing(game: Game, level: str) -> Grabbing:
    """Value grabbing among hands of a level; raises SolveError (`deals_refusal`), OptionError: unknown level.

    The level must have judgement: `random` has none.
    """
    import numpy as np

    number = level_index(game.name, level)
    if number == RANDOM:
        raise SolveError(f"{game.name}: level {level} judges nothing")
    steps = range((PER_MILLE - 1) // trait(number, HAND_SAVES) + 1)
    hurry, blind = dict.fromkeys(steps, 0.0), 0.0
    free, chances = [np.zeros(LONGEST_MS), np.zeros(LONGEST_MS)], [0.0, 0.0]
    judged = np.zeros(LONGEST_MS)
    for share, state in first_deals(game, (level,)):
        usual, gains = hand_of(state, level), gains_of(state, 0)
        rivals = Rivals(game, [usual] * (game.num_players - 1))
        scores = int(gains[BLACK] > 0)
        left = rivals.free(BLACK)
        free[scores] += share * left
        chances[scores] += share
        judged += share * chance_to_see(number, state._data, game.setup, BLACK, 0) / PER_MILLE * gains[BLACK] * left
        blind += share * rivals.brings(hand_at(ONLY_BLACK, FLOOR_MS), gains)
        for step in steps:
            hurry[step] += share * rivals.brings(hand_of(state, level, {step: 1.0}), gains)
    return Grabbing(level, hurry, blind, (free[0] / chances[0], free[1] / chances[1]), judged)


# --- figures ------------------------------------------------------------------------------------------------------

NAME: Final = "wilde-kerle"
TYPICAL: Final = "adult"
MOMENTS: Final = (800, 1000, 1200, 1500, 2000, 3000)
"""Milliseconds since the reveal of which figures are told."""


class GrabDecisions:
    """What is known exactly of grabbing, among hands of level TYPICAL."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._game

    @property
    def title(self) -> str:
        """What is solved, in a few words."""
        return f"grab decisions among hands of level {TYPICAL}"

    def facts(self) -> dict[str, Any]:
        """Return the figures, JSON-able; raises SolveError (`deals_refusal`)."""
        found = value_grabbing(self._game, TYPICAL)
        return {
            "solved": self.title,
            "chips_a_round_by_step_of_hurry": {str(step): chips for step, chips in found.hurry.items()},
            "best_step_of_hurry": found.best_hurry(),
            "chips_a_round_taking_black_blindly": found.blind,
            "how_sure_to_have_been_to_take_what_still_lies": {f"at {ms} ms": found.needed(ms) for ms in MOMENTS},
            "what_seems_to_score_is_worth_taking_until_ms": found.last_ms(),
        }
