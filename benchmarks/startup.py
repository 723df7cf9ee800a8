"""Starting: CPU time of the import, and wall time from the command to the first page, against a bare interpreter."""

import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROUNDS = 5


def _cpu_of(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _first_page() -> float:
    """Return the seconds from starting `bolzplatz serve` until its first page is there."""
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "tables.sqlite3"
        command = [
            sys.executable,
            "-m",
            "bolzplatz",
            "serve",
            "--no-browser",
            "--port",
            str(port),
            "--store",
            str(store),
        ]
        start = time.perf_counter()
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while time.perf_counter() - start < 30:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                        page.read()
                    return time.perf_counter() - start
                except OSError:
                    time.sleep(0.01)
            raise TimeoutError("no page within 30 seconds")
        finally:
            server.terminate()
            server.wait(10)


def run() -> list[tuple[str, float, str, float]]:
    """Return rows: what, seconds, compared with, ratio."""
    bare = min(_cpu_of("pass") for _ in range(ROUNDS))
    imported = min(_cpu_of("import bolzplatz") for _ in range(ROUNDS))
    page = min(_first_page() for _ in range(ROUNDS))
    return [
        ("a bare interpreter (CPU)", bare, "itself", 1.0),
        ("import bolzplatz (CPU, with the interpreter)", imported, "a bare interpreter", imported / bare),
        ("the first page of `bolzplatz serve` (wall)", page, "a bare interpreter", page / bare),
    ]
