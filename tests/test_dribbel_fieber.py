"""Dribbel-Fieber against a referee who knows rulebook and edition alone, against counting, and against itself."""

import dataclasses
import json
import pickle
import random
import tomllib
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bolzplatz
from bolzplatz.bots import pick_action
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game
from bolzplatz.core.sealed_throw import outcome_of_sealed, sealed_form
from bolzplatz.core.texts import LANGUAGES, event_text, game_texts
from bolzplatz.games import dribbel_fieber as room
from bolzplatz.games.dribbel_fieber import edition as editions
from bolzplatz.games.dribbel_fieber.edition import EditionError
from bolzplatz.games.dribbel_fieber.state import CARDS, KINDS, State
from bolzplatz.testing import ConformanceError, check_game
from tests.toy_games import duel, pig

FOLDER = Path(room.__file__).parent / "editions"
COLUMNS = "abcde"
ARROWS = {
    "F": (0, 1), "B": (0, -1), "L": (-1, 0), "R": (1, 0), "FL": (-1, 1), "FR": (1, 1), "BL": (-1, -1), "BR": (1, -1),
}  # fmt: skip
SIDES = ("red", "blue")
OPTION_SETS = (
    {},
    {"edition": "diagonals"},
    {"edition": "diagonals", "wall_rule": "enter", "wall_blocks_free_action": False, "metric": "king"},
    {"capacity_in_passing": True, "comp_without_shot": True, "start_coins": 0, "bank_limit": 7, "metric": "symbol"},
    {"edition": "diagonals", "capacity_in_passing": True, "metric": "symbol", "start_coins": 6},
)


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


# --- the referee ------------------------------------------------------------------------------------------------


