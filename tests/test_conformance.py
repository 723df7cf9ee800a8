"""Every game, in every pair of option values, against the conformance kit; and the kit against games with faults."""

import dataclasses

import pytest

import bolzplatz
from bolzplatz.core.engine import Engine
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game
from bolzplatz.games import game_spec
from bolzplatz.testing import ConformanceError, _Walk, check_game, option_cover
from tests.toy_games import DUEL, HOLD, PIG, duel, pig, pig_apply

COVERS = [(name, options) for name in bolzplatz.game_names() for options in option_cover(game_spec(name))]
MATCHES = {"gooaaaaal": 1}
"""Matches for each set of options; two where not named. A game with many options has three times as many sets."""


@pytest.mark.parametrize(("name", "options"), COVERS, ids=lambda value: str(value)[:60])
def test_game_keeps_every_promise(name, options):
    check_game(bolzplatz.load_game(name, **options), matches=MATCHES.get(name, 2), limit=400)


@pytest.mark.parametrize("name", bolzplatz.game_names())
def test_long_matches_in_lock_step_with_bounds_checks(name):
    check_game(bolzplatz.load_game(name), matches=3, seed=7, boundscheck=True)


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), COVERS, ids=lambda value: str(value)[:60])
def test_game_keeps_every_promise_at_length(name, options):
    check_game(bolzplatz.load_game(name, **options), matches=20, seed=11, limit=3000)


@pytest.mark.parametrize("game", [pig(), pig(target=30), duel(players=2), duel(players=4)], ids=repr)
def test_toy_games_keep_every_promise(game):
    check_game(game)


def test_cover_holds_every_pair_of_values_that_may_meet():
    spec = game_spec("5050")
    cover = list(option_cover(spec))
    for conversions in (None, 0, 3):
        for six_kind in (True, False):
            assert any(o["max_conversions"] == conversions and o["six_kind_is_three_pairs"] == six_kind for o in cover)
    assert cover[0] == {option.name: option.default for option in spec.options}
    assert len(cover) < 60


def _faulty(spec, **rules):
    return Game(dataclasses.replace(spec, rules=dataclasses.replace(spec.rules, **rules)), {})


def _always_two(s, o, seat, out):
    out[0] = 0
    out[1] = 1
    return 2


def _heavy_six(s, o, outcome):
    return 2 if outcome == 5 else 1


def _runs_past(s, o, action, log):
    pig_apply(s, o, action, log)
    s.at_risk += 900


def _tells_pile(s, o):
    return {"pile": s.pile, "cards": list(s.card)}


FAULTS = {
    "a legal list that ignores a refusal": lambda: _faulty(PIG, legal=_always_two),
    "weights that do not follow from the faces": lambda: _faulty(PIG, chance_weight=_heavy_six),
    "a value out of bounds": lambda: _faulty(PIG, apply=_runs_past),
    "outcomes beyond the number declared": lambda: Game(dataclasses.replace(PIG, max_chance_outcomes=lambda o: 5), {}),
    "matches longer than declared": lambda: Game(dataclasses.replace(DUEL, max_length=lambda o: 2), {}),
    "names that do not read back": lambda: Game(
        dataclasses.replace(
            PIG, notation=dataclasses.replace(PIG.notation, outcome_text=lambda s, o, outcome: str(6 - outcome))
        ),
        {},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_kit_finds(fault):
    with pytest.raises(ConformanceError):
        check_game(FAULTS[fault](), compiled=False)


def test_kit_finds_a_hidden_card_in_a_view():
    peeking = dataclasses.replace(
        DUEL, rules=dataclasses.replace(DUEL.rules, scores=lambda s, o, out: out.__setitem__(0, s.card[1]))
    )
    with pytest.raises(ConformanceError, match="hidden"):
        check_game(Game(peeking, {}), compiled=False)


def test_what_a_page_shows_is_made_from_a_masked_state():
    game = Game(dataclasses.replace(DUEL, shown=lambda s, o: {"pile": s.pile, "cards": list(s.card)}), {})
    state = game.new_initial_state().play("card 4", "card 1", "card 2")
    assert state.view(1)["shown"] == {"pile": 0, "cards": [0, 2, 0, 0]}
    assert state.view(None)["shown"] == {"pile": 0, "cards": [0, 0, 0, 0]}


def _banks_one_more(s, o, action, log):
    pig_apply(s, o, action, log)
    if s.throwing == 0 and action == HOLD:
        s.banked[0] += 1


def test_kit_finds_compiled_rules_that_differ():
    walk = _Walk(pig(), FastStream(1), Engine(_faulty(PIG, apply=_banks_one_more)), set())
    with pytest.raises(ConformanceError, match="compiled rules agree"):
        walk.run(200)
