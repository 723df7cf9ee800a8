"""PettingZoo: its own suites over every game, and what they do not ask: rewards, masks, sealed choices, secrets."""

import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pettingzoo as registry
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)

import bolzplatz
from bolzplatz.adapters import observation, pettingzoo
from bolzplatz.adapters.picture import draw
from bolzplatz.core.errors import IllegalActionError, OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import State

every_game = pytest.mark.parametrize("game", bolzplatz.game_names())
JOINT = "wilde-kerle"
PAGE = Path(__file__).parent.parent / "docs" / "observations.md"
KNOWN = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
)
"""What the suite says of every environment with masks that is not on its own list."""


@every_game
def test_pettingzoo_finds_no_fault(game):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        api_test(pettingzoo.env(game, render_mode="ansi"), num_cycles=60)
    assert {str(warning.message) for warning in found} <= set(KNOWN)


@every_game
def test_the_seed_decides(game):
    seed_test(lambda: pettingzoo.env(game), num_cycles=40)


@every_game
def test_every_render_mode_shows_the_board(game):
    render_test(lambda render_mode: pettingzoo.env(game, render_mode=render_mode))


def test_a_picture_shows_the_board_as_a_spectator_sees_it():
    env = pettingzoo.env("dribbel-fieber", render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    np.testing.assert_array_equal(first, draw(env.unwrapped.match, env.possible_agents))
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert (first != env.render()).any()


def test_all_at_once():
    parallel_api_test(pettingzoo.parallel_env(JOINT, render_mode="ansi"), num_cycles=60)
    parallel_seed_test(lambda: pettingzoo.parallel_env(JOINT), num_cycles=40)
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: pettingzoo.env(JOINT, max_cycles=max_cycles),
            parallel_env=lambda max_cycles: pettingzoo.parallel_env(JOINT, max_cycles=max_cycles),
        )
    )
    state_test(pettingzoo.env(JOINT), pettingzoo.parallel_env(JOINT))
    with pytest.raises(OptionError, match="turns"):
        pettingzoo.parallel_env("5050")


@every_game
def test_matches_end_for_all_agents_at_once_with_everybodys_result(game):
    env = pettingzoo.env(game, **({"target": 300} if game == "5050" else {}))
    luck = np.random.default_rng(2)
    env.reset(seed=3)
    while not play_out(env, luck):
        env.reset()  # a draw tells little


def play_out(env, luck):
    """Play a match at random, check it, and say whether anybody won."""
    paid = dict.fromkeys(env.possible_agents, 0.0)
    told = []
    for agent in env.agent_iter():
        observed, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        legal = np.flatnonzero(observed["action_mask"])
        others = [other for other in env.agents if other != agent]
        assert not any(env.observe(other)["action_mask"].any() for other in others)
        if terminated:
            assert not truncated
            assert not legal.size
            told.append(agent)
        env.step(None if terminated else int(luck.choice(legal)))
    assert sorted(told) == sorted(env.possible_agents)
    results = env.unwrapped.match.returns()
    assert list(paid.values()) == results
    return any(results)


def test_choices_are_sealed_until_all_have_chosen():
    env = pettingzoo.env(JOINT)
    env.reset(seed=4)
    before = [env.observe(agent)["observation"] for agent in env.agents]
    for choice, agent in enumerate(env.agents[:-1]):
        assert env.agent_selection == agent
        env.step(choice)
        now = [env.observe(other)["observation"] for other in env.agents]
        np.testing.assert_array_equal(before, now)
        np.testing.assert_array_equal(env.state(), env.unwrapped.match.game.layout.key(env.unwrapped.match._data))