class Referee:
    """Follows a match by its texts alone: says what may be done, what may come up and how likely, and who has what.

    Written from the rulebook, with names, sets and pairs of column and row; it shares nothing with the rules but the
    text of the edition. A side's pairs are as it sees the pitch itself: (0, 0) is the left corner at its own goal.
    """

    def __init__(self, **options: Any) -> None:
        self.o = {
            "edition": "placeholder", "start_coins": 2, "bank_limit": None, "metric": "orthogonal",
            "wall_blocks_free_action": True, "wall_rule": "leave_forward", "capacity_in_passing": False,
            "comp_without_shot": False,
        } | options  # fmt: skip
        self.box = tomllib.loads(text_of(self.o["edition"]))
        self.poldi = {card["number"]: card for card in self.box["poldi"]}
        rows = [row.split() for row in self.box["pitch"]["rows"]]
        self.colour = {f"{COLUMNS[c]}{8 - r}": rows[r][c] for r in range(8) for c in range(5)}
        self.area = {self.own(0, space) for space in self.box["pitch"]["area"]}
        self.figures = [self.home(side) for side in (0, 1)]
        self.goals, self.coins = [0, 0], [self.o["start_coins"]] * 2
        deck = Counter({name: card["count"] for name, card in self.box["cards"].items()})
        self.pile, self.hand, self.trash = [deck.copy(), deck.copy()], [Counter(), Counter()], [Counter(), Counter()]
        self.ready: list[list[int]] = [[], []]
        self.stock, self.offer = set(self.poldi), []
        self.side, self.turn, self.node = 0, 0, "coin"

    # Pitch.

    @staticmethod
    def own(side: int, space: str) -> tuple[int, int]:
        c, r = COLUMNS.index(space[0]), int(space[1]) - 1
        return (c, r) if side == 0 else (4 - c, 7 - r)

    @staticmethod
    def name(side: int, pair: tuple[int, int]) -> str:
        c, r = pair if side == 0 else (4 - pair[0], 7 - pair[1])
        return f"{COLUMNS[c]}{r + 1}"

    def home(self, side: int) -> list[str]:
        return [self.name(side, self.own(0, space)) for space in self.box["figures"]["start"]]

    def with_ball(self, side: int) -> list[int]:
        return [f for f in range(1, 6) if self.figures[side][f - 1] == self.ball]

    def ways(self, symbol: dict[str, Any]) -> list[list[str]]:
        return [way.split() for way in symbol["arrows"]]

    def goes(self, side: int, start: str, way: list[str], team: int | None, walls: bool) -> str | None:
        """Where a way ends, None where it cannot be gone."""
        here, other = self.own(side, start), 1 - side
        for step, arrow in enumerate(way):
            there = (here[0] + ARROWS[arrow][0], here[1] + ARROWS[arrow][1])
            if not (0 <= there[0] < 5 and 0 <= there[1] < 8):
                return None
            post = self.name(side, here if self.o["wall_rule"] == "leave_forward" else there)
            if walls and there[1] > here[1] and self.figures[other].count(post) == 2:
                return None
            here = there
            passing = step < len(way) - 1 and self.o["capacity_in_passing"] and team is not None
            if passing and self.figures[team].count(self.name(side, here)) == 2:
                return None
        end = self.name(side, here)
        return None if team is not None and self.figures[team].count(end) == 2 else end

    def ends(self, side: int, start: str, symbol: dict[str, Any], team: int | None, walls: bool) -> set[str]:
        return {end for way in self.ways(symbol) if (end := self.goes(side, start, way, team, walls)) is not None}

    def distance(self, side: int, figure: int) -> int:
        a, b = self.own(side, self.figures[side][figure - 1]), self.own(side, self.ball)
        across, along = abs(a[0] - b[0]), abs(a[1] - b[1])
        if self.o["metric"] == "symbol":
            seen, border, steps = {a}, {a}, 0
            while b not in seen:
                border = {
                    (c + sum(ARROWS[x][0] for x in way), r + sum(ARROWS[x][1] for x in way))
                    for c, r in border
                    for way in self.ways(self.box["free_action"])
                }
                border = {(c, r) for c, r in border if 0 <= c < 5 and 0 <= r < 8} - seen
                if not border:
                    return 40
                seen, steps = seen | border, steps + 1
            return steps
        return max(across, along) if self.o["metric"] == "king" else across + along

    # What may be done and what may come up.

    def symbol(self, card: str) -> tuple[str, dict[str, Any]]:
        """A card's action, and where its arrows are."""
        if not card.startswith("#"):
            return card, self.box["cards"][card]
        poldi = self.poldi[int(card[1:])]
        return poldi["card"], poldi if "arrows" in poldi else self.box["cards"].get(poldi["card"], {})

    def decides(self) -> int | None:
        if self.node in ("chase", "free", "cards", "buy", "shot"):
            return self.side
        return 1 - self.side if self.node == "kick" else None

    def legal(self) -> set[str]:
        side = self.side
        if self.node == "chase":
            nearest = min(self.distance(side, f) for f in range(1, 6))
            return {f"chase {f}" for f in range(1, 6) if self.distance(side, f) == nearest}
        if self.node == "free":
            walls, symbol = self.o["wall_blocks_free_action"], self.box["free_action"]
            starts = enumerate(self.figures[side], 1)
            return {"stay"} | {f"free {f} {e}" for f, at in starts for e in self.ends(side, at, symbol, side, walls)}
        if self.node == "cards":
            moves = {move for card in self.hand[side] for move in self.card_moves(card)}
            moves |= {f"discard {card}" for card in self.hand[side]}
            return moves | ({"done"} if self.used else set())
        if self.node == "buy":
            payable = (n for n in self.offer if self.poldi[n]["price"] <= self.coins[side])
            return {"no-buy"} | {f"buy {n}" for n in payable}
        if self.node == "kick":
            return {f"kick {s}" for s, c in self.colour.items() if c == self.rolled and self.own(1 - side, s)[1] < 4}
        shots, must = set(), False
        if self.with_ball(side) and self.own(side, self.ball)[1] >= 4:
            must = self.own(1 - side, self.ball) in self.area
            for f in self.with_ball(side):
                shots |= {f"shoot {f}" + (f" volley {v}" if v else "") for v in range(len(self.ready[side]) + 1)}
        return shots if must else shots | {"no-shot"}

    def card_moves(self, card: str) -> set[str]:
        side, (action, symbol) = self.side, self.symbol(card)
        prefix = f"{card} {action}" if card.startswith("#") else card
        if action in ("short-pass", "cross"):
            ends = self.ends(side, self.ball, symbol, None, False) if self.with_ball(side) else ()
            return {f"{prefix} {end}" for end in ends}
        team = 1 - side if action == "pressing" else side
        moves = set()
        for f, at in enumerate(self.figures[team], 1):
            able = {"running": True, "dribbling": at == self.ball, "pressing": at in self.figures[side]}[action]
            if able:
                moves |= {f"{prefix} {f} {e}" for e in self.ends(side, at, symbol, team, action != "pressing")}
        return moves

    def odds(self) -> dict[str, Fraction]:
        if self.node == "coin":
            weights: dict[str, int] = {f"coin {side}": 1 for side in SIDES}
        elif self.node == "draw":
            weights = {f"draw {card}": n for card, n in self.pile[self.side].items() if n}
        elif self.node == "offer":
            weights = {f"offer {n}": 1 for n in self.stock}
        elif self.node == "roll":
            weights = {f"die {n}": 1 for n in range(1, 7)}
        else:
            weights = {f"colour {c}": 1 for c in self.box["pitch"]["colours"]}
        return {text: Fraction(n, sum(weights.values())) for text, n in weights.items()}

    def thrower(self) -> int | None:
        return {"roll": self.side, "bounce": 1 - self.side, "missed": 1 - self.side}.get(self.node)

    # What follows.

    def play(self, text: str) -> None:
        word, *rest = text.split()
        getattr(self, self.HANDLERS.get(word, "on_card"))(text, rest)

    HANDLERS: ClassVar = {
        "coin": "on_coin", "draw": "on_draw", "offer": "on_offer", "chase": "on_chase", "free": "on_free",
        "stay": "on_free", "discard": "on_discard", "done": "on_done", "buy": "on_buy", "no-buy": "on_buy",
        "shoot": "on_shoot", "no-shot": "on_shoot", "die": "on_roll", "colour": "on_colour", "kick": "on_kick",
    }  # fmt: skip

    def on_coin(self, _text: str, rest: list[str]) -> None:
        self.first, self.side, self.node = SIDES.index(rest[0]), 0, "draw"

    def on_draw(self, _text: str, rest: list[str]) -> None:
        side, card = self.side, rest[0]
        self.pile[side][card] -= 1
        if card.startswith("#") and self.poldi[int(card[1:])]["card"] == "volley":
            self.ready[side].append(int(card[1:]))
        else:
            self.hand[side][card] += 1
        self.fill()

    def fill(self) -> None:
        side = self.side
        self.hand[side] = +self.hand[side]
        if self.hand[side].total() < 3:
            if not +self.pile[side]:
                self.pile[side], self.trash[side] = self.trash[side], Counter()
            self.node = "draw"
        elif self.turn:
            self.renew()
        elif side == 0:
            self.side = 1
        else:
            self.node = "offer"

    def renew(self) -> None:
        if not self.bought:
            self.offer.remove(max(self.offer))
        self.node = "offer" if self.stock else "shot"

    def on_offer(self, _text: str, rest: list[str]) -> None:
        self.offer.append(int(rest[0]))
        self.stock.remove(int(rest[0]))
        if self.turn:
            self.node = "shot"
        elif len(self.offer) == 3:
            self.start(self.first, kick_off=True)

    def start(self, side: int, kick_off: bool) -> None:
        if kick_off:
            self.ball = self.name(side, self.own(0, self.box["pitch"]["kick_off"]))
        self.side, self.turn, self.used, self.bought, self.shot = side, self.turn + 1, 0, False, False
        self.node = "free" if self.with_ball(side) else "chase"

    def on_chase(self, _text: str, rest: list[str]) -> None:
        self.figures[self.side][int(rest[0]) - 1] = self.ball
        self.node = "cards"

    def on_free(self, _text: str, rest: list[str]) -> None:
        if rest:
            self.figures[self.side][int(rest[0]) - 1] = rest[1]
        self.node = "cards"

    def drop(self, card: str) -> None:
        self.hand[self.side][card] -= 1
        self.hand[self.side] = +self.hand[self.side]
        self.trash[self.side][card] += 1
        self.used += 1

    def on_discard(self, _text: str, rest: list[str]) -> None:
        self.drop(rest[0])
        self.pay(2)

    def pay(self, coins: int) -> None:
        if self.o["bank_limit"] is not None:
            coins = min(coins, self.o["bank_limit"] - sum(self.coins))
        self.coins[self.side] += coins

    def on_card(self, text: str, _rest: list[str]) -> None:
        card, *rest = text.split()
        action, _ = self.symbol(card)
        rest = rest[1:] if card.startswith("#") else rest
        self.drop(card)
        if action in ("running", "dribbling"):
            self.figures[self.side][int(rest[0]) - 1] = rest[1]
        if action == "pressing":
            self.figures[1 - self.side][int(rest[0]) - 1] = rest[1]
        if action in ("dribbling", "short-pass", "cross"):
            self.ball = rest[-1]

    def on_done(self, _text: str, _rest: list[str]) -> None:
        self.node = "buy"

    def on_buy(self, _text: str, rest: list[str]) -> None:
        if rest:
            number, self.bought = int(rest[0]), True
            self.offer.remove(number)
            self.coins[self.side] -= self.poldi[number]["price"]
            if self.poldi[number]["card"] == "volley":
                self.ready[self.side].append(number)
            else:
                self.hand[self.side][f"#{number}"] += 1
        self.fill()

    def shot_value(self, figure: int, volleys: int) -> int:
        column, row = self.own(self.side, self.ball)
        zone = int(self.box["pitch"]["bonus"][7 - row].split()[column])
        attack = self.box["figures"]["attack"][figure - 1] + zone + volleys
        keeper, *others = self.figures[1 - self.side]
        before_goal = self.own(1 - self.side, keeper) == self.own(0, self.box["pitch"]["goal"])
        at_ball = keeper == self.ball and self.own(1 - self.side, keeper) in self.area
        return max(1, (7 if before_goal or at_ball else 0) + others.count(self.ball) - attack)

    def on_shoot(self, text: str, rest: list[str]) -> None:
        if text == "no-shot":
            self.no_goal()
            return
        volleys = int(rest[2]) if len(rest) > 1 else 0
        self.value, self.shot, self.node = self.shot_value(int(rest[0]), volleys), True, "roll"
        for number in sorted(self.ready[self.side])[:volleys]:
            self.ready[self.side].remove(number)
            self.trash[self.side][f"#{number}"] += 1

    def on_roll(self, _text: str, rest: list[str]) -> None:
        die = int(rest[0])
        self.node = "bounce" if die == self.value else "missed"
        if die > self.value:
            self.goals[self.side] += 1
            if self.turn == 12:
                self.node = "over"
                return
            self.figures = [self.home(0), self.home(1)]
            self.start(1 - self.side, kick_off=True)

    def on_colour(self, _text: str, rest: list[str]) -> None:
        if self.node == "missed":
            self.rolled, self.node = rest[0], "kick"
            return
        area = (s for s, c in self.colour.items() if c == rest[0] and self.own(1 - self.side, s) in self.area)
        (self.ball,) = area
        if self.with_ball(self.side):
            self.node = "shot"
        else:
            self.no_goal()

    def on_kick(self, _text: str, rest: list[str]) -> None:
        self.ball = rest[0]
        self.no_goal()

    def no_goal(self) -> None:
        if self.shot or self.o["comp_without_shot"]:
            self.pay(1)
        if self.turn == 12:
            self.node = "over"
        else:
            self.start(1 - self.side, kick_off=False)


def compare(state: bolzplatz.State, referee: Referee) -> None:
    """State and referee agree about everything that both know."""
    shown, player = state.view()["shown"], state.current_player()
    assert state.scores() == referee.goals
    assert shown["coins"] == referee.coins
    assert [[f["space"] for f in side] for side in shown["figures"]] == referee.figures
    assert sorted(shown["offer"]) == sorted(referee.offer)
    assert [sorted(side) for side in shown["volleys"]] == [sorted(side) for side in referee.ready]
    assert [Counter(side) for side in shown["discards"]] == referee.trash
    assert shown["piles"] == [pile.total() for pile in referee.pile]
    for seat in (0, 1):
        assert Counter(state.view(seat)["shown"]["hands"][seat]) == +referee.hand[seat]
    if referee.node == "over":
        assert state.is_terminal()
        return
    assert shown["turn"] == referee.turn
    if referee.turn:
        assert shown["ball"] == referee.ball
    if referee.decides() is None:
        assert player == bolzplatz.CHANCE
        assert state.roller() == referee.thrower()
        assert {state.action_to_string(i): p for i, p in state.chance_outcomes()} == referee.odds()
    else:
        assert player == referee.decides()
        assert {state.action_to_string(action) for action in state.legal_actions()} == referee.legal()


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_referee_agrees_all_match_long(options, seed):
    luck, chance = random.Random(seed), FastDriver(seed, 1)
    state, referee = bolzplatz.load_game("dribbel-fieber", **options).new_initial_state(), Referee(**options)
    while not state.is_terminal():
        compare(state, referee)
        outcome = chance.draw(state).outcome if state.is_chance_node() else luck.choice(state.legal_actions())
        text = state.action_to_string(outcome)
        state.play(text)
        referee.play(text)
    compare(state, referee)


