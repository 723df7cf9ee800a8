"""The page's part in the dice, without a browser: storage that is lost or refuses must alarm nobody, and be said."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bolzplatz.core import sealed
from tests.make_sealed_vectors import TABLE, open_table, secret
from tests.sealed_calls import SCRIPTS

LONGEST = 120.0
WHO = "seat-0"


class Page:
    """A page in Node, with the table's side of the draws."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.say("load", TABLE, WHO)
        self.server: sealed.SealedServer

    def call(self, name: str, *args: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([name, *args]) + "\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def say(self, name: str, *args: Any) -> Any:
        """Call what must not alarm; return what it gives."""
        found = self.call(name, *args)
        assert "alarm" not in found, found
        return found["gives"]

    def tip(self) -> bytes:
        (message,) = self.call("tip", WHO, 7)["sent"]
        assert (message["type"], message["version"]) == ("tip", 7)
        return bytes.fromhex(message["tip"])

    def open(self, tip: bytes) -> bool:
        """Open the match with this tip of the page and one of somebody else's; return whether the page only watches."""
        other, chains = open_table(["seat-1"], 2)
        self.chain = chains["seat-1"]
        opening = sealed.Opening.from_json(
            {**other.opening.to_json(), "tips": {**other.opening.to_json()["tips"], WHO: tip.hex()}}
        )
        self.server = sealed.SealedServer(opening, secret(sealed.SERVER), secret("deck"))
        return self.greet()

    def greet(self) -> bool:
        message = {"opening": self.server.opening.to_json(), "entries": self.server.entries}
        return bool(self.say("opening", message))

    def draw(self) -> dict[str, Any]:
        """Make a throw with the shares that come; return what the page says of it."""
        request = self.server.request("throw", 0, "d6", 6)
        values = {"seat-1": self.chain.value(request.k)}
        for message in self.call("ask", request.to_json())["sent"]:
            values[WHO] = bytes.fromhex(message["value"])
        self.server.draw(values)
        found: dict[str, Any] = self.say("entry", self.server.entries[-1])
        return found

    def renew(self, tip: bytes) -> dict[str, Any]:
        self.chain = sealed.make_chain(secret("seat-1"), TABLE, "seat-1", self.server.k)
        self.server.renew({WHO: tip, "seat-1": self.chain.tip})
        return self.call("entry", self.server.entries[-1])

    def lose_storage(self) -> None:
        """The browser forgets all, and the page is loaded anew."""
        self.say("forget")
        self.say("load", TABLE, WHO)


@pytest.fixture
def page() -> Iterator[Page]:
    node = shutil.which("node")
    if node is None:
        reason = "node is not installed: the page's part in the dice was NOT checked"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    command = [node, str(Path(__file__).with_name("fair_node.mjs")), str(SCRIPTS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Page(process)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(LONGEST)


def test_a_page_gives_its_share_to_each_throw_and_checks_it(page: Page) -> None:
    assert page.open(page.tip()) is False
    for k in (1, 2):
        assert page.draw() == {"k": k, "faces": page.server.entries[-1]["draw"]["faces"], "leftOut": False}
        assert page.server.entries[-1]["draw"]["absent"] == []
    page.say("load", TABLE, WHO)  # reloaded: all is there again
    assert page.greet() is False
    assert page.say("contributes") is True
    assert page.draw()["leftOut"] is False


def test_a_page_whose_share_is_not_in_the_opening_says_that_it_only_watches(page: Page) -> None:
    page.tip()
    assert page.open(secret("the share of a page that was quicker")) is True
    assert page.say("contributes") is False
    assert page.draw()["faces"] is not None


def test_a_page_that_has_forgotten_its_share_says_so_and_may_take_part_again(page: Page) -> None:
    page.open(page.tip())
    page.draw()
    page.lose_storage()
    assert page.greet() is True
    page.draw()
    assert "alarm" not in page.renew(page.tip())
    assert page.say("contributes") is True
    page.draw()
    assert page.server.entries[-1]["draw"]["absent"] == []


@pytest.mark.parametrize("throws", [0, 1])
def test_storage_lost_between_a_new_share_and_the_new_chains_is_no_false_alarm(page: Page, throws: int) -> None:
    page.open(page.tip())
    for _ in range(throws):
        page.draw()
    page.lose_storage()
    page.greet()
    first = page.tip()  # asked for at the renewal, and on its way
    page.lose_storage()
    page.greet()
    assert page.tip() != first
    found = page.renew(first)  # the first one was quicker
    assert "alarm" not in found
    assert page.say("contributes") is False
    assert page.draw()["faces"] is not None
    # It can ask once more.
    assert "alarm" not in page.renew(page.tip())
    assert page.say("contributes") is True


def test_a_share_that_somebody_changes_is_still_found_out(page: Page) -> None:
    page.open(page.tip())
    page.draw()
    assert page.renew(secret("somebody else's"))["alarm"] == "tips"


def test_a_browser_that_keeps_nothing_plays_from_memory_and_says_so_once(page: Page) -> None:
    assert page.say("told") == 0
    page.say("refuse")
    assert page.open(page.tip()) is False
    assert page.draw()["leftOut"] is False
    assert page.draw()["leftOut"] is False
    assert page.say("told") == 1
