"""GOOAAAAAL! for two with four equal dice, solved for the chance to win.

A turn is the same graph whatever the opponent has on the line: three kinds of throw, a few thousand positions
(`solve.parts`). Between turns a position is what either seat has: some 150 records each (`gooaaaaal_kernels`). So the
six turns of a period are worked out from the last one back, for every score at its beginning. A penalty is a race, a
small graph as well. With five goals a period without a goal leads to the mirrored score with the other seat beginning,
which leads back: Newton steps settle both. In a match the second half is solved for every lead, and before it the
extra period. Shoot-outs and sudden death have no choices, only races.
"""

import contextlib
import time
from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.game import Game, State
from bolzplatz.games.gooaaaaal.dice import ANY
from bolzplatz.games.gooaaaaal.flow import line_goals, seat_at, settle, start_penalty, start_shots, start_sudden_death
from bolzplatz.games.gooaaaaal.flow import throw_number as throw_number_of
from bolzplatz.games.gooaaaaal.state import (
    BALL_PLACED,
    COIN,
    EXTRA,
    FIRST,
    FIVE_GOALS,
    GOALS_TO_WIN,
    HAND,
    KEEPER_PLACED,
    MATCH,
    MATCH_SHOTS,
    MAX_DICE,
    NEXT_TURN,
    OVER,
    QUARTER_ASIDE,
    RACE,
    SECOND,
    SHOTS,
    STAGE_DONE,
    SUDDEN,
    TAP,
    THROW,
    THROWS,
    count_dice,
    tidy,
)
from bolzplatz.solve import gooaaaaal_kernels as kernels
from bolzplatz.solve.gooaaaaal_kernels import TURNS, frame_of, seat_record, turn_key
from bolzplatz.solve.part_kernels import Q_VALUE, sweep_part
from bolzplatz.solve.parts import Part, pack
from bolzplatz.solve.solution import Progress, SolveError, final_chances, say_nothing
from bolzplatz.solve.tables import Table, TableError, identity_of, keep_table, provenance, read_table, table_path
from bolzplatz.solve.turn_kernels import ONE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LAST: Final = THROWS - 1
"""The last throw of a period; the ones before it are alike."""
MIRROR_OFF: Final = 1 << 10
"""Units of ONE by which two seats that are level before a shoot-out may differ: rounding."""
MOST_ROUNDS: Final = 60


def refusal(game: Game) -> str | None:
    """Return why this variant is not solved, None where it is."""
    setup = game.setup
    if game.num_players != 2 or setup.members != 1:
        return "GOOAAAAAL! is solved for two players, not for teams or a ring"
    if setup.bonus == 1:
        return "GOOAAAAAL! is solved with four dice, not with nine: cards and off-sides tie the turns of both together"
    if setup.named == 1:
        return "GOOAAAAAL! is solved with four equal dice, not with dice that differ"
    if game.options["dice"] == ANY:
        return "GOOAAAAAL!: dice that nobody has counted have no chances"
    return None


# --- what a match is made of ----------------------------------------------------------------------------------------


def lay_record(data: Any, setup: Any, seat: int, record: int) -> None:
    """Give a seat what a record says: the inverse of `seat_record`."""
    lines, data.penalties[seat] = divmod(record, kernels.PENALTIES)
    lines, data.stopped[seat] = divmod(lines, 2)
    lines, aside = divmod(lines, MAX_DICE + 1)
    balls, keepers = divmod(lines, MAX_DICE + 1)
    places = [BALL_PLACED] * balls + [KEEPER_PLACED] * keepers + [QUARTER_ASIDE] * aside
    places += [HAND] * (setup.dice - len(places))
    data.dice[seat * MAX_DICE : seat * MAX_DICE + setup.dice] = places
    tidy(data, setup, seat)


