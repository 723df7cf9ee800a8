"""Reports: sections for every game, pages that need nothing else, and the numbers of Dribbel-Fieber counted again."""

import json
import random
import re
from collections import Counter

import numpy as np
import pytest

import bolzplatz
from bolzplatz.bots import pick_action
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.texts import LANGUAGES, catalogue
from bolzplatz.games.dribbel_fieber.edition import CARD_NAMES
from bolzplatz.games.dribbel_fieber.state import CARDS, KINDS, POLDIS
from bolzplatz.simulate import report_dribbel_fieber as designer
from bolzplatz.simulate import simulate
from bolzplatz.simulate.page import page_of
from bolzplatz.simulate.report import Asked, make_report

GENERAL = ["fairness", "course", "what_if", "luck", "skill"]
"""The sections of a game of two sides that no solver knows, with options that are not the standard ones."""


def sections_of(report):
    return {section.key: section for section in report.sections}


@pytest.fixture(scope="module")
def changed():
    return make_report(Asked(bolzplatz.load_game("bar-bolz", series=3), "child", 400, 5, 2))


def test_every_game_has_fairness_course_and_what_the_options_change(changed):
    assert list(sections_of(changed))[:3] == ["fairness", "course", "what_if"]
    played = simulate(bolzplatz.load_game("bar-bolz", series=3), ["child"], 400, seed=5)
    data = changed.to_dict()["sections"]
    assert [seat["wins"]["count"] for seat in data["fairness"]["seats"]] == [seat.wins.count for seat in played.seats]
    assert data["course"]["lengths"]["mean"] == played.lengths.mean
    assert data["what_if"]["changed"] == ["series=3"]
    standard = simulate(bolzplatz.load_game("bar-bolz"), ["child"], 400, seed=5)
    assert data["what_if"]["standard"]["lengths"]["mean"] == standard.lengths.mean
    plain = make_report(Asked(bolzplatz.load_game("bar-bolz"), "child", 50, 5))
    assert list(sections_of(plain))[:2] == ["fairness", "course"]
    assert "what_if" not in sections_of(plain)


def test_a_page_needs_nothing_else(changed):
    page = page_of(changed)
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<svg") >= 1
    assert page.count("<table>") >= 3
    assert "series=3" in page
    for word in ("<script", "<link", "src=", "url(http"):
        assert word not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', page)) <= set(ids)
    json.dumps(changed.to_dict())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_is_in_the_language_that_was_asked_for(language):
    """Sentences and numbers of each seat as the language writes them; the keys of JSON are the same in all."""
    game = bolzplatz.load_game("5050", players=4)
    report = make_report(Asked(game, "good", 1200, 5, 1, language=language))
    english = make_report(Asked(game, "good", 1200, 5, 1))
    point, thousands = {"en": ".,", "de": ",.", "fr": ",\u202f"}[language]
    page, t = page_of(report), catalogue(language)
    assert f'<html lang="{language}">' in page
    assert report.sections[0].lines[0] == t("report.fairness.matches", n=f"1{thousands}200")
    assert report.sections[0].lines[0] in page
    share = english.to_dict()["sections"]["fairness"]["seats"][0]["wins"]["share"]
    assert report.sections[0].tables[0].rows[0][1] == f"{100 * share:.2f} %".replace(".", point)
    found, base = report.to_dict(), english.to_dict()
    assert (found["language"], base["language"]) == (language, "en")
    for told in (found, base):
        del told["language"]
        for section in told["sections"].values():
            del section["title"], section["lines"]
    assert found == base


def test_ctrl_c_keeps_the_sections_that_are_done():
    told = []

    def stop(share, what):
        told.append(what)
        if what == "the standard rules":
            raise KeyboardInterrupt

    report = make_report(Asked(bolzplatz.load_game("bar-bolz", series=3), "child", 200, 1, 1, stop))
    assert report.interrupted
    assert list(sections_of(report)) == ["fairness", "course"]
    assert "Stopped early" in page_of(report)
    assert "the match" in told


# --- Dribbel-Fieber -----------------------------------------------------------------------------------------------

MATCHES = 10


@pytest.fixture(scope="module")
def game():
    return bolzplatz.load_game("dribbel-fieber")


