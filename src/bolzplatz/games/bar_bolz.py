"""Die Bar-Bolz-Bande: Das Würfelspiel (Amigo 2010, Fritz Behrens): the rules of one game, and all that is known of it.

Two players take turns at attacking: the attacker throws a die with the faces 5, 10, through pass, foul, offside and
penalty until the attack ends, and exactly 50 points are a goal. Two goals win a match, at once. Matches may form a
series of three or five, or a contest of two teams. The first half of this module is the compiled subset (`core.spec`);
options, notation and texts follow. Paragraphs (`bar-bolz §4`) are those of docs/rules/bar-bolz.*.md.
"""

import math
import re
from typing import Any, Final

from bolzplatz.core.declare import declare, layout_of, number, numbers
from bolzplatz.core.errors import OptionError, shorten
from bolzplatz.core.events import drain, emit, new_log
from bolzplatz.core.forms import dice
from bolzplatz.core.nodes import CHANCE, NOBODY, TERMINAL
from bolzplatz.core.spec import (
    Arg,
    EventKind,
    GameSpec,
    Notation,
    Option,
    Options,
    Refusal,
    Rules,
    Unreadable,
)

NAME: Final = "bar-bolz"
MAX_SIDE: Final = 8
MAX_MATCHES: Final = 2 * MAX_SIDE + 1
"""Sixteen matches of eight against eight, and the decider."""

GOAL_POINTS: Final = 50
DANGER_POINTS: Final = 30
"""From here on offside and penalty count."""
GOALS_TO_WIN: Final = 2

# What happens next. Below OFFER somebody throws.
ATTACK: Final = 0
REFEREE: Final = 1
SHOT: Final = 2
OFFER: Final = 3
OVER: Final = 4

# Faces of the die; at an attack roll they are the outcome ids. At the other two rolls only the colour counts.
FIVE: Final = 0
TEN: Final = 1
PASS: Final = 2
FOUL: Final = 3
OFFSIDE: Final = 4
PENALTY: Final = 5
WHITE: Final = 0
BLACK: Final = 1
POINTS: Final = (5, 10, 20)
DIE_FACES: Final = 6

TAKE: Final = 0
DECLINE: Final = 1

ALTERNATE: Final = 0
LOSER: Final = 1
WINNER: Final = 2
SAME: Final = 3

NO_SIDE: Final = -1

BY_POINTS: Final = 0
BY_PENALTY: Final = 1
BY_RED_CARD: Final = 0
BY_OFFSIDE: Final = 1
BY_MISS: Final = 2
ON_POINTS: Final = 0
ON_GOALS: Final = 1

# Kinds of events: their places in EVENTS.
E_ROLLED: Final = 0
E_FOUL: Final = 1
E_REFEREE: Final = 2
E_WARNING: Final = 3
E_YELLOW: Final = 4
E_RED: Final = 5
E_OFFSIDE_IGNORED: Final = 6
E_OFFSIDE: Final = 7
E_PENALTY_IGNORED: Final = 8
E_PENALTY_OFFERED: Final = 9
E_PENALTY_TAKEN: Final = 10
E_PENALTY_DECLINED: Final = 11
E_PENALTY_SCORED: Final = 12
E_PENALTY_MISSED: Final = 13
E_GOAL: Final = 14
E_PAST_GOAL: Final = 15
E_ATTACK_OVER: Final = 16
E_CHANGE: Final = 17
E_MATCH_WON: Final = 18
E_MATCH_STARTS: Final = 19
E_SERIES: Final = 20
E_SERIES_WON: Final = 21
E_TEAM_MATCH_STARTS: Final = 22
E_TEAM_POINTS: Final = 23
E_TEAM_GOALS: Final = 24
E_TEAM_WON: Final = 25
E_TEAM_TIE: Final = 26
E_DECIDER_STARTS: Final = 27
E_DECIDER_WON: Final = 28

# Reasons to refuse: their places in REFUSALS.
R_LEGAL: Final = 0
R_OVER: Final = 1
R_BELOW_30: Final = 2
R_NO_PENALTY: Final = 3
R_REFEREE_FIRST: Final = 4
R_SHOT_FIRST: Final = 5
R_NOT_ATTACKER: Final = 6
R_MUST_TAKE: Final = 7
R_NO_SUCH_ANSWER: Final = 8


