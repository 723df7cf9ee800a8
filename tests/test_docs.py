"""What the documents show is run: doctests, the examples of README and guides, their commands, their links."""

import contextlib
import doctest
import importlib
import io
import re
import shlex
from pathlib import Path

import pytest

import bolzplatz
from bolzplatz.cli.parser import build_parser

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "bolzplatz"
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "benchmarks").glob("*.md")),
]
PRELUDES = {"architecture.md": "from bolzplatz.core.declare import Seen, declare, number, per_seat\n"}
"""What a fragment takes for granted."""

DOCTESTED = sorted(
    ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def blocks(language: str) -> list[tuple[Path, str]]:
    """Code blocks of all documents in a language, each with its document."""
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        found += [(path, block) for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]
    return found


def commands(word: str) -> list[str]:
    """Lines of shell blocks that begin with a word, without their comments."""
    lines = [line for _, block in blocks("sh") for line in block.splitlines() if line.startswith(f"{word} ")]
    return list(dict.fromkeys(" ".join(shlex.split(line, comments=True)) for line in lines))


@pytest.mark.parametrize("name", DOCTESTED)
def test_doctests(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_public_interface_has_doctests():
    public = {"bolzplatz.core.game", "bolzplatz.core.declare", "bolzplatz.core.drivers", "bolzplatz.games"}
    assert public <= set(DOCTESTED)


@pytest.mark.parametrize(("path", "code"), blocks("python"), ids=lambda value: getattr(value, "name", ""))
def test_python_examples_run(path, code):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(PRELUDES.get(path.name, "") + code, str(path), "exec"), {"__name__": "example"})
    assert bool(printed.getvalue()) == ("print(" in code)


def test_the_readme_shows_python_and_commands():
    readme = ROOT / "README.md"
    assert [path for path, _ in blocks("python") if path == readme]
    text = readme.read_text(encoding="utf-8")
    assert text.index("make play") < text.index("make test") < text.index("bolzplatz games")


@pytest.mark.parametrize("command", commands("bolzplatz"))
def test_commands_are_understood(command):
    given = build_parser().parse_args(command.split()[1:])
    assert given.command
    if "game" in given and given.game is not None:
        assert given.game in bolzplatz.game_names()


@pytest.mark.parametrize("command", commands("make"))
def test_make_targets_exist(command):
    target = command.split()[1]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            there = path.parent / file if file else path
            assert there.exists(), f"{path.name} links to {target}"
            if anchor and there.suffix == ".md":
                assert anchor in anchors(there), f"{path.name} links to {target}"


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as they are made on the usual code hosts."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
