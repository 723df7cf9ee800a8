"""`bolzplatz play GAME`: a match in the terminal, against the computer or with several people at one keyboard.

All dice follow from one seed that is fixed before the first throw (`SealedDice`), or people throw real ones. Input may
come from a pipe: then nobody is asked to press Enter for a throw, and the end of the input ends the match politely.
"""

import argparse
import secrets
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import pick_action, usual_level
from bolzplatz.cli.common import (
    DONE,
    CommandError,
    add_data,
    add_game,
    add_json,
    add_language,
    add_options,
    levels_of,
    name_seats,
    open_console,
    print_json,
    read_game_options,
    sentences,
    write_file,
)
from bolzplatz.cli.players import PERSON, add_players, plug_in_players
from bolzplatz.core.drivers import ByHandDriver, Draw, Driver
from bolzplatz.core.errors import IllegalActionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS
from bolzplatz.core.texts import game_texts
from bolzplatz.games import game_spec, load_game

if TYPE_CHECKING:
    from bolzplatz.table.setup import TableSetup

TABLE_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
EXAMPLES: Final = 6


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "play",
        help="play in this terminal",
        description="Play a match in the terminal. Dice come from a seed that is fixed and shown as six words before "
        "the first throw, so that the record proves them.",
    )
    add_game(parser)
    parser.add_argument(
        "--seats",
        metavar="A,B,…",
        help="who sits where: `me` for a person at this keyboard, or a level of the computer; a name may follow, as in "
        "me:Mia,me:Ben,good (default: me, and good computers)",
    )
    add_options(parser)
    add_data(parser)
    parser.add_argument(
        "--dice",
        choices=("sealed", "hand"),
        default="sealed",
        help="sealed: the seed throws; hand: you throw real dice and type what they show (default: %(default)s)",
    )
    parser.add_argument("--record", metavar="FILE", help="write the match to a new .bolz file")
    parser.add_argument("--quick", action="store_true", help="throw without waiting for Enter")
    add_language(parser)
    add_json(parser, "the match at its end")
    add_players(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    plug_in_players(given, strict=True)
    setup = read_setup(given)
    if given.record is not None and Path(given.record).exists():
        raise CommandError(f"{given.record} exists already: choose another name for the record")
    match = Match(setup)
    if given.record is not None:
        write_file(given.record, match.record())  # says now, not after the match, if it cannot be written
    waits = sys.stdin.isatty() and not given.quick
    talk = Talk(match, given.lang, to_stderr=given.json, waits=waits)
    try:
        talk.play()
    except EOFError:
        talk.leave()
    finally:
        if given.record is not None:
            write_file(given.record, match.record())
    if given.record is not None:
        talk.say("written", file=given.record)
    elif sys.stdin.isatty() and match.state.is_terminal():
        talk.offer_record()
    if given.json:
        print_json(match.to_dict())
    return DONE


# --- who sits where -----------------------------------------------------------------------------------------------


def read_setup(given: argparse.Namespace) -> "TableSetup":
    """Return the table that the arguments describe; raises CommandError and the errors of options and seats."""
    from bolzplatz.table.setup import TableSetup

    options: dict[str, Any] = read_game_options(given)
    wanted = None if given.seats is None else [seat.strip() for seat in given.seats.split(",")]
    if wanted is None:
        players = load_game(given.game, **options).num_players
        wanted = [PERSON] + [usual_level(given.game)] * (players - 1)
    phrases = terminal_phrases(given.lang)
    seats = [_read_seat(given.game, number, seat, phrases) for number, seat in enumerate(wanted, 1)]
    described = {"game": given.game, "options": options, "seats": seats, "dice": given.dice, "language": given.lang}
    setup = TableSetup.from_dict(described)
    if setup.all_at_once and sum(not seat.is_bot for seat in setup.seats) > 1:
        raise CommandError(
            f"in {given.game} all move at once, and a terminal cannot hide what one person chooses from another: "
            "play it alone against the computer here, or together with bolzplatz serve"
        )
    return setup


def _read_seat(game: str, number: int, text: str, phrases: Mapping[str, str]) -> dict[str, Any]:
    """Read one seat: `me`, `good`, `me:Mia`, `good:Robby`."""
    kind, colon, name = text.partition(":")
    known = levels_of(game)
    if kind != PERSON and kind not in known:
        raise CommandError(
            f"--seats: {text!r} is neither {PERSON} nor a level of the computer ({', '.join(known)}); "
            f"a name follows a colon, as in {PERSON}:Mia"
        )
    if kind == PERSON:
        return {"kind": "human", "name": name if colon else phrases["person"].format(number=number)}
    return {
        "kind": "bot",
        "name": name if colon else phrases["computer"].format(number=number, level=kind),
        "level": kind,
    }


def terminal_phrases(language: str) -> dict[str, str]:
    """Return what the terminal says around a match."""
    source = files("bolzplatz") / "texts" / f"terminal.{language}.toml"
    return tomllib.loads(source.read_text(encoding="utf-8"))


# --- the match ----------------------------------------------------------------------------------------------------


class SealedDice:
    """Sealed draws in their smallest form (docs/sealed-draws.md): one committed seed, and nobody else takes part.

    A driver (`core.drivers`) that also keeps the log of which the record's proof is made.
    """

    def __init__(self, setup: "TableSetup", new_secret: Any = None) -> None:
        from bolzplatz.core import sealed
        from bolzplatz.core.sealed_throw import data_digest

        new_secret = new_secret or sealed.new_secret
        table = "terminal-" + "".join(secrets.choice(TABLE_LETTERS) for _ in range(12))
        chain, deck = new_secret(), new_secret()
        opening = sealed.Opening(
            table,
            setup.game,
            setup.loaded.rules_version,
            data_digest(setup.loaded),
            setup.options,
            [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in setup.seats],
            {sealed.SERVER: sealed.make_chain(chain, table, sealed.SERVER).tip},
            sealed.deck_commitment(deck, table),
        )
        self.server = sealed.SealedServer(opening, chain, deck)
        self.words = sealed.six_words(table, self.server.head)
        self.commitment = self.server.head.hex()

    def draw(self, state: State) -> Draw:
        """Return what comes up at a chance node; the draw is in the log then."""
        from bolzplatz.core.proven import THROW
        from bolzplatz.core.sealed_throw import outcome_of_sealed

        return outcome_of_sealed(state, self._faces(state, THROW))

    def deal(self, state: State) -> list[str]:
        """Return the moves of all chance nodes that one shuffle decides; draw and open cards are in the log then."""
        from bolzplatz.core.proven import DEAL
        from bolzplatz.core.sealed_throw import dealt_moves

        cards = dealt_moves(state, self._faces(state, DEAL))
        self.server.append({"cards": cards})
        return cards

    def _faces(self, state: State, purpose: str) -> tuple[int, ...]:
        from bolzplatz.core.sealed_throw import sealed_form

        if not self.server.draws_left:
            self.server.renew({})
        self.server.request(purpose, state.roller(), *sealed_form(state))
        faces = self.server.draw({}).faces
        if faces is None:
            raise ValueError("a throw with hidden faces")
        return faces

    def note_move(self, seat: int | None, move: str, by: str) -> None:
        """Put a decision into the log, as a table does; one of all seats at once has seat None and a word for each."""
        self.server.append({"seat": seat, "move": move, "by": by})


class Match:
    """A match at the terminal: its state, its dice, who sits where."""

    def __init__(self, setup: "TableSetup") -> None:
        self.setup = setup
        self.state = setup.loaded.new_initial_state()
        self.names = [seat.name for seat in setup.seats]
        self.dice = SealedDice(setup) if setup.dice == "sealed" else None
        self._luck = secrets.randbits(63)
        """Keys the luck of the computer players, which is never that of the dice."""

    def is_person(self, seat: int | None) -> bool:
        """Say whether a person plays this seat."""
        return seat is not None and not self.setup.seats[seat].is_bot

    def throw(self, driver: Driver) -> None:
        """Let chance decide: a throw, or all cards that one shuffle deals."""
        from bolzplatz.core.sealed_throw import deal_size

        if isinstance(driver, SealedDice) and deal_size(self.state):
            self.state.play(*driver.deal(self.state))
        else:
            self.state.apply_action(driver.draw(self.state).outcome)

    def move(self, action: int, by: str) -> None:
        """Carry out a decision of the seat whose turn it is; IllegalActionError changes nothing."""
        seat, text = self.state.current_player(), self.state.action_to_string(action)
        self.state.apply_action(action)
        if self.dice is not None:
            self.dice.note_move(seat, text, by)

    def move_together(self, actions: Sequence[int]) -> None:
        """Carry out what all seats have chosen at once, one action a seat."""
        texts = [self.state.action_to_string(action, seat) for seat, action in enumerate(actions)]
        self.state.apply_actions(actions)
        if self.dice is not None:
            self.dice.note_move(None, " ".join(texts), "together")

    def computer_action(self, seat: int) -> int:
        """Return what the computer player of a seat chooses that decides now."""
        state = self.state
        stream = FastStream(self._luck, state.move_number() * len(self.names) + seat)
        return pick_action(state.game, state, seat, self.setup.seats[seat].level or "", stream)

    def record(self) -> str:
        """Return the match as it stands as a `.bolz` text."""
        from bolzplatz.core.record import HAND_DICE, SEALED_DICE, record_of, write_record

        if self.dice is None:
            return write_record(record_of(self.state, self.names, HAND_DICE))
        proof = self.dice.server.proof(closed=self.state.is_terminal())
        return write_record(record_of(self.state, self.names, SEALED_DICE, proof))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict of the match as it stands."""
        return {
            "game": self.setup.game,
            "rules_version": self.state.game.rules_version,
            "options": dict(self.setup.options),
            "seats": [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in self.setup.seats],
            "dice": self.setup.dice,
            "words": list(self.dice.words) if self.dice else None,
            "commitment": self.dice.commitment if self.dice else None,
            "finished": self.state.is_terminal(),
            "scores": self.state.scores(),
            "returns": self.state.returns(),
            "history": self.state.history(),
            "events": [event.to_dict() for event in self.state.events()],
            "record": self.record(),
        }


# --- the talk at the terminal -------------------------------------------------------------------------------------


class Talk:
    """Shows a match and asks for what people decide.

    Args:
        match: the match.
        language: what sentences are in.
        to_stderr: print there, because the standard output belongs to a program.
        waits: ask for Enter before each throw of a person.
    """

    def __init__(self, match: Match, language: str, *, to_stderr: bool, waits: bool) -> None:
        self.match, self.waits = match, waits
        self.phrases = terminal_phrases(language)
        self.texts = game_texts(match.setup.game, language)
        self.console = open_console(stderr=to_stderr)
        people = [seat for seat in range(len(match.names)) if match.is_person(seat)]
        self._viewer = people[0] if len(people) == 1 else None
        """Whose eyes are alone at this terminal; None: several people's, who may know what everybody may."""
        self._curtained = len(people) > 1 and not match.state.game.spec.perfect_information
        self._looking: int | None = None
        """Who looks alone, where people have hands to hide from each other."""
        self._seen: dict[int, int] = {}
        """Events that each of them has read."""
        self._told = 0
        """Events that were told."""
        self._shown_to: int | None = None
        """The seat to which the board was shown last."""

    def say(self, key: str, style: str | None = None, **places: object) -> None:
        """Print a phrase."""
        self.console.print(self.phrases[key].format(**places), style=style, soft_wrap=True)

    def play(self) -> None:
        """Play to the end; EOFError where the input ends or somebody leaves."""
        self._greet()
        state = self.match.state
        while not state.is_terminal():
            if state.current_player() == CHANCE:
                self._throw()
            elif state.current_player() == SIMULTANEOUS:
                self._decide_together()
            else:
                self._decide()
            self._tell()
        self._show_board(self._viewer)
        self.say("over", style="bold")
        winners = [name for name, result in zip(self.match.names, state.returns(), strict=True) if result > 0]
        key = "winners" if len(winners) > 1 else "winner" if winners else "nobody"
        self.say(key, style="bold green", names=self.phrases["and"].join(winners))

    def leave(self) -> None:
        """Say that the match stops here."""
        self.console.print()
        self.say("left")

    def offer_record(self) -> None:
        """Ask where the record is to be kept, until it is or nobody wants it."""
        while True:
            try:
                name = self._ask("offer")
            except EOFError:
                return
            if not name:
                return
            if Path(name).exists():
                self.console.print(f"{name}?", soft_wrap=True)
                continue
            try:
                write_file(name, self.match.record())
            except CommandError as fault:
                self.console.print(str(fault), style="yellow", soft_wrap=True)
                continue
            self.say("written", file=name)
            return

    def _greet(self) -> None:
        match = self.match
        self.console.print(game_spec(match.setup.game).title, style="bold green")
        self.say("seats", names=", ".join(match.names))
        if match.dice is None:
            self.say("by_hand")
        else:
            self.say("sealed", words=" ".join(match.dice.words))
            self.say("commitment", style="dim", digest=match.dice.commitment)
        self.say("hint", style="dim")

    def _tell(self, since: int | None = None) -> None:
        """Print what happened since the last time, or since so many events."""
        events = self.match.state.events(self._viewer)
        for sentence in sentences(events[self._told if since is None else since :], self.texts, self.match.names):
            self.console.print(f"  {sentence}", soft_wrap=True)
        self._told = len(events)

    def _show_board(self, seat: int | None) -> None:
        """Show the position as that seat may see it, or everybody while another one is looking."""
        state = self.match.state
        reader = None if self._curtained and seat != self._looking else seat
        board = state.game.spec.board(state.masked(reader), state.game.setup)
        self.console.print()
        self.console.print(name_seats(board, self.match.names), soft_wrap=True)
        self._shown_to = seat

    def _turn_to(self, seat: int | None) -> None:
        """Show the board when another person comes on."""
        if seat != self._shown_to:
            self._show_board(seat)

    # --- throws -----------------------------------------------------------------------------------------------

    def _throw(self) -> None:
        match, roller = self.match, self.match.state.roller()
        if match.dice is None:
            drawer = match.state.drawer()
            if drawer is not None and match.is_person(drawer):
                self._draw_curtain(drawer)
            self._turn_to(roller)
            match.throw(ByHandDriver(self._ask_faces, self._refuse))
            return
        if self.waits and match.is_person(roller):
            self._turn_to(roller)
            self._answer("throw", [self.phrases["help_throw"]], name=match.names[roller or 0])
        match.throw(match.dice)

    def _ask_faces(self, state: State) -> str:
        roller = state.roller()
        outcomes = [state.action_to_string(outcome) for outcome in state.legal_actions()]
        some = ", ".join(outcomes[:EXAMPLES]) + (", …" if len(outcomes) > EXAMPLES else "")
        helps = [self.phrases["help_hand"].format(examples=some)]
        name = None if roller is None else self.match.names[roller]
        typed = self._answer("comes_up" if name is None else "shows", helps, name=name)
        # `112346` will do for `throw 112346`, and `black` for `shot black`.
        return next((outcome for outcome in outcomes if outcome.partition(" ")[2] == typed), typed)

    # --- decisions --------------------------------------------------------------------------------------------

    def _decide(self) -> None:
        match, state = self.match, self.match.state
        seat = state.current_player()
        actions = state.legal_actions(seat)
        if not match.is_person(seat):
            match.move(match.computer_action(seat), "computer")
        elif len(actions) == 1:
            match.move(actions[0], "forced")
        else:
            self._draw_curtain(seat)
            self._show_board(seat)
            self._list_choices(seat, actions)
            match.move(self._ask_action(seat, actions), "person")

    def _draw_curtain(self, seat: int) -> None:
        """Wipe what another has read, and wait until only `seat` looks; then tell it what happened meanwhile."""
        if not self._curtained or seat == self._looking:
            return
        if self._looking is not None:
            self._seen[self._looking] = self._told
        self._looking = seat
        self.console.clear()
        if self._ask("curtain", name=self.match.names[seat]) == "quit":
            raise EOFError
        self._tell(self._seen.get(seat, 0))

    def _decide_together(self) -> None:
        """Let all seats choose at once: one person at most, and computers, who know nothing of its choice."""
        match = self.match
        chosen = []
        for seat in range(len(match.names)):
            if match.is_person(seat):
                self._show_board(seat)
                actions = match.state.legal_actions(seat)
                self._list_choices(seat, actions)
                chosen.append(self._ask_action(seat, actions))
            else:
                chosen.append(match.computer_action(seat))
        match.move_together(chosen)

    def _list_choices(self, seat: int, actions: Sequence[int]) -> None:
        """List what a seat may do, each with what would happen; where all choose at once, with what it says."""
        state = self.match.state
        self.say("choices", style="bold", name=self.match.names[seat])
        moves = [state.action_to_string(action, seat) for action in actions]
        width = max(map(len, moves))
        for number, (action, move) in enumerate(zip(actions, moves, strict=True), 1):
            together = state.current_player() == SIMULTANEOUS
            meaning = self.texts.words[move] if together else self._what_happens(seat, action)
            self.console.print(f"  {number:>2}  {move:<{width}}  {meaning}", soft_wrap=True)

    def _what_happens(self, seat: int, action: int) -> str:
        """Say what would happen after an action, as far as its seat can know."""
        state = self.match.state
        trial = state.clone()
        trial.apply_action(action)
        events = trial.events(seat)[len(state.events(seat)) :]
        return " ".join(sentences(events, self.texts, self.match.names))

    def _ask_action(self, seat: int, actions: Sequence[int]) -> int:
        state = self.match.state
        while True:
            typed = self._answer("move", [self.phrases["help_move"]], name=self.match.names[seat])
            try:
                return state.string_to_action(typed, seat)
            except IllegalActionError as error:
                if not typed.isascii() or not typed.isdecimal():
                    self._refuse(error)
                elif 1 <= int(typed[:9]) <= len(actions):
                    return actions[int(typed[:9]) - 1]
                else:
                    self.say("no_number", style="yellow", number=typed[:9], last=len(actions))

    def _refuse(self, error: IllegalActionError) -> None:
        reason = self.texts.refusals.get(error.code, error.reason)
        self.say("refused", style="yellow", reason=reason, rule=error.rule)

    # --- input ------------------------------------------------------------------------------------------------

    def _answer(self, key: str, helps: Sequence[str], **places: object) -> str:
        """Ask until something else comes than a wish for help or the board; EOFError where somebody leaves."""
        while True:
            typed = self._ask(key, **places)
            if typed == "?":
                for line in (*helps, self.phrases["help_more"].format(game=self.match.setup.game)):
                    self.console.print(line, style="dim", soft_wrap=True)
            elif typed == "board":
                self._show_board(self._shown_to)
            elif typed == "quit":
                raise EOFError
            else:
                return typed

    def _ask(self, key: str, **places: object) -> str:
        """Return a line of input with single spaces; EOFError at its end."""
        self.console.print(self.phrases[key].format(**places), style="bold", end=" ", soft_wrap=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        typed = " ".join(line.split())
        if not sys.stdin.isatty():
            self.console.print(typed, soft_wrap=True)
        return typed
