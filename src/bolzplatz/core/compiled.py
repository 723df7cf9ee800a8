"""Compile a game's rules: the same plain functions, cloned into a second namespace and jitted by Numba.

`compile_functions` follows the functions that the given ones call, by their global names, and clones them all into one
namespace in which tuples of integers have become int64 arrays. Numba caches machine code per source file and does not
see edits in the files that such a file imports; so the sources are copied into a folder named by the digest of them
all, and that folder is where the cache lives.
"""

import ast
import atexit
import builtins
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bolzplatz.core import fast

Function = Callable[..., Any]
_INLINED = {f"bolzplatz.core.{module}" for module in ("kernels", "stepping", "fast", "forms", "events")}


def reachable(functions: Iterable[Function], links: Mapping[str, Function]) -> dict[str, Function]:
    """Return all plain functions that these call, themselves included, by name.

    Where a function reads a global name of `links`, the linked function is meant (`core.kernels`). Raises ValueError
    where two different functions would share one name in the compiled namespace, or one is called by another name.
    """
    found: dict[str, Function] = {}
    waiting = [*functions, *links.values()]
    while waiting:
        function = waiting.pop()
        name = function.__name__
        if links.get(name, function) is not function or found.setdefault(name, function) is not function:
            raise ValueError(f"{name}: two functions of this name would be compiled together")
        for word in function.__code__.co_names:
            called = function.__globals__.get(word)
            if word in links or not isinstance(called, types.FunctionType):
                continue
            if called.__name__ != word:
                raise ValueError(f"{word}: compiled functions go by their own names, this one is {called.__name__}")
            if found.get(word) is not called:
                waiting.append(called)
    return dict(sorted(found.items()))


def constants_of(functions: Iterable[Function]) -> dict[str, Any]:
    """Return the module constants that these functions read: integers and flat tuples of integers."""
    constants: dict[str, Any] = {}
    for function in functions:
        for word in function.__code__.co_names:
            value = function.__globals__.get(word)
            if isinstance(value, (bool, int, tuple)) and constants.setdefault(word, value) != value:
                raise ValueError(f"{word}: two constants of this name would be compiled together")
    return constants


def cache_folder() -> Path:
    """Return where compiled code is kept: $BOLZPLATZ_CACHE, else the user's cache folder.

    Where that cannot be written to, it is a folder of this process alone: code is loaded from there, so nobody else may
    have put it there.
    """
    base = os.environ.get("BOLZPLATZ_CACHE") or os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(base) if base else Path.home() / ".cache") / "bolzplatz"
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: no home
        pass
    return own_folder()


@cache
def own_folder() -> Path:
    """Return a folder of this process alone, which goes when it ends."""
    folder = tempfile.mkdtemp(prefix="bolzplatz-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _source_copies(
    functions: Iterable[Function], links: Mapping[str, Function], constants: Mapping[str, Any]
) -> dict[str, Path]:
    """Copy the sources of these functions into the folder of their digest; return the copies by original file.

    The digest covers links and constants too: the same kernels with other functions or numbers in them are other
    machine code, and a constant may come from another file.
    """
    import numba
    import numpy as np

    originals = sorted({function.__code__.co_filename for function in functions})
    sources = {original: Path(original).read_bytes() for original in originals}
    linked = [f"{word}={function.__module__}.{function.__qualname__}" for word, function in sorted(links.items())]
    digest = hashlib.sha256(" ".join([sys.version, numba.__version__, np.__version__, *linked]).encode())
    digest.update(repr(sorted(constants.items())).encode())
    digest.update(Path(__file__).read_bytes())
    for original in originals:
        digest.update(len(sources[original]).to_bytes(8) + sources[original])
    folder = cache_folder() / digest.hexdigest()[:24]
    folder.mkdir(exist_ok=True)
    copies = {}
    for number, original in enumerate(originals):
        copies[original] = folder / f"{number}_{Path(original).name}"
        if not copies[original].exists():
            # Numba asks for the file's time stamp: write it once, whole, and never again.
            partial = folder / f"{copies[original].name}.{os.getpid()}"
            partial.write_bytes(sources[original])
            partial.replace(copies[original])
    return copies


def _wrapping_arithmetic() -> dict[Function, Function]:
    """Return what stands in for the two functions of `core.fast` whose integers must wrap."""
    import numpy as np

    def wrap_add(x: int, y: int) -> Any:
        return np.int64(np.uint64(x) + np.uint64(y))

    def wrap_mul(x: int, y: int) -> Any:
        return np.int64(np.uint64(x) * np.uint64(y))

    return {fast.wrap_add: wrap_add, fast.wrap_mul: wrap_mul}


def _for_any_integer(dispatcher: Any) -> Any:
    """Let calls with constants share the code for all integers: Numba compiles a function anew for each constant.

    What constants make possible is found later anyway, where machine code is inlined; it is a fifth of compile time.
    """
    from numba.core.types import unliteral

    ask = dispatcher.get_call_template

    def ask_widely(arguments: Iterable[Any], named: Mapping[str, Any]) -> Any:
        return ask(tuple(map(unliteral, arguments)), named)

    dispatcher.get_call_template = ask_widely
    return dispatcher


