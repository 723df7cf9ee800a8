"""The editor of editions of Dribbel-Fieber: whoever owns the box types in what board, figures and cards show.

The page knows the fields, the loader of editions (`games.dribbel_fieber.edition`) alone knows what is right: it checks
what was typed and what was uploaded in the same way, and names field and reason. Nothing is kept on the server.
"""

from typing import Any, Final

from bolzplatz.core.texts import game_texts
from bolzplatz.games.dribbel_fieber import NAME
from bolzplatz.games.dribbel_fieber.edition import (
    CARD_NAMES,
    COLOUR_NAMES,
    HIGHEST_NUMBER,
    LOWEST_NUMBER,
    MAX_PRICE,
    MAX_TEXT,
    MAX_TITLE,
    RULE,
    SHIPPED,
    VOLLEY_NAME,
    EditionError,
    check_arrows,
    read_edition,
)
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, ROWS, SPACE_NAMES
from bolzplatz.games.dribbel_fieber.state import FIGURES, MAX_PATHS, MAX_STEPS, POLDIS
from bolzplatz.web.language import Catalogue
from bolzplatz.web.render.arrows import picture
from bolzplatz.web.render.dribbel_fieber import CENTRES, SHAPES
from bolzplatz.web.templating import fill_macro

FREE: Final = "free"
"""The symbol of the free action, beside those of the cards."""
MAX_ARROWS: Final = MAX_PATHS * (3 * MAX_STEPS + 2)
"""Characters of the arrows of one symbol, as they are typed."""


def form(name: str, t: Catalogue) -> dict[str, Any]:
    """Return what the editor asks for, filled with an edition that ships; an unknown name means the first one."""
    shipped = name if name in SHIPPED else SHIPPED[0]
    words = game_texts(NAME, t.language).words
    return {
        "from": shipped,
        "shipped": SHIPPED,
        "data": read_edition(shipped).data(),
        "colours": [{"name": colour, "word": words[colour]} for colour in COLOUR_NAMES],
        "shapes": SHAPES,
        "spaces": [SPACE_NAMES[COLUMNS * row + column] for row in reversed(range(ROWS)) for column in range(COLUMNS)],
        "figures": range(1, FIGURES + 1),
        "cards": [{"name": card, "word": words[card]} for card in CARD_NAMES],
        "actions": [{"name": card, "word": words[card]} for card in (*CARD_NAMES, VOLLEY_NAME)],
        "free": words[FREE],
        "poldis": range(POLDIS),
        "rows": range(ROWS // 2),
        "lowest": LOWEST_NUMBER,
        "highest": HIGHEST_NUMBER,
        "max_price": MAX_PRICE,
        "max_title": MAX_TITLE,
        "max_text": MAX_TEXT,
        "max_arrows": MAX_ARROWS,
    }


def checked(text: str, t: Catalogue) -> dict[str, Any]:
    """Check the text of an edition, typed or uploaded; what is wrong is said in the language of `t`.

    Returns:
        `ok`, and either `data` (as `Edition.data` gives it), `title`, `digest` and `toml`, or `field`, `reason` and
        `rule`.
    """
    try:
        edition = read_edition(text)
    except EditionError as fault:
        return {"ok": False, "field": fault.field, "reason": fault.reason(t.language), "rule": RULE}
    return {
        "ok": True,
        "data": edition.data(),
        "title": edition.title,
        "digest": edition.digest(),
        "toml": edition.toml(),
    }


def drawn(card: str, arrows: str, t: Catalogue) -> dict[str, Any]:
    """Draw the arrows of a card as they are typed, with commas between the ways; `ok`, and `svg` or `reason`."""
    ways = [way for part in arrows[:MAX_ARROWS].split(",") if (way := " ".join(part.upper().split()))]
    try:
        check_arrows(ways)
    except EditionError as fault:
        return {"ok": False, "reason": fault.reason(t.language)}
    sketch = picture(ways, CENTRES.get(card, "figure"))
    return {"ok": True, "svg": fill_macro("games/dribbel-fieber-pieces.html", "arrows", sketch)}
