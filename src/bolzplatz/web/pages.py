"""The pages around the table: home, a new table, rules, dice, checking; and the table's own first page."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from io import BytesIO
from math import ceil
from secrets import randbelow, token_urlsafe
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from bolzplatz.core.errors import OptionError, RecordError
from bolzplatz.core.spec import read_number
from bolzplatz.core.texts import game_texts, rulebook
from bolzplatz.table.commands import Refused
from bolzplatz.table.frames import ALL, Frame, Perspective
from bolzplatz.table.limits import LimitError, read_code
from bolzplatz.table.service import NotAllowedError, TableActor
from bolzplatz.table.setup import NAME_LENGTH, SEALED, SetupError, TableSetup
from bolzplatz.table.store import StoreError
from bolzplatz.web.language import LANGUAGE_COOKIE, LANGUAGES, Catalogue, catalogue, choose
from bolzplatz.web.render import GAMES, draw_frame, frame_html, log_lines, people_html, replay_lines, table_title
from bolzplatz.web.security import BROWSER_COOKIE, COOKIE_SECONDS, MAX_BODY, address_of, same_origin
from bolzplatz.web.templating import fill

MAX_FIELDS: Final = 200
TRAINED: Final = ("wilde-kerle",)
"""Games that have a training corner."""
KEYS: Final = ("throw", "dice", "arrows", "score", "last", "odds", "help")
"""What the page with the keys lists; the words are `keys.*`."""


# --- what all pages share -----------------------------------------------------------------------------------------


def language_of(connection: HTTPConnection) -> str:
    """Return the language that a browser reads."""
    return choose(connection.cookies.get(LANGUAGE_COOKIE), connection.headers.get("accept-language"))


def _page(request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
    """Return a filled template with what every page needs.

    Whoever changes the language comes back to `path`: what was sent by a form cannot be asked for again.
    """
    theme = request.cookies.get("theme")
    t = catalogue(language_of(request))
    address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    path = address if request.method in ("GET", "HEAD") else "/"
    common = {"languages": LANGUAGES, "path": path, "theme": theme if theme in ("day", "night") else ""}
    html = fill(template, t=t, **(common | values))
    return HTMLResponse(html, status, {"vary": "cookie, accept-language", "cache-control": "no-store"})


async def _form(request: Request) -> dict[str, str]:
    """Read a small form that our own page sent; 403 for another site's, 413 for a big one."""
    if not same_origin(request.headers):
        raise HTTPException(403)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413)
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return {name: values[-1] for name, values in fields.items()}


def _game(name: str) -> str:
    """Return the name of a game that has a page; 404 for any other."""
    if name not in GAMES:
        raise HTTPException(404)
    return name


async def _table(request: Request) -> TableActor:
    request.app.state.tables.visit(address_of(request))
    return await _opened(request)


async def _opened(request: Request) -> TableActor:
    actor: TableActor | None = await request.app.state.tables.open(request.path_params["id"])
    if actor is None:
        raise HTTPException(404)
    return actor


# --- before the game ----------------------------------------------------------------------------------------------


async def home(request: Request) -> Response:
    """Show the games."""
    return _home_page(request)


def _home_page(request: Request, code_fault: str = "", status: int = 200) -> Response:
    t = catalogue(language_of(request))
    games = [{"name": name, "title": t(f"games.{name}.title"), "trains": name in TRAINED} for name in GAMES]
    return _page(request, "home.html", status, games=games, code_fault=code_fault)


async def by_code(request: Request) -> Response:
    """Lead to the table that a spoken code stands for."""
    t = catalogue(language_of(request))
    code = read_code(request.path_params.get("code", request.query_params.get("code", "")))
    try:
        table = None if code is None else await request.app.state.tables.find(code, address_of(request))
    except LimitError:
        return _home_page(request, t("home.code_many"), 429)
    if table is None:
        return _home_page(request, t("home.code_unknown"), 404)
    return RedirectResponse(f"/t/{table}", 303)


def _look(request: Request) -> None:
    """Count a page for which something has to be reckoned; LimitError, which is answered with 429."""
    request.app.state.tables.look(address_of(request))


def link_to(connection: HTTPConnection, table: str) -> str:
    """Return the whole address of a table, as the browser that asks reached this server."""
    secure = connection.url.scheme in ("https", "wss")
    return f"{'https' if secure else 'http'}://{connection.headers.get('host', '')}/t/{table}"


async def new_table(request: Request) -> Response:
    """Ask who sits where, and how to play."""
    from bolzplatz.web.setup_form import first_answers

    game = _game(request.path_params["game"])
    t, against = catalogue(language_of(request)), request.query_params.get("with")
    return _new_table_page(request, game, first_answers(game, against == "computer", t, against == "friends"))


