"""Why a move is the best one in GOOAAAAAL!: balls and keepers that face each other, and what a die may still become.

Within a throw things are done in one order (`gooaaaaal §2`), and whoever does a later one leaves the earlier ones out.
So of two moves the earlier one tells what matters: why it is done, or why it is better left.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bolzplatz.core.game import State
from bolzplatz.games.gooaaaaal.dice import edition_dice, read_dice
from bolzplatz.games.gooaaaaal.notation import ITEMS

Reason = tuple[str, dict[str, int]]
"""The key of a sentence (`table.why`) and its numbers."""


def reason(state: State, best: str, other: str) -> Reason | None:
    """Return why `best` is better than `other`, two legal moves in notation; None where there is nothing to say."""
    view = state.view()
    if view["shown"]["next"] == "go_on":
        return ("throw_on", {}) if best == "throw-on" else None
    if view["shown"]["next"] != "decide":
        return None
    throw = _Throw(view)
    first, second = _rank(best), _rank(other)
    if first == second:
        return throw.between(best, other)
    if first < second:
        return throw.why(best)
    return throw.why_not(other) or throw.why(best)


def _rank(move: str) -> int:
    return next(rank for rank, start in enumerate(ITEMS) if move.startswith(start))


def _face_of(move: str) -> str:
    """Return the letter of what a move makes of a die, for a joker what it is played as; nothing for other moves."""
    word, _, rest = move.partition(" ")
    return rest[:1] if word in ("place", "joker") else ""


class _Throw:
    """A throw that lies there, with what its seat may do."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        shown, options = view["shown"], view["options"]
        self.players, self.named = shown["players"], shown["named"]
        self.me = self.players[shown["seat"]]
        self.single = options["teams"] is None
        self.loose = shown["loose_quarter"]
        edition = str(options["edition"])
        self.faces = edition_dice(edition) if options["dice"] is None else read_dice(str(options["dice"]), edition)

    def why(self, move: str) -> Reason | None:
        """Return why a move is made."""
        face = _face_of(move)
        if face == "B":
            return self._ball(move)
        if face == "K":
            return self._keeper(move)
        if move.startswith("joker"):
            return self._joker(face)
        if move.startswith("aside Q"):
            return self._quarter()
        if move.startswith("return Q"):
            return self._quarter("quarter_alone")
        if move.startswith(("rethrow", "free-kick")):
            return "again", {}
        if move.startswith("off-side"):
            return ("offside_goal" if self._open_balls(0) > 0 else "offside"), {}
        if move.startswith("aside O"):
            return "offside_waits", {}
        return None

    def why_not(self, move: str) -> Reason | None:
        """Return why a move is better left."""
        line, face = self._line(move), _face_of(move)
        balls, keepers = self._attack(line)
        if face == "B" and balls < keepers:
            return "ball_vain", {"balls": balls + 1, "keepers": keepers}
        if face == "K" and self._open_balls(line) == 0:
            if self._throws_against(line) == 0:
                return "keeper_vain", {}
            if self.me["throws_left"]:
                return "keeper_early", {"n": self._becomes("B", move)}
        if move.startswith("aside Q"):
            return self._quarter("quarter_alone")
        if move.startswith("return Q"):
            return self._quarter()
        return ("hand", {}) if face and self.me["throws_left"] else None

    def between(self, best: str, other: str) -> Reason | None:
        """Return why one of two things is done that could be done at the same time in the throw."""
        here, there = self._line(best), self._line(other)
        if _face_of(best) == _face_of(other) == "B" and here != there:
            lacks, lacks_there = (keepers - balls for balls, keepers in (self._attack(here), self._attack(there)))
            if lacks < lacks_there:
                return "side_ball", {"keepers": self._attack(here)[1], "others": self._attack(there)[1]}
            return None
        if _face_of(best) == _face_of(other) == "K" and here != there:
            open_balls, others = self._open_balls(here), self._open_balls(there)
            return ("side_keeper", {"open": open_balls, "others": others}) if open_balls > others else None
        if best.startswith("red"):
            return best.replace(" ", "_"), {}
        return self.why(best) if _face_of(best) != _face_of(other) else None

    # --- what is there, and what may come -------------------------------------------------------------------------

    def _ball(self, move: str) -> Reason | None:
        line, throws = self._line(move), self.me["throws_left"]
        balls, keepers = self._attack(line)
        if balls < keepers:
            return "ball_early", {"balls": balls + 1, "keepers": keepers}
        if self._called_back(line):
            return None
        if self._throws_against(line) == 0:
            return "ball_counts", {}
        return ("ball", {"n": self._becomes("B", move)}) if throws else ("last", {})

    def _keeper(self, move: str) -> Reason | None:
        line = self._line(move)
        if self._open_balls(line) > 0:
            return "saves", {}
        throws = self._throws_against(line)
        return ("keeper_waits", {"throws": throws}) if throws else None

    def _joker(self, face: str) -> Reason | None:
        if face == "Q":
            return ("pair", {}) if self.loose or _dice(self.me, "aside", "quarter") else self._quarter()
        return ("again", {}) if face in ("S", "F") else None

    def _quarter(self, key: str = "quarter") -> Reason | None:
        return (key, {"n": self._second_quarter()}) if self.me["throws_left"] else None

    def _line(self, move: str) -> int:
        return int("right" in move.split())

    def _attack(self, line: int) -> tuple[int, int]:
        """Return the own balls of a line, and the keepers that face them."""
        facts = self.me["lines"][line]
        return facts["balls"], facts["keepers_against"]

    def _other(self, line: int) -> Mapping[str, Any]:
        facing: Mapping[str, Any] = self.players[self.me["lines"][line]["other"]]
        return facing

    def _open_balls(self, line: int) -> int:
        """Return how many balls of the other side would be goals now."""
        return int(self._other(line)["lines"][len(self.me["lines"]) - 1 - line]["goals_now"])

    def _throws_against(self, line: int) -> int:
        return int(self._other(line)["throws_left"])

    def _called_back(self, line: int) -> bool:
        """Say whether the other side has kept what takes a ball from the line at the count."""
        return bool(_dice(self._other(line), "aside", "offside"))

    def _becomes(self, letter: str, move: str) -> int:
        """Return how often of 100 the die that a move takes shows a face in one of the throws that are left."""
        last = move.split()[-1]
        die = int(last) if self.named and last.isdecimal() else 1
        return _of_hundred([self.faces[die - 1]] * self.me["throws_left"], letter)

    def _second_quarter(self) -> int:
        """Return how often of 100 the next throw brings a quarter to one that lies aside."""
        thrown = [die["number"] for die in self.me["dice"] if die["place"] not in ("placed", "aside", "out")]
        if not _dice(self.me, "aside", "quarter") and thrown:
            thrown.remove((_dice(self.me, "lying", "quarter") or thrown)[0])
        return _of_hundred([self.faces[number - 1] for number in thrown], "Q")


def _dice(player: Mapping[str, Any], place: str, face: str) -> list[int]:
    """Return the numbers of a player's dice that lie so."""
    return [die["number"] for die in player["dice"] if (die["place"], die["face"]) == (place, face)]


def _of_hundred(dice: Sequence[str], letter: str) -> int:
    """Return how often of 100 one of these dice at least shows a face, each thrown once."""
    none = 1.0
    for faces in dice:
        none *= 1 - faces.count(letter) / len(faces)
    return round(100 * (1 - none))