class Turns:
    """All turns of a period as one graph, and what a seat can have before and after each of its throws.

    Attributes:
        part: the graph; its nodes are named by `turn_key`, its ends by `seat_record` and -1.
        after: for 0 to 3 throws, the records that a seat can have then.
        stations: the node in which a seat with a record throws, by (last throw, record).
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.part = Part(game, self._name)
        self.stations: dict[tuple[bool, int], int] = {}
        start = game.new_initial_state()._data
        self.after = [{seat_record(start, game.setup, 0)}]
        for throw in range(THROWS):
            self.after.append(self._after(throw))

    def _name(self, data: Any) -> tuple[Any, bool]:
        if data.mover != 0 or data.phase == OVER or (data.phase == THROW and data.again == 0):
            return (seat_record(data, self.game.setup, 0), -1), True
        return turn_key(data, self.game.setup), False

    def _station(self, throw: int, record: int) -> Any:
        """Return the data in which seat 0 makes a throw with that record; None where it does not."""
        setup = self.game.setup
        data = self.game.new_initial_state()._data
        data.turn = next(
            turn
            for turn in range(TURNS)
            if seat_at(data, setup, turn) == 0 and throw_number_of(at_turn(self.game, data, turn), setup) == throw
        )
        turn = data.turn
        lay_record(data, setup, 0, record)
        data.phase = NEXT_TURN
        settle(data, setup, None)
        return data if data.phase == THROW and data.mover == 0 and data.turn == turn else None

    def _after(self, throw: int) -> set[int]:
        found = set()
        # Throws before the last one are alike; one in the middle has both a throw before and one behind it.
        kind = LAST if throw == LAST else 1
        for record in sorted(self.after[throw]):
            data = self._station(kind, record)
            if data is None:
                found.add(record)
                continue
            node = self.part.explore(turn_key(data, self.game.setup), data)
            self.stations[throw == LAST, record] = node
            found |= {name[0] for name in self.part.ends_from(node)}
        return found


def at_turn(game: Game, data: Any, turn: int) -> Any:
    """Return a copy of a position with another turn on."""
    data = game.layout.copy(data)
    data.turn = turn
    return data


class Races:
    """Penalties, shoot-outs and sudden death: positions without choices, and the chance of the first side in each.

    That is the taker of a single penalty, and seat 0 where races decide the game.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._code = compile_functions((sweep_part,))
        data = game.new_initial_state()._data
        data.stage, data.taker = FIRST, 0
        data.penalties[:2] = [0, 0]  # a shoot-out begins with some
        start_penalty(data, game.setup, 1, None)
        self._penalty, self._penalty_part = self._solve(data, self._name_penalty)
        self.goal = self._penalty[self._name_penalty(data)[0]]
        self._stages: dict[Any, int] = {}

    def _solve(self, data: Any, name: Callable[[Any], tuple[Any, bool]]) -> tuple[dict[Any, int], Part]:
        part = Part(self.game, name)
        part.explore(name(data)[0], data)
        memory = part.memory()
        values = int(memory[Q_VALUE])
        for end in part.ends:
            memory[values + part.index[end]] = end[0]
        self._code.sweep_part(memory, 0)
        return {key: int(memory[values + node]) for key, node in part.index.items()}, part

    def _name_penalty(self, data: Any) -> tuple[Any, bool]:
        if data.phase in (RACE, TAP, COIN):
            return self._race(data, data.taker), False
        return (ONE if data.goals[0] > 0 else 0, "goal"), True

    def _race(self, data: Any, first: int) -> tuple[int, ...]:
        """Name a race as it stands; only quarters count, and dice in the hand of who throws."""
        setup, other = self.game.setup, 1 - first
        aside = (count_dice(data, setup, seat, QUARTER_ASIDE) for seat in (first, other))
        hand = count_dice(data, setup, data.mover, HAND)
        return (data.phase, int(data.mover != first), hand, *aside, data.racing[first], data.racing[other])

    def _name_stage(self, data: Any) -> tuple[Any, bool]:
        if data.phase == OVER:
            return (int(ONE * final_chances(State(self.game, data))[0]), "over"), True
        places = (data.stage, data.taker, data.keeper, data.kick, *data.penalties[:2], *data.goals[:2])
        return (*self._race(data, 0), *places), False

    def penalty(self, data: Any) -> int:
        """Return the taker's chance in the penalty that is being shot."""
        return self._penalty[self._race(data, data.taker)]

    def stage(self, data: Any) -> int:
        """Return the chance of seat 0 to win where shots or sudden death decide."""
        if self.game.setup.mode == MATCH:  # level scores: the goals of before do not matter
            data = self.game.layout.copy(data)
            least = min(data.goals[:2])
            data.goals[0] -= least
            data.goals[1] -= least
        name = self._name_stage(data)[0]
        if name not in self._stages:
            self._stages.update(self._solve(data, self._name_stage)[0])
        return self._stages[name]

    def start(self, stage: int, shots: int) -> Any:
        """Return the data of a shoot-out or a sudden death that begins with level scores."""
        data = self.game.new_initial_state()._data
        if stage == SHOTS:
            start_shots(data, self.game.setup, shots, None)
        else:
            start_sudden_death(data, self.game.setup, None)
        settle(data, self.game.setup, None)
        return data

    @property
    def positions(self) -> int:
        """How many positions of a penalty there are."""
        return len(self._penalty)


