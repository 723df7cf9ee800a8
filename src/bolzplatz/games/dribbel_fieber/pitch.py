"""The pitch of Dribbel-Fieber as plain numbers: spaces, directions, and what lies next to what.

A space is row * 5 + column, from a1 = 0 to e8 = 39: columns from red's left, row 1 is red's goal line. Seen from a
side's own goal, spaces are numbered the same way: red's own view is the pitch as it is, blue's is turned by 180°. All
functions belong to the compiled subset (`core.spec`).
"""

from typing import Final

COLUMNS: Final = 5
ROWS: Final = 8
SPACES: Final = COLUMNS * ROWS
HALF: Final = SPACES // 2
"""Own half: spaces 0..19 as the side sees them; from here on the opposing half."""
SPACE_NAMES: Final = tuple(f"{column}{row + 1}" for row in range(ROWS) for column in "abcde")

DIRECTION_NAMES: Final = ("F", "B", "L", "R", "FL", "FR", "BL", "BR")
"""Arrows as the owner of a card sees them: forward, back, left, right and the four between them."""
DIRECTIONS: Final = len(DIRECTION_NAMES)
_STEPS: Final = ((0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (-1, -1), (1, -1))
"""Columns and rows that a step in each direction goes on."""
GOES_FORWARD: Final = tuple(int(rows > 0) for _, rows in _STEPS)
"""1 for each direction toward the opposing goal."""
OFF_PITCH: Final = -1


def _next_spaces() -> tuple[int, ...]:
    """Return at space * DIRECTIONS + direction the space one step on, or OFF_PITCH."""
    found = []
    for space in range(SPACES):
        for columns, rows in _STEPS:
            column, row = space % COLUMNS + columns, space // COLUMNS + rows
            inside = 0 <= column < COLUMNS and 0 <= row < ROWS
            found.append(row * COLUMNS + column if inside else OFF_PITCH)
    return tuple(found)


NEXT_SPACE: Final = _next_spaces()


def turned(seat: int, space: int) -> int:
    """Turn a space from the pitch into the seat's own view, or back (dribbel-fieber §2)."""
    return space if seat == 0 else SPACES - 1 - space
