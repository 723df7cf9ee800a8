"""GOOAAAAAL! (Laurent Vergneau): throw balls and keepers onto the line, and score with balls that no keeper faces.

Each player has four or nine dice and three throws a period; a ball on the line is a goal unless the opponent has laid
a keeper against it. Quarters of a ball bring penalties, which are races for four quarters. With nine dice there are
off-side, cards, jokers and free kicks. Rules in words: docs/rules/gooaaaaal.*.md, cited as `gooaaaaal §5`.

The rooms of this house: `state` what a match is made of, `dice` the dice and their throws, `throws` chance, `decisions`
what players may do, `flow` from turn to turn up to the winner; these are the compiled subset. `options`, `notation` and
`telling` are what people read and write.
"""

from typing import Any, Final

from bolzplatz.core.nodes import CHANCE, TERMINAL
from bolzplatz.core.spec import DataFile, GameSpec, Notation, Rules, entries_of_lines
from bolzplatz.games.gooaaaaal.decisions import decide, decider, legal, refusal
from bolzplatz.games.gooaaaaal.dice import most_outcomes
from bolzplatz.games.gooaaaaal.flow import scores, settle, start_game, winners
from bolzplatz.games.gooaaaaal.notation import action_text, face_text, outcome_text, read_action, read_outcome
from bolzplatz.games.gooaaaaal.options import OPTIONS, complete_options, encode
from bolzplatz.games.gooaaaaal.state import DECIDE, MAX_SEATS, NAME, OVER, Setup, State
from bolzplatz.games.gooaaaaal.telling import EVENTS, REFUSALS, board, shown
from bolzplatz.games.gooaaaaal.throws import chance_count, chance_form, chance_weight, land, outcome_of, roller


def begin(s: State, o: Setup) -> None:
    """Set up the first throw (gooaaaaal §2, §10 to §13)."""
    start_game(s, o)


def player_to_act(s: State, o: Setup) -> int:
    """Return who decides: after each throw its thrower (gooaaaaal §2)."""
    if s.phase < DECIDE:
        return CHANCE
    return TERMINAL if s.phase == OVER else decider(s, o)


def apply(s: State, o: Setup, action: int, log: Any) -> None:
    """Carry out a throw or a decision, then go on to the next one (gooaaaaal §2 to §15)."""
    if s.phase < DECIDE:
        land(s, o, action, log)
    else:
        decide(s, o, action, log)
    settle(s, o, log)


GAME: Final = GameSpec(
    name=NAME,
    title="GOOAAAAAL!",
    source="https://gooaaaaal.com/content/rules-2 (Laurent Vergneau)",
    rules_version="1",
    min_players=2,
    max_players=MAX_SEATS,
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
    num_actions=lambda o: o.actions,
    max_chance_outcomes=lambda o: max(most_outcomes(o), o.seats),
    max_length=lambda _o: None,  # supporters may come up again for ever, and a race may last
    events=EVENTS,
    refusals=REFUSALS,
    board=board,
    shown=shown,
    face_text=face_text,
    data_file=DataFile("dice", "one die a line, or three alike as 3xBKSQWT", entries_of_lines),
    complete=complete_options,
    reads_data=True,
)