def _new_table_page(
    request: Request, game: str, answers: Mapping[str, str], fault: str | None = None, status: int = 200
) -> Response:
    from bolzplatz.web.setup_form import questions

    t = catalogue(language_of(request))
    form = questions(game, answers, t)
    if fault is None:
        return _page(request, "new.html", status, game=game, form=form, fault=None)
    return _page(request, "new.html", status, game=game, form=form, fault=fault, path=f"/new/{game}")


async def create_table(request: Request) -> Response:
    """Set a table up as the form says, and go there."""
    from bolzplatz.web.setup_form import read_setup

    answers = await _form(request)
    game = _game(answers.get("game", ""))
    language = language_of(request)
    try:
        setup = TableSetup.from_dict(read_setup(answers, language))
        table, token = await request.app.state.tables.create(
            setup, request.cookies.get(BROWSER_COOKIE), address_of(request)
        )
    except SetupError as fault:
        return _new_table_page(
            request, game, answers, _table_fault_text(game, answers, fault, catalogue(language)), 422
        )
    except LimitError as fault:
        return _new_table_page(request, game, answers, _fault_text(fault, catalogue(language)), 429)
    response = RedirectResponse(f"/t/{table}", 303)
    _remember(request, response, BROWSER_COOKIE, token)
    return response


def _remember(request: Request, response: Response, name: str, value: str) -> None:
    """Set a cookie that no script can read and no other site makes a browser send along with a write."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure)


def _fault_text(fault: SetupError | LimitError | NotAllowedError, t: Catalogue) -> str:
    """Say in the reader's language what is wrong with a setup."""
    key = f"setup_fault.{fault.key}"
    return t(key if t.has(key) else "setup_fault.other", n=NAME_LENGTH)


def _table_fault_text(game: str, answers: Mapping[str, str], fault: SetupError, t: Catalogue) -> str:
    """Say in the reader's language what is wrong with a new table: with a rule as the form asks for it."""
    from bolzplatz.web.setup_form import option_fault

    if fault.option:
        return option_fault(game, fault.option, answers, t)
    return _fault_text(fault, t)


async def set_language(request: Request) -> Response:
    """Remember the language and go back to the page."""
    answers = await _form(request)
    target = answers.get("next", "/")
    # Only a path of this site: "//host" and "/\host" lead elsewhere.
    safe = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    response = RedirectResponse(target if safe else "/", 303)
    if answers.get("language") in LANGUAGES:
        _remember(request, response, LANGUAGE_COOKIE, answers["language"])
    return response


# --- the table ----------------------------------------------------------------------------------------------------


async def table_page(request: Request) -> Response:
    """Show a table as its browser may see it; the socket takes over from there.

    A browser that has no token yet gets one: with it, it may sit down. With `show=pitch` the page is for a big screen
    that everybody looks at: it shows what a spectator sees, whoever owns the browser.
    """
    actor = await _table(request)
    newest = await request.app.state.tables.newest(actor.table.id)
    if newest != actor.table.id and "stay" not in request.query_params:
        return RedirectResponse(f"/t/{newest}" + ("?show=pitch" if shows_pitch(request) else ""), 303)
    token = request.cookies.get(BROWSER_COOKIE) or token_urlsafe(24)
    language = language_of(request)
    t = catalogue(language)
    big = shows_pitch(request)
    frame = actor.frame(None if big else token)
    response = _page(
        request,
        "table.html",
        **_around_table(frame, t) | ({"sealed": False} if big else {}),
        big=big,
        html=frame_html(frame, language, link_to(request, frame.table)),
        people=people_html(frame, language),
        log=log_lines(frame, language),
        who=frame.who or "",
        keys=[(t(f"keys.{key}.key"), t(f"keys.{key}.does")) for key in KEYS],
    )
    _remember(request, response, BROWSER_COOKIE, token)
    return response


def shows_pitch(connection: HTTPConnection) -> bool:
    """Say whether a page is for a big screen that everybody looks at."""
    return connection.query_params.get("show") == "pitch"


def _around_table(frame: Frame, t: Catalogue) -> dict[str, Any]:
    """Return what the pages of a table and of its replay both need."""
    emotes = {f"emote_{key}": text for key, text in t.under("emote").items()}
    refusals = game_texts(frame.setup["game"], t.language).refusals
    illegal = {f"illegal_{code}": text for code, text in refusals.items()}
    return {
        "table": frame.table,
        "game": frame.setup["game"],
        "mode": frame.setup["mode"],
        "sealed": frame.setup["dice"] == SEALED,
        "title": table_title(frame, t),
        "words": t.under("script") | emotes | illegal,
    }