PAIRS = [(column, row) for column in COLUMNS for row in range(1, 9)]


def random_places(luck: random.Random, near: bool) -> list[str]:
    """Five spaces, at most two alike; near each other if wished, so that there are walls and crowds."""
    spaces = [f"{c}{r}" for c, r in PAIRS if not near or (c in "bcd" and 4 <= r <= 6)]
    while True:
        places = [luck.choice(spaces) for _ in range(5)]
        if max(Counter(places).values()) <= 2:
            return places


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_the_referee_agrees_in_random_positions(options):
    luck = random.Random(17)
    game = bolzplatz.load_game("dribbel-fieber", **options)
    for number in range(150):
        places = [random_places(luck, number % 3 > 0) for _ in SIDES]
        crowd = luck.choice((places[0], places[1], [f"{c}{r}" for c, r in PAIRS]))
        node, side = luck.choice(("chase", "free", "cards", "cards", "cards", "shot")), luck.randrange(2)
        hand = luck.sample(["running", "dribbling", "short-pass", "cross", "pressing", "#140", "#120"], 3)
        state = position(game, *places, luck.choice(crowd), side, node, hand, volleys=luck.randrange(3))
        referee = Referee(**options)
        referee.figures, referee.ball, referee.side, referee.node = places, state.view()["shown"]["ball"], side, node
        referee.hand[side], referee.used, referee.turn = Counter(hand), 0, 3
        referee.ready[side] = state.view()["shown"]["volleys"][side]
        assert {state.action_to_string(action) for action in state.legal_actions()} == referee.legal(), str(state)


# --- positions made by hand -------------------------------------------------------------------------------------

PHASES = {"chase": 3, "free": 4, "cards": 5, "buy": 6, "shot": 7}


def position(
    game: bolzplatz.Game,
    red: list[str],
    blue: list[str],
    ball: str,
    attacker: int = 0,
    phase: str = "shot",
    hand: list[str] | None = None,
    volleys: int = 0,
    turn: int = 3,
    coins: tuple[int, int] = (2, 2),
) -> bolzplatz.State:
    """A state in the middle of a match: figures 1 to 5 of both sides, the ball, and the attacker's hand."""
    state = game.new_initial_state()
    s, names = state._data, [f"{c}{r}" for r in range(1, 9) for c in COLUMNS]
    s.phase, s.turn, s.attacker, s.first = PHASES[phase], turn, attacker, 0
    s.where = [names.index(space) for space in red + blue]
    s.ball, s.coins = names.index(ball), list(coins)
    yellow = [i for i in range(12) if game.setup.action[KINDS + i] == 5]
    for i in yellow[:volleys]:
        s.poldi[i] = 5 + attacker
    free = [i for i in range(12) if s.poldi[i] == 0 and i not in yellow]
    for i in free[:3]:
        s.poldi[i] = 1
    words = [*editions.CARD_NAMES, *(f"#{number}" for number in game.setup.poldi_number)]
    for seat, cards in ((attacker, hand or ["running", "running", "cross"]), (1 - attacker, ["running"] * 3)):
        s.held[seat] = len(cards)
        for card in cards:
            i = words.index(card)
            s.hand[seat * CARDS + i] += 1
            if i < KINDS:
                s.pile[seat * CARDS + i] -= 1
            else:
                s.poldi[i - KINDS] = 3 + seat
    return state


@pytest.fixture(scope="module")
def game() -> bolzplatz.Game:
    return bolzplatz.load_game("dribbel-fieber")


def with_attack(values: list[int]) -> bolzplatz.Game:
    """The placeholder with other attack values."""
    text = text_of("placeholder").replace("attack = [1, 1, 2, 2, 3]", f"attack = {values}")
    return bolzplatz.load_game("dribbel-fieber", edition=text)


HOME_RED = ["c1", "b3", "c4", "d3", "c4"]
HOME_BLUE = ["c8", "d6", "c5", "b6", "c5"]
AWAY = ["a1", "a2", "a3", "a4"]
"""Where figures are in nobody's way."""

SHOTS = [
    # id, attack value, ball, keeper, other defenders at the ball, volleys, shot value
    ("D01", 3, "c8", "c8", 0, 0, 1),
    ("D02", 2, "c7", "c8", 0, 0, 3),
    ("D02: an example of the rulebook, attack 4 in all", 1, "c8", "c8", 0, 0, 3),
    ("D03", 2, "c7", "c8", 2, 0, 5),
    ("D04: a volley takes one off", 2, "c7", "c8", 2, 1, 4),
    ("D04: two volleys take two off", 2, "c7", "c8", 2, 2, 3),
    ("D05", 1, "b7", "b7", 1, 0, 7 + 1 - 1 - 2),
    ("D06: keeper in the area, not before the goal, not at the ball", 1, "b7", "d7", 1, 0, 1),
    ("D06: keeper out of the area, on the ball's space", 1, "a6", "a6", 1, 0, 1),
    ("D07", 1, "c5", "c8", 2, 0, 8),
    ("D08: nobody defends, no keeper: never below 1", 3, "c8", "a8", 0, 2, 1),
    ("D33: keeper before the goal, ball elsewhere", 3, "a5", "c8", 0, 0, 4),
    ("D35: keeper far out with the ball at it in the area's own row", 3, "e8", "e8", 0, 0, 1),
    ("D51: the zone goes by rows, at the edge as in the middle", 1, "e8", "c8", 0, 0, 3),
    ("D51: second row", 1, "a7", "c8", 0, 0, 4),
    ("D51: third row", 1, "a6", "c8", 0, 0, 5),
]


@pytest.mark.parametrize(
    ("attack", "ball", "keeper", "others", "volleys", "value"), [s[1:] for s in SHOTS], ids=[s[0] for s in SHOTS]
)
@pytest.mark.parametrize("attacker", [0, 1])
def test_shot_value(attack, ball, keeper, others, volleys, value, attacker):
    away = [space for space in ("a1", "b1", "d1", "e1") if space != ball]
    own = ["c1", "a2", "b2", "d2", ball]
    other = [keeper, *[ball] * others, *away[: 4 - others]]
    if attacker == 1:
        own, other, ball = (
            [Referee.name(1, Referee.own(0, space)) for space in own],
            [Referee.name(1, Referee.own(0, space)) for space in other],
            Referee.name(1, Referee.own(0, ball)),
        )
    sides = (own, other) if attacker == 0 else (other, own)
    state = position(with_attack([1, 1, 1, 1, attack]), *sides, ball, attacker, volleys=volleys)
    state.play(f"shoot 5 volley {volleys}" if volleys else "shoot 5")
    value_event = next(event for event in state.events() if event.kind == "value")
    assert value_event.data["value"] == value
    assert state.view()["shown"]["shot"]["value"] == value
    assert state.roller() == attacker
    for outcome, chance in state.chance_outcomes():
        child, die = state.clone(), int(state.action_to_string(outcome).split()[1])
        child.apply_action(outcome)
        assert chance == Fraction(1, 6)
        kinds = {event.kind for event in child.events()}
        assert ("goal" in kinds, "bounce" in kinds, "missed" in kinds) == (die > value, die == value, die < value)
        assert state.view()["shown"]["shot"]["faces"][die - 1] == (
            "goal" if die > value else "bounce" if die == value else "goal_kick"
        )


SHOT_TABLE = {  # goal, bounce-back, goal kick, in sixths
    1: (5, 1, 0), 2: (4, 1, 1), 3: (3, 1, 2), 4: (2, 1, 3), 5: (1, 1, 4), 6: (0, 1, 5), 7: (0, 0, 6), 8: (0, 0, 6),
}  # fmt: skip


