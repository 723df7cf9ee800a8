"""What if the rules were different: options of a solved game to play with, and what becomes of the game.

To work out a variant takes from a moment to half a minute; that happens on one thread, one variant after the other, and
the page asks again until it is there. Only options are offered of which a server can work out every combination.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bolzplatz.core.game import Game
from bolzplatz.core.spec import show_value
from bolzplatz.games import game_spec, load_game
from bolzplatz.simulate import simulate
from bolzplatz.simulate.bench import pairs_of
from bolzplatz.solve import solve
from bolzplatz.web.language import Catalogue

OFFERED: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = {
    "bar-bolz": {"series": (1, 3, 5), "penalty_optional": (True, False)},
    "5050": {
        "target": (1000, 2500, 5050),
        "threshold": (200, 350, 500),
        "finish_round": (True, False),
        "converted_one_in_triple": (False, True),
    },
}
"""The options that the page offers, each with its values in the order of a slider."""
FACES: Final = ("10", "foul", "offside", "penalty")
"""Faces of the die of Bar-Bolz that may be dark or light; 5 is dark, and the pass is light."""
MATCHES: Final = 1000
PAIRS: Final = 500
SEED: Final = 1
KEPT: Final = 128
MOST_WAITING: Final = 4
"""Variants that wait to be worked out; who asks for more is told to come back."""
FELT: Final = 0.0005
WAITING: Final = "waiting"
BUSY: Final = "busy"
READY: Final = "ready"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a variant is like.

    Attributes:
        starter: the chance to win of the side that begins, in best play.
        length: throws and decisions of a match between good players, on average.
        skill: points of best play against a child's.
        own: figures that only this game has, by name (`whatif.<name>`), as they are shown.
    """

    starter: float
    length: float
    skill: float
    own: Mapping[str, float]


class Workshop:
    """Works variants out, one at a time, and keeps what came out."""

    def __init__(self) -> None:
        self._done = OrderedDict[Game, Figures | None]()
        self._waiting = list[Game]()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None

    def figures(self, game: Game) -> Figures | str:
        """Return what a variant is like, or WAITING, or BUSY."""
        with self._lock:
            if game in self._done:
                self._done.move_to_end(game)
                return self._done[game] or BUSY
            if game not in self._waiting:
                if len(self._waiting) >= MOST_WAITING:
                    return BUSY
                self._waiting.append(game)
            if self._thread is None:
                # A daemon: it must not keep the process from ending.
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
        return WAITING

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                game = self._waiting[0]
            try:
                found = work_out(game)
            except Exception:  # a full disk, for one; the thread must go on, or all would wait forever
                _log.exception("%r cannot be worked out", game)
                found = None
            with self._lock:
                self._waiting.remove(game)
                self._done[game] = found
                if len(self._done) > KEPT:
                    self._done.popitem(last=False)


WORKSHOP: Final = Workshop()


def work_out(game: Game) -> Figures:
    """Work a variant out; raises SolveError."""
    solution = solve(game, workers=1)
    facts = solution.facts()
    length = simulate(game, ["good"], MATCHES, SEED, workers=1).lengths.mean
    counts, _ = pairs_of(game, "optimal", "child", SEED)(0, PAIRS)
    own = (
        {"goal": facts["attacks"]["A"]["goal_chance"]}
        if game.name == "bar-bolz"
        else {"best_turn": facts["best_turn_points"], "fewest": facts["fewest_turns_alone"]}
    )
    skill = sum(quarters * count for quarters, count in enumerate(counts)) / (4 * PAIRS)
    return Figures(solution.win_chances(game.new_initial_state())[0], length, skill, own)


# --- the page -----------------------------------------------------------------------------------------------------


def read_options(game: str, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that a query asks for; what it does not know stays as it is in the standard rules."""
    spec = {option.name: option for option in game_spec(game).options}
    chosen = {}
    for name, values in OFFERED[game].items():
        asked = query.get(name, "")
        default = spec[name].check(game, spec[name].default)
        chosen[name] = next((value for value in values if show_value(value) == asked), default)
    if game == "bar-bolz" and "faces" in query:
        chosen["black_faces"] = ",".join(["5", *(face for face in FACES if query.get(f"face-{face}"))])
    return chosen


def told(game: str, query: Mapping[str, str], t: Catalogue) -> dict[str, Any]:
    """Return what the page shows."""
    options = read_options(game, query)
    variant, standard = load_game(game, **options), load_game(game)
    these, usual = (WORKSHOP.figures(each) for each in (variant, standard))
    state = READY if isinstance(these, Figures) and isinstance(usual, Figures) else WAITING
    if BUSY in (these, usual):
        state = BUSY
    return {
        "game": game,
        "state": state,
        "questions": [_question(game, name, values, options, t) for name, values in OFFERED[game].items()],
        "faces": _faces(variant, t) if game == "bar-bolz" else [],
        "answer": _answer(these, usual, variant == standard, t)
        if isinstance(these, Figures) and isinstance(usual, Figures)
        else None,
    }


def _question(
    game: str, name: str, values: tuple[Any, ...], options: Mapping[str, Any], t: Catalogue
) -> dict[str, Any]:
    key = f"options.{game}.{name}"

    def label(value: Any) -> str:
        text = show_value(value)
        return next((t(each) for each in (f"{key}.{text}", f"new.value.{text}") if t.has(each)), text)

    return {
        "name": name,
        "label": t(f"{key}.label"),
        "choices": [
            {"value": show_value(value), "label": label(value), "chosen": value == options[name]} for value in values
        ],
    }


def _faces(variant: Game, t: Catalogue) -> list[dict[str, Any]]:
    dark = str(variant.options["black_faces"]).split(",")
    return [{"name": face, "label": t(f"bar-bolz.face.{face}"), "dark": face in dark} for face in FACES]


def _answer(these: Figures, usual: Figures, same: bool, t: Catalogue) -> dict[str, Any]:
    point = t("training.say.point")

    def number(value: float, digits: int, unit: str = "") -> str:
        return f"{value:.{digits}f}".replace(".", point) + unit

    rows = [
        ("starter", *(number(100 * each.starter, 2, " %") for each in (usual, these))),
        ("second", *(number(100 * (1 - each.starter), 2, " %") for each in (usual, these))),
        ("length", *(number(each.length, 1) for each in (usual, these))),
        ("skill", *(number(100 * each.skill, 1, " %") for each in (usual, these))),
    ]
    for name in these.own:
        in_percent = name == "goal"
        shown = (each.own[name] * (100 if in_percent else 1) for each in (usual, these))
        rows.append((name, *(number(value, 2 if in_percent else 1, " %" if in_percent else "") for value in shown)))
    return {
        "rows": [(t(f"whatif.{name}"), before, now) for name, before, now in rows],
        "said": [t("whatif.same")] if same else _said(these, usual, t, number),
        "same": same,
        "exact": t("whatif.exact", n=MATCHES),
        "balance": round(100 * these.starter, 1),
    }


def _said(these: Figures, usual: Figures, t: Catalogue, number: Any) -> list[str]:
    """Say what changes, in sentences."""
    change = these.starter - usual.starter
    if abs(change) < FELT:
        said = [t("whatif.now_same")]
    else:
        said = [t("whatif.now_more" if change > 0 else "whatif.now_less", n=number(100 * abs(change), 1))]
    longer = round(100 * (these.length / usual.length - 1))
    if longer:
        said.append(t("whatif.longer" if longer > 0 else "whatif.shorter", n=abs(longer)))
    return said


def linked(game: str) -> bool:
    """Say whether a game has such a page."""
    return game in OFFERED
