"""What a position in GOOAAAAAL! is worth: expectimax over the rest of the period, in whole numbers.

The own dice are followed up to the end of the period: how many balls, keepers and jokers come up in each throw, and
which of them are laid. Dice are taken to be alike and independent, with the average faces of all dice of the game; free
re-throws raise the chances a little. The opponent is not searched: each of its dice ends up as a ball, as a keeper or
as nothing, as if it laid whatever comes; so do those of the other pairs where teams play. What the count would bring is
turned into the chance to win the game, by the tables in gooaaaaal.toml. In a ring goals count as such, and those let in
half.

All functions but `_worths` belong to the compiled subset. Their tables lie in the work memory behind the legal actions.
"""

import tomllib
from importlib.resources import files
from math import factorial
from typing import Any, Final

from bolzplatz.games.gooaaaaal.decisions import joker_choice, joker_face
from bolzplatz.games.gooaaaaal.flow import line_goals, side_goals, throws_to_come
from bolzplatz.games.gooaaaaal.state import (
    BALL,
    BALL_PLACED,
    FACES,
    FIRST,
    FIVE_GOALS,
    GOALS_TO_WIN,
    JOKER,
    KEEPER,
    KEEPER_PLACED,
    LAST_LYING,
    LOOSE,
    MAX_DICE,
    OFFSIDE_ASIDE,
    QUARTER,
    RED,
    Setup,
    State,
    count_dice,
    facing,
    lying_dice,
    side_of,
)
from bolzplatz.games.gooaaaaal.throws import waiting_quarter

NONE: Final = -1
"""No action."""
ONE: Final = 1 << 16
"""A chance of one, a win, or a goal in a ring."""
WIDTH: Final = MAX_DICE + 1
FACTORIAL: Final = tuple(factorial(n) for n in range(WIDTH))

# Where the tables lie, counted from `o.actions`. Grids have WIDTH rows and columns.
SCORE: Final = 0
"""Worth of a period that ends i:j, at SCORE + i * WIDTH + j."""
LINE: Final = 100
"""Worth of the line with b more balls and k more keepers; another grid for the right line of a ring."""
VALUE: Final = 300
"""The same for all lines, with t throws to come at VALUE + t * WIDTH * WIDTH."""
POWERS: Final = 600
"""Powers of the chances that a die of the own shows a ball, a keeper, a joker, or something else."""
THEIRS: Final = 640
"""Powers of the chances that a die of the opponent ends up as a ball on the line, a keeper, or something else."""
MATES: Final = 670
"""The same of a member of the own team."""
PAIR: Final = 700
"""The chance that a member of the own team scores i goals and the player opposite j, at PAIR + i * WIDTH + j."""
OUTLOOK_ROOM: Final = 800

SPREAD: Final = 6
"""Leads in a match are told apart up to this."""
TEAM_LEAD: Final = (0, 100, 71, 58, 50)
"""What a goal's lead is worth to teams of so many, in hundredths: more lines bring more luck, by the square root."""
GAIN_FOUR: Final = 12
GAIN_NINE: Final = 30
"""By how many percent free re-throws raise the chance of a face."""
DIE_GOALS: Final = 40
"""What a die is worth to its owner in a period, in hundredths of a goal."""


def _worths(kind: str) -> tuple[int, ...]:
    """Read one of the tables of worths, for four dice and then for nine, as one row of numbers out of ONE."""
    data = tomllib.loads((files("bolzplatz.bots") / "gooaaaaal.toml").read_text(encoding="utf-8"))
    return tuple(round(ONE * number) for dice in ("four", "nine") for row in data[kind][dice] for number in row)


FIVE_WORTH: Final = _worths("five-goals")
"""Chance to win with i own goals and j others, at ((nine * 5 + i) * 5 + j) * 2 + (1 if the own side begins)."""
HALF_WORTH: Final = _worths("second-half")
"""Chance to win before the second half with a lead of d, at (nine * 13 + d + SPREAD) * 2 + (1 if one begins)."""


# --- tables -----------------------------------------------------------------------------------------------------


