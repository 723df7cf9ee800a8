"""From a frame to what a browser shows: the table's HTML, the sentences of the log, and the cues of the animation.

`draw_frame` is the seam to the socket. A *cue* is one step that the page plays before it shows the new state, such as
dice that fall or a ball that rolls; cues say only what already happened, and a page may leave them out.

Cues, each a dict with `do`:
    throw  `dice`: list of {at, face, dark, turn, die}: element ids, faces and the seat's die; the dice fall there;
           `fresh`: only those fall that the page shows in the hand
    set    `on` (an element id), `name`, `value`, `ms`: change one attribute, which moves something, or the `text`
    say    `text`, `tone` (goal, good, bad, card, calm), `ms`: a strip across the table
    sound  `name`
    wait   `ms`
"""

import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final
from urllib.parse import urlsplit

from bolzplatz.core.texts import event_text, game_texts
from bolzplatz.games import game_spec, load_game
from bolzplatz.table.afterwards import can_look_at
from bolzplatz.table.frames import Frame
from bolzplatz.table.setup import BOT, SEALED
from bolzplatz.web.language import Catalogue, catalogue
from bolzplatz.web.render.around import around, look_of, merged, told
from bolzplatz.web.templating import fill, fill_macro

_SCENES: Final = {
    "bar-bolz": "bar_bolz",
    "5050": "fifty_fifty",
    "gooaaaaal": "gooaaaaal",
    "wilde-kerle": "wilde_kerle",
    "dribbel-fieber": "dribbel_fieber",
}
GAMES: Final = tuple(_SCENES)
"""The games that have a page, in the order in which they lie on the home page."""

_THIS_DEVICE: Final = ("localhost", "127.0.0.1", "::1")
MOST_CUED: Final = 12
"""A page that missed more entries than this is shown the present state without any animation."""


def _scene(game: str) -> ModuleType:
    """Return the module that draws a game; imported when the first table of that game is shown."""
    return importlib.import_module(f"bolzplatz.web.render.{_SCENES[game]}")


def draw_frame(frame: Frame, language: str, link: str = "") -> dict[str, Any]:
    """Return what a frame message says in one language.

    `html` is the table; `strip` and `people` what surrounds the match (the strip is part of `html`, too); `lines` are
    new for the log, `cues` are played before the table is shown. `link` is the address by which others join.
    """
    t = catalogue(language)
    about = around(frame, t)
    strip = _strip(about, t)
    return {
        "html": _table_html(frame, t, link, about, strip),
        "strip": strip,
        "people": _people(frame, t, about),
        "lines": merged(_sentences(frame, frame.events, language), told(frame, t, frame.since)),
        "cues": _cues(frame, t),
        "title": table_title(frame, t),
    }


def _cues(frame: Frame, t: Catalogue) -> list[dict[str, Any]]:
    if frame.room or not frame.events or frame.version - frame.since > MOST_CUED:
        return []
    cues: list[dict[str, Any]] = _scene(frame.setup["game"]).cues(frame, t)
    return cues


def frame_html(frame: Frame, language: str, link: str = "") -> str:
    """Return the element `#table` for a frame: the room before the match, or the game."""
    t = catalogue(language)
    about = around(frame, t)
    return _table_html(frame, t, link, about, _strip(about, t))


def _table_html(frame: Frame, t: Catalogue, link: str, about: Mapping[str, Any], strip: str) -> str:
    values = {"t": t, "frame": frame, "around": about, "strip": strip}
    if frame.room:
        from bolzplatz.web.render import room

        local = urlsplit(link).hostname in _THIS_DEVICE
        return fill("games/room.html", scene=room.scene(frame, t), link=link, local=local, **values)
    game = frame.setup["game"]
    scene = _scene(game).scene(frame, t)
    return fill(f"games/{game}.html", scene=scene, result=_result(frame, t, scene), **values)


def _strip(about: Mapping[str, Any], t: Catalogue) -> str:
    return fill_macro("around.html", "strip", about, t)


def people_html(frame: Frame, language: str) -> str:
    """Return the element `#people`: who is there, and what may be called out or asked."""
    t = catalogue(language)
    return _people(frame, t, around(frame, t))


def _people(frame: Frame, t: Catalogue, about: Mapping[str, Any]) -> str:
    return fill_macro("around.html", "people", frame, about, t)


def log_lines(frame: Frame, language: str) -> list[dict[str, Any]]:
    """Return the log of a match as sentences for the drawer: kind, step, seat, rule and text."""
    return merged(_sentences(frame, frame.log, language), told(frame, catalogue(language)))


def replay_lines(frame: Frame, language: str) -> list[dict[str, Any]]:
    """Return the log of a match seen again: how it began, and what has happened up to this step."""
    t = catalogue(language)
    dice = t("replay.opening_sealed" if frame.setup["dice"] == SEALED else "replay.opening_hand")
    names = ", ".join(seat_names(frame))
    opening = t("replay.opening", game=t(f"games.{frame.setup['game']}.title"), names=names, dice=dice)
    first = {"kind": "opening", "step": 0, "seat": None, "rule": "", "text": opening}
    return [first, *log_lines(frame, language)]


def _sentences(frame: Frame, events: Sequence[Mapping[str, Any]], language: str) -> list[dict[str, Any]]:
    texts = game_texts(frame.setup["game"], language)
    names = seat_names(frame)
    secret = _secret_kinds(frame)
    return [
        {
            "kind": event["kind"],
            "step": event["step"],
            "seat": event["seat"],
            "rule": event["rule"],
            "text": event_text(texts, event, names),
        }
        for event in events
        if event["kind"] not in secret
    ]


def _secret_kinds(frame: Frame) -> frozenset[str]:
    """Return the kinds of events that one seat alone may read, where people of several seats read this page."""
    people = [seat for seat in frame.seats if frame.players[seat]["kind"] != BOT]
    if len(people) < 2 or frame.hands is not None or frame.replay is not None:
        return frozenset()
    return frozenset(kind.name for kind in game_spec(frame.setup["game"]).events if kind.seat_only)


def table_title(frame: Frame, t: Catalogue) -> str:
    """Return the name of a table for window titles and lists: the game and who sits there."""
    names = [name for name in seat_names(frame)[:4] if name]
    return f"{t('games.' + frame.setup['game'] + '.short')}: {' – '.join(names)}"


def seat_names(frame: Frame) -> list[str]:
    """Return the names at the seats, in seat order."""
    return [player["name"] for player in frame.players]


def _result(frame: Frame, t: Catalogue, scene: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the card at the end of a match says: who won, and why; `known`: whether it can be taken apart."""
    if frame.result is None:
        return None
    known = can_look_at(load_game(frame.setup["game"], **frame.setup["options"]))
    if frame.ended and not frame.result["winners"]:
        return {"title": t("end.ended"), "why": t("end.ended_why"), "looks": [], "known": known}
    if not frame.result["winners"]:
        return {"title": t("end.level"), "why": scene["why"], "looks": [], "known": known}
    names = seat_names(frame)
    winners = [names[seat] for seat in frame.result["winners"]]
    several = len(winners) > 1
    return {
        "title": t("end.winners" if several else "end.winner", name=t("end.and").join(winners)),
        "why": scene["why"],
        "looks": [look_of(frame, seat) for seat in frame.result["winners"]],
        "known": known,
    }
