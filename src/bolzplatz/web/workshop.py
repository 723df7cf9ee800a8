"""What takes a while to work out, for pages that wait for it: one thing after the other, on one thread; and kept."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

WAITING: Final = "waiting"
BUSY: Final = "busy"
READY: Final = "ready"
"""What becomes of a question: it is being worked out, too many wait already (or it failed), it is answered."""
MOST_WAITING: Final = 4
"""Things that wait to be worked out; who asks for more is told to come back."""

_log = logging.getLogger(__name__)
Asked = TypeVar("Asked", bound=Hashable)
Answer = TypeVar("Answer")


class Workshop(Generic[Asked, Answer]):
    """Answers questions.

    Args:
        work_out: answers one.
        kept: how many answers are kept, those that were asked for last.
    """

    def __init__(self, work_out: Callable[[Asked], Answer], kept: int) -> None:
        self._work_out, self._kept = work_out, kept
        self._done = OrderedDict[Asked, Answer | None]()
        self._waiting = list[Asked]()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None

    def ask(self, asked: Asked) -> Answer | str:
        """Return the answer, or WAITING, or BUSY."""
        with self._lock:
            if asked in self._done:
                self._done.move_to_end(asked)
                found = self._done[asked]
                return BUSY if found is None else found
            if asked not in self._waiting:
                if len(self._waiting) >= MOST_WAITING:
                    return BUSY
                self._waiting.append(asked)
            if self._thread is None:
                # A daemon: it must not keep the process from ending.
                self._thread = threading.Thread(target=self.work, daemon=True)
                self._thread.start()
            # A thread that is done at once, as in tests, has the answer already.
            return self._done.get(asked) or WAITING

    def work(self) -> None:
        """Answer all that waits."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                asked = self._waiting[0]
            found: Answer | None = None
            try:
                found = self._work_out(asked)
            except Exception:  # a full disk, for one; the thread must go on, or all would wait forever
                _log.exception("%r cannot be worked out", asked)
            with self._lock:
                self._waiting.remove(asked)
                self._done[asked] = found
                if len(self._done) > self._kept:
                    self._done.popitem(last=False)
