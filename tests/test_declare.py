"""One declaration, and all that follows from it: dataclass, record, JSON, views, observations, bounds."""

import dataclasses
import json
from typing import Any, NamedTuple

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import bolzplatz
from bolzplatz.core.declare import Layout, Seen, declare, layout_of, number, numbers, per_seat
from bolzplatz.games import game_spec

MOST_SEATS = 4
INT64 = 2**63


# --- declarations made up by Hypothesis -------------------------------------------------------------------------


class Made(NamedTuple):
    """What a made-up field should be, kept apart from the code under test."""

    name: str
    low: int
    high: int
    seen: Seen
    length: int | None
    each: int

    def declared(self) -> Any:
        if self.each:
            return per_seat(self.low, self.high, "made up", seats=MOST_SEATS, each=self.each, seen_by=self.seen)
        if self.length is None:
            return number(self.low, self.high, "made up", seen_by=self.seen)
        return numbers(self.low, self.high, "made up", length=self.length, seen_by=self.seen)

    def size(self) -> int:
        return 1 if self.length is None else self.length

    def part_seen(self, seat: int | None, seats: int) -> list[int]:
        """The places of the entries that a seat may see."""
        if self.seen is Seen.NOBODY or (self.seen is Seen.OWNER and seat is None):
            return []
        if self.seen is Seen.OWNER:
            assert seat is not None
            return [seat * self.each + i for i in range(self.each)]
        return list(range(seats * self.each if self.each else self.size()))


class Case(NamedTuple):
    """A declaration with two states that fit it; `others` differs from `values` anywhere."""

    fields: list[Made]
    layout: Layout
    values: dict[str, Any]
    others: dict[str, Any]
    seats: int

    def data(self, values: dict[str, Any]) -> Any:
        return self.layout.cls(**{name: list(v) if isinstance(v, list) else v for name, v in values.items()})


def _made(name: str) -> st.SearchStrategy[Made]:
    bounds = st.tuples(st.integers(-INT64, INT64 - 1), st.integers(-INT64, INT64 - 1)).map(sorted)
    alone = st.tuples(st.sampled_from([Seen.EVERYONE, Seen.NOBODY]), st.sampled_from([None, 1, 2, 5]), st.just(0))
    each = st.integers(1, 3)
    shared = st.tuples(st.sampled_from(list(Seen)), each).map(lambda pair: (pair[0], MOST_SEATS * pair[1], pair[1]))
    return st.tuples(bounds, alone | shared).map(lambda made: Made(name, *made[0], *made[1]))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    fields = [draw(_made(f"field{i}")) for i in range(draw(st.integers(1, 5)))]
    body: dict[str, Any] = {field.name: field.declared() for field in fields}
    body["__annotations__"] = {field.name: int if field.length is None else list[int] for field in fields}

    def values() -> dict[str, Any]:
        made = {}
        for field in fields:
            entry = st.integers(field.low, field.high)
            size = field.size()
            made[field.name] = draw(entry if field.length is None else st.lists(entry, min_size=size, max_size=size))
        return made

    layout = Layout(declare(type("Made", (), body)))
    return Case(fields, layout, values(), values(), draw(st.integers(2, MOST_SEATS)))


def entries(value: Any) -> list[int]:
    return value if isinstance(value, list) else [value]


properties = settings(max_examples=60, deadline=None)


@properties
@given(cases())
def test_record_and_dict_round_trip(case):
    data = case.data(case.values)
    array = np.zeros(2, dtype=case.layout.dtype())
    case.layout.to_record(data, array[0])
    back = case.layout.from_record(array[0])
    assert back == data
    assert all(type(entry) is int for value in case.layout.to_dict(back).values() for entry in entries(value))
    assert case.layout.from_record(array[1]) == case.layout.cls()
    text = json.dumps(case.layout.to_dict(data))
    assert json.loads(text) == case.values
    assert case.layout.from_dict(json.loads(text)) == data