def test_one_by_one_and_all_at_once_are_one_match():
    turns, together = pettingzoo.env(JOINT), pettingzoo.parallel_env(JOINT)
    turns.reset(seed=9)
    seen, _ = together.reset(seed=9)
    luck = np.random.default_rng(5)
    while together.agents:
        actions = {agent: int(luck.integers(5)) for agent in together.agents}
        for agent in together.agents:
            np.testing.assert_array_equal(turns.observe(agent)["observation"], seen[agent]["observation"])
            assert seen[agent]["action_mask"].all()
        seen, rewards, over, _, _ = together.step(actions)
        for action in actions.values():
            turns.step(action)
        assert turns.rewards == rewards
        assert turns.terminations == over


def test_a_new_match_follows_and_the_seed_leads_back():
    env = pettingzoo.env("bar-bolz")

    def first():
        return env.observe("player_0")["observation"].tolist(), env.agent_selection

    env.reset(seed=6)
    one = first()
    env.reset()
    two = first()
    env.reset(seed=6)
    assert first() == one
    env.reset()
    assert first() == two


def test_names_have_versions_and_wrong_modes_are_refused():
    assert str(pettingzoo.env("5050")) == "bolzplatz_5050_v0"
    assert str(registry.make("aec", "Bolzplatz/bar-bolz-v0", series=3)) == "bolzplatz_bar-bolz_v0"
    assert len(registry.make("parallel", f"Bolzplatz/{JOINT}-v0", players=4).possible_agents) == 4
    with pytest.raises(OptionError, match="rgb_array"):
        pettingzoo.env("5050", render_mode="svg")
    with pytest.raises(OptionError, match="max_cycles"):
        pettingzoo.env(name="5050", max_cycles=0)


@pytest.mark.parametrize("make", [pettingzoo.raw_env, pettingzoo.parallel_env])
def test_what_needs_a_match_says_so_before_the_first_reset(make):
    with pytest.raises(ResetNeeded, match="call reset"):
        make(JOINT).state()


def test_an_agent_that_does_not_choose_is_named():
    env = pettingzoo.parallel_env(JOINT)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="no action for player_2"):
        env.step({"player_0": 0, "player_1": 0})


# --- what is seen -----------------------------------------------------------------------------------------------


@every_game
def test_observations_tell_states_apart_and_nothing_hidden(game):
    """Along random matches: what a seat sees differs between states whose open fields differ, and never changes when
    all that it may not know is drawn anew."""
    loaded = bolzplatz.load_game(game)
    luck = FastStream(8)
    for match in range(3):
        state, stream = loaded.new_initial_state(), FastStream(8, match)
        seen: dict[tuple[int, ...], object] = {}
        for _ in range(150):
            if state.is_terminal():
                break
            random_step(state, luck, stream)
            for seat in range(loaded.num_players):
                observed = observation.observe(state, seat)
                fields = repr((seat, loaded.layout.visible(state._data, seat, loaded.num_players)))
                assert seen.setdefault(tuple(observed.tolist()), fields) == fields
                np.testing.assert_array_equal(observed, observation.observe(garbled(state, seat, luck), seat))


def garbled(state, seat, luck):
    """A copy in which all that the seat may not see holds any value within its bounds."""
    layout = state.game.layout
    data = layout.copy(state._data)
    seen = iter(layout.seen_entries(seat))
    for field, entries in layout.values(data):
        for place in range(len(entries)):
            if not next(seen):
                getattr(data, field.name)[place] = field.low + luck.below(field.high - field.low + 1)
    return State(state.game, data)


def random_step(state, luck, stream):
    def choose(actions):
        return actions[luck.below(len(actions))]

    if state.is_simultaneous_node():
        state.apply_actions([choose(state.legal_actions(seat)) for seat in range(state.game.num_players)])
    elif state.is_chance_node():
        weights = state.chance_weights()
        state.apply_action(weights[stream.weighted([weight for _, weight in weights])][0])
    else:
        state.apply_action(choose(state.legal_actions()))


def test_the_page_about_observations_is_up_to_date():
    written = PAGE.read_text(encoding="utf-8")
    assert written == observation.page(), "python -m bolzplatz.adapters.observation > docs/observations.md"
