"""Gymnasium: its own checks, and the compiled vector environment in lock-step with single, interpreted ones."""

import dataclasses

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import bolzplatz
from bolzplatz.adapters.gymnasium import MatchEnv, MatchesVectorEnv, env_id
from bolzplatz.adapters.luck import settle
from bolzplatz.adapters.observation import plane
from bolzplatz.adapters.vector import VectorMatches
from bolzplatz.bots import levels
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game
from bolzplatz.core.nodes import CHANCE, TERMINAL
from tests.toy_games import PIG

ROWS = 3
SHORT = {"5050": {"target": 600}, "wilde-kerle": {"players": 3}}
"""Options under which matches end within a test."""
JOINT = "wilde-kerle"
SLOW_TO_COMPILE = ("dribbel-fieber", "gooaaaaal")
every_game = pytest.mark.parametrize("game", bolzplatz.game_names())
every_compiled_game = pytest.mark.parametrize(
    "game",
    [pytest.param(name, marks=[pytest.mark.long] * (name in SLOW_TO_COMPILE)) for name in bolzplatz.game_names()],
)


def any_legal(masks, luck):
    """One legal action a row; any where nothing is legal."""
    return np.array([luck.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


@every_game
def test_gymnasium_finds_no_fault(game, recwarn):
    env = gymnasium.make(env_id(game), opponent="random", render_mode="ansi")
    check_env(env.unwrapped)
    assert [str(warning.message) for warning in recwarn] == []


@every_game
def test_every_id_makes_a_game_against_the_usual_player_without_another_word(game):
    env = gymnasium.make(env_id(game)).unwrapped
    best = levels(game)[-1]
    assert env.levels == ["good" if "good" in levels(game) else best] * env.game.num_players
    named = gymnasium.make(env_id(game), opponent=env.levels).unwrapped
    assert env.reset(seed=3)[0].tolist() == named.reset(seed=3)[0].tolist()


def test_matches_side_by_side_have_the_usual_player_too():
    rows, single = MatchesVectorEnv(JOINT, 2), MatchEnv(JOINT)
    assert rows.reset(seed=3)[0][0].tolist() == single.reset(seed=3)[0].tolist()


class OneRow(gymnasium.Env):
    """A vector environment of one match behind the interface of a single one, to be checked against it."""

    def __init__(self, many):
        self.many = many
        self.observation_space, self.action_space = many.single_observation_space, many.single_action_space

    def reset(self, *, seed=None, options=None):
        observations, info = self.many.reset(seed=seed)
        return observations[0].copy(), self.first(info)

    def step(self, action):
        observations, rewards, terminated, truncated, info = self.many.step(np.array([action]))
        return observations[0].copy(), float(rewards[0]), terminated[0], truncated[0], self.first(info)

    def first(self, info):
        return {name: info[name][0].copy() for name in ("action_mask", "seat", "illegal")}


@every_compiled_game
def test_one_row_is_the_single_environment_by_gymnasiums_own_check(game):
    options = {"opponent": "child"} | SHORT.get(game, {})
    single = MatchEnv(game, **options)
    row = OneRow(MatchesVectorEnv(game, 1, autoreset_mode="Disabled", **options))
    check_environments_match(single, row, num_steps=200, seed=4, info_comparison="skip")


@every_compiled_game
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
def test_rows_are_single_environments_in_lock_step(game, mode):
    """The single environment runs the rules interpreted, the rows run them compiled; Gymnasium resets the singles."""
    options = {"opponent": "child", "seat": None, "max_steps": 25} | SHORT.get(game, {})
    singles = SyncVectorEnv([lambda: MatchEnv(game, **options)] * ROWS, autoreset_mode=mode)
    rows = MatchesVectorEnv(game, ROWS, autoreset_mode=mode, **options)
    luck, over = np.random.default_rng(3), np.zeros(ROWS, dtype=bool)
    ours, info = rows.reset(seed=11)
    theirs, single_info = singles.reset(seed=11)
    ended = 0
    for step in range(60):
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(info["action_mask"], single_info["action_mask"])
        np.testing.assert_array_equal(info["seat"], single_info["seat"])
        if mode is AutoresetMode.DISABLED and over.any():
            ours, info = rows.reset(options={"reset_mask": over})
            theirs, single_info = singles.reset(options={"reset_mask": over.copy()})
            np.testing.assert_array_equal(ours[over], theirs[over])
            np.testing.assert_array_equal(info["action_mask"][over], single_info["action_mask"][over])
        actions = any_legal(info["action_mask"], luck)
        if step % 20 == 19:
            actions[0] = np.argmin(info["action_mask"][0])  # not legal, where anything is not
        ours, rewards, terminated, truncated, info = rows.step(actions)
        theirs, their_rewards, their_terminated, their_truncated, single_info = singles.step(actions)
        np.testing.assert_array_equal(rewards, their_rewards)
        np.testing.assert_array_equal(terminated, their_terminated)
        np.testing.assert_array_equal(truncated, their_truncated)
        over = terminated | truncated
        ended += over.sum()
        if mode is AutoresetMode.SAME_STEP and over.any():
            np.testing.assert_array_equal(over, info["_final_obs"])
            for row in np.flatnonzero(over):
                np.testing.assert_array_equal(info["final_obs"][row], single_info["final_obs"][row])
            np.testing.assert_array_equal(over, info["_final_info"])
            for name in ("action_mask", "seat", "illegal"):
                np.testing.assert_array_equal(info["final_info"][name], single_info["final_info"][name])
                np.testing.assert_array_equal(info["final_info"][f"_{name}"], single_info["final_info"][f"_{name}"])
    assert ended > ROWS


# --- the learner at every seat ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(name, marks=[pytest.mark.long] * (name != "5050"))
        for name in bolzplatz.game_names()
        if name != JOINT
    ],
)
def test_a_learner_at_every_seat_plays_by_the_rules(game):
    """Its actions, with the dice of the row's stream, are a match of the public state; results and masks agree."""
    rows = MatchesVectorEnv(game, ROWS, opponent=None, max_steps=5_000, **SHORT.get(game, {}))
    _, info = rows.reset(seed=5)
    matches = [Public(rows.game, 5 + row) for row in range(ROWS)]
    luck, open_rows = np.random.default_rng(1), set(range(ROWS))
    while open_rows:
        actions = any_legal(info["action_mask"], luck)
        seats = info["seat"].copy()
        observations, rewards, terminated, _, info = rows.step(actions)
        for row in sorted(open_rows):
            state = matches[row].step(int(actions[row]))
            assert state.is_terminal() == terminated[row]
            seen_by = seats[row] if terminated[row] else state.current_player()
            assert observations[row].tolist() == [seen_by, *state.observation(seen_by)]
            assert np.flatnonzero(info["action_mask"][row]).tolist() == state.legal_actions()
            if terminated[row]:
                assert info["returns"][row].tolist() == state.returns()
                assert rewards[row] == state.returns()[seats[row]]
                open_rows.remove(row)