@properties
@given(cases())
def test_a_seat_sees_its_own_and_what_is_open_and_nothing_else(case):
    data = case.data(case.values)
    for seat in (None, *range(case.seats)):
        shown, masked = case.layout.visible(data, seat, case.seats), case.layout.masked(data, seat)
        assert json.loads(json.dumps(shown)).keys() == shown.keys()
        for field in case.fields:
            places = field.part_seen(seat, case.seats)
            own = [entries(case.values[field.name])[place] for place in places]
            if field.seen is Seen.EVERYONE:
                assert entries(shown[field.name]) == own
            elif places:
                assert list(shown[field.name]) == [seat]
                assert entries(shown[field.name][seat]) == own
            else:
                assert field.name not in shown
            kept = entries(getattr(masked, field.name))
            open_to_all = range(field.size()) if field.seen is Seen.EVERYONE else places
            assert kept == [
                entry if place in open_to_all else field.low
                for place, entry in enumerate(entries(case.values[field.name]))
            ]
        lowest = case.layout.lowest_entries()
        both = zip(case.layout.seen_entries(seat), case.layout.key(data), lowest, strict=True)
        assert case.layout.key(masked) == tuple(entry if seen else low for seen, entry, low in both)
    assert data == case.data(case.values), "looking changes nothing"


@properties
@given(cases())
def test_an_observation_is_laid_out_as_its_planes_say(case):
    data = case.data(case.values)
    planes = case.layout.observation_planes(case.seats)
    assert [name for name, _, _ in planes] == [field.name for field in case.fields if field.seen is not Seen.NOBODY]
    made = {field.name: field for field in case.fields}
    for seat in range(case.seats):
        observed = case.layout.observation(data, seat, case.seats)
        offsets = [offset for _, offset, _ in planes] + [len(observed)]
        assert offsets[0] == 0
        for (name, offset, _), end in zip(planes, offsets[1:], strict=True):
            places = made[name].part_seen(seat, case.seats)
            assert observed[offset:end] == [entries(case.values[name])[place] for place in places]


@properties
@given(cases())
def test_what_is_hidden_changes_nothing_that_a_seat_gets(case):
    layout = case.layout
    for seat in (None, *range(case.seats)):
        mixed = {}
        for field in case.fields:
            seen = range(field.size()) if field.seen is Seen.EVERYONE else field.part_seen(seat, case.seats)
            both = zip(entries(case.values[field.name]), entries(case.others[field.name]), strict=True)
            merged = [ours if place in seen else theirs for place, (ours, theirs) in enumerate(both)]
            mixed[field.name] = merged[0] if field.length is None else merged
        one, other = case.data(case.values), case.data(mixed)
        assert layout.visible(one, seat, case.seats) == layout.visible(other, seat, case.seats)
        assert layout.masked(one, seat) == layout.masked(other, seat)
        if seat is not None:
            assert layout.observation(one, seat, case.seats) == layout.observation(other, seat, case.seats)


@properties
@given(cases())
def test_copies_are_equal_and_share_nothing(case):
    data, other = case.data(case.values), case.data(case.others)
    copy = case.layout.copy(data)
    assert copy == data
    assert case.layout.key(copy) == case.layout.key(data)
    assert (case.layout.key(data) == case.layout.key(other)) == (case.values == case.others)
    for field in case.fields:
        if field.length is not None:
            getattr(copy, field.name)[0] += 1
            assert copy != data
    assert data == case.data(case.values)


@properties
@given(cases(), st.data())
def test_every_entry_out_of_bounds_is_named_and_refused(case, draw):
    assert case.layout.faults(case.data(case.values)) == []
    field = draw.draw(st.sampled_from(case.fields))
    place = draw.draw(st.integers(0, field.size() - 1))
    wrong = draw.draw(st.sampled_from([field.low - 1, field.high + 1]))
    broken = dict(case.values)
    broken[field.name] = [*entries(case.values[field.name])]
    broken[field.name][place] = wrong
    if field.length is None:
        broken[field.name] = wrong
    (fault,) = case.layout.faults(case.data(broken))
    assert f"{field.name}[{place}] = {wrong}" in fault
    with pytest.raises(ValueError, match=rf"^{field.name}: {wrong} is not an integer in {field.low}\.\.{field.high}$"):
        case.layout.from_dict(broken)


# --- by example -------------------------------------------------------------------------------------------------


@declare
class Table:
    phase: int = number(0, 3, "what comes next")
    dice: list[int] = numbers(0, 6, "dice that lie there", length=3)
    deck: int = number(1, 99, "the card on top", seen_by=Seen.NOBODY)
    score: list[int] = per_seat(0, 50, "points", seats=4)
    hand: list[int] = per_seat(1, 9, "cards held", seats=4, each=2, seen_by=Seen.OWNER)