@declare
class Setup:
    """The options as integers. Seats of side A come first; without teams seat 0 is side A and seat 1 side B."""

    seats: int = number(2, 2 * MAX_SIDE, "players")
    side_a: int = number(1, MAX_SIDE, "seats of side A")
    teams: int = number(0, 1, "1: team play")
    matches: int = number(1, 2 * MAX_SIDE, "matches of the series or of the team contest, without the decider")
    stop_when_decided: int = number(0, 1, "1: a series ends as soon as one player has more than half of it")
    penalty_optional: int = number(0, 1, "1: a penalty may be declined")
    next_starter: int = number(0, 3, "who attacks first in later matches: ALTERNATE, LOSER, WINNER, SAME")
    black: list[int] = numbers(0, 1, "1 for each black face of side A's die, then of side B's", length=2 * DIE_FACES)
    black_count: list[int] = numbers(1, 5, "number of black faces of each side's die", length=2)
    pairs: list[int] = numbers(
        0, 2 * MAX_SIDE - 1, "the seats of sides A and B in each match; the decider last", length=2 * MAX_MATCHES
    )


@declare
class State:
    """A position. How many matches have been played is `won[0] + won[1]`: no match can be drawn."""

    phase: int = number(0, 4, "what happens next: 0 attack roll, 1 referee, 2 penalty shot, 3 penalty offered, 4 over")
    attacker: int = number(0, 2 * MAX_SIDE - 1, "the seat that attacks")
    defender: int = number(0, 2 * MAX_SIDE - 1, "the seat that defends and is the referee")
    points: int = number(0, GOAL_POINTS - 5, "points of this attack")
    fouls: int = number(0, 2, "fouls of this attack: 1 means warned, 2 the yellow card")
    goals: list[int] = numbers(0, GOALS_TO_WIN, "goals of this match, by side", length=2)
    won: list[int] = numbers(0, MAX_MATCHES, "matches won, by side: the points of team play", length=2)
    team_goals: list[int] = numbers(0, 2 * MAX_MATCHES, "goals of finished team matches, by side", length=2)


# --- rules: the compiled subset ---------------------------------------------------------------------------------


def side_of(o: Setup, seat: int) -> int:
    """Return 0 for a seat of side A, 1 for side B."""
    return 1 if seat >= o.side_a else 0


def begin(s: State, o: Setup) -> None:
    """Let the first player of side A attack (bar-bolz §1)."""
    start_match(s, o, 0, None)


def start_match(s: State, o: Setup, first_side: int, log: Any) -> None:
    """Set up the next match: its two players, no goals, and the side that attacks first (bar-bolz §1, §8 to §10)."""
    at = 2 * (s.won[0] + s.won[1])
    s.goals[0] = 0
    s.goals[1] = 0
    s.attacker = o.pairs[at + first_side]
    s.defender = o.pairs[at + 1 - first_side]
    start_attack(s)
    number = at // 2 + 1
    if o.teams == 0:
        emit(log, E_MATCH_STARTS, s.attacker, number, s.defender, 0)
    elif number <= o.matches:
        emit(log, E_TEAM_MATCH_STARTS, s.attacker, number, s.defender, 0)
    else:
        emit(log, E_DECIDER_STARTS, s.attacker, s.defender, 0, 0)


def start_attack(s: State) -> None:
    """Begin an attack: no points, and both cards back in the middle (bar-bolz §6)."""
    s.phase = ATTACK
    s.points = 0
    s.fouls = 0


def player_to_act(s: State, o: Setup) -> int:
    """Only an offered penalty is a decision, the attacker's (bar-bolz §5); everything else is thrown."""
    phase = s.phase
    if phase < OFFER:
        return CHANCE
    return s.attacker if phase == OFFER else TERMINAL


def roller(s: State, o: Setup) -> int:
    """The attacker throws (bar-bolz §2); the defender only as the referee after a foul (bar-bolz §3)."""
    return s.defender if s.phase == REFEREE else s.attacker


def legal(s: State, o: Setup, seat: int, out: Any) -> int:
    """List the answers to an offered penalty (bar-bolz §5; §12 where it must be taken)."""
    if s.phase != OFFER or seat != s.attacker:
        return 0
    out[0] = TAKE
    if o.penalty_optional == 0:
        return 1
    out[1] = DECLINE
    return 2


def refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why an answer is not possible now (bar-bolz §3, §5, §7, §12)."""
    if s.phase == OVER:
        return R_OVER
    if s.phase == REFEREE:
        return R_REFEREE_FIRST
    if s.phase == SHOT:
        return R_SHOT_FIRST
    if s.phase == ATTACK:
        return R_BELOW_30 if s.points < DANGER_POINTS else R_NO_PENALTY
    if seat != s.attacker:
        return R_NOT_ATTACKER
    if action == TAKE:
        return R_LEGAL
    if action != DECLINE:
        return R_NO_SUCH_ANSWER
    return R_LEGAL if o.penalty_optional == 1 else R_MUST_TAKE


def chance_count(s: State, o: Setup) -> int:
    """Six faces for an attack (bar-bolz §2), two colours for referee and penalty shot (bar-bolz §3, §5)."""
    return DIE_FACES if s.phase == ATTACK else 2


def chance_weight(s: State, o: Setup, outcome: int) -> int:
    """Weigh faces equally, colours by the faces of the thrower's own die (bar-bolz §11)."""
    if s.phase == ATTACK:
        return 1
    black = o.black_count[side_of(o, roller(s, o))]
    return black if outcome == BLACK else DIE_FACES - black


def chance_form(s: State, o: Setup) -> int:
    """One six-sided die, always (bar-bolz §1)."""
    return dice(1, DIE_FACES)


def outcome_of(s: State, o: Setup, drawn: Any) -> int:
    """Map the face that came up to itself, or to its colour where only the colour counts (bar-bolz §3, §5, §11)."""
    face: int = drawn[0]
    if s.phase == ATTACK:
        return face
    return o.black[side_of(o, roller(s, o)) * DIE_FACES + face]


def apply(s: State, o: Setup, action: int, log: Any) -> None:
    """Carry out a throw or an answer (bar-bolz §2 to §5)."""
    phase = s.phase
    if phase == ATTACK:
        if action > PASS:
            roll_symbol(s, action, log)
            return
        points = s.points + POINTS[action]
        emit(log, E_ROLLED, s.attacker, action, points, 0)
        if points < GOAL_POINTS:
            s.points = points
        elif points == GOAL_POINTS:
            score_goal(s, o, BY_POINTS, log)
        else:
            emit(log, E_PAST_GOAL, s.attacker, points, 0, 0)
            change_attack(s, log)
    elif phase == REFEREE:
        judge_foul(s, action, log)
    elif phase == OFFER:
        answer_penalty(s, action, log)
    else:
        shoot_penalty(s, o, action, log)


def roll_symbol(s: State, face: int, log: Any) -> None:
    """Carry out an attack roll that adds no points: foul, offside or penalty (bar-bolz §3 to §5)."""
    emit(log, E_ROLLED, s.attacker, face, s.points, 0)
    if face == FOUL:
        emit(log, E_FOUL, s.attacker, s.fouls + 1, 0, 0)
        if s.fouls < 2:
            s.phase = REFEREE
        else:
            emit(log, E_RED, s.attacker, 0, 0, 0)
            forfeit_attack(s, BY_RED_CARD, log)
    elif face == OFFSIDE:
        if s.points < DANGER_POINTS:
            emit(log, E_OFFSIDE_IGNORED, s.attacker, s.points, 0, 0)
        else:
            emit(log, E_OFFSIDE, s.attacker, s.points, 0, 0)
            forfeit_attack(s, BY_OFFSIDE, log)
    elif s.points < DANGER_POINTS:
        emit(log, E_PENALTY_IGNORED, s.attacker, s.points, 0, 0)
    else:
        emit(log, E_PENALTY_OFFERED, s.attacker, s.points, 0, 0)
        s.phase = OFFER


def judge_foul(s: State, colour: int, log: Any) -> None:
    """Book the attacker for a first or second foul: black is red, white a warning, then yellow (bar-bolz §3)."""
    emit(log, E_REFEREE, s.defender, colour, 0, 0)
    if colour == BLACK:
        emit(log, E_RED, s.attacker, 0, 0, 0)
        forfeit_attack(s, BY_RED_CARD, log)
        return
    s.fouls += 1
    s.phase = ATTACK
    emit(log, E_WARNING if s.fouls == 1 else E_YELLOW, s.attacker, 0, 0, 0)


def answer_penalty(s: State, action: int, log: Any) -> None:
    """Take the penalty, or decline it and roll on as if nothing had been (bar-bolz §5)."""
    if action == TAKE:
        emit(log, E_PENALTY_TAKEN, s.attacker, 0, 0, 0)
        s.phase = SHOT
    else:
        emit(log, E_PENALTY_DECLINED, s.attacker, s.points, 0, 0)
        s.phase = ATTACK


def shoot_penalty(s: State, o: Setup, colour: int, log: Any) -> None:
    """Score on black, miss on white; the symbol means nothing (bar-bolz §5)."""
    if colour == BLACK:
        emit(log, E_PENALTY_SCORED, s.attacker, 0, 0, 0)
        score_goal(s, o, BY_PENALTY, log)
    else:
        emit(log, E_PENALTY_MISSED, s.attacker, 0, 0, 0)
        forfeit_attack(s, BY_MISS, log)