async def invitation(request: Request) -> Response:
    """Draw the address of a table as a picture that a phone's camera reads."""
    import segno

    actor = await _table(request)
    try:
        code = segno.make(link_to(request, actor.table.id), error="m", micro=False)
    except segno.DataOverflowError:  # the Host header is what a program likes, as long as it likes
        raise HTTPException(400) from None
    svg = BytesIO()
    code.save(svg, kind="svg", border=2, dark="#16202a", light="#fff8e7", omitsize=True, xmldecl=False)
    return Response(svg.getvalue(), media_type="image/svg+xml", headers={"cache-control": "no-store"})


async def record(request: Request) -> Response:
    """Give the match's record away as a file; not while hidden things must stay hidden."""
    actor = await _table(request)
    text = await request.app.state.tables.record(actor.table.id)
    if text is None:
        raise HTTPException(404)
    name = f"{actor.table.setup.game}-{actor.table.id}.bolz"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return PlainTextResponse(text, headers=headers)


# --- seeing it again ----------------------------------------------------------------------------------------------


async def replay(request: Request) -> Response:
    """Show a match again, from one step on and from one perspective."""
    actor = await _table(request)
    token = request.cookies.get(BROWSER_COOKIE)
    step, perspective = _replay_place(request, actor, request.query_params.get("step", "0"))
    make = actor.replay(token, step, perspective)
    if isinstance(make, Refused):
        make = actor.replay(token, step, None)
    if isinstance(make, Refused):
        raise HTTPException(404)
    return await run_in_threadpool(_replay_page, request, make)


def _replay_page(request: Request, make: Callable[[], Frame]) -> Response:
    """Play the match up to a step and draw it: beside the event loop, for that takes a while."""
    frame = make()
    language = language_of(request)
    t = catalogue(language)
    shown = frame.replay or {}
    return _page(
        request,
        "replay.html",
        **_around_table(frame, t),
        html=frame_html(frame, language),
        log=replay_lines(frame, language),
        replay=shown,
        perspectives=[(_perspective_text(each), _perspective_label(each, frame, t)) for each in shown["perspectives"]],
        chosen=_perspective_text(shown["perspective"]),
        link=link_to(request, frame.table) + "/replay",
    )


async def replay_step(request: Request) -> Response:
    """Give one step of a replay as the page of it shows it."""
    request.app.state.tables.turn_over(address_of(request))
    actor = await _opened(request)
    step, perspective = _replay_place(request, actor, request.path_params["step"])
    make = actor.replay(request.cookies.get(BROWSER_COOKIE), step, perspective)
    if isinstance(make, Refused):
        return JSONResponse({"reason": make.reason}, 409)
    return await run_in_threadpool(_drawn_step, make, language_of(request))


def _drawn_step(make: Callable[[], Frame], language: str) -> Response:
    """Play the match up to a step and draw what the page of its replay asks for; beside the event loop, too."""
    frame = make()
    drawn = {**draw_frame(frame, language), "log": replay_lines(frame, language), "replay": frame.replay}
    return JSONResponse(drawn, headers={"cache-control": "no-store"})


def _replay_place(request: Request, actor: TableActor, step: str) -> tuple[int, Perspective]:
    """Read step (kept within the match) and perspective of a request."""
    seen_by = request.query_params.get("as", "")
    seat = read_number(seen_by)
    return min(read_number(step) or 0, actor.steps), ALL if seen_by == ALL else seat


def _perspective_text(perspective: Perspective) -> str:
    return "" if perspective is None else str(perspective)


def _perspective_label(perspective: Perspective, frame: Frame, t: Catalogue) -> str:
    if isinstance(perspective, int):
        return str(frame.players[perspective]["name"])
    return t("replay.as_none" if perspective is None else "replay.as_all")


async def play_on(request: Request) -> Response:
    """Set a new table up that goes on from a step of this one."""
    answers = await _form(request)
    actor = await _table(request)
    t = catalogue(language_of(request))
    step = read_number(answers.get("step", ""))
    try:
        table, token = await request.app.state.tables.play_on(
            actor.table.id, -1 if step is None else step, None, request.cookies.get(BROWSER_COOKIE), address_of(request)
        )
    except (SetupError, LimitError, NotAllowedError) as fault:
        status = 429 if isinstance(fault, LimitError) else 409
        return _page(request, "fault.html", status, message=_fault_text(fault, t))
    response = RedirectResponse(f"/t/{table}", 303)
    _remember(request, response, BROWSER_COOKIE, token)
    return response