LAYOUT = layout_of(Table)
DATA = Table(2, [4, 5, 6], 77, [10, 20, 30, 0], [1, 2, 3, 4, 5, 6, 7, 8])
DICT = {"phase": 2, "dice": [4, 5, 6], "deck": 77, "score": [10, 20, 30, 0], "hand": [1, 2, 3, 4, 5, 6, 7, 8]}


def test_a_state_starts_at_zero_and_holds_declared_fields_only():
    assert LAYOUT.to_dict(Table()) == {"phase": 0, "dice": [0] * 3, "deck": 0, "score": [0] * 4, "hand": [0] * 8}
    first, second = Table(), Table()
    first.dice[0] = 1
    assert second.dice == [0, 0, 0], "two states share no list"
    with pytest.raises(AttributeError):
        first.note = 1  # type: ignore[attr-defined]


def test_the_layout_is_made_once():
    assert layout_of(Table) is LAYOUT
    assert [field.name for field in LAYOUT.fields] == list(DICT)


def test_what_seat_1_of_3_gets():
    assert LAYOUT.visible(DATA, 1, 3) == {"phase": 2, "dice": [4, 5, 6], "score": [10, 20, 30], "hand": {1: [3, 4]}}
    assert LAYOUT.visible(DATA, None, 3) == {"phase": 2, "dice": [4, 5, 6], "score": [10, 20, 30]}
    assert LAYOUT.observation(DATA, 1, 3) == [2, 4, 5, 6, 10, 20, 30, 3, 4]
    planes = [(name, offset) for name, offset, _ in LAYOUT.observation_planes(3)]
    assert planes == [("phase", 0), ("dice", 1), ("score", 4), ("hand", 7)]
    assert LAYOUT.masked(DATA, 1) == Table(2, [4, 5, 6], 1, [10, 20, 30, 0], [1, 1, 3, 4, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phase": True}, "phase: True is not an integer"),
        ({"phase": 1.0}, "phase: 1.0 is not an integer"),
        ({"phase": "1"}, "phase: '1' is not an integer"),
        ({"phase": None}, "phase: None is not an integer"),
        ({"phase": [1]}, r"phase: \[1\] is not an integer"),
        ({"phase": 4}, r"phase: 4 is not an integer in 0\.\.3"),
        ({"dice": [4, 5]}, "dice: a list of 3 entries"),
        ({"dice": [4, 5, 6, 6]}, "dice: a list of 3 entries"),
        ({"dice": 4}, "dice: a list of 3 entries"),
        ({"dice": "456"}, "dice: a list of 3 entries"),
        ({"dice": [4, 5, 7]}, r"dice: 7 is not an integer in 0\.\.6"),
        ({"hand": [0] * 8}, r"hand: 0 is not an integer in 1\.\.9"),
        ({"extra": 1}, "fields missing or unknown: extra"),
    ],
)
def test_a_broken_dict_is_refused_by_the_field(change, message):
    with pytest.raises(ValueError, match=message):
        LAYOUT.from_dict(DICT | change)


@pytest.mark.parametrize("missing", DICT)
def test_a_missing_field_is_named(missing):
    with pytest.raises(ValueError, match=f"missing or unknown: {missing}$"):
        LAYOUT.from_dict({name: value for name, value in DICT.items() if name != missing})


def test_reading_takes_no_list_over():
    given = {name: list(value) if isinstance(value, list) else value for name, value in DICT.items()}
    read = LAYOUT.from_dict(given)
    given["dice"][0] = 1
    assert read == DATA


def test_only_seats_own_fields():
    @declare
    class Wrong:
        card: int = number(0, 9, "whose is it?", seen_by=Seen.OWNER)

    with pytest.raises(TypeError, match="card: a field that its owner sees is declared by per_seat"):
        layout_of(Wrong)


# --- the games --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", bolzplatz.game_names())
def test_games_declare_every_field_with_bounds_and_a_meaning(name):
    spec = game_spec(name)
    for cls in (spec.state, spec.setup):
        for field in layout_of(cls).fields:
            assert field.doc, f"{name}: {field.name} has no meaning"
            assert -INT64 <= field.low <= field.high < INT64, f"{name}: bounds of {field.name}"
            assert field.length is None or field.length > 0
    assert "seats" in {field.name for field in dataclasses.fields(spec.setup)}
    hidden = [field.name for field in layout_of(spec.state).fields if field.seen_by is not Seen.EVERYONE]
    assert spec.perfect_information == (not hidden)
