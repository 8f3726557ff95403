"""What a client is told at its making, once and for all."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from .errors import ConfigurationError
from .version import __version__

_visible_ascii = re.compile(r"[\x21-\x7e]+")
# A blank at either end would not arrive (RFC 9110, section 5.5).
_idempotency_key = re.compile(r"(?! )[\x20-\x7e]+(?<! )")
_idempotency_key_characters_max = 255
_decimal = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")


@dataclass(frozen=True)
class Settings:
    """Arguments and environment, checked."""

    base_url: str
    #: The one header that says who calls; none before a registration.
    credential: Mapping[str, str]
    timeout_s: float
    max_retries: int
    rate_limit_rps: float | None
    #: Renews an expired access token.
    identity_assertion: str | None = None
    #: Price ceiling of one call, as a decimal.
    max_cost_usd: str | None = None

    @property
    def is_storefront(self) -> bool:
        return "authorization" in self.credential

    @property
    def headers(self) -> dict[str, str]:
        return {"accept": "application/json", "user-agent": f"sluice-client-python/{__version__}"}


def read(
    environment: Mapping[str, str],
    *,
    api_key: str | None,
    access_token: str | None,
    base_url: str | None,
    timeout: float,
    max_retries: int,
    rate_limit_rps: float | None,
    identity_assertion: str | None = None,
    max_cost_usd: str | None = None,
    is_anonymous: bool = False,
) -> Settings:
    """Raises ``ConfigurationError``. An anonymous client has no credential, whatever the environment holds."""
    address = environment.get("SLUICE_BASE_URL") or None if base_url is None else base_url
    if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
        raise ConfigurationError("max_retries must be a whole number from 0")
    credential = {} if is_anonymous else _credential(environment, api_key, access_token)
    _check_storefront(credential, identity_assertion, max_cost_usd)
    return Settings(
        base_url=_base_url(address),
        credential=credential,
        timeout_s=positive("timeout", timeout),
        max_retries=max_retries,
        rate_limit_rps=None if rate_limit_rps is None else positive("rate_limit_rps", rate_limit_rps),
        identity_assertion=identity_assertion,
        max_cost_usd=max_cost_usd,
    )


def positive(name: str, value: float) -> float:
    """``value`` as it is, if it is a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise ConfigurationError(f"{name} must be a number above 0")
    return value


def visible(name: str, value: str) -> str:
    """``value`` as it is, if it can stand in a header: a line break in a key would be a header of its own."""
    if not isinstance(value, str) or not _visible_ascii.fullmatch(value):
        raise ConfigurationError(f"{name} must be visible ASCII characters, and at least one")
    return value


def idempotency_key(value: str) -> str:
    """``value`` as it is, if a storefront takes it."""
    is_right = isinstance(value, str) and _idempotency_key.fullmatch(value)
    if not is_right or len(value) > _idempotency_key_characters_max:
        raise ConfigurationError(f"idempotency_key must be 1 to {_idempotency_key_characters_max} ASCII characters")
    return value


def _check_storefront(credential: Mapping[str, str], assertion: str | None, max_cost_usd: str | None) -> None:
    if assertion is None and max_cost_usd is None:
        return
    if "authorization" not in credential:
        raise ConfigurationError("identity_assertion and max_cost_usd need an access_token")
    if assertion is not None:
        visible("identity_assertion", assertion)
    if max_cost_usd is not None and not (isinstance(max_cost_usd, str) and _decimal.fullmatch(max_cost_usd)):
        raise ConfigurationError("max_cost_usd must be a decimal in USD, such as 0.05")


def _credential(environment: Mapping[str, str], api_key: str | None, access_token: str | None) -> dict[str, str]:
    if api_key is None and access_token is None:
        api_key = environment.get("SLUICE_API_KEY") or None
        access_token = environment.get("SLUICE_ACCESS_TOKEN") or None
    if api_key is not None and access_token is not None:
        raise ConfigurationError("api_key and access_token are both there: give the one that is meant")
    if api_key is not None:
        return {"x-api-key": visible("api_key", api_key)}
    if access_token is not None:
        return {"authorization": f"Bearer {visible('access_token', access_token)}"}
    raise ConfigurationError("give api_key or access_token, or set SLUICE_API_KEY or SLUICE_ACCESS_TOKEN")


def _base_url(value: str | None) -> str:
    if value is None:
        raise ConfigurationError("give base_url, or set SLUICE_BASE_URL")
    fault = ConfigurationError("base_url must be an absolute http or https address, without a query")
    try:
        url = httpx.URL(visible("base_url", value))
    except httpx.InvalidURL:
        raise fault from None
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or "?" in value or "#" in value:
        raise fault
    return value.rstrip("/")
