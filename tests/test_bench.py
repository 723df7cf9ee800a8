"""`bolzplatz bench`: pairs with the same dice, the sequential test, what is kept, and the command."""

import importlib
import json
import math
import random
import statistics
from functools import partial

import pytest

from bolzplatz import OptionError, load_game
from bolzplatz.adapters.line import LinePlayer
from bolzplatz.bots.plugins import plug_in, unplug
from bolzplatz.cli.main import main
from bolzplatz.core.drivers import draw_from
from bolzplatz.core.fast import FastStream
from bolzplatz.simulate import sequential
from bolzplatz.simulate.bench import check_players, digest_of, pairs_of
from bolzplatz.simulate.exactly import exact_share
from bolzplatz.simulate.pair_kernels import count_throw, start_throw
from bolzplatz.simulate.sequential import BOUND, Duel, elo_of, next_look, settle, share_of
from bolzplatz.solve import solve

LOW, HIGH = share_of(-10), share_of(10)


def test_dice_depend_on_seat_turn_and_throw_alone():
    """Whatever was chosen before, the same throw of the same turn of a seat shows the same dice."""
    game, seen, again = load_game("5050", target=1000), {}, 0
    for match in range(8):
        luck, at, dice = random.Random(match), [-1, 0, 0, 0], FastStream(0)
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                state.apply_action(luck.choice(state.legal_actions()))
                continue
            seat = state.roller()
            count_throw(at, seat)
            start_throw(dice.rng, 7, 0, seat, at[2 + seat], at[1])
            faces = draw_from(dice, state).faces
            again += (seat, at[2 + seat], at[1]) in seen
            first = seen.setdefault((seat, at[2 + seat], at[1]), faces)
            shorter = min(len(faces), len(first))
            assert faces[:shorter] == first[:shorter]
            state.apply_action(game.rules.outcome_of(state._data, game.setup, list(faces)))
    assert len({faces for faces in seen.values() if len(faces) == 6}) > 8
    assert again > 30


def test_equal_players_come_out_level_pair_by_pair():
    """With the same dice and no choice of its own, a player against itself wins one match of each pair."""
    counts, _ = pairs_of(load_game("5050", target=1000), "good", "good", seed=4)(0, 200)
    assert counts == [0, 0, 200, 0, 0]


def test_points_are_those_of_unpaired_matches():
    """Shared dice change the variance, not the mean: optimal against never taking, from the solution of Bar-Bolz."""
    game = load_game("bar-bolz")
    counts, _ = pairs_of(game, "optimal", "child", seed=9)(0, 20_000)
    mean = sum(i * count for i, count in enumerate(counts)) / (4 * sum(counts))
    # An attack scores with g or with h; the goal race to two, first attack by either, by hand:
    g = float(solve(game).attacks[0].chance(game.new_initial_state()._data))
    h = 63369837 / 409600000
    exact = (race(g, h, True) + race(g, h, False)) / 2
    assert abs(mean - exact) < 4 * math.sqrt(0.25 / 20_000)


def race(a: float, b: float, a_first: bool) -> float:
    """The chance of a side that scores with `a` in each attack to have two goals before the other one with `b`."""
    value = {(i, j, turn): 0.5 for i in range(2) for j in range(2) for turn in (True, False)}

    def worth(i, j, turn):
        return 1.0 if i == 2 else 0.0 if j == 2 else value[i, j, turn]

    for _ in range(2000):
        for i, j, turn in value:
            goal, none = (
                (worth(i + 1, j, False), worth(i, j, False)) if turn else (worth(i, j + 1, True), worth(i, j, True))
            )
            chance = a if turn else b
            value[i, j, turn] = chance * goal + (1 - chance) * none
    return value[0, 0, a_first]


@pytest.mark.parametrize("name", ["bar-bolz", "dribbel-fieber", "gooaaaaal"])
def test_plain_matches_are_the_compiled_ones(name):
    """A plugged-in player sends both through the interpreted rules; there the first legal move is compiled nowhere."""
    game = load_game(name)
    plug_in(name, "first", lambda view, legal: legal[0])
    try:
        plain, _ = pairs_of(game, "first", "child", seed=5)(0, 3)
    finally:
        unplug(name, "first")
    assert sum(plain) == 3


def test_the_ratio_is_that_of_two_normal_distributions():
    counts = [30, 10, 300, 12, 55]
    results = [i / 4 for i, count in enumerate(counts) for _ in range(count)]
    duel = Duel("a", "b", "", counts, low=LOW, high=HIGH)
    assert math.isclose(duel.mean, statistics.fmean(results))
    assert math.isclose(duel.variance, statistics.pvariance(results), rel_tol=0.01)
    low, high = (statistics.NormalDist(mean, duel.variance**0.5) for mean in (LOW, HIGH))
    assert math.isclose(duel.evidence, sum(math.log(high.pdf(x) / low.pdf(x)) for x in results))


