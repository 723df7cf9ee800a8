"""The options and how they become the setup that the rules read."""

from typing import Any, Final

from bolzplatz.core.errors import OptionError, shorten
from bolzplatz.core.spec import Option, Options, OptionValue, numbered_entries
from bolzplatz.games.gooaaaaal.decisions import JOKER_MAIN, JOKER_OTHERS
from bolzplatz.games.gooaaaaal.dice import DICE_OF, EDITIONS, DiceError, edition_dice, read_dice, setup_fields
from bolzplatz.games.gooaaaaal.state import FIVE_GOALS, MATCH, MAX_SEATS, NAME, Setup

MODES: Final = ("five-goals", "match", "shoot-out", "sudden-death")
SCOPES: Final = ("half", "throw", "match")
TIES: Final = ("period", "sudden-death", "draw")
RACES: Final = ("synchronous", "tap-race")
HEATS: Final = ("repeat", "saved", "coin")
TEAMS: Final = ("2v2", "3v3", "4v4")

OPTIONS: Final = (
    Option("edition", str, "four", "G-1, gooaaaaal §1", "which box is played", choices=EDITIONS),
    Option(
        "dice",
        str,
        None,
        "G-1, gooaaaaal §16",
        "the dice of your own box, or any: every face on every die",
        nullable=True,
        form="as many dice as the edition has, six letters each, such as 3xBKSQWT,BBKSQT, or any",
        examples=("3xBKSQWT,BBKSQT", "any"),
    ),
    Option("mode", str, "five-goals", "G-53, gooaaaaal §10 to §13", "which game is played", choices=MODES),
    Option(
        "players", int, 2, "G-53, gooaaaaal §14", "how many play", low=2, high=MAX_SEATS, examples=(3, 5, MAX_SEATS)
    ),
    Option(
        "teams",
        str,
        None,
        "G-52, gooaaaaal §15",
        "two teams; the seats of the first come first",
        nullable=True,
        form="2v2, 3v3 or 4v4",
        examples=TEAMS,
    ),
    Option("supporter_chain", bool, True, "G-9, gooaaaaal §4", "supporters thrown again may be thrown once more"),
    Option("spirit_on_rethrow", bool, True, "G-21, gooaaaaal §6", "team spirit also counts in a re-throw"),
    Option("joker_faces", str, "any", "G-23, gooaaaaal §9", "what a joker may be played as", choices=("any", "BKQ")),
    Option("offside_at_count", bool, True, "G-27, gooaaaaal §7", "off-sides still aside cancel balls at the count"),
    Option("yellow_scope", str, "half", "G-30, gooaaaaal §8", "how long a yellow card is remembered", choices=SCOPES),
    Option("min_dice", int, 1, "G-34, gooaaaaal §8", "dice that no red card takes", low=1, high=9, examples=(1, 4)),
    Option("five_goals_tie", str, "period", "G-39, gooaaaaal §10", "five goals reached, but level", choices=TIES),
    Option(
        "penalty_model",
        str,
        "synchronous",
        "G-44, gooaaaaal §12",
        "how taker and keeper throw against each other: both together, or each whenever it taps",
        choices=RACES,
    ),
    Option("dead_heat", str, "repeat", "G-45, gooaaaaal §12", "two balls complete in the same throw", choices=HEATS),
    Option(
        "shootout_dice",
        str,
        "own",
        "G-46, gooaaaaal §12",
        "dice of a shooter: all that are left, four at least, or always four",
        choices=("own", "four"),
    ),
    Option("n", int, 2, "G-48, gooaaaaal §12", "penalties of each side in a shoot-out", low=2, high=5),
    Option(
        "multi_score",
        str,
        "goals",
        "G-50, gooaaaaal §14",
        "in a ring the most goals win, or the best goal difference",
        choices=("goals", "difference"),
    ),
)
_RULINGS: Final = {option.name: option.ruling for option in OPTIONS}


def _refuse(options: Options, name: str, reason: str) -> OptionError:
    return OptionError(f"{NAME}: option {name} is {shorten(options[name])}; {reason} ({_RULINGS[name]})", name)


