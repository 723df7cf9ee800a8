"""The conformance kit: `check_game(game)` runs every promise of the public interface against any game.

A new game costs one test line. Each check raises ConformanceError with a sentence that names the game, the promise and
the history that broke it, so that `game.replay(history)` leads there again.
"""

import itertools
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from bolzplatz.core.drivers import draw_from
from bolzplatz.core.errors import IllegalActionError, OptionError
from bolzplatz.core.events import RawEvent
from bolzplatz.core.fast import FastStream
from bolzplatz.core.forms import FORM_DICE, form_count, form_kind, form_sides
from bolzplatz.core.game import Entry, Game, State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS
from bolzplatz.core.spec import GameSpec, OptionValue

MOST_THROWS: Final = 50_000
"""Up to so many ordered throws of a node are enumerated to check how faces map to outcomes."""


class ConformanceError(AssertionError):
    """A game breaks a promise of the interface."""


def check_game(
    game: Game, matches: int = 20, seed: int = 1, limit: int = 2_000, compiled: bool = True, boundscheck: bool = False
) -> None:
    """Play random matches and check every promise at every state; raises ConformanceError.

    Args:
        game: the game with its options.
        matches: how many matches to play.
        seed: of all random choices.
        limit: steps after which a match is left.
        compiled: also run the compiled rules in lock-step.
        boundscheck: let the compiled rules check every index.
    """
    engine = None
    if compiled:
        from bolzplatz.core.engine import Engine

        engine = Engine(game, boundscheck=boundscheck)
    seen_forms: set[tuple[Any, ...]] = set()
    for match in range(matches):
        _Walk(game, FastStream(seed, match), engine, seen_forms).run(limit)