@pytest.mark.parametrize("value", SHOT_TABLE)
def test_shot_table_by_enumeration(value):
    """Every shot value, reached with attack 1: from row 5 with defenders, or in the area without a keeper."""
    setups = {
        8: ("c5", "c8", 2), 7: ("c5", "c8", 1), 6: ("c5", "c8", 0), 5: ("c6", "c8", 0), 4: ("c7", "c8", 0),
        3: ("c8", "c8", 0), 2: ("c8", "c8", 0), 1: ("c8", "c8", 0),
    }  # fmt: skip
    ball, keeper, others = setups[value]
    attack = {2: 2, 1: 3}.get(value, 1)
    blue = [keeper, *[ball] * others, *["a1", "b1", "d1", "e1"][: 4 - others]]
    state = position(with_attack([1, 1, 1, 1, attack]), ["c1", "a2", "b2", "d2", ball], blue, ball).play("shoot 5")
    found = Counter()
    for outcome, chance in state.chance_outcomes():
        child = state.clone()
        child.apply_action(outcome)
        found[next(e.kind for e in child.events() if e.kind in ("goal", "bounce", "missed"))] += 6 * chance
    assert tuple(found[kind] for kind in ("goal", "bounce", "missed")) == SHOT_TABLE[value]


def texts(state: bolzplatz.State) -> list[str]:
    return [state.action_to_string(action) for action in state.legal_actions()]


def kinds(state: bolzplatz.State) -> list[str]:
    return [event.kind for event in state.events()]


def coins(state: bolzplatz.State) -> list[int]:
    return state.view()["shown"]["coins"]


@pytest.mark.parametrize("ball", ["b7", "c7", "d7", "b8", "c8", "d8"])
def test_d10_a_shot_from_the_area_is_a_must(game, ball):
    state = position(game, ["c1", "a1", "b1", ball, ball], HOME_BLUE, ball)
    assert texts(state) == ["shoot 4", "shoot 5"]  # D-31: whichever of the two
    with pytest.raises(bolzplatz.IllegalActionError, match=r"must shoot.*§6"):
        state.play("no-shot")


@pytest.mark.parametrize("ball", ["a8", "e8", "a7", "e7", "b6", "c5", "e5"])
def test_d09_outside_the_area_a_shot_may_be_left(game, ball):
    state = position(game, ["c1", "a1", "b1", "b2", ball], HOME_BLUE, ball)
    assert texts(state) == ["shoot 5", "no-shot"]
    before = state.view()["shown"]["figures"]
    state.play("no-shot")
    assert state.view()["shown"]["figures"] == before
    assert (coins(state), state.current_player(), state.scores()) == ([2, 2], 1, [0, 0])


def test_d32_the_keeper_may_shoot_with_its_own_value():
    game = with_attack([3, 1, 1, 1, 1])
    state = position(game, ["c8", "a1", "b1", "b2", "c8"], ["a8", "d6", "a5", "b6", "a5"], "c8")
    assert texts(state) == ["shoot 1", "shoot 5"]
    assert state.play("shoot 1").events()[-1].data == {"attack": 6, "defence": 0, "value": 1}


def test_d13_a_spent_volley_is_shuffled_in_and_laid_open_when_drawn(game):
    state = position(game, HOME_RED, HOME_BLUE, "c4", phase="cards", hand=["running", "running", "dribbling"])
    s, volley = state._data, game.setup.poldi_number.index(222)
    s.discard[2], s.discard[3], s.discard[4] = 2, 1, 1
    s.pile[:CARDS] = [0] * CARDS
    s.discard[KINDS + volley], s.poldi[volley], s.discard[0], s.discard[1] = 1, 3, 1, 1
    state.play("discard dribbling", "done", "no-buy")
    assert kinds(state).count("reshuffle") == 1
    odds = {state.action_to_string(i): p for i, p in state.chance_outcomes()}
    assert odds["draw #222"] == Fraction(1, 8)  # seven action cards and the volley
    assert odds["draw dribbling"] == Fraction(2, 8)
    state.play("draw #222")
    assert state.view()["shown"]["volleys"] == [[222], []]
    assert state.view()["shown"]["held"] == [2, 3]
    assert state.is_chance_node()
    state.play("draw cross")
    assert state.view()["shown"]["held"] == [3, 3]


def test_d14_a_pile_that_runs_out_in_the_middle_of_drawing_is_filled_up(game):
    state = position(game, HOME_RED, HOME_BLUE, "c4", phase="cards", hand=["running", "running", "running"])
    s = state._data
    s.pile[:CARDS] = [0] * CARDS
    s.pile[3], s.discard[1], s.discard[2], s.discard[4] = 1, 2, 2, 1
    state.play("discard running", "discard running", "done", "no-buy", "draw cross")
    assert "reshuffle" in kinds(state)
    assert {state.action_to_string(i): p for i, p in state.chance_outcomes()}["draw running"] == Fraction(2, 7)


def test_d23_two_figures_are_equally_near(game):
    """The rulebook's picture: 4 and 2 are both two spaces away."""
    state = position(game, ["c1", "b3", "a8", "d3", "e8"], ["c8", "c4", "c4", "b8", "d8"], "c4", phase="chase")
    assert texts(state) == ["chase 2", "chase 4"]
    for refused in ("chase 1", "chase 3", "chase 5"):
        with pytest.raises(bolzplatz.IllegalActionError, match="§3"):
            state.play(refused)


def test_d05_the_keeper_chases_if_it_is_nearest_and_d07_no_wall_stops_it(game):
    state = position(game, ["c1", "a8", "b8", "d8", "e8"], ["c8", "c1", "c2", "c1", "c2"], "c3", phase="chase")
    assert texts(state) == ["chase 1"]
    assert state.play("chase 1").view()["shown"]["figures"][0][0]["space"] == "c3"


def test_d25_arriving_at_two_opponents_is_possession(game):
    state = position(game, ["c1", "b3", "a8", "d3", "e8"], ["c8", "c4", "c4", "b8", "d8"], "c4", 0, "chase",
                     ["dribbling", "short-pass", "pressing"])  # fmt: skip
    state.play("chase 2")
    assert state.view()["shown"]["possession"] == 0
    assert {"dribbling 2 b4", "short-pass b4", "pressing 2 c5", "pressing 3 d4"} <= set(texts(state))


def test_d26_four_figures_share_a_space_and_a_fifth_does_not(game):
    state = position(game, ["c1", "c5", "c5", "c4", "a1"], ["c8", "c5", "c5", "a8", "b8"], "c5", phase="cards")
    with pytest.raises(bolzplatz.IllegalActionError, match=r"two figures.*§2"):
        state.play("running 4 c5")


def test_d28_a_pressed_figure_needs_room(game):
    state = position(game, ["c1", "c5", "a1", "a2", "a3"], ["c8", "c5", "c6", "c6", "b8"], "a1", phase="cards",
                     hand=["pressing", "running", "cross"])  # fmt: skip
    assert [text for text in texts(state) if text.startswith("pressing")] == [
        "pressing 2 c4", "pressing 2 b5", "pressing 2 d5",
    ]  # fmt: skip
    with pytest.raises(bolzplatz.IllegalActionError, match="§2"):
        state.play("pressing 2 c6")


def test_d17_pressing_needs_no_ball_and_reaches_the_keeper(game):
    state = position(game, ["c1", "c8", "a1", "a2", "a3"], ["c8", "d6", "c5", "b6", "c5"], "a1", phase="cards",
                     hand=["pressing", "running", "cross"])  # fmt: skip
    assert {"pressing 1 c7", "pressing 1 b8", "pressing 1 d8"} <= set(texts(state))
    state.play("pressing 1 b8")
    assert state.view()["shown"]["figures"][1][0]["space"] == "b8"


def test_d19_arrows_lie_as_their_owner_sees_them():
    """Forward alone: up the pitch for red, down for blue."""
    text = text_of("placeholder").replace(
        '[cards.pressing]\ncount = 1\narrows = ["F", "B", "L", "R"]',
        '[cards.pressing]\ncount = 1\narrows = ["F", "FL"]',
    )
    game = bolzplatz.load_game("dribbel-fieber", edition=text)
    places = ["c1", "c4", "a1", "a2", "a3"], ["c8", "c4", "e8", "e7", "e6"]
    for attacker, ends in ((0, ["pressing 2 b5", "pressing 2 c5"]), (1, ["pressing 2 c3", "pressing 2 d3"])):
        state = position(game, *places, "e1", attacker, "cards", ["pressing", "running", "cross"])
        found = [text for text in texts(state) if text.startswith("pressing")]
        assert sorted(found) == ends


