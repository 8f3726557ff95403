"""The client."""

from __future__ import annotations

import os
import random as randomness
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

import anyio
import httpx

from .. import asking, reading, settings
from ..charges import Renewal, ResponseInfo
from ..errors import ResponseValidationError
from ..shop import Guide, Plan, Purchase, Registration
from .account import AsyncAccount
from .caller import AsyncCaller
from .enrichment import AsyncEnrichment
from .jobs import AsyncJobs
from .search import AsyncSearch
from .streams import AsyncStream
from .utils import AsyncUtils

C = TypeVar("C", bound="AsyncSluice")


class AsyncSluice:
    """People, companies and jobs, from the service itself (``api_key``) or from a storefront (``access_token``).

    The credential and ``base_url`` may also come from ``SLUICE_API_KEY`` or ``SLUICE_ACCESS_TOKEN``, and
    ``SLUICE_BASE_URL``. ``timeout`` is in seconds, for one attempt; ``max_retries`` counts what comes after the first;
    ``rate_limit_rps`` holds each endpoint to so many calls a second, ``None`` to none. At a storefront,
    ``identity_assertion`` renews an expired token (``on_renewal`` gets the new ones, to store them) and ``max_cost_usd``
    (``"0.05"``) refuses calls that could cost more. ``on_response`` gets every response, for logs. ``transport``, ``clock``
    (seconds since 1970), ``sleep`` and ``random`` are there to be replaced in tests. Raises ``ConfigurationError``.

    >>> client = AsyncSluice(api_key="sk_test", base_url="https://api.example.com")
    >>> await client.close()
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        access_token: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 3,
        rate_limit_rps: float | None = 5.0,
        identity_assertion: str | None = None,
        max_cost_usd: str | None = None,
        on_response: Callable[[ResponseInfo], None] | None = None,
        on_renewal: Callable[[Renewal], None] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        checked = settings.read(
            os.environ,
            api_key=api_key,
            access_token=access_token,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            rate_limit_rps=rate_limit_rps,
            identity_assertion=identity_assertion,
            max_cost_usd=max_cost_usd,
        )
        self._caller = AsyncCaller(
            checked,
            transport=transport,
            clock=clock,
            sleep=sleep,
            random=random,
            on_response=on_response,
            on_renewal=on_renewal,
        )
        self.account = AsyncAccount(self._caller)
        self.search = AsyncSearch(self._caller)
        self.jobs = AsyncJobs(self._caller)
        self.enrichment = AsyncEnrichment(self._caller)
        self.utils = AsyncUtils(self._caller)

    @staticmethod
    async def register(
        *,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 3,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        random: Callable[[], float] = randomness.random,
    ) -> Registration:
        """Opens an account at a storefront, for nothing and with no credential: its token makes a client.

        >>> account = await AsyncSluice.register(base_url=shop_url, transport=transport)
        >>> account.plan.included_remaining
        25
        >>> client = AsyncSluice(access_token=account.access_token, base_url=shop_url, transport=transport)
        """
        checked = settings.read(
            os.environ,
            api_key=None,
            access_token=None,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            rate_limit_rps=None,
            is_anonymous=True,
        )
        caller = AsyncCaller(checked, transport=transport, clock=clock, sleep=sleep, random=random)
        try:
            request = asking.write(checked, "/agent/auth", {"type": "anonymous"}, None)
            return Registration(await caller.read(request))
        finally:
            await caller.close()

    def stream(
        self,
        path: str,
        fields: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncStream:
        """A call whose response is a stream: server-sent events or NDJSON.

        It costs what the operation costs, is made when the iteration begins, and is retried only before the first event.
        ``headers`` are further ones that the operation needs, such as ``anthropic-version``. ``timeout`` limits each wait.
        Raises ``APIConnectionError`` if the connection breaks, and ``StreamError`` for an event that reports an error, after
        the events before it.

        >>> stream = client.stream("/v1/chat/completions", {"model": "small-1", "stream": True})
        >>> [event.data async for event in stream]
        [{'word': 'Hel'}, {'word': 'lo'}, '[DONE]']
        """
        request = asking.stream(self._caller.settings, path, fields or {}, headers or {}, timeout, idempotency_key)
        return AsyncStream(self._caller, request)

    async def plans(self, *, timeout: float | None = None) -> list[Plan]:
        """What a storefront sells.

        >>> [(plan.id, plan.price_usd) for plan in await client.plans()]
        [('trial', '0.00'), ('credit', '0.50')]
        """
        manifest = await self._caller.read(asking.read(self._caller.settings, "/manifest.json", timeout))
        plans = manifest.get("plans")
        if not isinstance(plans, list):
            raise ResponseValidationError("/manifest.json has no list of plans")
        return [Plan(plan) for plan in plans]

    async def quote(
        self,
        goal: str,
        *,
        quantity: int | None = None,
        budget_usd: str | None = None,
        budget_exclusive: bool | None = None,
        review_after_calls: int | None = None,
        requirements: str | Sequence[str] | None = None,
        human_available: bool | None = None,
        payment: str | None = None,
        payment_signature: str | None = None,
        payment_credential: str | None = None,
        timeout: float | None = None,
    ) -> Guide:
        """A storefront's advice: which operations reach a goal, what they cost, what to buy. Free, and it buys nothing.

        With a signed zero-amount proof, by x402 (``payment_signature``) or the Payment scheme (``payment_credential``),
        it is asked at the quote, otherwise at the guide.

        >>> quote = await client.quote("work emails of 200 CTOs in Berlin", budget_usd="1.00")
        >>> quote.status, quote.plan.amount_usd
        ('quoted', '0.50')
        """
        fields = {
            "goal": goal,
            "quantity": quantity,
            "budgetUsd": budget_usd,
            "budgetExclusive": budget_exclusive,
            "reviewAfterCalls": review_after_calls,
            "requirements": requirements,
            "humanAvailable": human_available,
            "payment": payment,
        }
        request = asking.quote(self._caller.settings, fields, timeout, payment_signature, payment_credential)
        return Guide(await self._caller.read(request))

    async def purchase(
        self,
        plan: str,
        *,
        amount_usd: str | None = None,
        quantity: int | None = None,
        billing_address: dict[str, str] | None = None,
        return_url: str | None = None,
        payment_signature: str | None = None,
        payment_credential: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> Purchase:
        """Buys a plan of a storefront, or says how.

        Without a payment nothing is charged: the answer has the ``checkout_url`` for a person and the challenges for a
        program. With one (``payment_credential`` of the Payment scheme, ``payment_signature`` of x402) the plan is open
        when it ``is_paid``. ``billing_address`` ({"country": "DE"}) is where the buyer is, for the tax of a payment by card
        token; without it the address of the request counts. Raises ``PaymentDeclinedError``.

        >>> purchase = await client.purchase("credit", amount_usd="5.00")
        >>> purchase.is_paid, purchase.checkout_url
        (False, 'https://shop.example.com/checkout/pur_1')
        """
        fields = {
            "amount_usd": amount_usd,
            "quantity": quantity,
            "billing_address": billing_address,
            "return_url": return_url,
        }
        request = asking.purchase(
            self._caller.settings, plan, fields, timeout, payment_signature, payment_credential, idempotency_key
        )
        reply = await self._caller.send(request)
        if reply.status_code == 402 and isinstance(reply.body, dict) and not request.is_paying:
            return Purchase({**reply.body, **reading.challenges(reply)})
        return Purchase(reading.answer(reply, self._caller.clock(), request.is_paying))

    async def close(self) -> None:
        """Closes all connections. ``async with`` does so by itself."""
        await self._caller.close()

    async def __aenter__(self: C) -> C:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
