"""The time, as the service tells it."""

from __future__ import annotations

from .fair_usage import FairUsage
from .record import Record


class CurrentDate(Record):
    """Now, in one time zone."""

    #: ``2026-07-08 23:00:07 -04:00``.
    datetime: str
    #: Seconds since 1970.
    timestamp: int
    timezone: str
    #: ``(GMT-05:00) New York``.
    timezone_name: str
    fair_usage: FairUsage
