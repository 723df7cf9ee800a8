"""A line protocol in the manner of UCI: computer players that are programs of their own, in any language.

Bolzplatz starts the program, writes lines to its standard input and reads lines from its standard output; what it means
is in docs/line-protocol.md. `LinePlayer` is a player for the plug-in interface (`bots.plugins`).
"""

import contextlib
import json
import queue
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from bolzplatz.bots.plugins import PlayerError

PROTOCOL: Final = "bolzplatz 1"
SECONDS: Final = 10.0
"""How long a program may take to answer where the caller says nothing else."""
QUIT_SECONDS: Final = 5.0
"""How long it may take to end by itself."""


class LinePlayer:
    """A program that is asked line by line; a context manager, which ends it.

    Args:
        command: the program with its arguments, as a list or as a shell would read it.
        seconds: how long it may take for an answer, and to start.

    Raises PlayerError where it does not start, does not answer in time, or ends.
    """

    def __init__(self, command: str | Sequence[str], seconds: float = SECONDS) -> None:
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        self.seconds = seconds
        self.name = self.command[0]
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._game: str | None = None
        self._turn = threading.Lock()
        self._open = 0
        """Questions without an answer so far; all but the newest answer come too late for anybody."""
        try:
            self._program = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1
            )
        except OSError as fault:
            raise PlayerError(f"{self.name} does not start: {fault}") from None
        threading.Thread(target=self._read, daemon=True).start()
        self._say(PROTOCOL)
        for line in self._until("ready", time.monotonic() + seconds):
            if line.startswith("id "):
                self.name = line.removeprefix("id ").strip()

    def files(self) -> list[Path]:
        """Return the program and the files that its arguments name: where these change, it is another player."""
        program = shutil.which(self.command[0])
        named = [*([] if program is None else [program]), *self.command[1:]]
        return [Path(each) for each in named if Path(each).is_file()]

    def __call__(self, view: dict[str, Any], legal: list[int]) -> str:  # noqa: ARG002 - moves are named by notation
        """Return the move that the program chooses, in notation."""
        with self._turn:
            game = f"game {view['game']} {json.dumps(view['options'], ensure_ascii=False)}"
            if game != self._game:
                self._say(game)
                self._game = game
            self._say(f"view {json.dumps(view, ensure_ascii=False)}")
            self._say(f"go {round(1000 * self.seconds)}")
            self._open += 1
            deadline = time.monotonic() + self.seconds
            while self._open:
                answer = self._until("move ", deadline)[-1]
                self._open -= 1
            return answer.removeprefix("move ").strip()

    def close(self) -> None:
        """Tell the program to quit; one that stays is ended."""
        if self._program.poll() is None:
            try:
                self._say("quit")
                self._program.wait(QUIT_SECONDS)
            except (PlayerError, subprocess.TimeoutExpired):
                self._program.kill()
                self._program.wait()
        for pipe in (self._program.stdin, self._program.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was said last may not get through any more
                    pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _say(self, line: str) -> None:
        assert self._program.stdin is not None
        try:
            self._program.stdin.write(line + "\n")
            self._program.stdin.flush()
        except (OSError, ValueError):
            raise PlayerError(f"{self.name} has ended") from None

    def _read(self) -> None:
        assert self._program.stdout is not None
        try:
            for line in self._program.stdout:
                self._lines.put(line.rstrip("\r\n"))
        except ValueError:  # closed, or no text
            pass
        self._lines.put(None)

    def _until(self, beginning: str, deadline: float) -> list[str]:
        """Return the lines up to the one that begins so; anything else, such as `info`, is passed over."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(beginning):
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise PlayerError(f"{self.name} does not answer within {self.seconds:g} seconds") from None
            if line is None:
                self._lines.put(None)
                raise PlayerError(f"{self.name} has ended")
            lines.append(line)
        return lines
