"""What every answer and every request has to satisfy: strict headers, same-origin writes, the seat's cookie.

The content policy allows nothing from outside and nothing inline; `connect-src 'self'` covers the table's socket.
"""

from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

HEADERS: Final = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}

BROWSER_COOKIE: Final = "browser"
"""Name of the cookie with the token by which tables know a browser: whoever has it plays that browser's seats."""
COOKIE_SECONDS: Final = 180 * 24 * 3600

MAX_BODY: Final = 64 * 1024
"""No form of these pages comes near this many bytes."""


def same_origin(headers: Mapping[str, str]) -> bool:
    """Say whether a write or a socket comes from our own page.

    Browsers always send Origin with both. Where it is missing (a program, not a browser) no cookie was added behind
    anybody's back, so there is nothing to protect.
    """
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    try:
        place = urlsplit(origin).netloc
    except ValueError:  # no address at all, such as "http://["
        return False
    return place.lower() == headers.get("host", "").lower() != ""


def address_of(connection: HTTPConnection) -> str | None:
    """Return the address that a request comes from, for the limits: of IPv6 the half that a whole network shares."""
    if connection.client is None:
        return None
    with suppress(ValueError):
        address = ip_address(connection.client.host)
        if address.version == 6 and address.ipv4_mapped is None:
            return str(ip_network((address, 64), strict=False))
    return connection.client.host


class SecurityHeaders:
    """Adds the headers to every HTTP answer; an answer may have set a header of its own before."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and complete the answer's headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, complete)