def fill_tables(v: State, o: Setup, seat: int, memory: Any) -> None:
    """Work out what the rest of the period is worth to a seat for all that it may still lay."""
    fill_scores(v, o, seat, memory)
    fill_chances(o, memory)
    for line in range(o.lines):
        fill_line(v, o, seat, line, memory)
    dice = lying_dice(v, o, seat)
    fill_values(o, dice, memory)
    for throw in range(1, throws_to_come(v, o, seat) + 1):
        for balls in range(dice + 1):
            for keepers in range(dice + 1 - balls):
                at = o.actions + VALUE + (throw * WIDTH + balls) * WIDTH + keepers
                memory[at] = throw_worth(o, throw, balls, keepers, dice, memory)


def fill_scores(v: State, o: Setup, seat: int, memory: Any) -> None:
    """Note what each result of the count is worth, the penalties that wait included: each is a goal half the time."""
    side = side_of(o, seat)
    for mine in range(WIDTH):
        for theirs in range(WIDTH):
            memory[o.actions + SCORE + mine * WIDTH + theirs] = score_worth(v, o, side, mine, theirs)
    for other in range(o.seats):
        for _ in range(min(v.penalties[other], SPREAD)):
            if side_of(o, other) == side or o.ring == 0:
                add_penalty(o, side_of(o, other) == side, memory)
    for mate in range(side * o.members, (side + 1) * o.members):
        if mate != seat:
            add_pair(v, o, mate, memory)


def add_penalty(o: Setup, own: bool, memory: Any) -> None:
    """Let one more goal fall half the time."""
    step = WIDTH if own else 1
    for mine in range(WIDTH - 1):
        for theirs in range(WIDTH - 1):
            at = o.actions + SCORE + mine * WIDTH + theirs
            memory[at] = (memory[at] + memory[at + step]) // 2


def add_pair(v: State, o: Setup, mate: int, memory: Any) -> None:
    """Let the goals fall that another member of the team and the player opposite may still come to."""
    fill_pair(v, o, mate, memory)
    at = o.actions + PAIR
    for mine in range(WIDTH):
        for theirs in range(WIDTH):
            worth = 0
            for more in range(WIDTH):
                for against in range(WIDTH):
                    chance = memory[at + more * WIDTH + against]
                    if chance > 0:
                        cell = min(mine + more, MAX_DICE) * WIDTH + min(theirs + against, MAX_DICE)
                        worth += chance * memory[o.actions + SCORE + cell] // ONE
            memory[o.actions + SCORE + mine * WIDTH + theirs] = worth


def fill_pair(v: State, o: Setup, mate: int, memory: Any) -> None:
    """Note how likely each result of another pair is, as if both laid whatever comes."""
    other = facing(o, mate, 0)
    fill_laid_chances(v, o, mate, o.actions + MATES, memory)
    fill_laid_chances(v, o, other, o.actions + THEIRS, memory)
    ahead = count_dice(v, o, mate, BALL_PLACED) - count_dice(v, o, other, KEEPER_PLACED)
    behind = count_dice(v, o, other, BALL_PLACED) - count_dice(v, o, mate, KEEPER_PLACED)
    free = lying_dice(v, o, mate)
    their_free = lying_dice(v, o, other)
    at = o.actions + PAIR
    for cell in range(WIDTH * WIDTH):
        memory[at + cell] = 0
    for balls in range(free + 1):
        for keepers in range(free + 1 - balls):
            chance = laid_chance(free, balls, keepers, o.actions + MATES, memory)
            for their_balls in range(their_free + 1 if chance > 0 else 0):
                for their_keepers in range(their_free + 1 - their_balls):
                    both = chance * laid_chance(their_free, their_balls, their_keepers, o.actions + THEIRS, memory)
                    mine = max(0, min(MAX_DICE, ahead + balls - their_keepers))
                    theirs = max(0, min(MAX_DICE, behind + their_balls - keepers))
                    memory[at + mine * WIDTH + theirs] += both // ONE


def score_worth(v: State, o: Setup, side: int, mine: int, theirs: int) -> int:
    """Return the chance to win after a period that ends mine:theirs, or in a ring the goals."""
    if o.ring == 1:
        return mine * ONE - theirs * ONE // 2
    mine += side_goals(v, o, side)
    theirs += side_goals(v, o, 1 - side)
    begins = 1 if v.starter != side else 0
    if o.mode != FIVE_GOALS:
        if v.stage != FIRST:
            return ONE if mine > theirs else ONE // 2 if mine == theirs else 0
        return lead_worth(o, mine - theirs, begins)
    if mine != theirs and max(mine, theirs) >= GOALS_TO_WIN:
        return ONE if mine > theirs else 0
    if mine >= GOALS_TO_WIN:
        mine = GOALS_TO_WIN - 1
        theirs = GOALS_TO_WIN - 1
    return FIVE_WORTH[((o.bonus * GOALS_TO_WIN + mine) * GOALS_TO_WIN + theirs) * 2 + begins]