def complete_options(options: Options) -> dict[str, OptionValue]:
    """Return the options with what follows from others: players from teams, dice one after the other.

    Raises OptionError where these do not fit together.
    """
    members = _members(options)
    players = options["players"] if members == 1 else 2 * members
    _dice(options)
    own = options["dice"]
    dice = own if own is None else ",".join(entry for _, entry in numbered_entries(str(own)))
    return {**options, "players": players, "dice": dice}


def encode(options: Options) -> Setup:
    """Turn options into the setup; raises OptionError where they do not fit together."""
    members = _members(options)
    mode = MODES.index(str(options["mode"]))
    seats = int(options["players"] or 2)
    ring = seats > 2 and members == 1
    bonus = DICE_OF[str(options["edition"])] > 4
    if ring and mode not in (FIVE_GOALS, MATCH):
        raise _refuse(options, "players", f"{options['mode']} is played by two sides; a ring plays five-goals or match")
    if ring and bonus:
        raise _refuse(
            options, "players", "a ring plays with four dice each, edition junior or four; nine are for two sides"
        )
    fields = setup_fields(_dice(options))
    return Setup(
        seats=seats,
        sides=seats // members,
        members=members,
        ring=int(ring),
        lines=2 if ring else 1,
        mode=mode,
        bonus=int(bonus),
        supporter_chain=int(bool(options["supporter_chain"])),
        spirit_on_rethrow=int(bool(options["spirit_on_rethrow"])),
        joker_any=int(options["joker_faces"] == "any"),
        offside_at_count=int(bool(options["offside_at_count"])),
        yellow_scope=SCOPES.index(str(options["yellow_scope"])),
        min_dice=int(options["min_dice"] or 1),
        five_goals_tie=TIES.index(str(options["five_goals_tie"])),
        tapped=RACES.index(str(options["penalty_model"])),
        dead_heat=HEATS.index(str(options["dead_heat"])),
        four_shoot=int(options["shootout_dice"] == "four"),
        shots=int(options["n"] or 2),
        by_difference=int(ring and options["multi_score"] == "difference"),
        **fields,
        **_action_fields(fields["slots"], fields["dice"], 2 if ring else 1, bonus),
    )


def _members(options: Options) -> int:
    """Return how many play on each side of a team game, else 1."""
    teams = options["teams"]
    players = options["players"]
    if teams is None:
        return 1
    if teams not in TEAMS:
        reason = "teams are 2v2, 3v3 or 4v4"
        if str(teams) == "3v3v3" or players == MAX_SEATS:
            reason = "nine players form no two equal teams, and how three teams would meet is not told; " + reason
        raise _refuse(options, "teams", reason)
    members = int(str(teams)[0])
    if players == MAX_SEATS:
        raise _refuse(options, "teams", "nine players form no two equal teams; 4, 6 or 8 do")
    if players not in (2, 2 * members):
        raise _refuse(options, "players", f"{teams} is played by {2 * members}")
    return members


def _dice(options: Options) -> tuple[str, ...]:
    edition = str(options["edition"])
    try:
        return edition_dice(edition) if options["dice"] is None else read_dice(str(options["dice"]), edition)
    except DiceError as fault:
        raise _refuse(options, "dice", str(fault)) from None


def _action_fields(slots: int, dice: int, lines: int, bonus: bool) -> dict[str, Any]:
    """Return where each kind of action begins: one a die and line where dice differ, else one a line."""
    others = len(JOKER_OTHERS) if bonus else JOKER_MAIN
    sizes = {
        "at_keeper": lines * slots,
        "at_aside": lines * slots,
        "at_return": slots,
        "at_again": slots,
        "at_joker": 1,
        "at_offside": (2 * lines + others) * slots,
        "at_keep_offside": slots if bonus else 0,
        "at_red": slots if bonus else 0,
        "at_remove": 2 if bonus else 0,
        "at_kick": dice if bonus else 0,
        "at_done": 2**dice - 1 if bonus else 0,
        "at_aim": 3,
        "actions": 2 if lines == 2 else 0,
    }
    fields = {"joker_supporter": 2 * lines}
    end = 0
    for name, size in sizes.items():
        end += size
        fields[name] = end
    return fields
