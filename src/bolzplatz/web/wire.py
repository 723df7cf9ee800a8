"""The WebSocket as the table needs it: a page's frames are much alike, so each is sent as what differs from the last.

Kept apart from `cli.serve`, since uvicorn must not be imported before somebody serves.
"""

from typing import Any, Final

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory

WINDOW_BITS: Final = 14
"""16 kB: the frame before is still in sight of the compression. uvicorn's own 4 kB hold no frame, which makes messages
ten times as long, in more than twice the time; a larger window only costs memory (80 kB a page as it is)."""
SETTINGS: Final = {"memLevel": 5, "level": 3}


class TableProtocol(WebSocketsSansIOProtocol):
    """uvicorn's protocol with a window in which a whole frame fits."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        if self.config.ws_per_message_deflate:
            self.conn.available_extensions = [
                ServerPerMessageDeflateFactory(
                    server_max_window_bits=WINDOW_BITS, client_max_window_bits=12, compress_settings=SETTINGS
                )
            ]

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the connection go at once: its parser holds it in a circle, with the windows of the compression."""
        super().connection_lost(exc)
        self.conn.parser.close()