# --- the solved game ------------------------------------------------------------------------------------------------


class Gooaaaaal:
    """GOOAAAAAL! for two with four equal dice, solved."""

    def __init__(self, game: Game, table: Table | None) -> None:
        self._game, self.table = game, table
        self.races = Races(game)
        if table is not None:
            self._memory: NDArray[np.int64] = table.arrays["memory"].copy()
            self._code = compile_functions((kernels.position_worth, kernels.best_throw_action))
            self._records, self._setup = records_of(game)
            # One record and one memory are written to, and compiled code lets other threads run meanwhile.
            self._lock = Lock()

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._game

    def memory(self) -> "NDArray[np.int64]":
        """Return the tables and a turn to work out, as computer players want them (`gooaaaaal_kernels`)."""
        import numpy as np

        return self._memory.copy() if self.table is not None else np.zeros(kernels.K_SIZE, dtype=np.int64)

    def win_chances(self, state: State) -> tuple[float, ...]:
        """Return each seat's chance to win from this position when both play best."""
        if state.is_terminal():
            return final_chances(state)
        chance = self._first_worth(state._data) / ONE
        return (chance, 1 - chance)

    def _first_worth(self, data: Any) -> int:
        """Return seat 0's chance out of ONE."""
        if data.phase in (RACE, TAP, COIN):
            if data.stage in (SHOTS, SUDDEN):
                return self.races.stage(data)
            return self._penalty_worth(data)
        with self._lock:
            self._game.layout.to_record(data, self._records[0])
            worth = int(self._code.position_worth(self._memory, 0, self._records[0], self._setup))
        if worth < 0:
            raise SolveError(f"{self._game.name}: no match leads to this position")
        return worth if data.mover == 0 else ONE - worth

    def _penalty_worth(self, data: Any) -> int:
        """Return seat 0's chance while a penalty is being shot."""
        begins, other = data.starter, 1 - data.starter
        mine, theirs = data.goals[begins], data.goals[other]
        left = (data.penalties[begins], data.penalties[other])
        goal = int(data.taker == begins)
        missed = self.periods.with_penalties(data.stage, (mine, theirs), left)
        scored = self.periods.with_penalties(data.stage, (mine + goal, theirs + 1 - goal), left)
        chance = self.races.penalty(data)
        worth = (chance * scored + (ONE - chance) * missed) // ONE
        return worth if begins == 0 else ONE - worth

    @cached_property
    def periods(self) -> "Periods":
        """What follows on a period, by the chances in the tables."""
        assert self.table is not None
        starts = dict(enumerate(int(worth) for worth in self.table.arrays["starts"]))
        return Periods(self._game, self.races, starts, leads_of(self._memory))

    def prospects(self, state: State) -> dict[str, float]:
        """Return `goal` while a penalty is being shot: the chance that it becomes one."""
        data = state._data
        if data.phase in (RACE, TAP, COIN) and data.stage not in (SHOTS, SUDDEN):
            return {"goal": self.races.penalty(data) / ONE}
        return {}

    def facts(self) -> dict[str, Any]:
        """Return the figures of the solved game, JSON-able."""
        start = self.win_chances(self._game.new_initial_state())[0]
        facts: dict[str, Any] = {"starter": start, "penalty_goal": self.races.goal / ONE}
        if self.table is not None:
            starts = [int(worth) / ONE for worth in self.table.arrays["starts"]]
            if self._game.setup.mode == FIVE_GOALS:
                facts["chance_of_who_begins"] = [
                    {"goals": f"{place // GOALS_TO_WIN}:{place % GOALS_TO_WIN}", "chance": round(chance, 6)}
                    for place, chance in enumerate(starts)
                ]
            else:
                leads = leads_of(self._memory)
                facts["extra_period"] = starts[1]
                facts["chance_of_who_begins_the_second_half"] = [
                    {"lead": lead, "chance": round(starts[2 + leads + lead], 6)} for lead in range(-leads, leads + 1)
                ]
            facts |= {
                "positions": len(self._memory) - int(self._memory[kernels.K_TABLE]),
                "turn_positions": int(self._memory[kernels.K_KEY_COUNT]),
                "table": str(self.table.path),
                "table_bytes": self.table.path.stat().st_size,
                "provenance": self.table.header["provenance"],
            }
        return facts


