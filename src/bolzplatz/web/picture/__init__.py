"""A position as one SVG that looks like the page and needs no browser: `board_svg`.

The page of a spectator is filled in as for a table, and its drawings are put down by the layouts of `boards`. Hidden
things are not in it: a spectator's page has none.
"""

from typing import Any, Final

from bolzplatz.core.game import State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS
from bolzplatz.table.frames import Frame
from bolzplatz.table.table import WAIT_CHOOSE, WAIT_DECIDE, WAIT_OVER, WAIT_THROW
from bolzplatz.web.language import catalogue
from bolzplatz.web.picture.boards import LAYOUTS, SIZE
from bolzplatz.web.picture.page import FAMILY, FONT, Page
from bolzplatz.web.render import frame_html

__all__ = ["FAMILY", "FONT", "SIZE", "board_svg"]

_LANGUAGE: Final = "en"
LOOKS: Final = 10
"""So many shirts there are."""


def board_svg(state: State, names: list[str]) -> str:
    """Return the picture of a position, SIZE large, with a name for each seat."""
    frame = _frame(state, names)
    game = state.game.name
    page = Page(game, frame_html(frame, _LANGUAGE), catalogue(_LANGUAGE), SIZE)
    LAYOUTS[game](page)
    return page.svg()


def _frame(state: State, names: list[str]) -> Frame:
    """Return what a spectator of a table without any history would be told."""
    player = state.current_player()
    over = state.is_terminal()
    kind = {CHANCE: WAIT_THROW, SIMULTANEOUS: WAIT_CHOOSE}.get(player, WAIT_DECIDE)
    seat = state.roller() if player == CHANCE else player if player >= 0 else None
    players: list[dict[str, Any]] = [
        {"kind": "human", "name": name, "level": None, "look": place % LOOKS, "handicap": 0}
        for place, name in enumerate(names)
    ]
    returns = state.returns()
    result = {
        "returns": returns,
        "scores": state.scores(),
        "winners": [place for place, share in enumerate(returns) if share > 0],
    }
    events = state.events(None)
    steps = state.move_number()
    setup = {
        "game": state.game.name, "options": dict(state.game.options), "dice": "sealed", "speed": "normal",
        "mode": "normal", "language": _LANGUAGE, "turn_seconds": None, "open_hands": False, "room": False, "pace": "",
        "strict": False, "tie": "", "training": False, "coach": False,
    }  # fmt: skip
    return Frame(
        table="",
        version=steps,
        since=steps,
        waiting={"for": WAIT_OVER if over else kind, "seat": None if over else seat},
        seat=None,
        seats=(),
        mine=False,
        view={**state.view(None), "legal_actions": []},
        legal=[],
        outcomes=[],
        dice=None,
        events=[],
        log_length=len(events),
        draw=None,
        players=players,
        setup=setup,
        can_undo=False,
        result=result if over else None,
        rematch=None,
        words=[],
        owners=[None] * len(names),
        presence=[None] * len(names),
        history=events,
        replay={"step": steps, "steps": steps, "perspective": None, "perspectives": [None]},
    )
