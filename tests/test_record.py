"""The text record: written, read, replayed, verified; and whatever is changed in it is found."""

import dataclasses
import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import bolzplatz
from bolzplatz import RecordError, State
from bolzplatz.core import sealed
from bolzplatz.core.game import Game
from bolzplatz.core.record import (
    HAND_DICE,
    MAGIC,
    SEALED_DICE,
    Record,
    _frequency,
    load_recorded_game,
    read_record,
    record_of,
    replay_record,
    verify_record,
    write_record,
)
from bolzplatz.core.sealed import canonical_json
from tests.records import FIXED_FILE, SealedMatch, fixed_match, play_sealed

FIXED = FIXED_FILE.read_bytes()
LINES = FIXED.decode().splitlines()


def verified(data: bytes) -> Any:
    return verify_record(read_record(data), bolzplatz.load_game)


def with_proof(change: Callable[[dict[str, Any]], None], text: str | None = None) -> bytes:
    """The fixed record with a changed proof, and `text` in place of headers and moves; the digest fits again."""
    proof = json.loads(LINES[-1])["proof"]
    change(proof)
    text = "\n".join(LINES[:-1]) + "\n" if text is None else text
    block = canonical_json({"proof": proof, "text": hashlib.sha256(text.encode()).hexdigest()}).decode()
    return f"{text}{block}\n".encode()


def with_text(old: str, new: str) -> bytes:
    """The fixed record with changed headers or moves, whose digest a forger has made to fit."""
    text = "\n".join(LINES[:-1]) + "\n"
    assert text.count(old) == 1
    return with_proof(lambda proof: None, text.replace(old, new))


@pytest.fixture(scope="module")
def long_match() -> SealedMatch:
    game = bolzplatz.load_game("bar-bolz")
    return play_sealed(game, "long table", ["Mia", "Ben"], ["seat-0", "seat-1"], silent_at=[7, 8, 20])


# --- there and back ---------------------------------------------------------------------------------------------


def test_the_fixed_record_is_small_readable_and_right():
    assert len(FIXED) < 4096
    assert LINES[:3] == [MAGIC, "game: 5050", "rules: 1"]
    assert LINES[LINES.index("") - 4 : LINES.index("")] == [
        "seat 0: Mia", "seat 1: Ben & Zoë", "dice: sealed draws", "result: 1600 150",
    ]  # fmt: skip
    found = verified(FIXED)
    assert (found.ok, found.provable, found.faults) == (True, True, [])
    assert found.to_dict()["ok"] is True
    assert json.loads(json.dumps(found.to_dict()))["draws"] == 3
    assert [(note.kind, note.k, note.who) for note in found.notes] == [("absent", 2, ("seat-1",))]
    assert len(found.words) == 6
    assert set(found.words) <= set(sealed.word_list())


def test_the_format_stays_what_it_was():
    """A record from yesterday verifies, and today's program writes the same bytes."""
    assert fixed_match().text.encode() == FIXED
    record = read_record(FIXED)
    assert write_record(record).encode() == FIXED
    assert replay_record(record, bolzplatz.load_game) == fixed_match().state


SETUPS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("bar-bolz", {"series": 3, "black_faces": "5"}, []),
    ("bar-bolz", {"teams": "1v2", "black_faces": "5/5,10,foul", "decider": "0v1"}, ["seat-0", "seat-1", "seat-2"]),
    ("5050", {"players": 3, "target": 600, "first": 1, "max_conversions": None}, ["seat-2", "witness-0"]),
]


@pytest.mark.parametrize(("name", "options", "contributors"), SETUPS, ids=str)
def test_a_match_is_written_read_replayed_and_verified(name, options, contributors):
    game = bolzplatz.load_game(name, **options)
    names = [f"player {seat}" for seat in range(game.num_players)]
    match = play_sealed(game, "some table", names, contributors, silent_at=[3])
    record = read_record(match.text.encode())
    assert write_record(record) == match.text
    assert (record.seats, record.moves) == (tuple(names), tuple(match.state.history()))
    assert record.result == " ".join(map(str, match.state.scores()))
    assert load_recorded_game(record, bolzplatz.load_game) == game
    again = replay_record(record, bolzplatz.load_game)
    assert (again, again.history(), again.events()) == (match.state, match.state.history(), match.state.events())
    found = verified(match.text.encode())
    assert (found.ok, found.faults) == (True, [])
    assert len(found.draws) == match.server.k
    kinds = {note.kind for note in found.notes}
    assert ("server-alone" in kinds) == (not contributors)
    assert ("absent" in kinds) == bool(contributors)


