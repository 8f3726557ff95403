"""A storefront's own answers: an account, a plan, a purchase, a guide."""

from __future__ import annotations

from typing import Any

from .record import Record


class RequestRecipe(Record):
    """A complete request; the body travels as JSON."""

    method: str
    url: str
    headers: dict[str, str]
    body: dict[str, Any]


class Plan(Record):
    """What can be bought. Amounts are decimal strings in USD."""

    id: str
    name: str
    #: ``trial``, ``credit`` or ``subscription``.
    kind: str
    description: str | None
    #: ``*`` for all services, or their slugs.
    covers: str | list[str] | None
    requests_per_second: int | None
    #: For credit the least amount.
    price_usd: str
    #: Units that the plan holds; ``None`` for credit, which holds money, and for a plan of dollars.
    included: int | None
    #: Usage in USD that the plan holds, when it holds no units.
    included_usd: str | None
    #: ``None`` for a trial, which registration gives.
    purchase: RequestRecipe | None
    included_when_claimed: int | None
    included_usd_when_claimed: str | None
    min_usd: str | None
    max_usd: str | None
    every: str | None
    rollover: bool | None


class PlanState(Record):
    """A plan that an account has."""

    id: str
    kind: str
    status: str
    period_end: str | None
    included_remaining: int | None
    #: Of a plan that includes dollars.
    included_usd: str | None


class Registration(Record):
    """A new account and its token, which opens everything for an hour."""

    account: str
    access_token: str
    token_type: str
    #: Seconds.
    expires_in: int
    #: Exchanged for the next token; keep it as you would a password.
    identity_assertion: str
    assertion_expires: str
    #: The trial; ``None`` where the shop has none.
    plan: PlanState | None
    claim_url: str | None
    claim_token: str | None


class Order(Record):
    """What is being bought."""

    id: str
    plan: str
    #: Without tax.
    amount_usd: str
    #: The tax on top and the sum of both, once paid; ``None`` where there is no tax.
    tax_usd: str | None
    total_usd: str | None
    expires_at: str | None


class PurchaseTax(Record):
    """How tax is added to a price, in a shop whose prices exclude it."""

    included: bool
    #: The tax that a card token pays on top; ``None`` while the place of the buyer is not known.
    tax_usd: str | None
    #: The amount and that tax.
    total_usd: str | None
    #: The source of the buyer's place: their ``billing_address`` or the address of the request.
    calculated_for: str | None
    message: str | None


class Rail(Record):
    """A way to pay."""

    rail: str
    url: str | None


class PaymentReceipt(Record):
    """What settled the purchase."""

    method: str
    reference: str | None
    settled_at: str | None


class Purchase(Record):
    """The state of a purchase: ``code`` is ``payment_required``, ``payment_pending``, or ``None`` once it is paid."""

    code: str | None
    message: str | None
    purchase: Order
    #: ``None`` in a shop that adds no tax.
    tax: PurchaseTax | None
    #: The card page for a person, while nothing is paid.
    checkout_url: str | None
    rails: list[Rail]
    #: The challenge for a paying program, as the service sent it (the Payment scheme and x402).
    www_authenticate: str | None
    payment_required: str | None
    #: The following members are set once it is paid.
    plan: PlanState | None
    balance_usd: str | None
    receipt: PaymentReceipt | None
    account: str | None
    access_token: str | None
    identity_assertion: str | None

    @property
    def is_paid(self) -> bool:
        """True once the payment has arrived and the plan is active."""
        return self.receipt is not None


class Estimate(Record):
    """What reaching the goal would cost, from and to. Services with several meters count no units."""

    units_low: int
    units_high: int
    cost_usd_low: str
    cost_usd_high: str


class SuggestedPlan(Record):
    """The plan that fits, how much of it, and why."""

    id: str
    amount_usd: str | None
    why: str


class Guide(Record):
    """The advisor's guide to a goal. It is free, and it buys nothing."""

    #: ``quoted``, ``ready``, ``needs_input``, ``blocked``, ``unknown``, ``unsupported`` or ``unavailable``.
    status: str
    #: Markdown.
    guide: str | None
    #: In calling order, each with a request that works; ``prices`` states the prices of several meters in words.
    operations: list[dict[str, Any]]
    estimate: Estimate | None
    plan: SuggestedPlan | None
    #: Complete requests: register, buy, call.
    steps: list[dict[str, Any]]
    #: Questions about missing information.
    questions: list[Any]

    @property
    def guide_url(self) -> str | None:
        """Address of the same guide."""
        url: str | None = self.extra.get("guideUrl")
        return url
