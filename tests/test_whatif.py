"""What if the rules were different: options of the page, figures, and one variant worked out at a time."""

import threading

import pytest
from starlette.testclient import TestClient

from bolzplatz import load_game
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.games import game_spec
from bolzplatz.web import whatif, workshop
from bolzplatz.web.app import create_app
from bolzplatz.web.language import catalogue
from bolzplatz.web.whatif import OFFERED, Figures, read_options, told
from bolzplatz.web.workshop import BUSY, MOST_WAITING, READY, WAITING, Workshop


class AtOnce(threading.Thread):
    """A thread that has done its work when it is started."""

    def start(self):
        self.run()


class Never(threading.Thread):
    """A thread that does not come to it."""

    def start(self):
        pass


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.setattr(whatif, "WORKSHOP", new_shop())
    with TestClient(create_app(str(tmp_path / "tables.sqlite3"))) as client:
        yield client


def new_shop():
    return Workshop(lambda game: whatif.work_out(game), whatif.KEPT)


def figures(starter=0.5, length=100.0):
    return Figures(starter, length, 0.6, {"goal": 0.2})


def test_all_that_is_offered_is_an_option_of_the_game_and_has_words():
    for game, offered in OFFERED.items():
        known = {option.name: option for option in game_spec(game).options}
        for name, values in offered.items():
            assert known[name].check(game, known[name].default) in values
            for value in values:
                load_game(game, **{name: value})
            for language in LANGUAGES:
                assert catalogue(language).has(f"options.{game}.{name}.label")


@pytest.mark.parametrize("game", OFFERED)
def test_numbers_are_sliders_that_can_stand_at_every_value(game):
    told_of = {each["name"]: each for each in told(game, {}, catalogue("en"))["questions"]}
    for name, values in OFFERED[game].items():
        slider = told_of[name]["slider"]
        assert (slider is not None) == all(type(value) is int for value in values)
        if slider is not None:
            assert tuple(range(slider["low"], slider["high"] + 1, slider["step"])) == values
            assert slider["value"] == load_game(game).options[name]


def test_options_are_read_from_the_address():
    assert load_game("5050", **read_options("5050", {})) == load_game("5050")
    asked = read_options("5050", {"target": "1050", "finish_round": "false", "threshold": "123", "players": "9"})
    assert load_game("5050", **asked) == load_game("5050", target=1050, finish_round=False)
    dark = read_options("bar-bolz", {"faces": "yes", "face-10": "yes"})
    assert load_game("bar-bolz", **dark) == load_game("bar-bolz", black_faces="5,10")
    assert load_game("bar-bolz", **read_options("bar-bolz", {})) == load_game("bar-bolz")


def test_figures_are_those_of_the_published_solution():
    found = whatif.work_out(load_game("bar-bolz", series=3))
    assert found.starter == pytest.approx(0.51366, abs=1e-5)
    assert found.own["goal"] == pytest.approx(132142139 / 679477248)
    assert 0.5 < found.skill < 0.75
    assert found.length > 50


def test_one_after_the_other_and_not_too_many(monkeypatch):
    monkeypatch.setattr(workshop.threading, "Thread", Never)
    shop = new_shop()
    games = [load_game("bar-bolz", black_faces=faces) for faces in ("5", "5,10", "5,foul", "5,offside", "5,penalty")]
    assert [shop.ask(game) for game in games] == [WAITING] * MOST_WAITING + [BUSY]
    assert shop.ask(games[0]) == WAITING
    monkeypatch.setattr(whatif, "work_out", lambda _game: figures())
    shop.work()
    assert [shop.ask(game) for game in games[:MOST_WAITING]] == [figures()] * MOST_WAITING


def test_after_a_failure_of_any_kind_the_next_one_is_worked_out(monkeypatch):
    monkeypatch.setattr(workshop.threading, "Thread", Never)
    shop = new_shop()
    games = [load_game("bar-bolz", black_faces=faces) for faces in ("5", "5,10")]
    assert [shop.ask(game) for game in games] == [WAITING] * 2
    answers = iter([OSError("no space left"), figures()])

    def work_out(_game):
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(whatif, "work_out", work_out)
    shop.work()
    assert [shop.ask(game) for game in games] == [BUSY, figures()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_changed_is_said(monkeypatch, language):
    monkeypatch.setattr(workshop.threading, "Thread", AtOnce)
    standard = load_game("bar-bolz")
    known = {standard: figures()}
    monkeypatch.setattr(whatif, "work_out", lambda game: known.get(game, figures(0.53, 150.0)))
    monkeypatch.setattr(whatif, "WORKSHOP", new_shop())
    t = catalogue(language)
    for query in ({}, {"series": "3"}):
        first, second = told("bar-bolz", query, t), told("bar-bolz", query, t)
        assert second["state"] == READY
        assert first["questions"] == second["questions"]
        said = second["answer"]["said"]
        wanted = (
            [t("whatif.now_more", n=f"3{t('training.say.point')}0"), t("whatif.longer", n=50)]
            if query
            else [t("whatif.same")]
        )
        assert said == wanted


def test_the_page_waits_and_then_shows(client, monkeypatch):
    monkeypatch.setattr(workshop.threading, "Thread", Never)
    page = client.get("/what-if/bar-bolz?series=3")
    assert page.status_code == 200
    assert 'data-state="waiting"' in page.text
    monkeypatch.setattr(whatif, "work_out", lambda _game: figures())
    whatif.WORKSHOP.work()
    assert 'data-state="ready"' in client.get("/what-if/bar-bolz?series=3").text
    assert client.get("/what-if/dribbel-fieber").status_code == 404
    assert client.get("/what-if/chess").status_code == 404
    assert "/what-if/5050" in client.get("/rules/5050").text
    assert "/what-if" not in client.get("/rules/dribbel-fieber").text