def test_a_match_that_goes_on_is_verified_as_far_as_it_is():
    match = play_sealed(bolzplatz.load_game("bar-bolz"), "open table", ["Mia", "Ben"], ["seat-1"], stop_after=9)
    record = read_record(match.text.encode())
    assert record.result == "unfinished"
    found = verified(match.text.encode())
    assert (found.ok, len(found.draws)) == (True, match.server.k)
    assert "running" in {note.kind for note in found.notes}


def test_dice_by_hand_replay_and_prove_nothing():
    state = bolzplatz.load_game("bar-bolz").new_initial_state().play("pass", "pass", "10", "foul")
    text = write_record(record_of(state, ["Mia", "Ben"], HAND_DICE))
    assert text.endswith("\npass\npass\n10\nfoul\n\n")
    found = verified(text.encode())
    assert (found.ok, found.provable, found.faults, found.draws, found.words) == (False, False, [], (), ())
    assert replay_record(read_record(text.encode()), bolzplatz.load_game) == state


@pytest.mark.parametrize(
    ("old", "new", "place", "reason"),
    [
        ("\npass\npass\n10\n", "\npass\npass\n11\n", "move 3", "'11' is refused"),
        ("\nfoul\n", "\nreferee white\n", "move 4", "'referee white' is refused"),
        ("result: unfinished", "result: 1 0", "headers", "the result is 'unfinished', the file says '1 0'"),
        ("game: bar-bolz", "game: skat", "headers", "unknown game 'skat'"),
        ("option series: 1", "option series: 2", "headers", "series is 2"),
        ("option series: 1", "option serious: 1", "headers", "unknown option 'serious'"),
        ("option series: 1", "option name: 1", "headers", "unknown option 'name'"),
        ("option series: 1", f"option series: {'9' * 5000}", "headers", "series"),
        ("option teams: none", "option teams: 1v2", "headers", "2 seats for 3 players"),
        ("rules: 1\n", "rules: 99\n", "headers", "played under rules version 99; this program has version 1"),
    ],
)
def test_a_record_by_hand_is_held_to_the_rules(old, new, place, reason):
    state = bolzplatz.load_game("bar-bolz").new_initial_state().play("pass", "pass", "10", "foul")
    text = write_record(record_of(state, ["Mia", "Ben"], HAND_DICE))
    assert text.count(old) == 1
    changed = read_record(text.replace(old, new).encode())
    ((found_place, found_reason),) = verify_record(changed, bolzplatz.load_game).faults
    assert found_place == place
    assert reason in found_reason
    if not old.startswith("result"):
        with pytest.raises(RecordError) as refused:
            replay_record(changed, bolzplatz.load_game)
        assert (refused.value.place, refused.value.reason) == (found_place, found_reason)


NAMES = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n"), max_size=30)


@settings(max_examples=100, deadline=None)
@given(st.lists(NAMES, min_size=2, max_size=2), st.sampled_from(["5", "5,penalty/5,10,foul"]), st.booleans())
def test_any_name_on_one_line_comes_back(names, black_faces, penalty_optional):
    game = bolzplatz.load_game("bar-bolz", black_faces=black_faces, penalty_optional=penalty_optional)
    state = game.new_initial_state().play("foul", "referee white")
    text = write_record(record_of(state, names, HAND_DICE))
    record = read_record(text.encode())
    assert (list(record.seats), record.game, record.moves) == (names, "bar-bolz", ("foul", "referee white"))
    assert load_recorded_game(record, bolzplatz.load_game) == game
    assert write_record(record) == text


@pytest.mark.parametrize("names", [[], ["Mia"], ["Mia", "Ben", "Zoë"], ["Mia", "Ben\ndice: by hand"]])
def test_names_that_would_break_the_file_are_not_written(names):
    with pytest.raises(RecordError, match="2 names of one line each"):
        record_of(bolzplatz.load_game("5050").new_initial_state(), names, HAND_DICE)


