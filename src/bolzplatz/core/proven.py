"""The moves that a proven log tells: what its entries and draws mean by the rules, step by step. Trusts nothing.

Entries of the log besides draws and renewals:
    {"seat", "move"}                a decision of one seat; with seat null what all did at once, a word a seat
    {"undo": n}                     the match went on after n of its moves
    {"cards": [...]}                the cards of the last deal lie open
    {"cards", "move", "order", "race"}  the same, what all hands did, and in which order, by the round that they raced
                                    (`core.grab`); `race` is null for a round that was broken off: no hand counts

    {"tap", "move"}                 whose hand throws next in a race of taps, by the race for that throw (`core.taps`);
                                    `tap` is null, without a move, where the race began anew

A draw decides the chance node that is due; a deal (`core.spec.Deal`) several, once its cards lie open; a draw for the
purpose LOT parts hands that were level in a race.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bolzplatz.core.errors import IllegalActionError, RecordError
from bolzplatz.core.game import Game
from bolzplatz.core.grab import LAST_CALL, ROUND_LIMIT, TIES, GrabError, Race, replay
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS
from bolzplatz.core.sealed import CheckedDraw, Note
from bolzplatz.core.sealed_throw import deal_size, dealt_moves, order_of_hands, outcome_of_sealed, sealed_form
from bolzplatz.core.taps import TAP, Hands, first_tap, tap_begins, tap_rules, tapping

THROW: Final = "throw"
DEAL: Final = "deal"
LOT: Final = "lot"
"""Purposes of draws."""
NO_HAND: Final = "none"


def proven_moves(
    game: Game,
    given: Sequence[str],
    entries: Sequence[Mapping[str, Any]],
    draws: Sequence[CheckedDraw],
    seats: Sequence[Mapping[str, Any]],
) -> tuple[list[str], list[Note]]:
    """Return the moves that stand by a log, after the given ones, and notes on what a reader should know.

    Args:
        game: the game.
        given: the moves that the match was played on from.
        entries: the log.
        draws: its draws, checked.
        seats: those of the opening record, for their handicaps.

    Raises:
        RecordError: an entry that the rules do not bear out, with its place.
    """
    told = _Telling(game, given, [seat.get("handicap", 0) for seat in seats])
    drawn = {draw.entry: draw for draw in draws}
    for index, entry in enumerate(entries):
        place = f"proof entry {index}"
        try:
            told.take(entry, drawn.get(index), place)
        except IllegalActionError as fault:
            raise RecordError(place, str(fault)) from None
    return told.moves, told.notes


class _Telling:
    """The match as far as the log was read."""

    def __init__(self, game: Game, given: Sequence[str], handicaps: Sequence[Any]) -> None:
        self.game, self.given = game, tuple(given)
        self.handicaps = [each if type(each) is int else 0 for each in handicaps]
        self.state = game.replay(given)
        self.moves: list[str] = []
        self.numbers: list[int | None] = []
        """Beside each move the number of the draw that it is, of a deal beside its first card."""
        self.notes: list[Note] = []
        self.dealt: tuple[int, list[str]] | None = None
        """The last deal, while its cards lie face down: number of the draw, moves."""
        self.lots: list[tuple[int, ...]] = []
        """What was drawn for level hands since the last deal, or the last tap."""
        self.agreed: tuple[str, bool] | None = None
        """Tie rule and strict mode of the races before: both are agreed on before the match, and stay."""
        self.hands: Hands | None = None
        """Where the hands of a race of taps stand, None before its whistle."""
        self.lines: list[tuple[int, int]] | None = None
        """What is allowed for the lines in that race, after how close hands are level."""

    def take(self, entry: Mapping[str, Any], draw: CheckedDraw | None, place: str) -> None:
        """Take in the next entry; raises RecordError, or IllegalActionError for what the rules refuse."""
        if draw is not None:
            self._draw(draw, place)
        elif "undo" in entry:
            self._undo(entry["undo"], place)
        elif "race" in entry:
            self._open(entry.get("cards"), place)
            self._race(entry, place)
        elif "tap" in entry:
            self._tap(entry, place)
        elif "cards" in entry:
            self._open(entry["cards"], place)
        elif "move" in entry:
            self._decision(entry, place)

    def _play(self, move: str, k: int | None = None) -> None:
        self.state.play(move)
        self.moves.append(move)
        self.numbers.append(k)

    def _draw(self, checked: CheckedDraw, place: str) -> None:
        request = checked.draw.request
        if request.purpose == LOT:
            self._lot(checked, place)
            return
        if self.state.current_player() != CHANCE or (request.form, request.n) != sealed_form(self.state):
            raise RecordError(place, f"a draw of {request.n} {request.form}, which the rules do not ask for here")
        if request.seat != self.state.roller() or checked.faces is None:
            raise RecordError(place, "a draw for a seat that does not throw here")
        if deal_size(self.state):
            if request.purpose != DEAL or self.dealt is not None:
                raise RecordError(place, "cards are dealt once a round")
            self.dealt, self.lots = (request.k, dealt_moves(self.state, checked.faces)), []
            return
        outcome = order_of_hands(self.state, outcome_of_sealed(self.state, checked.faces).outcome, self.handicaps)
        self._play(self.state.action_to_string(outcome), request.k)

    def _lot(self, checked: CheckedDraw, place: str) -> None:
        request = checked.draw.request
        if (
            (self.dealt is None and not tapping(self.state))
            or request.form != "order"
            or request.seat is not None
            or checked.faces is None
        ):
            raise RecordError(place, "a lot between hands where none are out")
        self.lots.append(checked.faces)

    def _open(self, cards: Any, place: str) -> None:
        if self.dealt is None or cards != self.dealt[1]:
            raise RecordError(place, f"the cards {cards} lie open, which the deal before does not bear out")
        k, moves = self.dealt
        self.dealt = None
        for number, move in enumerate(moves):
            self._play(move, None if number else k)

    def _race(self, entry: Mapping[str, Any], place: str) -> None:
        """Judge a round anew from what came in."""
        recorded, move, order = entry["race"], entry.get("move"), entry.get("order")
        if recorded is None:
            wishes, right_order = (NO_HAND,) * self.game.num_players, None
            self.notes.append(Note("broken-off", count=len(self.moves)))
        else:
            try:
                race = replay(recorded)
                wishes, right_order = race.verdict.wishes, race.verdict.order_text
            except GrabError as fault:
                raise RecordError(place, str(fault)) from None
            if [terms.handicap for terms in race.terms] != [1000 * each for each in self.handicaps]:
                raise RecordError(place, "the handicaps are not those of the opening record")
            if [terms.chips for terms in race.terms] != self.state.scores():
                raise RecordError(place, "the chips by which level hands may be parted are not those of the match")
            if race.rules.limit not in (ROUND_LIMIT, None) or race.rules.last_call != LAST_CALL:
                raise RecordError(place, "no round lasts so long")
            self._check_rules(race, place)
            self._check_lots(recorded, place)
        if (move, order) != (" ".join(wishes), right_order):
            raise RecordError(place, f"{move!r} and {order!r} do not follow from the round")
        self._play(str(move))
        if right_order is not None:
            self._play(right_order)

    def _check_rules(self, race: Race, place: str) -> None:
        """Compare what a race was run by with the races before, and with what a table may allow for lines and ties."""
        if race.rules.tie not in TIES or not all(terms.possible for terms in race.terms):
            raise RecordError(place, "more is allowed for the lines, or for level hands, than a table may allow")
        agreed = (race.rules.tie_rule, race.rules.strict)
        if self.agreed not in (None, agreed):
            raise RecordError(place, "tie rule or strict mode are not those of the rounds before")
        self.agreed = agreed

    def _check_lots(self, recorded: Mapping[str, Any], place: str) -> None:
        """Compare how hands that were level were parted with what was drawn for them."""
        casts = [tuple(kept[2]) for kept in recorded["inputs"] if kept[0] == "cast"]
        lots = [tuple(sorted(cast)[face] for face in lot) for cast, lot in zip(casts, self.lots, strict=False)]
        if casts != lots or len(lots) != len(self.lots):
            raise RecordError(place, "hands that were level were not parted by the lot that was drawn")

    def _tap(self, entry: Mapping[str, Any], place: str) -> None:
        """Judge anew whose hand was the first to tap, from the taps and from where the hands stood before."""
        recorded, seats = entry["tap"], tapping(self.state)
        if not seats:
            raise RecordError(place, "a tap where no hands race for a throw")
        if recorded is None:
            self.hands, self.lots = None, []
            self.notes.append(Note("broken-off", count=len(self.moves)))
            return
        begins = self.hands is None or tap_begins(self.state)
        hands = self.hands
        if hands is None or begins:
            hands = Hands.at_whistle([1000 * each for each in self.handicaps])
        try:
            race = replay(recorded)
            if not hands.agree(recorded):
                raise RecordError(place, "the clocks or taps of this race do not follow from what was before")
            first, _ = first_tap(race)
        except GrabError as fault:
            raise RecordError(place, str(fault)) from None
        self._check_rules(race, place)
        self._check_lots(recorded, place)
        if race.rules != tap_rules(race.rules.tie, race.rules.strict):
            raise RecordError(place, "a race of taps is not run by these rules")
        lines = [(race.rules.tie, 0), *((terms.cap, terms.usual) for terms in race.terms)]
        if self.lines not in (None, lines) and not begins:
            raise RecordError(place, "what is allowed for the lines changed in the middle of a race")
        self.lines = lines
        if first not in seats or entry.get("move") != f"{TAP} {first}":
            raise RecordError(place, f"{entry.get('move')!r} does not follow from the taps")
        self.hands, self.lots = hands.told(recorded).after(race), []
        self._play(str(entry["move"]))

    def _decision(self, entry: Mapping[str, Any], place: str) -> None:
        player, move = self.state.current_player(), entry["move"]
        expected = None if player == SIMULTANEOUS else player
        if player == CHANCE or expected != entry.get("seat") or not isinstance(move, str):
            raise RecordError(place, "a move of a seat that does not decide here")
        self._play(move)

    def _undo(self, kept: Any, place: str) -> None:
        if type(kept) is not int or not 0 <= kept <= len(self.moves):
            raise RecordError(place, f"a step back to a move from 0 to {len(self.moves)} is expected")
        void = [k for k in self.numbers[kept:] if k is not None]
        if self.dealt is not None:
            void.append(self.dealt[0])
        self.notes += [Note("rewound", max(void), count=len(void))] if void else []
        del self.moves[kept:], self.numbers[kept:]
        self.dealt, self.hands, self.lots = None, None, []
        self.state = self.game.replay((*self.given, *self.moves))