def forfeit_attack(s: State, why: int, log: Any) -> None:
    """End an attack whose points are lost (bar-bolz §6)."""
    emit(log, E_ATTACK_OVER, s.attacker, s.points, why, 0)
    change_attack(s, log)


def change_attack(s: State, log: Any) -> None:
    """Let the other player attack, with no points and no cards (bar-bolz §6)."""
    attacker = s.defender
    s.defender = s.attacker
    s.attacker = attacker
    start_attack(s)
    emit(log, E_CHANGE, attacker, 0, 0, 0)


def score_goal(s: State, o: Setup, how: int, log: Any) -> None:
    """Count a goal; the second one wins the match without a reply (bar-bolz §2, §7)."""
    side = side_of(o, s.attacker)
    s.goals[side] += 1
    emit(log, E_GOAL, s.attacker, how, s.goals[side], s.goals[1 - side])
    if s.goals[side] < GOALS_TO_WIN:
        change_attack(s, log)
    else:
        finish_match(s, o, side, log)


def finish_match(s: State, o: Setup, side: int, log: Any) -> None:
    """Count a won match, then end the contest or start the next match (bar-bolz §7 to §10)."""
    emit(log, E_MATCH_WON, s.attacker, s.goals[side], s.goals[1 - side], s.defender)
    s.won[side] += 1
    start_attack(s)
    if o.teams == 1:
        s.team_goals[0] += s.goals[0]
        s.team_goals[1] += s.goals[1]
        emit(log, E_TEAM_POINTS, NOBODY, s.won[0], s.won[1], 0)
        emit(log, E_TEAM_GOALS, NOBODY, s.team_goals[0], s.team_goals[1], 0)
    elif o.matches > 1:
        emit(log, E_SERIES, 0, s.won[0], s.won[1], 1)
    if contest_over(s, o):
        s.phase = OVER
        announce_winner(s, o, log)
        return
    if s.won[0] + s.won[1] == o.matches:
        emit(log, E_TEAM_TIE, NOBODY, s.won[0], s.team_goals[0], 0)
    start_match(s, o, next_first_side(s, o, side), log)


def contest_over(s: State, o: Setup) -> bool:
    """Say whether a finished match was the last: of a series (bar-bolz §8) or between teams (bar-bolz §9, §10)."""
    if o.teams == 0 and o.stop_when_decided == 1 and 2 * max(s.won[0], s.won[1]) > o.matches:
        return True
    return s.won[0] + s.won[1] >= o.matches and leading_side(s) != NO_SIDE


def leading_side(s: State) -> int:
    """Return the side with more matches won, then with more goals in team play, or NO_SIDE (bar-bolz §9).

    At equal points both sides won equally many matches by two goals each, so that difference, quotient and number of
    goals order the teams alike.
    """
    if s.won[0] != s.won[1]:
        return 0 if s.won[0] > s.won[1] else 1
    if s.team_goals[0] != s.team_goals[1]:
        return 0 if s.team_goals[0] > s.team_goals[1] else 1
    return NO_SIDE


def next_first_side(s: State, o: Setup, winner: int) -> int:
    """Return the side that attacks first in the match after one that side `winner` won (bar-bolz §8)."""
    if o.next_starter == ALTERNATE:
        return (s.won[0] + s.won[1]) % 2
    if o.next_starter == LOSER:
        return 1 - winner
    return winner if o.next_starter == WINNER else 0


def announce_winner(s: State, o: Setup, log: Any) -> None:
    """Record how a series or a team contest ended (bar-bolz §8 to §10); a single match needs no more words."""
    side = leading_side(s)
    if o.teams == 1:
        if s.won[0] + s.won[1] > o.matches:
            emit(log, E_DECIDER_WON, NOBODY, side, 0, 0)
        else:
            emit(log, E_TEAM_WON, NOBODY, side, ON_GOALS if s.won[0] == s.won[1] else ON_POINTS, 0)
    elif o.matches > 1:
        emit(log, E_SERIES_WON, side, s.won[side], s.won[1 - side], 1 - side)


def winners(s: State, o: Setup, out: Any) -> None:
    """Mark every seat of the winning side (bar-bolz §7 to §10)."""
    side = leading_side(s) if s.phase == OVER else NO_SIDE
    for seat in range(o.seats):
        out[seat] = 1 if side_of(o, seat) == side else 0


