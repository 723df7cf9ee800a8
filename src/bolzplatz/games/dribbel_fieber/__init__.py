"""Spiel mit Lukas: Dribbel-Fieber, Kick'n'Run (Queen Games 2010, Stefan Feld and Wolfgang Panning).

Two sides of five figures, a ball, and cards that move them: twelve turns of chase or free action, cards, buying and a
shot. `pitch` and `state` say what there is, `moves` what may be done, `play` what follows, `edition` what the box shows
(data files in `editions`), `notation` and `words` how all of it reads. Here they are put together. Paragraphs
(`dribbel-fieber §4`) are those of docs/rules/dribbel-fieber.*.md. The Champion version is not in our sources.
"""

from typing import Final

from bolzplatz.core.errors import OptionError
from bolzplatz.core.spec import DataFile, GameSpec, Notation, Option, Options, Rules
from bolzplatz.games.dribbel_fieber.codes import NUM_ACTIONS
from bolzplatz.games.dribbel_fieber.edition import (
    COLOUR_NAMES,
    SHIPPED,
    Path,
    distances,
    normal_form,
    read_edition,
)
from bolzplatz.games.dribbel_fieber.moves import legal, refusal
from bolzplatz.games.dribbel_fieber.notation import action_text, face_text, outcome_text, read_action, read_outcome
from bolzplatz.games.dribbel_fieber.pitch import SPACES
from bolzplatz.games.dribbel_fieber.play import (
    apply,
    chance_count,
    chance_form,
    chance_weight,
    drawer,
    outcome_of,
    player_to_act,
    resample,
    roller,
    scores,
    set_up,
    winners,
)
from bolzplatz.games.dribbel_fieber.state import (
    CARDS,
    ENTER,
    KINDS,
    LEAVE_FORWARD,
    MAX_PATHS,
    NO_LIMIT,
    RUNNING,
    VOLLEY,
    Setup,
    State,
)
from bolzplatz.games.dribbel_fieber.words import EVENTS, REFUSALS, board, shown

NAME: Final = "dribbel-fieber"
METRICS: Final = ("orthogonal", "king", "symbol")
DECKS: Final = ("edition", "any")
WALL_RULES: Final = {"leave_forward": LEAVE_FORWARD, "enter": ENTER}

OPTIONS: Final = (
    Option(
        "edition",
        str,
        SHIPPED[0],
        "dribbel-fieber §11",
        "what board, figures, cards and coins show: one that ships with Bolzplatz, or your own",
        form=f"{' or '.join(SHIPPED)}, or the text of an edition",
        examples=SHIPPED,
        normal=normal_form,
    ),
    Option(
        "start_coins",
        int,
        2,
        "D-1, dribbel-fieber §1",
        "coins of each player at the start",
        low=0,
        high=50,
        examples=(0, 4),
    ),
    Option(
        "bank_limit",
        int,
        None,
        "D-2, dribbel-fieber §1",
        "coins in the whole game; none: as many as are needed",
        low=0,
        high=200,
        nullable=True,
        examples=(4, 40),
    ),
    Option(
        "metric",
        str,
        METRICS[0],
        "D-3, dribbel-fieber §3",
        "how the chase counts: along columns and rows, also slantwise, or in free actions",
        choices=METRICS,
    ),
    Option("wall_blocks_free_action", bool, True, "D-9, dribbel-fieber §2", "walls stop the free action as well"),
    Option(
        "wall_rule",
        str,
        "leave_forward",
        "D-10, dribbel-fieber §2",
        "what a wall forbids toward its goal: to leave its space, or to enter it",
        choices=tuple(WALL_RULES),
    ),
    Option(
        "capacity_in_passing",
        bool,
        False,
        "D-13, dribbel-fieber §2",
        "a figure may not pass two of its own team either",
    ),
    Option(
        "comp_without_shot",
        bool,
        False,
        "D-42, dribbel-fieber §7",
        "every turn without a goal brings a coin, shot or not",
    ),
    Option(
        "deck",
        str,
        DECKS[0],
        "dribbel-fieber §10",
        "which action cards may be drawn; `any`: cards of a real box that nobody has counted, and odds mean nothing",
        choices=DECKS,
    ),
)


