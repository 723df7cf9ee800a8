"""Random playouts: our compiled rules against plain C, against OpenSpiel's C++ and its Python loop, and ourselves
interpreted. A step is one entry of a history: a throw or a decision.
"""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyspiel

import bolzplatz
from benchmarks.c_programs import c_contender
from benchmarks.sidebyside import Contender, compare, timed
from bolzplatz.bots import chance_drawer, chooser, level_index
from bolzplatz.core.engine import Engine
from bolzplatz.core.nodes import CHANCE, TERMINAL

MATCHES = {"bar-bolz": 200_000, "5050": 30_000, "wilde-kerle": 5_000, "gooaaaaal": 5_000}


def compiled(name: str) -> Contender:
    """Our compiled playouts on one core."""
    engine = Engine(bolzplatz.load_game(name))
    return timed(lambda: int(engine.play(MATCHES[name], seed=1).steps.sum()))


def compiled_players(name: str, level: str) -> Contender:
    """Our compiled playouts with computer players of a level at all seats, on one core."""
    game = bolzplatz.load_game(name)
    engine = Engine(game, chooser(name), chance_drawer(name))
    levels = [level_index(name, level)] * game.num_players
    return timed(lambda: int(engine.play(MATCHES[name], seed=1, levels=levels).steps.sum()))


def compiled_on_two_cores(name: str) -> Contender:
    """The same on two threads, by wall time: compiled code holds no lock."""
    engines = [Engine(bolzplatz.load_game(name)) for _ in range(2)]

    def contender() -> tuple[int, float]:
        start = time.perf_counter()
        with ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(e.play, MATCHES[name], 1, i * MATCHES[name]) for i, e in enumerate(engines)]
            steps = sum(int(run.result().steps.sum()) for run in runs)
        return steps, time.perf_counter() - start

    return contender


def compiled_by_wall_time(name: str) -> Contender:
    """One thread by wall time, to compare with two."""
    engine = Engine(bolzplatz.load_game(name))

    def contender() -> tuple[int, float]:
        start = time.perf_counter()
        steps = int(engine.play(MATCHES[name], seed=1).steps.sum())
        return steps, time.perf_counter() - start

    return contender


def plain_rules(name: str, matches: int) -> Contender:
    """The same rule functions, interpreted on the dataclass, without recording."""
    game = bolzplatz.load_game(name)
    rules, o, luck = game.rules, game.setup, random.Random(1)

    def work() -> int:
        steps = 0
        out = [0] * game.num_actions
        for _ in range(matches):
            s = game.spec.state()
            rules.begin(s, o)
            while (player := rules.player_to_act(s, o)) != TERMINAL:
                options = rules.chance_count(s, o) if player == CHANCE else rules.legal(s, o, player, out)
                choice = int(luck.random() * options)
                rules.apply(s, o, choice if player == CHANCE else out[choice], None)
                steps += 1
        return steps

    return timed(work)


def random_playouts(game: Any, matches: int) -> Contender:
    """Random matches by a Python loop over public states; ours and OpenSpiel's have the same words for it."""
    luck = random.Random(1)

    def work() -> int:
        steps = 0
        for _ in range(matches):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(luck.choice(state.legal_actions()))
                steps += 1
        return steps

    return timed(work)


def public_state(name: str, matches: int) -> Contender:
    """The public State with history and events."""
    return random_playouts(bolzplatz.load_game(name), matches)


def open_spiel_python(matches: int) -> Contender:
    """OpenSpiel's Pig, its C++ state driven by a Python loop, as its own example does."""
    return random_playouts(pyspiel.load_game("pig"), matches)


def open_spiel_steps_per_playout(matches: int = 2_000) -> float:
    """Mean steps of a random playout of Pig: OpenSpiel's C++ playouts do not count them."""
    steps, _seconds = open_spiel_python(matches)()
    return steps / matches


def open_spiel_cpp(playouts: int, steps_per_playout: float) -> Contender:
    """OpenSpiel's C++ random playouts of Pig, all within one call: a search of one simulation, which plays them out."""
    game = pyspiel.load_game("pig")
    state: Any = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(playouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, 1, False)

    def work() -> int:
        bot.mcts_search(state)
        return round(playouts * steps_per_playout)

    return timed(work)


def run() -> list[tuple[str, str, str, float]]:
    """Return rows: what, steps a second of the best round, compared with, ratio of best rounds."""
    per_playout = open_spiel_steps_per_playout()
    rates = compare(
        {
            "Bar-Bolz, compiled": compiled("bar-bolz"),
            "Bar-Bolz, plain C": c_contender("bar_bolz", MATCHES["bar-bolz"]),
            "5050, compiled": compiled("5050"),
            "5050, plain C": c_contender("fifty_fifty", MATCHES["5050"]),
            "Fußballkerle, compiled": compiled("wilde-kerle"),
            "Fußballkerle, compiled, hands that react": compiled_players("wilde-kerle", "adult"),
            "GOOAAAAAL!, compiled": compiled("gooaaaaal"),
            "GOOAAAAAL!, compiled, strong players": compiled_players("gooaaaaal", "strong"),
            "Pig, OpenSpiel's C++ playouts": open_spiel_cpp(3_000, per_playout),
            "Pig, OpenSpiel in a Python loop": open_spiel_python(30),
            "Bar-Bolz, plain rules interpreted": plain_rules("bar-bolz", 500),
            "5050, plain rules interpreted": plain_rules("5050", 100),
            "Bar-Bolz, public State with history and events": public_state("bar-bolz", 100),
            "5050, public State with history and events": public_state("5050", 20),
        }
    )
    cores = compare({"one": compiled_by_wall_time("bar-bolz"), "two": compiled_on_two_cores("bar-bolz")})
    pairs = [
        ("Bar-Bolz, compiled", "Bar-Bolz, plain C"),
        ("5050, compiled", "5050, plain C"),
        ("Bar-Bolz, compiled", "Pig, OpenSpiel's C++ playouts"),
        ("5050, compiled", "Pig, OpenSpiel's C++ playouts"),
        ("Fußballkerle, compiled", "Pig, OpenSpiel's C++ playouts"),
        ("Fußballkerle, compiled, hands that react", "Fußballkerle, compiled"),
        ("GOOAAAAAL!, compiled", "Pig, OpenSpiel's C++ playouts"),
        ("GOOAAAAAL!, compiled, strong players", "GOOAAAAAL!, compiled"),
        ("Bar-Bolz, compiled", "Pig, OpenSpiel in a Python loop"),
        ("Bar-Bolz, compiled", "Bar-Bolz, plain rules interpreted"),
        ("Bar-Bolz, plain rules interpreted", "Pig, OpenSpiel in a Python loop"),
        ("5050, plain rules interpreted", "Pig, OpenSpiel in a Python loop"),
        ("Bar-Bolz, public State with history and events", "Pig, OpenSpiel in a Python loop"),
        ("5050, public State with history and events", "Pig, OpenSpiel in a Python loop"),
    ]
    rows = [(a, f"{rates[a].best / 1e6:.2f} M", b, rates[a].best / rates[b].best) for a, b in pairs]
    two = cores["two"].best / cores["one"].best
    return [*rows, ("Bar-Bolz, compiled, two threads", f"{cores['two'].best / 1e6:.2f} M", "one thread", two)]
