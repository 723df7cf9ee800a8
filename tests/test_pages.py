"""The pages without a browser: what they send, what they refuse, what they say in which language."""

import html
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter

import pytest
from starlette.testclient import TestClient

import bolzplatz
from bolzplatz.core.errors import BolzplatzError
from bolzplatz.games import load_game
from bolzplatz.games.bar_bolz import GOAL_POINTS
from bolzplatz.table.frames import build_frame
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.table import Secrets, Table
from bolzplatz.web.app import create_app
from bolzplatz.web.language import LANGUAGES, catalogue, choose
from bolzplatz.web.render import GAMES, draw_frame
from bolzplatz.web.render.bar_bolz import lane_y
from bolzplatz.web.render.fifty_fifty import balls, lift
from bolzplatz.web.setup_form import first_answers, questions, read_setup

PACKAGE = Path(bolzplatz.__file__).parent
PAGES = [
    "/puzzle",
    "/what-if/bar-bolz",
    "/",
    "/dice",
    "/check",
    *(f"/{kind}/{game}" for game in GAMES for kind in ("new", "rules")),
]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(str(tmp_path / "tables.sqlite3")), base_url="http://table.test") as client:
        yield client


def answers_for(game: str, **changes: str) -> dict[str, str]:
    return first_answers(game, True, catalogue("en")) | {"begins": "0"} | changes


def new_table(client: TestClient, game: str = "5050", **changes: str) -> str:
    response = client.post("/tables", data=answers_for(game, **changes), follow_redirects=False)
    assert response.status_code == 303, response.text
    return str(response.headers["location"])


# --- what every answer carries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*PAGES, "/nothing-here", "/healthz", "/static/js/table.js", "/words.txt"])
def test_every_answer_has_the_strict_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


