"""The account methods cover what the description of the storefront offers to customers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import sluice
from sluice import accounts
from sluice.record import Record

from .test_description import fields

root = Path(__file__).resolve().parents[3]
loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
storefront = yaml.load((root / "openapi" / "storefront.yaml").read_text("utf-8"), Loader=loader)
cases = json.loads((root / "sdk" / "suite" / "cases" / "account.json").read_text("utf-8"))["cases"]
#: Routes of other tags that a customer calls for the account, without the purchase, which is a method of the client.
others = {"plans.purchase_state", "plans.request_refund", "plans.refund_request", "identity.claim", "identity.claim_complete"}


def routes() -> Iterator[Any]:
    for path, item in storefront["paths"].items():
        # Routes of a team are for persons who are signed in: keys and applications, which SDKs use, are refused.
        if path.startswith("/account/team"):
            continue
        for method, operation in item.items():
            if method != "parameters" and ("Account" in operation["tags"] or operation["operationId"] in others):
                yield pytest.param(method.upper(), path, id=operation["operationId"])


@pytest.mark.parametrize(("method", "path"), routes())
def test_each_route_of_the_account_has_a_case(method: str, path: str) -> None:
    pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
    requests = [exchange["request"] for case in cases for exchange in case["wire"] if "request" in exchange]
    sent = [(one["method"], one["url"].removeprefix("https://shop.test").partition("?")[0]) for one in requests]
    assert any(verb == method and pattern.fullmatch(target) for verb, target in sent)


def answer(path: str, method: str, status: str = "200") -> Any:
    return storefront["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"]


def schema(name: str) -> Any:
    return storefront["components"]["schemas"][name]


described = [
    (sluice.AccountOverview, schema("StorefrontAccount")),
    (accounts.AccountPlan, schema("StorefrontAccount")["properties"]["plans"]["items"]),
    (accounts.Grant, schema("StorefrontAccount")["properties"]["grants"]["items"]),
    (sluice.Subscription, schema("StorefrontSubscription")),
    (sluice.AutoTopUp, schema("StorefrontTopUp")),
    (sluice.CallRecord, schema("StorefrontCallRecord")),
    (sluice.AccountKey, schema("StorefrontKey")),
    (sluice.RefundRequest, schema("StorefrontRefundRequest")),
    (sluice.Receipt, answer("/account/receipts", "get")["properties"]["receipts"]["items"]),
    (sluice.Promotion, answer("/account/promotions", "post")["properties"]["promotion"]),
    (sluice.PurchaseState, answer("/purchases/{id}", "get")),
    (accounts.RevokedKey, answer("/account/keys/{id}", "delete")),
    (accounts.CardPage, answer("/account/subscriptions/{id}/card", "post")),
    (accounts.Invoice, answer("/account/receipts/{purchase}/invoice", "get")),
]


@pytest.mark.parametrize(("kind", "properties"), described, ids=lambda one: getattr(one, "__name__", ""))
def test_a_record_has_the_fields_of_the_description(kind: type[Record], properties: Any) -> None:
    assert set(fields(kind) or {}) == set(properties["properties"]) - {"success"}


def test_a_new_key_is_not_shown() -> None:
    made = sluice.NewAccountKey({"id": "key_1", "key": "slk_secret"})
    assert made.key == "slk_secret"
    assert "slk_secret" not in repr(made)