def compile_functions(
    functions: Iterable[Function], links: Mapping[str, Function] | None = None, boundscheck: bool = False
) -> types.SimpleNamespace:
    """Return the jitted clones of these functions as attributes of one namespace, all that they call linked in.

    Args:
        functions: plain functions of the compiled subset; names must be unique among all that they reach.
        links: functions by the global name under which the others call them; they get that name in the namespace too.
        boundscheck: check every index at run time (slower; for tests). Such code is not cached.
    """
    import numba
    import numpy as np

    links, entries = links or {}, tuple(functions)
    plain = reachable(entries, links)
    constants = constants_of(plain.values())
    copies = {} if boundscheck else _source_copies(plain.values(), links, constants)
    # Numba imports the module of this name when it loads cached code.
    scope: dict[str, Any] = {"__name__": __name__, "__builtins__": __builtins__}
    for word, value in constants.items():
        scope[word] = np.array(value, dtype=np.int64) if isinstance(value, tuple) else value
    scope["np"] = np
    wrapping = _wrapping_arithmetic()
    for name, original in plain.items():
        function = wrapping.get(original, original)
        code = function.__code__
        code = code.replace(co_filename=str(copies.get(code.co_filename, code.co_filename)))
        if original in entries:
            # Cached code has its wrapper or has none: what was called by others alone must not be taken for an entry.
            code = code.replace(co_qualname=f"{code.co_qualname}-entry")
        clone = types.FunctionType(code, scope, name, function.__defaults__, function.__closure__)
        # The subset allocates nothing, so reference counts (atomic, several a step) can go. The functions that kernels
        # call at every step are inlined by force: as calls they would pass a dozen words for each array.
        options: dict[str, Any] = {
            "cache": original not in wrapping and not boundscheck,
            "boundscheck": boundscheck,
            "forceinline": original in links.values() or (original.__module__ in _INLINED and original not in entries),
            "nogil": True,
            "_nrt": False,
            # Wrappers for callers from Python and C cost half of the compile time; only the entries need the first.
            "no_cfunc_wrapper": True,
            "no_cpython_wrapper": original not in entries,
        }
        scope[name] = _for_any_integer(numba.njit(**options)(clone))
    scope.update({word: scope[function.__name__] for word, function in links.items()})
    return types.SimpleNamespace(**{function.__name__: scope[function.__name__] for function in entries})


# --- what the compiled subset allows ----------------------------------------------------------------------------

_BANNED = (
    ast.Try, ast.Raise, ast.With, ast.Lambda, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.List,
    ast.Dict, ast.Set, ast.Yield, ast.YieldFrom, ast.Await, ast.JoinedStr, ast.Global, ast.Nonlocal, ast.Import,
    ast.ImportFrom, ast.Starred, ast.Div, ast.In, ast.NotIn, ast.Slice, ast.Assert, ast.Delete, ast.Match,
)  # fmt: skip
_BUILTINS = (range, len, abs, min, max, int, bool)


def subset_faults(function: Function) -> list[str]:
    """Name what in a function lies outside the compiled subset (used by the lint test), with line numbers."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    first = function.__code__.co_firstlineno - 1
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    faults = [(definition.lineno, "decorated") for _ in definition.decorator_list]
    body = definition.body[1:] if ast.get_docstring(definition) is not None else definition.body
    for statement in body:
        # Annotations of local names are never run.
        annotations = (node.annotation for node in ast.walk(statement) if isinstance(node, ast.AnnAssign))
        unread = {part for annotation in annotations for part in ast.walk(annotation)}
        for node in ast.walk(statement):
            if node not in unread:
                line = getattr(node, "lineno", statement.lineno)
                faults += [(line, fault) for fault in _node_faults(node, function)]
    return [f"{function.__name__}, line {first + line}: {fault}" for line, fault in faults]


def _node_faults(node: ast.AST, function: Function) -> Iterator[str]:
    if isinstance(node, _BANNED):
        yield type(node).__name__
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield "nested definition"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        if not (isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant)):
            yield "power of what is no constant"
    elif isinstance(node, ast.Assign) and len(node.targets) > 1:
        yield "chained assignment"
    elif isinstance(node, ast.Call):
        if node.keywords:
            yield "keyword argument in a call"
        if isinstance(node.func, ast.Attribute):
            yield "call of a method"
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and len(node.args) < 2:
            yield f"{node.func.id} over an array"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str | float | bytes | complex):
        yield f"{type(node.value).__name__} constant"
    elif isinstance(node, ast.Name) and node.id not in function.__code__.co_varnames:
        yield from _name_faults(node.id, function)


def _name_faults(name: str, function: Function) -> Iterator[str]:
    """Say what is wrong with a name that is not the function's own: a global one, or one of a function around it."""
    if name in function.__code__.co_freevars:
        yield f"closure over {name}"
        return
    value = function.__globals__.get(name, getattr(builtins, name, None))
    flat = isinstance(value, tuple) and all(type(entry) is int for entry in value)
    if not (flat or isinstance(value, int | types.FunctionType) or value in _BUILTINS):
        yield f"{name} is neither a plain function nor an integer or a flat tuple of integers"