def leads_of(memory: "NDArray[np.int64]") -> int:
    """Return the largest lead that the tables know."""
    return int(memory[kernels.K_LEADS])


def records_of(game: Game) -> tuple[Any, Any]:
    """Return one state record of a game, and its setup as a record."""
    import numpy as np

    from bolzplatz.core.declare import layout_of

    records = np.zeros(1, dtype=game.layout.dtype())
    setups = np.zeros(1, dtype=layout_of(game.spec.setup).dtype())
    layout_of(game.spec.setup).to_record(game.setup, setups[0])
    return records, setups[0]


class Periods:
    """What follows on a period, seen from the side that began it.

    Attributes:
        starts: by frame, the chance of who begins, out of ONE.
        leads: the largest lead before a second half.
    """

    def __init__(self, game: Game, races: Races, starts: dict[int, int], leads: int) -> None:
        self.game, self.races, self.starts, self.leads = game, races, starts, leads
        self._next: dict[tuple[int, int, int], Any] = {}

    def after(self, stage: int, mine: int, theirs: int) -> int:
        """Return the chance of who began, once a period is over with these goals."""
        known = (stage, mine, theirs)
        if known not in self._next:
            self._next[known] = self._follow(*known)
        data = self._next[known]
        if data.phase == OVER:
            return int(ONE * final_chances(State(self.game, data))[0])
        if data.phase == THROW:
            other = 1 - data.starter
            worth = self.starts[
                frame_of(self.game.setup, self.leads, data.stage, data.goals[data.starter], data.goals[other])
            ]
            return worth if data.starter == 0 else ONE - worth
        return self.races.stage(data)

    def _follow(self, stage: int, mine: int, theirs: int) -> Any:
        """Let the rules go on after a period that seat 0 began."""
        data = self.game.new_initial_state()._data
        data.stage, data.phase, data.turn = stage, STAGE_DONE, 0
        data.goals[0], data.goals[1] = mine, theirs
        settle(data, self.game.setup, None)
        return data

    def with_penalties(self, stage: int, goals: tuple[int, int], left: tuple[int, int]) -> int:
        """Return the same with penalties of both sides still to be shot; who began comes first."""
        return self._folded(stage, *goals, *left, {})

    def _folded(self, stage: int, mine: int, theirs: int, ours: int, others: int, known: dict[Any, int]) -> int:
        key = (mine, theirs, ours, others)
        if key not in known:
            goal = self.races.goal
            if ours > 0:
                scored = self._folded(stage, mine + 1, theirs, ours - 1, others, known)
                missed = self._folded(stage, mine, theirs, ours - 1, others, known)
            elif others > 0:
                scored = self._folded(stage, mine, theirs + 1, ours, others - 1, known)
                missed = self._folded(stage, mine, theirs, ours, others - 1, known)
            else:
                known[key] = self.after(stage, mine, theirs)
                return known[key]
            known[key] = (goal * scored + (ONE - goal) * missed) // ONE
        return known[key]

    def count(self, stage: int, mine: int, theirs: int, results: list[list[int]]) -> list[int]:
        """Return the chances of who began before penalties are shot, for results (goals, theirs, penalties, theirs)."""
        known: dict[Any, int] = {}
        return [self._folded(stage, mine + a, theirs + b, ours, others, known) for a, b, ours, others in results]


