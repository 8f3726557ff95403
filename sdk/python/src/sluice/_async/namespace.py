"""What the namespaces of a client have in common."""

from __future__ import annotations

from .caller import AsyncCaller


class AsyncNamespace:
    """Operations that belong together."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