def test_d20_a_card_that_can_do_nothing_can_still_be_discarded(game):
    state = position(game, ["c1", "b1", "a1", "a2", "a3"], HOME_BLUE, "e8", phase="cards",
                     hand=["cross", "dribbling", "short-pass"])  # fmt: skip
    assert texts(state) == ["discard dribbling", "discard short-pass", "discard cross"]
    state.play("discard cross", "discard dribbling", "discard short-pass")
    assert coins(state) == [8, 2]


def test_d22_a_blue_poldi_card_plays_pays_and_comes_back(game):
    state = position(game, HOME_RED, HOME_BLUE, "c4", phase="cards", hand=["#140", "running", "running"])
    played = state.clone().play("#140 running 2 b5")
    assert played.view()["shown"]["discards"] == [["#140"], []]
    state.play("discard #140")
    assert coins(state) == [4, 2]
    s = state._data
    s.pile[:CARDS] = [0] * CARDS
    s.discard[1], s.discard[2] = 2, 2
    state.play("done", "no-buy")
    assert {state.action_to_string(i): p for i, p in state.chance_outcomes()}["draw #140"] == Fraction(1, 5)


def test_d36_volleys_with_the_lowest_numbers_go_first_onto_the_discard_pile(game):
    state = position(game, ["c1", "a1", "b1", "b2", "c6"], HOME_BLUE, "c6", volleys=3)
    assert texts(state) == ["shoot 5", "shoot 5 volley 1", "shoot 5 volley 2", "shoot 5 volley 3", "no-shot"]
    with pytest.raises(bolzplatz.IllegalActionError, match="§8"):
        state.play("shoot 5 volley 4")
    state.play("shoot 5 volley 2")
    assert state.view()["shown"]["volleys"] == [[310], []]
    assert state.view()["shown"]["discards"] == [["#150", "#222"], []]


def test_d37_a_bounce_back_to_an_attacker_is_a_whole_new_shot(game):
    red, blue = ["c1", "b8", "d8", "d8", "c6"], ["c8", "b8", "a1", "a2", "a3"]
    state = position(game, red, blue, "c6", volleys=2).play("shoot 5 volley 1", "die 2")
    assert state.roller() == 1
    state.play("colour white")  # d8 in blue's area
    assert (state.current_player(), state.view()["shown"]["ball"]) == (0, "d8")
    assert texts(state) == ["shoot 3", "shoot 3 volley 1", "shoot 4", "shoot 4 volley 1"]
    state.play("shoot 4 volley 1")  # 7 - (2 + 3 + 1)
    assert state.events()[-1].data == {"attack": 6, "defence": 7, "value": 1}
    state.play("die 1", "colour orange")  # D-38: b8, where a defender stands too
    assert texts(state) == ["shoot 2"]
    state.play("shoot 2")
    assert state.events()[-1].data == {"attack": 1 + 3, "defence": 7 + 1, "value": 4}


def test_d41_an_empty_space_ends_the_turn_with_a_coin(game):
    state = position(game, ["c1", "a1", "b1", "b2", "c6"], HOME_BLUE, "c6").play("shoot 5", "die 3", "colour green")
    assert state.view()["shown"]["ball"] == "b7"
    assert (coins(state), state.current_player(), state.scores()) == ([3, 2], 1, [0, 0])


def test_d43_bounce_bounce_goal_kick_is_one_coin(game):
    red = ["c1", "b8", "d8", "b2", "c6"]
    state = position(game, red, ["c8", *AWAY], "c6").play("shoot 5", "die 3", "colour white", "shoot 3", "die 2")
    state.play("colour orange", "shoot 2", "die 1", "colour pink")
    assert state.current_player() == 1
    assert texts(state) == ["kick a5", "kick a7", "kick d7"]
    state.play("kick d7")
    assert (coins(state), state.view()["shown"]["turn"], state.view()["shown"]["ball"]) == ([3, 2], 4, "d7")


def test_d43_a_goal_after_a_bounce_pays_nothing(game):
    state = position(game, ["c1", "b8", "d8", "b2", "c6"], ["c8", *AWAY], "c6")
    state.play("shoot 5", "die 3", "colour white", "shoot 3", "die 6")
    assert (coins(state), state.scores()) == ([2, 2], [1, 0])


@pytest.mark.parametrize("attacker", [0, 1])
def test_d44_d45_after_a_goal_all_go_home_and_the_rest_stays(game, attacker):
    red, blue = ["c2", "b8", "d8", "b2", "c8"], ["a8", "b1", "b1", "a3", "c1"]
    state = position(game, red, blue, ("c8", "c1")[attacker], attacker, coins=(5, 7))
    hands = [state.view(seat)["fields"]["hand"] for seat in (0, 1)]
    state.play("shoot 5", "die 6")
    shown = state.view()["shown"]
    assert [[f["space"] for f in side] for side in shown["figures"]] == [HOME_RED, HOME_BLUE]
    assert shown["ball"] == ("c5", "c4")[attacker]
    assert state.current_player() == 1 - attacker
    assert shown["next"] == "free"
    assert (coins(state), [state.view(seat)["fields"]["hand"] for seat in (0, 1)]) == ([5, 7], hands)


def test_d47_a_goal_in_the_last_turn_counts_and_ends_the_match(game):
    state = position(game, HOME_RED, ["a8", "b1", "b1", "a3", "c1"], "c1", attacker=1, turn=12)
    state._data.goals = [1, 0]
    before = state.view()["shown"]["figures"]
    state.play("shoot 5", "die 6")
    assert state.is_terminal()
    assert (state.scores(), state.returns()) == ([1, 1], [0.0, 0.0])
    assert "kick_off" not in kinds(state)
    assert state.view()["shown"]["figures"] == before
    assert kinds(state)[-1] == "tie"


def test_d48_more_goals_win(game):
    state = position(game, HOME_RED, HOME_BLUE, "c4", attacker=1, turn=12)
    state._data.goals = [2, 1]
    state.play("no-shot")
    assert state.returns() == [1.0, -1.0]
    assert state.events()[-1].to_dict()["data"] == {"own": 2, "against": 1}


def test_d54_pressing_the_last_own_figure_away_ends_possession(game):
    state = position(game, ["c1", "c5", "a1", "a2", "a3"], ["c8", "c5", "e8", "e7", "e6"], "c5", 1, "cards",
                     ["pressing", "running", "cross"])  # fmt: skip
    state.play("pressing 2 b5")
    assert state.view()["shown"]["possession"] == 1
    state.play("done")
    state = position(game, ["c1", "b5", "a1", "a2", "a3"], ["c8", "c5", "e8", "e7", "e6"], "c5", 0, "chase")
    assert texts(state) == ["chase 2"]


def test_d21_after_turn_ten_two_cards_are_on_offer_and_two_turns_follow(game):
    luck, chance = random.Random(3), FastDriver(3, 1)
    state = game.new_initial_state()
    sizes = {}
    while not state.is_terminal():
        shown = state.view()["shown"]
        if shown["next"] in ("chase", "free"):
            sizes[shown["turn"]] = len(shown["offer"])
        outcome = chance.draw(state).outcome if state.is_chance_node() else luck.choice(state.legal_actions())
        state.apply_action(outcome)
    assert sizes == dict.fromkeys(range(1, 11), 3) | {11: 2, 12: 1}


def test_d46_the_winner_of_the_coin_begins_every_round(game):
    for first in (0, 1):
        luck, chance = random.Random(first), FastDriver(first, 5)
        state = game.new_initial_state().play(f"coin {SIDES[first]}")
        began = {}
        while not state.is_terminal():
            shown = state.view()["shown"]
            if shown["next"] in ("chase", "free"):
                began[shown["turn"]] = shown["attacker"]
            outcome = chance.draw(state).outcome if state.is_chance_node() else luck.choice(state.legal_actions())
            state.apply_action(outcome)
        assert began == {turn: (first + turn - 1) % 2 for turn in range(1, 13)}


