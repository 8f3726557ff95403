"""The namespace ``utils``."""

from __future__ import annotations

from ..current_date import CurrentDate
from .namespace import AsyncNamespace


class AsyncUtils(AsyncNamespace):
    """What is good to know beside the data."""

    async def current_date(
        self, *, region: str | None = None, timeout: float | None = None, idempotency_key: str | None = None
    ) -> CurrentDate:
        """The time in a region, an IANA zone such as ``Europe/Berlin``; New York's by default. Free.

        >>> now = await client.utils.current_date(region="Europe/Berlin")
        >>> now.datetime
        '2026-01-05 10:00:00 +01:00'
        """
        return await self._caller.answer(
            CurrentDate,
            "/v2/utils/current-date",
            {"region": region},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )
