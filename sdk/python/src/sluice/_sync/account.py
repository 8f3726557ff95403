# Made from ../_async by scripts/make_sync.py: change that, and run it.
"""The namespace ``account``."""

from __future__ import annotations

from .. import asking
from ..key_info import KeyInfo
from .namespace import Namespace


class Account(Namespace):
    """The key itself."""

    def key_info(self, *, timeout: float | None = None) -> KeyInfo:
        """What the key may do and what it has left. Free, and a good health check.

        >>> info = client.account.key_info()
        >>> info.records_remaining
        199500
        >>> [plan.name for plan in info.active_plans]
        ['Start']
        """
        return KeyInfo(self._caller.read(asking.read(self._caller.settings, "/v2/account/key-info", timeout)))