def test_one_learner_cannot_decide_for_all_who_choose_at_once():
    with pytest.raises(OptionError, match="at once"):
        MatchesVectorEnv(JOINT, 2, opponent=None)


class Public:
    """A match of the public interface on the dice of a row: its first one in which anything is decided."""

    def __init__(self, game, seed):
        match = 0
        while True:
            self.state, self.stream = game.new_initial_state(), FastStream(seed, match)
            settle(self.state, self.stream)
            if not self.state.is_terminal():
                return
            match += 1

    def step(self, action):
        self.state.apply_action(action)
        settle(self.state, self.stream)
        return self.state


# --- what is refused, and what is said --------------------------------------------------------------------------


def _always_thrown(s, o):
    return TERMINAL if s.banked[0] >= o.target else CHANCE


def _apply_throw(s, o, action, log):
    s.banked[0] += action + 1


THROWS_ALONE = Game(
    dataclasses.replace(PIG, rules=dataclasses.replace(PIG.rules, player_to_act=_always_thrown, apply=_apply_throw)), {}
)
"""Pig without anything to decide."""


def test_a_single_match_without_decisions_is_refused(monkeypatch):
    monkeypatch.setattr("bolzplatz.adapters.gymnasium.load_game", lambda name: THROWS_ALONE)
    monkeypatch.setattr("bolzplatz.adapters.gymnasium.levels_of", lambda game, opponent: [opponent] * 2)
    monkeypatch.setattr("bolzplatz.adapters.gymnasium.pick_outcome", lambda *_: None)
    with pytest.raises(OptionError, match="never"):
        MatchEnv("pig", opponent="random").reset(seed=1)


