"""5050: six dice, put aside what counts, and stop in time.

A turn goes throw, keep, then stop or go where stopping is allowed. What may be kept of a throw depends on the throw
alone, so the keeps of all 923 throws are listed once, when this module is loaded, by `keep_misfit`, the same rule
function that explains refusals; options only take entries away. Rules in words: docs/rules/5050.*.md.
"""

from itertools import combinations_with_replacement, groupby, product
from math import factorial, prod
from typing import Any, Final, NamedTuple

from bolzplatz.core.declare import declare, number, numbers, per_seat
from bolzplatz.core.errors import OptionError
from bolzplatz.core.events import emit
from bolzplatz.core.forms import dice
from bolzplatz.core.nodes import CHANCE, TERMINAL
from bolzplatz.core.spec import Arg, EventKind, GameSpec, Notation, Option, Options, Refusal, Rules, Unreadable

SEATS: Final = 10
HIGHEST_SET: Final = 2000
"""Six ones: no set of six dice brings more, so no hurdle above it could ever be cleared."""


@declare
class Setup:
    """The options as integers."""

    seats: int = number(2, SEATS, "how many play")
    target: int = number(50, 10**6, "points written that bring the last round")
    threshold: int = number(0, HIGHEST_SET, "points of the present set from which one may stop")
    finish_round: int = number(0, 1, "whether the round is played to its end")
    six_kind_is_three_pairs: int = number(0, 1, "whether six alike may be named three pairs")
    converted_one_in_triple: int = number(0, 1, "whether turned and thrown ones of one throw make 1000 together")
    max_conversions: int = number(0, 3, "pairs of fives that may be turned in one throw")
    first: int = number(0, SEATS - 1, "seat that begins")


THROWING: Final = 0
KEEPING: Final = 1
STOPPING: Final = 2
OVER: Final = 3


@declare
class State:
    """A position. There is no count of rounds: the rules never ask for it, and equal positions stay equal without."""

    phase: int = number(0, OVER, "what comes next: 0 a throw, 1 dice are put aside, 2 stop or go, 3 the game is over")
    mover: int = number(0, SEATS - 1, "seat whose turn it is")
    dice: int = number(0, 6, "dice not aside; they are thrown next, or lie thrown")
    throw: int = number(0, 923, "while dice are put aside: number of the throw among all throws, else 0")
    thrown: list[int] = numbers(0, 6, "thrown dice that lie there and are not aside, by face from 1 to 6", 6)
    aside: list[int] = numbers(0, 6, "dice of this set aside, by face from 1 to 6, without turned fives", 6)
    turned: int = number(0, 5, "dice of this set aside that are fives turned into ones")
    set_points: int = number(0, HIGHEST_SET, "points of this set of six dice, not safe")
    earlier_points: int = number(0, 10**9, "points of earlier sets of this turn, not safe")
    to_confirm: int = number(0, 1, "whether a 1500 combination still waits for its confirmation")
    last_round: int = number(0, 1, "whether somebody has reached the target")
    written: list[int] = per_seat(0, 10**9, "points written down, safe", SEATS)


# --- keeps: all ways to put dice aside, whatever was thrown -----------------------------------------------------


