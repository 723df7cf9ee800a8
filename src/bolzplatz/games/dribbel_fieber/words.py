"""What people and programs read of Dribbel-Fieber: events, refusals, what a page shows, and the board in a terminal."""

from typing import Any, Final

from bolzplatz.core.spec import Arg, EventKind, Refusal
from bolzplatz.games.dribbel_fieber.edition import CARD_NAMES, COLOUR_NAMES
from bolzplatz.games.dribbel_fieber.moves import (
    attack_value,
    crowd,
    defence_value,
    has_ball,
    in_opposing_half,
    shot_value,
    volleys_ready,
)
from bolzplatz.games.dribbel_fieber.notation import SIDES, action_word, card_text
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, DIRECTION_NAMES, ROWS, SPACE_NAMES, SPACES, turned
from bolzplatz.games.dribbel_fieber.state import (
    CAPACITY,
    CARDS,
    DIE_FACES,
    FACE_UP,
    FIGURES,
    FREE_SYMBOL,
    GOAL_KICK,
    IN_STOCK,
    KEEPER,
    KEEPER_DEFENCE,
    KICK,
    KINDS,
    MAX_PATHS,
    ON_OFFER,
    OUT_OF_GAME,
    OVER,
    OWNED,
    POLDIS,
    SHOT,
    VOLLEY,
    Setup,
    State,
)

PHASES: Final = (
    "coin", "draw", "offer", "chase", "free", "cards", "buy", "shot", "roll", "bounce", "goal_kick", "kick", "over",
)  # fmt: skip
"""Names of the phases, by number."""
FACE_RESULTS: Final = ("goal_kick", "bounce", "goal")
CARD_ROW: Final = (5, 2, 1, 4, 3)
"""How the player cards lie beside the pitch, from their owner's left."""


# --- events and refusals ----------------------------------------------------------------------------------------


def _card(value: int) -> str:
    """Name a card as `play.card_name` numbers it."""
    return CARD_NAMES[value] if value < KINDS else f"#{value}"


_figure = Arg("figure", lambda value: value + 1)
_start = Arg("start", SPACE_NAMES.__getitem__)
_space = Arg("space", SPACE_NAMES.__getitem__)
_card_arg = Arg("card", _card)
_number = Arg("number")
_price = Arg("price")
_coins = Arg("coins")
_count = Arg("count")
_own, _against = Arg("own"), Arg("against")
_colour = Arg("colour", COLOUR_NAMES.__getitem__)

EVENTS: Final = (
    EventKind("coin", "dribbel-fieber §1", (Arg("side", SIDES.__getitem__),)),
    EventKind("draws", "dribbel-fieber §5", (_count,)),
    EventKind("drew", "dribbel-fieber §10", (_card_arg,), seat_only=True),
    EventKind("volley_drawn", "dribbel-fieber §8", (_card_arg,)),
    EventKind("reshuffle", "dribbel-fieber §10", (_count,)),
    EventKind("offer", "dribbel-fieber §5", (_number, _price)),
    EventKind("kick_off", "dribbel-fieber §1", (_space,)),
    EventKind("turn", "dribbel-fieber §9", (Arg("round"), Arg("turn"))),
    EventKind("chase", "dribbel-fieber §3", (_figure, _start, _space)),
    EventKind("free", "dribbel-fieber §3", (_figure, _start, _space)),
    EventKind("stay", "dribbel-fieber §3"),
    EventKind("plays", "dribbel-fieber §4", (_card_arg,)),
    EventKind("run", "dribbel-fieber §4", (_figure, _start, _space)),
    EventKind("dribble", "dribbel-fieber §4", (_figure, _start, _space)),
    EventKind("pass", "dribbel-fieber §4", (_start, _space)),
    EventKind("cross", "dribbel-fieber §4", (_start, _space)),
    EventKind("press", "dribbel-fieber §4", (_figure, _start, _space)),
    EventKind("discard", "dribbel-fieber §4", (_card_arg, _coins)),
    EventKind("done", "dribbel-fieber §4", (_count,)),
    EventKind("buys", "dribbel-fieber §5", (_number, _price, Arg("kind", ("blue", "yellow").__getitem__))),
    EventKind("no_buy", "dribbel-fieber §5"),
    EventKind("removed", "dribbel-fieber §5", (_number,)),
    EventKind("no_shot", "dribbel-fieber §6", (Arg("why", ("no_ball", "own_half", "declined").__getitem__),)),
    EventKind("shoots", "dribbel-fieber §6", (_figure, _space)),
    EventKind("volleys", "dribbel-fieber §8", (_count,)),
    EventKind("value", "dribbel-fieber §6", (Arg("attack"), Arg("defence"), Arg("value"))),
    EventKind("die", "dribbel-fieber §6", (Arg("face"), Arg("value"))),
    EventKind("goal", "dribbel-fieber §7", (_own, _against)),
    EventKind("bounce", "dribbel-fieber §7"),
    EventKind("lands", "dribbel-fieber §7", (_space,)),
    EventKind("shoots_again", "dribbel-fieber §7"),
    EventKind("missed", "dribbel-fieber §7"),
    EventKind("colour", "dribbel-fieber §7", (_colour,)),
    EventKind("goal_kick", "dribbel-fieber §7", (_space,)),
    EventKind("compensation", "dribbel-fieber §7", (_coins,)),
    EventKind("home", "dribbel-fieber §7"),
    EventKind("won", "dribbel-fieber §9", (_own, _against)),
    EventKind("tie", "dribbel-fieber §9", (Arg("goals"),)),
    EventKind("plays_poldi", "dribbel-fieber §8", (_number, Arg("action", CARD_NAMES.__getitem__))),
)

