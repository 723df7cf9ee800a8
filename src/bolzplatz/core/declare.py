"""A game's state, declared once: fields, lengths, bounds, and who may see each.

From one declaration come the slotted dataclass that interpreted rules run on, the NumPy dtype that compiled rules run
on, JSON, the view of a seat, the observation layout and the bounds that property tests check.

    @declare
    class State:
        phase: int = number(0, 3, "what happens next")
        written: list[int] = per_seat(0, 10**9, "points written", seats=10)
"""

import dataclasses
import enum
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
_SLOT = "bolzplatz"


class Seen(enum.Enum):
    """Who may see a field. An OWNER field has entries for each seat, and each seat sees its own alone."""

    EVERYONE = "everyone"
    OWNER = "its owner"
    NOBODY = "nobody"


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One declared field. `length` is None for a plain number; `each` entries belong to each seat if `each` > 0."""

    name: str
    low: int
    high: int
    doc: str
    seen_by: Seen
    length: int | None
    each: int

    def used(self, seats: int) -> int:
        """Return how many entries a match with that many seats uses."""
        if self.length is None:
            return 1
        return seats * self.each if self.each else self.length


def number(low: int, high: int, doc: str, seen_by: Seen = Seen.EVERYONE) -> Any:
    """Declare an integer between `low` and `high`, both included."""
    return dataclasses.field(default=0, metadata={_SLOT: (low, high, doc, seen_by, None, 0)})


def numbers(low: int, high: int, doc: str, length: int, seen_by: Seen = Seen.EVERYONE) -> Any:
    """Declare an array of `length` integers between `low` and `high`."""
    meta = {_SLOT: (low, high, doc, seen_by, length, 0)}
    return dataclasses.field(default_factory=lambda: [0] * length, metadata=meta)


def per_seat(low: int, high: int, doc: str, seats: int, each: int = 1, seen_by: Seen = Seen.EVERYONE) -> Any:
    """Declare `each` integers for every seat; seat i has the entries from i * each. `seats` is the most a game has."""
    meta = {_SLOT: (low, high, doc, seen_by, seats * each, each)}
    return dataclasses.field(default_factory=lambda: [0] * (seats * each), metadata=meta)


@dataclass_transform(field_specifiers=(number, numbers, per_seat))
def declare(cls: type[T]) -> type[T]:
    """Turn a class of declared fields into a slotted dataclass whose values start at zero."""
    return dataclasses.dataclass(slots=True)(cls)


class Layout:
    """All that follows from one declaration.

    >>> @declare
    ... class Point:
    ...     x: int = number(0, 9, "across")
    ...     hand: list[int] = per_seat(0, 3, "cards held", seats=4, seen_by=Seen.OWNER)
    >>> layout = layout_of(Point)
    >>> layout.visible(Point(2, [1, 2, 3, 0]), seat=1, seats=3)
    {'x': 2, 'hand': {1: 2}}
    """

    def __init__(self, cls: type[Any]) -> None:
        self.cls = cls
        self.fields = tuple(Field(f.name, *f.metadata[_SLOT]) for f in dataclasses.fields(cls))
        for field in self.fields:
            if field.seen_by is Seen.OWNER and not field.each:
                raise TypeError(f"{field.name}: a field that its owner sees is declared by per_seat")
        self.copy: Callable[[Any], Any] = self._copier()

    def _copier(self) -> Callable[[Any], Any]:
        """Build the copying function once: clones happen at every node of a search."""
        parts = ", ".join(f"s.{f.name}" if f.length is None else f"s.{f.name}[:]" for f in self.fields)
        return eval(f"lambda s: cls({parts})", {"cls": self.cls})  # type: ignore[no-any-return]

    def values(self, data: Any) -> Iterator[tuple[Field, list[int]]]:
        """Yield each field with its entries."""
        for field in self.fields:
            value = getattr(data, field.name)
            yield field, [value] if field.length is None else value

    def key(self, data: Any) -> tuple[int, ...]:
        """Return all entries in the order of declaration: equal keys, equal values."""
        return tuple(entry for _, entries in self.values(data) for entry in entries)

    def to_dict(self, data: Any) -> dict[str, Any]:
        """Return plain integers and lists, for JSON."""
        return {f.name: entries[0] if f.length is None else list(entries) for f, entries in self.values(data)}

    def from_dict(self, values: dict[str, Any]) -> Any:
        """Inverse of `to_dict`; raises ValueError that names the field where something does not fit."""
        wrong = set(values) ^ {f.name for f in self.fields}
        if wrong:
            raise ValueError(f"fields missing or unknown: {', '.join(sorted(wrong))}")
        data = self.cls()
        for field in self.fields:
            value = values[field.name]
            entries = [value] if field.length is None else value
            if not isinstance(entries, list) or len(entries) != (field.length or 1):
                raise ValueError(f"{field.name}: a list of {field.length} entries is expected")
            for entry in entries:
                if type(entry) is not int or not field.low <= entry <= field.high:
                    raise ValueError(f"{field.name}: {entry!r} is not an integer in {field.low}..{field.high}")
            setattr(data, field.name, value if field.length is None else list(value))
        return data

    def faults(self, data: Any) -> list[str]:
        """Name every entry that is out of its declared bounds."""
        return [
            f"{field.name}[{i}] = {entry}, outside {field.low}..{field.high}"
            for field, entries in self.values(data)
            for i, entry in enumerate(entries)
            if not field.low <= entry <= field.high
        ]

    def visible(self, data: Any, seat: int | None, seats: int) -> dict[str, Any]:
        """Return what `seat` may see (None: a spectator), built by allow-list; unused entries are cut off.

        An OWNER field appears as a dict with the seat's own entry or entries under its number.
        """
        shown: dict[str, Any] = {}
        for field, entries in self.values(data):
            if field.seen_by is Seen.EVERYONE:
                shown[field.name] = entries[0] if field.length is None else list(entries[: field.used(seats)])
            elif field.seen_by is Seen.OWNER and seat is not None:
                own = list(entries[seat * field.each : (seat + 1) * field.each])
                shown[field.name] = {seat: own[0] if field.each == 1 else own}
        return shown

    def masked(self, data: Any, seat: int | None) -> Any:
        """Return a copy in which all that `seat` may not see holds its lowest value; this is what bots are given."""
        copy = self.copy(data)
        for field in self.fields:
            if field.seen_by is Seen.EVERYONE:
                continue
            blank = [field.low] * (field.length or 1)
            if field.seen_by is Seen.OWNER and seat is not None:
                own = slice(seat * field.each, (seat + 1) * field.each)
                blank[own] = getattr(data, field.name)[own]
            setattr(copy, field.name, blank[0] if field.length is None else blank)
        return copy

    def seen_entries(self, seat: int | None) -> list[int]:
        """Return, for every entry in the order of `key`, 1 where that seat sees it, else 0."""
        seen = []
        for field in self.fields:
            for i in range(field.length or 1):
                own = field.seen_by is Seen.OWNER and seat is not None and i // field.each == seat
                seen.append(int(field.seen_by is Seen.EVERYONE or own))
        return seen

    def lowest_entries(self) -> list[int]:
        """Return the lowest value of every entry in the order of `key`: what `masked` puts in place of hidden ones."""
        return [field.low for field in self.fields for _ in range(field.length or 1)]

    def observation_planes(self, seats: int) -> list[tuple[str, int, Field]]:
        """Return (name, offset, field) of each plane of the observation vector, in order of declaration."""
        planes, offset = [], 0
        for field in self.fields:
            if field.seen_by is not Seen.NOBODY:
                planes.append((field.name, offset, field))
                offset += field.each if field.seen_by is Seen.OWNER else field.used(seats)
        return planes

    def observation(self, data: Any, seat: int, seats: int) -> list[int]:
        """Return the integers that `seat` observes, laid out as `observation_planes` says."""
        observed: list[int] = []
        for field, entries in self.values(data):
            if field.seen_by is Seen.EVERYONE:
                observed += entries[: field.used(seats)]
            elif field.seen_by is Seen.OWNER:
                observed += entries[seat * field.each : (seat + 1) * field.each]
        return observed

    def dtype(self) -> "np.dtype[Any]":
        """Return the structured dtype of the compiled state: every entry an int64."""
        import numpy as np

        return np.dtype(
            [(f.name, np.int64) if f.length is None else (f.name, np.int64, (f.length,)) for f in self.fields]
        )

    def to_record(self, data: Any, record: Any) -> None:
        """Write an interpreted state into one element of an array of `dtype()`."""
        for field in self.fields:
            record[field.name] = getattr(data, field.name)

    def from_record(self, record: Any) -> Any:
        """Read an interpreted state back from one element of an array of `dtype()`."""
        return self.cls(
            *(int(record[f.name]) if f.length is None else [int(x) for x in record[f.name]] for f in self.fields)
        )


_layouts: dict[type[Any], Layout] = {}


def layout_of(cls: type[Any]) -> Layout:
    """Return the layout of a declared class; made once."""
    if cls not in _layouts:
        _layouts[cls] = Layout(cls)
    return _layouts[cls]
