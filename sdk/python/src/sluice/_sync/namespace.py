# Made from ../_async by scripts/make_sync.py: change that, and run it.
"""What the namespaces of a client have in common."""

from __future__ import annotations

from .caller import Caller


class Namespace:
    """Operations that belong together."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