def lead_worth(o: Setup, lead: int, begins: int) -> int:
    """Return the chance to win with a lead before the second half; in a team it counts as 1 / sqrt(members) of it."""
    scaled = max(-100 * SPREAD, min(100 * SPREAD - 1, lead * TEAM_LEAD[o.members]))
    whole = scaled // 100
    at = ((2 * SPREAD + 1) * o.bonus + whole + SPREAD) * 2 + begins
    return HALF_WORTH[at] + (HALF_WORTH[at + 2] - HALF_WORTH[at]) * (scaled - 100 * whole) // 100


def face_chance(o: Setup, face: int) -> int:
    """Return the average chance of a face over all dice."""
    sides = 0
    faces = 0
    for die in range(o.dice):
        sides += o.die_sides[die]
        for kind in range(o.kinds[die]):
            if o.kind_face[die * FACES + kind] == face:
                faces += o.kind_weight[die * FACES + kind]
    return ONE * faces // sides


def gained_chance(o: Setup, face: int) -> int:
    """Return the chance of a face with free re-throws counted in."""
    return face_chance(o, face) * (100 + (GAIN_NINE if o.bonus == 1 else GAIN_FOUR)) // 100


def fill_powers(chance: int, at: int, memory: Any) -> None:
    """Note the powers of a chance, from 0 up to the number of dice."""
    power = ONE
    for n in range(WIDTH):
        memory[at + n] = power
        power = power * chance // ONE


def fill_chances(o: Setup, memory: Any) -> None:
    """Note the powers of the chances of an own die."""
    ball = gained_chance(o, BALL)
    keeper = gained_chance(o, KEEPER)
    joker = gained_chance(o, JOKER)
    at = o.actions + POWERS
    fill_powers(ball, at, memory)
    fill_powers(keeper, at + WIDTH, memory)
    fill_powers(joker, at + 2 * WIDTH, memory)
    fill_powers(ONE - ball - keeper - joker, at + 3 * WIDTH, memory)


def fill_line(v: State, o: Setup, seat: int, line: int, memory: Any) -> None:
    """Note what a line is worth with b more balls and k more keepers, over all that the opponent may end up with."""
    other = facing(o, seat, line)
    mirror = 1 - line if o.ring == 1 else 0
    free = lying_dice(v, o, other)
    fill_laid_chances(v, o, other, o.actions + THEIRS, memory)
    ahead = count_dice(v, o, seat, BALL_PLACED + line) - count_dice(v, o, other, KEEPER_PLACED + mirror)
    behind = count_dice(v, o, other, BALL_PLACED + mirror) - count_dice(v, o, seat, KEEPER_PLACED + line)
    if o.offside_at_count == 1:
        ahead -= count_dice(v, o, other, OFFSIDE_ASIDE)
        behind -= count_dice(v, o, seat, OFFSIDE_ASIDE)
    at = o.actions + LINE + line * WIDTH * WIDTH
    for cell in range(WIDTH * WIDTH):
        memory[at + cell] = 0
    dice = lying_dice(v, o, seat)
    for balls in range(free + 1):
        for keepers in range(free + 1 - balls):
            chance = laid_chance(free, balls, keepers, o.actions + THEIRS, memory)
            if chance > 0:
                add_ending(o, dice, ahead - keepers, behind + balls, chance, at, memory)


def add_ending(o: Setup, dice: int, ahead: int, behind: int, chance: int, at: int, memory: Any) -> None:
    """Add one way the opponent may end up to the worth of a line, for all that may be laid oneself."""
    for balls in range(dice + 1):
        mine = max(0, min(MAX_DICE, ahead + balls))
        for keepers in range(dice + 1 - balls):
            theirs = max(0, min(MAX_DICE, behind - keepers))
            memory[at + balls * WIDTH + keepers] += chance * memory[o.actions + SCORE + mine * WIDTH + theirs] // ONE