# --- broken files -----------------------------------------------------------------------------------------------


def join(*parts: list[str]) -> bytes:
    return "".join(f"{line}\n" for part in parts for line in part).encode()


BLANKS = [number for number, line in enumerate(LINES) if not line]
HEADERS, MOVES, PROOF = LINES[: BLANKS[0]], LINES[BLANKS[0] + 1 : BLANKS[1]], LINES[-1]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"", "line 1"),
        (b"Bolzplatz record 2\n", "line 1"),
        (b"\xef\xbb\xbf" + FIXED, "line 1"),
        (FIXED.replace(b"\n", b"\r\n"), "line 1"),
        (FIXED[:-1], "end"),
        (join(HEADERS), "end"),
        (join(HEADERS, [""], MOVES), "end"),
        (FIXED[:40] + b"\xff" + FIXED[41:], "byte 40"),
        (FIXED[:-3] + b"\xc3\n", f"byte {len(FIXED) - 3}"),
        (join(HEADERS[:5], ["nonsense"], HEADERS[5:], [""], MOVES, [""], [PROOF]), "line 6"),
        (join(HEADERS[:5], ["game: 5050"], HEADERS[5:], [""], MOVES, [""], [PROOF]), "line 6"),
        (join(HEADERS[:5], HEADERS[6:], HEADERS[5:6], [""], MOVES, [""], ["{}"]), f"line {len(LINES)}"),
        (join(HEADERS[:1], HEADERS[2:], [""], MOVES, [""], [PROOF]), "headers"),
        (join([HEADERS[0], HEADERS[2], HEADERS[1]], HEADERS[3:], [""], MOVES, [""], [PROOF]), "headers"),
        (FIXED.replace(b"seat 1:", b"seat 2:"), "headers"),
        (FIXED.replace(b"dice: sealed draws", b"dice: thrown"), "headers"),
        (join(LINES, ["one more"]), f"line {len(LINES) + 1}"),
        (join(LINES, [""]), f"line {len(LINES) + 1}"),
        (join(LINES, LINES), f"line {len(LINES) + 1}"),
        (join(LINES[:-1], [PROOF + " "]), f"line {len(LINES)}"),
        (join(LINES[:-1], [PROOF.replace(":", ": ", 1)]), f"line {len(LINES)}"),
        (join(LINES[:-1], ["[" * 100_000]), f"line {len(LINES)}"),
        (join(LINES[:-1], ["1" * 5000]), f"line {len(LINES)}"),
        (join(LINES[:-1], ['{"text":"x"}']), f"line {len(LINES)}"),
        (join(LINES[:-1], ["[]"]), f"line {len(LINES)}"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_where(data, place):
    with pytest.raises(RecordError) as refused:
        read_record(data)
    assert refused.value.place == place
    assert str(refused.value).startswith(f"{place}: ")
    assert "\n" not in str(refused.value)


def is_found(data: bytes) -> bool:
    """Whether a changed record is refused or found faulty; anything else than that is an error."""
    try:
        record = read_record(data)
    except RecordError:
        return True
    found = verify_record(record, bolzplatz.load_game)
    return not found.ok


def other_bytes(byte: int, luck: random.Random) -> list[int]:
    """Other values for a byte: a neighbour, one of the same kind where it can be, and any."""
    kinds = ["0123456789", "abcdef", "ghijklmnopqrstuvwxyz", " \n", '{}[]":,']
    same = [ord(c) for kind in kinds if chr(byte) in kind for c in kind if ord(c) != byte]
    values = {byte ^ 1, luck.choice(same or [byte ^ 32]), luck.choice([v for v in range(256) if v != byte])}
    return sorted(values if len(values) > 1 else {*values, byte ^ 2})


def test_every_changed_byte_of_a_short_record_is_found(monkeypatch):
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 1)  # the six words are no part of what is checked
    luck = random.Random(1)
    missed = []
    for place, byte in enumerate(FIXED):
        values = other_bytes(byte, luck)
        assert len(values) >= 2
        missed += [(place, value) for value in values if not is_found(_put(FIXED, place, value))]
    assert missed == []


def _put(data: bytes, place: int, value: int) -> bytes:
    return data[:place] + bytes([value]) + data[place + 1 :]


