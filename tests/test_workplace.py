"""The same results wherever a run computes: threads, or the processes of a real Dask cluster."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from types import SimpleNamespace

import numpy as np
import pytest

from bolzplatz import load_game
from bolzplatz.bots.plugins import unplug
from bolzplatz.cli.main import main
from bolzplatz.core.workplace import WorkplaceError, on_cluster, workplace
from bolzplatz.simulate import simulate
from bolzplatz.solve import fifty_fifty as fifty
from bolzplatz.solve import fifty_fifty_three as three
from tests.test_cli import answer


def numbers(result):
    """All that a run found; how long it took and on how many workers is told apart."""
    found = result.to_dict()
    del found["timing"]
    return json.dumps(found, sort_keys=True)


def solved(solver, game, folder, monkeypatch):
    folder.mkdir(exist_ok=True)
    monkeypatch.setattr("bolzplatz.solve.tables.table_folder", lambda: folder)
    return {name: array.tobytes() for name, array in solver.solve(game, workers=2).table.arrays.items()}


def test_two_processes_of_a_dask_cluster_find_what_threads_find(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    game, matches, small = load_game("bar-bolz"), 3000, load_game("5050", target=400)
    here = numbers(simulate(game, ["good", "random"], matches, seed=9, workers=1))
    games = ((fifty, small), (three, load_game("5050", players=3, target=150, finish_round=False)))
    tables = [solved(*each, tmp_path / "here", monkeypatch) for each in games]
    with workplace("dask", workers=2):
        from distributed import get_client

        processes = set(get_client().run(os.getpid).values())
        assert on_cluster()
        assert numbers(simulate(game, ["good", "random"], matches, seed=9)) == here
        assert [solved(*each, tmp_path / "there", monkeypatch) for each in games] == tables
    assert len(processes) == 2
    assert os.getpid() not in processes
    assert not on_cluster()


@pytest.mark.parametrize("players", [2, 3])
def test_threads_of_one_worker_do_not_disturb_each_other(players, monkeypatch):
    """Each notes its piece in its memories, waits until the other one has done so, and gives what it finds there."""
    both = Barrier(2, timeout=60)

    def noted(memories, number):
        for memory in memories:
            memory[:] = number
        both.wait()
        (found,) = {int(number) for memory in memories for number in memory}
        return found

    def solve_pairs(memories, n, tables, total, begin, *_):
        tables[0][begin * n + total - begin] = noted(memories, begin)
        return 0

    def solve_triples(memories, known, triples, _told):
        three._triples_in(known)[0, triples] = noted(memories, triples[0])

    game = load_game("5050", players=players, target=200, finish_round=False)
    code = SimpleNamespace(solve_pairs=solve_pairs, solve_triples=solve_triples)
    for solver in (fifty, three):
        monkeypatch.setattr(solver, "compile_functions", lambda _: code)
    monkeypatch.setattr(three, "last_round", lambda _: np.zeros(1, dtype=np.int64))
    if players == 2:
        solve, keep, numbers = fifty.solve_piece, partial(fifty._turn_memories, game), (1, 2)
        zeros = np.zeros(16, dtype=np.int64)
        pieces = [(game, (zeros, zeros, zeros, 0), 3, number, number + 1) for number in numbers]
    else:
        solve, keep, numbers = three.solve_afar, partial(three._at_work, game, 0), (6, 9)
        known = three.new_memory(game, three.turn_of(game))
        pieces = [(game, known, np.array([number])) for number in numbers]
    keep.func.cache_clear()
    try:
        keep()  # what a worker keeps after its first piece
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda piece: solve(*piece), pieces))
    finally:
        keep.func.cache_clear()
    assert [int(np.ravel(first[0])[0]) for first, _ in found] == list(numbers)


@pytest.mark.long
@pytest.mark.parametrize(
    "asked",
    [
        "simulate bar-bolz --matches 2000 --json",
        "report bar-bolz --matches 2000 --json",
        "bench bar-bolz good child --matches --pairs 3000 --json",
    ],
    ids=str,
)
def test_commands_run_on_a_cluster(asked):
    pytest.importorskip("distributed")
    here, there = (json.loads(answer(*asked.split(), *more)) for more in ((), ("--backend", "dask", "--workers", "2")))
    for found in (here, there):
        found.pop("timing", None)
    assert here == there


def test_a_player_of_ones_own_stays_on_this_machine(tmp_path, monkeypatch, capsys):
    (tmp_path / "own_player.py").write_text("def first(view, legal):\n    return legal[0]\n")
    monkeypatch.chdir(tmp_path)
    own = ["--player", "own=bar-bolz:python:own_player:first"]
    try:
        assert main(["bench", "bar-bolz", "own", "child", "--backend", "dask", *own]) == 2
    finally:
        unplug("bar-bolz", "own")
    assert "this machine only" in capsys.readouterr().err


def test_what_stands_against_a_cluster_is_told_in_one_line(monkeypatch, capsys):
    with pytest.raises(WorkplaceError, match="dask only"), workplace("local", "tcp://127.0.0.1:1"):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkplaceError, match=r"bolzplatz\[dask\]"), workplace("dask"):
        pass
    for name in ("--address", "--scheduler"):
        assert main(["solve", "bar-bolz", name, "tcp://127.0.0.1:1"]) == 2
        told = capsys.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)
        assert "dask only" in told.err