def scores(s: State, o: Setup, out: Any) -> None:
    """Goals of a single match (bar-bolz §7), matches won in a series (bar-bolz §8) and by the side in a team (§9)."""
    for seat in range(o.seats):
        side = side_of(o, seat)
        out[seat] = s.goals[side] if o.matches == 1 else s.won[side]


# --- options ----------------------------------------------------------------------------------------------------

FACES: Final = ("5", "10", "pass", "foul", "offside", "penalty")
COLOURS: Final = ("white", "black")
ANSWERS: Final = ("take", "decline")
_STARTERS: Final = ("alternate", "loser", "winner", "same")

OPTIONS: Final = (
    Option("series", int, 1, "B-15, bar-bolz §8", "how many matches two players play", choices=(1, 3, 5)),
    Option("stop_when_decided", bool, True, "B-15, bar-bolz §8", "a series ends once nobody can catch up"),
    Option(
        "black_faces",
        str,
        "5,foul,offside",
        "B-1, B-2, bar-bolz §11",
        "the dark faces of the die; two lists joined by / where the dice differ: side A's, then side B's",
        form="1 to 5 of 5,10,foul,offside,penalty with 5 among them",
        examples=("5", "5,10,foul,offside,penalty", "5,penalty/5,10,foul"),
    ),
    Option("penalty_optional", bool, True, "B-5, bar-bolz §5", "a penalty may be declined"),
    Option(
        "next_starter",
        str,
        "alternate",
        "B-14, B-20, bar-bolz §8",
        "who attacks first in later matches: the sides in turn, the last match's loser or winner, or always side A",
        choices=_STARTERS,
    ),
    Option(
        "teams",
        str,
        None,
        "bar-bolz §9",
        "team play: the sizes of sides A and B; the seats of A come first",
        nullable=True,
        form="two sizes from 1 to 8 with at least three players, such as 2v2",
        examples=("2v2", "1v2", "3v2"),
    ),
    Option("allow_uneven", bool, True, "B-17, bar-bolz §9", "teams may differ in size"),
    Option(
        "schedule",
        str,
        None,
        "B-16, bar-bolz §9",
        "team play: who meets whom in which match; none: every player of A meets those of B in turn",
        nullable=True,
        form="as many pairs of seats as there are players, such as 0v2,1v3,0v3,1v2",
        examples=("0v2,1v3,0v3,1v2", "0v1,0v2,0v1"),
    ),
    Option(
        "decider",
        str,
        None,
        "B-19, bar-bolz §10",
        "team play: who plays the decider; none: the first player of each side",
        nullable=True,
        form="a pair of seats such as 0v2",
        examples=("1v3", "0v2"),
    ),
)


def _refuse_option(options: Options, name: str, reason: str) -> OptionError:
    ruling = next(option.ruling for option in OPTIONS if option.name == name)
    return OptionError(f"{NAME}: option {name} is {shorten(options[name])}; {reason} ({ruling})", name)


def encode(options: Options) -> Setup:
    """Turn options into the setup; raises OptionError where they do not fit together."""
    a, b = _team_sizes(options)
    dice_faces = _black_faces(options)
    teams = options["teams"] is not None
    return Setup(
        seats=a + b,
        side_a=a,
        teams=int(teams),
        matches=a + b if teams else int(options["series"] or 1),
        stop_when_decided=int(bool(options["stop_when_decided"])),
        penalty_optional=int(bool(options["penalty_optional"])),
        next_starter=_STARTERS.index(str(options["next_starter"])),
        black=[int(face in faces) for faces in dice_faces for face in range(DIE_FACES)],
        black_count=[len(faces) for faces in dice_faces],
        pairs=_pairs(options, a, b),
    )


def _team_sizes(options: Options) -> tuple[int, int]:
    """Return the sizes of sides A and B, 1 and 1 without teams."""
    teams = options["teams"]
    if teams is None:
        for name in ("schedule", "decider"):
            if options[name] is not None:
                raise _refuse_option(options, name, "it belongs to team play: give teams as well")
        return 1, 1
    sizes = re.fullmatch(r"([1-8])v([1-8])", str(teams))
    if not sizes:
        raise _refuse_option(options, "teams", "two sizes from 1 to 8 are expected, such as 2v2")
    a, b = int(sizes[1]), int(sizes[2])
    if a + b < 3:
        raise _refuse_option(options, "teams", "team play needs at least three players")
    if options["series"] != 1:
        raise _refuse_option(options, "teams", f"teams play no series (series is {options['series']})")
    if a != b and not options["allow_uneven"]:
        raise _refuse_option(options, "teams", "the sides differ in size and allow_uneven is false")
    return a, b


