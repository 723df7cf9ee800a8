"""From a frame to what a browser shows: the table's HTML, the sentences of the log, and the cues of the animation.

`draw_frame` is the seam to the socket. A *cue* is one step that the page plays before it shows the new state, such as
dice that fall or a ball that rolls; cues say only what already happened, and a page may leave them out.

Cues, each a dict with `do`:
    throw  `dice`: list of {at, face, dark, turn, die}: element ids, faces and the seat's die; the dice fall there
    set    `on` (an element id), `name`, `value`, `ms`: change one attribute, which moves something
    say    `text`, `tone` (goal, good, bad, card, calm), `ms`: a strip across the table
    sound  `name`
    wait   `ms`
"""

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from bolzplatz.core.texts import event_text, game_texts
from bolzplatz.table.frames import Frame
from bolzplatz.web.language import Catalogue, catalogue
from bolzplatz.web.templating import fill

_SCENES: Final = {"bar-bolz": "bar_bolz", "5050": "fifty_fifty"}
GAMES: Final = tuple(_SCENES)
"""The games that have a page, in the order in which they lie on the home page."""

MOST_CUED: Final = 12
"""A page that missed more entries than this is shown the present state without any animation."""


def _scene(game: str) -> ModuleType:
    """Return the module that draws a game; imported when the first table of that game is shown."""
    return importlib.import_module(f"bolzplatz.web.render.{_SCENES[game]}")


def draw_frame(frame: Frame, language: str) -> dict[str, Any]:
    """Return what a frame message says in one language: `html`, the new `lines` of the log, and `cues`."""
    cued = frame.events and frame.version - frame.since <= MOST_CUED
    return {
        "html": frame_html(frame, language),
        "lines": log_lines(frame, frame.events, language),
        "cues": _scene(frame.setup["game"]).cues(frame, catalogue(language)) if cued else [],
    }


def frame_html(frame: Frame, language: str) -> str:
    """Return the element `#table` for a frame."""
    t = catalogue(language)
    game = frame.setup["game"]
    scene = _scene(game).scene(frame, t)
    return fill(f"games/{game}.html", t=t, frame=frame, scene=scene, result=_result(frame, t, scene))


def log_lines(frame: Frame, events: Sequence[Mapping[str, Any]], language: str) -> list[dict[str, Any]]:
    """Return the events as sentences for the log drawer: kind, step, seat, rule and text."""
    texts = game_texts(frame.setup["game"], language)
    names = seat_names(frame)
    return [
        {
            "kind": event["kind"],
            "step": event["step"],
            "seat": event["seat"],
            "rule": event["rule"],
            "text": event_text(texts, event, names),
        }
        for event in events
    ]


def table_title(frame: Frame, t: Catalogue) -> str:
    """Return the name of a table for window titles and lists: the game and who sits there."""
    return f"{t('games.' + frame.setup['game'] + '.short')}: {' – '.join(seat_names(frame)[:4])}"


def seat_names(frame: Frame) -> list[str]:
    """Return the names at the seats, in seat order."""
    return [player["name"] for player in frame.players]


def _result(frame: Frame, t: Catalogue, scene: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the card at the end of a match says: who won, and why."""
    if frame.result is None:
        return None
    names = seat_names(frame)
    winners = [names[seat] for seat in frame.result["winners"]]
    several = len(winners) > 1
    return {
        "title": t("end.winners" if several else "end.winner", name=t("end.and").join(winners)),
        "why": scene["why"],
        "looks": [frame.players[seat]["look"] for seat in frame.result["winners"]],
    }
