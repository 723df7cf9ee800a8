"""Dribbel-Fieber as far as it is solved: shots with all that bounces back, and the last turn of a match.

A shot sequence is a few hundred positions, valued in fractions over the interpreted rules: the highest chance that it
ends with a goal, whoever shoots with however many volleys.

After the twelfth turn there is nothing but the result. So the side that moves wants one thing, a goal, and nothing
that the other side does or holds matters. Of what it cannot see only the order of its own draw pile counts, as it knows
which cards lie there. So the whole turn is a graph of chances and own decisions, found through the compiled rules;
`dribbel_fieber_kernels` takes positions with the same prospects for one. The goal kick before that turn belongs to it,
too: it is taken by the side that moves next. Earlier turns are not solved: what becomes of them depends on what the
other side can do with a hand that nobody else sees.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, prod
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import NOBODY
from bolzplatz.games.dribbel_fieber.codes import NO_SHOT, SHOOT_AT, VOLLEYS
from bolzplatz.games.dribbel_fieber.moves import attack_value, decider, defence_value, in_opposing_area
from bolzplatz.games.dribbel_fieber.pitch import HALF, SPACES, turned
from bolzplatz.games.dribbel_fieber.play import kick_off, send_home
from bolzplatz.games.dribbel_fieber.state import (
    BLUE,
    BOUNCE,
    CAPACITY,
    CARDS,
    FACE_UP,
    FIGURES,
    FREE,
    HAND_LIMIT,
    KEEPER,
    KICK,
    KINDS,
    OUT_OF_GAME,
    OVER,
    POLDIS,
    RED,
    ROLL,
    SHOT,
    TURNS,
    VOLLEY,
)
from bolzplatz.solve.dribbel_fieber_kernels import last_turn
from bolzplatz.solve.exact import explore_exactly, value_exactly
from bolzplatz.solve.graph import Graph, value_graph
from bolzplatz.solve.solution import SolveError, final_chances

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHOOTING: Final = (SHOT, ROLL, BOUNCE)
KEPT: Final = 2
"""Turns whose graphs are kept."""
KEPT_REFUSED: Final = 64
"""Positions that lead to too many others of which that is remembered."""
MOST_POSITIONS: Final = 200_000
"""Half a gigabyte at most while a graph is found; the editions that ship need a tenth. Cards that lead everywhere could
ask for any number.
"""
ANY_DEAL: Final = 1
"""Which deal of the other side's cards is taken does not matter."""


# --- shot sequences -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shots:
    """A shot with all that may bounce back.

    Attributes:
        goal: the highest chance that it ends with a goal.
        moves: the chance after each action of the shooting side; empty while die or colour are awaited.
    """

    goal: Fraction
    moves: dict[int, Fraction]

    def best(self) -> list[int]:
        """Return the actions with the highest chance, those that spend fewer volleys first."""
        best = [action for action, chance in self.moves.items() if chance == self.goal]
        return sorted(best, key=lambda action: ((action - SHOOT_AT) % VOLLEYS, action))


def shots_refusal(state: State) -> str | None:
    """Return why there is no shot sequence to value, None where there is."""
    return None if state._data.phase in SHOOTING else "there is no shot here, nor one on its way"


def value_shots(state: State) -> Shots:
    """Value the shot that is due or on its way; raises SolveError elsewhere (`shots_refusal`).

    It is the chance of a goal that is the highest possible; before the last turn more counts than that.
    """
    if reason := shots_refusal(state):
        raise SolveError(reason)
    start = State(state.game, state.masked(None))
    first, seat = start._data, start._data.attacker

    def payoff(later: State) -> Fraction | None:
        data = later._data
        if data.goals[seat] > first.goals[seat]:
            return Fraction(1)
        goes_on = data.turn == first.turn and data.phase in SHOOTING
        return None if goes_on else Fraction(0)

    graph = explore_exactly(start, payoff)
    values, _ = value_exactly(graph, lambda _seat: True)
    decides = graph.owner[0] == seat
    return Shots(values[0], {action: values[to] for action, _, to in graph.edges[0]} if decides else {})


@dataclass(frozen=True, slots=True)
class Choice:
    """A shot that was taken, or left, in a match.

    Attributes:
        number: of the move, from 1.
        seat: whose shot it was.
        move: what was done, in notation.
        goal: the chance of a goal after it, of the whole sequence.
        best: the most that could be done for a goal, in notation; what was done, if nothing is better.
        best_goal: its chance.
    """

    number: int
    seat: int
    move: str
    goal: float
    best: str
    best_goal: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return asdict(self)


