"""The libraries of learners are extras: the package does without them, and says what is missing."""

import importlib
import subprocess
import sys

import pytest

LIBRARIES = {"gymnasium": "rl", "pettingzoo": "rl", "open_spiel": "openspiel"}
LOADED = {"open_spiel": "pyspiel"}
"""What an adapter imports, where it is not called like the adapter."""


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_missing_extra_is_named_in_one_line(name, monkeypatch):
    module = f"bolzplatz.adapters.{name}"
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, LOADED.get(name, name), None)
    with pytest.raises(ImportError) as told:
        importlib.import_module(module)
    assert str(told.value).endswith(f"is not installed: pip install 'bolzplatz[{LIBRARIES[name]}]'")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("library", ["resvg_py", "cssselect2", "PIL"])
def test_a_missing_rasteriser_is_named_too(library, monkeypatch):
    import bolzplatz
    from bolzplatz.adapters.picture import draw

    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"bolzplatz\[rl\]"):
        draw(bolzplatz.load_game("5050").new_initial_state(), ["a", "b"])


def test_the_package_and_its_command_load_no_extra():
    names = [*LIBRARIES, "pyspiel", "PIL", "resvg_py", "cssselect2", "torch"]
    modules = "bolzplatz, bolzplatz.cli.main, bolzplatz.adapters.line"
    code = f"import sys, {modules}; print([n for n in {names} if n in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