REFUSALS: Final = (
    Refusal("legal", "dribbel-fieber §1", "nothing stands against it"),
    Refusal("over", "dribbel-fieber §9", "twelve turns are played, the match is over"),
    Refusal("not_yours", "dribbel-fieber §3", "the other side decides now"),
    Refusal("coin_first", "dribbel-fieber §1", "the coin has not said yet who kicks off"),
    Refusal("draw_first", "dribbel-fieber §5", "cards are drawn first"),
    Refusal("offer_first", "dribbel-fieber §5", "a Poldi card is laid on offer first"),
    Refusal("die_first", "dribbel-fieber §6", "the attack die is thrown first"),
    Refusal("colour_first", "dribbel-fieber §7", "the goalkeeper die is thrown first"),
    Refusal(
        "chase_now", "dribbel-fieber §3", "none of your figures is at the ball: the nearest one must go there first"
    ),
    Refusal("free_now", "dribbel-fieber §3", "first comes the free action, or staying where you are"),
    Refusal("play_now", "dribbel-fieber §4", "now cards are played or discarded"),
    Refusal("buy_now", "dribbel-fieber §5", "now a Poldi card is bought, or none"),
    Refusal("shot_now", "dribbel-fieber §6", "now it is decided whether there is a shot"),
    Refusal("kick_now", "dribbel-fieber §7", "now the goal kick is taken"),
    Refusal("not_nearest", "dribbel-fieber §3", "another of your figures is nearer to the ball"),
    Refusal("free_no_arrow", "dribbel-fieber §3", "no arrow of the free action leads there"),
    Refusal("no_arrow", "dribbel-fieber §4", "no arrow of this card leads there"),
    Refusal("wall", "dribbel-fieber §2", "two opposing figures are a wall: no way through it toward their goal"),
    Refusal("full", "dribbel-fieber §2", "two figures of this team stand there already"),
    Refusal("full_passing", "dribbel-fieber §12", "two figures of this team stand in the way"),
    Refusal("not_in_hand", "dribbel-fieber §4", "this card is not in your hand"),
    Refusal("without_ball", "dribbel-fieber §4", "this figure does not have the ball"),
    Refusal("no_possession", "dribbel-fieber §4", "a pass needs one of your figures at the ball"),
    Refusal("not_shared", "dribbel-fieber §4", "only a figure that shares its space with one of yours can be pressed"),
    Refusal("play_one", "dribbel-fieber §4", "at least one card must be played or discarded"),
    Refusal("not_on_offer", "dribbel-fieber §5", "this card is not on offer"),
    Refusal("too_dear", "dribbel-fieber §5", "you have not enough coins for it"),
    Refusal("shot_no_ball", "dribbel-fieber §6", "none of your figures is at the ball"),
    Refusal("shot_own_half", "dribbel-fieber §6", "there is no shot from your own half"),
    Refusal("not_at_ball", "dribbel-fieber §6", "this figure is not at the ball"),
    Refusal("no_volleys", "dribbel-fieber §8", "you do not have so many volleys"),
    Refusal("must_shoot", "dribbel-fieber §6", "from the penalty area you must shoot"),
    Refusal("not_colour", "dribbel-fieber §7", "this space does not have the colour of the die"),
    Refusal("not_own_half", "dribbel-fieber §7", "a goal kick goes to your own half"),
    Refusal("no_such_move", "dribbel-fieber §4", "no card does this"),
    Refusal("off_pitch", "dribbel-fieber §2", "that space is off the pitch: its spaces are a1 to e8"),
)


# --- what a page shows ------------------------------------------------------------------------------------------


def arrows(o: Setup, symbol: int) -> list[str]:
    """Return the ways of a symbol as its owner sees them, such as `F F`."""
    texts = []
    for i in range(o.paths[symbol]):
        path, words = o.path[symbol * MAX_PATHS + i], []
        while path:
            words.append(DIRECTION_NAMES[(path & 15) - 1])
            path >>= 4
        texts.append(" ".join(words))
    return texts