def shots_of(game: Game, moves: Sequence[str]) -> list[Choice]:
    """Return all shots of a match, those that were possible and left as well; the moves are legal."""
    state, found = game.new_initial_state(), []
    for number, move in enumerate(moves, 1):
        seat = state.current_player()
        if state._data.phase == SHOT and state.legal_actions() != [NO_SHOT]:
            shots = value_shots(state)
            done = state.string_to_action(move)
            best = done if shots.moves[done] == shots.goal else shots.best()[0]
            chances = float(shots.moves[done]), state.action_to_string(best), float(shots.goal)
            found.append(Choice(number, seat, move, *chances))
        state.play(move)
    return found


# --- the last turn ------------------------------------------------------------------------------------------------


class LastTurns:
    """Graphs of last turns, of any games: those asked for last are kept, and what was too large is not tried again."""

    def __init__(self) -> None:
        self._found: list[tuple[Graph, NDArray[np.float64]]] = []
        self._refused = OrderedDict[tuple[Any, ...], str]()
        self._lock = Lock()
        """One graph is found after the other: all those of many threads together would not be bounded."""

    def values(self, starts: Sequence[State]) -> list[float]:
        """Return the chance of seat 0 from each of some positions of a game, valued in one graph.

        Raises SolveError where they lead to more than MOST_POSITIONS.
        """
        with self._lock:
            for place, (graph, values) in enumerate(self._found):
                if graph.game != starts[0].game:
                    continue
                try:
                    known = [float(values[graph.node(start)]) for start in starts]
                except KeyError:
                    continue
                self._found.append(self._found.pop(place))
                return known
            return self._find(starts)

    def _find(self, starts: Sequence[State]) -> list[float]:
        key = tuple(start.key() for start in starts)
        if key in self._refused:
            raise SolveError(self._refused[key])
        del self._found[: len(self._found) - KEPT + 1]  # before, not after: there is never one more
        graph = Graph(starts[0].game, last_turn, MOST_POSITIONS)
        nodes = [graph.enter(start) for start in starts]
        try:
            graph.expand()
        except SolveError as fault:
            self._refused[key] = str(fault)
            if len(self._refused) > KEPT_REFUSED:
                self._refused.popitem(last=False)
            raise
        values = value_graph(graph)
        self._found.append((graph, values))
        return [float(values[node]) for node in nodes]


class DribbelFieber:
    """The solved parts of Dribbel-Fieber (`solve.subgames`)."""

    def __init__(self, game: Game, turns: "LastTurns | None" = None) -> None:
        """Take last turns from a store that other games share, or from one of its own."""
        self._game = game
        self._turns = turns or LastTurns()

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._game

    @property
    def title(self) -> str:
        """What is solved, in a few words."""
        return "shot sequences and the last turn"

    def refusal(self, state: State) -> str | None:
        """Return why best play is not known at a position, None where it is."""
        data = state._data
        if not (data.turn == TURNS or (data.turn == TURNS - 1 and data.phase == KICK)):
            return "best play is known in the last turn, and at the goal kick before it"
        if self._game.setup.any_card == 1 and data.phase not in (*SHOOTING, OVER):
            return "real cards that nobody has counted have no chances"
        return None

    def goal_chance(self, state: State) -> float:
        """Return the highest chance that the side whose turn is the last one scores in it; raises SolveError."""
        return self.goal_chances([state])[0]

    def goal_chances(self, states: Sequence[State]) -> list[float]:
        """Return `goal_chance` of several positions, valued together."""
        for state in states:
            if reason := self.refusal(state):
                raise SolveError(reason)
        starts = [self._as_seen(state) for state in states]
        found = self._turns.values(starts)
        return [self._chance(value, state) for value, state in zip(found, states, strict=True)]

    def _as_seen(self, state: State) -> State:
        """Return the position as the side that moves last sees it, without what happened before it."""
        seen = state.resample(last_mover(state), FastStream(ANY_DEAL))
        data = seen._data
        for place in range((1 - last_mover(state)) * CARDS, (2 - last_mover(state)) * CARDS):
            data.hand[place] = data.pile[place] = data.known[place] = 0
        data.goals = [0, 0]
        return seen

    @staticmethod
    def _chance(value: float, state: State) -> float:
        """Return the chance of a goal from that of seat 0 to win from 0:0, where no goal is half a win."""
        return float(2 * value - 1 if last_mover(state) == RED else 1 - 2 * value)

    def win_chances(self, state: State) -> tuple[float, ...]:
        """Return each seat's chance to win from this position when the last turn is played at its best.

        A tie counts half. Raises SolveError where best play is not known.
        """
        if state.is_terminal():
            return final_chances(state)
        goal, ends = self.goal_chance(state), State(self._game, self._game.layout.copy(state._data))
        ends._data.phase = OVER
        without = final_chances(ends)
        ends._data.goals[last_mover(state)] += 1
        return tuple(goal * one + (1 - goal) * other for one, other in zip(final_chances(ends), without, strict=True))

    def prospects(self, state: State) -> dict[str, float]:
        """Return `goal`, the highest chance of a goal in this turn; nothing when all is over."""
        return {} if state.is_terminal() else {"goal": self.goal_chance(state)}

    def facts(self) -> dict[str, Any]:
        """Return the figures, JSON-able."""
        shots = {
            f"goal_{where}": {
                f"shot value {value}": {f"volleys {volleys}": float(chance) for volleys, chance in row.items()}
                for value, row in table.items()
            }
            for where, table in shot_table(self._game).items()
        }
        return {"solved": self.title, **shots, **self._last_turn_facts()}

    def _last_turn_facts(self) -> dict[str, Any]:
        if self._game.setup.any_card == 1:
            return {}
        shares, states = zip(*last_kick_offs(self._game), strict=True)
        goal = sum(float(share) * chance for share, chance in zip(shares, self.goal_chances(states), strict=True))
        return {"goal_in_the_last_turn_after_a_kick_off": goal}