# --- solving ------------------------------------------------------------------------------------------------------


def identity(game: Game) -> dict[str, Any]:
    """Return what a table of this game must say of itself."""
    return identity_of(game, (Part.explore, Part.memory, Turns._after, kernels.fill_frame, Periods.after, _Run.solve))


def solve(
    game: Game,
    progress: Progress = say_nothing,
    workers: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Gooaaaaal:
    """Return the solved game, from its table where there is a sound one; it takes seconds, on one core.

    Raises SolveError for variants that are not solved (`refusal`).
    """
    del workers
    if reason := refusal(game):
        raise SolveError(reason)
    if game.setup.mode not in (FIVE_GOALS, MATCH):
        progress(1.0, "solved")
        return Gooaaaaal(game, None)
    names = identity(game)
    path = table_path(names)
    with contextlib.suppress(TableError):
        return Gooaaaaal(game, read_table(path, names))
    began = clock()
    arrays = _Run(game, progress).solve()
    table = keep_table(path, names, provenance(seconds=round(clock() - began, 1)), arrays)
    progress(1.0, "solved")
    return Gooaaaaal(game, table)


class _Run:
    """One run of the solver."""

    def __init__(self, game: Game, progress: Progress) -> None:
        import numpy as np

        self.game, self.progress = game, progress
        progress(0.0, "following a turn")
        self.turns = Turns(game)
        self.races = Races(game)
        self.records = sorted(set[int]().union(*self.turns.after))
        self.after = [sorted(records) for records in self.turns.after]
        most = max(record % kernels.PENALTIES for record in self.records)
        if most + 1 >= kernels.PENALTIES:
            raise SolveError(f"{game!r}: more penalties in a period than there is room for")
        self.leads = game.setup.dice + most if game.setup.mode == MATCH else 0
        self.memory = self._memory()
        kinds, self.places = np.unique(self._results(), axis=0, return_inverse=True)
        self.results: list[list[int]] = kinds.tolist()
        self.code = compile_functions((kernels.fill_frame,))
        self.periods = Periods(game, self.races, {}, self.leads)

    def _frames(self) -> int:
        return GOALS_TO_WIN**2 if self.game.setup.mode == FIVE_GOALS else 2 * self.leads + 3

    def _memory(self) -> "NDArray[np.int64]":
        import numpy as np

        setup, part, count = self.game.setup, self.turns.part, len(self.records)
        place = {record: i for i, record in enumerate(self.records)}
        position, listed = [-1] * (count * len(self.after)), [0] * (count * len(self.after))
        for throws, records in enumerate(self.after):
            for i, record in enumerate(records):
                position[throws * count + place[record]] = i
                listed[throws * count + i] = place[record]
        stations, ends = [-1] * (2 * count), [-1] * count
        for (last, record), node in self.turns.stations.items():
            stations[last * count + place[record]] = node
        for name in part.ends:
            ends[place[name[0]]] = part.index[name]
        keys = sorted(key for key in part.index if isinstance(key, int))
        turns = [seat_at(self.game.new_initial_state()._data, setup, turn) for turn in range(TURNS)]
        layers, size = [0], 0
        for turn in range(TURNS + 1):
            size += len(self.after[turns[:turn].count(0)]) * len(self.after[turns[:turn].count(1)])
            layers.append(size)
        header = [0] * kernels.K_SIZE
        header[kernels.K_COUNT], header[kernels.K_KEY_COUNT] = count, len(keys)
        header[kernels.K_FRAME], header[kernels.K_LEADS], header[kernels.K_READY] = size, self.leads, kernels.NOT_READY
        content: dict[int, list[int] | NDArray[np.int64]] = {
            kernels.K_PART: part.memory(),
            kernels.K_RECORDS: self.records,
            kernels.K_POSITION: position,
            kernels.K_AFTER: [len(records) for records in self.after],
            kernels.K_LIST: listed,
            kernels.K_STATION: stations,
            kernels.K_END: ends,
            kernels.K_KEYS: keys,
            kernels.K_KEY_NODE: [part.index[key] for key in keys],
            kernels.K_TURNS: turns,
            kernels.K_LAYER: layers,
            kernels.K_TABLE: np.zeros(self._frames() * size, dtype=np.int64),
        }
        return pack(header, content)

    def _results(self) -> "NDArray[np.int64]":
        """Return goals and penalties of both sides for every pair of records at the count, by the rules."""
        import numpy as np

        setup, data = self.game.setup, self.game.new_initial_state()._data
        found = []
        for mine in self.after[THROWS]:
            lay_record(data, setup, 0, mine)
            for theirs in self.after[THROWS]:
                lay_record(data, setup, 1, theirs)
                goals = [line_goals(data, setup, seat, 0) for seat in (0, 1)]
                found.append([*goals, mine % kernels.PENALTIES, theirs % kernels.PENALTIES])
        return np.array(found, dtype=np.int64)

    def _start(self, stage: int, mine: int, theirs: int) -> int:
        """Return the chance of who begins a period, by what is known of those that follow."""
        import numpy as np

        frame = frame_of(self.game.setup, self.leads, stage, mine, theirs)
        size, layers = int(self.memory[kernels.K_FRAME]), int(self.memory[kernels.K_LAYER])
        at = int(self.memory[kernels.K_TABLE]) + frame * size + int(self.memory[layers + TURNS])
        worths = np.array(self.periods.count(stage, mine, theirs, self.results), dtype=np.int64)
        self.memory[at : at + len(self.places)] = worths[self.places.ravel()]
        return int(self.code.fill_frame(self.memory, 0, frame))

    def solve(self) -> "dict[str, NDArray[np.int64]]":
        """Solve all periods and return the arrays of the table."""
        import numpy as np

        if self.game.setup.mode == FIVE_GOALS:
            self._five_goals()
        else:
            self._match()
        starts = np.array([self.periods.starts[frame] for frame in range(self._frames())], dtype=np.int64)
        return {"memory": self.memory, "starts": starts}

    def _five_goals(self) -> None:
        """From the highest scores down: a score and the mirrored one lead to each other by periods without a goal."""
        scores = [(i, j) for i in range(GOALS_TO_WIN) for j in range(i + 1)]
        for done, (high, low) in enumerate(sorted(scores, key=lambda score: -sum(score))):
            self.progress(done / len(scores), "solving")
            self._settle_pair(high, low)

    def _settle_pair(self, high: int, low: int) -> None:
        """Find the chance at high:low that comes out again once both sides have begun there; a level pair is one."""
        here, there = high * GOALS_TO_WIN + low, low * GOALS_TO_WIN + high
        starts = self.periods.starts
        guess, before = ONE // 2, None
        for _ in range(MOST_ROUNDS):
            starts[here] = guess
            if there != here:
                starts[there] = self._start(FIRST, low, high)
            found = self._start(FIRST, high, low)
            off = found - guess
            starts[here] = found
            if abs(off) <= 1:
                return
            slope = 0.0 if before is None else (found - before[1]) / (guess - before[0])
            before = (guess, found)
            guess += round(off / (1 - slope))
            if guess == before[0]:
                guess = found
        raise SolveError(f"{self.game!r}: the values of {high}:{low} do not settle")

    def _match(self) -> None:
        """From the extra period back to the first half."""
        level = self.races.stage(self.races.start(SHOTS, MATCH_SHOTS))
        if abs(2 * level - ONE) > MIRROR_OFF:
            raise SolveError(f"{self.game!r}: the shoot-out favours a side, so that periods cannot be mirrored")
        starts = self.periods.starts
        starts[1] = self._start(EXTRA, 0, 0)
        for lead in range(-self.leads, self.leads + 1):
            self.progress((lead + self.leads) / (2 * self.leads + 2), "solving")
            starts[2 + self.leads + lead] = self._start(SECOND, max(lead, 0), max(-lead, 0))
        starts[0] = self._start(FIRST, 0, 0)
