"""A picture of a position for `rgb_array`: the board as a person reads it in a terminal, character by character.

The page at the table is HTML that a browser lays out; this picture needs no browser, only Pillow and its own font.
"""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from bolzplatz.core.game import State

PICTURE: Final = "rgb_array"
CELL: Final = (10, 20)
"""Width and height of a character, in pixels."""
MARGIN: Final = 12
COLUMNS: Final = 78
ROWS: Final = 22
"""The least that fits into a picture, so that all pictures of a match can make a film."""
PAPER: Final = (250, 246, 235)
INK: Final = (28, 40, 34)


def draw(state: State) -> "NDArray[np.uint8]":
    """Return the picture, (height, width, 3). Raises ImportError that names the extra where Pillow is missing."""
    import numpy as np

    try:
        from PIL import Image, ImageDraw
    except ImportError:
        from bolzplatz.adapters.extras import missing

        raise missing("Pillow", "rl") from None
    lines = str(state).splitlines()
    columns, rows = max(COLUMNS, *map(len, lines)), max(ROWS, len(lines))
    picture = Image.new("RGB", (columns * CELL[0] + 2 * MARGIN, rows * CELL[1] + 2 * MARGIN), PAPER)
    pen = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            if character != " ":
                place = (MARGIN + (column + 0.5) * CELL[0], MARGIN + (row + 0.5) * CELL[1])
                pen.text(place, character, fill=INK, font=_font(), anchor="mm")
    return np.asarray(picture, dtype=np.uint8)


@cache
def _font() -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size=15)
