"""The account of a storefront's customer. Amounts are decimal strings in USD, times are ISO 8601."""

from __future__ import annotations

from .record import Record
from .shop import Order


class AccountPlan(Record):
    """A plan of the account."""

    id: str
    name: str
    #: ``trial``, ``credit`` or ``subscription``.
    kind: str
    #: Time at which all that is left has expired; ``None`` if a part never expires, or nothing is left.
    expires_at: str | None
    #: Of credit.
    balance_usd: str | None
    #: Units, of a plan that includes units.
    included_remaining: int | None
    #: Of a plan that includes dollars.
    included_usd: str | None
    requests_per_second: int


class Grant(Record):
    """Credit or units that were granted, by a trial, a promotion or the seller."""

    source: str | None
    given_usd: str | None
    remaining_usd: str | None
    given_units: int | None
    remaining_units: int | None
    expires_at: str | None


class Subscription(Record):
    """A subscription."""

    id: str
    plan: str
    status: str
    renews: bool
    #: Time of the next charge.
    renews_at: str | None
    period_start: str
    period_end: str
    cancel_at_period_end: bool
    next_plan: str | None
    #: Page on which a person pays a renewal that failed.
    pay_url: str | None


class Card(Record):
    """A card, as far as it may be shown."""

    brand: str | None
    last4: str | None


class AutoTopUp(Record):
    """Automatic purchases of credit."""

    #: ``on``, ``off`` or ``stopped``.
    state: str
    #: The cause of ``stopped``.
    reason: str | None
    below_usd: str | None
    amount_usd: str | None
    monthly_max_usd: str | None
    charged_this_month_usd: str | None
    card: Card | None


class AccountOverview(Record):
    """Balance, plans and limits of an account."""

    account: str
    created_at: str | None
    claimed: bool
    balance_usd: str
    #: Reserved by running calls.
    held_usd: str
    #: Units, over all plans.
    included_remaining: int
    #: Over all plans; ``None`` if no plan includes dollars.
    included_usd: str | None
    plans: list[AccountPlan]
    grants: list[Grant]
    subscriptions: list[Subscription]
    auto_top_up: AutoTopUp


class UsageSum(Record):
    """Sums over calls; refunded calls count as calls only. One of ``service`` to ``day`` is set: the one of the group."""

    calls: int
    units: int
    included_units: int
    cost_usd: str
    #: Quantity of each meter.
    quantities: dict[str, float] | None
    service: str | None
    operation: str | None
    plan: str | None
    #: Id of an account key; ``None`` for access tokens.
    key: str | None
    model: str | None
    day: str | None


class UsageReport(Record):
    """The sums of a time range. ``to_dict()`` has its bounds as ``from`` and ``to``."""

    group: str
    usage: list[UsageSum]


class CallRecord(Record):
    """A call as it was charged."""

    call: str
    at: str
    service: str
    operation: str
    status: int | None
    #: The plans that paid.
    plans: list[str]
    #: Id of the account key that made it; ``None`` for an access token.
    key: str | None
    #: 0 for a service with several meters, which has ``quantities``.
    units: int
    included_units: int
    cost_usd: str
    #: True if the charge was credited back.
    given_back: bool
    #: Entry of the price table.
    model: str | None
    quantities: dict[str, float] | None


class Receipt(Record):
    """A payment with its signed receipt."""

    kind: str
    purchase: str
    plan: str
    amount_usd: str
    tax_usd: str
    total_usd: str
    reversed_usd: str
    reversed_tax_usd: str
    rail: str
    payment: str
    paid_at: str
    #: Compact JWS, which the keys of ``/.well-known/jwks.json`` verify.
    receipt: str
    #: Page to print.
    url: str
    invoice_url: str | None


class Invoice(Record):
    """The invoice of the card processor."""

    invoice_url: str


class AccountKey(Record):
    """A long-lived key of the account."""

    id: str
    name: str
    #: The end of the key.
    hint: str
    created_at: str
    #: The address of the person who created it, shown to persons.
    created_by: str | None
    expires_at: str | None
    #: ``active``, or ``paused`` while the role of the person who created it does not include calls.
    state: str
    #: Slugs of the services that it may call; ``None`` for all.
    services: list[str] | None
    #: The most that it may spend.
    budget_usd: str | None
    spent_usd: str | None


class NewAccountKey(AccountKey):
    """A new key."""

    #: The key itself, for ``Sluice(access_token=...)``. It is shown only once.
    key: str

    _hidden = Record._hidden | {"key"}


class RevokedKey(Record):
    """A key that has ended."""

    id: str
    revoked: bool


class SubscriptionState(Record):
    """The subscription that was changed, and all of the account."""

    subscription: Subscription
    subscriptions: list[Subscription]


class CardPage(Record):
    """A page on which a person enters a card."""

    card_url: str
    expires_at: str


class Promotion(Record):
    """The value of a promotion code."""

    code: str
    usd: str | None
    units: int | None
    expires_at: str | None


class PurchaseState(Record):
    """The state of a purchase."""

    purchase: Order
    #: ``offered``, ``claimed``, ``granted`` (paid) or ``declined``.
    state: str
    #: Only for the account that bought it.
    account: str | None


class RefundRequest(Record):
    """A request to refund a purchase."""

    purchase: str
    amount_usd: str
    tax_usd: str
    reason: str
    asked_at: str
    #: ``open``, ``declined`` or ``refunded``.
    state: str
    refunded_usd: str
    refunded_tax_usd: str
    #: The seller's reason for declining.
    answer: str | None
    declined_at: str | None


class Claim(Record):
    """The state of a claim."""

    #: ``initiated`` or ``claimed``.
    status: str
    #: Of the code that was sent.
    expires_at: str | None
    #: The account that remains after a claim.
    account: str | None
    #: True if it was joined with an account that the person already had.
    joined: bool | None
