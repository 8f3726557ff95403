"""The key that calls: what it may do and what it has left."""

from __future__ import annotations

from .fair_usage import FairUsage
from .record import Record


class ActivePlan(Record):
    """A plan that the key draws on. Times are ISO 8601."""

    name: str
    status: str
    started_at: str


class KeyInfo(Record):
    """What the key may do, and what it has left."""

    valid: bool
    id: str
    records_remaining: int
    #: ISO 8601.
    next_reset_at: str | None
    #: For each endpoint by itself.
    max_requests_per_seconds: int
    #: Paths without the version.
    allowed_apis: list[str]
    active_plans: list[ActivePlan]
    fair_usage: FairUsage | None
