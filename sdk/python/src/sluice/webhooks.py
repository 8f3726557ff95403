"""Webhooks, signed as in Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import ConfigurationError, WebhookVerificationError
from .wire import no_constant

_secret_prefix = "whsec_"
_tolerance_s = 300.0


@dataclass(frozen=True)
class Webhook:
    """A verified webhook."""

    #: Id of the message, the same when it is sent again: handle each id once.
    id: str
    #: Time of sending, in seconds since 1970.
    timestamp: int
    payload: Any


def verify_webhook(
    body: str | bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = _tolerance_s,
    now: float | None = None,
) -> Webhook:
    """Verifies a webhook that is signed as in Standard Webhooks (HMAC-SHA256, ``v1``) and returns its JSON.

    ``body`` is the body as it arrived, not parsed; names of ``headers`` may have any case. ``secret`` is ``whsec_...``; while
    a secret is replaced, pass both. ``tolerance`` is in seconds, ``now`` in seconds since 1970. Raises
    ``WebhookVerificationError`` if the webhook must not be trusted.

    >>> headers = {
    ...     "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    ...     "webhook-timestamp": "1614265330",
    ...     "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ... }
    >>> secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    >>> verify_webhook('{"test": 2432232314}', headers, secret, now=1614265330).payload
    {'test': 2432232314}
    """
    keys = [_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ConfigurationError("secret is missing")
    values = {name.lower(): value for name, value in headers.items()}
    id = _header(values, "webhook-id")
    timestamp = _header(values, "webhook-timestamp")
    signatures = _header(values, "webhook-signature")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("webhook-timestamp is not a number")
    if not abs((time.time() if now is None else now) - int(timestamp)) <= tolerance:
        raise WebhookVerificationError("webhook-timestamp is too old or in the future")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{id}.{timestamp}.".encode() + content
    if not _is_signed(signed, signatures, keys):
        raise WebhookVerificationError("no signature of the webhook is right")
    try:
        payload = json.loads(content.decode(), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise WebhookVerificationError("the body of the webhook is not JSON") from error
    return Webhook(id, int(timestamp), payload)


def _is_signed(signed: bytes, signatures: str, keys: Sequence[bytes]) -> bool:
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    given = [_decoded(one[3:]) for one in signatures.split(" ") if one.startswith("v1,")]
    return any(hmac.compare_digest(one, right) for one in given if one for right in expected)


def _key(secret: str) -> bytes:
    key = _decoded(secret.removeprefix(_secret_prefix)) if isinstance(secret, str) else None
    if not key:
        raise ConfigurationError("secret must be whsec_ and base64")
    return key


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not isinstance(value, str) or not value:
        raise WebhookVerificationError(f"{name} is missing")
    return value
