"""One vocabulary of calls for both implementations of sealed draws, used by the vectors and their tests.

`run` carries a call out in Python, `run_node` a list of calls in JavaScript; both give the same JSON.
"""

import hashlib
import hmac
import json
import os
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from bolzplatz.core import sealed

ROOT = Path(__file__).parents[1]
VECTORS = Path(__file__).parent / "data" / "sealed_vectors.json"
SCRIPTS = ROOT / "src" / "bolzplatz" / "web" / "static"

Call = list[Any]


def attempt(action: Any) -> Any:
    """Carry out an action; a refusal becomes its code and field."""
    try:
        return action()
    except sealed.SealedError as error:
        return {"refused": error.what, "where": error.where}


def run(call: Call) -> Any:
    """Carry out one call in Python."""
    name, *args = call
    return attempt(lambda: _CALLS[name](*args))


def run_node(calls: list[Call]) -> list[Any]:
    """Carry out calls in JavaScript under Node; without Node a failure in CI, elsewhere a skip."""
    node = shutil.which("node")
    if node is None:
        reason = "node is not installed: the JavaScript implementation of sealed draws was NOT checked"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    driver = Path(__file__).with_name("sealed_node.mjs")
    done = subprocess.run(
        [node, str(driver), str(SCRIPTS)],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def _field(value: Any) -> sealed.Field:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


def _chain(secret: str, table: str, who: str, start: int, steps: list[int]) -> list[str]:
    chain = sealed.make_chain(bytes.fromhex(secret), table, who, start)
    return [(chain.value(start + step) if step else chain.tip).hex() for step in steps]


def _words(table: str, head: str, words: list[str]) -> list[str]:
    assert tuple(words) == sealed.word_list()
    return list(sealed.six_words(table, bytes.fromhex(head)))


def _seed(table: str, request: Any, server: str, values: dict[str, str]) -> str:
    answers = {who: bytes.fromhex(value) for who, value in values.items()}
    return sealed.draw_seed(table, sealed.DrawRequest.from_json(request), bytes.fromhex(server), answers).hex()


def _faces(key: str, table: str, first: int, form: str, n: int) -> list[int]:
    return list(sealed.draw_faces(sealed.Stream(bytes.fromhex(key), table, first), form, n))


def _verify_text(text: str) -> Any:
    return sealed.verify_proof(sealed.read_canonical(text.encode())).to_json()["fault"]


def _contributor(state: Any, steps: list[Call]) -> Any:
    guard = sealed.Contributor.from_json(state)

    def step(method: str, *args: Any) -> Any:
        nonlocal guard
        if method == "reload":
            guard = sealed.Contributor.from_json(json.loads(json.dumps(guard.to_json())))
            return None
        result = getattr(guard, method)(*args)
        if isinstance(result, bytes):
            return result.hex()
        if isinstance(result, sealed.Accepted):
            faces = None if result.faces is None else list(result.faces)
            return {"k": result.k, "faces": faces, "leftOut": result.left_out}
        return [{**asdict(note), "who": list(note.who)} for note in result]

    results = [attempt(lambda call=call: step(*call)) for call in steps]
    return {"results": results, "state": guard.to_json()}


_CALLS: dict[str, Any] = {
    "sha256": lambda data: hashlib.sha256(bytes.fromhex(data)).hexdigest(),
    "sha256_repeated": lambda unit, count: hashlib.sha256(bytes.fromhex(unit) * count).hexdigest(),
    "hmac": lambda key, data: hmac.digest(bytes.fromhex(key), bytes.fromhex(data), "sha256").hex(),
    "canonical": lambda value: sealed.canonical_json(value).decode(),
    "read": lambda text: sealed.read_canonical(text.encode()),
    "hash": lambda purpose, table, *fields: sealed.tagged_hash(purpose, table, *map(_field, fields)).hex(),
    "mac": lambda key, purpose, table, *fields: sealed.tagged_mac(
        bytes.fromhex(key), purpose, table, *map(_field, fields)
    ).hex(),
    "in_order": lambda names: list(sealed.in_order(names)),
    "chain": _chain,
    "words": _words,
    "seed": _seed,
    "faces": _faces,
    "verify": lambda proof: sealed.verify_proof(proof).to_json(),
    "verify_text": _verify_text,
    "contributor": _contributor,
}
