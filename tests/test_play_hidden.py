"""Two people at one terminal with hands that stay hidden: nobody reads what the other one holds."""

import io
import re
import sys
from itertools import pairwise

import pytest
from rich.console import Console

import bolzplatz
from bolzplatz.cli import play
from bolzplatz.core.nodes import CHANCE
from bolzplatz.table.setup import TableSetup

NAMES = ("Mia", "Ben")
SIDES = ("red", "blue")
CLEARED = "\x1b[2J"
ANSWERS = 60
"""Lines that are typed: some turns of both."""


class Keyboard:
    """Types what is asked for: Enter at the curtain, the first legal move, and of real cards and dice the first."""

    def __init__(self, match, screen):
        self.match, self.screen, self.typed = match, screen, 0

    def isatty(self):
        return True

    def readline(self):
        self.typed += 1
        if self.typed > ANSWERS:
            return ""
        if self.screen.getvalue().rstrip("\x1b[0m ").endswith("looking?"):
            return "\n"
        state = self.match.state
        if state.current_player() == CHANCE:
            return "\n" if self.match.dice else f"{state.action_to_string(state.legal_actions()[0])}\n"
        # The last move ends a phase; one card at least is discarded before.
        texts = [state.action_to_string(action) for action in state.legal_actions()]
        return f"{next((text for text in texts if text.startswith('discard')), texts[-1])}\n"


def screens(monkeypatch, dice):
    """Play some turns; return what was on the screen from each clearing to the next."""
    seats = [{"kind": "human", "name": name} for name in NAMES]
    setup = TableSetup.from_dict({"game": "dribbel-fieber", "seats": seats, "dice": dice})
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200, no_color=True, highlight=False, _environ={})
    monkeypatch.setattr(play, "open_console", lambda **_: console)
    match = play.Match(setup)
    monkeypatch.setattr(sys, "stdin", Keyboard(match, screen))
    with pytest.raises(EOFError):
        play.Talk(match, "en", to_stderr=False, waits=False).play()
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part) for part in screen.getvalue().split(CLEARED)]


@pytest.mark.parametrize("dice", ["sealed", "hand"])
def test_a_screen_shows_the_hand_of_the_one_alone_who_was_called_to_it(monkeypatch, dice):
    first, *others = screens(monkeypatch, dice)
    assert "in hand:" not in first
    shown = dict.fromkeys((0, 1), 0)
    for screen in others:
        called = re.findall(r"^(\w+), Enter shows your cards", screen, re.MULTILINE)
        assert len(called) == 1
        before, _, after = screen.partition("looking?")
        assert "in hand:" not in before
        lines = after.splitlines()
        owners = {lines[number - 1].split("goals")[0] for number, line in enumerate(lines) if "in hand:" in line}
        seat = NAMES.index(called[0])
        assert all(SIDES[seat] in owner for owner in owners)
        shown[seat] += len(owners)
        assert f"{NAMES[1 - seat]} may:" not in after
    assert min(shown.values()) >= 2


def test_who_comes_to_the_screen_is_told_what_happened_meanwhile(monkeypatch):
    """The screen was cleared, and with it the moves of the other one."""
    _, *others = screens(monkeypatch, "sealed")
    for before, screen in pairwise(others):
        seat = NAMES.index(re.findall(r"^(\w+), Enter shows", before, re.MULTILINE)[0])
        done = [line for line in before.splitlines() if line.startswith(f"  {NAMES[seat]} ") and "may:" not in line]
        assert done
        assert set(done) <= set(screen.splitlines())


def test_the_board_lists_the_own_hand_and_of_a_whole_state_none():
    """A picture of a whole state may be printed for everybody, as environments of learners do."""
    state = bolzplatz.load_game("dribbel-fieber").new_initial_state().play("coin red", *["draw running"] * 3)
    state.play("draw cross", "draw pressing", "draw dribbling", "offer 120", "offer 140", "offer 333")
    boards = [state.game.spec.board(state.masked(seat), state.game.setup) for seat in (0, 1, None)]
    listed = [re.findall("in hand: (.*)", board) for board in boards]
    assert listed == [["running, running, running"], ["dribbling, cross, pressing"], []]
    assert "in hand:" not in str(state)
