# Made from ../_async by scripts/make_sync.py: change that, and run it.
"""The namespace ``account``."""

from __future__ import annotations

from collections.abc import Sequence

from .. import asking, reading
from ..accounts import (
    AccountKey,
    AccountOverview,
    AutoTopUp,
    CallRecord,
    Claim,
    Invoice,
    NewAccountKey,
    Promotion,
    PurchaseState,
    RefundRequest,
    RevokedKey,
    UsageReport,
)
from ..errors import ResponseValidationError
from ..key_info import KeyInfo
from .pages import CallsPage, ReceiptsPage
from .subscriptions import Subscriptions


class Account(Subscriptions):
    """The key and, at a storefront, the account: balance, usage, keys, subscriptions, receipts. All methods are free."""

    def key_info(self, *, timeout: float | None = None) -> KeyInfo:
        """What the key may do and what it has left. Free, and a good health check.

        >>> info = client.account.key_info()
        >>> info.records_remaining
        199500
        >>> [plan.name for plan in info.active_plans]
        ['Start']
        """
        return KeyInfo(self._caller.read(asking.read(self._caller.settings, "/v2/account/key-info", timeout)))

    def overview(self, *, timeout: float | None = None) -> AccountOverview:
        """Balance, plans, subscriptions and limits.

        >>> account = client.account.overview()
        >>> account.balance_usd, account.included_remaining, [plan.id for plan in account.plans]
        ('4.998', 0, ['credit'])
        """
        return self._answer(AccountOverview, "GET", "/account", timeout)

    def usage(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        group: str | None = None,
        service: str | None = None,
        key: str | None = None,
        model: str | None = None,
        timeout: float | None = None,
    ) -> UsageReport:
        """Sums of calls, units and cost, by ``service``, ``operation``, ``plan``, ``key``, ``model`` or ``day``.

        ``since`` and ``until`` are days or moments, at most 92 days apart; without them it is the last 30 days.
        ``service``, ``key`` and ``model`` restrict it to some calls; ``(none)`` to calls without a key or model.

        >>> report = client.account.usage(since="2026-01-01", until="2026-01-31", group="day")
        >>> [(one.day, one.calls, one.cost_usd) for one in report.usage]
        [('2026-01-05', 2, '0.002')]
        """
        query = {"from": since, "to": until, "group": group, "service": service, "key": key, "model": model}
        return self._answer(UsageReport, "GET", "/account/usage", timeout, query=query)

    def calls(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        cursor: str | None = None,
        service: str | None = None,
        key: str | None = None,
        model: str | None = None,
        timeout: float | None = None,
    ) -> CallsPage:
        """The calls of a time range, the newest first. ``service``, ``key`` and ``model`` are those of ``usage``.

        >>> [(one.operation, one.cost_usd) for one in client.account.calls(since="2026-01-01", until="2026-01-31")]
        [('POST /v2/jobs/company', '0.002')]
        """
        query = {"from": since, "to": until, "service": service, "key": key, "model": model, "cursor": cursor}
        return self._caller.account_page(CallsPage, "/account/calls", "calls", query, timeout)

    def call(self, id: str, *, timeout: float | None = None) -> CallRecord:
        """One call as it was charged. ``sluice.charge(answer)`` has its id.

        >>> (client.account.call("call_1")).cost_usd
        '0.000124'
        """
        return self._answer(CallRecord, "GET", "/account/calls/{id}", timeout, id=id)

    def receipts(self, *, cursor: str | None = None, timeout: float | None = None) -> ReceiptsPage:
        """The payments, each with its signed receipt.

        >>> [(one.paid_at, one.total_usd) for one in client.account.receipts()]
        [('2026-01-05T09:00:00.000Z', '5.00')]
        """
        return self._caller.account_page(
            ReceiptsPage, "/account/receipts", "receipts", {"cursor": cursor}, timeout
        )

    def receipt_document(self, receipt: str, *, timeout: float | None = None) -> str:
        """A receipt as a document to print or file, in HTML. ``receipt`` is that of an item of ``receipts``.

        >>> page = client.account.receipts()
        >>> (client.account.receipt_document(page.results[0].receipt))[:15]
        '<!doctype html>'
        """
        request = asking.account(
            self._caller.settings, "GET", "/receipts/{id}", timeout, id=receipt, headers={"accept": "text/html"}
        )
        reply = self._caller.send(request)
        if reply.status_code == 200 and isinstance(reply.body, str):
            return reply.body
        reading.answer(reply, self._caller.clock())
        raise ResponseValidationError(f"{reply.url} answered without a document")

    def invoice(self, id: str, *, timeout: float | None = None) -> Invoice:
        """The card processor's invoice for a purchase. Raises ``NotFoundError`` if it has none.

        >>> (client.account.invoice("pur_1")).invoice_url
        'https://invoice.example.com/in_1'
        """
        return self._answer(Invoice, "GET", "/account/receipts/{id}/invoice", timeout, id=id)

    def keys(self, *, timeout: float | None = None) -> list[AccountKey]:
        """The valid keys of the account, with what they have spent.

        >>> [(key.name, key.spent_usd, key.budget_usd) for key in client.account.keys()]
        [('nightly export', '0.20', '5.00')]
        """
        body = self._read("GET", "/account/keys", timeout)
        return [AccountKey(key) for key in reading.member(body, "keys", list)]

    def create_key(
        self,
        *,
        name: str,
        budget_usd: str | None = None,
        services: Sequence[str] | None = None,
        expires_at: str | None = None,
        timeout: float | None = None,
    ) -> NewAccountKey:
        """Creates a long-lived key, with limits if you wish. Needs an access token. Not retried if its response is lost.

        >>> made = client.account.create_key(name="nightly export", budget_usd="5.00")
        >>> made.key
        'slk_1'
        """
        fields = {"name": name, "budget_usd": budget_usd, "services": services, "expires_at": expires_at}
        return self._answer(
            NewAccountKey, "POST", "/account/keys", timeout, fields=fields, is_repeatable=False
        )

    def revoke_key(self, id: str, *, timeout: float | None = None) -> RevokedKey:
        """Ends a key. It is invalid as soon as this returns. Needs an access token.

        >>> (client.account.revoke_key("key_1")).revoked
        True
        """
        return self._answer(RevokedKey, "DELETE", "/account/keys/{id}", timeout, id=id)

    def purchase(self, id: str, *, timeout: float | None = None) -> PurchaseState:
        """The state of a purchase; ``granted`` is paid.

        >>> (client.account.purchase("pur_1")).state
        'granted'
        """
        return self._answer(PurchaseState, "GET", "/purchases/{id}", timeout, id=id)

    def request_refund(
        self, id: str, *, reason: str, amount_usd: str | None = None, timeout: float | None = None
    ) -> RefundRequest:
        """Asks the seller to refund a purchase. Repeated, it returns the first request. Needs an access token.

        >>> (client.account.request_refund("pur_1", reason="Bought twice by mistake.")).state
        'open'
        """
        fields = {"reason": reason, "amount_usd": amount_usd}
        body = self._read("POST", "/purchases/{id}/refund-request", timeout, id=id, fields=fields)
        return RefundRequest(reading.member(body, "refund_request", dict))

    def refund_request(self, id: str, *, timeout: float | None = None) -> RefundRequest:
        """The refund request of a purchase.

        >>> (client.account.refund_request("pur_1")).amount_usd
        '5.00'
        """
        body = self._read("GET", "/purchases/{id}/refund-request", timeout, id=id)
        return RefundRequest(reading.member(body, "refund_request", dict))

    def auto_top_up(self, *, timeout: float | None = None) -> AutoTopUp:
        """Automatic purchases of credit, and their limits.

        >>> (client.account.auto_top_up()).state
        'off'
        """
        body = self._read("GET", "/account/auto-top-up", timeout)
        return AutoTopUp(reading.member(body, "auto_top_up", dict))

    def set_auto_top_up(
        self,
        *,
        below_usd: str | None = None,
        amount_usd: str | None = None,
        monthly_max_usd: str | None = None,
        enabled: bool | None = None,
        timeout: float | None = None,
    ) -> AutoTopUp:
        """Sets automatic purchases of credit; without arguments it ends them.

        Raises ``APIStatusError`` 409 ``consent_required``, whose body has a ``consent_url``, until the holder of the card
        has agreed there.

        >>> (client.account.set_auto_top_up()).state
        'off'
        """
        fields = {
            "below_usd": below_usd,
            "amount_usd": amount_usd,
            "monthly_max_usd": monthly_max_usd,
            "enabled": enabled,
        }
        body = self._read("PUT", "/account/auto-top-up", timeout, fields=fields)
        return AutoTopUp(reading.member(body, "auto_top_up", dict))

    def redeem(self, *, code: str, timeout: float | None = None) -> Promotion:
        """Redeems a promotion code.

        >>> (client.account.redeem(code="SPRING")).usd
        '1.00'
        """
        body = self._read("POST", "/account/promotions", timeout, fields={"code": code}, is_repeatable=False)
        return Promotion(reading.member(body, "promotion", dict))

    def claim(self, *, claim_token: str, email: str, timeout: float | None = None) -> Claim:
        """Sends a code to the mail address of a person, who can then claim the account and manage it in a browser.

        A claim may enlarge the trial.

        >>> (client.account.claim(claim_token="clm_1", email="ada@example.com")).status
        'initiated'
        """
        fields = {"claim_token": claim_token, "email": email}
        return self._answer(Claim, "POST", "/agent/auth/claim", timeout, fields=fields, is_repeatable=False)

    def complete_claim(self, *, claim_token: str, otp: str, timeout: float | None = None) -> Claim:
        """Completes a claim with the code from the mail. ``account`` in the result is the account that remains.

        >>> done = client.account.complete_claim(claim_token="clm_1", otp="123456")
        >>> done.account, done.joined
        ('acc_1', False)
        """
        route, fields = "/agent/auth/claim/complete", {"claim_token": claim_token, "otp": otp}
        return self._answer(Claim, "POST", route, timeout, fields=fields, is_repeatable=False)
