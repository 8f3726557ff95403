"""When a call is tried again, and after how long."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime

from .errors import APIConnectionError
from .wire import Reply, Request

_first_wait_s = 0.5
_doublings_max = 4
_jitter_s = 0.5
_rate_limited_s = 60.0
_retry_after_s_max = 120.0


def wait_s(
    outcome: Reply | APIConnectionError, request: Request, attempt: int, now: float, random: Callable[[], float]
) -> float | None:
    """The seconds to wait after attempt ``attempt``; ``None`` where another would not help or could cost twice."""
    if isinstance(outcome, APIConnectionError):
        is_worth_it = request.is_repeatable or not outcome.was_sent
    elif outcome.status_code == 429:
        asked = retry_after_s(outcome, now)
        return _rate_limited_s if asked is None else asked
    else:
        # The first attempt of this very call may still be at work: it will leave its answer under the key.
        is_under_way = outcome.status_code == 409 and outcome.code == "idempotency_in_flight"
        is_worth_it = outcome.status_code >= 500 or is_under_way
    if not is_worth_it:
        return None
    return _first_wait_s * 2.0 ** min(attempt - 1, _doublings_max) + random() * _jitter_s


def retry_after_s(reply: Reply, now: float) -> float | None:
    """``Retry-After`` in seconds from ``now`` (RFC 9110, 10.2.3), within bounds; ``None`` where none is legible."""
    value = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+", value):
        return min(float(value), _retry_after_s_max)
    if not re.fullmatch(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT", value):
        return None
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return min(max(date.timestamp() - now, 0.0), _retry_after_s_max)