class _Markup(HTMLParser):
    """Collects what the content policy would block, what leads outside, and ids that occur twice."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.ids: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or "style" in given or any(name.startswith("on") for name in given):
            self.faults.append(f"inline style or script in <{tag}>")
        if tag == "script" and not (given.get("src") or "").startswith("/static/"):
            self.faults.append("script that is not our own file")
        for name in ("src", "href", "action"):
            target = given.get(name) or ""
            if re.match(r"[a-z]+:|//", target):
                self.faults.append(f"<{tag}> leads outside: {target}")
        if given.get("id") in self.ids:
            self.faults.append(f"id {given['id']} occurs twice")
        self.ids.add(given.get("id") or "")
        self.ids.discard("")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_pages_are_clean_in_every_language(client: TestClient, path: str, language: str) -> None:
    response = client.get(path, headers={"accept-language": language})
    assert response.status_code == 200
    assert f'<html lang="{language}"' in response.text
    assert _Markup(response.text).faults == []


def test_table_pages_are_clean(client: TestClient) -> None:
    for game in GAMES:
        for dice in ("sealed", "hand"):
            # No computer grabs real cards.
            people = {"kind-1": "human", "kind-2": "human"} if (game, dice) == ("wilde-kerle", "hand") else {}
            response = client.get(new_table(client, game, dice=dice, **people))
            assert response.status_code == 200
            assert _Markup(response.text).faults == []


def test_texts_are_shown_and_never_obeyed() -> None:
    """No name like this gets to a table; if one ever did, a page would show it letter by letter."""
    evil = "<b>&\"'{{7*7}}"
    setup = TableSetup.from_dict(read_setup(answers_for("5050"), "en"))
    seats = (replace(setup.seats[0], name=evil), setup.seats[1])
    table = Table.fresh("t", replace(setup, seats=seats), Secrets.fresh(("me", None), "me"))
    drawn = draw_frame(build_frame(table, (0,), 0), "en")
    assert "<b>&" not in drawn["html"]
    assert "&lt;b&gt;&amp;&#34;&#39;{{7*7}}" in drawn["html"]
    assert _Markup(drawn["html"]).faults == []


# --- who may write ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/tables", "/language"])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.test"},
        {"origin": "null"},
        {"origin": "http://table.test.evil.test"},
        {"origin": "http://table.test:81"},
        {"origin": "http://[table.test"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_forms_of_other_sites_are_refused(client: TestClient, path: str, headers: dict[str, str]) -> None:
    response = client.post(path, data=answers_for("5050"), headers=headers, follow_redirects=False)
    assert response.status_code == 403
    assert "set-cookie" not in response.headers


def test_forms_of_our_own_page_are_taken(client: TestClient) -> None:
    headers = {"origin": "http://table.test", "sec-fetch-site": "same-origin"}
    response = client.post("/tables", data=answers_for("5050"), headers=headers, follow_redirects=False)
    assert response.status_code == 303


def test_the_browser_cookie_is_kept_from_scripts_and_other_sites(client: TestClient) -> None:
    response = client.post("/tables", data=answers_for("5050"), follow_redirects=False)
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert len(client.cookies["browser"]) >= 22  # 128 bits or more
    # A second table is the same browser's: its cookie stays.
    token = client.cookies["browser"]
    new_table(client)
    assert client.cookies["browser"] == token


def test_another_browser_sees_the_table_but_no_button(client: TestClient) -> None:
    path = new_table(client, "bar-bolz", **{"kind-1": "human", "dice": "hand"})
    assert 'data-act="hand"' in client.get(path).text
    client.cookies.clear()
    foreign = client.get(path)
    assert foreign.status_code == 200
    assert "data-act=" not in foreign.text
    assert 'data-mine="no"' in foreign.text


def test_the_way_back_after_choosing_a_language_stays_here(client: TestClient) -> None:
    for target, expected in [
        ("/rules/5050", "/rules/5050"),
        ("//evil.test", "/"),
        ("https://evil.test", "/"),
        ("", "/"),
        ("/\\evil.test", "/"),
    ]:
        response = client.post("/language", data={"language": "fr", "next": target}, follow_redirects=False)
        assert response.status_code == 303
        assert response.headers["location"] == expected
    assert '<html lang="fr"' in client.get("/", headers={"accept-language": "de"}).text


def test_big_and_broken_forms_are_refused(client: TestClient) -> None:
    assert client.post("/tables", content=b"a=" + b"x" * 70_000).status_code == 413
    assert client.post("/tables", content=b"a=\xff\xfe").status_code == 400
    assert client.post("/tables", content="&".join(f"a{i}=1" for i in range(500)).encode()).status_code == 400


# --- setting up a table -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "changes", "said"),
    [
        ("5050", {"name-1": "  "}, "Every seat needs a name."),
        ("5050", {"name-1": "ZOË"}, "Two seats have the same name."),
        ("5050", {"name-0": "x" * 21}, "A name has at most 20 characters."),
        ("5050", {"name-0": "a\u202eb"}, "A name has letters, digits, emoji, spaces"),
        ("5050", {"o-target": "49"}, "Numbers from 50 to 1000000 are possible."),
        ("5050", {"o-target": "many"}, "“How many points bring the last round?” That answer does not fit"),
        ("5050", {"kind-1": "bot-genius"}, "none of those offered"),
        ("bar-bolz", {"dice": "loaded"}, "none of those offered"),
        ("bar-bolz", {"o-series": "2"}, "“How many matches?” That answer does not fit here. Possible: "),
    ],
    ids=str,
)
def test_a_bad_answer_is_named_and_nothing_typed_is_lost(
    client: TestClient, game: str, changes: dict[str, str], said: str
) -> None:
    response = client.post("/tables", data=answers_for(game, **{"name-0": "Zoë"} | changes), follow_redirects=False)
    assert response.status_code == 422
    assert said in response.text
    assert "Traceback" not in response.text
    if "name-0" not in changes:
        assert 'value="Zoë"' in response.text
    # Whoever then changes the language comes back to the form.
    assert f'name="next" value="/new/{game}"' in response.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("gooaaaaal", {"o-dice": "BKQ"}),
        ("wilde-kerle", {"own-deck": "1xK5"}),
        ("bar-bolz", {"kind-2": "human", "name-2": "A", "kind-3": "human", "name-3": "B", "o-schedule": "0v0"}),
        ("dribbel-fieber", {"own-edition": "[["}),
        ("gooaaaaal", {"o-edition": "huge"}),
        ("dribbel-fieber", {"o-bank_limit": "1", "o-start_coins": "9"}),
        ("5050", {"o-threshold": "-1"}),
    ],
    ids=str,
)
def test_a_rule_that_does_not_fit_is_named_in_the_readers_language(
    client: TestClient, game: str, changes: dict[str, str], language: str
) -> None:
    t, headers = catalogue(language), {"accept-language": language}
    answers = first_answers(game, False, t) | {"begins": "0"} | changes
    response = client.post("/tables", data=answers, headers=headers, follow_redirects=False)
    assert response.status_code == 422
    said = re.search('class="fault paper"[^>]*>([^<]*)<', response.text)
    assert said is not None
    name = next(key for key in changes if key.startswith("o")).partition("-")[2]
    label = html.unescape(t(f"options.{game}.{name}.label"))
    assert html.unescape(said[1]).startswith(t("setup_fault.option", label=label))
    assert "option" not in said[1]


def test_unknown_games_tables_and_pages_are_not_found(client: TestClient) -> None:
    for path in ("/new/chess", "/rules/chess", "/t/nothere", "/t/nothere/record.bolz", "/new/../etc"):
        response = client.get(path)
        assert response.status_code == 404
        assert "That went wide" in response.text
    assert client.post("/tables", data={"game": "chess"}).status_code == 404
    assert client.get("/tables").status_code == 405


@pytest.mark.parametrize("game", GAMES)
def test_every_option_of_a_game_can_be_answered(game: str) -> None:
    """The form asks for each declared option, and its first answers are the declared defaults."""
    t = catalogue("en")
    form = questions(game, first_answers(game, False, t), t)
    declared = {option.name for option in load_game(game).spec.options}
    asked = {question["name"].removeprefix("o-") for question in form["options"]}
    special = {"players", "first", "teams"} | ({"black_faces"} if form["faces"] else set())
    assert asked | (special & declared) == declared
    answers = first_answers(game, False, t) | {q["name"]: q["value"] for q in form["options"]} | {"begins": "0"}
    assert dict(TableSetup.from_dict(read_setup(answers, "en")).options) == load_game(game).options


def test_answers_become_the_setup() -> None:
    answers = answers_for(
        "5050", **{"kind-2": "human", "name-2": "Bo", "begins": "2", "o-threshold": "500", "mode": "kids"}
    )
    setup = TableSetup.from_dict(read_setup(answers, "de"))
    assert setup.options["players"] == 3
    assert setup.options["first"] == 2
    assert setup.options["threshold"] == 500
    assert [seat.name for seat in setup.seats] == ["Kim", "Otto", "Bo"]
    assert (setup.mode, setup.language, setup.dice) == ("kids", "de", "sealed")


def test_in_bar_bolz_who_begins_sits_first() -> None:
    setup = TableSetup.from_dict(read_setup(answers_for("bar-bolz", begins="1"), "en"))
    assert [seat.name for seat in setup.seats] == ["Otto", "Kim"]


def test_five_people_make_two_teams() -> None:
    extra = {f"kind-{i}": "human" for i in range(2, 5)} | {f"name-{i}": f"N{i}" for i in range(2, 5)}
    assert read_setup(answers_for("bar-bolz", **extra), "en")["options"]["teams"] == "3v2"
    setup = TableSetup.from_dict(read_setup(answers_for("bar-bolz", **extra, team_a="1"), "en"))
    assert setup.options["teams"] == "1v4"


def test_dark_faces_are_ticked() -> None:
    setup = TableSetup.from_dict(read_setup(answers_for("bar-bolz", **{"face-penalty": "1", "face-10": "1"}), "en"))
    assert set(str(setup.options["black_faces"]).split(",")) == {"5", "10", "penalty"}


def test_lots_decide_fairly_who_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def lots(count: int) -> int:
        drawn.append(count)
        return count - 1

    monkeypatch.setattr("bolzplatz.web.setup_form.randbelow", lots)
    assert read_setup(answers_for("5050", begins="lots"), "en")["options"]["first"] == 1
    assert drawn == [2]


# --- languages ----------------------------------------------------------------------------------------------------


def places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def texts(language: str) -> dict[str, str]:
    return catalogue(language).texts


@pytest.mark.parametrize("language", ["de", "fr"])
def test_catalogues_have_the_same_keys_and_places(language: str) -> None:
    english, other = texts("en"), texts(language)
    assert set(english) == set(other)
    assert {key: places(text) for key, text in english.items()} == {key: places(text) for key, text in other.items()}
    # In French a narrow space, which is a text, sets thousands apart.
    assert not [key for key, text in other.items() if not text.strip(" \t\n")]


def test_reports_and_charts_name_every_word_there_is_for_them_and_no_other() -> None:
    """Keys that are put together have their places; each must be met, and each word must be met by one."""
    own = {key for key in texts("en") if key.startswith(("report.", "chart."))}
    sources = [*(PACKAGE / "simulate").glob("*.py"), PACKAGE / "core" / "texts.py", PACKAGE / "cli" / "report.py"]
    named = {
        key
        for path in sources
        for key in re.findall(r"""f?["']((?:report|chart)\.[^"' ]+)["']""", path.read_text("utf-8"))
    }
    patterns = [re.compile(re.sub(r"\\\{.*?\\\}", "[a-z_]*", re.escape(key))) for key in named]
    assert not [pattern.pattern for pattern in patterns if not any(pattern.fullmatch(key) for key in own)]
    assert not [key for key in own if not any(pattern.fullmatch(key) for pattern in patterns)]


def test_scripts_and_templates_name_only_words_that_exist() -> None:
    keys = set(texts("en"))
    script_words = {key.removeprefix("script.") for key in keys if key.startswith("script.")}
    for script in (PACKAGE / "web" / "static" / "js").glob("*.js"):
        named = set(re.findall(r"(?<!/)\bwords\.([a-z_]+)\b", script.read_text(encoding="utf-8")))
        own = f"{script.stem}.say."
        assert named <= script_words | {key.removeprefix(own) for key in keys if key.startswith(own)}, script.name
    for template in (PACKAGE / "web" / "templates").rglob("*.html"):
        named = set(re.findall(r"""\bt\(["']([a-z0-9_.-]+)["'][,)]""", template.read_text(encoding="utf-8")))
        assert named <= keys, template.name


@pytest.mark.parametrize(
    ("cookie", "accept", "expected"),
    [
        (None, None, "en"),
        (None, "de-AT,de;q=0.9,en;q=0.5", "de"),
        (None, "es,fr;q=0.4,de;q=0.6", "de"),
        (None, "fr;q=0,de;q=0.1", "de"),
        (None, "*", "en"),
        (None, "de;q=nonsense,fr", "fr"),
        (None, "de ; q=0.3, fr; q=0.2", "de"),
        ("fr", "de", "fr"),
        ("klingon", "de", "de"),
    ],
)
def test_the_language_is_the_readers(cookie: str | None, accept: str | None, expected: str) -> None:
    assert choose(cookie, accept) == expected


# --- reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_rules_have_an_anchor_for_each_paragraph_that_the_game_cites(
    client: TestClient, game: str, language: str
) -> None:
    html = client.get(f"/rules/{game}", headers={"accept-language": language}).text
    spec = load_game(game).spec
    cited = {each.rule.split("§")[1] for each in (*spec.events, *spec.refusals)}
    assert cited
    assert not [number for number in cited if f'id="s{number}"' not in html]
    assert "<table>" in html


def test_what_is_wide_in_the_rules_scrolls_alone_and_is_named(client: TestClient) -> None:
    for game in GAMES:
        html = client.get(f"/rules/{game}").text
        boxes = re.findall(
            r'<div class="scroll" role="region" tabindex="0" aria-label="([^"]+)">\s*<(table|pre)>', html
        )
        assert len(boxes) == len(set(boxes)) == html.count("<table>") + html.count("<pre>") > 0
    drawn = client.get("/rules/dribbel-fieber", headers={"accept-language": "de"}).text
    assert 'aria-label="Zeichnung 1">' in drawn


def test_a_record_downloads_as_a_file(client: TestClient) -> None:
    path = new_table(client, dice="hand")
    response = client.get(f"{path}/record.bolz")
    assert response.text.startswith("Bolzplatz record 1\n")
    assert re.fullmatch(r'attachment; filename="5050-[a-z0-9]+\.bolz"', response.headers["content-disposition"])


def test_the_words_are_those_of_the_protocol(client: TestClient) -> None:
    assert len(client.get("/words.txt").text.split()) == 2048


# --- what is drawn ------------------------------------------------------------------------------------------------


def test_the_ball_climbs_with_the_points_and_the_goal_is_at_50_alone() -> None:
    heights = [lane_y(points) for points in range(0, 70, 5)]
    assert heights == sorted(heights, reverse=True)
    # The goal's frame in the drawing reaches from 82 to 118.
    inside = [points for points in range(0, 70, 5) if 82 < lane_y(points) < 118]
    assert inside == [GOAL_POINTS]


def test_the_hurdle_is_cleared_from_its_height_on() -> None:
    bar = 34

    def height(points: int) -> float:
        return float(lift(points, 350).split()[1].rstrip(")"))

    assert all(height(points) > bar for points in range(0, 350, 50))
    assert all(height(points) < bar for points in (350, 400, 2000))
    assert lift(0, 0) == lift(350, 350)


def test_odds_are_shown_as_balls() -> None:
    # The published chances of an empty throw of 6 to 1 dice, of ten balls, in halves.
    published = {"1080/46656": 0.5, "600/7776": 1.0, "204/1296": 1.5, "60/216": 3.0, "16/36": 4.5, "4/6": 6.5}
    assert {bust: balls(bust) for bust in published} == published
    assert balls("0/6") == 0
    assert balls("6/6") == 10


# --- starting -----------------------------------------------------------------------------------------------------


def test_the_server_starts_without_the_heavy_libraries() -> None:
    """What only some pages or commands need must not delay the first page."""
    heavy = ["numpy", "numba", "matplotlib", "jinja2", "markdown_it", "segno", "rich"]
    code = f"import sys, bolzplatz.web.app; print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True)
    assert found.stdout.strip() == "[]"


def test_a_broken_store_is_one_clear_line(tmp_path: Path) -> None:
    store = tmp_path / "tables.sqlite3"
    store.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(BolzplatzError) as fault:
        create_app(str(store))
    assert str(store) in str(fault.value)
    assert "\n" not in str(fault.value)