def pile_size(s: State, seat: int) -> int:
    """Return how many cards a draw pile has, from what everybody sees."""
    owned = 9 + sum(place == OWNED + seat for place in s.poldi)
    return owned - s.held[seat] - sum(s.discard[seat * CARDS : (seat + 1) * CARDS])


def face_results(value: int) -> list[str]:
    """Return what faces 1 to 6 of the attack die mean at a shot value."""
    return [FACE_RESULTS[(face > value) - (face < value) + 1] for face in range(1, DIE_FACES + 1)]


def shot_preview(s: State, o: Setup, figure: int, volleys: int) -> dict[str, Any]:
    """Return the sum of a shot in all its parts, and what each face of the die would mean."""
    seat = s.attacker
    defence = defence_value(s, o, seat)
    keeper = KEEPER_DEFENCE if defence >= KEEPER_DEFENCE else 0
    value = shot_value(s, o, seat, figure, volleys)
    return {
        "figure": figure + 1,
        "volleys": volleys,
        "attack": attack_value(s, o, seat, figure, volleys),
        "shooter": o.attack[figure],
        "zone": o.bonus[turned(seat, s.ball)],
        "defence": defence,
        "keeper": keeper,
        "defenders": defence - keeper,
        "value": value,
        "faces": face_results(value),
    }


def shots(s: State, o: Setup) -> list[dict[str, Any]]:
    """Return a preview of every shot that the attacker could take from where everything stands, in any phase."""
    seat = s.attacker
    if s.phase == OVER or s.turn == 0 or not (has_ball(s, seat) and in_opposing_half(s, seat)):
        return []
    shooters = [i for i in range(FIGURES) if s.where[seat * FIGURES + i] == s.ball]
    return [shot_preview(s, o, figure, volleys) for figure in shooters for volleys in range(volleys_ready(s, seat) + 1)]


def possession(s: State) -> int | None:
    """Return the side in possession: the attacker if both have figures at the ball (dribbel-fieber §2)."""
    for seat in (s.attacker, 1 - s.attacker):
        if has_ball(s, seat):
            return seat
    return None


def shown(s: State, o: Setup) -> dict[str, Any]:
    """Return what a page shows, from a state that is masked for its reader. Lists of two are red's, then blue's.

    Keys:
        next: one of PHASES.   turn (0 before the first), round, attacker, first: numbers and seats.
        ball: its space.   possession: seat or None.   figures: each side's five as {figure, space, attack, keeper}.
        walls: {space, team} where two of a side stand.   spaces: all 40 as {space, colour or None, area: seat whose
        penalty area it is or None, goal: seat or None, bonus: [red's shots, blue's]}.
        symbols: arrows of each card (`running` …, `#140` …) and of `free`, as the owner sees them.
        cards: {action, price or None} of every card by its text; `volley` for yellow ones.
        hands: texts of the cards that the reader may see, one list a side.   held, piles: numbers of cards.
        known: cards that everybody knows to be in each hand.   discards: each side's, with repeats.
        volleys: numbers of each side's volleys face up.   offer, removed: numbers.   stock: how many are unseen.
        coins: of each side.   box: {ones, twos}.   played, bought: of this turn.
        shots: possible shots (`shot_preview`).   shot: None or {figure, value, faces} of the last shot of this turn.
        colour: of the goal kick, or None.   card_row: shirt numbers in the order in which player cards lie.
    """
    texts = [card_text(o, card) for card in range(CARDS)]

    def listed(counts: list[int], seat: int) -> list[str]:
        return [texts[card] for card in range(CARDS) for _ in range(counts[seat * CARDS + card])]

    def poldis(place: int) -> list[int]:
        return [o.poldi_number[card] for card in range(POLDIS) if s.poldi[card] == place]

    seats = range(o.seats)
    symbols = {texts[card]: arrows(o, card) for card in range(CARDS) if o.action[card] != VOLLEY}
    shot = {"figure": s.shooter, "value": s.shot_value, "faces": face_results(s.shot_value)} if s.shooter else None
    return {
        "next": PHASES[s.phase],
        "turn": s.turn,
        "round": (s.turn + 1) // 2,
        "attacker": s.attacker,
        "first": s.first,
        "ball": SPACE_NAMES[s.ball],
        "possession": possession(s),
        "figures": [[_figure_shown(s, o, seat, figure) for figure in range(FIGURES)] for seat in seats],
        "walls": [
            {"space": SPACE_NAMES[space], "team": team}
            for space in range(SPACES)
            for team in seats
            if crowd(s, team, space) == CAPACITY
        ],
        "spaces": [_space_shown(o, space) for space in range(SPACES)],
        "symbols": {**symbols, "free": arrows(o, FREE_SYMBOL)},
        "cards": {
            text: {"action": action_word(o, card), "price": o.poldi_price[card - KINDS] if card >= KINDS else None}
            for card, text in enumerate(texts)
        },
        "hands": [listed(s.hand, seat) for seat in seats],
        "held": list(s.held),
        "piles": [pile_size(s, seat) for seat in seats],
        "known": [listed(s.known, seat) for seat in seats],
        "discards": [listed(s.discard, seat) for seat in seats],
        "volleys": [poldis(FACE_UP + seat) for seat in seats],
        "offer": poldis(ON_OFFER),
        "removed": poldis(OUT_OF_GAME),
        "stock": len(poldis(IN_STOCK)),
        "coins": list(s.coins),
        "box": {"ones": o.ones, "twos": o.twos},
        "played": s.played,
        "bought": bool(s.bought),
        "shots": shots(s, o),
        "shot": shot,
        "colour": COLOUR_NAMES[o.colour_word[s.colour - 1]] if s.colour else None,
        "card_row": list(CARD_ROW),
    }


