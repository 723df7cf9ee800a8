"""Scenarios worked out by hand from the rules, one row each in tests/data/scenarios_<game>.json.

A row has an id, a sentence why, the options, the moves in the notation of docs/notation.md, and what must then hold.
The move `until KIND` stands for a long stretch without interest: the lowest id that is possible, again and again, up to
the next event of that kind.

    scores, returns, current_player (a seat, "chance", "simultaneous" or "terminal"), roller, terminal
    legal               every legal action or chance outcome
    legal_includes      some of them          legal_excludes   some that must not be among them
    odds                exact probabilities of chance outcomes, as fractions
    refused             a move, or several, that must be refused and change nothing
    rule                the paragraph that each refusal cites
    option_error        the game must refuse its options, naming this option (true: any)
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import bolzplatz

DATA = Path(__file__).parent / "data"
FILES = {
    "bar-bolz": DATA / "scenarios_bar_bolz.json",
    "5050": DATA / "scenarios_5050.json",
    "dribbel-fieber": DATA / "scenarios_dribbel_fieber.json",
    "gooaaaaal": DATA / "scenarios_gooaaaaal.json",
    "wilde-kerle": DATA / "scenarios_wilde_kerle.json",
}
SPECIAL_PLAYERS = {
    "chance": bolzplatz.CHANCE,
    "simultaneous": bolzplatz.SIMULTANEOUS,
    "terminal": bolzplatz.TERMINAL,
}

Scenario = dict[str, Any]


def _load(*, refuses_options: bool) -> list[Any]:
    return [
        pytest.param(game, scenario, id=f"{game}-{scenario['id']}")
        for game, path in FILES.items()
        for scenario in json.loads(path.read_text(encoding="utf-8"))
        if ("option_error" in scenario["expect"]) == refuses_options
    ]


def _texts(state: bolzplatz.State) -> list[str]:
    return sorted(state.action_to_string(action) for action in state.legal_actions())


def _play(state: bolzplatz.State, move: str) -> None:
    if not move.startswith("until "):
        state.play(move)
        return
    seen = len(state.events())
    while all(event.kind != move.removeprefix("until ") for event in state.events()[seen:]):
        if state.is_simultaneous_node():
            state.apply_actions([state.legal_actions(seat)[0] for seat in range(state.game.num_players)])
        else:
            state.apply_action(state.legal_actions()[0])


def _check_refusals(state: bolzplatz.State, moves: str | list[str], rule: str | None) -> None:
    for move in [moves] if isinstance(moves, str) else moves:
        before = (state.key(), state.history(), state.to_json())
        with pytest.raises(bolzplatz.IllegalActionError) as refusal:
            state.play(move)
        assert (state.key(), state.history(), state.to_json()) == before, f"refusing {move!r} changed the state"
        if rule is not None:
            assert rule in str(refusal.value), f"refusing {move!r} should cite {rule}: {refusal.value}"


def _observed(state: bolzplatz.State, expect: Scenario) -> Scenario:
    """The same keys as `expect`, filled with what the state says."""
    players = {code: name for name, code in SPECIAL_PLAYERS.items()}
    legal = None if state.is_simultaneous_node() else _texts(state)
    looks = {
        "scores": state.scores,
        "returns": lambda: pytest.approx(state.returns()),
        "terminal": state.is_terminal,
        "roller": state.roller,
        "current_player": lambda: players.get(state.current_player(), state.current_player()),
        "legal": lambda: legal,
        "legal_includes": lambda: [text for text in expect["legal_includes"] if text in legal],
        "legal_excludes": lambda: [text for text in expect["legal_excludes"] if text not in legal],
        "odds": lambda: _odds(state, expect["odds"]),
    }
    return {key: look() for key, look in looks.items() if key in expect}


def _odds(state: bolzplatz.State, texts: dict[str, str]) -> dict[str, str]:
    odds = {state.action_to_string(outcome): weight for outcome, weight in state.chance_outcomes()}
    return {text: str(odds.get(text, Fraction(0))) for text in texts}


@pytest.mark.parametrize(("game", "scenario"), _load(refuses_options=False))
def test_scenario(game: str, scenario: Scenario) -> None:
    expect = dict(scenario["expect"])
    state = bolzplatz.load_game(game, **scenario["options"]).new_initial_state()
    for number, move in enumerate(scenario["moves"], 1):
        try:
            _play(state, move)
        except bolzplatz.IllegalActionError as fault:
            pytest.fail(f"{scenario['why']}\nmove {number} {move!r} was refused: {fault}\n{state}")
    rule, refused = expect.pop("rule", None), expect.pop("refused", [])
    observed = _observed(state, expect)
    assert set(observed) == set(expect), "the row expects something that this test does not know"
    assert observed == expect, f"{scenario['why']}\nafter {' · '.join(scenario['moves'])}\n{state}"
    _check_refusals(state, refused, rule)


@pytest.mark.parametrize(("game", "scenario"), _load(refuses_options=True))
def test_refused_options(game: str, scenario: Scenario) -> None:
    with pytest.raises(bolzplatz.OptionError) as refusal:
        bolzplatz.load_game(game, **scenario["options"])
    named = scenario["expect"]["option_error"]
    assert named is True or named in str(refusal.value)


@pytest.mark.parametrize("game", FILES)
def test_ids_are_unique(game: str) -> None:
    ids = [scenario["id"] for scenario in json.loads(FILES[game].read_text(encoding="utf-8"))]
    assert len(ids) == len(set(ids))
