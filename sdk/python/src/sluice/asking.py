"""The requests of the service and of a storefront, made from what a caller gives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote as percent_encode
from uuid import uuid4

from . import settings as checks
from .errors import ConfigurationError
from .settings import Settings
from .wire import Request

_scheme = "Payment "
# Headers that the client sets itself.
_own_headers = {
    "accept",
    "authorization",
    "content-type",
    "idempotency-key",
    "storefront-max-cost",
    "user-agent",
    "x-api-key",
}


def read(settings: Settings, path: str, timeout: float | None) -> Request:
    """A GET, which costs nothing however often it is sent."""
    return Request("GET", path, _timeout_s(settings, timeout), is_repeatable=True)


def account(
    settings: Settings,
    method: str,
    route: str,
    timeout: float | None,
    *,
    id: str | None = None,
    query: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    is_repeatable: bool = True,
) -> Request:
    """A call of a storefront's own that is not charged. ``id`` takes the place of ``{id}`` in the route."""
    return Request(
        method,
        _path(route, id),
        _timeout_s(settings, timeout),
        None if fields is None else _given(fields),
        headers or ({} if fields is None else {"content-type": "application/json"}),
        is_repeatable,
        query=_given(query or {}),
        route=route,
    )


def write(settings: Settings, path: str, fields: Mapping[str, Any], timeout: float | None) -> Request:
    """A POST that leaves something behind each time it arrives."""
    headers = {"content-type": "application/json"}
    return Request("POST", path, _timeout_s(settings, timeout), _given(fields), headers)


#: Items of a page when the caller does not say how many.
_size_by_default = 10


def at_most(fields: Mapping[str, Any], wanted: int | None) -> Mapping[str, Any]:
    """Returns the arguments of a page with at most ``wanted`` items."""
    size = fields.get("max_results") or _size_by_default
    return fields if wanted is None or wanted >= size else {**fields, "max_results": wanted}


def paid(
    settings: Settings, path: str, fields: Mapping[str, Any], timeout: float | None, idempotency_key: str | None
) -> Request:
    """A POST that may be charged. A storefront charges once for a key, so there the call may be sent again."""
    post = write(settings, path, fields, timeout)
    key = None if idempotency_key is None else checks.idempotency_key(idempotency_key)
    if key is None and settings.is_storefront:
        key = str(uuid4())
    headers = post.headers if key is None else {**post.headers, "idempotency-key": key}
    return replace(post, headers=headers, is_repeatable=settings.is_storefront)


def data(
    settings: Settings, path: str, fields: Mapping[str, Any], timeout: float | None, idempotency_key: str | None
) -> Request:
    """An operation that is charged by its results, under the price ceiling of the client."""
    post = paid(settings, path, fields, timeout, idempotency_key)
    ceiling = settings.max_cost_usd
    return post if ceiling is None else replace(post, headers={**post.headers, "storefront-max-cost": ceiling})


def stream(
    settings: Settings,
    path: str,
    fields: Mapping[str, Any],
    headers: Mapping[str, str],
    timeout: float | None,
    idempotency_key: str | None,
) -> Request:
    """An operation whose response is read as it arrives. ``headers`` are further ones that it needs."""
    further = {name.lower(): value for name, value in headers.items()}
    if own := sorted(_own_headers & further.keys()):
        raise ConfigurationError(f"headers must not contain {own[0]}")
    if not isinstance(path, str) or not re.fullmatch(r"/(?!/)[\x21-\x7e]*", path):
        raise ConfigurationError("path must begin with one slash and have no spaces")
    post = data(settings, path, fields, timeout, idempotency_key)
    accept = "text/event-stream, application/x-ndjson, application/json"
    return replace(post, headers={**further, **post.headers, "accept": accept}, is_stream=True)


def renewal(settings: Settings, assertion: str) -> Request:
    """Exchanges an identity assertion for an access token."""
    form = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return Request("POST", "/oauth2/token", settings.timeout_s, headers=headers, form=form)


def quote(
    settings: Settings,
    fields: Mapping[str, Any],
    timeout: float | None,
    payment_signature: str | None,
    payment_credential: str | None,
) -> Request:
    """The advisor: with a zero-amount proof, which works once, at the quote; without one at the guide."""
    proofs = _payment(payment_signature, payment_credential, "authorization")
    post = write(settings, f"/advisor/{'quote' if proofs else 'guide'}", fields, timeout)
    return replace(post, headers={**post.headers, **proofs}, is_repeatable=not proofs, is_paying=bool(proofs))


def purchase(
    settings: Settings,
    plan: str,
    fields: Mapping[str, Any],
    timeout: float | None,
    payment_signature: str | None,
    payment_credential: str | None,
    idempotency_key: str | None,
) -> Request:
    """A purchase. The bearer has ``authorization``, so a Payment credential travels in a header of its own."""
    route = "/plans/{id}/purchase"
    post = paid(settings, _path(route, plan), fields, timeout, idempotency_key)
    payment = _payment(payment_signature, payment_credential, "payment-authorization")
    return replace(post, headers={**post.headers, **payment}, is_paying=bool(payment), route=route)


def _path(route: str, id: str | None) -> str:
    if "{id}" not in route:
        return route
    if not isinstance(id, str) or id in ("", ".", ".."):
        raise ConfigurationError(f"{route} needs an id")
    return route.replace("{id}", percent_encode(id, safe=""))


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _timeout_s(settings: Settings, timeout: float | None) -> float:
    return settings.timeout_s if timeout is None else checks.positive("timeout", timeout)


def _payment(signature: str | None, credential: str | None, credential_header: str) -> dict[str, str]:
    headers = {}
    if signature is not None:
        headers["payment-signature"] = checks.visible("payment_signature", signature)
    if credential is not None:
        has_scheme = credential[: len(_scheme)].lower() == _scheme.lower()
        bare = credential[len(_scheme) :].strip() if has_scheme else credential
        headers[credential_header] = _scheme + checks.visible("payment_credential", bare)
    return headers
