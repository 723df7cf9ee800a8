"""Computer players that need a while before their first choice: they begin with it early.

Code is compiled, once for all variants of a game; who knows best play has each variant solved as well.

A table that is opened lets them begin; the choice then waits for what is left, and the table says what it waits for.
"""

import asyncio
import logging
import threading
from collections import OrderedDict
from concurrent.futures import Future

from bolzplatz.bots import MEMORIES_KEPT, knows_best_play, starts_slowly, warm_up
from bolzplatz.core.game import Game

_log = logging.getLogger(__name__)


class Warmth:
    """Which levels of which games are ready; one for all tables of a process."""

    def __init__(self) -> None:
        self._begun = OrderedDict[tuple[Game | str, str], Future[None]]()
        """By game or variant and level, what was asked for last at the end."""

    def begin(self, game: Game, level: str) -> bool:
        """Let a level get ready, in a thread of its own; say whether it is already."""
        if not starts_slowly(game.name, level):
            return True
        key = self._key(game, level)
        if key not in self._begun:
            begun = self._begun[key] = Future[None]()
            begun.set_running_or_notify_cancel()  # a table that is closed while it waits must not end it for the others
            self._forget()
            # It must not keep the process from ending, as the threads of an executor would.
            threading.Thread(target=self._warm, args=(game, level, begun), daemon=True).start()
        self._begun.move_to_end(key)
        return self._begun[key].done()

    def _forget(self) -> None:
        """Take variants for cold that the players remember no more: they get ready anew, and not in a turn."""
        variants = [key for key, begun in self._begun.items() if isinstance(key[0], Game) and begun.done()]
        for key in variants[:-MEMORIES_KEPT]:
            del self._begun[key]

    @staticmethod
    def _warm(game: Game, level: str, ready: "Future[None]") -> None:
        try:
            warm_up(game, level)
        except Exception:  # the choice itself will meet it again, where somebody hears of it
            _log.exception("%s: the %s player cannot get ready", game.name, level)
        ready.set_result(None)

    async def wait(self, game: Game, level: str) -> None:
        """Wait until a level is ready."""
        if not self.begin(game, level):
            await asyncio.wrap_future(self._begun[self._key(game, level)])

    @staticmethod
    def _key(game: Game, level: str) -> tuple[Game | str, str]:
        return (game if knows_best_play(game.name, level) else game.name, level)
