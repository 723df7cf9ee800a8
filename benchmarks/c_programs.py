"""Build the C programs of this folder and run them as contenders."""

import subprocess
import tempfile
from pathlib import Path

from benchmarks.sidebyside import Contender

HERE = Path(__file__).parent


def c_contender(name: str, matches: int) -> Contender:
    """Compile `name`.c with gcc -O3 -march=native and return a contender; raises CalledProcessError."""
    program = Path(tempfile.mkdtemp(prefix="bolzplatz-bench-")) / name
    subprocess.run(["gcc", "-O3", "-march=native", "-o", str(program), str(HERE / f"{name}.c")], check=True)

    def contender() -> tuple[int, float]:
        run = subprocess.run([str(program), str(matches), "1"], check=True, capture_output=True, text=True)
        steps, seconds, _starter_wins = run.stdout.split()
        return int(steps), float(seconds)

    return contender
