"""The subscriptions of the namespace ``account``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .. import asking
from ..accounts import CardPage, SubscriptionState
from ..record import Record
from .namespace import AsyncNamespace

R = TypeVar("R", bound=Record)


class AsyncSubscriptions(AsyncNamespace):
    """The subscriptions of an account."""

    async def cancel_plan(self, id: str, *, timeout: float | None = None) -> SubscriptionState:
        """Cancels all subscriptions of a plan at the end of their period.

        >>> (await client.account.cancel_plan("pro")).subscription.cancel_at_period_end
        True
        """
        return await self._answer(SubscriptionState, "POST", "/account/plans/{id}/cancel", timeout, id=id)

    async def resume_plan(self, id: str, *, timeout: float | None = None) -> SubscriptionState:
        """Withdraws the cancellation of a plan. Needs an access token.

        >>> (await client.account.resume_plan("pro")).subscription.plan
        'pro'
        """
        return await self._answer(SubscriptionState, "POST", "/account/plans/{id}/resume", timeout, id=id)

    async def change_plan(
        self, id: str, *, plan: str, price_usd: str | None = None, timeout: float | None = None
    ) -> SubscriptionState:
        """Changes a plan: to a more expensive one at once, which is charged, to a cheaper one with the next period.

        With ``price_usd``, it is refused (``price_changed``) when a period costs anything else now, and nothing is
        charged. Needs an access token.

        >>> (await client.account.change_plan("pro", plan="max", price_usd="40.00")).subscription.next_plan
        'max'
        """
        route, fields = "/account/plans/{id}/change", {"plan": plan, "price_usd": price_usd}
        return await self._answer(SubscriptionState, "POST", route, timeout, id=id, fields=fields, is_repeatable=False)

    async def cancel_subscription(self, id: str, *, timeout: float | None = None) -> SubscriptionState:
        """Cancels one subscription at the end of its period.

        >>> (await client.account.cancel_subscription("sub_1")).subscription.cancel_at_period_end
        True
        """
        return await self._answer(SubscriptionState, "POST", "/account/subscriptions/{id}/cancel", timeout, id=id)

    async def resume_subscription(self, id: str, *, timeout: float | None = None) -> SubscriptionState:
        """Withdraws the cancellation of one subscription. Needs an access token.

        >>> (await client.account.resume_subscription("sub_1")).subscription.plan
        'pro'
        """
        return await self._answer(SubscriptionState, "POST", "/account/subscriptions/{id}/resume", timeout, id=id)

    async def change_subscription(
        self, id: str, *, plan: str, price_usd: str | None = None, timeout: float | None = None
    ) -> SubscriptionState:
        """Changes one subscription, as ``change_plan`` does.

        >>> (await client.account.change_subscription("sub_1", plan="max")).subscription.next_plan
        'max'
        """
        route, fields = "/account/subscriptions/{id}/change", {"plan": plan, "price_usd": price_usd}
        return await self._answer(SubscriptionState, "POST", route, timeout, id=id, fields=fields, is_repeatable=False)

    async def subscription_card(self, id: str, *, timeout: float | None = None) -> CardPage:
        """A page on which a person enters another card for a subscription. Needs an access token.

        >>> (await client.account.subscription_card("sub_1")).card_url
        'https://pay.example.com/card_1'
        """
        return await self._answer(CardPage, "POST", "/account/subscriptions/{id}/card", timeout, id=id)

    async def _answer(
        self,
        kind: type[R],
        method: str,
        route: str,
        timeout: float | None,
        *,
        id: str | None = None,
        query: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        is_repeatable: bool = True,
    ) -> R:
        return kind(
            await self._read(method, route, timeout, id=id, query=query, fields=fields, is_repeatable=is_repeatable)
        )

    async def _read(self, method: str, route: str, timeout: float | None, **parts: Any) -> dict[str, Any]:
        return await self._caller.read(asking.account(self._caller.settings, method, route, timeout, **parts))
