"""`bolzplatz serve`: the table in the browser, for this machine or for the whole network."""

import argparse
import contextlib
import gc
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from bolzplatz.cli.common import DONE, INTERRUPTED, CommandError, reason_of
from bolzplatz.cli.players import add_players, plug_in_players
from bolzplatz.core.errors import shorten
from bolzplatz.core.spec import read_number

PORT: Final = 8000
THIS_MACHINE: Final = "127.0.0.1"
KEEP_DAYS: Final = 30
MOST_DAYS: Final = 36500
LARGEST_MESSAGE: Final = 64 * 1024
"""Bytes; a page of ours sends a few hundred. What is larger is not even read."""
COLLECTING: Final = (2_000, 10**6, 10**6)
"""Python looks for circular garbage among the newest objects alone, often and briefly: tables are freed by counting
references, and one look at all that some hundred tables hold stops every one of them for a tenth of a second and more.
Whatever gathers all the same goes when the store is cleaned, once an hour."""
SWITCHING_SECONDS: Final = 0.0005
"""How soon the thread that stores gets its turn beside the one that draws: commands wait for what is stored."""
CLOSING_SECONDS: Final = 2
"""How long the server waits at its end for pages that do not hang up."""


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "serve",
        help="open the table in the browser",
        description="Serve the table and open it in the browser. Every match is stored before it is shown: stop the "
        "server at any moment, and all tables go on at the next start.",
        epilog="With --host 0.0.0.0 phones and other computers of your network can come to the table, too.",
    )
    parser.add_argument("--host", default=THIS_MACHINE, help="address to serve at (default: %(default)s)")
    parser.add_argument(
        "--port", type=_port, default=PORT, help="port to serve at; 0 takes a free one (default: %(default)s)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument(
        "--store",
        metavar="PATH|URL",
        help="where tables are kept, a file or sqlite:///FILE (default: your data folder)",
    )
    parser.add_argument(
        "--keep-days",
        metavar="DAYS",
        type=_days,
        default=KEEP_DAYS,
        help="delete tables in which nothing has happened for so many days, with all names (default: %(default)s)",
    )
    add_players(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    plug_in_players(given, strict=False)
    path = store_path(given.store)
    listening = _listen(given.host, given.port)
    from bolzplatz.web.app import create_app

    app = create_app(str(path), keep_days=given.keep_days)
    port = listening.getsockname()[1]

    def announce() -> None:
        home = _url(_own_address(given.host), port)
        print(f"Bolzplatz is open: {home}", flush=True)
        _tell_reach(given.host, port)
        print(f"All tables are kept in {path}. Ctrl-C closes.", flush=True)
        if not given.no_browser and _has_screen():
            threading.Thread(target=webbrowser.open, args=(home,), daemon=True).start()

    try:
        _serve(app, listening, announce)
    except KeyboardInterrupt:
        print("\nClosed; all tables are kept." if sys.stderr.isatty() else "Closed.", file=sys.stderr)
        return INTERRUPTED
    return DONE


def _port(text: str) -> int:
    port = read_number(text)
    if port is None or port > 65535:
        raise argparse.ArgumentTypeError(f"a number from 0 to 65535 is expected, not {shorten(text)}")
    return port


def _days(text: str) -> int:
    days = read_number(text)
    if days is None or not 1 <= days <= MOST_DAYS:
        raise argparse.ArgumentTypeError(f"a number of days from 1 to {MOST_DAYS} is expected, not {shorten(text)}")
    return days


def store_path(given: str | None) -> Path:
    """Return the file in which tables are kept; raises CommandError for a kind of store that does not exist."""
    if given is None:
        base = os.environ.get("XDG_DATA_HOME")
        return (Path(base) if base else Path.home() / ".local" / "share") / "bolzplatz" / "tables.sqlite3"
    kind, is_url, rest = given.partition("://")
    if not is_url:
        return Path(given)
    if kind != "sqlite" or len(rest) < 2 or not rest.startswith("/"):
        raise CommandError(f"--store takes a file or sqlite:///FILE, not {given!r}")
    return Path(rest[1:])


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raises CommandError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as fault:
        raise CommandError(f"no such address: {host!r} ({reason_of(fault)})") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except (OSError, OverflowError) as fault:
        listening.close()
        raise CommandError(f"{host}, port {port}: {reason_of(fault)}; --port takes another one") from None
    return listening


def _serve(app: Any, listening: socket.socket, announce: Callable[[], None]) -> None:
    """Run the server; `announce` is called once it answers. KeyboardInterrupt at Ctrl-C, after it has closed."""
    import uvicorn

    from bolzplatz.web.wire import TableProtocol

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                gc.freeze()
                gc.set_threshold(*COLLECTING)
                sys.setswitchinterval(SWITCHING_SECONDS)
                announce()

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws=TableProtocol,
        ws_max_size=LARGEST_MESSAGE,
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    Server(config).run([listening])


# --- where it can be reached --------------------------------------------------------------------------------------


def _own_address(host: str) -> str:
    """Return the address by which this machine itself reaches a server at `host`."""
    return {"0.0.0.0": THIS_MACHINE, "": THIS_MACHINE, "::": "::1"}.get(host, host)


def _url(address: str, port: int) -> str:
    return f"http://[{address}]:{port}/" if ":" in address else f"http://{address}:{port}/"


def _tell_reach(host: str, port: int) -> None:
    """Say who can open the table; for others, with a code that a phone can read."""
    if _own_address(host) in (THIS_MACHINE, "::1", "localhost"):
        if host == _own_address(host):
            print("Only this machine can open it. With --host 0.0.0.0 your network can, too.")
            return
        found = list(_network_addresses())
        if not found:
            print("No network was found: for now only this machine can open it.")
            return
    else:
        found = [host]
    import segno

    for address in found:
        print(f"In your network:   {_url(address, port)}")
    segno.make(_url(found[0], port), micro=False).terminal(out=sys.stdout, compact=True, border=2)


def _network_addresses() -> Iterator[str]:
    """Yield this machine's addresses in its networks, if it has any; nothing is sent for that."""
    for family, far_away in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far_away, 9))
            yield probe.getsockname()[0]


def _has_screen() -> bool:
    """Say whether a browser window can open: without a display, Python would start a text browser in this terminal."""
    if sys.platform in ("win32", "darwin") or os.environ.get("BROWSER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
