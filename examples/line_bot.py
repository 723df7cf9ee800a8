#!/usr/bin/env python3
"""A computer player that speaks the line protocol (docs/line-protocol.md) and needs nothing of Bolzplatz.

At 5050 it keeps what brings most points and stops as soon as it may; elsewhere it takes the first legal move.

    bolzplatz simulate 5050 --player greedy=5050:line:examples/line_bot.py --policies greedy,good --matches 20
"""

import json
import sys
from typing import Any


def choose(view: dict[str, Any]) -> str:
    """Return one of the legal moves, in notation."""
    legal: list[str] = view["legal_actions"]
    values: dict[str, int] = view["shown"].get("values") or {}
    if values:
        return "keep " + max(values, key=lambda kept: values[kept])
    return "stop" if "stop" in legal else legal[0]


def main() -> None:
    """Answer line by line until told to quit."""
    view: dict[str, Any] = {}
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "bolzplatz":
            print("id Greedy")
            print("ready", flush=True)
        elif word == "view":
            view = json.loads(rest)
        elif word == "go":
            print("move", choose(view), flush=True)
        elif word == "quit":
            return


if __name__ == "__main__":
    main()
