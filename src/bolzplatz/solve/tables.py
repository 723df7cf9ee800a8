"""Files of solved games: read-only arrays behind a header that says what they are and of which rules.

A file begins with MAGIC and the digest of all that comes after it. It is opened as a memory map. A table that does not
fit the rules of today, or of which a single bit is not as it was written, is refused; whoever asked for it solves the
game again. What a long run has done so far is kept in the same form beside it, so that the run can go on after an
interrupt or a power cut.
"""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.compiled import cache_folder, own_folder, reachable
from bolzplatz.core.errors import BolzplatzError
from bolzplatz.core.game import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC: Final = b"Bolzplatz table\n"
FORMAT: Final = 2
DIGEST_SIZE: Final = 32
LENGTH_SIZE: Final = 8
"""Bytes of the digest, and of the header's length behind it."""
HEADER_AT: Final = len(MAGIC) + DIGEST_SIZE + LENGTH_SIZE
ALIGNED: Final = 64


class TableError(BolzplatzError):
    """A table that cannot be used: outdated, damaged or of another game."""


@dataclass(frozen=True, slots=True)
class Table:
    """A solved game as it lies in a file.

    Attributes:
        path: the file.
        header: what the file says of itself: `identity` (see `identity_of`), `provenance`, `arrays`.
        arrays: by name, memory-mapped and read-only.
    """

    path: Path
    header: dict[str, Any]
    arrays: dict[str, "NDArray[np.int64]"]


def table_folder() -> Path:
    """Return where tables are kept: beside compiled code, so $BOLZPLATZ_CACHE moves both."""
    folder = cache_folder() / "tables"
    folder.mkdir(exist_ok=True)
    return folder


@lru_cache(maxsize=64)
def _digest_of_sources(sources: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for source in sources:
        content = Path(source).read_bytes()
        digest.update(len(content).to_bytes(8) + content)
    return digest.hexdigest()


def identity_of(game: Game, solvers: tuple[Callable[..., Any], ...]) -> dict[str, Any]:
    """Return what a table of this game must say of itself: the options, and a digest of rules and solver.

    The digest covers the source of every function that the rules call, and of the given ones with all that they call.
    """
    rules = [getattr(game.rules, field.name) for field in fields(game.rules)]
    plain = [function for function in rules if function is not None]
    called = [*reachable(plain, {}).values(), *reachable(solvers, {}).values()]
    sources = tuple(sorted({function.__code__.co_filename for function in called}))
    return {
        "format": FORMAT,
        "game": game.name,
        "rules_version": game.rules_version,
        "options": dict(game.options),
        "sources": _digest_of_sources(sources),
    }


def table_path(identity: Mapping[str, Any]) -> Path:
    """Return where the table of this identity belongs; tables of other rules or options have other names."""
    digest = hashlib.sha256(_json(identity)).hexdigest()
    return table_folder() / f"{identity['game']}-{digest[:16]}.table"


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def provenance(**more: Any) -> dict[str, Any]:
    """Return by what a table was made: versions, and whatever is given."""
    import numba
    import numpy as np

    import bolzplatz

    return {
        "bolzplatz": bolzplatz.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        **more,
    }


def write_table(
    path: Path, identity: Mapping[str, Any], made_by: Mapping[str, Any], arrays: Mapping[str, "NDArray[np.int64]"]
) -> None:
    """Write a table, whole or not at all; nobody may write to it afterwards."""
    import numpy as np

    described, offset, content = {}, 0, []
    for name, array in arrays.items():
        data = np.ascontiguousarray(array, dtype="<i8").tobytes()
        data += bytes(-len(data) % ALIGNED)
        described[name] = {"shape": list(array.shape), "offset": offset}
        offset += len(data)
        content.append(data)
    body = b"".join(content)
    header = _json({"identity": dict(identity), "provenance": dict(made_by), "arrays": described, "bytes": len(body)})
    covered = len(header).to_bytes(LENGTH_SIZE, "little") + header + bytes(-(HEADER_AT + len(header)) % ALIGNED) + body
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with partial.open("wb") as file:
            file.write(MAGIC + hashlib.sha256(covered).digest() + covered)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(0o444)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_table(path: Path, identity: Mapping[str, Any]) -> Table:
    """Open a table; raises TableError where it is missing, damaged, or not of this identity."""
    import numpy as np

    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as fault:
        raise TableError(f"{path}: no table: {fault}") from None
    digest_at = len(MAGIC)
    if data[:digest_at].tobytes() != MAGIC or len(data) < HEADER_AT:
        raise TableError(f"{path}: not a table")
    covered_at = digest_at + DIGEST_SIZE
    if hashlib.sha256(data[covered_at:].data).digest() != data[digest_at:covered_at].tobytes():
        raise TableError(f"{path}: its content is not what was written")
    size = int.from_bytes(data[covered_at:HEADER_AT].tobytes(), "little")
    try:
        header = json.loads(data[HEADER_AT : HEADER_AT + size].tobytes())
        body = data[HEADER_AT + size + -(HEADER_AT + size) % ALIGNED :]
        arrays = {
            name: body[part["offset"] :][: 8 * int(np.prod(part["shape"]))].view("<i8").reshape(part["shape"])
            for name, part in header["arrays"].items()
        }
    except (ValueError, KeyError, TypeError) as fault:
        raise TableError(f"{path}: the header cannot be read: {fault}") from None
    if header.get("identity") != dict(identity):
        raise TableError(f"{path}: of other rules, options or format")
    return Table(path, header, arrays)


def keep_table(
    path: Path, identity: Mapping[str, Any], made_by: Mapping[str, Any], arrays: Mapping[str, "NDArray[np.int64]"]
) -> Table:
    """Write a table and open it; where its place cannot be written to, in a folder of this process alone.

    A full disk, or something else that lies in its place: what took minutes or hours is not thrown away for that.
    """
    try:
        write_table(path, identity, made_by, arrays)
    except OSError:
        path = own_folder() / path.name
        write_table(path, identity, made_by, arrays)
    return read_table(path, identity)
