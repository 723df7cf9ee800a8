"""Write tests/data/sealed_vectors.json: `python -m tests.make_sealed_vectors`.

Needed only when the protocol itself changes, which makes it another version: the file is what both implementations are
held to. Published vectors (FIPS 180-4, RFC 4231) are typed in here; the rest is a small fixed table.
"""

import hashlib
import json
from copy import deepcopy
from typing import Any

from bolzplatz.core import sealed
from tests.sealed_calls import VECTORS, Call, run

TABLE = "table-7f3a"


def secret(name: str) -> bytes:
    """A fixed secret, so that anybody can make it again."""
    return hashlib.sha256(f"vector secret {name}".encode()).digest()


def published() -> list[dict[str, Any]]:
    """Known answers of the primitives."""

    def ascii_hex(text: str) -> str:
        return text.encode().hex()

    sha = {
        "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        "".join("abcdefghijklmnopqrstu"[i : i + 8] for i in range(14)): (
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    }
    vectors = [{"source": "FIPS 180-4 examples", "call": ["sha256", ascii_hex(t)], "gives": d} for t, d in sha.items()]
    vectors.append(
        {
            "source": "FIPS 180-4 examples, a million times a",
            "call": ["sha256_repeated", "61", 1_000_000],
            "gives": "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        }
    )
    long_key = "aa" * 131
    cases = [
        ("0b" * 20, ascii_hex("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            ascii_hex("Jefe"),
            ascii_hex("what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        ("aa" * 20, "dd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (
            bytes(range(1, 26)).hex(),
            "cd" * 50,
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        ),
        (
            long_key,
            ascii_hex("Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            long_key,
            ascii_hex(
                "This is a test using a larger than block-size key and a larger than block-size data. "
                "The key needs to be hashed before being used by the HMAC algorithm."
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ]
    vectors += [{"source": "RFC 4231", "call": ["hmac", key, data], "gives": mac} for key, data, mac in cases]
    return vectors


def calls() -> list[Call]:
    """Calls whose answers the file fixes."""
    request = {
        "k": 3,
        "purpose": "throw",
        "seat": 1,
        "form": "d6",
        "n": 6,
        "head": "ab" * 32,
        "expected": ["seat-0", "seat-1", "witness-0"],
    }
    values = {"seat-0": "01" * 32, "witness-0": "02" * 32}
    ramp = bytes(range(240, 256)).hex() + bytes(range(16)).hex()
    return [
        ["canonical", {"b": [1, -2, None, True, False], "a": {"ö": "\u2028\x7f", "": '"\\\n\t\x01\b\f\r/'}}],
        ["canonical", {"\U0001f3b2": 1, "\uffff": 2, "\ue000": 3, "z": 4, "za": 5, "10": 6, "9": 7}],
        ["canonical", 2**53],
        ["canonical", [0.5]],
        ["read", '{"a":1,"b":[]}'],
        ["read", '{"b":1,"a":[]}'],
        ["read", '{"a":1,"a":1}'],
        ["read", '{"a": 1}'],
        ["read", '{"a":01}'],
        ["read", '"\\u0061"'],
        ["hash", "chain", TABLE, "seat-0", 1, {"hex": "00ff"}, None, "ö"],
        ["mac", "0102", "draw", TABLE, 12, "", None, {"hex": ""}],
        ["in_order", ["witness-1", "seat-10", "server", "seat-9", "witness-0", "seat-0"]],
        ["chain", secret("seat-0").hex(), TABLE, "seat-0", 0, [0, 1, 2, 4095, 4096]],
        ["chain", secret("seat-0").hex(), TABLE, "seat-0", 4000, [0, 1, 4096]],
        ["chain", secret("server").hex(), TABLE, "server", 0, [0, 1]],
        ["words", TABLE, "00" * 32, list(sealed.word_list())],
        ["seed", TABLE, request, "03" * 32, values],
        ["seed", TABLE, {**request, "seat": None, "form": "order", "expected": []}, "03" * 32, {}],
        ["faces", ramp, TABLE, 0, "d6", 40],
        ["faces", ramp, TABLE, 1, "d6", 10],
        ["faces", ramp, TABLE, 0, "d252", 30],
        ["faces", ramp, TABLE, 0, "d2", 20],
        ["faces", "ffffffff" * 4 + "00000005" * 4, TABLE, 0, "below 4294967295", 5],
        ["faces", "ffffffff" * 4 + "fffffff9" * 4, TABLE, 0, "below 10", 5],
        ["faces", ramp, TABLE, 0, "below 4294967296", 4],
        ["faces", ramp, TABLE, 0, "below 1", 3],
        ["faces", ramp, TABLE, 0, "weighted 0,1,5,0,3", 20],
        ["faces", ramp, TABLE, 0, "order", 12],
        ["faces", ramp, TABLE, 1, "deck", 60],
        ["faces", ramp, TABLE, 0, "d1", 1],
        ["faces", ramp, TABLE, 0, "d253", 1],
        ["faces", ramp, TABLE, 0, "d06", 1],
        ["faces", ramp, TABLE, 0, "below 0", 1],
        ["faces", ramp, TABLE, 0, "below 4294967297", 1],
        ["faces", ramp, TABLE, 0, "weighted 0,0", 1],
        ["faces", ramp, TABLE, 0, "weighted ", 1],
        ["faces", ramp, TABLE, 0, "d6\n", 1],
        ["faces", ramp, TABLE, 0, "dice", 1],
    ]


def open_table(
    contributors: list[str], seats: int, **changes: Any
) -> tuple[sealed.SealedServer, dict[str, sealed.Chain]]:
    """A server at the start of a match, and the chains of its contributors."""
    names = [sealed.SERVER, *contributors]
    chains = {name: sealed.make_chain(secret(name), TABLE, name) for name in names}
    opening = sealed.Opening(
        table=TABLE,
        game="5050",
        rules_version="1",
        data_digest="none",
        options={"players": seats, "target": 5050},
        seats=[{"name": f"Spieler {seat} ⚽"} for seat in range(seats)],
        tips={name: chain.tip for name, chain in chains.items()},
        deck=sealed.deck_commitment(secret("deck"), TABLE),
        **changes,
    )
    return sealed.SealedServer(opening, secret(sealed.SERVER), secret("deck")), chains


def solo_proof() -> Any:
    """A match against one committed seed: no contributor at all."""
    server, _ = open_table([], 1)
    server.request("throw", 0, "d6", 6)
    server.draw({})
    server.append({"move": "keep 1"})
    return server.proof(closed=True)


def table_proof() -> tuple[Any, list[Call], list[Call]]:
    """Two seats and a witness with everything that may happen; and what seat 1 and a watcher are shown."""
    names = ["seat-0", "seat-1", "witness-0"]
    server, chains = open_table(names, 3, restarts=2)
    shown: list[Call] = [["open", server.opening.to_json()]]
    asked: list[Call] = [["tip"], *shown]

    def draw(purpose: str, seat: int | None, form: str, n: int, present: list[str]) -> None:
        request = server.request(purpose, seat, form, n)
        server.draw({name: chains[name].value(request.k) for name in present})
        if "seat-1" in chains and "seat-1" in present:
            asked.append(["answer", request.to_json()])
        for calls in (asked, shown):
            calls.append(["accept", server.entries[-1]])

    draw("who begins", None, "below 3", 1, names)
    draw("deal", None, "deck", 10, names)
    server.append({"seat": 0, "card": 4}, hidden=True)
    draw("throw", 0, "d6", 6, ["seat-1", "witness-0"])
    server.append({"seat": 0, "move": "keep 1 55>1"})
    draw("offer", 2, "weighted 3,0,7,1", 2, names)
    draw("lots", None, "order", 5, ["seat-0"])
    renewed = ["seat-1", "seat-2"]
    fresh = {name: sealed.make_chain(secret(name), TABLE, name, server.k) for name in renewed}
    server.renew({name: chain.tip for name, chain in fresh.items()})
    chains = fresh
    asked += [["tip"], ["renew", server.entries[-1]]]
    shown.append(["renew", server.entries[-1]])
    draw("throw", 1, "d6", 2, renewed)
    server.append({"seat": 1, "move": "stop"})
    return server.proof(closed=True), asked, shown


def changed(proof: Any, path: list[Any], value: Any) -> Any:
    """A copy of a proof with one place changed."""
    copy = deepcopy(proof)
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copy


def tampered(proof: Any) -> list[dict[str, Any]]:
    """One change for each kind of fault."""
    entries = proof["entries"]
    without_third = [*entries[:3], *entries[4:]]
    faces = entries[0]["draw"]["faces"]
    changes: list[tuple[list[Any], Any]] = [
        (["protocol"], "sealed-draws-2"),
        (["opening", "restarts"], 1),
        (["opening", "options", "target"], 5051),
        (["opening", "options", "target"], 50.5),
        (["opening", "deck"], "00" * 32),
        (["opening", "tips", "seat-1"], proof["opening"]["tips"]["seat-0"]),
        (["opening", "tips", "seat-3"], "00" * 32),
        (["opening", "tips", "seat-1"], "00" * 32),
        (["opening", "tips"], {"seat-0": "00" * 32}),
        (["entries", 0, "draw", "faces"], [(faces[0] + 1) % 3]),
        (["entries", 0, "draw", "k"], 2),
        (["entries", 0, "draw", "k"], True),
        (["entries", 0, "draw", "seat"], 3),
        (["entries", 0, "draw", "n"], 0),
        (["entries", 0, "draw", "values", "seat-0"], "00" * 32),
        (["entries", 0, "draw", "server"], "00" * 32),
        (["entries", 0, "draw", "purpose"], "who starts"),
        (["entries", 0, "draw", "extra"], 1),
        (["entries", 1, "draw", "faces"], list(range(10))),
        (["entries", 2, "card"], 5),
        (["entries", 3, "draw", "absent"], []),
        (["entries", 3, "draw", "absent"], ["seat-0", "seat-1"]),
        (["entries", 4, "move"], "keep 5 5 1"),
        (["entries"], without_third),
        (["entries", 7, "renewal", "k"], 4),
        (["entries", 7, "renewal", "tips", "witness-0"], "00" * 32),
        (["entries", 8], 7),
        (["entries", 9, "move"], "go"),
        (["entries"], entries[:-1]),
        (["entries"], None),
        (["closing", "deck"], "00" * 32),
        (["closing", "head"], "00" * 32),
        (["closing", "extra"], 1),
    ]
    return [
        {"path": path, "value": value, "fault": run(["verify", changed(proof, path, value)])["fault"]}
        for path, value in changes
    ]


def contributor_cases(proof: Any, asked: list[Call], shown: list[Call]) -> list[Call]:
    """Seat 1 and a watcher through a whole match; and a server that tries seat 1 in every way."""
    seat = sealed.Contributor(TABLE, "seat-1", secret("seat-1")).to_json()
    opening, requests, entries = (
        asked[1],
        [c for c in asked if c[0] == "answer"],
        [c for c in asked if c[0] == "accept"],
    )
    first, second = requests[0][1], requests[1][1]
    other_draw = deepcopy(entries[0][1])
    other_draw["draw"]["purpose"] = "who starts"
    other_opening = deepcopy(opening[1])
    other_opening["restarts"] = 3
    without_me = deepcopy(opening[1])
    del without_me["tips"]["seat-1"]
    tricks = [
        ["answer", first],  # before the opening
        ["open", without_me],
        ["open", {**opening[1], "table": "another"}],
        opening,
        ["reload"],
        opening,
        ["open", other_opening],
        ["answer", second],  # too early: the result of the first is not known
        ["accept", entries[0][1]],  # holds a value that was never given
        ["answer", {**first, "expected": ["seat-1"]}],
        ["answer", {**first, "seat": 7}],
        ["answer", first],
        ["reload"],
        ["answer", first],
        ["answer", {**first, "head": "00" * 32}],
        ["answer", {**first, "n": 2}],
        ["answer", second],
        ["renew", entries[0][1]],
        ["accept", other_draw],
        ["accept", entries[0][1]],
        ["accept", entries[0][1]],
        ["accept", other_draw],
        ["answer", first],
        ["answer", {**second, "k": 4000}],
        ["compare", proof],
    ]
    # A reconnect between an answer and its result: the renewal before it is shown again; another one is refused.
    renewal = next(call for call in asked if call[0] == "renew")
    place = asked.index(renewal) + 2
    other_renewal = deepcopy(renewal[1])
    other_renewal["renewal"]["tips"]["seat-2"] = "00" * 32
    again: list[Call] = [*asked[:place], ["reload"], renewal, ["renew", other_renewal], *asked[place:], renewal]
    watcher = sealed.Contributor(TABLE).to_json()
    return [
        ["contributor", seat, [*asked, ["reload"], ["compare", proof]]],
        ["contributor", watcher, [*shown, ["answer", {**second, "k": 7, "expected": ["seat-1", "seat-2"]}], ["tip"]]],
        ["contributor", seat, tricks],
        ["contributor", seat, again],
    ]


def main() -> None:
    """Write the file."""
    proof, asked, shown = table_proof()
    solo = solo_proof()
    made = [*calls(), ["verify", solo], ["verify", proof], ["verify", {**proof, "closing": None}]]
    made += contributor_cases(proof, asked, shown)
    vectors = {
        "protocol": sealed.PROTOCOL,
        "published": published(),
        "calls": [{"call": call, "gives": run(call)} for call in made],
        "proof": proof,
        "tampered": tampered(proof),
    }
    VECTORS.parent.mkdir(exist_ok=True)
    VECTORS.write_text(json.dumps(vectors, ensure_ascii=True, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
