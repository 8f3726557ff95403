"""How often an endpoint may be called."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock


class Limiter:
    """At most ``capacity`` starts in any ``window_s`` seconds; for a whole rate, that many in a rolling second."""

    def __init__(self, rps: float, clock: Callable[[], float]) -> None:
        self.capacity = max(1, int(rps))
        self.window_s = self.capacity / rps
        self._clock = clock
        self._starts: deque[float] = deque()
        self._lock = Lock()

    def take(self) -> float:
        """Takes a place and returns 0, or takes none and returns the seconds until one may be free."""
        with self._lock:
            now = self._clock()
            # A start that lies ahead means that the clock was put back: it says nothing any more.
            while self._starts and not self._starts[0] <= now < self._starts[0] + self.window_s:
                self._starts.popleft()
            if len(self._starts) < self.capacity:
                self._starts.append(now)
                return 0.0
            return self._starts[0] + self.window_s - now