def test_moves_of_the_other_kinds_are_refused_with_the_rule_of_what_is_due(game):
    due = {"chase": "§3", "free": "§3", "cards": "§4", "buy": "§5", "shot": "§6"}
    moves = {"chase": "chase 2", "free": "free 2 a3", "cards": "done", "buy": "no-buy", "shot": "no-shot"}
    for phase, rule in due.items():
        state = position(game, HOME_RED, HOME_BLUE, "c5" if phase == "chase" else "c4", phase=phase)
        for other, move in moves.items():
            if other != phase:
                with pytest.raises(bolzplatz.IllegalActionError, match=rule):
                    state.play(move)


def test_at_chance_nodes_decisions_are_refused_with_what_comes_first(game):
    state = game.new_initial_state()
    for reach, rule in (
        ((), "§1"),
        (("coin red",), "§5"),
        (("draw running",) * 3 + ("draw cross", "draw running", "draw running"), "§5"),
    ):
        with pytest.raises(bolzplatz.IllegalActionError, match=rule):
            state.play(*reach).play("stay")
    state = position(game, ["c1", "a1", "b1", "b2", "c6"], HOME_BLUE, "c6").play("shoot 5")
    with pytest.raises(bolzplatz.IllegalActionError, match="§6"):
        state.play("no-shot")
    with pytest.raises(bolzplatz.IllegalActionError, match="§7"):
        state.play("die 1").play("kick a5")


# --- properties -------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**9), options=st.sampled_from(OPTION_SETS))
def test_what_always_holds(seed, options):
    game = bolzplatz.load_game("dribbel-fieber", **options)
    luck, chance, state = random.Random(seed), FastDriver(seed), game.new_initial_state()
    bank, turns = options.get("bank_limit"), set()
    while not state.is_terminal():
        s = state._data
        for side in (0, 1):
            assert max(Counter(s.where[5 * side : 5 * side + 5]).values()) <= 2
            owned = sum(game.setup.count) + sum(place == 3 + side for place in s.poldi)
            lying = [sum(pile[side * CARDS : (side + 1) * CARDS]) for pile in (s.hand, s.pile, s.discard)]
            assert sum(lying) == owned
            assert lying[0] == s.held[side] <= 3
            assert all(0 <= k <= h for k, h in zip(s.known, s.hand, strict=True))
        assert min(s.coins) >= 0
        assert bank is None or sum(s.coins) <= bank
        assert sum(place == 1 for place in s.poldi) <= 3
        turns.add(s.turn)
        before = (list(s.coins), s.turn)
        outcome = chance.draw(state).outcome if state.is_chance_node() else luck.choice(state.legal_actions())
        text = state.action_to_string(outcome)
        state.apply_action(outcome)
        change = [after - was for after, was in zip(state._data.coins, before[0], strict=True)]
        if text.startswith("discard") and bank is None:
            assert sorted(change) == [0, 2]
        if text.startswith("buy"):
            price = game.setup.poldi_price[game.setup.poldi_number.index(int(text.split()[1]))]
            assert sorted(change) == [-price, 0]
    assert turns == set(range(13))
    assert sum(place in (0, 1) for place in state._data.poldi) == 0


# --- hidden hands -----------------------------------------------------------------------------------------------


def play_on(state: bolzplatz.State, seed: int, moves: int) -> bolzplatz.State:
    """Make so many random moves, fewer if the match ends."""
    luck, chance = random.Random(seed), FastDriver(seed, 2)
    for _ in range(moves):
        if state.is_terminal():
            break
        state.apply_action(chance.draw(state).outcome if state.is_chance_node() else luck.choice(state.legal_actions()))
    return state


def midway(game: bolzplatz.Game, seed: int, moves: int) -> bolzplatz.State:
    return play_on(game.new_initial_state(), seed, moves)


def test_a_view_does_not_move_when_hidden_cards_do(game):
    """Swap what the other side holds for anything else that it may hold: not a byte of view or events changes."""
    for seed in range(12):
        state = midway(game, seed, 15 + 9 * seed)
        for seat in (0, 1, None):
            view = json.dumps(state.view(seat), sort_keys=True)
            for number in range(6):
                other = state.resample(seat, FastStream(number))
                assert json.dumps(other.view(seat), sort_keys=True) == view


def test_hands_are_shown_to_their_owners_alone(game):
    state = midway(game, 1, 60)
    mine, theirs, nobody = state.view(0), state.view(1), state.view()
    assert set(mine["fields"]["hand"]) == {0}
    assert mine["shown"]["hands"][1] == theirs["shown"]["hands"][0] == []
    assert len(mine["shown"]["hands"][0]) == mine["shown"]["held"][0]
    assert "hand" not in nobody["fields"]
    assert all("pile" not in view["fields"] for view in (mine, theirs, nobody))
    drawn = {seat: [e for e in state.events(seat) if e.kind == "drew"] for seat in (0, 1, None)}
    assert drawn[None] == []
    assert all(event.seat == seat for seat in (0, 1) for event in drawn[seat])
    assert drawn[0]


def test_resampled_states_are_whole_and_play_on(game):
    for seed in range(8):
        state = midway(game, seed, 12 + 11 * seed)
        for seat in (0, 1):
            other = state.resample(seat, FastStream(5, seed))
            assert not game.layout.faults(other._data)
            assert other.masked(seat) == state.masked(seat)
            assert other.legal_actions(seat) == state.legal_actions(seat)
            assert other.history() == []
            assert other.events() == []
            assert play_on(other, seed, 10**4).is_terminal()


def hand_of(state: bolzplatz.State, seat: int) -> tuple[str, ...]:
    return tuple(state.view(seat)["shown"]["hands"][seat])


def share(state: bolzplatz.State, seat: int, other: int, draws: int) -> Counter:
    found: Counter = Counter()
    for number in range(draws):
        found[hand_of(state.resample(seat, FastStream(number, 1)), other)] += 1
    return found


def test_resampling_draws_hands_as_often_as_they_are_dealt(game):
    """Before the first move blue's hand is any three of its nine cards, for red."""
    state = game.new_initial_state()
    state.play("coin red", *["draw running"] * 3, "draw cross", "draw pressing", "draw running")
    state.play("offer 120", "offer 130", "offer 333")
    deck = ["running"] * 3 + ["dribbling"] * 2 + ["short-pass"] * 2 + ["cross", "pressing"]
    exact = Counter(tuple(sorted(hand, key=deck.index)) for hand in combinations(deck, 3))
    draws = 4200
    found = share(state, 0, 1, draws)
    assert set(found) <= set(exact)
    distance = sum((found[hand] - draws * n / 84) ** 2 / (draws * n / 84) for hand, n in exact.items())
    assert distance < 60  # chi square with fewer than 25 degrees of freedom: once in ten thousand
    assert share(state, 1, 1, 50) == {hand_of(state, 1): 50}


def test_resampling_does_not_feel_the_truth(game):
    """Two states that a seat cannot tell apart are resampled alike, draw by draw."""
    state = midway(game, 4, 70)
    twin = state.resample(0, FastStream(99))
    for number in range(60):
        twin_draw, draw = twin.resample(0, FastStream(number)), state.resample(0, FastStream(number))
        assert twin_draw == draw


def test_what_was_bought_openly_is_known_until_it_is_used(game):
    state = game.new_initial_state().play("coin red", *["draw running"] * 3)
    state.play("draw cross", "draw pressing", "draw running", "offer 120", "offer 140", "offer 333", "stay")
    state.play("discard running", "done", "buy 140", "offer 130", "no-shot")
    for number in range(40):
        assert "#140" in hand_of(state.resample(1, FastStream(number)), 0)
    assert state.view(1)["shown"]["known"] == [["#140"], []]


def test_a_used_up_pile_tells_the_hand(game):
    """Nine cards, two of them held when the pile runs out: these two are known, what is drawn after them is not."""
    state = position(game, HOME_RED, HOME_BLUE, "c4", phase="cards", hand=["cross", "pressing", "running"])
    s = state._data
    s.pile[:CARDS] = [0] * CARDS
    s.discard[0], s.discard[1], s.discard[2] = 2, 2, 2
    state.play("discard running", "done", "no-buy")
    assert state.view()["shown"]["known"] == [["cross", "pressing"], []]
    state.play("draw running")
    found = share(state, 1, 0, 700)
    assert set(found) == {(c, "cross", "pressing") for c in ("running", "dribbling", "short-pass")}
    for card, n in (("running", 3), ("dribbling", 2), ("short-pass", 2)):
        assert abs(found[(card, "cross", "pressing")] - 100 * n) < 60  # more than four standard deviations


