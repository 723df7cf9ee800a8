"""A match looked at afterwards: the chance to win at every move, and how much of the result was luck.

For a seat, the result is its chance at the start, plus its luck at every throw (chance after it minus the mean over all
that could have come), minus what its own moves gave away, plus what the other seats' moves gave away. Each throw is
measured against the mean over all outcomes, not against the value before it, and each move against the best of all
moves; so the sum comes out only if the solution is right at every position of the match.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bolzplatz.core.errors import IllegalActionError, RecordError
from bolzplatz.core.game import State
from bolzplatz.solve.solution import Solution, best_moves, expected_chances, final_chances, move_chances

SLIP: Final = 0.005
MISTAKE: Final = 0.02
BLUNDER: Final = 0.05
"""From these losses of chance on a move gets a mark."""


@dataclass(frozen=True, slots=True)
class Step:
    """One throw or move.

    Attributes:
        number: from 1.
        seat: who threw or moved; None where nobody did.
        move: in notation.
        decision: whether somebody chose.
        chances: each seat's chance to win after it.
        change: what it changed for each seat: a throw against the mean of all throws, a move against the best move.
        best: the best moves in notation; none at a throw.
    """

    number: int
    seat: int | None
    move: str
    decision: bool
    chances: tuple[float, ...]
    change: tuple[float, ...]
    best: tuple[str, ...]

    @property
    def loss(self) -> float:
        """Return what a move gave away of its seat's chance; 0 for a throw."""
        return -self.change[self.seat] if self.decision and self.seat is not None else 0.0

    @property
    def mark(self) -> str:
        """Return `blunder`, `mistake`, `slip` or nothing, by what the move gave away."""
        for least, mark in ((BLUNDER, "blunder"), (MISTAKE, "mistake"), (SLIP, "slip")):
            if self.loss >= least:
                return mark
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {
            "number": self.number,
            "seat": self.seat,
            "move": self.move,
            "decision": self.decision,
            "chances": list(self.chances),
            "change": list(self.change),
            "loss": self.loss,
            "best": list(self.best),
            "mark": self.mark,
        }


@dataclass(frozen=True, slots=True)
class Balance:
    """A seat's result taken apart: end = start + luck - own_losses + gifts.

    `gifts` is what the other seats' moves changed for this one; `end` is the chance where the match stands now, 1 or 0
    when it is over.
    """

    seat: int
    start: float
    luck: float
    own_losses: float
    gifts: float
    end: float

    @property
    def rest(self) -> float:
        """Return by how much the sum misses the result: rounding."""
        return self.end - (self.start + self.luck - self.own_losses + self.gifts)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {
            "seat": self.seat,
            "start": self.start,
            "luck": self.luck,
            "own_losses": self.own_losses,
            "gifts": self.gifts,
            "end": self.end,
        }


@dataclass(frozen=True, slots=True)
class Analysis:
    """A match, step by step and as a balance for each seat.

    Attributes:
        start: each seat's chance before the first step that was looked at.
        steps: what happened.
        balances: one a seat.
        given: how many moves led to where it began.
    """

    start: tuple[float, ...]
    steps: tuple[Step, ...]
    balances: tuple[Balance, ...]
    given: int = 0

    def worst(self, count: int, seat: int | None = None) -> list[Step]:
        """Return up to `count` moves that gave away most, of one seat or of all, the worst first."""
        costly = [step for step in self.steps if step.loss > 0 and seat in (None, step.seat)]
        return sorted(costly, key=lambda step: (-step.loss, step.number))[:count]


def analyse(
    solution: Solution, moves: Sequence[str], given: int = 0, progress: Callable[[int], None] = lambda _done: None
) -> Analysis:
    """Look at a match of a solved game.

    Args:
        solution: of the game with the match's options.
        moves: the match in notation.
        given: how many of the first moves led to where the match began; they are nobody's luck or fault.
        progress: told how many moves are done.

    Raises RecordError that names the move which the rules refuse.
    """
    state = solution.game.new_initial_state()
    for number, move in enumerate(moves[:given], 1):
        _play(state, number, move)
    start = solution.win_chances(state)
    steps = []
    for step in _steps(solution, state, moves, given):
        steps.append(step)
        progress(given + len(steps))
    end = final_chances(state) if state.is_terminal() else solution.win_chances(state)
    return Analysis(start, tuple(steps), tuple(_balance(seat, start, steps, end) for seat in range(len(start))), given)


def _play(state: State, number: int, move: str) -> None:
    try:
        state.play(move)
    except IllegalActionError as fault:
        raise RecordError(f"move {number}", str(fault)) from None


def _steps(solution: Solution, state: State, moves: Sequence[str], given: int) -> Iterator[Step]:
    """Play the moves after the given ones and yield what each changed."""
    for number, move in enumerate(moves[given:], given + 1):
        seat, best = state.current_player(), tuple[str, ...]()
        if seat >= 0:
            actions = best_moves(move_chances(solution, state))
            best = tuple(state.action_to_string(action) for action in actions)
            fair = solution.win_chances(state.clone().play(move if move in best else best[0]))
        else:
            fair = expected_chances(solution, state)
        thrower = state.roller()
        _play(state, number, move)
        chances = solution.win_chances(state)
        change = tuple(now - before for now, before in zip(chances, fair, strict=True))
        yield Step(number, seat if seat >= 0 else thrower, move, seat >= 0, chances, change, best)


def _balance(seat: int, start: Sequence[float], steps: Sequence[Step], end: Sequence[float]) -> Balance:
    """Add up what throws, own moves and other seats' moves changed for a seat."""
    luck = sum(step.change[seat] for step in steps if not step.decision)
    own = sum(step.change[seat] for step in steps if step.decision and step.seat == seat)
    gifts = sum(step.change[seat] for step in steps if step.decision and step.seat != seat)
    return Balance(seat, start[seat], luck, -own, gifts, end[seat])
