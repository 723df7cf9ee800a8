"""A real server on a free port of this machine, and a real Chromium in front of it.

Chromium comes from the system's packages. Where it is missing the tests are skipped with a loud reason, and fail where
CI=true says that nothing may be skipped.

`BOLZPLATZ_SLOW=6 pytest tests/browser` makes every page six times slower than this machine. Tests that read what a page
has not come to yet fail then, as they do now and then on a busy machine: run a new test so before it is trusted.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from bolzplatz.web.app import create_app
from tests.table_kit import PATIENCE, patient

CHROMIUM = os.environ.get("BOLZPLATZ_CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--autoplay-policy=user-gesture-required",
]
PHONE = {"width": 360, "height": 640}
LAPTOP = {"width": 1280, "height": 800}
START_SECONDS = 60
PATIENCE_MS = 30_000
"""How long a page may take for anything. Only a test that fails waits so long, and a busy machine is no fault."""
SLOW = float(os.environ.get("BOLZPLATZ_SLOW", "1"))
"""By what every page is slowed down."""

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def _bound(port: int) -> socket.socket:
    """Return a socket at a port of this machine that others of ours may be bound to as well; 0: any free one."""
    place = socket.socket()
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    place.bind(("127.0.0.1", port))
    return place


class Server:
    """The application in a thread, on a port that a restart keeps."""

    def __init__(self, store: Path) -> None:
        self.store = store
        # Bound all the time, but never listening: nobody else is given the port while the server is off.
        self.place = _bound(0)
        self.port: int = self.place.getsockname()[1]
        self.ahead = 0.0
        """Seconds by which the clock of the tables is ahead of the real one."""
        self.patience = PATIENCE
        """Seconds after which a browser that is there, but gives no share, is left out of a draw."""
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        listener = _bound(self.port)
        started = threading.Event()

        class Announcing(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                started.set()

        app = create_app(
            str(self.store),
            now=lambda: time.time() + self.ahead,
            sleep=lambda seconds: patient(seconds, self.patience),
            pace=lambda _: 0,
        )
        self.uvicorn = Announcing(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        self.thread = threading.Thread(target=self.uvicorn.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()
        assert started.wait(START_SECONDS), "the server did not start"

    def stop(self) -> None:
        self.uvicorn.should_exit = True
        self.thread.join(START_SECONDS)
        assert not self.thread.is_alive(), "the server did not stop"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "tables.sqlite3")
    yield running
    running.stop()
    running.place.close()


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        reason = f"CHROMIUM IS MISSING at {CHROMIUM}: no browser test was run (install it, or set BOLZPLATZ_CHROMIUM)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Visitor:
    """One browser of one person: its pages, and everything that should not have happened in them."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context, self.url = context, url
        self.complaints: list[str] = []
        context.on("console", lambda message: self.complaints.append(f"console: {message.text}"))
        context.on("weberror", lambda fault: self.complaints.append(f"error: {fault.error}"))
        context.on("request", self._watch)

    def _watch(self, request: Any) -> None:
        if not request.url.startswith(self.url):
            self.complaints.append(f"outside request: {request.url}")

    def page(self) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        if SLOW > 1:
            self.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
        return page


@pytest.fixture
def visit(chromium: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Make visitors; whatever their consoles said fails the test at its end."""
    visitors: list[Visitor] = []

    def make(
        viewport: dict[str, int] | None = None,
        language: str = "en",
        speed: str = "instant",
        url: str = "",
        **options: Any,
    ) -> Visitor:
        url = url or server.url
        options = {"reduced_motion": "reduce", "color_scheme": "light", "locale": language} | options
        context = chromium.new_context(base_url=url, viewport=viewport or LAPTOP, **options)
        settings = json.dumps({"speed": speed, "sound": "on"})
        # An empty page has no storage; only our own pages are meant.
        context.add_init_script(
            "if (location.protocol === 'http:' && !localStorage.getItem('bolzplatz.settings'))"
            f" localStorage.setItem('bolzplatz.settings', {json.dumps(settings)})"
        )
        visitors.append(Visitor(context, url))
        return visitors[-1]

    yield make
    complaints = [text for visitor in visitors for text in visitor.complaints]
    for visitor in visitors:
        visitor.context.close()
    assert complaints == []
