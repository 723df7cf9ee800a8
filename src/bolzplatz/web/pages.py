from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from bolzplatz.web.language import LANGUAGES, LANGUAGE_COOKIE, catalogue, choose
from bolzplatz.web.templating import fill

def page(request: Request, template: str, **values: object) -> Response:
    t = catalogue(choose(request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language")))
    theme = request.cookies.get("theme", "")
    return HTMLResponse(fill(template, t=t, languages=LANGUAGES, path=request.url.path, theme=theme if theme in ("day","night") else "", **values))

async def home(request: Request) -> Response:
    t = catalogue("en")
    games=[{"name":n,"title":t(f"games.{n}.title")} for n in ("bar-bolz","5050")]
    return page(request,"home.html",games=games)

ROUTES=[Route("/",home)]