# --- editions ---------------------------------------------------------------------------------------------------


async def edition_page(request: Request) -> Response:
    """Show the editor in which the owner of a real box types in what it shows."""
    from bolzplatz.web.edition import form

    t = catalogue(language_of(request))
    edition = form(request.query_params.get("from", ""), t)
    return _page(request, "edition.html", edition=edition, words=t.under("edition.say"))


async def edition_check(request: Request) -> Response:
    """Check an edition, typed or uploaded: what it is, or which field is wrong and why."""
    from bolzplatz.web.edition import checked

    answers = await _form(request)
    found = checked(answers.get("edition", ""), catalogue(language_of(request)))
    return JSONResponse(found, headers={"cache-control": "no-store"})


async def edition_arrows(request: Request) -> Response:
    """Draw the arrows of a card as they are typed."""
    from bolzplatz.web.edition import drawn

    query = request.query_params
    return JSONResponse(drawn(query.get("card", ""), query.get("arrows", ""), catalogue(language_of(request))))


async def edition_file(request: Request) -> Response:
    """Give an edition back as a file to keep; 422 for one that is not right."""
    from bolzplatz.web.edition import checked

    found = checked((await _form(request)).get("edition", ""), catalogue(language_of(request)))
    if not found["ok"]:
        return _page(request, "fault.html", 422, message=f"{found['field']}: {found['reason']}")
    headers = {"content-disposition": 'attachment; filename="edition.toml"', "cache-control": "no-store"}
    return Response(found["toml"], media_type="application/toml", headers=headers)


# --- reading ------------------------------------------------------------------------------------------------------


async def rules(request: Request) -> Response:
    """Show a game's rules."""
    from bolzplatz.web.reading import to_html
    from bolzplatz.web.whatif import linked

    game = _game(request.path_params["game"])
    t = catalogue(language_of(request))
    html = to_html(rulebook(game, t.language), t("frame.table_scrolls"), t("frame.drawing_scrolls"))
    return _page(request, "reading.html", html=html, title=t(f"games.{game}.title"), game=game, whatif=linked(game))


async def puzzle(request: Request) -> Response:
    """Show the puzzle of a day, and what is to be said of an answer; 404 for a day to come."""
    from bolzplatz.web.puzzle import FIRST_DAY, read_day, told

    _look(request)
    query = request.query_params
    today = datetime.fromtimestamp(request.app.state.now(), UTC).date()
    day = read_day(query.get("date"), today)
    if day is None:
        raise HTTPException(404)
    t = catalogue(language_of(request))
    shown = await run_in_threadpool(told, day, query.get("move"), t)
    one = timedelta(days=1)
    before, after = day - one if day > FIRST_DAY else None, day + one if day < today else None
    return _page(request, "puzzle.html", puzzle=shown, before=before, after=after)


async def what_if(request: Request) -> Response:
    """Show what becomes of a solved game under other rules; until that is worked out, that it is."""
    from bolzplatz.web.whatif import linked, told

    _look(request)
    game = _game(request.path_params["game"])
    if not linked(game):
        raise HTTPException(404)
    t = catalogue(language_of(request))
    return _page(request, "whatif.html", whatif=told(game, request.query_params, t))


async def evening(request: Request) -> Response:
    """Show all matches of a room, and who was luckiest."""
    from bolzplatz.web.evening import look_back, taken_apart, told

    _look(request)
    tables = request.app.state.tables
    room = await tables.evening(request.path_params["id"])
    if not room:
        raise HTTPException(404)
    # Whatever was followed by a rematch stays as it is; the newest match may be played on, or corrected by hand.
    unread = [table for table in room if table == room[-1] or not taken_apart(table)]
    records = {table: await tables.record(table, finished=True) for table in unread}
    found = await run_in_threadpool(look_back, room, records)
    return _page(request, "evening.html", evening=told(found, catalogue(language_of(request))), table=room[-1])


async def afterwards(request: Request) -> Response:
    """Show the chances to win over a match, luck and moves apart, and what to play on from; 404 before its end."""
    from bolzplatz.web.afterwards import look_back, told

    _look(request)
    actor = await _opened(request)
    text = await request.app.state.tables.record(actor.table.id, finished=True)
    if text is None:
        raise HTTPException(404)
    try:
        looked = await run_in_threadpool(look_back, text)
    except RecordError:
        raise HTTPException(404) from None
    perspective = ALL if actor.table.has_secrets else None
    places = [*(step.number - 1 for step in looked.worst), looked.moves]
    makes = [actor.replay(None, place, perspective) for place in places]
    known = [make for make in makes if not isinstance(make, Refused)]
    if len(known) < len(makes):  # taken back meanwhile
        raise HTTPException(404)
    t = catalogue(language_of(request))

    def drawn() -> Response:
        shown = told(looked, known[:-1], known[-1](), t)
        return _page(request, "afterwards.html", after=shown, table=actor.table.id)

    return await run_in_threadpool(drawn)