def test_200_changed_bytes_of_a_long_record_are_found(long_match, monkeypatch):
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 1)
    data = long_match.text.encode()
    assert len(data) > 7 * 4096
    assert not is_found(data)
    luck = random.Random(2)
    places = luck.sample(range(len(data)), 200)
    assert [
        place for place in places if not is_found(_put(data, place, luck.choice(other_bytes(data[place], luck))))
    ] == []


def test_every_cut_of_a_short_record_is_found(monkeypatch):
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 1)
    assert [end for end in range(len(FIXED)) if not is_found(FIXED[:end])] == []


def test_every_dropped_doubled_or_swapped_line_is_found(monkeypatch):
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 1)
    for i in range(len(LINES)):
        assert is_found(join(LINES[:i], LINES[i + 1 :])), f"line {i + 1} dropped"
        assert is_found(join(LINES[: i + 1], LINES[i:])), f"line {i + 1} doubled"
        for j in range(i):
            swapped = LINES.copy()
            swapped[i], swapped[j] = swapped[j], swapped[i]
            assert swapped == LINES or is_found(join(swapped)), f"lines {j + 1} and {i + 1} swapped"


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_cut_and_paste_is_found(data):
    start = data.draw(st.integers(0, len(FIXED)))
    end = data.draw(st.integers(start, min(len(FIXED), start + 200)))
    put = data.draw(st.binary(max_size=30) | st.integers(0, len(FIXED) - 30).map(lambda at: FIXED[at : at + 30]))
    changed = FIXED[:start] + put + FIXED[end:]
    assert changed == FIXED or is_found(changed)


# --- forgeries whose digest fits --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (with_text("keep 1\n", "keep 1 1\n"), "move 4", "the proof has 'keep 1' here, the file 'keep 1 1'"),
        (with_text("throw 122335\n", "throw 111111\n"), "move 6", "the proof has 'throw 122335' here"),
        (with_text("keep 1 5\nstop\n", "keep 1 5\n"), "move 8", "the proof has 'stop' here, the file None"),
        (with_text("keep 1 5\nstop\n", "keep 1 5\nstop\nstop\n"), "move 9", "'stop' is not in the proof"),
        (with_text("seat 0: Mia\n", "seat 0: Max\n"), "headers", "seats: the opening record says"),
        (with_text("target: 50\n", "target: 51\n"), "headers", "options: the opening record says"),
        (with_text("target: 50\n", "target: 5O\n"), "headers", "target is '5O'"),
        (with_text("game: 5050\n", "game: bar-bolz\n"), "headers", "unknown option"),
        (with_text("rules: 1\n", "rules: 2\n"), "headers", "played under rules version 2"),
        (with_text("dice: sealed draws\n", "dice: by hand\n"), "headers", "the dice were 'sealed draws'"),
        (with_text("result: 1600 150\n", "result: 150 1600\n"), "headers", "the result is '1600 150'"),
        (with_text("result: 1600 150\n", "result: unfinished\n"), "headers", "the result is '1600 150'"),
    ],
)
def test_what_differs_from_the_proof_is_named_with_its_place(data, place, reason):
    found = verified(data)
    ((found_place, found_reason), *_) = found.faults
    assert found_place == place
    assert reason in found_reason
    assert not found.ok


def test_the_digest_guards_what_the_proof_does_not_know():
    swapped = join(HEADERS[:3], [HEADERS[4], HEADERS[3]], HEADERS[5:], [""], MOVES, [""], [PROOF])
    assert verified(swapped).faults == [
        ("text", "headers or moves were changed: their digest is not the one in the proof block")
    ]
    block = json.loads(PROOF)
    block["text"] = "0" * 64
    assert verified(join(LINES[:-1], [canonical_json(block).decode()])).faults[0][0] == "text"


def _face(proof: dict[str, Any]) -> None:
    faces = proof["entries"][0]["draw"]["faces"]
    faces[0] = faces[0] % 6 + 1


def _move(proof: dict[str, Any]) -> None:
    proof["entries"][1]["move"] = "keep 1"


def _last_move(proof: dict[str, Any]) -> None:
    proof["entries"][-1]["move"] = "go"


def _absent(proof: dict[str, Any]) -> None:
    proof["entries"][2]["draw"]["absent"] = []


def _drop_entry(proof: dict[str, Any]) -> None:
    del proof["entries"][3]


