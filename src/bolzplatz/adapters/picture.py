"""A picture of a position for `rgb_array`: the page's own drawings on one board, without a browser.

`bolzplatz.web.picture` puts them together as SVG, resvg turns that into pixels. What a spectator sees is in it, and
nothing else.
"""

from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from bolzplatz.core.game import State

PICTURE: Final = "rgb_array"


def draw(state: State, names: list[str]) -> "NDArray[np.uint8]":
    """Return the picture, (640, 640, 3), with a name for each seat. Raises ImportError that names a missing extra."""
    import numpy as np

    try:
        import cssselect2  # noqa: F401 - `web.picture` needs it, and tinycss2, which comes with it
        import resvg_py
        from PIL import Image
    except ImportError:
        from bolzplatz.adapters.extras import missing

        raise missing("resvg", "rl") from None
    from bolzplatz.web.picture import FAMILY, FONT, board_svg

    png = resvg_py.svg_to_bytes(
        svg_string=board_svg(state, names), skip_system_fonts=True, font_files=[str(FONT)], font_family=FAMILY
    )
    return np.asarray(Image.open(BytesIO(png)).convert("RGB"), dtype=np.uint8)
