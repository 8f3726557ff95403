"""What an answer means: the promised object, or an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import httpx

from . import retry
from .charges import Renewal
from .errors import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    InsufficientRecordsError,
    NotFoundError,
    PaymentDeclinedError,
    PlanRequiredError,
    RateLimitError,
    ResponseValidationError,
    ServerError,
    ValidationError,
)
from .wire import Reply

M = TypeVar("M")

_by_status: Mapping[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    402: InsufficientRecordsError,
    403: PlanRequiredError,
    404: NotFoundError,
    422: ValidationError,
}
_nothing_was_sent = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


def answer(reply: Reply, now: float, is_paying: bool = False) -> dict[str, Any]:
    """The JSON object of a success; raises what the reply means otherwise, to a request that was paying or was not."""
    if not reply.is_success:
        raise _refusal(reply, now, is_paying)
    if not isinstance(reply.body, dict):
        raise ResponseValidationError(f"{reply.url} answered {reply.status_code} without a JSON object")
    return reply.body


def page(reply: Reply, now: float, name: str) -> dict[str, Any]:
    """The JSON object of a page, which has its items in the list ``name``."""
    body = answer(reply, now)
    if not isinstance(body.get(name), list):
        raise ResponseValidationError(f"{reply.url} answered {reply.status_code} without a list of {name}")
    return body


def member(body: Mapping[str, Any], name: str, kind: type[M]) -> M:
    """A member of a response, of the promised type."""
    value = body.get(name)
    if not isinstance(value, kind):
        raise ResponseValidationError(f"the response has no {name}")
    return value


def challenges(reply: Reply) -> dict[str, str]:
    """The headers of a 402 that a paying program answers, under names of their own."""
    names = {"www_authenticate": "www-authenticate", "payment_required": "payment-required"}
    return {name: reply.headers[header] for name, header in names.items() if header in reply.headers}


def renewal(reply: Reply | APIConnectionError, assertion: str) -> Renewal | None:
    """The tokens of a renewal; ``None`` if it was refused. The assertion stays the same if the shop issues no other."""
    if isinstance(reply, APIConnectionError) or reply.status_code != 200 or not isinstance(reply.body, dict):
        return None
    access, following = reply.body.get("access_token"), reply.body.get("identity_assertion")
    if not isinstance(access, str):
        return None
    return Renewal(access, following if isinstance(following, str) else assertion)


def failure(error: httpx.RequestError, url: str) -> APIConnectionError:
    """The error of an attempt that had no answer."""
    was_sent = not isinstance(error, _nothing_was_sent)
    failed = APIConnectionError(f"no answer from {url}: {error or type(error).__name__}", was_sent=was_sent)
    if isinstance(error, httpx.TimeoutException):
        failed = APITimeoutError(f"no answer in time from {url}", was_sent=was_sent)
    failed.__cause__ = error
    return failed


def _refusal(reply: Reply, now: float, is_paying: bool) -> APIStatusError:
    body = reply.body if isinstance(reply.body, dict) else {}
    message = body.get("message")
    text = message if isinstance(message, str) and message else f"HTTP {reply.status_code} from {reply.url}"
    request_id = _request_id(reply, body)
    if reply.status_code == 429:
        retry_after = retry.retry_after_s(reply, now)
        return RateLimitError(text, status_code=429, body=reply.body, request_id=request_id, retry_after=retry_after)
    kind = _by_status.get(reply.status_code, ServerError if reply.status_code >= 500 else APIStatusError)
    if reply.status_code == 402 and is_paying:
        kind = PaymentDeclinedError
    return kind(text, status_code=reply.status_code, body=reply.body, request_id=request_id)


def _request_id(reply: Reply, body: Mapping[str, Any]) -> str | None:
    fair_usage = body.get("fair_usage")
    inner = fair_usage.get("request_id") if isinstance(fair_usage, dict) else None
    found = reply.headers.get("x-request-id") or body.get("request_id") or inner
    return found if isinstance(found, str) else None
