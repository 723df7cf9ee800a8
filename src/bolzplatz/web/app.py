"""The web application: routes, security headers, and the table service that lives as long as the server does."""

from contextlib import asynccontextmanager
from pathlib import Path
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bolzplatz.web import pages
from bolzplatz.web.security import SecurityHeaders


def create_app(store_path_or_url: str) -> Starlette:
    return Starlette(
        routes=[*pages.ROUTES, Mount("/static", StaticFiles(directory=Path(__file__).parent / "static"))],
        middleware=[Middleware(SecurityHeaders)],
    )