def _black_faces(options: Options) -> list[list[int]]:
    """Return the black faces of side A's die and of side B's."""
    lists = str(options["black_faces"]).split("/")
    if len(lists) > 2:
        raise _refuse_option(options, "black_faces", "at most two lists, for there are two dice")
    found = [[_face(options, name.strip()) for name in text.split(",")] for text in lists]
    for faces in found:
        if len(set(faces)) != len(faces):
            raise _refuse_option(options, "black_faces", "a face is named twice")
        if PASS in faces:
            raise _refuse_option(options, "black_faces", "the through pass is white")
        if FIVE not in faces:
            raise _refuse_option(options, "black_faces", "the 5 is black on every die and must be named")
    return [found[0], found[-1]]


def _face(options: Options, name: str) -> int:
    name = "pass" if name == "through_pass" else name
    if name not in FACES:
        raise _refuse_option(options, "black_faces", f"{name!r} is no face; faces: {', '.join(FACES)}")
    return FACES.index(name)


def _pairs(options: Options, a: int, b: int) -> list[int]:
    """Return the seats of A and B in each match, the decider last, flat, filled up to MAX_MATCHES pairs."""
    if options["teams"] is None:
        return [0, 1] * MAX_MATCHES
    if options["schedule"] is None:
        pairs = default_schedule(a, b)
    else:
        pairs = [_pair(options, "schedule", text, a, b) for text in str(options["schedule"]).split(",")]
        if len(pairs) != a + b:
            raise _refuse_option(options, "schedule", f"{a + b} players play {a + b} matches, not {len(pairs)}")
    pairs.append((0, a) if options["decider"] is None else _pair(options, "decider", str(options["decider"]), a, b))
    unused = [0] * (2 * (MAX_MATCHES - len(pairs)))
    return [seat for pair in pairs for seat in pair] + unused