def fill_laid_chances(v: State, o: Setup, seat: int, at: int, memory: Any) -> None:
    """Note the powers of the chances that a die of a seat is laid on this line in the throws that it has left."""
    joker = gained_chance(o, JOKER) // 2
    ball = gained_chance(o, BALL) + joker
    keeper = gained_chance(o, KEEPER) + joker
    left = 0
    once = ONE
    for _ in range(throws_to_come(v, o, seat)):
        left += once
        once = once * (ONE - ball - keeper) // ONE
    ball = ball * left // ONE // o.lines
    keeper = keeper * left // ONE // o.lines
    fill_powers(ball, at, memory)
    fill_powers(keeper, at + WIDTH, memory)
    fill_powers(ONE - ball - keeper, at + 2 * WIDTH, memory)


def laid_chance(free: int, balls: int, keepers: int, at: int, memory: Any) -> int:
    """Return the chance that of so many free dice these are laid as balls and keepers, by the powers that lie there."""
    rest = free - balls - keepers
    chance = memory[at + balls] * memory[at + WIDTH + keepers] // ONE * memory[at + 2 * WIDTH + rest] // ONE
    ways: int = chance * FACTORIAL[free] // (FACTORIAL[balls] * FACTORIAL[keepers] * FACTORIAL[rest])
    return ways


def fill_values(o: Setup, dice: int, memory: Any) -> None:
    """Note what all lines are worth at the count; in a ring balls and keepers are split in the best way."""
    for balls in range(dice + 1):
        for keepers in range(dice + 1 - balls):
            split = best_split(o, balls, keepers, memory)
            memory[o.actions + VALUE + balls * WIDTH + keepers] = split_worth(o, balls, keepers, split, memory)


def split_worth(o: Setup, balls: int, keepers: int, split: int, memory: Any) -> int:
    """Return what it is worth to lay the first split // WIDTH balls and split % WIDTH keepers to the left."""
    at = o.actions + LINE
    worth: int = memory[at + split]
    if o.ring == 1:
        worth += memory[at + WIDTH * WIDTH + balls * WIDTH + keepers - split]
    return worth


def best_split(o: Setup, balls: int, keepers: int, memory: Any) -> int:
    """Return the best split between the lines, as the cell of the left one; all of it where there is one line."""
    best = balls * WIDTH + keepers
    if o.ring == 1:
        best_worth = split_worth(o, balls, keepers, best, memory)
        for left in range(balls + 1):
            for keep in range(keepers + 1):
                worth = split_worth(o, balls, keepers, left * WIDTH + keep, memory)
                if worth > best_worth:
                    best_worth = worth
                    best = left * WIDTH + keep
    return best


def throw_worth(o: Setup, throw: int, balls: int, keepers: int, dice: int, memory: Any) -> int:
    """Return what it is worth to have laid so much with `throw` throws to come: the average over the next one."""
    free = dice - balls - keepers
    at = o.actions + POWERS
    worth = 0
    for b in range(free + 1):
        for k in range(free + 1 - b):
            for j in range(free + 1 - b - k):
                rest = free - b - k - j
                chance = memory[at + b] * memory[at + WIDTH + k] // ONE
                chance = chance * memory[at + 2 * WIDTH + j] // ONE * memory[at + 3 * WIDTH + rest] // ONE
                chance = chance * FACTORIAL[free] // (FACTORIAL[b] * FACTORIAL[k] * FACTORIAL[j] * FACTORIAL[rest])
                if chance > 0:
                    cell = best_cell(o, throw - 1, balls, keepers, b, k, j, memory)
                    worth += chance * memory[o.actions + VALUE + (throw - 1) * WIDTH * WIDTH + cell] // ONE
    return worth


def best_cell(o: Setup, throw: int, balls: int, keepers: int, b: int, k: int, j: int, memory: Any) -> int:
    """Return the best cell to reach with b balls, k keepers and j jokers to lay, fewest dice first."""
    at = o.actions + VALUE + throw * WIDTH * WIDTH
    best = balls * WIDTH + keepers
    for x in range(b + j + 1):
        for y in range(min(k + j, b + k + j - x) + 1):
            cell = (balls + x) * WIDTH + keepers + y
            if memory[at + cell] > memory[at + best]:
                best = cell
    return best


# --- the choice -------------------------------------------------------------------------------------------------