def _deck(proof: dict[str, Any]) -> None:
    proof["closing"]["deck"] = "0" * 64


def _no_closing(proof: dict[str, Any]) -> None:
    proof["closing"] = None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_face, "entry 0, draw.faces (faces)"),
        (_move, "entry 2, draw.head (head)"),
        (_last_move, "closing.head (head)"),
        (_absent, "entry 2, draw (contributors)"),
        (_drop_entry, "(head)"),
        (_deck, "closing.deck (deck)"),
        (lambda proof: proof["opening"].update(table="another"), "closing.deck (deck)"),
        (lambda proof: proof["opening"].update(restarts=1), "entry 0, draw.head (head)"),
        (lambda proof: proof.update(protocol="sealed-draws-9"), "proof.protocol (protocol)"),
        (lambda proof: proof.update(entries={}), "entries (shape)"),
        (lambda proof: proof.clear(), "proof (shape)"),
    ],
)
def test_a_changed_proof_is_named_with_its_entry(change, reason):
    found = verified(with_proof(change))
    assert found.faults[0][0] == "proof"
    assert reason in found.faults[0][1]
    assert found.words == (), "words of an opening that proves nothing are not shown"


@pytest.mark.parametrize("proof", [[], 1, "x", {}, {"proof": None}, {"opening": None}, [[]]])
def test_a_proof_of_another_kind_is_a_fault_and_no_traceback(proof):
    text = "\n".join(LINES[:-1]) + "\n"
    block = canonical_json({"proof": proof, "text": hashlib.sha256(text.encode()).hexdigest()}).decode()
    found = verified(f"{text}{block}\n".encode())
    assert (found.ok, found.faults[0][0]) == (False, "proof")


def test_a_null_proof_proves_nothing():
    text = "\n".join(LINES[:-1]) + "\n"
    found = verified(f'{text}{{"proof":null,"text":"{"0" * 64}"}}\n'.encode())
    assert (found.ok, found.provable) == (False, False)


def test_the_proof_of_another_match_is_found():
    other = play_sealed(bolzplatz.load_game("5050", target=50, threshold=50), "table-0", ["Mia", "Ben & Zoë"])
    proof = json.loads(other.text.splitlines()[-1])["proof"]
    found = verified(with_proof(lambda mine: (mine.clear(), mine.update(proof))[0]))
    assert found.faults[0][0] == "move 1"


def forged(state: State, entries: Callable[[sealed.SealedServer], None]) -> bytes:
    """A record whose proof is right in itself, with entries that the rules may not allow."""
    match = play_sealed(state.game, "forged table", ["Mia", "Ben"], stop_after=0)
    entries(match.server)
    record = record_of(state, ["Mia", "Ben"], SEALED_DICE, match.server.proof(closed=state.is_terminal()))
    return write_record(record).encode()


@pytest.mark.parametrize(
    ("request_of", "reason"),
    [
        (("throw", 0, "d6", 5), "proof entry 0: a draw of 5 d6, which the rules do not ask for here"),
        (("throw", 0, "d20", 6), "proof entry 0: a draw of 6 d20, which the rules do not ask for here"),
        (("throw", 1, "d6", 6), "proof entry 0: a draw for a seat that does not throw here"),
        (("throw", None, "d6", 6), "proof entry 0: a draw for a seat that does not throw here"),
    ],
)
def test_a_proven_draw_that_the_rules_do_not_ask_for_is_found(request_of, reason):
    def draw(server: sealed.SealedServer) -> None:
        server.request(*request_of)
        server.draw({})

    found = verified(forged(bolzplatz.load_game("5050").new_initial_state(), draw))
    assert [f"{place}: {why}" for place, why in found.faults] == [reason]


@pytest.mark.parametrize(
    "entry", [{"seat": 0, "move": "keep 1"}, {"seat": 1, "move": "stop"}, {"seat": 0, "move": 5}, {"move": "stop"}]
)
def test_a_logged_move_of_a_seat_that_does_not_decide_is_found(entry):
    found = verified(
        forged(bolzplatz.load_game("5050").new_initial_state(), lambda server: server.append(entry) and None)
    )
    assert found.faults == [("proof entry 0", "a move of a seat that does not decide here")]


