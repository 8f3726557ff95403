"""What a call used, and what is left."""

from __future__ import annotations

from .record import Record


class RateLimit(Record):
    """The endpoint's own limit, and what is left of it in this second."""

    requests_per_second: int
    remaining_this_second: int


class FairUsage(Record):
    """Records used by this call, and the allowance that remains."""

    records_used: int
    #: 9007199254740991 where records are unlimited.
    records_remaining: int
    #: ISO 8601; ``None`` where nothing is ever renewed.
    next_reset_at: str | None
    #: Quote it to support.
    request_id: str
    #: ``None`` on operations without a limit.
    rate_limit: RateLimit | None