class Keep(NamedTuple):
    """Dice put aside together, by face, and how many fives among them are turned into ones and counted apart."""

    aside: tuple[int, ...]
    turned: int

    def tokens(self) -> str:
        """Write the keep in its one notation: triples, single ones, single fives, turned fives."""
        triples = [str(face + 1) * 3 for face in range(6) for _ in range(self.aside[face] // 3)]
        singles = ["1"] * (self.aside[0] % 3) + ["5"] * (self.aside[4] % 3)
        return " ".join(triples + singles + ["55>1"] * self.turned)

    def points(self, joined: bool) -> int:
        """Return its value, 5050 §3: dice count at their best; turned ones join thrown ones only if `joined`."""
        ones = self.aside[0] + (self.turned if joined else 0)
        points = 1000 * (ones // 3) + 100 * (ones % 3) + (0 if joined else 100 * self.turned)
        points += 500 * (self.aside[4] // 3) + 50 * (self.aside[4] % 3)
        return points + sum(100 * (face + 1) * (self.aside[face] // 3) for face in (1, 2, 3, 5))


def _list_keeps() -> list[Keep]:
    """List every keep that six dice allow; turning a pair of fives lays one die aside but needs two."""
    single, triple = range(7), (0, 3, 6)
    hands = product(single, triple, triple, triple, single, triple)
    keeps = [Keep(aside, turned) for aside in hands if sum(aside) <= 6 for turned in range(4)]
    return [keep for keep in keeps if 0 < sum(keep.aside) + 2 * keep.turned <= 6]


_KEEPS: Final = _list_keeps()
STRAIGHT: Final = len(_KEEPS)
PAIRS: Final = STRAIGHT + 1
KEEPS: Final = STRAIGHT + 2
STOP: Final = KEEPS
GO: Final = KEEPS + 1
NUM_ACTIONS: Final = KEEPS + 2

KEEP_TOKENS: Final = (*(keep.tokens() for keep in _KEEPS), "123456", "pairs")
KEEP_POINTS: Final = tuple(
    points for joined in (False, True) for points in (*(keep.points(joined) for keep in _KEEPS), 1500, 1500)
)
"""Points of each keep, then the same again for a game with `converted_one_in_triple`."""
KEEP_ASIDE: Final = tuple(count for keep in _KEEPS for count in keep.aside) + (0,) * 12
"""Dice that a keep lays aside, by face. The 1500 combinations have none: they lay everything aside."""
KEEP_TURNED: Final = (*(keep.turned for keep in _KEEPS), 0, 0)
KEEP_DICE: Final = (*(sum(keep.aside) + keep.turned for keep in _KEEPS), 6, 6)
"""How many dice a keep lays aside."""

# --- throws: all multisets of up to six dice, fewer dice first, each number of dice in order of its digits ------

_THROWS: Final = [faces for count in range(7) for faces in combinations_with_replacement(range(6), count)]
_THROW_IDS: Final = {faces: throw for throw, faces in enumerate(_THROWS)}
FIRST_THROW: Final = (*(_THROW_IDS[(0,) * count] for count in range(7)), len(_THROWS))
"""Number of the first throw of each number of dice; an outcome's id counts from there."""
ADD_DIE: Final = tuple(
    _THROW_IDS[tuple(sorted((*faces, face)))] for faces in _THROWS if len(faces) < 6 for face in range(6)
)
"""The throw that arises when a die with a face joins a throw of up to five dice, at throw * 6 + face."""
THROW_FACES: Final = tuple(faces.count(face) for faces in _THROWS for face in range(6))
"""Dice of each throw by face, at throw * 6 + face."""
THROW_WEIGHT: Final = tuple(
    factorial(len(faces)) // prod(factorial(faces.count(face)) for face in set(faces)) for faces in _THROWS
)
"""In how many ways ordered dice show each throw."""
THROW_TEXT: Final = tuple("".join(str(face + 1) for face in faces) for faces in _THROWS)

# Kinds of events: their places in EVENTS.
E_THROW: Final = 0
E_KEEP: Final = 1
E_TURN_FIVES: Final = 2
E_HURDLE: Final = 3
E_ALL_ASIDE: Final = 4
E_MUST_CONFIRM: Final = 5
E_CONFIRM: Final = 6
E_GO: Final = 7
E_NEW_SET: Final = 8
E_BUST: Final = 9
E_WRITE: Final = 10
E_LAST_ROUND: Final = 11
E_LEVEL: Final = 12
E_WIN: Final = 13

# Reasons to refuse: their places in REFUSALS.
R_GAME_OVER: Final = 1
R_NOT_YOUR_TURN: Final = 2
R_THROW_FIRST: Final = 3
R_NO_CHOICE: Final = 4
R_KEEP_FIRST: Final = 5
R_KEPT_ALREADY: Final = 6
R_NOT_THROWN: Final = 7
R_OTHER_THROW: Final = 8
R_TWO_FIVES: Final = 9
R_FIVES_ASIDE: Final = 10
R_NEEDS_SIX: Final = 11
R_NO_STRAIGHT: Final = 12
R_NO_PAIRS: Final = 13
R_CONVERSION_LIMIT: Final = 14
R_SIX_ALIKE: Final = 15
R_BELOW_HURDLE: Final = 16
R_NEW_HURDLE: Final = 17
R_CONFIRM_FIRST: Final = 18

# --- what a throw allows ----------------------------------------------------------------------------------------


def keep_misfit(throw: int, keep: int) -> int:
    """Return 0 if the throw holds this keep, else the code of what is missing (5050 §3, §4, §5)."""
    at = throw * 6
    if keep >= STRAIGHT:
        if throw < FIRST_THROW[6]:
            return R_NEEDS_SIX
        for face in range(6):
            if keep == STRAIGHT and THROW_FACES[at + face] != 1:
                return R_NO_STRAIGHT
            if keep == PAIRS and THROW_FACES[at + face] % 2 == 1:
                return R_NO_PAIRS
        return 0
    for face in range(6):
        if THROW_FACES[at + face] < KEEP_ASIDE[keep * 6 + face]:
            return R_NOT_THROWN
    if THROW_FACES[at + 4] < KEEP_ASIDE[keep * 6 + 4] + 2 * KEEP_TURNED[keep]:
        return R_TWO_FIVES
    return 0


def _list_throw_keeps() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """List the keeps of every throw, ascending, one throw after the other, and where each throw's list begins."""
    needs = [{face for face in range(6) if keep.aside[face] or (face == 4 and keep.turned)} for keep in _KEEPS]
    likely: dict[frozenset[int], list[int]] = {}  # by the faces that show: spares most calls of keep_misfit
    keeps: list[int] = []
    begins = [0]
    for throw, faces in enumerate(map(frozenset, _THROWS)):
        if faces not in likely:
            likely[faces] = [*(keep for keep in range(STRAIGHT) if needs[keep] <= faces), STRAIGHT, PAIRS]
        keeps += [keep for keep in likely[faces] if keep_misfit(throw, keep) == 0]
        begins.append(len(keeps))
    return tuple(keeps), tuple(begins)


THROW_KEEPS, THROW_KEEPS_AT = _list_throw_keeps()
"""`THROW_KEEPS[THROW_KEEPS_AT[throw]:THROW_KEEPS_AT[throw + 1]]` are the keeps of a throw. No option empties a list:
turned fives could also be kept as fives, six alike also as two triples."""

# --- rules (compiled subset) ------------------------------------------------------------------------------------


def begin(s: State, o: Setup) -> None:
    """The seat that begins has six dice to throw (5050 §1, §2)."""
    s.mover = o.first
    s.dice = 6


def player_to_act(s: State, _o: Setup) -> int:
    """After a throw its thrower decides, 5050 §2."""
    if s.phase == THROWING:
        return CHANCE
    if s.phase == OVER:
        return TERMINAL
    return s.mover


def roller(s: State, _o: Setup) -> int:
    """Each player throws in the own turn, 5050 §2."""
    return s.mover


def keep_points(o: Setup, keep: int) -> int:
    """Return what a keep is worth, 5050 §3."""
    return KEEP_POINTS[keep + KEEPS * o.converted_one_in_triple]


def six_alike(throw: int) -> bool:
    """Return whether all six dice show one face."""
    return throw >= FIRST_THROW[6] and THROW_WEIGHT[throw] == 1


def option_misfit(o: Setup, throw: int, keep: int) -> int:
    """Return 0 if the options allow this keep of a throw that holds it, else the code of the reason (5050 §12)."""
    if KEEP_TURNED[keep] > o.max_conversions:
        return R_CONVERSION_LIMIT
    if keep == PAIRS and o.six_kind_is_three_pairs == 0 and six_alike(throw):
        return R_SIX_ALIKE
    return 0


def legal(s: State, o: Setup, seat: int, out: Any) -> int:
    """Any keep that the throw holds, 5050 §4; then, from the hurdle, stop or go, 5050 §6."""
    if seat != s.mover:
        return 0
    if s.phase == STOPPING:
        out[0] = STOP
        out[1] = GO
        return 2
    if s.phase != KEEPING:
        return 0
    at = THROW_KEEPS_AT[s.throw]
    count = THROW_KEEPS_AT[s.throw + 1] - at
    for i in range(count):
        out[i] = THROW_KEEPS[at + i]
    if o.max_conversions < 3 or o.six_kind_is_three_pairs == 0:
        return drop_forbidden(s, o, out, count)
    return count


def drop_forbidden(s: State, o: Setup, out: Any, count: int) -> int:
    """Take the keeps that the options forbid out of a list and return how many are left, 5050 §12."""
    left = 0
    for i in range(count):
        if option_misfit(o, s.throw, out[i]) == 0:
            out[left] = out[i]
            left += 1
    return left


def refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why a move is not possible here, in every phase."""
    if s.phase == OVER:
        return R_GAME_OVER
    if seat != s.mover:
        return R_NOT_YOUR_TURN
    if action == STOP:
        return stop_refusal(s, o)
    if action == GO:
        if s.phase == THROWING:
            return R_NO_CHOICE
        return R_KEEP_FIRST if s.phase == KEEPING else 0
    if s.phase == THROWING:
        return R_THROW_FIRST
    if s.phase == STOPPING:
        return R_KEPT_ALREADY
    return keep_refusal(s, o, action)


def stop_refusal(s: State, o: Setup) -> int:
    """Stopping needs the hurdle of the present set and a die of the last throw aside (5050 §4, §6, §7, §8)."""
    if s.phase == STOPPING:
        return 0
    if s.phase == KEEPING:
        return R_KEEP_FIRST
    if s.to_confirm == 1:
        return R_CONFIRM_FIRST
    if s.set_points >= o.threshold:
        return R_KEEP_FIRST
    return R_NEW_HURDLE if s.earlier_points + s.set_points >= o.threshold else R_BELOW_HURDLE


def keep_refusal(s: State, o: Setup, keep: int) -> int:
    """Say why dice of the present throw cannot be kept so (5050 §3, §4, §5, §12)."""
    misfit = keep_misfit(s.throw, keep)
    if misfit == 0:
        return option_misfit(o, s.throw, keep)
    if keep >= STRAIGHT:
        return misfit
    for face in range(6):
        needed = KEEP_ASIDE[keep * 6 + face] + (2 * KEEP_TURNED[keep] if face == 4 else 0)
        if s.thrown[face] + s.aside[face] < needed:
            return misfit
    # With the dice that lie aside it would fit: the player counts on earlier throws.
    return R_OTHER_THROW if misfit == R_NOT_THROWN else R_FIVES_ASIDE


def chance_count(s: State, _o: Setup) -> int:
    """As many throws as multisets of the dice left."""
    return FIRST_THROW[s.dice + 1] - FIRST_THROW[s.dice]


def chance_weight(s: State, _o: Setup, outcome: int) -> int:
    """The number of ordered throws with these faces."""
    return THROW_WEIGHT[FIRST_THROW[s.dice] + outcome]


def chance_form(s: State, _o: Setup) -> int:
    """All dice that are not aside are thrown together, 5050 §2."""
    return dice(s.dice, 6)


def outcome_of(s: State, _o: Setup, drawn: Any) -> int:
    """Find the throw that these dice (faces from 0) show, whatever their order."""
    throw = 0
    for i in range(s.dice):
        throw = ADD_DIE[throw * 6 + drawn[i]]
    return throw - FIRST_THROW[s.dice]


def apply(s: State, o: Setup, action: int, log: Any) -> None:
    """Carry out a throw, a keep, a stop or a go."""
    if s.phase == THROWING:
        land(s, o, FIRST_THROW[s.dice] + action, log)
    elif action == STOP:
        write_down(s, o, log)
    elif action == GO:
        go_on(s, o, log)
    else:
        put_aside(s, o, action, log)


def land(s: State, o: Setup, throw: int, log: Any) -> None:
    """Lay the throw on the table; a throw with nothing usable ends the turn at once, 5050 §9."""
    emit(log, E_THROW, s.mover, throw, 0, 0)
    if THROW_KEEPS_AT[throw] == THROW_KEEPS_AT[throw + 1]:
        emit(log, E_BUST, s.mover, s.earlier_points + s.set_points, 0, 0)
        end_turn(s, o, log)
        return
    s.phase = KEEPING
    s.throw = throw
    for face in range(6):
        s.thrown[face] = THROW_FACES[throw * 6 + face]


def put_aside(s: State, o: Setup, keep: int, log: Any) -> None:
    """Put dice aside, 5050 §4, and ask whether to stop where the set has cleared its hurdle, 5050 §6."""
    points = keep_points(o, keep)
    before = s.set_points
    s.set_points += points
    s.dice -= KEEP_DICE[keep]
    s.throw = 0
    emit(log, E_KEEP, s.mover, keep, points, s.set_points)
    if keep >= STRAIGHT:
        emit(log, E_MUST_CONFIRM, s.mover, keep, o.threshold, 0)
        s.to_confirm = 1
        begin_set(s, o, log)
        return
    for face in range(6):
        s.aside[face] += KEEP_ASIDE[keep * 6 + face]
        s.thrown[face] -= KEEP_ASIDE[keep * 6 + face]
    if KEEP_TURNED[keep] > 0:
        s.turned += KEEP_TURNED[keep]
        s.thrown[4] -= KEEP_TURNED[keep]
        emit(log, E_TURN_FIVES, s.mover, KEEP_TURNED[keep], 0, 0)
    if s.dice == 0:
        emit(log, E_ALL_ASIDE, s.mover, s.set_points, 0, 0)
    if s.set_points >= o.threshold:
        if s.to_confirm == 1:
            s.to_confirm = 0
            emit(log, E_CONFIRM, s.mover, s.set_points, 0, 0)
        elif before < o.threshold:
            emit(log, E_HURDLE, s.mover, s.set_points, 0, 0)
        s.phase = STOPPING
    elif s.dice == 0:
        begin_set(s, o, log)
    else:
        take_dice(s)


def go_on(s: State, o: Setup, log: Any) -> None:
    """Throw the dice left, 5050 §6, or all six where none is left, 5050 §7."""
    if s.dice == 0:
        begin_set(s, o, log)
    else:
        emit(log, E_GO, s.mover, s.dice, s.earlier_points + s.set_points, 0)
        take_dice(s)


def take_dice(s: State) -> None:
    """Take the dice left into the hand, ready to be thrown."""
    s.phase = THROWING
    for face in range(6):
        s.thrown[face] = 0


def begin_set(s: State, o: Setup, log: Any) -> None:
    """Take up all six dice: a new set with a hurdle of its own; the points before stay at risk (5050 §7, §8)."""
    s.earlier_points += s.set_points
    clear_set(s)
    emit(log, E_NEW_SET, s.mover, s.earlier_points, o.threshold, 0)


def clear_set(s: State) -> None:
    """Take all six dice into the hand."""
    take_dice(s)
    s.set_points = 0
    s.dice = 6
    s.turned = 0
    for face in range(6):
        s.aside[face] = 0


def write_down(s: State, o: Setup, log: Any) -> None:
    """Write down the points of all sets of this turn, 5050 §6; the target brings the last round, 5050 §10."""
    points = s.earlier_points + s.set_points
    s.written[s.mover] += points
    emit(log, E_WRITE, s.mover, points, s.written[s.mover], 0)
    if s.last_round == 0 and s.written[s.mover] >= o.target:
        s.last_round = 1
        if not may_close(s, o):
            emit(log, E_LAST_ROUND, s.mover, s.written[s.mover], 0, 0)
    end_turn(s, o, log)


def next_seat(s: State, o: Setup) -> int:
    """Return the seat whose turn follows, 5050 §1."""
    return s.mover + 1 if s.mover + 1 < o.seats else 0


def may_close(s: State, o: Setup) -> bool:
    """Return whether the game is over after this turn if the target is reached: the round is complete, 5050 §10."""
    return o.finish_round == 0 or next_seat(s, o) == o.first


def end_turn(s: State, o: Setup, log: Any) -> None:
    """Pass the dice on, 5050 §1, or end the game, 5050 §10."""
    s.earlier_points = 0
    s.to_confirm = 0
    clear_set(s)
    if s.last_round == 1 and may_close(s, o):
        s.phase = OVER
        announce_winner(s, o, log)
    else:
        s.mover = next_seat(s, o)


def winning_seat(s: State, o: Setup) -> int:
    """Return the seat with the most points; of level ones the earlier in the order of the game, 5050 §11."""
    best = o.first
    for i in range(1, o.seats):
        seat = (o.first + i) % o.seats
        if s.written[seat] > s.written[best]:
            best = seat
    return best


def announce_winner(s: State, o: Setup, log: Any) -> None:
    """Say who has won, and that the order decided where scores are level, 5050 §11."""
    best = winning_seat(s, o)
    for seat in range(o.seats):
        if seat != best and s.written[seat] == s.written[best]:
            emit(log, E_LEVEL, seat, s.written[seat], 0, 0)
    emit(log, E_WIN, best, s.written[best], 0, 0)


def winners(s: State, o: Setup, out: Any) -> None:
    """One seat wins, 5050 §11."""
    for seat in range(o.seats):
        out[seat] = 0
    if s.phase == OVER:
        out[winning_seat(s, o)] = 1


def scores(s: State, o: Setup, out: Any) -> None:
    """Points written down, 5050 §6."""
    for seat in range(o.seats):
        out[seat] = s.written[seat]


# --- notation ---------------------------------------------------------------------------------------------------

_ACTION_TEXT: Final = (*(f"keep {tokens}" for tokens in KEEP_TOKENS), "stop", "go")
_ACTION_IDS: Final = {text: action for action, text in enumerate(_ACTION_TEXT)}
_TOKEN_DICE: Final = {"1": (0, 1), "5": (4, 1), **{str(face + 1) * 3: (face, 3) for face in range(6)}}
"""Face and number of dice of each token that lays dice aside as they are."""
_ALONE: Final = ("123456", "pairs")
_THROW_OF_TEXT: Final = {text: throw for throw, text in enumerate(THROW_TEXT)}


def action_text(_s: State, _o: Setup, _seat: int, action: int) -> str:
    """Write a keep, `stop` or `go`."""
    return _ACTION_TEXT[action]


def outcome_text(s: State, _o: Setup, outcome: int) -> str:
    """Write a throw, its digits ascending."""
    return f"throw {THROW_TEXT[FIRST_THROW[s.dice] + outcome]}"


def read_action(_s: State, _o: Setup, _seat: int, text: str) -> int:
    """Read a keep in its one notation, `stop` or `go`; raises Unreadable, with the right notation if there is one."""
    if text in _ACTION_IDS:
        return _ACTION_IDS[text]
    word, *tokens = text.split() or [""]
    if word == "throw":
        raise Unreadable("a decision comes before the next throw")
    if word != "keep":
        raise Unreadable("a move reads keep and what is put aside, or stop, or go")
    if not tokens:
        raise Unreadable("after keep comes what is put aside, such as keep 1 5")
    for token in tokens:
        if token not in _TOKEN_DICE and token not in _ALONE and token != "55>1":
            raise Unreadable(f"{token!r} names no dice; there are 111 to 666, 1, 5, 55>1, 123456 and pairs")
    raise Unreadable(_proper_keep(tokens))


def _proper_keep(tokens: list[str]) -> str:
    """Say how these tokens should be written, or that they cannot belong together."""
    for token in _ALONE:
        if token in tokens:
            return f"keep {token} stands alone, since it uses all six dice"
    aside = [0] * 6
    for token in tokens:
        if token != "55>1":
            face, count = _TOKEN_DICE[token]
            aside[face] += count
    text = f"keep {Keep(tuple(aside), tokens.count('55>1')).tokens()}"
    if text not in _ACTION_IDS:
        return "so many dice do not lie in one throw of six"
    return f"write {text}: dice count at their best, triples come first, then 1, 5 and 55>1, with single spaces"


def read_outcome(s: State, _o: Setup, text: str) -> int:
    """Read a throw of the dice left; raises Unreadable."""
    word, _, digits = text.partition(" ")
    if word != "throw":
        raise Unreadable("a throw reads throw and the digits of the dice")
    throw = _THROW_OF_TEXT.get(digits, 0)
    if throw == 0 or len(digits) != s.dice:
        raise Unreadable(f"throw takes the digits 1 to 6 of all thrown dice, here {s.dice}, in ascending order")
    return throw - FIRST_THROW[s.dice]


# --- what people and programs read ------------------------------------------------------------------------------


def _groups(keep: int) -> list[str]:
    """Return the tokens of a keep, equal ones together, as events name them: `1 1 55>1` is `1+1` and `55>1`."""
    return ["+".join(same) for _, same in groupby(KEEP_TOKENS[keep].split())]


_combination = Arg("combination", {STRAIGHT: "straight", PAIRS: "three_pairs"}.__getitem__)

EVENTS: Final = (
    EventKind("throw", "5050 §2", (Arg("dice", lambda throw: " ".join(THROW_TEXT[throw])),)),
    EventKind("keep", "5050 §4", (Arg("kept", _groups), Arg("points"), Arg("set_points"))),
    EventKind("turn_fives", "5050 §5", (Arg("ones"),)),
    EventKind("hurdle", "5050 §6", (Arg("set_points"),)),
    EventKind("all_aside", "5050 §7", (Arg("set_points"),)),
    EventKind("must_confirm", "5050 §8", (_combination, Arg("hurdle"))),
    EventKind("confirm", "5050 §8", (Arg("set_points"),)),
    EventKind("go", "5050 §6", (Arg("dice"), Arg("at_risk"))),
    EventKind("new_set", "5050 §7", (Arg("at_risk"), Arg("hurdle"))),
    EventKind("bust", "5050 §9", (Arg("lost"),)),
    EventKind("write", "5050 §6", (Arg("points"), Arg("total"))),
    EventKind("last_round", "5050 §10", (Arg("total"),)),
    EventKind("level", "5050 §11", (Arg("total"),)),
    EventKind("win", "5050 §11", (Arg("total"),)),
)
REFUSALS: Final = (
    Refusal("legal", "5050 §4", "nothing stands against it"),
    Refusal("game_over", "5050 §10", "the game is over"),
    Refusal("not_your_turn", "5050 §1", "another seat's turn it is"),
    Refusal("throw_first", "5050 §2", "no thrown dice lie there: the dice left are thrown first"),
    Refusal("no_choice", "5050 §6", "the dice are thrown now anyway, there is nothing to decide"),
    Refusal("keep_first", "5050 §4", "at least one die of every throw is put aside first"),
    Refusal("kept_already", "5050 §4", "dice of this throw are aside already: stop, or go on and throw"),
    Refusal("not_thrown", "5050 §4", "the throw does not show these dice"),
    Refusal("other_throw", "5050 §4", "a combination comes from one throw; dice already aside cannot help"),
    Refusal("two_fives", "5050 §5", "each turned one needs two fives of this throw that serve nothing else"),
    Refusal("fives_aside", "5050 §5", "both fives come from this throw; a five already aside cannot help"),
    Refusal("needs_six", "5050 §3", "a straight and three pairs are made of all six dice in one throw"),
    Refusal("no_straight", "5050 §3", "a straight shows every face once"),
    Refusal("no_pairs", "5050 §3", "the six dice are not three pairs"),
    Refusal("conversion_limit", "5050 §12", "this game allows fewer pairs of fives to be turned in one throw"),
    Refusal("six_alike", "5050 §12", "in this game six alike are two triples, not three pairs"),
    Refusal("below_hurdle", "5050 §6", "too few points to stop"),
    Refusal("new_hurdle", "5050 §7", "only points of the present six dice help over the hurdle, and they are too few"),
    Refusal("confirm_first", "5050 §8", "a straight or three pairs must be confirmed in a new set first"),
)


_NEXT: Final = ("throw", "keep", "stop_or_go", "over")


def bust_chance(count: int) -> str:
    """Return how many of all throws of `count` dice hold nothing usable, such as `60/216`, not reduced (5050 §9)."""
    throws = range(FIRST_THROW[count], FIRST_THROW[count + 1])
    busts = sum(THROW_WEIGHT[throw] for throw in throws if THROW_KEEPS_AT[throw] == THROW_KEEPS_AT[throw + 1])
    return f"{busts}/{6**count}"


def shown(s: State, o: Setup) -> dict[str, Any]:
    """Return what a page shows beyond the fields.

    Keys: `next` (`throw`, `keep`, `stop_or_go`, `over`); `dice_thrown` faces that lie there; `dice_aside` of this set,
    as {face, turned}; `dice_next` how many are thrown next (None while a keep is to be chosen); `bust` the chance that
    they hold nothing usable; `at_risk` all points of the turn; `total_if_stopped`; `hurdle` and `missing`, the points
    up to it; `may_stop`; `to_confirm`; `last_round`; `keeps` what each legal keep brings: {points, set_points,
    dice_next, bust, may_stop} by its tokens, the most points first; `values` their points alone; `leader` the seat
    that would win if the game ended now.
    """
    faces = [face + 1 for face in range(6) for _ in range(s.thrown[face])]
    aside = [{"face": face + 1, "turned": False} for face in range(6) for _ in range(s.aside[face])]
    at_risk = s.earlier_points + s.set_points
    dice_next = {THROWING: s.dice, STOPPING: s.dice or 6}.get(s.phase)
    keeps = _keeps_shown(s, o) if s.phase == KEEPING else {}
    return {
        "next": _NEXT[s.phase],
        "dice_thrown": faces,
        "dice_aside": [{"face": 1, "turned": True}] * s.turned + aside,
        "dice_next": dice_next,
        "bust": bust_chance(dice_next) if dice_next else None,
        "at_risk": at_risk,
        "total_if_stopped": s.written[s.mover] + at_risk,
        "hurdle": o.threshold,
        "missing": max(0, o.threshold - s.set_points),
        "may_stop": s.phase == STOPPING,
        "to_confirm": bool(s.to_confirm),
        "last_round": bool(s.last_round),
        "keeps": keeps,
        "values": {tokens: keep["points"] for tokens, keep in keeps.items()},
        "leader": winning_seat(s, o),
    }


def _keeps_shown(s: State, o: Setup) -> dict[str, dict[str, Any]]:
    """Return what each legal keep brings, the most points first."""
    out = [0] * NUM_ACTIONS
    found = {}
    for keep in sorted(out[: legal(s, o, s.mover, out)], key=lambda keep: (-keep_points(o, keep), KEEP_DICE[keep])):
        points = keep_points(o, keep)
        dice_next = s.dice - KEEP_DICE[keep] or 6
        found[KEEP_TOKENS[keep]] = {
            "points": points,
            "set_points": s.set_points + points,
            "dice_next": dice_next,
            "bust": bust_chance(dice_next),
            "may_stop": keep < STRAIGHT and s.set_points + points >= o.threshold,
        }
    return found


def board(s: State, o: Setup) -> str:
    """Draw the position: everybody's points, the dice aside, what is at risk, and what comes next."""
    lines = [f"5050, to {o.target}{', last round' if s.last_round else ''}"]
    for i in range(o.seats):
        seat = (o.first + i) % o.seats
        lines.append(f"{'>' if seat == s.mover and s.phase != OVER else ' '} seat {seat}  {s.written[seat]:>6}")
    if s.phase == OVER:
        return "\n".join([*lines, f"  seat {winning_seat(s, o)} wins"])
    view = shown(s, o)
    aside = " ".join("1*" if die["turned"] else str(die["face"]) for die in view["dice_aside"])
    aside += " (1*: two fives as a one)" if s.turned else ""
    to_stop = f"{view['missing']} more to stop" if view["missing"] else "enough to stop"
    to_confirm = ", 1500 to be confirmed" if s.to_confirm else ""
    lines += [
        f"  aside: {aside or 'nothing'}",
        f"  at risk: {view['at_risk']}, of this set {s.set_points}, {to_stop}{to_confirm}",
    ]
    if s.phase == KEEPING:
        return "\n".join([*lines, f"  thrown: {' '.join(map(str, view['dice_thrown']))}"])
    dice_next = f"{view['dice_next']} {'die' if view['dice_next'] == 1 else 'dice'}"
    return "\n".join([*lines, f"  {'stop, or go with' if s.phase == STOPPING else 'to throw:'} {dice_next}"])


# --- the game ---------------------------------------------------------------------------------------------------

OPTIONS: Final = (
    Option("players", int, 2, "5050 §1", "how many play", low=2, high=SEATS, examples=(3, SEATS)),
    Option(
        "target",
        int,
        5050,
        "F-29, 5050 §10",
        "points written that bring the last round",
        low=50,
        high=10**6,
        examples=(50, 1000),
    ),
    Option(
        "threshold",
        int,
        350,
        "F-1, F-5, 5050 §6",
        "points from which one may stop",
        low=0,
        high=HIGHEST_SET,
        examples=(0, 500),
    ),
    Option("finish_round", bool, True, "F-23, 5050 §10", "the round is played to its end"),
    Option("six_kind_is_three_pairs", bool, True, "F-9, 5050 §3", "six alike may also be named three pairs"),
    Option("converted_one_in_triple", bool, False, "F-17, 5050 §5", "turned and thrown ones make 1000 together"),
    Option("max_conversions", int, None, "F-18, 5050 §5", "pairs turned in one throw", low=0, high=3, nullable=True),
    Option(
        "first",
        int,
        0,
        "F-25, F-26, 5050 §1",
        "seat that begins, below players",
        low=0,
        high=SEATS - 1,
        examples=(1,),
    ),
)


def encode(options: Options) -> Setup:
    """Return the setup for these options; raises OptionError where the seat that begins does not play."""
    values = {name: 3 if value is None else int(value) for name, value in options.items()}
    seats = values.pop("players")
    if values["first"] >= seats:
        raise OptionError(
            f"5050: option first is {values['first']}; allowed: 0..{seats - 1} with {seats} players (F-26)", "first"
        )
    return Setup(seats=seats, **values)


GAME: Final = GameSpec(
    name="5050",
    title="5050",
    source="https://marjorie-wiki.de/wiki/5050",
    rules_version="1",
    min_players=2,
    max_players=SEATS,
    perfect_information=True,
    options=OPTIONS,
    encode=encode,
    state=State,
    setup=Setup,
    rules=Rules(
        begin=begin,
        player_to_act=player_to_act,
        roller=roller,
        legal=legal,
        refusal=refusal,
        chance_count=chance_count,
        chance_weight=chance_weight,
        chance_form=chance_form,
        outcome_of=outcome_of,
        apply=apply,
        winners=winners,
        scores=scores,
    ),
    notation=Notation(action_text, outcome_text, read_action, read_outcome),
    num_actions=lambda _o: NUM_ACTIONS,
    max_chance_outcomes=lambda _o: FIRST_THROW[7] - FIRST_THROW[6],
    max_length=lambda _o: None,
    events=EVENTS,
    refusals=REFUSALS,
    board=board,
    shown=shown,
)