def plan_throw(v: State, o: Setup, seat: int, memory: Any, n: int) -> int:
    """Choose what to do with a throw: free re-throws first, then what the best way to lay it asks for next."""
    pick = allowed(memory, n, o.at_again, o.at_joker)
    if pick >= 0:
        return pick
    fill_tables(v, o, seat, memory)
    throws = throws_to_come(v, o, seat)
    balls = count_dice(v, o, seat, BALL) if allowed(memory, n, 0, o.at_keeper) >= 0 else 0
    keepers = count_dice(v, o, seat, KEEPER) if allowed(memory, n, o.at_keeper, o.at_aside) >= 0 else 0
    jokers = usable_jokers(v, o, seat) if allowed(memory, n, o.at_joker, o.at_offside) >= 0 else 0
    cell = best_cell(o, throws, 0, 0, balls, keepers, jokers, memory)
    if allowed(memory, n, o.at_kick, o.at_done) >= 0:
        pick = kick_rest(v, o, seat, cell)
        if pick >= 0:
            return pick
    pick = lay_natural(o, cell, balls, keepers, memory, n)
    if pick < 0:
        pick = quarter_choice(v, o, seat, throws, cell, memory, n)
    if pick < 0 and jokers > 0:
        pick = joker_plan(v, o, seat, throws, jokers, memory, n)
    if pick < 0:
        pick = allowed(memory, n, o.at_offside, o.at_red)
    if pick < 0:
        pick = red_choice(v, o, seat, memory, n)
    return pick if pick >= 0 else o.at_done


def allowed(actions: Any, n: int, start: int, end: int) -> int:
    """Return the first of the legal actions[:n] from `start` to below `end`, or NONE."""
    for i in range(n):
        if start <= actions[i] < end:
            found: int = actions[i]
            return found
    return NONE


def usable_jokers(v: State, o: Setup, seat: int) -> int:
    """Return how many jokers may be played."""
    return count_dice(v, o, seat, JOKER) + v.spirit


