"""Sealed draws: both implementations against fixed and published vectors, tampering, fairness, every party's guard."""

import contextlib
import hashlib
import hmac
import json
import os
import random
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolzplatz.core import sealed
from bolzplatz.core.sealed import SealedError, Stream, canonical_json, verify_proof
from tests import sealed_calls
from tests.make_sealed_vectors import TABLE, changed, open_table, secret, solo_proof, table_proof
from tests.sealed_calls import Call, run, run_node

VECTORS = json.loads(sealed_calls.VECTORS.read_text(encoding="ascii"))
FIXED = [*VECTORS["published"], *VECTORS["calls"]]
PROOF = VECTORS["proof"]
Path = list[Any]


# --- Fixed vectors, in both languages ---


@pytest.mark.parametrize("vector", FIXED, ids=lambda vector: str(vector["call"])[:60])
def test_python_gives_the_fixed_answers(vector):
    assert run(vector["call"]) == vector["gives"]


def test_javascript_gives_the_fixed_answers():
    answers = run_node([vector["call"] for vector in FIXED])
    for vector, answer in zip(FIXED, answers, strict=True):
        assert answer == vector["gives"], vector["call"]


def test_both_verifiers_name_the_fixed_fault_of_each_change():
    calls: list[Call] = [["verify", changed(PROOF, case["path"], case["value"])] for case in VECTORS["tampered"]]
    for case, here, there in zip(VECTORS["tampered"], map(run, calls), run_node(calls), strict=True):
        assert case["fault"] is not None
        assert here["fault"] == there["fault"] == case["fault"], case["path"]
        assert here["notes"] == there["notes"]


def test_javascript_hashes_every_length_like_the_standard_library():
    data = bytes(range(256)) * 2
    lengths = [*range(200), 447, 448, 511, 512]
    answers = run_node([["sha256", data[:length].hex()] for length in lengths])
    assert answers == [hashlib.sha256(data[:length]).hexdigest() for length in lengths]


def test_a_missing_node_fails_in_ci_and_skips_elsewhere(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="NOT checked"):
        run_node([])
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="NOT checked"):
        run_node([])


# --- The byte formats, written out by hand from the specification ---


def spelled(*fields: bytes) -> bytes:
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


def test_a_chain_link_is_the_hash_that_the_specification_spells():
    chain = sealed.make_chain(secret("a"), "t", "seat-2", start=10)
    text = spelled(b"bolzplatz sealed-draws-1 chain", b"t", b"seat-2", b"11", chain.value(11))
    assert hashlib.sha256(text).digest() == chain.tip
    end = spelled(b"bolzplatz sealed-draws-1 chain end", b"t", b"seat-2", b"10", secret("a"))
    assert hashlib.sha256(end).digest() == chain.value(10 + 4096)


def test_the_seed_of_a_draw_is_the_mac_that_the_specification_spells():
    head = bytes(32)
    request = sealed.DrawRequest(7, "throw", None, "d6", 2, head, ("seat-0", "seat-1"))
    text = spelled(
        b"bolzplatz sealed-draws-1 draw",
        b"t",
        b"7",
        b"throw",
        b"",
        b"d6",
        b"2",
        head,
        b"seat-0",
        b"v" * 32,
        b"seat-1",
        b"",
    )
    expected = hmac.new(b"s" * 32, text, "sha256").digest()
    assert sealed.draw_seed("t", request, b"s" * 32, {"seat-0": b"v" * 32}) == expected


def test_dice_continue_with_macs_of_the_seed():
    key = bytes(range(32))
    more = hmac.new(key, spelled(b"bolzplatz sealed-draws-1 stream", b"t", b"1"), "sha256").digest()
    expected = [1 + byte % 6 for byte in key + more if byte < 252]
    assert Stream(key, "t").dice(60, 6) == expected[:60]


def test_six_words_are_66_bits_of_the_head_hashed_4096_times():
    head = secret("head")
    slow = head
    for _ in range(4096):
        slow = hashlib.sha256(spelled(b"bolzplatz sealed-draws-1 words", b"t", slow)).digest()
    number = int.from_bytes(slow, "big") >> (256 - 66)
    places = [number >> (11 * place) & 0x7FF for place in reversed(range(6))]
    assert [sealed.word_list().index(word) for word in sealed.six_words("t", head)] == places


