"""Sealed draws, version 1: dice and shuffles that nobody at the table can choose or foresee.

The server and every seat's browser fix a chain of hashes before the match starts; each draw takes one fresh value of
every chain. `docs/sealed-draws.md` is the specification, section numbers below (`§4`) are its own, and
`web/static/sealed.js` is the second implementation; `tests/data/sealed_vectors.json` holds both to the same bytes.

Everything here is pure: no clock, no network, no files but the word list; secrets are passed in or come from
`new_secret`. Read it from the top: bytes and hashes, chains, the opening record, draws, the log, the three parties
(`SealedServer`, `Contributor`, `verify_proof`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from bolzplatz.core.errors import BolzplatzError

PROTOCOL: Final = "sealed-draws-1"
CHAIN_LENGTH: Final = 4096
"""Draws that one chain serves."""
MARKED: Final = 16
SERVER: Final = "server"
MAX_COUNT: Final = 1024
"""The most dice, numbers or cards in one draw."""
MAX_WEIGHTS: Final = 8192
WORD_ROUNDS: Final = 4096
"""Hashes behind the six words: makes searching for two openings with equal words 4096 times dearer."""

_MAX_INT: Final = 2**53 - 1
_MAX_DEPTH: Final = 64
_WORD_RANGE: Final = 2**32
_HEX = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"(seat|witness)-(0|[1-9][0-9]{0,3})")
_NUMBER = "(?:0|[1-9][0-9]{0,9})"
_FORM = re.compile(f"(?:d|below )({_NUMBER})|weighted ({_NUMBER}(?:,{_NUMBER})*)|order|deck")

Field = bytes | str | int | None
"""What may enter a hash: raw bytes, text as UTF-8, a count as decimal digits, None as nothing."""


class SealedError(BolzplatzError):
    """A value or message that the protocol refuses.

    Attributes:
        what: a stable code such as `link`, listed in `docs/sealed-draws.md` §12.
        where: the field, such as `draw.values.seat-0`.
        expected: what should have been there, for people.
        found: what was there.
    """

    def __init__(self, what: str, where: str, expected: str = "", found: str = "") -> None:
        self.what, self.where, self.expected, self.found = what, where, expected, found
        super().__init__(_differs(self))


def _differs(fault: SealedError | Fault) -> str:
    return f"{fault.where} ({fault.what}): expected {fault.expected or 'nothing'}, found {fault.found or 'nothing'}"


# --- Canonical JSON and reading untrusted values (§1) -----------------------------------------------------------------


def canonical_json(value: object, where: str = "json") -> bytes:
    """Return the one UTF-8 text of a JSON value: sorted keys, no blanks, whole numbers below 2**53 only.

    Raises SealedError (`shape`) for floats, larger numbers, keys that are no text, unpaired surrogates, and more than
    64 levels.

    >>> canonical_json({"b": [1, None], "a": "ö"}).decode()
    '{"a":"ö","b":[1,null]}'
    """
    _check_json(value, where, 0)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise SealedError("shape", where, "text without unpaired surrogates", "one") from None


def _check_json(value: object, where: str, depth: int) -> None:
    """Refuse what canonical JSON cannot hold."""
    if depth > _MAX_DEPTH:
        raise SealedError("shape", where, f"at most {_MAX_DEPTH} levels", "more")
    if value is None or isinstance(value, (str, bool)):
        return
    if isinstance(value, int) and abs(value) <= _MAX_INT:
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            _check_json(item, where, depth + 1)
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for item in value.values():
            _check_json(item, where, depth + 1)
    else:
        raise SealedError("shape", where, "JSON with text keys and whole numbers below 2**53", "another value")


def read_canonical(data: bytes) -> Any:
    """Read canonical JSON bytes; any other spelling of the same value is refused (SealedError `shape`)."""
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise SealedError("shape", "json", "canonical JSON in UTF-8", "something else") from None
    if canonical_json(value) != data:
        raise SealedError("shape", "json", "canonical JSON", "another spelling")
    return value


def _show(value: object) -> str:
    """Return an untrusted value, cut short, for a fault message."""
    try:
        return canonical_json(value).decode()[:80]
    except SealedError:
        return "?"


def _fields(value: object, where: str, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise SealedError("shape", where, "the fields " + ", ".join(names), _show(value))
    return value


def _hex(value: object, where: str) -> bytes:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise SealedError("shape", where, "64 hex digits", _show(value))
    return bytes.fromhex(value)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise SealedError("shape", where, "text", _show(value))
    return value


def _count(value: object, where: str, low: int, high: int = _MAX_INT) -> int:
    if type(value) is not int or not low <= value <= high:
        raise SealedError("shape", where, f"a number from {low} to {high}", _show(value))
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise SealedError("shape", where, "a list", _show(value))
    return value


# --- Hashes (§2) ------------------------------------------------------------------------------------------------------


def new_secret() -> bytes:
    """Return 32 fresh bytes from the operating system."""
    return secrets.token_bytes(32)


def _pack(purpose: str, table: str, fields: Iterable[Field]) -> bytes:
    """Return a hash input: every field behind its length in four bytes, the purpose and the table first."""
    parts = []
    for item in (f"bolzplatz {PROTOCOL} {purpose}", table, *fields):
        data = b"" if item is None else item if isinstance(item, bytes) else str(item).encode("utf-8")
        parts += [len(data).to_bytes(4, "big"), data]
    return b"".join(parts)


def tagged_hash(purpose: str, table: str, *fields: Field) -> bytes:
    """Return SHA-256 over the purpose, the table id and the fields (§2)."""
    return hashlib.sha256(_pack(purpose, table, fields)).digest()


def tagged_mac(key: bytes, purpose: str, table: str, *fields: Field) -> bytes:
    """Return HMAC-SHA-256 over the purpose, the table id and the fields (§2)."""
    return hmac.digest(key, _pack(purpose, table, fields), "sha256")


# --- Contributors and their chains (§3) -------------------------------------------------------------------------------


def seat_name(seat: int) -> str:
    """Return the name of the contributor that sits on a seat."""
    return f"seat-{seat}"


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return contributors in the order in which they enter a hash: server, seats, witnesses, each by number."""

    def rank(name: str) -> tuple[int, int]:
        kind, _, number = name.partition("-")
        return (SERVER, "seat", "witness").index(kind), int(number or 0)

    return tuple(sorted(names, key=rank))