def last_mover(state: State) -> int:
    """Return the seat whose turn the last one is, in it or at the goal kick before it."""
    data = state._data
    seat = decider(data) if data.turn < TURNS else data.attacker
    assert seat != NOBODY
    return seat


# --- figures ------------------------------------------------------------------------------------------------------


def shot_table(game: Game) -> dict[str, dict[int, dict[int, Fraction]]]:
    """Return the chance of a goal of a whole sequence, by what the first die must exceed without volleys, and volleys.

    Nobody else of the shooter's team is in the penalty area. From inside it the ball may come back to the shooter; from
    outside it is lost where it bounces back. Positions are tried out for every value that the edition has.
    """
    yellow = sum(game.setup.action[KINDS + card] == VOLLEY for card in range(POLDIS))
    table: dict[str, dict[int, dict[int, Fraction]]] = {"outside_the_area": {}, "alone_in_the_area": {}}
    for state, inside in lone_shooters(game):
        data = state._data
        figure = next(figure for figure in range(FIGURES) if data.where[figure] == data.ball)
        value = defence_value(data, game.setup, RED) - attack_value(data, game.setup, RED, figure, 0)
        rows = list(table.values())[inside]
        if value >= 1 and value not in rows:
            rows[value] = {volleys: value_shots(with_volleys(state, volleys)).goal for volleys in range(yellow + 1)}
    return {where: dict(sorted(rows.items())) for where, rows in table.items()}


def lone_shooters(game: Game) -> Iterator[tuple[State, bool]]:
    """Yield shots of red with nobody else of red in the other half, and whether they are from inside the area."""
    setup, own_goal = game.setup, turned(RED, game.setup.goal)
    theirs = turned(BLUE, setup.goal)
    for space, figure, defenders, guarded in product(
        range(HALF, SPACES), range(FIGURES), range(CAPACITY + 1), (False, True)
    ):
        data = game.layout.copy(game.new_initial_state()._data)
        data.phase, data.turn, data.attacker, data.ball = SHOT, 1, RED, space
        data.where[:FIGURES] = [space if each == figure else own_goal for each in range(FIGURES)]
        data.where[FIGURES:] = [own_goal] * FIGURES
        data.where[FIGURES + KEEPER] = theirs if guarded else own_goal
        for each in range(KEEPER + 1, KEEPER + 1 + defenders):
            data.where[FIGURES + each] = space
        yield State(game, data), in_opposing_area(data, setup, RED)


def with_volleys(state: State, count: int) -> State:
    """Return the position with so many volleys before the attacker."""
    data = state.game.layout.copy(state._data)
    yellow = [card for card in range(POLDIS) if state.game.setup.action[KINDS + card] == VOLLEY]
    for card in yellow[:count]:
        data.poldi[card] = FACE_UP + data.attacker
    return State(state.game, data)


def last_kick_offs(game: Game) -> Iterator[tuple[Fraction, State]]:
    """Yield red's kick-offs into the last turn, one for each hand, with its chance: no coins, no Poldi cards."""
    counts = game.setup.count
    for hand in combinations_with_replacement(range(KINDS), HAND_LIMIT):
        ways = prod(comb(counts[kind], hand.count(kind)) for kind in range(KINDS))
        if ways == 0:
            continue
        data = game.layout.copy(game.new_initial_state()._data)
        send_home(data, game.setup)
        data.attacker, data.turn, data.phase = RED, TURNS, FREE
        kick_off(data, game.setup, None)
        for kind in range(KINDS):
            data.hand[kind] = hand.count(kind)
            data.pile[kind] -= hand.count(kind)
        data.held = [HAND_LIMIT, 0]
        data.coins = [0, 0]
        data.poldi = [OUT_OF_GAME] * POLDIS
        yield Fraction(ways, comb(sum(counts), HAND_LIMIT)), State(game, data)