@pytest.mark.parametrize("strength", [-25, 25])
def test_the_test_errs_as_rarely_as_it_says(strength):
    """Coins of a known strength beyond the margin: the wrong verdict comes in no more than 5 of 100 runs."""
    luck, wrong = random.Random(3), 0
    for _ in range(60):
        duel = Duel("a", "b", "", low=LOW, high=HIGH)

        def play(_first, pairs):
            counts = [0] * 5
            for _ in range(pairs):
                counts[2 * ((luck.random() < share_of(strength)) + (luck.random() < share_of(strength)))] += 1
            return counts, 0.0

        for _ in settle(duel, play, 1, math.inf, 10**6):
            pass
        assert abs(duel.evidence) >= BOUND
        wrong += (duel.verdict == "yes") != (strength > 0)
    assert wrong <= 3


def test_a_run_ends_at_the_same_pair_with_any_number_of_workers_and_after_a_break():
    play = pairs_of(load_game("bar-bolz"), "good", "child", seed=1)
    found = []
    for workers in (1, 3):
        duel = Duel("good", "child", "", low=LOW, high=HIGH)
        for _ in settle(duel, play, workers, math.inf, 10**6):
            pass
        found.append(duel.counts)
    duel = Duel("good", "child", "", low=LOW, high=HIGH)
    next(settle(duel, play, 2, math.inf, 10**6))
    duel = Duel("good", "child", "", list(duel.counts), low=LOW, high=HIGH)
    for _ in settle(duel, play, 2, math.inf, 10**6):
        pass
    assert found == [duel.counts] * 2
    assert next_look(duel.pairs - 1) == duel.pairs


def test_elo():
    assert math.isclose(elo_of(10 / 11), 400)
    assert math.isclose(share_of(elo_of(0.37)), 0.37)


def test_exact_strength_against_a_chain_worked_out_by_hand():
    """Always shooting against never shooting, from the published chances of a goal alone."""
    game = load_game("bar-bolz")
    g, h = 132142139 / 679477248, 63369837 / 409600000
    exact = (race(g, h, True) + race(g, h, False)) / 2
    assert math.isclose(exact_share(game, "optimal", "child"), exact, rel_tol=1e-9)
    assert math.isclose(exact_share(game, "child", "good"), 1 - exact, rel_tol=1e-9)
    assert exact_share(game, "good", "good") == 0.5


@pytest.mark.parametrize(("level", "options"), [("casual", {}), ("random", {"black_faces": "5", "series": 3})], ids=str)
def test_exact_strength_is_that_of_many_matches(level, options):
    game = load_game("bar-bolz", **options)
    counts, _ = pairs_of(game, level, "child", seed=2)(0, 20_000)
    mean = sum(i * count for i, count in enumerate(counts)) / (4 * sum(counts))
    assert abs(mean - exact_share(game, level, "child")) < 4 * math.sqrt(0.25 / 20_000)


def test_levels_get_better_exactly():
    game = load_game("bar-bolz")
    shares = [exact_share(game, level, "child") for level in ("child", "casual", "adult", "keen", "optimal")]
    assert shares == sorted(shares)
    assert len(set(shares)) == 5


def test_in_5050_best_play_is_followed_against_a_child():
    game = load_game("5050", target=1000)
    exact = exact_share(game, "optimal", "child")
    counts, _ = pairs_of(game, "optimal", "child", seed=8)(0, 4000)
    mean = sum(i * count for i, count in enumerate(counts)) / (4 * sum(counts))
    assert abs(mean - exact) < 4 * math.sqrt(0.25 / 4000)
    assert exact_share(game, "child", "optimal") == 1 - exact
    assert exact_share(game, "optimal", "good") is None
    assert exact_share(load_game("dribbel-fieber"), "good", "child") is None


def test_nothing_is_known_exactly_of_a_plugged_in_player():
    plug_in("bar-bolz", "mine", lambda _view, legal: legal[0])
    try:
        assert exact_share(load_game("bar-bolz"), "mine", "child") is None
        assert exact_share(load_game("bar-bolz"), "child", "mine") is None
    finally:
        unplug("bar-bolz", "mine")


