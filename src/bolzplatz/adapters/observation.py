"""What a learner sees: one vector of integers for a seat, its planes named by the state declaration.

The first plane says which seat observes; then comes every declared field that the seat may see, in the order of
declaration, whole where everybody sees it, the seat's own entries where only its owner does. Nothing is scaled: the
bounds of each plane say how. Equal vectors mean that the seat sees the same, and a hidden field has no place in them.

`python -m bolzplatz.adapters.observation > docs/observations.md` writes the page that documents all planes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.declare import Seen
from bolzplatz.core.game import Game, State
from bolzplatz.games import game_names, load_game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEAT: Final = "seat"
"""Name of the plane that comes first."""


@dataclass(frozen=True, slots=True)
class Plane:
    """A named part of the observation vector: entries `offset` … `offset + size - 1`, each in `low`..`high`.

    `own` says that it holds the observing seat's own entries only; `each` > 0 that so many entries belong to each seat.
    """

    name: str
    offset: int
    size: int
    low: int
    high: int
    doc: str
    own: bool = False
    each: int = 0

    @property
    def entries(self) -> slice:
        """The place of this plane in an observation: `observation[..., plane.entries]`."""
        return slice(self.offset, self.offset + self.size)


def planes(game: Game) -> tuple[Plane, ...]:
    """Return the planes of a game's observation, in order.

    >>> [(plane.name, plane.offset) for plane in planes(load_game("bar-bolz"))][:3]
    [('seat', 0), ('phase', 1), ('attacker', 2)]
    """
    seats = game.num_players
    found = [Plane(SEAT, 0, 1, 0, seats - 1, "the seat that observes")]
    for name, offset, field in game.layout.observation_planes(seats):
        own = field.seen_by is Seen.OWNER
        size = field.each if own else field.used(seats)
        found.append(Plane(name, offset + 1, size, field.low, field.high, field.doc, own, field.each))
    return tuple(found)


def plane(game: Game, name: str) -> Plane:
    """Return one plane by its name; raises KeyError that lists the known ones."""
    known = {found.name: found for found in planes(game)}
    if name not in known:
        raise KeyError(f"{game.name} has no plane {name!r}; known: {', '.join(known)}")
    return known[name]


def size_of(game: Game) -> int:
    """Return how many integers an observation has."""
    last = planes(game)[-1]
    return last.offset + last.size


def bounds(game: Game) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the lowest and the highest value of every entry, each (size,)."""
    import numpy as np

    lows = [low for part in planes(game) for low in [part.low] * part.size]
    highs = [high for part in planes(game) for high in [part.high] * part.size]
    return np.array(lows, dtype=np.int64), np.array(highs, dtype=np.int64)


def observe(state: State, seat: int) -> "NDArray[np.int64]":
    """Return what a seat observes, (size,); raises ValueError for a seat that does not exist."""
    import numpy as np

    return np.array([seat, *state.observation(seat)], dtype=np.int64)


def mask(state: State, seat: int) -> "NDArray[np.int8]":
    """Return 1 for each action that is legal for the seat now, (num_actions,); all 0 where it has nothing to decide."""
    import numpy as np

    legal = np.zeros(state.game.num_actions, dtype=np.int8)
    if state.current_player() in (seat, -2):
        legal[state.legal_actions(seat)] = 1
    return legal


def pieces(game: Game) -> "tuple[NDArray[np.uint64], NDArray[np.uint64]]":
    """Return the k pieces of a state's key that make up an observation after its first plane, neighbours in one.

    They are (seats, k) where each begins in the key, and (2, k) where it lies in the observation and how long it is.
    """
    import numpy as np

    seats = game.num_players
    starts: list[list[int]] = []
    lengths: list[int] = []
    start = 0
    for field in game.layout.fields:
        if field.seen_by is not Seen.NOBODY:
            own = field.seen_by is Seen.OWNER
            begins = [start + seat * field.each if own else start for seat in range(seats)]
            length = field.each if own else field.used(seats)
            if starts and [before + lengths[-1] for before in starts[-1]] == begins:
                lengths[-1] += length
            else:
                starts.append(begins)
                lengths.append(length)
        start += field.length or 1
    laid = [[1 + sum(lengths[:k]) for k in range(len(lengths))], lengths]
    return np.array(starts, dtype=np.uint64).T.copy(), np.array(laid, dtype=np.uint64)


# --- the page that documents them -------------------------------------------------------------------------------

_HEAD: Final = """# Observations

What a learner sees of each game, with its default options: a vector of integers (`int64`), the same in PettingZoo,
Gymnasium, OpenSpiel and the vector environment. This page is made from the state declarations by
`python -m bolzplatz.adapters.observation`, and a test keeps it so.

- The first plane is the seat that observes. *Entries* are counted from 0, the last one included.
- *Own* planes hold the observing seat's entries alone. What nobody may see has no plane.
- Planes with entries *per seat* come seat by seat, in seat order, whoever observes.
- Nothing is scaled; lowest and highest value are bounds that no state leaves, and not always tight.
- `bolzplatz.adapters.observation.plane(game, name).entries` is the slice of a plane.
"""


def page() -> str:
    """Return docs/observations.md."""
    return "\n".join([_HEAD, *(line for name in game_names() for line in _section(load_game(name)))])


def _section(game: Game) -> Iterator[str]:
    yield f"## {game.name}\n"
    yield f"{size_of(game)} integers, {game.num_actions} actions, {game.num_players} seats.\n"
    yield "| plane | entries | lowest | highest | whose | meaning |\n|---|---|---|---|---|---|"
    for part in planes(game):
        last = part.offset + part.size - 1
        entries = f"{part.offset}" if part.size == 1 else f"{part.offset}–{last}"
        yield f"| `{part.name}` | {entries} | {part.low} | {part.high} | {_whose(part)} | {part.doc} |"
    yield ""


def _whose(part: Plane) -> str:
    if part.own:
        return "own"
    return f"{part.each} per seat" if part.each else "all"


def main(_arguments: Any = None) -> None:
    """Print the page."""
    print(page(), end="")


if __name__ == "__main__":
    main()