def lay_natural(o: Setup, cell: int, balls: int, keepers: int, memory: Any, n: int) -> int:
    """Return the next ball or keeper to lay on the way to a cell, or NONE; in a ring on the line of the best split."""
    split = best_split(o, cell // WIDTH, cell % WIDTH, memory)
    pick = NONE
    if cell // WIDTH > 0 and balls > 0:
        pick = lay_on(o, 0, split // WIDTH > 0, memory, n)
    if pick < 0 and cell % WIDTH > 0 and keepers > 0:
        pick = lay_on(o, o.at_keeper, split % WIDTH > 0, memory, n)
    return pick


def lay_on(o: Setup, start: int, left: bool, memory: Any, n: int) -> int:
    """Return the first legal action of a kind for the left line, or for the right one."""
    line = 0 if left or o.ring == 0 else 1
    return allowed(memory, n, start + line * o.slots, start + (line + 1) * o.slots)


def penalty_gain(v: State, o: Setup, seat: int, memory: Any) -> int:
    """Return what one more penalty is worth as the lines stand now."""
    mine = 0
    theirs = 0
    for line in range(o.lines):
        mine += line_goals(v, o, seat, line)
        other = facing(o, seat, line)
        theirs += line_goals(v, o, other, 1 - line if o.ring == 1 else 0)
    at = o.actions + SCORE + min(mine, MAX_DICE - 1) * WIDTH + min(theirs, MAX_DICE)
    gain: int = (memory[at + WIDTH] - memory[at]) // 2
    return gain


def quarter_choice(v: State, o: Setup, seat: int, throws: int, cell: int, memory: Any, n: int) -> int:
    """Put a quarter aside, or take it back, whichever is worth more in the next throw; NONE for neither."""
    aside = allowed(memory, n, o.at_aside, o.at_return)
    back = allowed(memory, n, o.at_return, o.at_again)
    if aside < 0 and back < 0:
        return NONE
    if throws == 0:
        return aside if o.members > 1 else NONE
    others = lying_dice(v, o, seat) - cell // WIDTH - cell % WIDTH - (1 if aside >= 0 else 0)
    lonely = quarter_missed(o, mates_dice(v, o, seat))
    missed = lonely * quarter_missed(o, others) // ONE
    at = o.actions + VALUE + throws * WIDTH * WIDTH + cell
    gain = penalty_gain(v, o, seat, memory) * (ONE - missed) // ONE
    cost = (memory[at] - memory[at - WIDTH * WIDTH]) // (others + 1) * lonely // ONE
    if gain > cost:
        return aside
    return back


def quarter_missed(o: Setup, dice: int) -> int:
    """Return the chance that none of so many dice shows a quarter."""
    missed = ONE
    for _ in range(dice):
        missed = missed * (ONE - gained_chance(o, QUARTER)) // ONE
    return missed


def mates_dice(v: State, o: Setup, seat: int) -> int:
    """Return how many dice the other members of the team throw before it is this seat's turn again."""
    side = side_of(o, seat)
    dice = 0
    for mate in range(side * o.members, (side + 1) * o.members):
        if mate != seat and throws_to_come(v, o, mate) > 0:
            dice += lying_dice(v, o, mate)
    return dice


def joker_plan(v: State, o: Setup, seat: int, throws: int, jokers: int, memory: Any, n: int) -> int:
    """Play a joker as what is worth most: ball, keeper, a quarter for a penalty, or a red card; NONE for nothing."""
    at = o.actions + VALUE + throws * WIDTH * WIDTH
    cell = best_cell(o, throws, 0, 0, 0, 0, jokers, memory)
    without = best_cell(o, throws, 0, 0, 0, 0, jokers - 1, memory)
    penalty = penalty_gain(v, o, seat, memory)
    quarter = penalty if v.loose == LOOSE or waiting_quarter(v, o, seat) >= 0 else penalty // 2 if jokers > 1 else 0
    red = max(penalty, die_gain(v, o, seat, memory))
    laid = memory[at + cell] - memory[at + without]
    pick = NONE
    if red > max(laid, quarter):
        pick = joker_as(o, RED, memory, n)
    if pick < 0 and quarter > laid:
        pick = joker_as(o, QUARTER, memory, n)
    if pick < 0 and cell // WIDTH > 0:
        split = best_split(o, cell // WIDTH, cell % WIDTH, memory)
        pick = lay_on(o, o.at_joker, split // WIDTH > 0, memory, n)
    if pick < 0 and cell % WIDTH > 0:
        split = best_split(o, cell // WIDTH, cell % WIDTH, memory)
        pick = lay_on(o, o.at_joker + o.lines * o.slots, split % WIDTH > 0, memory, n)
    return pick


def joker_as(o: Setup, face: int, memory: Any, n: int) -> int:
    """Return the first legal action that plays a joker as that face, or NONE."""
    for i in range(n):
        choice = joker_choice(o, memory[i])
        if choice >= 0 and joker_face(o, choice) == face:
            found: int = memory[i]
            return found
    return NONE


def die_gain(v: State, o: Setup, seat: int, memory: Any) -> int:
    """Return what it is worth that the opponent loses a die until the end of the game."""
    other = facing(o, seat, 0)
    if o.mode == FIVE_GOALS:
        most = max(side_goals(v, o, 0), side_goals(v, o, 1))
        periods = 45 * max(0, GOALS_TO_WIN - most)
    else:
        periods = 120 if v.stage == FIRST else 20
    periods += 33 * throws_to_come(v, o, other)
    return 2 * penalty_gain(v, o, seat, memory) * DIE_GOALS * periods // 10_000


def red_choice(v: State, o: Setup, seat: int, memory: Any, n: int) -> int:
    """Use a red card for a penalty or against a die, whichever is worth more; NONE where none waits."""
    penalty = allowed(memory, n, o.at_red, o.at_red + 1)
    die = allowed(memory, n, o.at_red + 1, o.at_remove)
    if die >= 0 and (penalty < 0 or die_gain(v, o, seat, memory) > penalty_gain(v, o, seat, memory)):
        return die
    return penalty


def kick_rest(v: State, o: Setup, seat: int, cell: int) -> int:
    """Return the free kick that throws all but jokers and what is to be laid; NONE if nothing is left to throw.

    What is to be laid are the dice with the highest numbers: of equal dice the lowest are thrown.
    """
    balls = cell // WIDTH
    keepers = cell % WIDTH
    chosen = 0
    for die in range(o.dice - 1, -1, -1):
        place = v.dice[seat * MAX_DICE + die]
        if place == BALL and balls > 0:
            balls -= 1
        elif place == KEEPER and keepers > 0:
            keepers -= 1
        elif place <= LAST_LYING and place != JOKER:
            chosen += 1 << die
    return o.at_kick + chosen - 1 if chosen > 0 else NONE
