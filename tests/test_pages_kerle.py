"""The page of Die wilden Fußballkerle without a browser: what is secret stays out of it, what was judged is said."""

import json
import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bolzplatz.core.texts import game_texts
from bolzplatz.games.wilde_kerle import CARD_NAMES, DECKS
from bolzplatz.table.commands import Arm, Choose, Enter, OpenCards, Together
from bolzplatz.table.frames import Frame, build_frame
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.table import WAIT_CHOOSE, WAIT_GRAB, WAIT_HANDS, WAIT_READY, WAIT_THROW
from bolzplatz.web.app import create_app
from bolzplatz.web.language import LANGUAGES, catalogue, seconds
from bolzplatz.web.render import draw_frame
from bolzplatz.web.render.wilde_kerle import EDGES, KEYS, stack
from bolzplatz.web.setup_form import first_answers, read_setup
from bolzplatz.web.training import ROUNDS, deal
from tests.table_kit import OWNER, Stored

NAMES = ("Mia", "Ben", "Noa", "Jo", "Lou")
TERMS = {"cap": 0, "usual": 0, "handicap": 0, "chips": 5}
RULES = {"tie": 25000, "tie_rule": "lots", "strict": False, "limit": 8000000, "last_call": 1500000}


def table(people: int = 3, **changes: object) -> Stored:
    seats = [{"kind": "human", "name": name} for name in NAMES[:people]]
    return Stored.new(TableSetup.from_dict({"game": "wilde-kerle", "seats": seats, **changes}))


def ready(**changes: object) -> Stored:
    """A table whose first cards are dealt and lie face down."""
    stored = table(**changes)
    while stored.table.waiting.kind != WAIT_READY:
        stored.step()
    return stored


def real_box(people: int = 3, **options: object) -> Stored:
    return table(people, dice="hand", options={"deck": "any", **options})


def frame(stored: Stored, *seats: int, since: int = 0) -> Frame:
    return build_frame(stored.table, seats, since)


def drawn(stored: Stored, *seats: int, language: str = "en", since: int = 0) -> str:
    """Everything that a browser is sent."""
    return json.dumps(draw_frame(frame(stored, *seats, since=since), language), ensure_ascii=False)


def enter(stored: Stored, *texts: str) -> Stored:
    for text in texts:
        assert stored.do(Enter(f"e{stored.table.version}", stored.table.version, text)) is None
    return stored