def _figure_shown(s: State, o: Setup, seat: int, figure: int) -> dict[str, Any]:
    space = SPACE_NAMES[s.where[seat * FIGURES + figure]]
    return {"figure": figure + 1, "space": space, "attack": o.attack[figure], "keeper": figure == KEEPER}


def _space_shown(o: Setup, space: int) -> dict[str, Any]:
    own = [turned(seat, space) for seat in range(o.seats)]
    areas = [seat for seat in range(o.seats) if o.area[own[seat]]]
    goals = [seat for seat in range(o.seats) if own[seat] == o.goal]
    return {
        "space": SPACE_NAMES[space],
        "colour": COLOUR_NAMES[o.colour_word[o.colour[space] - 1]] if o.colour[space] else None,
        "area": areas[0] if areas else None,
        "goal": goals[0] if goals else None,
        "bonus": [o.bonus[turned(seat, space)] for seat in range(o.seats)],
    }


# --- the board in a terminal ------------------------------------------------------------------------------------


def board(s: State, o: Setup) -> str:
    """Draw the position: the pitch with figures (R red, B blue) and ball (*), cards and coins.

    The own hand is listed to a reader from whom the other one is hidden; of a whole state neither is.
    """
    lines = [_heading(s)]
    for row in reversed(range(ROWS)):
        cells = [_cell(s, row * COLUMNS + column) for column in range(COLUMNS)]
        lines.append(f"  {row + 1}  {' '.join(f'{cell:<7}' for cell in cells)}".rstrip())
    lines.append("     " + " ".join(f"{letter:<7}" for letter in "abcde").rstrip())
    for seat in range(o.seats):
        mark = ">" if seat == s.attacker and s.phase != OVER else " "
        volleys = volleys_ready(s, seat)
        lines.append(
            f"{mark} {SIDES[seat]:<4} {s.goals[seat]} goals, {s.coins[seat]} coins, {s.held[seat]} cards in hand, "
            f"{pile_size(s, seat)} to draw, {volleys} volley{'' if volleys == 1 else 's'}"
        )
        hand = [_card_with_action(o, card) for card in range(CARDS) for _ in range(s.hand[seat * CARDS + card])]
        if hand and _hand_is_hidden(s, 1 - seat):
            lines.append(f"       in hand: {', '.join(hand)}")
    offered = [
        f"{_card_with_action(o, KINDS + i)} for {o.poldi_price[i]}" for i in range(POLDIS) if s.poldi[i] == ON_OFFER
    ]
    lines.append(f"  offer: {', '.join(offered) or 'none'}")
    if s.shooter and s.phase in (SHOT, KICK, GOAL_KICK, PHASES.index("roll"), PHASES.index("bounce")):
        lines.append(f"  shot by figure {s.shooter}: the die must exceed {s.shot_value}")
    return "\n".join(lines)


def _hand_is_hidden(s: State, seat: int) -> bool:
    return s.held[seat] > sum(s.hand[seat * CARDS : (seat + 1) * CARDS])


def _card_with_action(o: Setup, card: int) -> str:
    return card_text(o, card) if card < KINDS else f"{card_text(o, card)} {action_word(o, card)}"


def _heading(s: State) -> str:
    title = f"Dribbel-Fieber, red {s.goals[0]}:{s.goals[1]} blue"
    if s.phase == OVER:
        return f"{title}, over"
    return f"{title}, round {(s.turn + 1) // 2} (turn {s.turn} of 12), {PHASES[s.phase]}" if s.turn else title


def _cell(s: State, space: int) -> str:
    text = "*" if s.ball == space else ""
    for team, letter in enumerate("RB"):
        figures = [i + 1 for i in range(FIGURES) if s.where[team * FIGURES + i] == space]
        text += letter + "".join(map(str, figures)) if figures else ""
    return text or "."