def default_schedule(a: int, b: int) -> list[tuple[int, int]]:
    """Return the pairings of a against b players: both sides in rotation, shifted when they would repeat.

    >>> default_schedule(2, 2)
    [(0, 2), (1, 3), (0, 3), (1, 2)]
    """
    round_length = math.lcm(a, b)
    return [(i % a, a + (i + i // round_length) % b) for i in range(a + b)]


def _pair(options: Options, name: str, text: str, a: int, b: int) -> tuple[int, int]:
    """Read `0v2`: one seat of each side, in either order."""
    seats = re.fullmatch(r"([0-9]{1,2})v([0-9]{1,2})", text.strip())
    if not seats:
        raise _refuse_option(options, name, f"{text.strip()!r} is no pair of seats; one looks like 0v{a}")
    first, second = sorted((int(seats[1]), int(seats[2])))
    if not first < a <= second < a + b:
        raise _refuse_option(
            options, name, f"{text.strip()!r} must name one of A's seats 0..{a - 1} and one of B's {a}..{a + b - 1}"
        )
    return first, second


# --- notation ---------------------------------------------------------------------------------------------------


def _outcome_names(s: State) -> tuple[str, ...]:
    if s.phase == REFEREE:
        return tuple(f"referee {colour}" for colour in COLOURS)
    if s.phase == SHOT:
        return tuple(f"shot {colour}" for colour in COLOURS)
    return FACES


def action_text(_s: State, _o: Setup, _seat: int, action: int) -> str:
    """Write an answer to a penalty."""
    return ANSWERS[action]


def outcome_text(s: State, _o: Setup, outcome: int) -> str:
    """Write a throw."""
    return _outcome_names(s)[outcome]


def read_action(_s: State, _o: Setup, _seat: int, text: str) -> int:
    """Read an answer to a penalty, whether it is asked for or not."""
    if text not in ANSWERS:
        raise Unreadable(f"the only answers in this game are {' and '.join(ANSWERS)}")
    return ANSWERS.index(text)


_AWAITED: Final = {
    ATTACK: "the attacker throws for the attack",
    REFEREE: "the defender throws as the referee",
    SHOT: "the attacker shoots the penalty",
    OFFER: "the attacker answers whether to take the penalty",
    OVER: "the match is over",
}


def read_outcome(s: State, _o: Setup, text: str) -> int:
    """Read a throw of the kind that is due."""
    names = _outcome_names(s)
    if s.phase >= OFFER or text not in names:
        raise Unreadable(_AWAITED[s.phase])
    return names.index(text)


def face_text(_s: State, _o: Setup, drawn: int) -> str:
    """Name the face that came up, at every roll."""
    return FACES[drawn]


# --- what people and programs read ------------------------------------------------------------------------------

CARDS: Final = ("none", "warning", "yellow")
_NEXT: Final = ("attack_roll", "referee_roll", "penalty_shot", "penalty_choice", "over")

_face_arg = Arg("face", FACES.__getitem__)
_total = Arg("total")
_other = Arg("other")
_side = Arg("side", "AB".__getitem__)

EVENTS: Final = (
    EventKind("rolled", "bar-bolz §2", (_face_arg, _total)),
    EventKind("foul", "bar-bolz §3", (Arg("number"),)),
    EventKind("referee_rolled", "bar-bolz §3", (Arg("colour", COLOURS.__getitem__),)),
    EventKind("warning", "bar-bolz §3"),
    EventKind("yellow_card", "bar-bolz §3"),
    EventKind("red_card", "bar-bolz §3"),
    EventKind("offside_ignored", "bar-bolz §4", (_total,)),
    EventKind("offside", "bar-bolz §4", (_total,)),
    EventKind("penalty_ignored", "bar-bolz §5", (_total,)),
    EventKind("penalty_offered", "bar-bolz §5", (_total,)),
    EventKind("penalty_taken", "bar-bolz §5"),
    EventKind("penalty_declined", "bar-bolz §5", (_total,)),
    EventKind("penalty_scored", "bar-bolz §5"),
    EventKind("penalty_missed", "bar-bolz §5"),
    EventKind("goal", "bar-bolz §2", (Arg("how", ("fifty", "penalty_shot").__getitem__), Arg("own"), Arg("against"))),
    EventKind("past_goal", "bar-bolz §2", (_total,)),
    EventKind(
        "attack_over",
        "bar-bolz §6",
        (Arg("forfeited"), Arg("why", ("red_card", "offside", "penalty_missed").__getitem__)),
    ),
    EventKind("attack_changes", "bar-bolz §6"),
    EventKind("match_won", "bar-bolz §7", (Arg("own"), Arg("against"), _other)),
    EventKind("match_starts", "bar-bolz §8", (Arg("number"), _other)),
    EventKind("series_standing", "bar-bolz §8", (Arg("own"), Arg("against"), _other)),
    EventKind("series_won", "bar-bolz §8", (Arg("own"), Arg("against"), _other)),
    EventKind("team_match_starts", "bar-bolz §9", (Arg("number"), _other)),
    EventKind("team_points", "bar-bolz §9", (Arg("a"), Arg("b"))),
    EventKind("team_goals", "bar-bolz §9", (Arg("a"), Arg("b"))),
    EventKind("team_won", "bar-bolz §9", (_side, Arg("how", ("on_points", "on_goals").__getitem__))),
    EventKind("team_tie", "bar-bolz §10", (Arg("points"), Arg("goals"))),
    EventKind("decider_starts", "bar-bolz §10", (_other,)),
    EventKind("decider_won", "bar-bolz §10", (_side,)),
)

REFUSALS: Final = (
    Refusal("legal", "bar-bolz §5", "nothing stands against it"),
    Refusal("over", "bar-bolz §7", "the last match is won, the game is over"),
    Refusal("below_30", "bar-bolz §5", "there is no penalty below 30 points; the attacker rolls on"),
    Refusal("no_penalty", "bar-bolz §5", "no penalty has been rolled; the attacker rolls on"),
    Refusal("referee_first", "bar-bolz §3", "after a foul the defender throws as the referee first"),
    Refusal("shot_first", "bar-bolz §5", "the penalty has been taken and must be shot now"),
    Refusal("not_attacker", "bar-bolz §5", "only the attacker answers whether the penalty is taken"),
    Refusal("must_take", "bar-bolz §12", "a penalty must be taken here: the option penalty_optional is off"),
    Refusal("no_such_answer", "bar-bolz §5", "a penalty can only be taken or declined"),
)


def match_number(s: State) -> int:
    """Return the number of the current match, from 1; of the last one when all is over."""
    finished = s.won[0] + s.won[1]
    return finished if s.phase == OVER else finished + 1


def outcomes_now(s: State, o: Setup) -> dict[str, list[str]]:
    """Return for each throw that may come up now the names of the events that it would bring, told by the rules."""
    if s.phase >= OFFER:
        return {}
    log = new_log()
    found = {}
    for outcome in range(chance_count(s, o)):
        after = layout_of(State).copy(s)
        apply(after, o, outcome, log)
        found[outcome_text(s, o, outcome)] = [EVENTS[event.kind].name for event in drain(log, 0)]
    return found


def shown(s: State, o: Setup) -> dict[str, Any]:
    """Return what a page shows; all seats see the same. Pairs of numbers are side A's, then side B's.

    Keys: attacker, defender (seats); points, fouls, card (`none`, `warning`, `yellow`), danger (30 points reached);
    goals; match (from 1), matches (planned), won, team_goals; pairings and decider (pairs of seats; empty and None
    without teams), deciding; black_faces of both dice; next (`attack_roll`, `referee_roll`, `penalty_shot`,
    `penalty_choice`, `over`); outcomes (see `outcomes_now`).
    """
    pairs = [[o.pairs[2 * i], o.pairs[2 * i + 1]] for i in range(o.matches + 1)]
    return {
        "attacker": s.attacker,
        "defender": s.defender,
        "points": s.points,
        "fouls": s.fouls,
        "card": CARDS[s.fouls],
        "danger": s.points >= DANGER_POINTS,
        "goals": list(s.goals),
        "match": match_number(s),
        "matches": o.matches,
        "won": list(s.won),
        "team_goals": list(s.team_goals),
        "pairings": pairs[:-1] if o.teams else [],
        "decider": pairs[-1] if o.teams else None,
        "deciding": match_number(s) > o.matches,
        "black_faces": [[face for i, face in enumerate(FACES) if o.black[side * DIE_FACES + i]] for side in (0, 1)],
        "next": _NEXT[s.phase],
        "outcomes": outcomes_now(s, o),
    }


def board(s: State, o: Setup) -> str:
    """Draw the position: both players with their goals, the run-up to 50, fouls and card, and what comes next."""
    lines = [_heading(s, o)]
    for side in (0, 1):
        seat = s.attacker if side_of(o, s.attacker) == side else s.defender
        mark = ">" if seat == s.attacker and s.phase != OVER else " "
        goals = s.goals[side]
        balls = "o" * goals + "." * (GOALS_TO_WIN - goals)
        team = f" (team {'AB'[side]})" if o.teams else ""
        lines.append(f"{mark} seat {seat}{team}  [{balls}]  {goals} goal{'' if goals == 1 else 's'}")
    if s.phase != OVER:
        lines.append(f"  {_run_up(s.points)}  {s.points} points")
        lines.append(f"  fouls: {s.fouls}, card: {CARDS[s.fouls]}")
    return "\n".join([*lines, f"  {_prompt(s, o)}"])


def _heading(s: State, o: Setup) -> str:
    if o.matches == 1:
        return "Bar-Bolz-Bande"
    number = match_number(s)
    part = "decider" if number > o.matches else f"match {number} of {o.matches}"
    if o.teams:
        return f"Bar-Bolz-Bande, {part} (points {s.won[0]}:{s.won[1]}, goals {s.team_goals[0]}:{s.team_goals[1]})"
    return f"Bar-Bolz-Bande, {part} (won {s.won[0]}:{s.won[1]})"


def _run_up(points: int) -> str:
    """Draw the way to the goal, one sign for 5 points; from the `|` on offside and penalty count."""
    cells = ["=" if points >= 5 * step else "." for step in range(1, GOAL_POINTS // 5)]
    cells.insert(DANGER_POINTS // 5 - 1, "|")
    return f"0 [{''.join(cells)}] {GOAL_POINTS}"


def _prompt(s: State, o: Setup) -> str:
    if s.phase == REFEREE:
        return f"foul! seat {s.defender} throws as the referee"
    if s.phase == SHOT:
        return f"seat {s.attacker} shoots the penalty"
    if s.phase == OFFER:
        return f"penalty! seat {s.attacker}: {' or '.join(ANSWERS if o.penalty_optional else ANSWERS[:1])}"
    if s.phase == ATTACK:
        return f"seat {s.attacker} attacks and throws"
    side = leading_side(s)
    return f"team {'AB'[side]} wins" if o.teams else f"seat {side} wins"


GAME: Final = GameSpec(
    name=NAME,
    title="Die Bar-Bolz-Bande: Das Würfelspiel",
    source="Amigo 2010, Fritz Behrens",
    rules_version="1",
    min_players=2,
    max_players=2 * MAX_SIDE,
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
    num_actions=lambda _o: len(ANSWERS),
    max_chance_outcomes=lambda _o: DIE_FACES,
    max_length=lambda _o: None,  # ignored faces may come up for ever
    events=EVENTS,
    refusals=REFUSALS,
    board=board,
    shown=shown,
    face_text=face_text,
)
