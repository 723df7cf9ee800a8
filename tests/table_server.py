"""A server process for tests that kill it: the table's socket alone, on a listening socket that it is handed.

    python -m tests.table_server STORE FD [before|after N]

With `before N` the process kills itself just before it stores its N-th group of entries, with `after N` just after it,
before anybody has been told.
"""

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute

from bolzplatz.table.frames import Frame
from bolzplatz.table.service import TableService
from bolzplatz.table.store import Entry, NewTable, SqliteStore
from bolzplatz.web.socket import table_socket
from tests.table_kit import patient


class MortalStore(SqliteStore):
    """A store whose process dies at one moment."""

    moment = ""
    number = 0

    async def append(
        self, table_id: str, expected: int, entries: Sequence[Entry], beside: NewTable | None = None
    ) -> None:
        self.number -= 1
        if self.number == 0 and self.moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        await super().append(table_id, expected, entries, beside)
        if self.number == 0 and self.moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)


def render(frame: Frame) -> dict[str, Any]:
    """Draw a frame for a program."""
    return {"html": json.dumps({"legal": frame.legal})}


def build_app(store: SqliteStore) -> Starlette:
    """Return an application that is the table's socket and nothing else; the computer moves at once."""
    service = TableService(store, sleep=patient, pace=lambda _: 0)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.service = service
        yield
        await service.close()

    endpoint = table_socket(lambda _: service, lambda _: render, lambda socket: socket.cookies.get("seat"))
    return Starlette(routes=[WebSocketRoute("/t/{id}/ws", endpoint)], lifespan=lifespan)


def main(path: str, fd: str, moment: str = "", number: str = "0") -> None:
    store = MortalStore.open(path)
    store.moment, store.number = moment, int(number)
    uvicorn.run(build_app(store), fd=int(fd), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