def visible(html: str) -> str:
    """The text of a page, without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


# --- secrets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pace", ["thinking", "grab"])
def test_cards_that_lie_face_down_are_in_no_page(pace: str, language: str) -> None:
    stored = ready(pace=pace)
    dealt = stored.table.rounds.dealt
    assert len(dealt) == 3
    words = game_texts("wilde-kerle", language).words
    waits = [WAIT_READY]
    if pace == "grab":
        began = {"version": stored.table.version, "terms": (TERMS,) * 3, "rules": RULES, "silence": 900_000}
        assert stored.do(Arm(**began, hands=())) is None
        assert stored.table.waiting.kind == WAIT_GRAB
        waits.append(WAIT_GRAB)
    for seats in ((), (0,), (0, 1, 2)):
        page = drawn(stored, *seats, language=language)
        assert "#c-back" in page
        for card in dealt:
            assert f"#c-{card}" not in page
            assert words[card] not in page
        assert not re.search(r"data-card=\\?\"", page)
    assert stored.table.waiting.kind == waits[-1]


def test_nobody_is_told_what_others_chose() -> None:
    """The pages of all others are the same, whatever was chosen."""
    pages = set()
    for wish in ("none", "black", "red", "red>black", "black>red"):
        stored = ready()
        assert stored.do(OpenCards(stored.table.version)) is None
        before = stored.table.version
        assert stored.do(Choose("c", stored.table.rounds.n, 1, wish, OWNER)) is None
        assert stored.table.waiting.kind == WAIT_CHOOSE
        pages.add(tuple(drawn(stored, *seats, since=before) for seats in ((), (0,), (2,), (0, 2))))
        assert "has chosen" in next(iter(pages))[1]
    assert len(pages) == 1


def test_open_cards_are_named_for_eyes_and_ears() -> None:
    stored = ready()
    dealt = stored.table.rounds.dealt
    assert stored.do(OpenCards(stored.table.version)) is None
    for language in LANGUAGES:
        html = draw_frame(frame(stored, 0), language)["html"]
        for seat, card in enumerate(dealt):
            assert re.search(rf'data-card-of="{seat}" data-card="{card}"', html)
            assert f'<p class="hidden" id="said-{seat}">{game_texts("wilde-kerle", language).words[card]}</p>' in html


# --- who may do what ------------------------------------------------------------------------------------------------


def test_one_person_has_two_figures_and_a_choice_to_keep_still() -> None:
    stored = ready()
    assert stored.do(OpenCards(stored.table.version)) is None
    html = draw_frame(frame(stored, 1), "en")["html"]
    wishes = re.findall(r'data-wish="([a-z&;]+)" data-seat="1"', html)
    assert sorted(wishes) == ["black", "black&gt;red", "none", "red", "red&gt;black"]
    assert html.index('id="fig-black"') < html.index('id="fig-red"')
    assert 'id="veil"' not in html
    assert "data-wish" not in draw_frame(frame(stored), "en")["html"]


def test_children_choose_between_three() -> None:
    stored = ready(mode="kids")
    assert stored.do(OpenCards(stored.table.version)) is None
    html = draw_frame(frame(stored, 1), "en")["html"]
    assert sorted(re.findall(r'data-wish="([a-z&;]+)"', html)) == ["black", "none", "red"]


def test_people_at_one_device_choose_one_after_the_other_behind_a_curtain() -> None:
    stored = ready()
    assert stored.do(OpenCards(stored.table.version)) is None
    for seat, name in enumerate(NAMES[:3]):
        html = draw_frame(frame(stored, 0, 1, 2), "en")["html"]
        assert f'<h1 id="turn">{name}: who scores?</h1>' in html
        assert f'data-veil="{stored.table.rounds.n}-{seat}"' in html
        assert set(re.findall(r'data-wish="[^"]+" data-seat="(\d)"', html)) == {str(seat)}
        assert stored.do(Choose(f"c{seat}", stored.table.rounds.n, seat, "none", OWNER)) is None


@pytest.mark.parametrize("people", [2, 3, 4, 5])
def test_people_at_one_device_have_an_edge_two_half_discs_and_two_keys_each(people: int) -> None:
    stored = ready(people=max(3, people), pace="grab")
    html = draw_frame(frame(stored, *range(people)), "en")["html"]
    assert len(set(EDGES[people])) == people
    for seat in range(people):
        assert re.findall(rf'data-grab="(\w+)" data-seat="{seat}"', html) == ["black", "red"]
        assert html.count(f'data-ready="{seat}"') == 1
    keys = re.findall(r"<kbd[^>]*>(.)</kbd>", html)
    assert len(set(keys)) == len(keys) == 2 * people


def test_no_two_people_share_a_key() -> None:
    keys = [key for pair in KEYS for key in pair]
    assert len(set(keys)) == len(keys) == 10


def test_a_head_start_is_shown_to_all() -> None:
    seats = [{"kind": "human", "name": name} for name in NAMES[:3]]
    seats[1]["handicap"] = 750  # type: ignore[assignment]
    stored = Stored.new(TableSetup.from_dict({"game": "wilde-kerle", "seats": seats, "pace": "grab"}))
    while stored.table.waiting.kind != WAIT_READY:
        stored.step()
    for seats_of_browser in ((), (0,), (1,)):
        assert "head start for the others: 0.75 s" in draw_frame(frame(stored, *seats_of_browser), "en")["html"]


# --- what was judged ------------------------------------------------------------------------------------------------

JUDGED = [
    (["Sb10 Kr8 Kb5", "black none none"], ["Goal!", "10 beats 8", "+1", "No goal", "no striker"]),
    (["Sb9 Kr9 Kb5", "none none none"], ["No goal, well spotted!", "9 equals 9", "no striker"]),
    (["Sb5 Kr8 Sr6", "none none none"], ["8 stops 5", "6, no keeper", "A goal, and nobody grabbed it."]),
    (["Sb5 Kr8 Kb6", "black none red"], ["8 stops 5", "−2", "no striker"]),
]


@pytest.mark.parametrize(("moves", "said"), JUDGED, ids=lambda value: value[0])
def test_the_verdict_says_who_scores_why_and_what_it_brought(moves: list[str], said: list[str]) -> None:
    stored = enter(real_box(), *moves)
    html = draw_frame(frame(stored, 0, 1, 2), "en")["html"]
    verdict = visible(html[html.index('id="review"') : html.index("</section>")])
    for words in said:
        assert words in verdict
    assert ("well spotted" in verdict) == (moves[1] == "none none none" and "nobody grabbed" not in verdict)


def test_whistles_and_the_end_card_say_so() -> None:
    stored = enter(real_box(pro=True), "Sbw Kbw Sr9", "none none none")
    html = draw_frame(frame(stored, 0, 1, 2), "en")["html"]
    assert "whistle: foul" in html
    assert "whistle: offside" in html
    stored = real_box(end_in_second_half=True)
    for _ in range(20):
        enter(stored, "Sb10 Kr8 Kb5", "black none none")
    enter(stored, "END Kr8 Sb14", "none none black")
    html = draw_frame(frame(stored, 0, 1, 2), "en")["html"]
    verdict = visible(html[html.index('id="review"') : html.index("</section>", html.index('id="review"'))])
    assert "Hands off" in verdict
    assert "end card" in verdict
    assert "−4" in verdict
    assert 'href="#c-END"' in html


def test_chips_walk_and_nobody_is_shamed() -> None:
    stored = real_box()
    enter(stored, "Sb10 Kr8 Kb5")
    before = stored.table.version
    enter(stored, "black red none")
    cues = draw_frame(frame(stored, 0, since=before), "en")["cues"]
    walks = [(cue["from"], cue["to"], cue["count"]) for cue in cues if cue["do"] == "walk"]
    assert walks == [("bank", "chips-0", 1), ("chips-1", "bank", 2)]
    assert [cue["text"] for cue in cues if cue["do"] == "say"] == ["Goal for Black!"]
    assert not [cue for cue in cues if cue.get("tone") == "bad" or cue.get("name") == "ohh"]


def test_keeping_still_rightly_is_praised_aloud() -> None:
    stored = enter(real_box(), "Sb9 Kr9 Kb5")
    before = stored.table.version
    enter(stored, "none none none")
    cues = draw_frame(frame(stored, 0, since=before), "de")["cues"]
    assert {"do": "say", "text": "Kein Tor, gut aufgepasst!", "tone": "calm", "ms": 1100} in cues


@pytest.mark.parametrize("pro", [False, True])
def test_real_cards_are_tapped_by_colour_role_and_number(pro: bool) -> None:
    """Every printed card, in whatever half and whether whistles were agreed on or not."""
    stored = real_box(pro=pro)
    assert stored.table.waiting.kind == WAIT_THROW
    html = draw_frame(frame(stored, 0, 1, 2), "en")["html"]
    offered = {
        group: set(values.split()) for group, values in re.findall(r'data-group="(\w+)" data-values="([^"]+)"', html)
    }
    printed = {name: {card[2:] for card in CARD_NAMES if card.startswith(name)} for name in ("Kb", "Kr", "Sb", "Sr")}
    assert offered == printed
    assert 'id="group-END"' in html
    assert 'id="value-w"' in html
    enter(stored, "Sb10 Kr8 Kb5")
    assert stored.table.waiting.kind == WAIT_HANDS
    html = draw_frame(frame(stored, 0, 1, 2), "en")["html"]
    assert len(re.findall(r'name="took-black"', html)) == len(re.findall(r'name="took-red"', html)) == 4


# --- numbers and words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chips", range(107))
def test_stacks_show_what_chips_are_worth(chips: int) -> None:
    shown = {pile["worth"]: pile["drawn"] for pile in stack(chips)}
    if chips <= 34:
        assert sum(worth * drawn for worth, drawn in shown.items()) == chips
    assert all(drawn > 0 for drawn in shown.values())


def test_times_are_written_as_people_do() -> None:
    assert seconds(1424, catalogue("en")) == "1.42 s"
    assert seconds(1425, catalogue("de")) == "1,43 s"
    assert seconds(60, catalogue("fr")) == "0,06 s"


def test_the_letter_of_a_colour_is_that_of_its_word() -> None:
    for language in LANGUAGES:
        t = catalogue(language)
        letters = [t(f"wilde-kerle.letter.{piece}") for piece in ("black", "red")]
        assert letters == [t(f"wilde-kerle.colour.{piece}")[0] for piece in ("black", "red")]
        assert len(set(letters)) == 2


def test_names_are_shown_and_never_obeyed() -> None:
    stored = ready()
    evil = "<b>&\"'"
    setup = stored.table.setup
    stored.table.setup = replace(setup, seats=(replace(setup.seats[0], name=evil), *setup.seats[1:]))
    for seats in ((), (0,), (0, 1, 2)):
        page = draw_frame(frame(stored, *seats), "en")["html"]
        assert "<b>&" not in page
        assert "&lt;b&gt;&amp;" in page


# --- the form -------------------------------------------------------------------------------------------------------


def test_the_form_describes_every_way_to_play() -> None:
    answers = first_answers("wilde-kerle", True, catalogue("en"))
    setup = TableSetup.from_dict(read_setup(answers, "en"))
    assert [seat.kind for seat in setup.seats] == ["human", "bot", "bot"]
    assert setup.pace == "thinking"
    answers |= {
        "pace": "grab",
        "tie": "nobody",
        "strict": "yes",
        "handicap-0": "500",
        "o-deck": "15-15",
        "o-pro": "true",
    }
    setup = TableSetup.from_dict(read_setup(answers, "en"))
    assert (setup.pace, setup.tie, setup.strict, setup.seats[0].handicap) == ("grab", "nobody", True, 500)
    assert (setup.options["deck"], setup.options["pro"]) == ("15-15", True)
    own = "1xKb5-12,1xSb5-14,12xSb14,2xKr5-12,1xSr5-14,1xSr9-12"
    assert read_setup(answers | {"own-deck": own}, "en")["options"]["deck"] == own
    people = first_answers("wilde-kerle", False, catalogue("en")) | {"dice": "hand"}
    setup = TableSetup.from_dict(read_setup(people, "en"))
    assert (setup.dice, setup.options["deck"], len(setup.humans)) == ("hand", "any", 3)
    friends = first_answers("wilde-kerle", False, catalogue("en"), friends=True)
    assert len(TableSetup.from_dict(read_setup(friends, "en")).open_seats) == 2


def test_the_form_offers_the_decks_that_have_a_name(client: TestClient) -> None:
    html = client.get("/new/wilde-kerle").text
    assert re.findall(r'name="o-deck" value="([^"]+)"', html) == list(DECKS)
    assert 'name="own-deck"' in html


# --- the training corner --------------------------------------------------------------------------------------------


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(str(tmp_path / "tables.sqlite3")), base_url="http://table.test") as client:
        yield client


def scores(cards: list[str], colour: str, other: str) -> bool:
    """Who scores, as the rulebook says it: whistles, highest striker against highest keeper, no keeper at all."""
    strikers = [card[2:] for card in cards if card[:2] == f"S{colour}"]
    keepers = [card[2:] for card in cards if card[:2] == f"K{other}"]
    if not strikers or "w" in strikers + keepers:
        return False
    return max(map(int, strikers)) > max(map(int, keepers), default=0)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("pro", [False, True])
def test_training_rounds_are_dealt_from_one_deck_and_judged_rightly(players: int, pro: bool) -> None:
    luck = random.Random(7)
    whistles = 0
    for _ in range(4):
        rounds = deal(players, "16-14", pro, luck.randrange)
        assert len(rounds) == ROUNDS
        dealt = [card for each in rounds for card in each["cards"]]
        assert len(dealt) == ROUNDS * players
        # No card occurs more often than in the box: keepers and the strikers 8 to 11 twice, the others once.
        for card in set(dealt):
            twice = card[0] == "K" or card[2:] in ("8", "9", "10", "11")
            assert dealt.count(card) <= (1 if card.endswith("w") else 2 if twice else 1)
        for each in rounds:
            right = [
                piece
                for piece, colour, other in (("black", "b", "r"), ("red", "r", "b"))
                if scores(each["cards"], colour, other)
            ]
            assert each["right"] == right
        whistles += sum(card.endswith("w") for card in dealt)
    assert (whistles > 0) == pro


def test_training_pages(client: TestClient) -> None:
    for language in LANGUAGES:
        html = client.get("/training/wilde-kerle", headers={"accept-language": language}).text
        assert catalogue(language)("training.title") in html
        assert html.count('<symbol id="c-') == len(CARD_NAMES) + 2
    assert len(client.get("/training/wilde-kerle/rounds?players=4&pro=yes").json()) == ROUNDS
    for players in ("", "2", "6", "x", "-3", "99999999"):
        assert client.get(f"/training/wilde-kerle/rounds?players={players}").status_code == 400


def test_the_training_page_compares_with_the_players_data() -> None:
    from importlib.resources import files

    from bolzplatz.bots.wilde_kerle import MEAN_MS

    data = tomllib.loads((files("bolzplatz.bots") / "wilde_kerle.toml").read_text(encoding="utf-8"))
    assert {level: data[level]["mean_ms"] for level in ("child", "casual", "adult", "keen", "expert")} == MEAN_MS


def test_computers_choose_at_once_and_the_round_is_told() -> None:
    """A whole round of thinking: the person chooses, the table plays on, the page shows what came of it."""
    seats = [{"kind": "human", "name": "Mia"}, *({"kind": "bot", "name": n, "level": "adult"} for n in ("Ada", "Otto"))]
    stored = Stored.new(TableSetup.from_dict({"game": "wilde-kerle", "seats": seats}))
    while stored.table.waiting.kind != WAIT_READY:
        stored.step()
    assert stored.do(OpenCards(stored.table.version)) is None
    assert stored.do(Choose("c", stored.table.rounds.n, 0, "none", OWNER)) is None
    assert stored.do(Together(stored.table.version, {1: 0, 2: 0})) is None
    html = draw_frame(frame(stored, 0), "en")["html"]
    verdict = stored.table.state.view()["shown"]["verdict"]
    goals = sum(judged["goal"] for judged in verdict.values())
    shown = visible(html[html.index('id="review"') : html.index("</section>")])
    assert shown.count("Goal!") == goals
    assert ("A goal, and nobody grabbed it." in shown) == (goals > 0)
