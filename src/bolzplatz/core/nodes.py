"""Who acts at a node: a seat (0 and up) or one of these constants, with OpenSpiel's names and numbers."""

from typing import Final

CHANCE: Final = -1
SIMULTANEOUS: Final = -2
TERMINAL: Final = -4
NOBODY: Final = -1
"""`roller` at a chance node that no seat throws: a deck, a coin, an order of hands."""