class _Walk:
    """One random match, checked step by step."""

    def __init__(self, game: Game, luck: FastStream, engine: Any, seen_forms: set[tuple[Any, ...]]) -> None:
        self.game, self.luck, self.engine, self.seen_forms = game, luck, engine, seen_forms
        self.state = game.new_initial_state()
        self.kept: list[tuple[State, str]] = []

    def demand(self, holds: bool, promise: str) -> None:
        if not holds:
            raise ConformanceError(f"{self.game!r}: {promise}; history {self.state.history()[-40:]}")

    def run(self, limit: int) -> None:
        if self.engine is not None:
            self.engine.load(self.state)
        for step in range(limit):
            self.check_values()
            self.check_views()
            if self.luck.below(8) == 0 or step < 3:
                self.check_saving()
            if self.state.is_terminal():
                self.check_end()
                break
            self.check_node()
            self.advance()
        self.check_saving()
        self.demand(all(copy.to_json() == text for copy, text in self.kept), "a copy has changed")

    # --- the checks -------------------------------------------------------------------------------------------

    def check_values(self) -> None:
        """Bounds, scores and returns."""
        faults = self.game.layout.faults(self.state._data)
        self.demand(not faults, f"out of bounds: {faults}")
        returns, scores = self.state.returns(), self.state.scores()
        self.demand(len(returns) == len(scores) == self.game.num_players, "returns and scores are one a seat")
        self.demand(abs(sum(returns)) < 1e-9, "returns sum to zero")
        length = self.state.move_number()
        self.demand(self.game.max_length is None or length <= self.game.max_length, "longer than max_length")
        self.demand(bool(str(self.state)), "a board can be read")

    def check_views(self) -> None:
        """What a seat sees does not depend on what it may not see; where nothing is hidden, any one seat will do."""
        seats = range(self.game.num_players)
        looked = (self.luck.below(len(seats)),) if self.game.spec.perfect_information else (None, *seats)
        for seat in looked:
            view = self.state.view(seat)
            self.demand(json.loads(json.dumps(view))["players"] == self.game.num_players, "a view is JSON-able")
            blank = State(self.game, self.state.masked(seat))
            self.demand(blank.view(seat) == view, f"the view of seat {seat} tells what is hidden from it")
            if seat is not None:
                observed = self.state.observation(seat)
                self.demand(blank.observation(seat) == observed, f"the observation of seat {seat} tells what is hidden")

    def check_saving(self) -> None:
        """Saving, loading, replaying and copying give equal states that share nothing."""
        text = self.state.to_json()
        loaded = self.game.state_from_json(text)
        replayed = self.game.replay(self.state.history())
        for other in (loaded, replayed, self.state.clone()):
            self.demand(other == self.state and hash(other) == hash(self.state), "a copy equals its state")
            self.demand(other.key() == self.state.key(), "equal states have equal keys")
            self.demand(other.events(None) == self.state.events(None), "a copy has the same events")
            self.demand(other.history() == self.state.history(), "a copy has the same history")
        for seat in (None, *range(self.game.num_players)):
            self.demand(all(json.dumps(event.to_dict()) for event in self.state.events(seat)), "events are JSON-able")
        self.kept.append((loaded, text))
        if self.game.spec.resample is not None:
            self.check_resampling()

    def check_resampling(self) -> None:
        """What is drawn for the hidden things is possible, and leaves all that a seat sees as it is."""
        for seat in (None, *range(self.game.num_players)):
            drawn = self.state.resample(seat, FastStream(len(self.kept)))
            self.demand(not self.game.layout.faults(drawn._data), "what is resampled is within its bounds")
            self.demand(drawn.masked(seat) == self.state.masked(seat), f"seat {seat} sees what it saw")
            if seat is not None:
                self.demand(drawn.legal_actions(seat) == self.state.legal_actions(seat), f"seat {seat} may do the same")

    def check_end(self) -> None:
        self.demand(self.state.legal_actions() == [], "no action is legal when the match is over")
        self.demand(self.state.roller() is None, "nobody throws when the match is over")
        try:
            self.state.clone().apply_action(0)
        except IllegalActionError:
            return
        self.demand(False, "nothing can be applied when the match is over")

    def check_node(self) -> None:
        player = self.state.current_player()
        if player == CHANCE:
            self.check_chance()
            return
        seats = range(self.game.num_players) if player == SIMULTANEOUS else [player]
        for seat in seats:
            self.check_decision(seat)
        if player != SIMULTANEOUS:
            others = (seat for seat in range(self.game.num_players) if seat != player)
            self.demand(
                all(self.state.legal_actions(seat) == [] for seat in others), "only the seat to act has actions"
            )

    def check_decision(self, seat: int) -> None:
        """The list of legal actions, the reasons for refusals and the notation agree with each other."""
        state, game = self.state, self.game
        legal = state.legal_actions(seat)
        self.demand(bool(legal) and legal == sorted(set(legal)), "legal actions ascend, and there is one at least")
        allowed = [
            action
            for action in range(game.num_actions)
            if game.rules.refusal(state._data, game.setup, seat, action) == 0
        ]
        self.demand(allowed == legal, f"legal actions {legal} are those that no reason refuses {allowed}")
        texts = [state.action_to_string(action, seat) for action in legal]
        self.demand(len(set(texts)) == len(texts), f"every action has a name of its own: {texts}")
        read = [state.string_to_action(text, seat) for text in texts]
        self.demand(read == legal, f"names read back: {texts}")

    def check_chance(self) -> None:
        """Outcomes have names, exact probabilities that sum to one, and follow from the faces of the form."""
        state, game = self.state, self.game
        outcomes = state.chance_outcomes()
        ids = [outcome for outcome, _ in outcomes]
        self.demand(sum(chance for _, chance in outcomes) == 1, "chances sum to one exactly")
        self.demand(all(isinstance(chance, Fraction) and chance > 0 for _, chance in outcomes), "chances are fractions")
        self.demand(ids == sorted(set(ids)) == state.legal_actions(), "outcome ids ascend")
        self.demand(len(ids) <= game.max_chance_outcomes > max(ids), "outcomes are fewer than max_chance_outcomes")
        roller = state.roller()
        self.demand(roller is None or 0 <= roller < game.num_players, "the roller is a seat or nobody")
        if len(ids) < 50 or self.luck.below(20) == 0:
            texts = [state.action_to_string(outcome) for outcome in ids]
            self.demand(len(set(texts)) == len(texts), "every outcome has a name of its own")
            self.demand([state.string_to_action(text) for text in texts] == ids, "names of outcomes read back")
        self.check_form(outcomes)

    def check_form(self, outcomes: list[tuple[int, Fraction]]) -> None:
        """All ordered throws, mapped to outcomes, come up as often as the weights say."""
        form = self.state.chance_form()
        if form_kind(form) != FORM_DICE or form_sides(form) ** form_count(form) > MOST_THROWS:
            return
        signature = (form, *outcomes)
        if signature in self.seen_forms:
            return
        self.seen_forms.add(signature)
        counts: dict[int, int] = {}
        for faces in itertools.product(range(form_sides(form)), repeat=form_count(form)):
            outcome = self.game.rules.outcome_of(self.state._data, self.game.setup, list(faces))
            counts[outcome] = counts.get(outcome, 0) + 1
        total = sum(counts.values())
        found = sorted((outcome, Fraction(count, total)) for outcome, count in counts.items())
        self.demand(found == outcomes, "faces map to outcomes as the weights say")

    # --- moving on --------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Apply a random action or outcome; the compiled rules must do the same, events included."""
        state, player = self.state, self.state.current_player()
        before = len(state._events)
        entry: Entry
        if player == CHANCE:
            entry = draw_from(self.luck, state).outcome
            state.apply_action(entry)
        elif player == SIMULTANEOUS:
            entry = tuple(self.choose(state.legal_actions(seat)) for seat in range(self.game.num_players))
            state.apply_actions(entry)
        else:
            entry = self.choose(state.legal_actions())
            state.apply_action(entry)
        if self.engine is not None:
            self.check_compiled(entry, state._events[before:])

    def choose(self, actions: list[int]) -> int:
        return actions[self.luck.below(len(actions))]

    def check_compiled(self, entry: Entry, events: list[RawEvent]) -> None:
        state, step = self.state, self.state.move_number() - 1
        compiled_events = [event._replace(step=step) for event in self.engine.apply(entry)]
        self.demand(self.engine.data() == state._data, f"compiled rules agree: {self.engine.data()} {state._data}")
        self.demand(compiled_events == events, f"compiled events agree: {compiled_events} {events}")
        player = state.current_player()
        for seat in range(self.game.num_players):
            looked = self.engine.look(seat)
            self.demand(looked == (player, state.legal_actions(seat)), f"compiled legal actions agree: {looked}")


