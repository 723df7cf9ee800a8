"""`bolzplatz games`: which games there are, and what can be set in each."""

import argparse
from typing import TYPE_CHECKING, Any

from bolzplatz.cli.common import DONE, add_game, add_json, levels_of, new_table, open_console, print_json
from bolzplatz.core.spec import GameSpec, show_value
from bolzplatz.games import game_names, game_spec

if TYPE_CHECKING:
    from rich.table import Table


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "games",
        help="list the games, and the options of one",
        description="List all games; with GAME, everything that can be set in it.",
    )
    add_game(parser, optional=True)
    add_json(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    specs = [game_spec(name) for name in ([given.game] if given.game else game_names())]
    if given.json:
        described = [_describe(spec) for spec in specs]
        print_json(described[0] if given.game else {"games": described})
        return DONE
    console = open_console()
    console.print(_games_table(specs))
    if given.game:
        console.print(_options_table(specs[0]))
    else:
        console.print("bolzplatz games GAME lists the options of one; bolzplatz rules GAME tells how it is played.")
    return DONE


def _describe(spec: GameSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "source": spec.source,
        "rules_version": spec.rules_version,
        "min_players": spec.min_players,
        "max_players": spec.max_players,
        "perfect_information": spec.perfect_information,
        "levels": list(levels_of(spec.name)),
        "options": [
            {
                "name": option.name,
                "type": option.kind.__name__,
                "values": option.values(),
                "default": option.default,
                "ruling": option.ruling,
                "meaning": option.doc,
            }
            for option in spec.options
        ],
    }


def _games_table(specs: list[GameSpec]) -> "Table":
    table = new_table("game", "title", "players", "computer players", "rules version")
    for spec in specs:
        few, many = spec.min_players, spec.max_players
        players = str(few) if few == many else f"{few} to {many}"
        table.add_row(spec.name, spec.title, players, ", ".join(levels_of(spec.name)) or "none", spec.rules_version)
    return table


def _options_table(spec: GameSpec) -> "Table":
    table = new_table("name", "values", "default", "meaning", "ruling", title="Options, for --set name=value")
    for option in spec.options:
        table.add_row(option.name, option.values(), show_value(option.default), option.doc, option.ruling)
    return table
