"""Many tables at once: how quickly the other seat sees a move, and what a table costs the server.

One server, started as a person starts it, plays sealed dice; the clients are in processes of their own and do what
pages do: they set tables up through the form, sit down, give their share to every throw, check every result, and read
what may be done out of the HTML. Moves are called for at a fixed rate, spread over all tables, whether the server keeps
up or not. A move is one command; its delay is the time until the other seat has the frame that shows what came of it,
which for a throw includes asking both browsers for their shares. Loopback only; the number of tables and the time are
bounded.

`python -m benchmarks.table_load` prints the table.
"""

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect

from bolzplatz.core.sealed import Contributor, new_secret

TABLES: Final = 500
RATE: Final = 200.0
SECONDS: Final = 40.0
MOST_TABLES: Final = 1000
MOST_SECONDS: Final = 300.0
PROCESSES: Final = 2
"""Of clients, beside the one of the server."""
TABLES_OF_AN_ADDRESS: Final = 100
"""Server limits hold for each address; loopback has many (on Linux without any preparation)."""
LONGEST: Final = 120.0
"""Seconds after which the preparation has failed."""
WARM_UP: Final = 3.0
"""Seconds at the full rate before anything is measured."""
GAMES: Final = ("5050", "bar-bolz")
CLIENT: Final = (sys.executable, "-m", "benchmarks.table_load", "--client")


# --- one person's browser -----------------------------------------------------------------------------------------


@dataclass
class Browser:
    """One page at a table: gives shares, checks results, knows what it may press."""

    table: "TwoSeats"
    seat: int
    token: str
    guard: Contributor
    wire: ClientConnection
    frame: dict[str, Any] = field(default_factory=dict)
    numbers: int = 0

    async def say(self, kind: str, **fields: Any) -> None:
        await self.wire.send(json.dumps({"type": kind, **fields}))

    async def ask(self, kind: str, **fields: Any) -> None:
        self.numbers += 1
        await self.say(kind, id=f"{self.seat} {self.numbers}", **fields)

    async def listen(self) -> None:
        await self.say("hello", have=0, draws=0)
        async for text in self.wire:
            await self.take(json.loads(text))

    async def take(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "frame":
            first = not self.frame
            self.frame = message
            if first and message["waiting"]["for"] == "room":
                await self.table.gather(self)
            if message["waiting"]["for"] == "tip" and self.guard.who is None and message["who"]:
                self.guard = Contributor(self.table.id, message["who"], new_secret())
                await self.say("tip", tip=self.guard.tip().hex(), version=message["version"])
            self.table.seen(self)
        elif kind == "opening":
            self.guard.open(message["opening"])
        elif kind == "ask":
            request = message["request"]
            value = self.guard.answer(request).hex()
            await self.say("value", k=request["k"], head=request["head"], value=value)
        elif kind == "drawn":
            self.guard.accept(message["entry"])
        elif kind == "answer" and not message["ok"]:
            self.table.refusals.append(f"{message['reason']}: {message['text']}")
        elif kind in ("trouble", "resync", "bye"):
            self.table.refusals.append(f"{kind}: {message.get('text', '')}")

    def command(self) -> dict[str, Any] | None:
        """Read out of the page what this seat may do: throw, decide, or lay dice aside and then throw on."""
        html, fields = self.frame["html"], {"seat": self.frame["waiting"]["seat"], "version": self.frame["version"]}
        if 'data-act="throw"' in html:
            return {**fields, "moves": [], "throw": True}
        if found := re.search(r'data-act="move" data-moves="([^"]+)"', html):
            return {**fields, "moves": json.loads(unescape(found[1])), "throw": False}
        if (found := re.search(r'data-keeps="([^"]+)"', html)) and (keeps := json.loads(unescape(found[1]))):
            keep = keeps[0]
            if keep["may_stop"]:
                return {**fields, "moves": [keep["move"], "stop"], "throw": False}
            return {**fields, "moves": [keep["move"]], "throw": True}
        if 'data-act="stop"' in html and 'data-keeps="[]"' in html:
            return {**fields, "moves": ["stop"], "throw": False}  # the one way to put dice aside was taken by itself
        return None


# --- a table and its clients --------------------------------------------------------------------------------------


@dataclass
class TwoSeats:
    """One table with both browsers, and the move that is on its way."""

    id: str
    browsers: list[Browser] = field(default_factory=list)
    mover: Browser | None = None
    version: int = 0
    """The version on which the move was made, and whether it asked for a throw."""
    throws: bool = False
    sent: float = 0.0
    delays: list[tuple[float, float, bool]] = field(default_factory=list)
    """Of every move: when it was sent, its delay in seconds, whether it was a throw."""
    refusals: list[str] = field(default_factory=list)

    async def gather(self, browser: Browser) -> None:
        """Sit down on the free seat; the host begins once both are there."""
        if browser.seat == 1:
            await browser.ask("sit", seat=1, name="Ben")

    def seen(self, browser: Browser) -> None:
        """Note a frame: the other seat may see what came of the move."""
        frame, waiting = browser.frame, browser.frame["waiting"]["for"]
        if self.mover in (None, browser) or frame["version"] <= self.version:
            return
        if not self.throws or waiting != "contribute":
            self.delays.append((self.sent, time.perf_counter() - self.sent, self.throws))
            self.mover = None

    @property
    def acting(self) -> Browser | None:
        """The browser that is to act, if both show the same and nothing is on its way."""
        versions = {browser.frame.get("version") for browser in self.browsers}
        if self.mover is not None or len(versions) != 1:
            return None
        return next((each for each in self.browsers if each.frame["mine"]), None)

    async def move(self, browser: Browser) -> bool:
        """Make the next move; False where there is none."""
        command = browser.command()
        if command is None:
            return False
        self.mover, self.version, self.throws = browser, command["version"], command["throw"]
        self.sent = time.perf_counter()
        await browser.ask("do", **command)
        return True


def new_table(port: int, address: str, token: str, game: str) -> str:
    """Set a table up through the form, with one seat for whoever comes by the link."""
    form = {"game": game, "kind-0": "human", "name-0": "Mia", "kind-1": "open", "begins": "0", "dice": "sealed"}
    wire = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST, source_address=(address, 0))
    headers = {"cookie": f"browser={token}", "content-type": "application/x-www-form-urlencoded"}
    wire.request("POST", "/tables", urlencode(form), headers)
    answer = wire.getresponse()
    answer.read()
    place = answer.headers["location"]
    wire.close()
    if answer.status != 303 or place is None:
        raise RuntimeError(f"no table was set up: {answer.status}")
    return place.removeprefix("/t/")


