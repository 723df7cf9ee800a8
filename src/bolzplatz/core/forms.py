"""The physical form of a chance node, packed into one integer so that compiled rules can return it.

`dice(n, sides)` says that n equal dice with that many sides are thrown; a driver draws n integers in 0..sides-1 and the
game's `outcome_of` maps them to the outcome's id. A weighted form has no dice: a driver draws the outcome's id by
its weights (an open card, an order of hands). A hidden form is a weighted one of which only some seat may learn what
came up: the card that the top of a shuffled pile turns out to be. All functions but `describe` belong to the compiled
subset.
"""

from typing import Final

FORM_DICE: Final = 1
FORM_WEIGHTED: Final = 2
FORM_HIDDEN: Final = 3
MAX_DRAWN: Final = 16
"""No form draws more integers than this: the length of the buffers that drivers pass around."""

_BITS: Final = 12
_LOW: Final = 2**_BITS - 1


def dice(count: int, sides: int) -> int:
    """Pack the form "`count` dice with `sides` sides"."""
    return (FORM_DICE << 2 * _BITS) | (count << _BITS) | sides


def weighted() -> int:
    """Pack the form "one outcome by its weight"."""
    return (FORM_WEIGHTED << 2 * _BITS) | (1 << _BITS)


def hidden() -> int:
    """Pack the form "one outcome by its weight, and not for everybody to see"."""
    return (FORM_HIDDEN << 2 * _BITS) | (1 << _BITS)


def form_kind(form: int) -> int:
    """Return `FORM_DICE`, `FORM_WEIGHTED` or `FORM_HIDDEN`."""
    return form >> 2 * _BITS


def form_count(form: int) -> int:
    """Return how many integers are drawn."""
    return (form >> _BITS) & _LOW


def form_sides(form: int) -> int:
    """Return the number of sides of each die, 0 for a form without dice."""
    return form & _LOW


def describe(form: int) -> str:
    """Return the form in words for records, e.g. `6d6`, `weighted` or `hidden`."""
    if form_kind(form) == FORM_DICE:
        return f"{form_count(form)}d{form_sides(form)}"
    return "hidden" if form_kind(form) == FORM_HIDDEN else "weighted"
