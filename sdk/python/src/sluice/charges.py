"""Figures of a response beside its content: its cost, and how it arrived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .accounts import CallRecord
from .record import Record


@dataclass(frozen=True)
class Charge:
    """The charge of a storefront for a response. Amounts are decimals in USD."""

    #: Id of the call, for receipts and ``GET /account/calls/{id}``.
    call: str
    cost_usd: str | None
    #: Credit after the call; ``None`` for a stream.
    balance_usd: str | None
    #: Counted units; ``None`` for a service with several meters.
    units: int | None
    #: The plans that paid.
    plan: str | None


@dataclass(frozen=True)
class ResponseInfo:
    """One response to an attempt, for logs."""

    method: str
    #: Without the base URL.
    path: str
    status_code: int
    #: Counts from 1.
    attempt: int
    #: From the start of the attempt to the last byte.
    seconds: float
    request_id: str | None
    #: The charge of a storefront; ``None`` if it charged nothing.
    charge: Charge | None


@dataclass(frozen=True)
class Renewal:
    """Tokens that replace those of a client."""

    access_token: str
    identity_assertion: str


def charge(response: Record) -> Charge | None:
    """The charge of a storefront for a response or a page; ``None`` for a response of the data API.

    >>> from sluice import Company
    >>> charge(Company({"name": "Northwind Analytics"})) is None
    True
    """
    kept: Charge | None = response._charge
    return kept


def read(headers: Mapping[str, str]) -> Charge | None:
    """The charge that the headers of a response state; ``None`` if they state none."""
    call = headers.get("storefront-call")
    if call is None:
        return None
    units = headers.get("storefront-units")
    return Charge(
        call=call,
        cost_usd=headers.get("storefront-cost-usd"),
        balance_usd=headers.get("storefront-balance-usd"),
        units=None if units is None else int(units),
        plan=headers.get("storefront-plan"),
    )


def of_record(call: CallRecord) -> Charge:
    """The charge that a record of the call states."""
    units = None if call.quantities else call.units
    return Charge(call.call, call.cost_usd, None, units, ", ".join(call.plans) or None)