# --- option covers ----------------------------------------------------------------------------------------------


def option_cover(spec: GameSpec) -> Iterator[dict[str, OptionValue]]:
    """Yield options so that every pair of sample values that can occur together does (pairwise cover), defaults first.

    Pairs that the game refuses together, with all else at its default, are left out.
    """
    samples = {option.name: option.samples() for option in spec.options}
    defaults = {option.name: option.default for option in spec.options}

    def allowed(options: dict[str, OptionValue]) -> bool:
        try:
            Game(spec, dict(options))
        except OptionError:
            return False
        return True

    waiting = [
        {a: value_a, b: value_b}
        for a, b in itertools.combinations(samples, 2)
        for value_a, value_b in itertools.product(samples[a], samples[b])
        if allowed({**defaults, a: value_a, b: value_b})
    ]
    yield dict(defaults)
    waiting = [pair for pair in waiting if any(defaults[name] != value for name, value in pair.items())]
    while waiting:
        options = defaults | waiting.pop(0)
        for pair in waiting.copy():
            fixed = {name: value for name, value in options.items() if value != defaults[name]}
            if all(fixed.get(name, value) == value for name, value in pair.items()) and allowed(options | pair):
                options |= pair
        waiting = [pair for pair in waiting if any(options[name] != value for name, value in pair.items())]
        yield options