def test_games_that_do_not_say_how_are_not_resampled():
    assert pig().new_initial_state().resample(0, FastStream(1)) == pig().new_initial_state()
    with pytest.raises(ValueError, match="does not say how"):
        duel().new_initial_state().resample(0, FastStream(1))


def test_hidden_draws_come_from_a_sealed_deck(game):
    state = game.new_initial_state().play("coin red", "draw cross")
    assert sealed_form(state) == ("deck", 8)
    seen = Counter(
        state.action_to_string(outcome_of_sealed(state, [top, *(set(range(8)) - {top})]).outcome) for top in range(8)
    )
    assert {text: Fraction(n, 8) for text, n in seen.items()} == {
        state.action_to_string(outcome): chance for outcome, chance in state.chance_outcomes()
    }
    for faces in ([0], [0, 0, 1, 2, 3, 4, 5, 6], list(range(9))):
        with pytest.raises(ValueError, match="no order"):
            outcome_of_sealed(state, faces)
    assert sealed_form(game.new_initial_state()) == ("d2", 1)


# --- editions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", editions.SHIPPED)
def test_d45_every_colour_three_times_a_half_and_once_in_each_area(name):
    game = bolzplatz.load_game("dribbel-fieber", edition=name)
    spaces = game.new_initial_state().view()["shown"]["spaces"]
    for seat, rows in ((0, "1234"), (1, "5678")):
        half = [space for space in spaces if space["space"][1] in rows]
        assert sorted(Counter(space["colour"] for space in half if space["colour"]).values()) == [3] * 6
        area = [space for space in half if space["area"] == seat]
        assert len({space["colour"] for space in area}) == 6


def test_the_placeholder_is_what_the_rulings_say():
    """RULINGS §3b, and the numbers that its examples name."""
    box = tomllib.loads(text_of("placeholder"))
    assert box["figures"] == {"start": ["c1", "b3", "c4", "d3", "c4"], "attack": [1, 1, 2, 2, 3]}
    assert {name: card["count"] for name, card in box["cards"].items()} == {
        "running": 3, "dribbling": 2, "short-pass": 2, "cross": 1, "pressing": 1,
    }  # fmt: skip
    assert Counter(card["card"] == "volley" for card in box["poldi"]) == {False: 8, True: 4}
    assert {card["price"] for card in box["poldi"]} == {2, 4, 6}
    assert {120, 130, 140, 222, 310, 333} <= {card["number"] for card in box["poldi"]}
    assert [row.split()[2] for row in box["pitch"]["rows"]][2:6] == ["-"] * 4


