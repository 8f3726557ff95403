"""One request and its answer, as they travel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Request:
    """What is sent, on every attempt the same."""

    method: str
    path: str
    #: Seconds for one attempt.
    timeout_s: float
    #: Sent as JSON; ``None`` sends no body.
    body: Mapping[str, Any] | None = None
    #: Beside those of every request, and before the same name there.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether another attempt costs nothing, though one before may have arrived.
    is_repeatable: bool = False
    #: Whether it carries a payment or a proof of one: a 402 then says that this was not taken.
    is_paying: bool = False

    @property
    def content(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body, allow_nan=False).encode()


@dataclass(frozen=True)
class Reply:
    """What came back, read to its end."""

    url: str
    status_code: int
    #: By lower-case name.
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status_code < 300

    @cached_property
    def body(self) -> Any:
        """The JSON value; the text where it is none."""
        text = self.content.decode("utf-8-sig", "replace")
        try:
            return json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return text

    @property
    def code(self) -> Any:
        return self.body.get("code") if isinstance(self.body, dict) else None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON (RFC 8259)")
