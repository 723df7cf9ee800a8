"""A slow line to a server of this machine: what a page's socket sends and is sent is on its way for a while."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

_CHUNK: Final = 65536


class SlowLine:
    """A port that passes everything on to a server, the bytes of WebSockets later by `delay` seconds, each way."""

    def __init__(self, server: str, delay: float) -> None:
        self.delay = delay
        self._target = urlsplit(server)
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._started.wait(10), "the slow line did not start"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = server.sockets[0].getsockname()[1]
        self._started.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        server.close()
        self._loop.run_until_complete(asyncio.sleep(0))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(self._target.hostname, self._target.port)
        slow = asyncio.Event()
        await asyncio.gather(self._pass(reader, back, slow), self._pass(there, writer, slow), return_exceptions=True)

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, slow: asyncio.Event) -> None:
        """Pass bytes on; on a connection that has become a socket, each chunk after its time."""
        late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sender = asyncio.create_task(self._send(late, target))
        try:
            while chunk := await source.read(_CHUNK):
                if b"\r\nupgrade: websocket" in chunk[:4096].lower():
                    slow.set()
                late.put_nowait((self._loop.time() + (self.delay if slow.is_set() else 0), chunk))
        finally:
            late.put_nowait((0, b""))
            await sender
            target.close()

    async def _send(self, late: "asyncio.Queue[tuple[float, bytes]]", target: asyncio.StreamWriter) -> None:
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep
        while True:
            due, chunk = await late.get()
            if not chunk:
                return
            await wait(max(0.0, due - self._loop.time()))
            target.write(chunk)
            await target.drain()