async def training(request: Request) -> Response:
    """Show the training corner of the game in which the quicker hand wins."""
    from bolzplatz.bots.wilde_kerle import MEAN_MS
    from bolzplatz.core.texts import game_texts
    from bolzplatz.web.training import GAME, ROUNDS

    t = catalogue(language_of(request))
    verdicts = t.under(f"{GAME}.verdict")
    cards = {**game_texts(GAME, t.language).words, "back": t(f"{GAME}.face_down")}
    return _page(
        request,
        "training.html",
        words=verdicts | t.under("training.say"),
        cards=cards,
        levels={t(f"level.{level}"): ms for level, ms in MEAN_MS.items()},
        rounds=ROUNDS,
    )


async def training_rounds(request: Request) -> Response:
    """Deal rounds for the training corner, with what is right in each."""
    from bolzplatz.web.training import deal

    players = read_number(request.query_params.get("players", ""))
    try:
        rounds = deal(players or 0, "16-14", request.query_params.get("pro") == "yes", randbelow)
    except OptionError:
        raise HTTPException(400) from None
    return JSONResponse(rounds, headers={"cache-control": "no-store"})


async def dice(request: Request) -> Response:
    """Say in plain words what the dice prove and what they do not."""
    from bolzplatz.web.reading import page_text, to_html

    t = catalogue(language_of(request))
    html = to_html(page_text("dice", t.language), t("frame.table_scrolls"), t("frame.drawing_scrolls"))
    return _page(request, "reading.html", html=html, title=t("frame.dice"), game=None, whatif=False)


async def check(request: Request) -> Response:
    """Show the page that checks a record, all of it in the browser."""
    return _page(request, "check.html", words=catalogue(language_of(request)).under("script"))


async def word_list(_request: Request) -> Response:
    """Give the words of which every opening record has six."""
    return PlainTextResponse((files("bolzplatz.core") / "words.txt").read_text(encoding="ascii"))


async def health(_request: Request) -> Response:
    """Say that the server runs."""
    return PlainTextResponse("ok")


# --- faults -------------------------------------------------------------------------------------------------------


async def _http_fault(request: Request, fault: Exception) -> Response:
    status = fault.status_code if isinstance(fault, HTTPException) else 500
    t = catalogue(language_of(request))
    key = f"fault.{status}"
    return _page(request, "fault.html", status, message=t(key if t.has(key) else "fault.other"))


async def _store_fault(request: Request, fault: Exception) -> Response:
    t = catalogue(language_of(request))
    return _page(request, "fault.html", 503, message=t("fault.store", reason=str(fault)))


async def _limit_fault(request: Request, fault: Exception) -> Response:
    response = _page(request, "fault.html", 429, message=catalogue(language_of(request))("fault.429"))
    response.headers["retry-after"] = str(ceil(getattr(fault, "wait", 0.0)))
    return response


FAULTS: Final[dict[Any, Callable[..., Any]]] = {
    HTTPException: _http_fault,
    StoreError: _store_fault,
    LimitError: _limit_fault,
}

ROUTES: Final = (
    Route("/", home),
    Route("/new/{game}", new_table),
    Route("/tables", create_table, methods=["POST"]),
    Route("/language", set_language, methods=["POST"]),
    Route("/t/{id}", table_page),
    Route("/t/{id}/record.bolz", record),
    Route("/t/{id}/qr.svg", invitation),
    Route("/t/{id}/replay", replay),
    Route("/t/{id}/replay/{step}", replay_step),
    Route("/t/{id}/evening", evening),
    Route("/t/{id}/afterwards", afterwards),
    Route("/t/{id}/play-on", play_on, methods=["POST"]),
    Route("/j", by_code),
    Route("/j/{code}", by_code),
    Route("/edition", edition_page),
    Route("/edition/check", edition_check, methods=["POST"]),
    Route("/edition/file", edition_file, methods=["POST"]),
    Route("/edition/arrows", edition_arrows),
    Route("/rules/{game}", rules),
    Route("/puzzle", puzzle),
    Route("/what-if/{game}", what_if),
    Route("/training/wilde-kerle", training),
    Route("/training/wilde-kerle/rounds", training_rounds),
    Route("/dice", dice),
    Route("/check", check),
    Route("/healthz", health),
)
