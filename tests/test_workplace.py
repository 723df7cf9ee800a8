"""The same results wherever a run computes: threads, or the processes of a real Dask cluster."""

import json
import os
import sys

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