@pytest.mark.long
def test_rows_without_decisions_are_refused():
    matches = VectorMatches(THROWS_ALONE, 2, opponent=None)
    with pytest.raises(OptionError, match="never"):
        matches.reset(matches.arrays(), seed=1)


def test_of_several_seeds_none_is_the_next_match():
    rows = MatchesVectorEnv("5050", 2, opponent="child", max_steps=np.int64(90), copy=True)
    np.testing.assert_array_equal(rows.reset(seed=np.array([5, 6]))[0], rows.reset(seed=5)[0])
    first, _ = rows.reset(seed=[5, None])
    np.testing.assert_array_equal(first[0], rows.reset(seed=5)[0][0])
    single = MatchEnv("5050", opponent="child")
    single.reset(seed=6)
    np.testing.assert_array_equal(rows.reset(seed=[5, None])[0], [first[0], single.reset()[0]])


@pytest.mark.parametrize(
    "wrong",
    [
        {"seat": 2}, {"seat": "0"}, {"opponent": "nobody"}, {"opponent": ["good"]}, {"opponent": 3},
        {"opponent": ["good", 3]}, {"goal": 3}, {"max_steps": 0}, {"max_steps": 2.5},
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(wrong):
    for make in (MatchEnv, MatchesVectorEnv):
        with pytest.raises(OptionError):
            make("5050", **wrong)


def test_rows_take_one_action_each_and_say_when_they_wait():
    rows = MatchesVectorEnv("bar-bolz", 2, opponent="random", autoreset_mode="Disabled", max_steps=1)
    rows.reset(seed=1)
    with pytest.raises(ValueError, match="2 rows"):
        rows.step(np.zeros(3, dtype=np.int64))
    rows.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="reset"):
        rows.step(np.zeros(2, dtype=np.int64))


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("observations", np.zeros((2, 5), dtype=np.int64)),
        ("masks", np.zeros((2, 2), dtype=np.int64)),
        ("rewards", np.zeros(4)[::2]),
        ("returns", np.broadcast_to(np.zeros(1), (2, 2))),
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_anything_is_written(name, array):
    matches = VectorMatches(bolzplatz.load_game("5050"), 2, opponent=None)
    arrays = matches.arrays()
    matches.reset(arrays, seed=1)
    setattr(arrays, name, array)
    with pytest.raises(ValueError, match=name):
        matches.step(np.zeros(2, dtype=np.int64), arrays)


def test_make_vec_gives_compiled_rows_and_copies_where_asked():
    rows = gymnasium.make_vec("Bolzplatz/bar-bolz-v0", num_envs=3, opponent="random", copy=True)
    assert isinstance(rows.unwrapped, MatchesVectorEnv)
    first, _ = rows.reset(seed=1)
    kept = first.copy()
    rows.step(np.zeros(3, dtype=np.int64))
    np.testing.assert_array_equal(first, kept)


def test_a_picture_is_rendered_where_asked():
    env = gymnasium.make("Bolzplatz/5050-v0", opponent="random", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (640, 640, 3)
    with pytest.raises(OptionError, match="rgb_array"):
        MatchEnv("5050", render_mode="svg")


def test_planes_name_what_is_observed():
    env = MatchEnv("5050", opponent="random", seat=1)
    observed, info = env.reset(seed=2)
    view = env.state.view(1)["fields"]
    assert observed[plane(env.game, "seat").entries].tolist() == [1] == [info["seat"]]
    assert observed[plane(env.game, "written").entries].tolist() == view["written"]
    assert observed[plane(env.game, "thrown").entries].tolist() == view["thrown"]
    with pytest.raises(KeyError, match="set_points"):
        plane(env.game, "points")
