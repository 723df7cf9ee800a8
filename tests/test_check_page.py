"""The page's check of a record, in Node: headers, how often each side came up, and a text for all that it may find."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import bolzplatz
from bolzplatz.core.record import read_record, verify_record
from bolzplatz.web.language import catalogue
from tests.records import FIXED_FILE, play_sealed
from tests.test_record_undo import in_node

SOURCE = Path(bolzplatz.__file__).parent
WORDS = {key.removeprefix("script."): text for key, text in catalogue("en").texts.items() if key.startswith("script.")}


def judged(texts: list[str]) -> list[Any]:
    script = "const answer = data.texts.map((text) => check.judge(bytes(text), data.words, null));"
    found: list[Any] = in_node(script, {"texts": texts, "words": WORDS})
    return found


def changed(text: str, old: str, new: str) -> str:
    """Change a record, and write the digest of its text anew as a forger would."""
    assert text.count(old) == 1
    written, _, block = text.replace(old, new).rpartition("\n\n")
    proof = json.loads(block)
    proof["text"] = hashlib.sha256(f"{written}\n\n".encode()).hexdigest()
    return f"{written}\n\n{json.dumps(proof, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}\n"


def test_headers_are_those_of_the_opening_record() -> None:
    good = FIXED_FILE.read_text(encoding="utf-8")
    changes = {
        "game": ("game: 5050\n", "game: bar-bolz\n"),
        "rules": ("rules: 1\n", "rules: 2\n"),
        "option threshold": ("option threshold: 50\n", "option threshold: 350\n"),
        "option finish_round": ("option finish_round: true\n", "option finish_round: 1\n"),
        "option max_conversions": ("option max_conversions: none\n", ""),
        "seat 0": ("seat 0: Mia\n", "seat 0: Eve\n"),
        "seat 2": ("dice: sealed draws\n", "seat 2: Eve\ndice: sealed draws\n"),
        "dice": ("dice: sealed draws\n", "dice: by hand\n"),
        "weather": ("dice: sealed draws\n", "weather: fine\ndice: sealed draws\n"),
    }
    found, *forged = judged([good, *(changed(good, *change) for change in changes.values())])
    assert found["good"]
    for header, verdict in zip(changes, forged, strict=True):
        assert (verdict["good"], verdict["lines"]) == (False, [WORDS["check_header"].format(header=header)])


def test_sides_are_those_of_dice_alone_with_what_is_to_be_expected() -> None:
    """As the program counts them; weighted draws and decks have no sides, and each kind of die its own."""
    matches = [
        play_sealed(bolzplatz.load_game(name), "t", ["Mia", "Ben"], stop_after=120)
        for name in ("5050", "dribbel-fieber", "gooaaaaal")
    ]
    forms = {entry["draw"]["form"] for match in matches for entry in match.server.entries if "draw" in entry}
    assert {form[:2] for form in forms} > {"d6"}
    for match, verdict in zip(matches, judged([match.text for match in matches]), strict=True):
        assert verdict["good"], verdict
        found = verify_record(read_record(match.text.encode()), bolzplatz.load_game).frequencies
        expected = [(each.form, each.throws, each.counts, each.low, each.high) for each in found]
        shown = [
            (f"d{e['sides']}", e["throws"], tuple(e["counts"]), e["low"], e["high"]) for e in verdict["frequencies"]
        ]
        assert shown == expected
        assert found


@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_there_is_a_text_for_every_note_and_fault(language: str) -> None:
    python = "\n".join(path.read_text(encoding="utf-8") for path in sorted((SOURCE / "core").glob("*.py")))
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in sorted((SOURCE / "web" / "static").rglob("*.js")))
    notes = {*re.findall(r'\bNote\("([a-z-]+)"', python), *re.findall(r'\b(?:note\(|kind: )"([a-z-]+)"', scripts)}
    assert {"given", "rewound", "broken-off", "server-alone", "not-mine"} <= notes
    # The rest of the codes are a contributor's refusals, which never meet a finished proof.
    faults = {*re.findall(r'\brefuse\("([a-z-]+)"', scripts), "undo"} - {
        "opening", "other-request", "other-result", "not-mine", "watcher",
    }  # fmt: skip
    assert {"protocol", "shape", "link", "used-up"} <= faults
    words = catalogue(language).texts
    wanted = [f"note_{kind}" for kind in notes] + [f"fault_{code}" for code in faults]
    assert [key for key in wanted if f"script.{key.replace('-', '_')}" not in words] == []