def test_the_word_list_has_2048_short_distinct_words():
    words = sealed.word_list()
    assert len(words) == len(set(words)) == 2048
    assert list(words) == sorted(words)
    assert all(word.isascii() and word.isalpha() and word.islower() and 3 <= len(word) <= 8 for word in words)


# --- Fairness ---


@pytest.mark.parametrize("sides", range(2, 253))
def test_every_face_belongs_to_equally_many_bytes(sides):
    """A key of all 256 bytes: what is not passed over must fall on each face equally often."""
    accepted = 256 // sides * sides
    counts = Counter(Stream(bytes(range(256)), "t").dice(accepted, sides))
    assert counts == dict.fromkeys(range(1, sides + 1), 256 // sides)


@pytest.mark.parametrize(("word", "passed_over"), [(4294967289, False), (4294967290, True), (4294967295, True)])
def test_words_from_the_largest_multiple_on_are_passed_over(word, passed_over):
    key = word.to_bytes(4, "big") + (3).to_bytes(4, "big")
    assert Stream(key, "t").below(10) == (3 if passed_over else 9)


def test_the_last_byte_taken_for_a_d6_is_251():
    assert Stream(bytes([251, 252, 253, 254, 255, 0]), "t").dice(2, 6) == [6, 1]


def chi_square(counts: Counter[Any], expected: dict[Any, float]) -> float:
    assert set(counts) <= set(expected)
    return sum((counts[key] - mean) ** 2 / mean for key, mean in expected.items())


def seeds(count: int) -> list[bytes]:
    return [hashlib.sha256(b"uniform %d" % i).digest() for i in range(count)]


def test_draws_are_spread_as_they_should_be():
    """Chi-square below the 99.9 % point of its degrees of freedom, on fixed keys."""
    dice = Counter(face for key in seeds(1000) for face in Stream(key, "t").dice(60, 6))
    assert chi_square(dice, dict.fromkeys(range(1, 7), 10_000.0)) < 20.5
    tens = Counter(Stream(key, "t").below(10) for key in seeds(20_000))
    assert chi_square(tens, dict.fromkeys(range(10), 2_000.0)) < 27.9
    picks = Counter(Stream(key, "t").weighted([1, 0, 2, 5]) for key in seeds(16_000))
    assert picks[1] == 0
    assert chi_square(picks, {0: 2_000.0, 2: 4_000.0, 3: 10_000.0}) < 13.9
    orders = Counter(tuple(Stream(key, "t").order(4)) for key in seeds(24_000))
    assert len(orders) == 24
    assert chi_square(orders, dict.fromkeys(orders, 1_000.0)) < 49.8


@given(st.binary(min_size=32, max_size=32), st.integers(1, 80))
def test_an_order_is_a_permutation(key, n):
    assert sorted(Stream(key, "t").order(n)) == list(range(n))


@given(st.text(max_size=12) | st.from_regex(r"(d|below |weighted |order|deck)[0-9,]{0,6}", fullmatch=True))
def test_a_form_is_read_or_refused(form):
    try:
        kind, numbers = sealed.read_form(form)
    except SealedError:
        return
    written = ",".join(map(str, numbers))
    assert form == {"d": f"d{written}", "below": f"below {written}", "weighted": f"weighted {written}"}.get(kind, kind)


# --- Canonical JSON ---

WHOLE = st.integers(-(2**53) + 1, 2**53 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=12,
)


@given(JSON)
def test_canonical_json_reads_back_as_the_same_value(value):
    data = canonical_json(value)
    assert sealed.read_canonical(data) == value
    assert canonical_json(json.loads(json.dumps(value, indent=2))) == data


@pytest.mark.parametrize("value", [0.5, float("nan"), 2**53, -(2**53), {1: 2}, {"a": {1}}, b"", "\ud800", object()])
def test_canonical_json_refuses_what_has_no_one_spelling(value):
    with pytest.raises(SealedError):
        canonical_json([value])


def test_nesting_has_a_limit_and_never_a_traceback():
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    for attempt in (lambda: canonical_json(deep), lambda: sealed.read_canonical(b"[" * 100_000)):
        with pytest.raises(SealedError):
            attempt()
    assert verify_proof(changed(PROOF, ["entries", 2], {"a": deep})).fault is not None


def test_both_languages_spell_the_same_canonical_json():
    draw = random.Random(5)
    signs = 'a\u00e9\u20ac\ue000\uffff\U0001f3b2"\\\n\x00\x7f\u2028' + "_10"

    def text(length: int) -> str:
        return "".join(draw.choices(signs, k=length))

    def value(depth: int) -> Any:
        kind = draw.randrange(8 if depth else 4)
        if kind > 5:
            return {text(3): value(depth - 1) for _ in range(4)}
        if kind > 3:
            return [value(depth - 1) for _ in range(3)]
        return [None, draw.random() < 0.5, draw.randrange(-(2**53) + 1, 2**53), text(4)][kind]

    values = [value(4) for _ in range(300)]
    calls: list[Call] = [["canonical", item] for item in values]
    assert run_node(calls) == [run(call) for call in calls]


# --- Tampering ---


def places(value: Any, path: Path) -> list[Path]:
    """Every place of a JSON value, itself first."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for step, item in steps for place in places(item, [*path, step]))]


PLACES = places(PROOF, [])[1:]


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def other_value(old: Any, draw: random.Random) -> Any:
    """A value of the same kind that differs a little, or one of another kind."""
    if isinstance(old, str) and old and draw.random() < 0.6:
        spot = draw.randrange(len(old))
        return old[:spot] + draw.choice("0123456789abcdef") + old[spot + 1 :]
    if type(old) is int and draw.random() < 0.6:
        return old + draw.choice([-1, 1, 2])
    if isinstance(old, list) and old and draw.random() < 0.6:
        return draw.sample(old, draw.randrange(len(old) + 1)) if draw.random() < 0.5 else [*old, old[0]]
    return draw.choice([None, True, False, 0, 1, 7, 2**53, 0.5, "", "seat-0", "ab" * 32, [], {}, {"draw": {}}])


def mutated(draw: random.Random) -> Any:
    """The proof with one place changed, left out, or added; never equal to it."""
    while True:
        copy = deepcopy(PROOF)
        path = draw.choice(PLACES)
        place, step = at(copy, path[:-1]), path[-1]
        how = draw.random()
        if how < 0.15:
            del place[step]
        elif how < 0.25 and isinstance(place, dict):
            place[draw.choice(["x", "draw", "server", "seat-2", "witness-7"])] = other_value(place[step], draw)
        else:
            place[step] = other_value(place[step], draw)
        if repr(copy) != repr(PROOF):
            return copy


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_any_change_of_a_proof_is_found_or_said(draw):
    """A change is a fault; only a closing that was taken out whole leaves a right proof, of a match still running."""
    copy = mutated(draw)
    report = verify_proof(copy)
    if report.ok:
        assert copy == {**PROOF, "closing": None}
        assert "running" in [note.kind for note in report.notes]


def test_both_verifiers_report_the_same_of_500_changed_proofs():
    draw = random.Random(20240229)
    calls: list[Call] = [["verify", mutated(draw)] for _ in range(500)]
    faults = Counter()
    for call, there in zip(calls, run_node(calls), strict=True):
        here = run(call)
        assert here == there
        faults[here["fault"] and here["fault"]["what"]] += 1
    assert len(faults) >= 7  # the changes reach most kinds of fault


def test_every_flipped_byte_of_a_proof_is_found_by_both():
    """A proof of under 4 kB; each byte with another bit flipped, in the text as it is stored."""
    data = canonical_json(solo_proof())
    assert len(data) < 4096
    assert run(["verify_text", data.decode()]) is None
    flipped = (data[:i] + bytes([byte ^ 1 << i % 7]) + data[i + 1 :] for i, byte in enumerate(data))
    calls: list[Call] = [["verify_text", text.decode()] for text in flipped]
    for here, there in zip(map(run, calls), run_node(calls), strict=True):
        assert here is not None
        assert there is not None
        assert here.get("what", here.get("refused")) == there.get("what", there.get("refused"))


def test_dropping_swapping_and_repeating_entries_is_found():
    entries = PROOF["entries"]
    for i in range(len(entries)):
        assert not verify_proof({**PROOF, "entries": entries[:i] + entries[i + 1 :]}).ok
        assert not verify_proof({**PROOF, "entries": entries[: i + 1] + entries[i:]}).ok
        for j in range(i):
            swapped = list(entries)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            assert not verify_proof({**PROOF, "entries": swapped}).ok


def test_a_rewritten_log_is_found_at_the_next_draw_even_when_its_heads_are_made_anew():
    """Whoever changes a move and recomputes every later head still cannot make the dice fit."""
    entries = deepcopy(PROOF["entries"])
    entries[2]["card"] = 9
    opening = sealed.Opening.from_json(PROOF["opening"])
    log = sealed.SealedLog(opening, bytes.fromhex(PROOF["closing"]["deck"]))
    for entry in entries[:3]:
        log.add(entry)
    entries[3]["draw"]["head"] = log.head.hex()
    fault = verify_proof({**PROOF, "entries": entries}).fault
    assert fault is not None
    assert (fault.entry, fault.what, fault.where) == (3, "faces", "draw.faces")


def test_a_head_fault_names_the_last_place_that_was_right():
    fault = verify_proof(changed(PROOF, ["entries", 4, "move"], "keep 5")).fault
    assert fault is not None
    assert (fault.entry, fault.since, fault.what) == (5, 3, "head")
    assert "entry 5" in str(fault)


@given(JSON | st.dictionaries(st.sampled_from(["protocol", "opening", "entries", "closing"]), JSON))
def test_no_json_value_makes_the_verifier_raise(value):
    assert not verify_proof(value).ok


# --- Chains and commitments ---


def test_a_value_hashes_to_all_earlier_ones_and_to_no_other():
    chain = sealed.make_chain(secret("seat-0"), TABLE, "seat-0")
    assert sealed.walk_back(TABLE, "seat-0", 4096, chain.value(4096), 0) == chain.tip
    assert sealed.chain_link(TABLE, "seat-0", 9, chain.value(9)) == chain.value(8)
    assert sealed.chain_link(TABLE, "seat-0", 8, chain.value(9)) != chain.value(8)
    assert len({chain.tip, *(chain.value(k) for k in range(1, 4097))}) == 4097
    for k in (0, 4097, -1):
        with pytest.raises(SealedError, match="used-up"):
            chain.value(k)


def test_the_same_secret_gives_other_chains_for_other_names_tables_and_starts():
    variants = [("t", "seat-0", 0), ("u", "seat-0", 0), ("t", "seat-1", 0), ("t", "seat-0", 1)]
    assert len({sealed.make_chain(secret("x"), *variant).tip for variant in variants}) == 4


def test_secrets_are_fresh():
    assert len({sealed.new_secret() for _ in range(50)}) == 50
    assert len(sealed.new_secret()) == 32


def test_an_opening_reads_back_and_refuses_copied_tips_and_unknown_seats():
    server, chains = open_table(["seat-0", "seat-1"], 2)
    opening = server.opening
    assert sealed.Opening.from_json(opening.to_json()) == opening
    for tips in (
        {**opening.tips, "seat-1": chains["seat-0"].tip},
        {**opening.tips, "seat-2": secret("z")},
        {"seat-0": chains["seat-0"].tip},
    ):
        with pytest.raises(SealedError, match="tips"):
            sealed.Opening.from_json({**opening.to_json(), "tips": {who: tip.hex() for who, tip in tips.items()}})


# --- The server ---


def test_a_server_rebuilt_at_any_point_goes_on_where_it_was():
    proof, _, _ = table_proof()
    opening = sealed.Opening.from_json(proof["opening"])
    whole = sealed.SealedServer(opening, secret("server"), secret("deck"), proof["entries"])
    assert whole.proof(closed=True) == proof
    for i, entry in enumerate(proof["entries"]):
        part = sealed.SealedServer(opening, secret("server"), secret("deck"), proof["entries"][:i])
        assert part.head == sealed.SealedServer(opening, secret("server"), secret("deck"), proof["entries"][:i]).head
        if "draw" in entry:
            draw = sealed.Draw.from_json(entry)
            request = draw.request
            again = part.request(request.purpose, request.seat, request.form, request.n)
            assert again == request == part.request(request.purpose, request.seat, request.form, request.n)
            part.draw(draw.values)
            assert part.entries[-1] == entry


def test_a_server_is_held_to_its_commitments():
    opening = open_table(["seat-0"], 1)[0].opening
    with pytest.raises(SealedError, match="deck"):
        sealed.SealedServer(opening, secret("server"), secret("other"))
    with pytest.raises(SealedError, match="tips"):
        sealed.SealedServer(opening, secret("other"), secret("deck"))


def test_from_request_to_draw_nothing_else_is_logged_or_asked():
    server, chains = open_table(["seat-0"], 1)
    request = server.request("throw", 0, "d6", 2)
    for attempt in (
        lambda: server.append({"move": "stop"}),
        lambda: server.request("throw", 0, "d6", 3),
        lambda: server.renew({}),
    ):
        with pytest.raises(SealedError, match="order"):
            attempt()
    assert server.request("throw", 0, "d6", 2) == request
    server.draw({"seat-0": chains["seat-0"].value(1)})
    server.append({"move": "stop"})
    with pytest.raises(SealedError, match="order"):
        server.draw({})


def test_a_false_answer_is_noticed_and_draws_nothing():
    server, chains = open_table(["seat-0", "seat-1"], 2)
    server.request("throw", 0, "d6", 2)
    right = chains["seat-0"].value(1)
    assert server.accepts("seat-0", right)
    assert not server.accepts("seat-0", chains["seat-1"].value(1))
    assert not server.accepts("seat-0", chains["seat-0"].value(2))
    assert not server.accepts("witness-0", right)
    head = server.head
    with pytest.raises(SealedError, match=r"draw\.values\.seat-1"):
        server.draw({"seat-0": right, "seat-1": right})
    assert (server.head, server.k, server.entries) == (head, 0, [])
    server.draw({"seat-0": right})
    assert server.entries[0]["draw"]["absent"] == ["seat-1"]


def test_who_was_absent_may_answer_the_next_draw():
    server, chains = open_table(["seat-0", "seat-1"], 2)
    for present in (["seat-0"], ["seat-0"], ["seat-0", "seat-1"]):
        request = server.request("throw", 0, "d6", 1)
        server.draw({name: chains[name].value(request.k) for name in present})
    report = verify_proof(server.proof(closed=True))
    assert report.ok
    assert [(note.kind, note.k, note.who) for note in report.notes] == [
        ("absent", 1, ("seat-1",)),
        ("absent", 2, ("seat-1",)),
    ]


def test_every_value_changes_the_draw():
    """Leave one contributor out, or change anything that was asked, and the seed is another."""
    server, chains = open_table(["seat-0", "seat-1"], 2)
    request = server.request("throw", 0, "d6", 6)
    values = {name: chains[name].value(1) for name in ("seat-0", "seat-1")}
    key = chains["server"].value(1)
    variants = [
        sealed.draw_seed(TABLE, request, key, values),
        sealed.draw_seed(TABLE, request, key, {"seat-0": values["seat-0"]}),
        sealed.draw_seed(TABLE, request, key, {"seat-1": values["seat-1"]}),
        sealed.draw_seed(TABLE, request, key, {}),
        sealed.draw_seed("other", request, key, values),
        sealed.draw_seed(TABLE, request, secret("x"), values),
    ]
    changes: dict[str, Any] = {"k": 2, "purpose": "t", "seat": None, "form": "d4", "n": 5, "head": secret("h")}
    for name, value in changes.items():
        other = sealed.DrawRequest(**{**vars(request), name: value})
        variants.append(sealed.draw_seed(TABLE, other, key, values))
    assert len(set(variants)) == len(variants)


def test_a_deck_stays_hidden_until_the_closing_and_is_checked_then():
    server, chains = open_table(["seat-0"], 1)
    server.request("deal", None, "deck", 52)
    drawn = server.draw({"seat-0": chains["seat-0"].value(1)})
    assert drawn.faces is not None
    assert sorted(drawn.faces) == list(range(52))
    assert server.entries[0]["draw"]["faces"] is None
    running = verify_proof(server.proof(closed=False))
    assert running.ok
    assert running.draws[0].faces is None
    closed = verify_proof(server.proof(closed=True))
    assert closed.draws[0].faces == drawn.faces
    other = verify_proof(changed(server.proof(closed=True), ["closing", "deck"], secret("x").hex()))
    assert other.fault is not None
    assert other.fault.what == "deck"


def test_a_hidden_entry_cannot_be_guessed_from_the_heads():
    server, _ = open_table([], 2)
    before = server.head
    logged = server.append({"seat": 0, "choice": "red"}, hidden=True)
    guesses = [{"seat": 0, "choice": choice} for choice in ("red", "black", "none")]
    assert server.head not in [sealed.next_head(TABLE, before, guess) for guess in guesses]
    assert server.head == sealed.next_head(TABLE, before, logged)
    again, _ = open_table([], 2)
    assert again.append({"seat": 0, "choice": "red"}, hidden=True) == logged
    assert again.append({"seat": 0, "choice": "red"}, hidden=True)["salt"] != logged["salt"]


def test_a_chain_serves_4096_draws_and_a_renewal_opens_the_next():
    server, _ = open_table([], 1)
    for _ in range(sealed.CHAIN_LENGTH):
        server.request("throw", 0, "d6", 1)
        server.draw({})
    assert server.draws_left == 0
    with pytest.raises(SealedError, match="used-up"):
        server.request("throw", 0, "d6", 1)
    fresh = sealed.make_chain(secret("seat-0"), TABLE, "seat-0", server.k)
    server.renew({"seat-0": fresh.tip})
    assert server.draws_left == sealed.CHAIN_LENGTH
    server.request("throw", 0, "d6", 1)
    server.draw({"seat-0": fresh.value(4097)})
    report = verify_proof(server.proof(closed=True))
    assert report.ok
    assert [(note.kind, note.k) for note in report.notes] == [
        ("server-alone", None),
        ("renewed", 4096),
        ("joined", 4096),
    ]
    assert len({draw.draw.server for draw in report.draws}) == 4097


# --- The contributor ---


@pytest.fixture
def duel():
    """A server with two contributors, each with its own guard."""
    server, _ = open_table(["seat-0", "seat-1"], 2)
    guards = [sealed.Contributor(TABLE, name, secret(name)) for name in ("seat-0", "seat-1")]
    for guard in guards:
        guard.open(server.opening.to_json())
    return server, guards


def test_a_match_runs_through_the_guards_and_verifies(duel):
    server, guards = duel
    for throw in range(5):
        request = server.request("throw", throw % 2, "d6", 6).to_json()
        server.draw({guard.who: guard.answer(request) for guard in guards})
        for guard in guards:
            assert guard.accept(server.entries[-1]).faces == tuple(server.entries[-1]["draw"]["faces"])
        server.append({"seat": throw % 2, "move": "stop"})
    proof = server.proof(closed=True)
    report = verify_proof(proof)
    assert report.ok
    assert report.notes == ()
    assert all(guard.compare(proof) == () for guard in guards)


def test_a_second_request_for_a_draw_is_refused_whatever_differs(duel):
    server, (guard, _) = duel
    request = server.request("throw", 0, "d6", 6).to_json()
    value = guard.answer(request)
    assert guard.answer(request) == value
    for name, other in {"purpose": "lot", "seat": 1, "form": "d4", "n": 5, "head": "00" * 32}.items():
        with pytest.raises(SealedError, match="other-request"):
            guard.answer({**request, name: other})
    restored = sealed.Contributor.from_json(json.loads(json.dumps(guard.to_json())))
    with pytest.raises(SealedError, match="other-request"):
        restored.answer({**request, "head": "00" * 32})
    assert restored.answer(request) == value


def test_no_value_is_given_ahead_of_the_results(duel):
    """A server that asks for draw 4000 would know every value before it."""
    server, (guard, _) = duel
    request = server.request("throw", 0, "d6", 6).to_json()
    for k in (2, 3, 4000):
        with pytest.raises(SealedError, match="order"):
            guard.answer({**request, "k": k})
    guard.answer(request)
    with pytest.raises(SealedError, match="order"):
        guard.answer({**request, "k": 2})


def test_a_left_out_answer_shows_at_once_and_in_the_proof(duel):
    server, (guard, other) = duel
    request = server.request("throw", 0, "d6", 6).to_json()
    guard.answer(request)
    server.draw({"seat-1": other.answer(request)})
    assert guard.accept(server.entries[-1]).left_out
    assert not other.accept(server.entries[-1]).left_out
    proof = server.proof(closed=True)
    assert verify_proof(proof).ok
    assert [(note.kind, note.k) for note in guard.compare(proof)] == [("left-out", 1)]
    assert other.compare(proof) == ()


def test_a_result_for_another_request_is_refused(duel):
    """The server shows seat 1 another log head than seat 0; seat 1 does not take the result."""
    server, (first, second) = duel
    request = server.request("throw", 0, "d6", 6).to_json()
    values = {"seat-0": first.answer(request), "seat-1": second.answer({**request, "head": "11" * 32})}
    server.draw(values)
    first.accept(server.entries[-1])
    with pytest.raises(SealedError, match="other-request"):
        second.accept(server.entries[-1])
    assert [note.kind for note in second.compare(server.proof(closed=True))] == ["other-request"]


def test_two_results_for_one_draw_are_refused(duel):
    server, (first, second) = duel
    request = server.request("throw", 0, "d6", 6).to_json()
    answers = {"seat-0": first.answer(request), "seat-1": second.answer(request)}
    twin = sealed.SealedServer(server.opening, secret("server"), secret("deck"))
    twin.request("throw", 0, "d6", 6)
    twin.draw({"seat-0": answers["seat-0"]})
    server.draw(answers)
    assert server.entries[-1]["draw"]["faces"] != twin.entries[-1]["draw"]["faces"]
    first.accept(server.entries[-1])
    assert first.accept(server.entries[-1]).k == 1
    with pytest.raises(SealedError, match="other-result"):
        first.accept(twin.entries[-1])
    assert {note.kind for note in first.compare(twin.proof(closed=True))} == {"other-result"}


@pytest.mark.parametrize("path", [["faces", 0], ["server"], ["values", "seat-1"], ["n"], ["form"], ["purpose"], ["k"]])
def test_a_wrong_result_is_refused_and_changes_nothing(duel, path):
    server, (first, second) = duel
    request = server.request("throw", 0, "d6", 6).to_json()
    server.draw({"seat-0": first.answer(request), "seat-1": second.answer(request)})
    entry = server.entries[-1]
    old = at(entry["draw"], path)
    new = old % 6 + 1 if isinstance(old, int) else "12" * 32 if len(old) == 64 else "d5"
    before = first.to_json()
    with pytest.raises(SealedError):
        first.accept(changed(entry, ["draw", *path], new))
    assert first.to_json() == before
    first.accept(entry)


def test_after_a_break_the_missed_results_come_first(duel):
    server, (first, second) = duel
    for _ in range(3):
        request = server.request("throw", 0, "d6", 6).to_json()
        server.draw({"seat-1": second.answer(request)})
        second.accept(server.entries[-1])
    request = server.request("throw", 0, "d6", 6).to_json()
    with pytest.raises(SealedError, match="order"):
        first.answer(request)
    for entry in server.entries:
        assert not first.accept(entry).left_out
    server.draw({"seat-0": first.answer(request), "seat-1": second.answer(request)})
    first.accept(server.entries[-1])
    assert first.compare(server.proof(closed=True)) == ()


def test_a_renewal_is_refused_with_a_false_tip_and_while_an_answer_is_open(duel):
    server, (first, second) = duel
    tips = {"seat-0": first.tip(), "seat-1": second.tip()}
    false = sealed.Renewal(0, server.head, {"server": secret("s"), **tips, "seat-0": secret("f")}).to_json()
    with pytest.raises(SealedError, match="tips"):
        first.renew(false)
    first.answer(server.request("throw", 0, "d6", 6).to_json())
    true = sealed.Renewal(0, server.head, {"server": secret("s"), **tips}).to_json()
    with pytest.raises(SealedError, match="order"):
        first.renew(true)
    second.renew(true)
    assert second.contributing


def test_a_renewal_is_shown_again_to_a_reconnect_that_has_answered_the_next_draw(duel):
    server, (first, second) = duel
    server.renew({"seat-0": first.tip(), "seat-1": second.tip()})
    renewal = server.entries[-1]
    head = first.renew(renewal)
    second.renew(renewal)
    request = server.request("throw", 0, "d6", 6).to_json()
    value = first.answer(request)
    assert first.renew(renewal) == head
    with pytest.raises(SealedError, match="order"):
        first.renew({"renewal": {**renewal["renewal"], "tips": {"server": "00" * 32}}})
    server.draw({"seat-0": value, "seat-1": second.answer(request)})
    assert not first.accept(server.entries[-1]).left_out
    with pytest.raises(SealedError, match="order"):
        first.renew(renewal)


def test_a_renewal_without_the_own_tip_ends_contributing(duel):
    server, (first, second) = duel
    server.renew({"seat-1": second.tip()})
    head = first.renew(server.entries[-1])
    assert head == server.head == second.renew(server.entries[-1])
    assert not first.contributing
    request = server.request("throw", 0, "d6", 6).to_json()
    with pytest.raises(SealedError, match="watcher"):
        first.answer(request)
    server.draw({"seat-1": second.answer(request)})
    assert first.accept(server.entries[-1]).faces is not None
    assert verify_proof(server.proof(closed=True)).notes[-1].kind == "dropped"


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_whatever_a_server_asks_a_guard_gives_one_value_for_one_request(draw):
    """Random requests and results, right and wrong, with reloads between: no draw is answered for two requests."""
    server, _ = open_table(["seat-0"], 1)
    guard = sealed.Contributor(TABLE, "seat-0", secret("seat-0"))
    guard.open(server.opening.to_json())
    answered: dict[int, Any] = {}
    for _ in range(30):
        right = server.request("throw", 0, "d6", 2).to_json()
        if draw.random() < 0.2:
            guard = sealed.Contributor.from_json(json.loads(json.dumps(guard.to_json())))
        asked = {
            **right,
            "k": right["k"] + draw.choice([0, 0, 0, 0, -1, 1, 2]),
            "head": draw.choice([right["head"], right["head"], "00" * 32]),
            "n": draw.choice([2, 2, 2, 3]),
        }
        with contextlib.suppress(SealedError):
            guard.answer(asked)
            assert answered.setdefault(asked["k"], asked) == asked
            assert asked["k"] <= guard.k + 1
        if draw.random() < 0.4:
            given_for = answered.get(right["k"])
            server.draw({"seat-0": guard.answer(right)} if given_for == right else {})
            if given_for not in (None, right):
                with pytest.raises(SealedError, match="other-request"):
                    guard.accept(server.entries[-1])
                return
            assert guard.accept(server.entries[-1]).k == right["k"]


def test_a_watcher_checks_every_throw_without_a_secret(duel):
    server, (first, second) = duel
    watcher = sealed.Contributor(TABLE)
    watcher.open(server.opening.to_json())
    assert not watcher.contributing
    request = server.request("throw", 0, "d6", 6).to_json()
    server.draw({"seat-0": first.answer(request), "seat-1": second.answer(request)})
    assert watcher.accept(server.entries[0]).faces == tuple(server.entries[0]["draw"]["faces"])
    with pytest.raises(SealedError, match="watcher"):
        watcher.tip()
    with pytest.raises(ValueError, match="a contributor needs"):
        sealed.Contributor(TABLE, "seat-0")


def test_the_javascript_guard_saves_before_it_answers_and_stays_silent_when_it_cannot(tmp_path):
    """An answer that was given must survive a crash: `save` runs first, and a full storage means no answer."""
    server, _ = open_table(["seat-0"], 1)
    guard = sealed.Contributor(TABLE, "seat-0", secret("seat-0"))
    guard.open(server.opening.to_json())
    script = tmp_path / "save.mjs"
    script.write_text(
        f"""import {{ Contributor }} from {json.dumps((sealed_calls.SCRIPTS / "sealed.js").as_uri())};
const request = {json.dumps(server.request("throw", 0, "d6", 6).to_json())};
let saved = null;
const guard = Contributor.fromJSON({json.dumps(guard.to_json())}, (state) => {{ saved = state; }});
guard.answer(request);
const full = Contributor.fromJSON({json.dumps(guard.to_json())}, () => {{ throw new Error("storage is full"); }});
const attempt = () => {{ try {{ full.answer(request); return "answered"; }} catch {{ return "silent"; }} }};
const outcomes = [attempt(), attempt()];
console.log(JSON.stringify([saved.journal.length, ...outcomes]));
""",
        encoding="utf-8",
    )
    run_node([])  # fails or skips where node is missing
    done = subprocess.run(["node", str(script)], capture_output=True, text=True, timeout=180, check=True)
    assert json.loads(done.stdout) == [1, "silent", "silent"]


def test_importing_the_protocol_loads_nothing_heavy():
    code = "import sys, bolzplatz.core.sealed; print({'numpy', 'numba', 'starlette'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True, env=os.environ
    )
    assert done.stdout.strip() == "set()"