def test_results_of_a_plugged_in_player_count_as_long_as_its_code_is_the_same(tmp_path, monkeypatch):
    game, module, helper = load_game("bar-bolz"), tmp_path / "my_player.py", tmp_path / "my_helper.py"
    module.write_text("import my_helper\n\ndef choose(view, legal):\n    return legal[my_helper.PLACE]\n")
    helper.write_text("PLACE = 0\n")
    program = tmp_path / "player.sh"
    program.write_text("echo ready\ncat > /dev/null\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    choose, spoken = importlib.import_module("my_player").choose, LinePlayer(["sh", str(program)])
    for player, files in ((choose, (module, helper)), (partial(choose), (module, helper)), (spoken, (program,))):
        plug_in("bar-bolz", "mine", player)
        try:
            seen = [digest_of(game, players=("mine", "child"))]
            assert digest_of(game, players=("mine", "child")) == seen[0]
            for file in files:
                file.write_text(file.read_text() + "# another version\n")
                seen.append(digest_of(game, players=("mine", "child")))
            assert len(set(seen)) == len(seen)
            assert digest_of(game, players=("good", "child")) == digest_of(game)
        finally:
            unplug("bar-bolz", "mine")
    spoken.close()


def test_two_sides_are_compared():
    with pytest.raises(OptionError, match="two sides, not of 3"):
        check_players(load_game("5050", players=3), ("good", "child"))
    with pytest.raises(OptionError, match="unknown level"):
        check_players(load_game("5050"), ("good", "nobody"))
    check_players(load_game("bar-bolz", teams="2v2"), ("good", "child"))


def test_the_command(capsys, tmp_path):
    kept = tmp_path / "kept.json"
    ask = ["bench", "bar-bolz", "good", "child", "--seed", "1", "--matches", "--json", "--results", str(kept)]
    assert main([*ask, "--pairs", "20"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["pairs"] == 20 == sum(first["counts"])
    assert main(ask) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["verdict"] == "stronger"
    assert whole["elo"]["low"] < whole["elo"]["value"] < whole["elo"]["high"]
    assert all(now >= before for now, before in zip(whole["counts"], first["counts"], strict=True))
    assert main(["bench", "bar-bolz", "good", "child", "--seed", "1", "--matches"]) == 0
    shown = capsys.readouterr().out
    assert "good is stronger than child" in shown
    assert f"{100 * whole['points']['value']:.2f}" in shown
    assert main(["bench", "bar-bolz", "good", "child", "--json"]) == 0
    exact = json.loads(capsys.readouterr().out)
    assert exact["exact"]
    assert whole["points"]["low"] < exact["points"]["value"] < whole["points"]["high"]
    assert main([*ask, "--set", "series=3", "--pairs", "1"]) == 0
    capsys.readouterr()
    assert main([*ask, "--pairs", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == whole["counts"], "another variant must not push it out"
    spoilt = [
        {name: {**duel, "counts": counts} for name, duel in json.loads(kept.read_text()).items()}
        for counts in ([0.5, 0, 0, 0, 0], [-3, 0, 0, 0, 1], [1, 2])
    ]
    for text in ("[]", '{"name": "a file of something else"}', *map(json.dumps, spoilt)):
        kept.write_text(text)
        assert main(ask) == 2
        assert "no results of an earlier run" in capsys.readouterr().err
        assert kept.read_text() == text
    assert main(["bench", "bar-bolz", "good", "nobody"]) == 2


def test_ctrl_c_keeps_what_is_done(capsys, tmp_path, monkeypatch):
    whole, stopping = sequential.settle, iter([True])

    def stopped(duel, *rest):
        for each in whole(duel, *rest):
            yield each
            if next(stopping, False):
                raise KeyboardInterrupt

    monkeypatch.setattr(sequential, "settle", stopped)
    ask = ["bench", "bar-bolz", "good", "child", "--matches", "--json", "--results", str(tmp_path / "kept.json")]
    assert main(ask) == 130
    out = capsys.readouterr()
    assert "Stopped after" in out.err
    first = json.loads(out.out)["counts"]
    assert sum(first) > 0
    assert main(ask) == 0
    assert all(n >= m for n, m in zip(json.loads(capsys.readouterr().out)["counts"], first, strict=True))


def test_any_whole_number_is_a_seed_and_no_margin_is_too_large(capsys):
    ask = ["bench", "bar-bolz", "good", "child", "--matches", "--pairs", "4", "--json"]
    assert main([*ask, "--seed", "7"]) == 0
    usual = json.loads(capsys.readouterr().out)["counts"]
    assert main([*ask, "--seed", str(7 + 2**64), "--margin", "999999"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == usual
    for minutes in ("nan", "0", "soon"):
        assert main([*ask, "--minutes", minutes]) == 2