async def sit_down(port: int, number: int) -> TwoSeats:
    """Set a table up and bring both browsers to it."""
    address = f"127.0.1.{1 + number // TABLES_OF_AN_ADDRESS}"
    tokens = [f"load {number} {seat} {os.urandom(12).hex()}".replace(" ", "-") for seat in range(2)]
    table = TwoSeats(await asyncio.to_thread(new_table, port, address, tokens[0], GAMES[number % len(GAMES)]))
    for seat, token in enumerate(tokens):
        wire = await connect(
            f"ws://127.0.0.1:{port}/t/{table.id}/ws",
            additional_headers={"cookie": f"browser={token}"},
            local_addr=(address, 0),
            open_timeout=LONGEST,
            ping_interval=None,
        )
        table.browsers.append(Browser(table, seat, token, Contributor(table.id), wire))
    return table


async def play(port: int, numbers: Sequence[int], rate: float, seconds: float) -> dict[str, Any]:
    """Bring tables to life, wait for the word to begin, then call for moves at a fixed rate."""
    tables = []
    listening = []
    for number in numbers:
        table = await sit_down(port, number)
        tables.append(table)
        listening += [asyncio.create_task(browser.listen()) for browser in table.browsers]
        await _until(lambda table=table: all(each.frame for each in table.browsers))
        await _until(lambda table=table: "Ben" in table.browsers[0].frame["html"])
        await table.browsers[0].ask("start")
        await _until(lambda table=table: table.acting is not None)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)

    luck = random.Random(numbers[0])
    begins = time.perf_counter()
    ends, due, missed = begins + WARM_UP + seconds, begins, 0
    while (now := time.perf_counter()) < ends:
        if now < due:
            await asyncio.sleep(due - now)
            continue
        due += 1 / rate
        for table in luck.sample(tables, min(20, len(tables))):
            browser = table.acting
            if browser is not None and await table.move(browser):
                break
        else:
            missed += 1
    await asyncio.sleep(1.0)
    for task in listening:
        if task.done() and task.exception() is not None:
            raise RuntimeError("a client failed") from task.exception()
        task.cancel()
    measured = [delay for table in tables for delay in table.delays if begins + WARM_UP <= delay[0] < ends]
    return {
        "decisions": [delay for _, delay, throws in measured if not throws],
        "throws": [delay for _, delay, throws in measured if throws],
        "missed": missed,
        "unseen": sum(table.mover is not None for table in tables),
        "refusals": [text for table in tables for text in table.refusals],
    }


