"""One request and its response on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode


@dataclass(frozen=True)
class Request:
    """A request, the same on every attempt."""

    method: str
    path: str
    #: Seconds for one attempt.
    timeout_s: float
    #: Sent as JSON; ``None`` sends no body.
    body: Mapping[str, Any] | None = None
    #: Added to the headers of every request, and preferred over them.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: True if a retry costs nothing even if an earlier attempt arrived.
    is_repeatable: bool = False
    #: True if it carries a payment or a proof: a 402 then means that it was declined.
    is_paying: bool = False
    #: Sent as a form instead of ``body``.
    form: Mapping[str, str] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    #: True if the body of a success is left to be read piece by piece, when it is a stream.
    is_stream: bool = False
    #: The path before its id was filled in. Calls of one route share a rate limit.
    route: str | None = None

    @property
    def target(self) -> str:
        """The path with its query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    @property
    def content(self) -> bytes | None:
        if self.form is not None:
            return urlencode(self.form).encode()
        return None if self.body is None else json.dumps(self.body, allow_nan=False, separators=(",", ":")).encode()


@dataclass(frozen=True)
class Reply:
    """A response, read to its end."""

    url: str
    status_code: int
    #: By lower-case name.
    headers: Mapping[str, str]
    content: bytes
    #: The open response of a stream, which has not been read yet; of ``httpx``.
    body_to_read: Any = None

    @property
    def is_success(self) -> bool:
        return 200 <= self.status_code < 300

    @cached_property
    def body(self) -> Any:
        """The JSON value, or the text if it is not JSON."""
        return json_or_text(self.content.decode("utf-8-sig", "replace"))

    @property
    def code(self) -> Any:
        return self.body.get("code") if isinstance(self.body, dict) else None


def json_or_text(text: str) -> Any:
    """The JSON value of a text, or the text itself."""
    try:
        return json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return text


def no_constant(name: str) -> Any:
    """Refuses ``NaN`` and its like."""
    raise ValueError(f"{name} is not JSON (RFC 8259)")