def encode(options: Options) -> Setup:
    """Turn options and edition into the setup; raises OptionError where they do not fit."""
    edition = read_edition(str(options["edition"]))
    start_coins = int(options["start_coins"] or 0)
    bank = NO_LIMIT if options["bank_limit"] is None else int(options["bank_limit"])
    if bank != NO_LIMIT and bank < 2 * start_coins:
        raise OptionError(
            f"{NAME}: option bank_limit is {bank}; two players start with {start_coins} coins each (D-1, D-2)",
            "bank_limit",
        )
    symbols = [*edition.paths, *(poldi.paths for poldi in edition.poldi), edition.free_action]
    actions = [*range(KINDS), *(VOLLEY if poldi.card is None else poldi.card for poldi in edition.poldi), RUNNING]
    return Setup(
        seats=2,
        start=list(edition.start),
        kick_off=edition.kick_off,
        goal=edition.goal,
        area=[int(space in edition.area) for space in range(SPACES)],
        bonus=list(edition.bonus),
        colour=list(edition.colour),
        colour_word=[COLOUR_NAMES.index(name) for name in edition.colours],
        attack=list(edition.attack),
        action=actions,
        paths=[len(paths) for paths in symbols],
        path=[code for paths in symbols for code in _path_codes(paths)],
        distance=distances(str(options["metric"]), edition.free_action),
        count=list(edition.counts),
        poldi_number=[poldi.number for poldi in edition.poldi],
        poldi_price=[poldi.price for poldi in edition.poldi],
        ones=edition.ones,
        twos=edition.twos,
        start_coins=start_coins,
        bank=bank,
        wall_rule=WALL_RULES[str(options["wall_rule"])],
        wall_blocks_free_action=int(bool(options["wall_blocks_free_action"])),
        capacity_in_passing=int(bool(options["capacity_in_passing"])),
        comp_without_shot=int(bool(options["comp_without_shot"])),
        any_card=DECKS.index(str(options["deck"])),
    )


def _path_codes(paths: tuple[Path, ...]) -> list[int]:
    """Pack the ways of one symbol, filled up to MAX_PATHS (`Setup.path`)."""
    codes = [sum((direction + 1) << 4 * i for i, direction in enumerate(path)) for path in paths]
    return codes + [0] * (MAX_PATHS - len(codes))


def edition_name(value: str) -> str:
    """Return title and digest of an edition, for headings."""
    edition = read_edition(value)
    return f"{edition.title} ({edition.digest()})"


def begin(s: State, o: Setup) -> None:
    """Lay the game out and toss the coin (dribbel-fieber §1)."""
    set_up(s, o)


GAME: Final = GameSpec(
    name=NAME,
    title="Spiel mit Lukas: Dribbel-Fieber",
    source="Queen Games 2010, Stefan Feld and Wolfgang Panning; Kick'n'Run",
    rules_version="1",
    min_players=2,
    max_players=2,
    perfect_information=False,
    options=OPTIONS,
    encode=encode,
    state=State,
    setup=Setup,
    rules=Rules(
        begin=begin,
        player_to_act=player_to_act,
        roller=roller,
        legal=legal,
        refusal=refusal,
        chance_count=chance_count,
        chance_weight=chance_weight,
        chance_form=chance_form,
        outcome_of=outcome_of,
        apply=apply,
        winners=winners,
        scores=scores,
    ),
    notation=Notation(action_text, outcome_text, read_action, read_outcome),
    num_actions=lambda _o: NUM_ACTIONS,
    max_chance_outcomes=lambda _o: CARDS,
    max_length=lambda _o: None,  # bounce-backs may come up for ever
    events=EVENTS,
    refusals=REFUSALS,
    board=board,
    shown=shown,
    resample=resample,
    drawer=drawer,
    face_text=face_text,
    data_file=DataFile("edition", "an edition in TOML (docs/edition.md)", show=edition_name),
)
