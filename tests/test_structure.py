"""The house itself: who may import whom, what every game must bring along, and what no file may say."""

import ast
import string
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bolzplatz
from bolzplatz.core.events import EVENT_WIDTH
from bolzplatz.core.spec import show_value
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.games import game_spec

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "bolzplatz"
MODULES = sorted(SOURCE.rglob("*.py"))

ALLOWED = {
    "core": {"core"},
    "games": {"core", "games"},
    "testing": {"core", "games"},
    "solve": {"core", "games", "solve"},
    "bots": {"core", "games", "solve", "bots"},
    "simulate": {"core", "games", "bots", "solve", "simulate"},
    "table": {"core", "games", "solve", "bots", "table"},
    "web": {"core", "games", "bots", "solve", "simulate", "table", "web"},
    "adapters": {"core", "games", "bots", "table", "web", "adapters"},
    "cli": {"core", "games", "bots", "solve", "simulate", "adapters", "table", "web", "cli", "testing"},
    "__main__": {"cli"},
    "__init__": {"core", "games"},
}
"""The rooms of the package, and whom each may know: imports point downward only."""

every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
every_game = pytest.mark.parametrize("game", bolzplatz.game_names())


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(tree: ast.AST, package: str) -> Iterator[tuple[ast.stmt, str]]:
    """Every imported module with its full name, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: 1 - node.level or None]) + "." if node.level else ""
            module = (base + (node.module or "")).rstrip(".")
            # `from bolzplatz import table` names a module as well.
            yield from ((node, f"{module}.{alias.name}" if module == "bolzplatz" else module) for alias in node.names)


def package_of(path: Path) -> str:
    return ".".join(("bolzplatz", *path.relative_to(SOURCE).parent.parts))


@every_module
def test_imports_point_downward(path):
    allowed = ALLOWED[room_of(path)]
    for node, module in imports(ast.parse(path.read_text(encoding="utf-8")), package_of(path)):
        top, _, rest = module.partition(".")
        if top == "bolzplatz":
            room = rest.partition(".")[0]
            public = room in bolzplatz.__all__ or not room
            assert room in allowed or public, f"line {node.lineno}: {room_of(path)} must not know {module}"
            assert not (public and room_of(path) in ("core", "games")), f"line {node.lineno}: {module}"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if room_of(path) in ("core", "games", "bots", "testing", "__init__")],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_the_lower_rooms_need_nothing_but_python_to_be_imported(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(node) for outer in ast.walk(tree) if _runs_later(outer) for node in ast.walk(outer)}
    for node, module in imports(tree, package_of(path)):
        if id(node) not in inside:
            top = module.partition(".")[0]
            assert top == "bolzplatz" or top in sys.stdlib_module_names, f"line {node.lineno}: {module}"


def _runs_later(node: ast.AST) -> bool:
    checking = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or checking


def test_the_import_test_sees_every_kind_of_import():
    text = "import bolzplatz.web.app\nfrom bolzplatz import table\n"
    text += "def f():\n    from ..cli import main\n    from . import x"
    found = [module for _, module in imports(ast.parse(text), "bolzplatz.core")]
    assert found == ["bolzplatz.web.app", "bolzplatz.table", "bolzplatz.cli", "bolzplatz.core"]


@every_module
def test_every_module_says_what_it_is_for(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


# --- what every game brings along -------------------------------------------------------------------------------


def catalogue(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_has_rules_and_texts_in_every_language(game, language):
    assert (ROOT / "docs" / "rules" / f"{game}.{language}.md").is_file()
    texts = catalogue(SOURCE / "texts" / f"{game}.{language}.toml")
    spec = game_spec(game)
    assert texts["events"].keys() == {kind.name for kind in spec.events}
    assert texts["refusals"].keys() == {refusal.name for refusal in spec.refusals}
    for kind in spec.events:
        known = {arg.name for arg in kind.args} | {"name"}
        assert places(texts["events"][kind.name]) <= known, kind.name
    assert all(not places(text) for text in texts["refusals"].values())


@pytest.mark.parametrize("name", sorted({path.name.split(".")[0] for path in (SOURCE / "texts").glob("*.toml")}))
def test_catalogues_have_the_same_keys_in_every_language(name):
    first, *others = (catalogue(SOURCE / "texts" / f"{name}.{language}.toml") for language in LANGUAGES)
    for other in others:
        assert other.keys() == first.keys()
        assert {key: table.keys() for key, table in other.items() if isinstance(table, dict)} == {
            key: table.keys() for key, table in first.items() if isinstance(table, dict)
        }


@every_game
def test_names_and_paragraphs_of_events_and_refusals(game):
    spec = game_spec(game)
    for items in (spec.events, spec.refusals, spec.options):
        names = [item.name for item in items]
        assert len(set(names)) == len(names)
    assert all(item.rule.startswith(f"{game} §") for item in (*spec.events, *spec.refusals))
    assert spec.refusals[0].name == "legal"
    assert all(len(kind.args) <= EVENT_WIDTH - 2 for kind in spec.events), "an event carries three integers"


@every_game
def test_every_game_has_a_playthrough_and_counts(game):
    assert list((ROOT / "tests" / "playthroughs").glob(f"{game}-*.txt"))
    assert f"\n{game} " in (ROOT / "tests" / "data" / "counts.txt").read_text(encoding="utf-8")


# --- documents that repeat what the code declares ---------------------------------------------------------------


def option_rows(game: str) -> list[list[str]]:
    """The rows of a game's table in docs/options.md, without the column `meaning`."""
    text = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {game}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")][:5] for row in rows]


@every_game
def test_the_option_tables_are_what_the_games_declare(game):
    head, rule, *rows = option_rows(game)
    assert head == ["option", "type", "values", "default", "ruling"]
    assert set("".join(rule)) == {"-"}
    assert rows == [
        [f"`{o.name}`", o.kind.__name__, o.values(), show_value(o.default), o.ruling] for o in game_spec(game).options
    ]


def test_there_is_an_option_table_for_each_game_and_no_other():
    text = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    assert sorted(line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")) == (
        bolzplatz.game_names()
    )


def test_the_version_is_told_once():
    assert bolzplatz.__version__.count(".") == 2
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in pyproject["project"]["dynamic"]


# --- what no file may say ---------------------------------------------------------------------------------------

PRIVATE = [
    "/".join(("", "work", "")), "." + "library", "/".join(("", "root", "")), "/".join(("", "home", "")),
    "/".join(("", "Users", "")),
]  # fmt: skip
"""Places of the machine that something was written on."""
HOSTS = [
    ".".join(parts) for parts in
    [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("crates", "io"), ("golang", "org"),
     ("deb", "debian", "org")]
]  # fmt: skip
"""Package registries: where things come from is for pip, npm and apt to know."""


def tracked_files() -> list[Path]:
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        found = [ROOT / name for name in listed.split("\0") if name]
    else:
        found = [path for folder in ("src", "tests", "docs", "benchmarks") for path in (ROOT / folder).rglob("*")]
    return [path for path in found if path.is_file()]


def test_no_file_speaks_of_the_machine_or_a_registry():
    found, read = [], 0
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        read += 1
        found += [f"{path.relative_to(ROOT)}: {word}" for word in PRIVATE + HOSTS if word in text]
    assert read > 50
    assert found == []