async def _until(true: Any) -> None:
    ends = time.perf_counter() + LONGEST
    while not true():
        if time.perf_counter() > ends:
            raise TimeoutError("a table did not come to life")
        await asyncio.sleep(0.002)


# --- the processes ------------------------------------------------------------------------------------------------


@contextmanager
def serving(store: Path) -> Iterator[tuple[int, int]]:
    """Start the server as a person does; yield its port and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "bolzplatz", "serve", "--no-browser", "--port", str(port), "--store", str(store)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        if not server.stdout.readline():
            raise RuntimeError("the server did not start")
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(30)


def memory_of(pid: int) -> float:
    """Return the memory of a process in kB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return float(re.search(r"VmRSS:\s+(\d+) kB", status)[1])  # type: ignore[index]


def cpu_of(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(tables: int = TABLES, rate: float = RATE, seconds: float = SECONDS) -> Iterator[tuple[str, str]]:
    """Yield what was measured and the figure, as texts."""
    tables, seconds = min(tables, MOST_TABLES), min(seconds, MOST_SECONDS)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "tables.sqlite3") as (port, server):
        new_table(port, "127.0.0.1", "first", GAMES[0])  # what the first table loads is not counted
        before = memory_of(server)
        clients = [
            subprocess.Popen(
                [*CLIENT, json.dumps([port, n, tables, rate, seconds])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for n in range(PROCESSES)
        ]
        try:
            for client in clients:
                assert client.stdout is not None
                if client.stdout.readline() != "ready\n":
                    raise RuntimeError("a client failed before it was ready")
            memory, cpu = memory_of(server), cpu_of(server)
            for client in clients:
                assert client.stdin is not None
                client.stdin.write("go\n")
                client.stdin.flush()
            found = [json.loads(client.communicate(timeout=seconds + LONGEST)[0]) for client in clients]
            cpu = cpu_of(server) - cpu
        finally:
            for client in clients:
                client.kill()
                client.wait()
        grown = memory_of(server)
    decisions = [delay for each in found for delay in each["decisions"]]
    throws = [delay for each in found for delay in each["throws"]]
    moves = len(decisions) + len(throws)
    yield "tables, with two clients each", str(tables)
    yield "moves called for a second", f"{rate:.0f}"
    yield "moves a second", f"{moves / seconds:.0f}"
    for name, delays in (("all moves", decisions + throws), ("decisions", decisions), ("throws", throws)):
        cuts = statistics.quantiles(delays, n=100, method="inclusive")
        yield (
            f"{name}: p50 / p95 / p99 / longest, ms",
            " / ".join(f"{1000 * each:.1f}" for each in (cuts[49], cuts[94], cuts[98], max(delays))),
        )
    yield "server, CPU ms a move", f"{1000 * cpu / moves * seconds / (seconds + WARM_UP):.2f}"
    yield "server, memory a table with both sockets, kB", f"{(memory - before) / tables:.0f}"
    yield "server, memory a table after the run, kB", f"{(grown - before) / tables:.0f}"
    yield "moves called for while no table was ready", str(sum(each["missed"] for each in found))
    yield "moves whose result was not seen at the end", str(sum(each["unseen"] for each in found))
    refusals = [text for each in found for text in each["refusals"]]
    yield "refusals", f"{len(refusals)} {refusals[0]}" if refusals else "0"


def main() -> None:
    """Print the table, as Markdown; `--client` is for the processes that this one starts."""
    parser = argparse.ArgumentParser(description="Load on the table.")
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--rate", type=float, default=RATE, help="moves a second")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.client:
        port, n, tables, rate, seconds = json.loads(given.client)
        print(json.dumps(asyncio.run(play(port, range(n, tables, PROCESSES), rate / PROCESSES, seconds))))
        return
    print("| load | figure |\n|---|---|")
    for what, figure in run(given.tables, given.rate, given.seconds):
        print(f"| {what} | {figure} |", flush=True)


if __name__ == "__main__":
    main()