FAULTS = {
    "17 coloured spaces": (
        "orange green  -      orange green",
        "orange green  -      orange -",
        "pitch.rows.*17 coloured",
    ),
    "a colour four times": (
        "yellow white  yellow orange white",
        "yellow white  yellow orange green",
        "pitch.rows.*3|three",
    ),
    "a colour twice in the area": (
        "purple pink   purple green  pink",
        "pink purple   purple green  pink",
        "pitch.area",
    ),
    "a start space off the pitch": ('start = ["c1", "b3"', 'start = ["c1", "f3"', r'figures.start\[1\].*off the pitch'),
    "three figures on a space": ('"c4", "d3", "c4"]', '"c4", "c4", "c4"]', "figures.start.*at most 2"),
    "nobody to kick off": ('"c4", "d3", "c4"]', '"c4", "d3", "b4"]', "figures.start.*c4"),
    "kick-off far from the halfway line": ('kick_off = "c4"', 'kick_off = "b3"', "figures.start|kick_off"),
    "goal in the other half": ('goal = "c1"', 'goal = "c8"', "pitch.goal"),
    "an area of five": ('area = ["b1", ', "area = [", "pitch.area.*6 entries"),
    "a negative price": ("number = 120\nprice = 2", "number = 120\nprice = -2", r'poldi\[0\].price.*negative'),
    "a price in words": ("number = 120\nprice = 2", 'number = 120\nprice = "two"', r'poldi\[0\].price.*whole number'),
    "duplicate numbers": ("number = 130", "number = 120", r'poldi\[1\].number.*120 is there already'),
    "a number that no box has": ("number = 130", "number = 99", r'poldi\[1\].number.*120..333'),
    "eleven Poldi cards": ('[[poldi]]\nnumber = 333\nprice = 6\ncard = "volley"\n', "", "poldi.*12 entries"),
    "an unknown card": ('price = 2\ncard = "pressing"', 'price = 2\ncard = "tackling"', r'poldi\[1\].card.*tackling'),
    "arrows on a volley": (
        'card = "volley"\n\n[[poldi]]\nnumber = 210',
        'card = "volley"\narrows = ["F"]\n\n[[poldi]]\nnumber = 210',
        "volley has no arrows",
    ),
    "ten action cards": ("count = 3", "count = 4", "cards.*9 action cards"),
    "an arrow that is none": ('"F F", "B"', '"F F", "UP"', r'cards.running.arrows\[2\]'),
    "a way in a circle": ('"F F", "B"', '"F B", "B"', r'cards.running.arrows\[1\].*nowhere'),
    "the same way twice": ('"F F", "B"', '"F", "B"', "cards.running.arrows.*different"),
    "no arrows at all": (
        '[free_action]\narrows = ["F", "B", "L", "R"]',
        "[free_action]\narrows = []",
        "free_action.arrows",
    ),
    "an attack of 4": ("attack = [1, 1, 2, 2, 3]", "attack = [1, 1, 2, 2, 4]", r'figures.attack\[4\].*1..3'),
    "a bonus of 4": ('bonus = ["3 3 3 3 3"', 'bonus = ["4 3 3 3 3"', r'pitch.bonus\[0\]'),
    "a row of four": (
        '"white  orange yellow white  yellow"',
        '"white  orange yellow white"',
        r'pitch.rows\[0\].*5 spaces',
    ),
    "a colour that no die has": ('"white", "yellow"', '"white", "gold"', "pitch.colours.*gold"),
    "a colour twice on the die": ('"white", "yellow", "orange"', '"white", "white", "orange"', "pitch.colours.*differ"),
    "a colour off the die": (
        "green  orange -      green  orange",
        "green  black  -      green  orange",
        r'pitch.rows\[2\].*black',
    ),
    "29 coins": ("ones = 16", "ones = 17", "coins.*28"),
    "a missing table": ("[coins]\nones = 16\ntwos = 12", "", "coins.*missing"),
    "an unknown field": ("ones = 16", "ones = 16\nthrees = 0", "coins.threes.*unknown"),
    "a title of nothing": ('title = "Bolzplatz placeholder"', 'title = " "', "title"),
    "no TOML": ("[pitch]", "[pitch", "TOML"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_edition_is_refused_by_field_and_reason(fault):
    right, wrong, message = FAULTS[fault]
    text = text_of("placeholder")
    assert right in text, "the fault must change something"
    with pytest.raises(bolzplatz.OptionError, match=message) as refusal:
        bolzplatz.load_game("dribbel-fieber", edition=text.replace(right, wrong, 1))
    assert "option edition" in str(refusal.value)
    assert len({refusal.value.reason(language) for language in LANGUAGES}) == len(LANGUAGES)
    again = pickle.loads(pickle.dumps(refusal.value))
    assert (type(again), str(again), vars(again)) == (EditionError, str(refusal.value), vars(refusal.value))


@pytest.mark.parametrize(
    "text",
    [
        '{"\\ud800": 1}',
        '{"title": "\\udfff"}',
        "",
        "real",
        "{",
        "[]",
        "{}",
        "title = 1",
        '{"title": {"a": 1}}',
        "x" * 30_000,
    ],
)
def test_nonsense_for_an_edition_is_refused(text):
    with pytest.raises(bolzplatz.OptionError, match="option edition"):
        bolzplatz.load_game("dribbel-fieber", edition=text)


def until_red_reshuffles(kept):
    """Uncounted cards: red keeps the third card that it draws, all its others are runs, which it discards."""
    state = bolzplatz.load_game("dribbel-fieber", deck="any").new_initial_state().play("coin red")
    drawn = 0
    while all(event.kind != "reshuffle" or event.seat != 0 for event in state.events()):
        legal = [state.action_to_string(action) for action in state.legal_actions()]
        if state.drawer() == 0:
            drawn += 1
            state.play(f"draw {kept}" if drawn == 3 else "draw running")
        else:
            likely = ("discard running", "done", "no-buy", "no-shot", "stay", "die 6")
            state.play(next((text for text in likely if text in legal), legal[0]))
    return state


def test_a_reshuffle_of_uncounted_cards_tells_nobody_the_hand():
    one, two = until_red_reshuffles("cross"), until_red_reshuffles("pressing")
    assert [state.view(0)["shown"]["hands"][0].count(card) for state, card in ((one, "cross"), (two, "pressing"))] == [
        1,
        1,
    ]
    assert one.view(1) == two.view(1)
    assert one.view() == two.view()
    assert one.observation(1) == two.observation(1)


@pytest.mark.parametrize("key", ["a\nb", "x" * 5000, "\u202e"])
def test_an_odd_field_is_named_on_one_short_line(key):
    box = {**tomllib.loads(text_of("placeholder")), key: 1}
    with pytest.raises(EditionError, match="unknown") as refusal:
        bolzplatz.load_game("dribbel-fieber", edition=json.dumps(box))
    assert str(refusal.value).isprintable()
    assert len(refusal.value.field) < 200


def test_an_edition_is_recorded_by_its_digest_or_as_a_whole():
    game = bolzplatz.load_game("dribbel-fieber")
    name, _, digest = str(game.options["edition"]).partition(":")
    assert (name, len(digest)) == ("placeholder", 12)
    assert bolzplatz.load_game("dribbel-fieber", edition=game.options["edition"]) == game
    with pytest.raises(bolzplatz.OptionError, match=f"this program has placeholder:{digest}"):
        bolzplatz.load_game("dribbel-fieber", edition="placeholder:0123456789ab")
    own = bolzplatz.load_game("dribbel-fieber", edition=text_of("placeholder").replace("price = 6", "price = 5"))
    again = bolzplatz.load_game("dribbel-fieber", edition=own.options["edition"])
    assert again == own != game
    assert "\n" not in own.options["edition"]
    assert again.setup == own.setup != game.setup


def test_the_text_of_an_edition_may_be_written_in_many_ways():
    """Comments, blanks and the order of cards make no difference, nor does JSON in place of TOML."""
    box = tomllib.loads(text_of("diagonals"))
    box["poldi"] = box["poldi"][::-1]
    box["pitch"]["rows"] = [" ".join(row.split()) for row in box["pitch"]["rows"]]
    one = bolzplatz.load_game("dribbel-fieber", edition=json.dumps(box, indent=2))
    two = bolzplatz.load_game("dribbel-fieber", edition=text_of("diagonals"))
    assert one == two
    assert one.setup == bolzplatz.load_game("dribbel-fieber", edition="diagonals").setup


# --- texts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_every_event_can_be_told_in_every_language(language):
    catalogue = game_texts("dribbel-fieber", language)
    for options in OPTION_SETS[:2]:
        for seed in range(3):
            state = midway(bolzplatz.load_game("dribbel-fieber", **options), seed, 10**4)
            for seat in (0, 1, None):
                for event in state.events(seat):
                    sentence = event_text(catalogue, event.to_dict(), ["Mia", "Ben"])
                    assert sentence.strip()
                    assert "{" not in sentence


# --- computer players -------------------------------------------------------------------------------------------


def choice(state: bolzplatz.State, level: str) -> str:
    seat = state.current_player()
    return state.action_to_string(pick_action(state.game, state, seat, level, FastStream(1)))


def test_a_child_shoots_with_all_it_has_and_runs_at_the_ball(game):
    state = position(game, ["c1", "a1", "b1", "b2", "c6"], HOME_BLUE, "c6", volleys=2)
    assert choice(state, "child") == "shoot 5 volley 2"
    state = position(game, ["c1", "a1", "b1", "c2", "e1"], HOME_BLUE, "c4", phase="cards", hand=["running"] * 3)
    assert choice(state, "child") == "running 4 c4"


def turn_of_the_good_player(state: bolzplatz.State) -> dict[str, Any]:
    """Let it play up to its shot; return the shot."""
    while state.view()["shown"]["shot"] is None:
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        else:
            state.play(choice(state, "good"))
    return state.view()["shown"]["shot"]


def test_the_good_player_finds_the_way_to_the_goal(game):
    """A cross to figure 5 in the area is a shot at 7 - (3 + 2) = 2; nothing else comes near."""
    state = position(game, ["c1", "c5", "a1", "b1", "c7"], ["c8", *AWAY], "c5", phase="cards",
                     hand=["cross", "running", "running"])  # fmt: skip
    shot = turn_of_the_good_player(state)
    assert (shot["figure"], shot["value"]) == (5, 2)


def test_the_good_player_drives_the_goalkeeper_out(game):
    """Figure 5 runs beside the goalkeeper and presses it away: then nobody defends, and even figure 2 shoots at 1."""
    state = position(game, ["c1", "c5", "a1", "b1", "c7"], ["c8", *AWAY], "c5", phase="cards",
                     hand=["cross", "running", "pressing"])  # fmt: skip
    assert turn_of_the_good_player(state)["value"] == 1


def test_the_good_player_presses_a_defender_away_before_the_last_shot(game):
    """In turn 12 only the shot counts: one defender fewer makes 7 + 1 - (3 + 0) out of 7 + 2 - 3."""
    state = position(game, ["c1", "a1", "b1", "b2", "c5"], ["c8", "c5", "c5", "a4", "b4"], "c5", phase="cards",
                     hand=["pressing", "running", "running"], turn=12)  # fmt: skip
    assert choice(state, "good").startswith("pressing")


def test_the_good_player_shoots_by_its_best_figure_and_takes_what_is_free(game):
    state = position(game, ["c1", "a1", "b1", "c7", "c7"], ["c8", *AWAY], "c7", volleys=2)
    assert choice(state, "good") == "shoot 5 volley 1"  # 7 - (3 + 2 + 1) = 1, a second one would be wasted
    state = position(game, ["c1", "a1", "b1", "b2", "e5"], ["c8", *AWAY], "e5", turn=12)
    assert choice(state, "good") == "shoot 5"


def test_computer_players_never_see_hidden_cards(game):
    """What a level chooses is the same whatever the other side holds."""
    for seed in range(4):
        state = midway(game, seed, 40 + 13 * seed)
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        seat = state.current_player()
        for level in ("random", "child", "good"):
            chosen = {
                pick_action(game, other, seat, level, FastStream(8))
                for other in (state, *(state.resample(seat, FastStream(n)) for n in range(4)))
            }
            assert len(chosen) == 1


def test_levels_beat_the_ones_below_them(game):
    from bolzplatz.bots import chooser, levels
    from bolzplatz.core.engine import Engine

    names = levels("dribbel-fieber")
    engine = Engine(game, chooser("dribbel-fieber", names[:3]))
    for weak, strong in ((0, 1), (1, 2)):
        first = engine.play(40, seed=1, levels=[strong, weak])
        second = engine.play(40, seed=1, levels=[weak, strong])
        won = int(first.won[:, 0].sum() + second.won[:, 1].sum())
        lost = int(first.won[:, 1].sum() + second.won[:, 0].sum())
        assert won > 3 * lost, f"{names[strong]} against {names[weak]}: {won} won, {lost} lost"


def test_compiled_players_choose_as_interpreted_ones(game):
    from bolzplatz.bots import chooser
    from bolzplatz.core.engine import Engine

    engine = Engine(game, chooser("dribbel-fieber", ("child", "good")))
    for match in range(2):
        state, chance = game.new_initial_state(), FastDriver(3, match)
        stream = chance.source
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.draw(state).outcome)
            else:
                state.apply_action(pick_action(game, state, state.current_player(), "child", stream))
        played = engine.play(1, seed=3, first=match, levels=[1, 1])
        assert played.scores[0].tolist() == state.scores()
        assert played.steps[0] == state.move_number()


def test_the_state_is_declared(game):
    assert game.layout.cls is State


def test_the_kit_looks_at_resampled_states_too(game):
    """A resampling that changes what a seat sees is found."""
    check_game(game, matches=1, limit=40, compiled=False)

    def careless(s, o, seat, rng):
        room.resample(s, o, seat, rng)
        s.held[0] = 0

    faulty = Game(dataclasses.replace(room.GAME, resample=careless), {})
    with pytest.raises(ConformanceError, match="sees what it saw"):
        check_game(faulty, matches=1, limit=40, compiled=False)