def test_goals_shots_and_cards_are_counted_as_the_events_tell_them(game):
    """The same matches played in the open, and counted by what their events say."""
    tally = designer._counted(Asked(game, "child", MATCHES, 6, 2))
    goals, shots, values, results, cards = Counter(), Counter(), Counter(), Counter(), Counter()
    for match in range(MATCHES):
        state, chance = game.new_initial_state(), FastDriver(6, match)
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.draw(state).outcome)
            else:
                state.apply_action(pick_action(game, state, state.current_player(), "child", chance.source))
        told = [event for seat in (0, 1) for event in state.events(seat) if event.seat == seat]
        kinds = [event.kind for event in told]
        goals[kinds.count("goal")] += 1
        shots[kinds.count("shoots")] += 1
        value = None
        for event in (event for event in state.events() if event.kind in ("value", "goal", "bounce", "missed")):
            value = event.data["value"] if event.kind == "value" else value
            values[event.kind, value] += event.kind != "value"
        first = next(event.seat for event in state.events() if event.kind == "coin")
        ahead = state.scores()[first] - state.scores()[1 - first]
        results[(ahead > 0) - (ahead < 0)] += 1
        cards.update(move.split()[0] for move in state.history() if move.split()[0] in ("discard", "buy", "draw"))
        cards["played"] += sum(move.split()[0] in CARD_NAMES or move.startswith("#") for move in state.history())
    assert goals == Counter({n: int(c) for n, c in enumerate(tally[designer.GOALS_AT : designer.SHOTS_AT]) if c})
    assert shots == Counter({n: int(c) for n, c in enumerate(tally[designer.SHOTS_AT : designer.VALUES_AT]) if c})
    counted = tally[designer.VALUES_AT : designer.RESULTS_AT].reshape(designer.MOST_VALUE, 3)
    for column, kind in enumerate(("goal", "bounce", "missed")):
        assert {v: int(n) for v, n in enumerate(counted[:, column]) if n} == {
            v: n for (k, v), n in values.items() if k == kind and n
        }
    assert [results[sign] for sign in (-1, 0, 1)] == tally[designer.RESULTS_AT : designer.AHEAD_AT].tolist()
    use = tally[designer.CARDS_AT : designer.HANDS_AT].reshape(CARDS, designer.CARD_COUNTS).sum(axis=0).tolist()
    assert use == [cards["draw"], cards["played"], cards["discard"], cards["buy"]]
    assert tally[designer.HANDS_AT] == 11 * MATCHES


def test_the_worth_of_kinds_is_found_where_it_is_known():
    """Hands whose goals are made from known worths: they come back, and the intervals are as good as nothing."""
    luck, worth, deck = random.Random(1), [3, -2, 0, 5, 1], [3, 2, 2, 1, 1]
    tally = np.zeros(designer.TALLY, dtype=np.int64)
    for _ in range(300):
        hand = [luck.choices(range(KINDS), deck)[0] for _ in range(3)]
        counts = [hand.count(kind) for kind in range(KINDS)]
        goals = sum(worth[kind] for kind in hand)
        tally[designer.HANDS_AT] += 1
        tally[designer.SQUARES_AT] += goals * goals
        for i in range(KINDS):
            tally[designer.GOALS_WITH_AT + i] += counts[i] * goals
            for j in range(KINDS):
                tally[designer.PRODUCTS_AT + i * KINDS + j] += counts[i] * counts[j]
    mean = sum(n * w for n, w in zip(deck, worth, strict=True)) / sum(deck)
    for kind, found in enumerate(designer.kinds_worth(tally, deck)):
        assert found.name == CARD_NAMES[kind]
        assert found.goals == pytest.approx(worth[kind] - mean, abs=1e-6)
        assert found.reach < 1e-3


@pytest.mark.parametrize(("bank", "coins"), [(4, [2, 2]), (6, [4, 2]), (28, [6, 2])])
def test_nobody_starts_with_more_coins_than_the_bank_has(bank, coins):
    start = designer.start_with(bolzplatz.load_game("dribbel-fieber", bank_limit=bank), POLDIS, 0)
    assert start.view()["shown"]["coins"] == coins


@pytest.mark.parametrize("item", [0, 3, POLDIS])
@pytest.mark.parametrize("seat", [0, 1])
def test_an_experiment_starts_with_one_thing_more(game, item, seat):
    plain, start = game.new_initial_state().view(), designer.start_with(game, item, seat)
    shown = start.view()
    assert not game.layout.faults(start._data)
    more = [now - before for now, before in zip(shown["shown"]["coins"], plain["shown"]["coins"], strict=True)]
    piles = [now - before for now, before in zip(shown["shown"]["piles"], plain["shown"]["piles"], strict=True)]
    volleys = [len(side) for side in shown["shown"]["volleys"]]
    gained = {0: piles, 3: volleys, POLDIS: more}[item]
    assert gained == [(designer.EXTRA_COINS if item == POLDIS else 1) * (side == seat) for side in (0, 1)]
    luck, chance = random.Random(3), FastDriver(4)
    while not start.is_terminal():
        moved = chance.draw(start).outcome if start.is_chance_node() else luck.choice(start.legal_actions())
        start.apply_action(moved)


@pytest.mark.long
def test_the_whole_report_of_an_edition():
    game = bolzplatz.load_game("dribbel-fieber", edition="diagonals")
    one, two = (make_report(Asked(game, "good", 48, 3, workers)) for workers in (1, 2))
    assert one.to_dict() == two.to_dict()
    assert list(sections_of(one)) == [*GENERAL[:3], "goals", "kick_off", "cards", "worth", *GENERAL[3:]]
    assert len(one.to_dict()["sections"]["worth"]["owned"]) == POLDIS + 1
    assert page_of(one).count("<svg") == 8