def test_a_logged_move_that_the_rules_refuse_is_found():
    game = bolzplatz.load_game("bar-bolz", penalty_optional=False)
    for table in range(200):
        match = play_sealed(game, f"table {table}", ["Mia", "Ben"])
        if "take" in match.state.history():
            break
    server, moves = match.server, match.state.history()
    before = next(i for i, entry in enumerate(server.entries) if "move" in entry)
    cut = sealed.SealedServer(server.opening, server._chain_secret, server._deck_secret, server.entries[:before])
    cut.append({"seat": server.entries[before]["seat"], "move": "decline", "by": "person"})
    record = Record(
        "bar-bolz", "1", game.options, ("Mia", "Ben"), SEALED_DICE, "unfinished", (*moves[:before], "decline")
    )
    found = verified(write_record(dataclasses.replace(record, proof=cut.proof(closed=False))).encode())
    assert found.faults[0][0] == f"proof entry {before}"
    assert "bar-bolz §12" in found.faults[0][1]


def test_another_version_of_the_rules_is_refused_by_name():
    def newer(name: str, **options: Any) -> Game:
        game = bolzplatz.load_game(name, **options)
        return Game(dataclasses.replace(game.spec, rules_version="2"), options)

    record = read_record(FIXED)
    with pytest.raises(RecordError, match="played under rules version 1; this program has version 2"):
        replay_record(record, newer)
    assert verify_record(record, newer).faults[0] == (
        "headers", "played under rules version 1; this program has version 2",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["gooaaaaal", "wilde-kerle"])
def test_a_record_names_the_data_it_was_played_with(name):
    """By hand, without a proof: dice or cards from a file that was changed since are not taken for the same."""
    state = bolzplatz.load_game(name).new_initial_state()
    seats = [str(seat) for seat in range(state.game.num_players)]
    text = write_record(record_of(state, seats, HAND_DICE))
    record = read_record(text.encode())
    assert replay_record(record, bolzplatz.load_game) == state
    digest = next(line for line in text.splitlines() if line.startswith("data: "))
    old = read_record(text.replace(f"{digest}\n", "").encode())
    assert (old.data, replay_record(old, bolzplatz.load_game)) == ("", state), "as they were written before"
    other = read_record(text.replace(digest, f"data: {'0' * 64}").encode())
    with pytest.raises(RecordError, match="other dice or cards"):
        replay_record(other, bolzplatz.load_game)
    with pytest.raises(RecordError, match="digest in hexadecimal"):
        read_record(text.replace(digest, "data: mine").encode())


def test_games_that_read_no_data_name_none():
    for name in ("5050", "bar-bolz", "dribbel-fieber"):
        state = bolzplatz.load_game(name).new_initial_state()
        assert "data: " not in write_record(record_of(state, ["A", "B"], HAND_DICE))


# --- how often each face came up --------------------------------------------------------------------------------


def test_faces_are_counted_over_all_draws(long_match):
    (frequency,) = verified(long_match.text.encode()).frequencies
    draws = [entry["draw"] for entry in long_match.server.entries if "draw" in entry]
    faces = [face for draw in draws for face in draw["faces"]]
    assert (frequency.form, frequency.throws) == ("d6", len(faces))
    assert list(frequency.counts) == [faces.count(face) for face in range(1, 7)]


@pytest.mark.parametrize(("throws", "sides"), [(30, 6), (100, 6), (600, 6), (6000, 6), (600, 2), (600, 20)])
def test_the_band_holds_99_of_100_fair_runs(throws, sides):
    """Exactly, by the binomial distribution."""
    band = _frequency(f"d{sides}", Counter({1: throws}))
    p = 1 / sides

    def chance(count: int) -> float:
        logs = math.lgamma(throws + 1) - math.lgamma(count + 1) - math.lgamma(throws - count + 1)
        return math.exp(logs + count * math.log(p) + (throws - count) * math.log(1 - p))

    assert 0.98 < sum(chance(count) for count in range(band.low, band.high + 1)) < 0.9985
    assert 0 <= band.low < throws / sides < band.high


def test_the_band_of_a_single_throw():
    band = _frequency("d6", Counter({4: 1}))
    assert (band.throws, band.counts, band.low, band.high) == (1, (0, 0, 0, 1, 0, 0), 0, 1)
