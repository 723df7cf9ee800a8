"""The web application: routes, security headers, and the table service that lives as long as the server does."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from bolzplatz.table.service import TableService
from bolzplatz.table.setup import PACES, TableSetup
from bolzplatz.table.store import SqliteStore
from bolzplatz.web import pages
from bolzplatz.web.security import BROWSER_COOKIE, HEADERS, SecurityHeaders
from bolzplatz.web.socket import table_socket

if TYPE_CHECKING:
    from bolzplatz.table.frames import Frame

_HERE = Path(__file__).parent
KEEP_DAYS: Final = 30.0
"""How long a table lasts in which nothing happens."""


def create_app(
    store_path_or_url: str,
    *,
    now: Callable[[], float] = time.time,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    pace: Callable[[TableSetup], float] = lambda setup: PACES[setup.speed],
    keep_days: float = KEEP_DAYS,
) -> Starlette:
    """Return the application over a store, opened at once: StoreError says in one line what is wrong with it.

    Args:
        store_path_or_url: path of the SQLite file, made if it is not there.
        now: the clock, seconds since 1970.
        sleep: waits for seconds.
        pace: seconds before a table moves by itself.
        keep_days: days without a move after which a table is deleted.
    """
    store = SqliteStore.open(store_path_or_url)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.now = now
        tables = app.state.tables = TableService(store, now=now, sleep=sleep, pace=pace)
        cleaning = asyncio.create_task(tables.keep_clean(keep_days))
        yield
        cleaning.cancel()
        await tables.close()

    return Starlette(
        routes=[
            *pages.ROUTES,
            WebSocketRoute("/t/{id}/ws", table_socket(_tables, _renderer, _token, _reader)),
            Route("/words.txt", pages.word_list),
            Mount("/static", StaticFiles(directory=_HERE / "static")),
        ],
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={**pages.FAULTS, Exception: _failure},
        lifespan=lifespan,
    )


def _tables(socket: WebSocket) -> TableService:
    service: TableService = socket.app.state.tables
    return service


def _reader(socket: WebSocket) -> tuple[str, str]:
    """Return all that a drawn frame shows of its reader: the language, and the address by which this server is reached.

    Each reader says its own, so nobody is shown another's.
    """
    return pages.language_of(socket), pages.link_to(socket, socket.path_params["id"])


def _renderer(socket: WebSocket) -> "Callable[[Frame], dict[str, Any]]":
    from bolzplatz.web.render import draw_frame

    language, link = _reader(socket)
    return lambda frame: draw_frame(frame, language, link)


async def _failure(request: Request, fault: Exception) -> Response:
    """Show a page where something failed. What answers it stands outside of all else: it brings the headers itself."""
    response: Response = await pages.FAULTS[HTTPException](request, fault)
    response.headers.update(HEADERS)
    return response


def _token(socket: WebSocket) -> str | None:
    return None if pages.shows_pitch(socket) else socket.cookies.get(BROWSER_COOKIE)
