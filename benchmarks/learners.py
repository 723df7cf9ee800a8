"""Steps a second of environments for learners: our vector environment against what the peers offer for their nearest
games. A step is one decision of a learner, observation and mask of the next one included; choosing is not counted.
"""

import time
from collections.abc import Callable
from typing import Any

import jax
import numba
import numpy as np
import pgx
import pyspiel
import rlcard
from numpy.typing import NDArray
from open_spiel.python import rl_environment, vector_env
from open_spiel.python.rl_agent import StepOutput
from pettingzoo.classic import connect_four_v3, tictactoe_v3
from pgx.experimental.wrappers import auto_reset

import bolzplatz
from benchmarks.sidebyside import Contender, compare
from bolzplatz.adapters import pettingzoo
from bolzplatz.adapters.vector import VectorMatches

ROWS = 4096


def _pick(masks: NDArray[np.int8], luck: NDArray[np.uint64], chosen: NDArray[np.int64]) -> None:
    for row in range(len(masks)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[row, action]
        luck[0] = luck[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        pick = np.int64(luck[0] >> np.uint64(33)) % max(count, 1)
        chosen[row] = 0
        for action in range(masks.shape[1]):
            if masks[row, action] == 1:
                if pick == 0:
                    chosen[row] = action
                    break
                pick -= 1


_any_legal: Any = numba.njit(_pick)
"""Choose any legal action in every row."""


def ours(name: str, opponent: str | None, calls: int) -> Contender:
    """Our rows on one core; without an opponent the learner decides for every seat."""
    matches = VectorMatches(bolzplatz.load_game(name), ROWS, opponent)
    arrays = matches.arrays()
    matches.reset(arrays, seed=1)
    luck, chosen = np.ones(1, dtype=np.uint64), np.zeros(ROWS, dtype=np.int64)

    def contender() -> tuple[int, float]:
        seconds = 0.0
        for _ in range(calls):
            _any_legal(arrays.masks, luck, chosen)
            start = time.process_time()
            matches.step(chosen, arrays)
            seconds += time.process_time() - start
        return calls * ROWS, seconds

    return contender


def turns(make: Callable[[], Any], steps: int) -> Contender:
    """A PettingZoo environment, turn by turn: `last` and `step`."""
    env, luck = make(), np.random.default_rng(1)
    env.reset(seed=1)

    def contender() -> tuple[int, float]:
        seconds, made = 0.0, 0
        while made < steps:
            if not env.agents:
                env.reset()
            start = time.process_time()
            observed, _, terminated, truncated, _ = env.last()
            seconds += time.process_time() - start
            over = terminated or truncated
            action = None if over else luck.choice(np.flatnonzero(observed["action_mask"]))
            start = time.process_time()
            env.step(action)
            seconds += time.process_time() - start
            made += not over
        return made, seconds

    return contender


def open_spiel_vector(name: str, rows: int, calls: int) -> Contender:
    """OpenSpiel's vector environment, which steps its C++ states from Python."""
    envs = vector_env.SyncVectorEnv([rl_environment.Environment(pyspiel.load_game(name)) for _ in range(rows)])
    luck = np.random.default_rng(1)
    told = envs.reset()

    def contender() -> tuple[int, float]:
        nonlocal told
        seconds = 0.0
        for _ in range(calls):
            legal = [step.observations["legal_actions"][step.observations["current_player"]] for step in told]
            outputs = [StepOutput(luck.choice(actions), None) for actions in legal]
            start = time.process_time()
            told, *_ = envs.step(outputs, reset_if_done=True)
            seconds += time.process_time() - start
        return calls * rows, seconds

    return contender


def pgx_rows(name: str, rows: int, calls: int) -> Contender:
    """Rows of Pgx on CPU, compiled by JAX, with matches that begin anew; CPU time of all its threads is counted."""
    env: Any = pgx.make(name)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = jax.random.split(jax.random.key(1), rows)
    state = jax.jit(jax.vmap(env.init))(keys)
    luck = np.random.default_rng(1)

    def contender() -> tuple[int, float]:
        nonlocal state, keys
        seconds = 0.0
        for _ in range(calls):
            masks = np.asarray(state.legal_action_mask)
            chosen = (luck.random(masks.shape) * masks).argmax(axis=1).astype(np.int32)
            keys = jax.block_until_ready(jax.vmap(lambda key: jax.random.split(key, 1)[0])(keys))
            start = time.process_time()
            state = jax.block_until_ready(step(state, chosen, keys))
            seconds += time.process_time() - start
        return calls * rows, seconds

    return contender


def rlcard_steps(name: str, steps: int) -> Contender:
    """An RLCard environment."""
    env, luck = rlcard.make(name, {"seed": 1}), np.random.default_rng(1)

    def contender() -> tuple[int, float]:
        seconds, made = 0.0, 0
        state, _ = env.reset()
        while made < steps:
            action = luck.choice(list(state["legal_actions"]))
            start = time.process_time()
            state, _ = env.step(action)
            seconds += time.process_time() - start
            made += 1
            if env.is_over():
                state, _ = env.reset()
        return made, seconds

    return contender


def run() -> list[tuple[str, str, str, float]]:
    """Return rows: what, steps a second of the best round, compared with, ratio of best rounds."""
    first = "5050, our rows, every seat"
    rates = compare(
        {
            first: ours("5050", None, 200),
            "5050, our rows, against the child": ours("5050", "child", 200),
            "Bar-Bolz, our rows, every seat": ours("bar-bolz", None, 200),
            "Fußballkerle, our rows, against children": ours("wilde-kerle", "child", 50),
            "5050, our PettingZoo environment": turns(lambda: pettingzoo.env("5050"), 500),
            "Connect Four, PettingZoo classic": turns(connect_four_v3.env, 2_000),
            "Tic-tac-toe, PettingZoo classic": turns(tictactoe_v3.env, 2_000),
            "Pig, OpenSpiel's vector environment": open_spiel_vector("pig", 64, 50),
            "Backgammon, Pgx on CPU": pgx_rows("backgammon", ROWS, 5),
            "Tic-tac-toe, Pgx on CPU": pgx_rows("tic_tac_toe", ROWS, 20),
            "Blackjack, RLCard": rlcard_steps("blackjack", 2_000),
        }
    )
    return [(what, f"{rate.best / 1e6:.3f} M", first, rates[first].best / rate.best) for what, rate in rates.items()]