def _check_name(name: object, where: str) -> str:
    if not isinstance(name, str) or (name != SERVER and not _NAME.fullmatch(name)):
        raise SealedError("shape", where, "server, seat-N or witness-N", _show(name))
    return name


@dataclass(frozen=True)
class Chain:
    """The values that one contributor reveals, one per draw; made from a secret by `make_chain`."""

    table: str
    who: str
    start: int
    """The number of the last draw before this chain: 0 at the opening."""
    marks: tuple[bytes, ...] = field(repr=False)
    """Every `MARKED`-th value, the tip first: a server has many chains, and each value is asked for once."""

    @property
    def tip(self) -> bytes:
        """The published commitment."""
        return self.marks[0]

    def value(self, k: int) -> bytes:
        """Return the value for draw `k`; SealedError (`used-up`) outside start + 1 .. start + 4096."""
        if not self.start < k <= self.start + CHAIN_LENGTH:
            raise SealedError("used-up", "k", f"{self.start + 1} to {self.start + CHAIN_LENGTH}", str(k))
        mark = -(-(k - self.start) // MARKED)
        behind = min(self.start + mark * MARKED, self.start + CHAIN_LENGTH)
        return walk_back(self.table, self.who, behind, self.marks[mark], k)


def make_chain(secret: bytes, table: str, who: str, start: int = 0) -> Chain:
    """Make the chain of a contributor; a renewal uses the same secret with another start."""
    return _made_chain(secret, table, who, start, CHAIN_LENGTH)


@lru_cache(maxsize=32)
def _made_chain(secret: bytes, table: str, who: str, start: int, length: int) -> Chain:
    # Around an opening the same chain is made several times over.
    value = tagged_hash("chain end", table, who, start, secret)
    marks = [value]
    for k in range(start + length, start, -1):
        value = chain_link(table, who, k, value)
        if (k - 1 - start) % MARKED == 0:
            marks.append(value)
    return Chain(table, who, start, tuple(reversed(marks)))


def chain_link(table: str, who: str, k: int, value: bytes) -> bytes:
    """Return the value of draw k - 1 that belongs to the value of draw k."""
    number = b"%d" % k
    link = _link_start(table, who).copy()
    link.update(len(number).to_bytes(4, "big") + number + len(value).to_bytes(4, "big") + value)
    return link.digest()


@lru_cache(maxsize=4096)
def _link_start(table: str, who: str) -> hashlib._Hash:
    """Return the hash of what all links of a chain begin with."""
    return hashlib.sha256(_pack("chain", table, (who,)))


def walk_back(table: str, who: str, k: int, value: bytes, to: int) -> bytes:
    """Return the value of draw `to` that belongs to the value of the later draw `k`."""
    while k > to:
        value = chain_link(table, who, k, value)
        k -= 1
    return value


# --- The opening record (§4) ------------------------------------------------------------------------------------------


def deck_commitment(deck_secret: bytes, table: str) -> bytes:
    """Return what is published of the deck secret at the opening."""
    return tagged_hash("deck", table, deck_secret)


@dataclass(frozen=True)
class Opening:
    """Everything that is fixed before the first draw.

    `options` and the dicts of `seats` are any canonical JSON. `tips` holds the server's tip and one per contributor;
    `restarts` counts openings of this table that were given up before.
    """

    table: str
    game: str
    rules_version: str
    data_digest: str
    options: Mapping[str, Any]
    seats: Sequence[Mapping[str, Any]]
    tips: Mapping[str, bytes]
    deck: bytes
    restarts: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the record as it is published."""
        return {
            "protocol": PROTOCOL,
            "table": self.table,
            "game": self.game,
            "rules_version": self.rules_version,
            "data_digest": self.data_digest,
            "options": dict(self.options),
            "seats": [dict(seat) for seat in self.seats],
            "tips": {who: tip.hex() for who, tip in self.tips.items()},
            "deck": self.deck.hex(),
            "restarts": self.restarts,
        }

    @classmethod
    def from_json(cls, value: object) -> Opening:
        """Read a published record; SealedError says what is wrong with it."""
        names = ("protocol", "table", "game", "rules_version", "data_digest", "options", "seats", "tips", "deck")
        data = _fields(value, "opening", (*names, "restarts"))
        canonical_json(data, "opening")
        if data["protocol"] != PROTOCOL:
            raise SealedError("protocol", "opening.protocol", PROTOCOL, _show(data["protocol"]))
        for name in ("table", "game", "rules_version", "data_digest"):
            _text(data[name], f"opening.{name}")
        if not isinstance(data["options"], dict):
            raise SealedError("shape", "opening.options", "an object", _show(data["options"]))
        for seat in _list(data["seats"], "opening.seats"):
            if not isinstance(seat, dict):
                raise SealedError("shape", "opening.seats", "an object", _show(seat))
        tips = _read_tips(data["tips"], "opening.tips", len(data["seats"]))
        deck = _hex(data["deck"], "opening.deck")
        restarts = _count(data["restarts"], "opening.restarts", 0)
        texts = (data["table"], data["game"], data["rules_version"], data["data_digest"])
        return cls(*texts, data["options"], data["seats"], tips, deck, restarts)

    def digest(self) -> bytes:
        """Return the hash of the record: the first head of the log."""
        return tagged_hash("opening", self.table, canonical_json(self.to_json()))


def _read_tips(value: object, where: str, seats: int) -> dict[str, bytes]:
    """Read the tips of an opening or a renewal: the server's among them, no two alike, no seat that does not exist."""
    if not isinstance(value, dict):
        raise SealedError("shape", where, "an object", _show(value))
    tips = {name: _hex(value[name], where) for name in in_order(_check_name(name, where) for name in value)}
    if SERVER not in tips:
        raise SealedError("tips", where, "a tip of the server", ", ".join(tips))
    if len(set(tips.values())) < len(tips):
        raise SealedError("tips", where, "no two tips alike", "a copied tip")
    for name in tips:
        if name.startswith("seat-") and int(name[5:]) >= seats:
            raise SealedError("tips", where, f"seats below {seats}", name)
    return tips


@lru_cache(maxsize=1)
def word_list() -> tuple[str, ...]:
    """Return the 2048 words, from the data file beside this module."""
    return tuple(Path(__file__).with_name("words.txt").read_text(encoding="ascii").split())


def six_words(table: str, head: bytes) -> tuple[str, ...]:
    """Return the words that players compare aloud after an opening or a renewal: 66 bits of the log head."""
    for _ in range(WORD_ROUNDS):
        head = tagged_hash("words", table, head)
    bits = int.from_bytes(head[:9], "big") >> 6
    return tuple(word_list()[bits >> shift & 2047] for shift in range(55, -1, -11))


# --- Draws (§5 to §8) -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DrawRequest:
    """What every contributor is asked: draw number, purpose, acting seat, form and count, log head, who is asked."""

    k: int
    purpose: str
    seat: int | None
    form: str
    n: int
    head: bytes
    expected: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the request as it is sent."""
        return {
            "k": self.k,
            "purpose": self.purpose,
            "seat": self.seat,
            "form": self.form,
            "n": self.n,
            "head": self.head.hex(),
            "expected": list(self.expected),
        }

    @classmethod
    def from_json(cls, value: object) -> DrawRequest:
        """Read a request; SealedError says what is wrong with it."""
        data = _fields(value, "request", ("k", "purpose", "seat", "form", "n", "head", "expected"))
        canonical_json(data, "request")
        expected = _read_names(data["expected"], "request.expected")
        return cls(*_read_common(data, "request"), expected)

    def digest(self, table: str) -> bytes:
        """Return the hash by which a contributor remembers what it answered."""
        return tagged_hash("request", table, canonical_json(self.to_json()))


@dataclass(frozen=True)
class Draw:
    """A finished draw: the request, the values that answered it, what was drawn (None for a deck: it stays hidden)."""

    request: DrawRequest
    server: bytes
    values: Mapping[str, bytes]
    faces: tuple[int, ...] | None

    @property
    def absent(self) -> tuple[str, ...]:
        """The contributors that were asked and left out."""
        return tuple(who for who in self.request.expected if who not in self.values)

    def to_json(self) -> dict[str, Any]:
        """Return the log entry."""
        data = self.request.to_json()
        del data["expected"]  # follows from the values and the absent
        data["server"] = self.server.hex()
        data["values"] = {who: value.hex() for who, value in self.values.items()}
        data["absent"] = list(self.absent)
        data["faces"] = None if self.faces is None else list(self.faces)
        return {"draw": data}

    @classmethod
    def from_json(cls, entry: object) -> Draw:
        """Read a log entry; SealedError says what is wrong with its shape. `Commitments.take` checks its truth."""
        parts = ("k", "purpose", "seat", "form", "n", "head", "server", "values", "absent", "faces")
        data = _fields(_fields(entry, "entry", ("draw",))["draw"], "draw", parts)
        common = _read_common(data, "draw")
        server = _hex(data["server"], "draw.server")
        if not isinstance(data["values"], dict):
            raise SealedError("shape", "draw.values", "an object", _show(data["values"]))
        names = _read_names(list(in_order(_check_name(name, "draw.values") for name in data["values"])), "draw.values")
        values = {name: _hex(data["values"][name], f"draw.values.{name}") for name in names}
        absent = _read_names(data["absent"], "draw.absent")
        if not values.keys().isdisjoint(absent):
            raise SealedError("shape", "draw.absent", "nobody who answered", ", ".join(absent))
        faces = None if data["faces"] is None else _list(data["faces"], "draw.faces")
        for face in faces or ():
            _count(face, "draw.faces", 0)
        request = DrawRequest(*common, in_order((*values, *absent)))
        return cls(request, server, values, None if faces is None else tuple(faces))


def _read_common(data: Mapping[str, Any], where: str) -> tuple[int, str, int | None, str, int, bytes]:
    """Read the fields that a request and a draw share."""
    k = _count(data["k"], f"{where}.k", 1)
    purpose = _text(data["purpose"], f"{where}.purpose")
    seat = None if data["seat"] is None else _count(data["seat"], f"{where}.seat", 0)
    form = _text(data["form"], f"{where}.form")
    read_form(form, f"{where}.form")
    n = _count(data["n"], f"{where}.n", 1, MAX_COUNT)
    return k, purpose, seat, form, n, _hex(data["head"], f"{where}.head")


def _read_names(value: object, where: str) -> tuple[str, ...]:
    """Read a list of contributors without the server, each once, in order."""
    names = tuple(_check_name(name, where) for name in _list(value, where))
    if SERVER in names or len(set(names)) < len(names) or names != in_order(names):
        raise SealedError("shape", where, "contributors, each once and in order", _show(value))
    return names


def read_form(form: str, where: str = "form") -> tuple[str, tuple[int, ...]]:
    """Return the kind of a form and its numbers; SealedError (`shape`) for an unknown one (§7).

    >>> read_form("d6"), read_form("weighted 1,2,3"), read_form("deck")
    (('d', (6,)), ('weighted', (1, 2, 3)), ('deck', ()))
    """
    match = _FORM.fullmatch(form)
    kind = form.split(" ")[0].rstrip("0123456789")
    numbers = tuple(int(number) for number in (match[1] or match[2] or "").split(",") if number) if match else ()
    in_range = {
        "d": len(numbers) == 1 and 2 <= numbers[0] <= 252,
        "below": len(numbers) == 1 and 1 <= numbers[0] <= _WORD_RANGE,
        "weighted": 1 <= len(numbers) <= MAX_WEIGHTS and 1 <= sum(numbers) <= _WORD_RANGE,
    }
    if not match or not in_range.get(kind, True):
        raise SealedError("shape", where, "d2 to d252, below N, weighted A,B,…, order or deck", _show(form))
    return kind, numbers


def draw_seed(table: str, request: DrawRequest, server: bytes, values: Mapping[str, bytes]) -> bytes:
    """Return R_k, the 32 bytes from which draw k is made (§6); an absent contributor enters with an empty value."""
    asked = (part for who in request.expected for part in (who, values.get(who)))
    fixed = (request.k, request.purpose, request.seat, request.form, request.n, request.head)
    return tagged_mac(server, "draw", table, *fixed, *asked)


def deck_key(deck_secret: bytes, table: str, k: int, seed: bytes) -> bytes:
    """Return the key of the hidden shuffle that is draw k (§8)."""
    return tagged_mac(deck_secret, "shuffle", table, k, seed)


class Stream:
    """Numbers from a key: the key's own 32 bytes, then HMAC(key; 1), HMAC(key; 2), … (§7).

    `first=1` leaves out the key itself, as a deck does: what is seen of a shuffle must not be bytes of its key.
    """

    def __init__(self, key: bytes, table: str, first: int = 0) -> None:
        self._key, self._table, self._next = key, table, first
        self._bytes = b""

    def _take(self, count: int) -> bytes:
        while len(self._bytes) < count:
            self._bytes += tagged_mac(self._key, "stream", self._table, self._next) if self._next else self._key
            self._next += 1
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken

    def die(self, sides: int) -> int:
        """Return 1 .. sides (2 to 252) from one byte; bytes from the largest multiple of `sides` on are passed over."""
        limit = 256 - 256 % sides
        while (byte := self._take(1)[0]) >= limit:
            pass
        return 1 + byte % sides

    def dice(self, n: int, sides: int) -> list[int]:
        """Return n dice."""
        return [self.die(sides) for _ in range(n)]

    def below(self, n: int) -> int:
        """Return 0 .. n-1 (n up to 2**32) from one big-endian word of 32 bits, with the same rejection."""
        limit = _WORD_RANGE - _WORD_RANGE % n
        while (word := int.from_bytes(self._take(4), "big")) >= limit:
            pass
        return word % n

    def weighted(self, weights: Sequence[int]) -> int:
        """Return an index, drawn in proportion to whole weights with a sum from 1 to 2**32."""
        ticket = self.below(sum(weights))
        for index, weight in enumerate(weights):
            if ticket < weight:
                return index
            ticket -= weight
        raise AssertionError("a ticket below the sum belongs to a weight")

    def order(self, n: int) -> list[int]:
        """Return 0 .. n-1 shuffled by Fisher and Yates, from the last place down: place i gets thing order[i]."""
        things = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            things[i], things[j] = things[j], things[i]
        return things


def draw_faces(stream: Stream, form: str, n: int) -> tuple[int, ...]:
    """Return what a form yields: n dice from 1 on, n numbers from 0 on, n indexes of weights, or one order of n."""
    kind, numbers = read_form(form)
    if kind == "d":
        return tuple(stream.dice(n, numbers[0]))
    if kind == "below":
        return tuple(stream.below(numbers[0]) for _ in range(n))
    if kind == "weighted":
        return tuple(stream.weighted(numbers) for _ in range(n))
    return tuple(stream.order(n))


def faces_of(table: str, draw: Draw, deck_secret: bytes | None) -> tuple[int, ...] | None:
    """Return what a draw yields, computed anew from its values; None for a deck whose secret is not given."""
    request = draw.request
    seed = draw_seed(table, request, draw.server, draw.values)
    if request.form != "deck":
        return draw_faces(Stream(seed, table), request.form, request.n)
    if deck_secret is None:
        return None
    return draw_faces(Stream(deck_key(deck_secret, table, request.k, seed), table, first=1), "deck", request.n)


# --- What is known of the chains; the log (§9, §10) -------------------------------------------------------------------


class Commitments:
    """The last known value of every chain and the number of the last draw; server, contributor, verifier hold one."""

    def __init__(self, table: str, seats: int, tips: Mapping[str, bytes], k: int = 0) -> None:
        self.table, self.seats = table, seats
        self._commit(tips, k)

    def _commit(self, tips: Mapping[str, bytes], k: int) -> None:
        self.k = self.start = k
        self.known = {who: (k, tip) for who, tip in tips.items()}

    @property
    def contributors(self) -> tuple[str, ...]:
        """Who is asked for each draw, the server apart, in order."""
        return in_order(who for who in self.known if who != SERVER)

    def follows(self, who: str, k: int, value: bytes) -> bool:
        """Tell whether a value is that contributor's for draw k, by hashing it back to the last known one."""
        known_k, known = self.known[who]
        return walk_back(self.table, who, k, value, known_k) == known

    def check_request(self, request: DrawRequest, where: str) -> None:
        """Refuse a request that is not the next, that the chains cannot serve, or that asks others than theirs."""
        if request.k != self.k + 1:
            raise SealedError("order", f"{where}.k", str(self.k + 1), str(request.k))
        if request.k > self.start + CHAIN_LENGTH:
            raise SealedError("used-up", f"{where}.k", f"at most {self.start + CHAIN_LENGTH}", str(request.k))
        if request.seat is not None and request.seat >= self.seats:
            raise SealedError("shape", f"{where}.seat", f"a seat below {self.seats}", str(request.seat))
        if request.expected != self.contributors:
            raise SealedError("contributors", where, ", ".join(self.contributors), ", ".join(request.expected))

    def take(self, draw: Draw, deck_secret: bytes | None = None) -> tuple[int, ...] | None:
        """Check the next draw in full, remember its values, return its faces; SealedError names the first fault.

        Faces are None for a deck whose secret is not given.
        """
        request, table = draw.request, self.table
        self.check_request(request, "draw")
        values = {SERVER: draw.server, **draw.values}
        for who, value in values.items():
            if not self.follows(who, request.k, value):
                where = "draw.server" if who == SERVER else f"draw.values.{who}"
                last = self.known[who][0]
                raise SealedError("link", where, f"a value that hashes to that of draw {last}", value.hex())
        faces = faces_of(table, draw, deck_secret)
        shown = None if request.form == "deck" else faces
        if draw.faces != shown:
            raise SealedError("faces", "draw.faces", _show(shown), _show(draw.faces))
        self.k = request.k
        self.known.update({who: (request.k, value) for who, value in values.items()})
        return faces

    def just_renewed(self, renewal: Renewal) -> bool:
        """Tell whether these very chains are in use, and none of their draws has been made."""
        return self.known == {who: (renewal.k, tip) for who, tip in renewal.tips.items()}

    def renew(self, renewal: Renewal) -> None:
        """Put new chains in place of all old ones."""
        if renewal.k != self.k:
            raise SealedError("order", "renewal.k", str(self.k), str(renewal.k))
        self._commit(renewal.tips, renewal.k)


@dataclass(frozen=True)
class Renewal:
    """New tips, in the log after draw k: whoever is named contributes from draw k + 1 on, nobody else does."""

    k: int
    head: bytes
    tips: Mapping[str, bytes]

    def to_json(self) -> dict[str, Any]:
        """Return the log entry."""
        tips = {who: tip.hex() for who, tip in self.tips.items()}
        return {"renewal": {"k": self.k, "head": self.head.hex(), "tips": tips}}

    @classmethod
    def from_json(cls, entry: object, seats: int) -> Renewal:
        """Read a log entry of a table with that many seats; SealedError says what is wrong with it."""
        data = _fields(_fields(entry, "entry", ("renewal",))["renewal"], "renewal", ("k", "head", "tips"))
        k = _count(data["k"], "renewal.k", 0)
        return cls(k, _hex(data["head"], "renewal.head"), _read_tips(data["tips"], "renewal.tips", seats))


@dataclass(frozen=True)
class CheckedDraw:
    """A draw that was found right: its entry's index in the log, the draw, its faces (None for a deck still hidden)."""

    entry: int
    draw: Draw
    faces: tuple[int, ...] | None


def next_head(table: str, head: bytes, entry: object) -> bytes:
    """Return the head of the log after an entry."""
    return tagged_hash("log", table, head, canonical_json(entry, "entry"))


class SealedLog:
    """A log that is read from its opening on: its head, the chains, and every draw checked when it is added."""

    def __init__(self, opening: Opening, deck_secret: bytes | None = None) -> None:
        self.table, self.deck_secret = opening.table, deck_secret
        self.head = opening.digest()
        self.length = 0
        self.commitments = Commitments(opening.table, len(opening.seats), opening.tips)

    def add(self, entry: object) -> CheckedDraw | Renewal | None:
        """Check and chain one entry; return the draw or renewal that it is. A refused one changes nothing."""
        head = next_head(self.table, self.head, entry)
        read: CheckedDraw | Renewal | None = None
        if not isinstance(entry, dict):
            raise SealedError("shape", "entry", "an object", _show(entry))
        if "draw" in entry:
            draw = Draw.from_json(entry)
            self._check_head(draw.request.head, "draw.head")
            read = CheckedDraw(self.length, draw, self.commitments.take(draw, self.deck_secret))
        elif "renewal" in entry:
            read = Renewal.from_json(entry, self.commitments.seats)
            self._check_head(read.head, "renewal.head")
            self.commitments.renew(read)
        self.head = head
        self.length += 1
        return read

    def _check_head(self, claimed: bytes, where: str) -> None:
        if claimed != self.head:
            raise SealedError("head", where, self.head.hex(), claimed.hex())


# --- The server's side (§5, §9) ---------------------------------------------------------------------------------------


class SealedServer:
    """The table's authority: keeps the log, asks for draws, makes them.

    It is rebuilt from the opening, the two secrets and the stored entries. Store a request before it is sent and an
    entry before it is shown: a request made anew on the same log is the same, and contributors answer it again.
    From a request to its draw nothing else can be logged: contributors give one value for one log head.
    """

    def __init__(
        self, opening: Opening, chain_secret: bytes, deck_secret: bytes, entries: Iterable[Mapping[str, Any]] = ()
    ) -> None:
        Opening.from_json(opening.to_json())
        if deck_commitment(deck_secret, opening.table) != opening.deck:
            raise SealedError("deck", "opening.deck", "the commitment of this deck secret", opening.deck.hex())
        self.opening, self._chain_secret, self._deck_secret = opening, chain_secret, deck_secret
        self._log = SealedLog(opening, deck_secret)
        self.entries: list[dict[str, Any]] = []
        self.pending: DrawRequest | None = None
        """The request whose draw has not been made yet."""
        self._start_chain(opening.tips[SERVER], "opening.tips")
        for entry in entries:
            self.record(entry)

    def _start_chain(self, tip: bytes, where: str) -> None:
        self._chain = self._make_chain()
        if self._chain.tip != tip:
            raise SealedError("tips", where, self._chain.tip.hex(), tip.hex())

    def _make_chain(self) -> Chain:
        return make_chain(self._chain_secret, self.opening.table, SERVER, self.k)

    @property
    def head(self) -> bytes:
        """The head of the log."""
        return self._log.head

    @property
    def k(self) -> int:
        """The number of the last draw."""
        return self._log.commitments.k

    @property
    def contributors(self) -> tuple[str, ...]:
        """Who is asked for the next draw."""
        return self._log.commitments.contributors

    @property
    def draws_left(self) -> int:
        """Draws until the chains must be renewed."""
        return self._log.commitments.start + CHAIN_LENGTH - self.k

    def record(self, entry: Mapping[str, Any]) -> CheckedDraw | Renewal | None:
        """Log an entry as it stands, checked in full; return the draw or renewal that it is.

        A refused entry (SealedError) changes nothing; anything but the draw is refused (`order`) while one is pending.
        """
        if "draw" not in entry:
            self._refuse_while_pending()
        read = self._log.add(dict(entry))
        if isinstance(read, Renewal):
            self._start_chain(read.tips[SERVER], "renewal.tips")
        elif isinstance(read, CheckedDraw):
            self.pending = None
        self.entries.append(dict(entry))
        return read

    def append(self, entry: Mapping[str, Any], hidden: bool = False) -> dict[str, Any]:
        """Log anything that is no draw and no renewal; return the entry as it stands in the log.

        `hidden` adds a salt. It is needed whenever a seat may not know the entry yet: log heads are public, and without
        a salt one could try the few things that the entry may say until the head fits. SealedError (`order`) while a
        draw is pending.
        """
        if "draw" in entry or "renewal" in entry:
            raise SealedError("shape", "entry", "no draw and no renewal", ", ".join(entry))
        logged = dict(entry)
        if hidden:
            logged["salt"] = tagged_mac(self._deck_secret, "salt", self.opening.table, len(self.entries)).hex()
        self.record(logged)
        return logged

    def _refuse_while_pending(self) -> None:
        if self.pending is not None:
            raise SealedError("order", "entry", f"draw {self.pending.k}", "something else")

    def request(self, purpose: str, seat: int | None, form: str, n: int) -> DrawRequest:
        """Ask for the next draw and return the request; asking again for the same gives the same.

        Raises SealedError for an unknown form or seat (`shape`), when the chains must be renewed first (`used-up`), and
        while another draw is pending (`order`).
        """
        request = DrawRequest(self.k + 1, purpose, seat, form, n, self.head, self.contributors)
        DrawRequest.from_json(request.to_json())
        self._log.commitments.check_request(request, "request")
        if self.pending not in (None, request):
            self._refuse_while_pending()
        self.pending = request
        return request

    def accepts(self, who: str, value: bytes) -> bool:
        """Tell whether an answer is that contributor's value for the next draw."""
        return who in self.contributors and self._log.commitments.follows(who, self.k + 1, value)

    def plan_draw(self, values: Mapping[str, bytes]) -> dict[str, Any]:
        """Return the entry of the pending draw, made from the values that came in, without logging it.

        So an entry can be stored before anybody, this object included, takes it for true; `record` then logs it.
        Whoever is missing from `values` is left out and listed as absent. Raises SealedError for a value that does not
        fit its chain (`link`) and when no draw is pending (`order`).
        """
        request = self.pending
        if request is None:
            raise SealedError("order", "entry", "a pending request", "none")
        values = {who: values[who] for who in request.expected if who in values}
        for who, value in values.items():
            if not self.accepts(who, value):
                raise SealedError("link", f"draw.values.{who}", "a value of its chain", value.hex())
        draw = Draw(request, self._chain.value(request.k), values, None)
        if request.form != "deck":
            draw = replace(draw, faces=faces_of(self.opening.table, draw, None))
        return draw.to_json()

    def draw(self, values: Mapping[str, bytes]) -> CheckedDraw:
        """Make the pending draw as `plan_draw` does, log it, return it (`entries[-1]` is the new entry)."""
        read = self.record(self.plan_draw(values))
        assert isinstance(read, CheckedDraw)
        return read

    def plan_renewal(self, tips: Mapping[str, bytes]) -> dict[str, Any]:
        """Return the entry of a renewal without logging it: the tips that contributors sent, and the server's (§9).

        Raises SealedError for tips that the protocol refuses (`tips`, `shape`), and while a draw is pending (`order`).
        """
        self._refuse_while_pending()
        entry = Renewal(self.k, self.head, {**tips, SERVER: self._make_chain().tip}).to_json()
        Renewal.from_json(entry, len(self.opening.seats))
        return entry

    def renew(self, tips: Mapping[str, bytes]) -> Renewal:
        """Log new chains as `plan_renewal` makes them, return them."""
        read = self.record(self.plan_renewal(tips))
        assert isinstance(read, Renewal)
        return read

    def proof(self, closed: bool) -> dict[str, Any]:
        """Return the whole proof; `closed` opens the deck secret, which only a finished match may do."""
        closing = {"deck": self._deck_secret.hex(), "head": self.head.hex()} if closed else None
        opening = self.opening.to_json()
        return {"protocol": PROTOCOL, "opening": opening, "entries": list(self.entries), "closing": closing}


# --- Notes, and the contributor's side (§5, §11) ----------------------------------------------------------------------


@dataclass(frozen=True)
class Note:
    """Something that a reader of a record should know though it is no fault; kinds are listed in §12."""

    kind: str
    k: int | None = None
    who: tuple[str, ...] = ()
    count: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the note as JSON."""
        return {"kind": self.kind, "k": self.k, "who": list(self.who), "count": self.count}


@dataclass(frozen=True)
class Accepted:
    """A result that a contributor found right; `left_out` says that its own answer was not used."""

    k: int
    faces: tuple[int, ...] | None
    left_out: bool


class Contributor:
    """One seat's (or witness's) own guard: gives one value per draw for one request, and checks every result.

    Without `who` and `secret` it only watches. Call order: send `tip()`, then `open` the record that is shown, then
    for each draw `answer` the request and `accept` the entry; a reconnect is first shown all entries that it missed.
    Save `to_json()` before an answer leaves this machine: it must survive a crash that it was given.
    """

    def __init__(self, table: str, who: str | None = None, secret: bytes | None = None) -> None:
        if (who is None) != (secret is None):
            raise ValueError("a contributor needs a name and a secret, a watcher neither")
        self.table, self.who, self._secret = table, who, secret
        self.opening: bytes | None = None
        self._commitments = Commitments(table, 0, {})
        self._journal: list[tuple[str, str]] = []
        """Per draw: digest of the request that was answered, digest of the entry that was accepted ("" if none)."""
        self._chain: Chain | None = None
        self._since = 0
        """The last draw before this contributor took part: values under its name were not its own until then."""

    @property
    def k(self) -> int:
        """The number of the last draw whose result was accepted."""
        return self._commitments.k

    @property
    def contributing(self) -> bool:
        """Whether the chains in use include one of this contributor."""
        return self.who is not None and self.who in self._commitments.contributors

    def join(self, who: str, secret: bytes) -> None:
        """Let a watcher take part from the next renewal on: then send `tip()`, and `renew` as everybody does.

        For a browser that came late, or that lost its secret; under a name whose earlier values it did not give.
        Raises SealedError (`contributors`) for one that has a chain of its own already.
        """
        if self.who is not None:
            raise SealedError("contributors", "who", "a watcher", self.who)
        self._need_opening()
        self.who, self._secret, self._since = _check_name(who, "who"), secret, self.k

    def _own_chain(self, start: int) -> Chain:
        if self.who is None or self._secret is None:
            raise SealedError("watcher", "who", "a contributor", "a watcher")
        if self._chain is None or self._chain.start != start:
            self._chain = make_chain(self._secret, self.table, self.who, start)
        return self._chain

    def tip(self) -> bytes:
        """Return the commitment to send before the opening, or before a renewal that follows the last accepted draw."""
        return self._own_chain(self.k).tip

    def open(self, opening: object) -> bytes:
        """Accept the opening record, once, and return its digest (for `six_words`).

        Raises SealedError for another table (`opening`), a second, different record (`opening`), or when the own tip is
        not in it (`tips`).
        """
        record = Opening.from_json(opening)
        digest = record.digest()
        if record.table != self.table:
            raise SealedError("opening", "opening.table", self.table, record.table)
        if self.opening is not None:
            if digest != self.opening:
                raise SealedError("opening", "opening", self.opening.hex(), digest.hex())
            return digest
        if self.who is not None:
            self._check_own_tip(record.tips, "opening.tips")
        self.opening = digest
        self._commitments = Commitments(self.table, len(record.seats), record.tips)
        return digest

    def _check_own_tip(self, tips: Mapping[str, bytes], where: str) -> None:
        assert self.who is not None
        found = tips.get(self.who, b"")
        if found != self.tip():
            raise SealedError("tips", where, self.tip().hex(), found.hex())

    def renew(self, entry: object) -> bytes:
        """Accept a renewal and return the log head after it (for `six_words`).

        A renewal without the own tip is accepted, and `contributing` is False from then on: say so to the player.
        The one that was accepted last is accepted again: a reconnect is shown it even after the next draw was answered.
        """
        self._need_opening()
        renewal = Renewal.from_json(entry, self._commitments.seats)
        if self._commitments.just_renewed(renewal):
            return next_head(self.table, renewal.head, entry)
        if len(self._journal) > self.k:
            raise SealedError("order", "renewal.k", f"the result of draw {self.k + 1}", "a renewal")
        if self.who in renewal.tips and renewal.k == self.k:
            self._check_own_tip(renewal.tips, "renewal.tips")
        self._commitments.renew(renewal)
        return next_head(self.table, renewal.head, entry)

    def _need_opening(self) -> None:
        if self.opening is None:
            raise SealedError("opening", "opening", "an accepted opening record", "none")

    def answer(self, request: object) -> bytes:
        """Return the own value for a request: again for the same request, a refusal for any other of that draw.

        Raises SealedError: `other-request` for a second request, `order` when results before it have not been
        accepted, `contributors`, `used-up`, `shape`, `watcher`, `opening`.
        """
        self._need_opening()
        asked = DrawRequest.from_json(request)
        digest = asked.digest(self.table).hex()
        start = self._commitments.start
        answered = self._journal[asked.k - 1][0] if start < asked.k <= len(self._journal) else ""
        if answered and answered != digest:
            raise SealedError("other-request", "request", answered, digest)
        if not answered:
            self._commitments.check_request(asked, "request")
            if not self.contributing:
                raise SealedError("watcher", "who", "a contributor", "a watcher")
            self._journal.append((digest, ""))
        return self._own_chain(start).value(asked.k)

    def accept(self, entry: object) -> Accepted:
        """Check a result in full and return what was drawn; a result that was accepted before is accepted again.

        Raises SealedError: `other-request` when it is not for the request that was answered, `not-mine` when it holds a
        value of this contributor that was not given, `other-result` when another result of that draw was shown before,
        and what `Commitments.take` finds.
        """
        self._need_opening()
        draw = Draw.from_json(entry)
        k, journal = draw.request.k, self._journal
        asked, seen = journal[k - 1] if k <= len(journal) else ("", "")
        result = tagged_hash("result", self.table, canonical_json(entry)).hex()
        request = draw.request.digest(self.table).hex()
        if seen and seen != result:
            raise SealedError("other-result", "draw", seen, result)
        if asked and asked != request:
            raise SealedError("other-request", "draw", asked, request)
        mine = self.who in draw.values and k > self._since
        if mine and not asked:
            raise SealedError("not-mine", f"draw.values.{self.who}", "no value of mine", "one")
        if not seen:
            self._commitments.take(draw)
            journal[k - 1 :] = [(asked, result)]
        return Accepted(k, draw.faces, bool(asked) and not mine)

    def compare(self, proof: Mapping[str, Any]) -> tuple[Note, ...]:
        """Compare a proof that `verify_proof` found right with what this contributor saw; notes say where they differ.

        Kinds: `other-opening`, `other-request`, `other-result`, `not-mine`, `left-out` (it answered and was listed as
        absent), `missing` (a draw that it saw is not in the proof).
        """
        notes = []
        if Opening.from_json(proof["opening"]).digest() != self.opening:
            notes.append(Note("other-opening"))
        last = 0
        for entry in proof["entries"]:
            if "draw" not in entry:
                continue
            draw = Draw.from_json(entry)
            last = draw.request.k
            asked, seen = self._journal[last - 1] if last <= len(self._journal) else ("", "")
            mine = self.who in draw.values and last > self._since
            found = {
                "other-request": asked and asked != draw.request.digest(self.table).hex(),
                "other-result": seen and seen != tagged_hash("result", self.table, canonical_json(entry)).hex(),
                "not-mine": mine and not asked,
                "left-out": asked and not mine,
            }
            notes += [Note(kind, last) for kind, differs in found.items() if differs]
        notes += [Note("missing", k) for k, (_, seen) in enumerate(self._journal, 1) if k > last and seen]
        return tuple(notes)

    def to_json(self) -> dict[str, Any]:
        """Return everything, the secret included, for this machine's own storage."""
        known = {who: [k, value.hex()] for who, (k, value) in self._commitments.known.items()}
        since = {"since": self._since} if self._since else {}
        return {
            "table": self.table,
            "who": self.who,
            "secret": None if self._secret is None else self._secret.hex(),
            "opening": None if self.opening is None else self.opening.hex(),
            "seats": self._commitments.seats,
            "k": self.k,
            "start": self._commitments.start,
            "known": known,
            "journal": [list(pair) for pair in self._journal],
            **since,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Contributor:
        """Restore a contributor from its own `to_json`."""
        secret = None if data["secret"] is None else bytes.fromhex(data["secret"])
        self = cls(data["table"], data["who"], secret)
        self.opening = None if data["opening"] is None else bytes.fromhex(data["opening"])
        self._commitments = Commitments(self.table, data["seats"], {}, data["start"])
        self._commitments.k = data["k"]
        self._commitments.known = {who: (k, bytes.fromhex(value)) for who, (k, value) in data["known"].items()}
        self._journal = [(asked, seen) for asked, seen in data["journal"]]
        self._since = data.get("since", 0)
        return self


# --- The verifier (§11, §12) ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """The first thing that is wrong in a proof.

    `entry` is the index of the log entry, None for the opening, the closing and the proof as a whole. For a wrong log
    head the change lies between the entry `since` (None: the opening) and this place: `since` was the last one that
    named the right head.
    """

    entry: int | None
    since: int | None
    what: str
    where: str
    expected: str
    found: str

    def __str__(self) -> str:
        place = "" if self.entry is None else f"entry {self.entry}, "
        return f"{place}{_differs(self)}"

    def to_json(self) -> dict[str, Any]:
        """Return the fault as JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Report:
    """What a verifier found: the first fault (None: all is right), notes, draws up to there, the last right head."""

    fault: Fault | None
    notes: tuple[Note, ...]
    draws: tuple[CheckedDraw, ...]
    head: bytes | None

    @property
    def ok(self) -> bool:
        """Whether everything that the proof claims was recomputed and found right."""
        return self.fault is None

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON, the same as the JavaScript verifier's."""
        return {
            "ok": self.ok,
            "fault": None if self.fault is None else self.fault.to_json(),
            "notes": [note.to_json() for note in self.notes],
            "draws": [
                {"entry": d.entry, "k": d.draw.request.k, "faces": None if d.faces is None else list(d.faces)}
                for d in self.draws
            ],
            "head": None if self.head is None else self.head.hex(),
        }


def verify_proof(proof: object) -> Report:
    """Recompute a whole proof, whatever it holds; never raises for bad input."""
    try:
        data = _fields(proof, "proof", ("protocol", "opening", "entries", "closing"))
        if data["protocol"] != PROTOCOL:
            raise SealedError("protocol", "proof.protocol", PROTOCOL, _show(data["protocol"]))
    except SealedError as error:
        return Report(_fault(error, None, None), (), (), None)
    return verify_draws(data["opening"], data["entries"], data["closing"])


def verify_draws(opening: object, entries: object, closing: object) -> Report:
    """Recompute commitments, log chain, every link, seed and face; stop at the first fault.

    `closing` is None while the match goes on: decks are then not checked and the notes say so. Checked in this order:
    opening, deck secret, entries, last head.
    """
    notes: list[Note] = []
    draws: list[CheckedDraw] = []
    log: SealedLog | None = None
    index: int | None = None
    since: int | None = None
    try:
        record = Opening.from_json(opening)
        deck_secret, last_head = _read_closing(closing, record)
        log = SealedLog(record, deck_secret)
        notes += _opening_notes(record)
        for index, entry in enumerate(_list(entries, "entries")):
            before = log.commitments.contributors
            read = log.add(entry)
            if isinstance(read, CheckedDraw):
                draws.append(read)
                if read.draw.absent:
                    notes.append(Note("absent", read.draw.request.k, read.draw.absent))
            elif isinstance(read, Renewal):
                notes += _renewal_notes(read, before, log.commitments.contributors)
            if read is not None:
                since = index
        index = None
        if last_head is None:
            notes.append(Note("running"))
        elif last_head != log.head:
            raise SealedError("head", "closing.head", log.head.hex(), last_head.hex())
        fault = None
    except SealedError as error:
        fault = _fault(error, index, since)
    return Report(fault, tuple(notes), tuple(draws), None if log is None else log.head)


def _fault(error: SealedError, entry: int | None, since: int | None) -> Fault:
    since = since if error.what == "head" else None
    return Fault(entry, since, error.what, error.where, error.expected, error.found)


def _read_closing(closing: object, opening: Opening) -> tuple[bytes | None, bytes | None]:
    """Return deck secret and last head of a closing, the secret checked against the opening."""
    if closing is None:
        return None, None
    data = _fields(closing, "closing", ("deck", "head"))
    secret, head = _hex(data["deck"], "closing.deck"), _hex(data["head"], "closing.head")
    if deck_commitment(secret, opening.table) != opening.deck:
        raise SealedError("deck", "closing.deck", "the secret that the opening commits to", secret.hex())
    return secret, head


def _opening_notes(opening: Opening) -> list[Note]:
    """Say who has no chain, whether anybody but the server has one, and how often the table was opened anew."""
    notes = [Note("restarts", count=opening.restarts)] if opening.restarts else []
    if set(opening.tips) == {SERVER}:
        return [*notes, Note("server-alone")]
    silent = tuple(name for name in map(seat_name, range(len(opening.seats))) if name not in opening.tips)
    return [*notes, Note("no-chain", who=silent)] if silent else notes


def _renewal_notes(renewal: Renewal, before: tuple[str, ...], after: tuple[str, ...]) -> list[Note]:
    """Say that chains were renewed, and who joined or dropped out."""
    joined = tuple(who for who in after if who not in before)
    left = tuple(who for who in before if who not in after)
    notes = [Note("renewed", renewal.k)]
    notes += [Note("joined", renewal.k, joined)] if joined else []
    return notes + ([Note("dropped", renewal.k, left)] if left else [])
