"""What if the rules were different: options of a solved game to play with, and what becomes of the game.

To work out a variant takes from a moment to half a minute; that happens on one thread, one variant after the other, and
the page asks again until it is there. Only options are offered of which a server can work out every combination.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bolzplatz.core.game import Game
from bolzplatz.core.spec import show_value
from bolzplatz.games import game_spec, load_game
from bolzplatz.simulate import simulate
from bolzplatz.simulate.bench import pairs_of
from bolzplatz.solve import solve
from bolzplatz.web.language import Catalogue
from bolzplatz.web.workshop import BUSY, READY, WAITING, Workshop

OFFERED: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = {
    "bar-bolz": {"series": (1, 3, 5), "penalty_optional": (True, False)},
    "5050": {
        "target": (1050, 2050, 3050, 4050, 5050),
        "threshold": (200, 250, 300, 350, 400, 450, 500),
        "finish_round": (True, False),
        "converted_one_in_triple": (False, True),
    },
    "gooaaaaal": {
        "mode": ("five-goals", "match"),
        "supporter_chain": (True, False),
        "spirit_on_rethrow": (True, False),
        "dead_heat": ("repeat", "saved", "coin"),
    },
}
"""The options that the page offers, each with its values in order; numbers are a slider, so they lie evenly."""
FACES: Final = ("10", "foul", "offside", "penalty")
"""Faces of the die of Bar-Bolz that may be dark or light; 5 is dark, and the pass is light."""
MATCHES: Final = 1000
PAIRS: Final = 500
SEED: Final = 1
KEPT: Final = 128
FELT: Final = 0.0005


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


def work_out(game: Game) -> Figures:
    """Work a variant out; raises SolveError."""
    solution = solve(game, workers=1)
    facts = solution.facts()
    length = simulate(game, ["good"], MATCHES, SEED, workers=1).lengths.mean
    counts, _ = pairs_of(game, "optimal", "child", SEED)(0, PAIRS)
    own = _OWN[game.name](facts)
    skill = sum(quarters * count for quarters, count in enumerate(counts)) / (4 * PAIRS)
    return Figures(solution.win_chances(game.new_initial_state())[0], length, skill, own)


_OWN: Final[Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, float]]]] = {
    "bar-bolz": lambda facts: {"goal": facts["attacks"]["A"]["goal_chance"]},
    "5050": lambda facts: {"best_turn": facts["best_turn_points"], "fewest": facts["fewest_turns_alone"]},
    "gooaaaaal": lambda facts: {"penalty": facts["penalty_goal"]},
}
"""What a solved game's figures tell besides."""
IN_PERCENT: Final = ("goal", "penalty")

WORKSHOP: Final = Workshop[Game, Figures](lambda game: work_out(game), KEPT)


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
    these, usual = (WORKSHOP.ask(each) for each in (variant, standard))
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

    numbers = [value for value in values if type(value) is int]
    slider = None
    if len(numbers) == len(values):
        slider = {"low": numbers[0], "high": numbers[-1], "step": numbers[1] - numbers[0], "value": options[name]}
    return {
        "name": name,
        "label": t(f"{key}.label"),
        "slider": slider,
        "choices": [
            {"value": show_value(value), "label": label(value), "chosen": value == options[name]} for value in values
        ],
    }


def _faces(variant: Game, t: Catalogue) -> list[dict[str, Any]]:
    dark = str(variant.options["black_faces"]).split(",")
    return [{"name": face, "label": t(f"bar-bolz.face.{face}"), "dark": face in dark} for face in FACES]


def _answer(these: Figures, usual: Figures, same: bool, t: Catalogue) -> dict[str, Any]:
    def number(value: float, digits: int, unit: str = "") -> str:
        return t.number(value, digits) + unit

    rows = [
        ("starter", *(number(100 * each.starter, 2, " %") for each in (usual, these))),
        ("second", *(number(100 * (1 - each.starter), 2, " %") for each in (usual, these))),
        ("length", *(number(each.length, 1) for each in (usual, these))),
        ("skill", *(number(100 * each.skill, 1, " %") for each in (usual, these))),
    ]
    for name in these.own:
        in_percent = name in IN_PERCENT
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
