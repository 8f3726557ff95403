"""Tests against running services, named by variables:

SLUICE_LIVE_URL and SLUICE_LIVE_KEY     the data API and a key for it
SLUICE_LIVE_SHOP_URL                    a storefront; each run registers a new account there
SLUICE_LIVE_SANDBOX_URL                 its card sandbox, which accepts play money
SLUICE_LIVE=off                         skips the tests of services that are not named; without it they fail
"""

from __future__ import annotations

import json
import os
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sluice import (
    APIStatusError,
    AsyncSluice,
    AuthenticationError,
    InsufficientRecordsError,
    NotFoundError,
    PaymentDeclinedError,
    PlanRequiredError,
    Record,
    Sluice,
    ValidationError,
)

from .stage import each, run
from .test_description import methods, unknown

url, key = os.environ.get("SLUICE_LIVE_URL"), os.environ.get("SLUICE_LIVE_KEY")
shop_url, sandbox_url = os.environ.get("SLUICE_LIVE_SHOP_URL"), os.environ.get("SLUICE_LIVE_SANDBOX_URL")
is_off = os.environ.get("SLUICE_LIVE") == "off"
direct = pytest.mark.usefixtures("named_data_api")
storefront = pytest.mark.usefixtures("named_shop")
sandbox = pytest.mark.usefixtures("named_sandbox")


def require(*names: str) -> None:
    """Fails the test if a variable is missing, or skips it with SLUICE_LIVE=off."""
    missing = [name for name in names if not os.environ.get(name)]
    if not missing:
        return
    if is_off:
        pytest.skip(f"SLUICE_LIVE=off, and {' and '.join(missing)} not set")
    pytest.fail(f"Set {' and '.join(missing)} to a running service, or SLUICE_LIVE=off to run without one.")


@pytest.fixture(scope="session")
def named_data_api() -> None:
    require("SLUICE_LIVE_URL", "SLUICE_LIVE_KEY")


@pytest.fixture(scope="session")
def named_shop() -> None:
    require("SLUICE_LIVE_SHOP_URL")


@pytest.fixture(scope="session")
def named_sandbox() -> None:
    require("SLUICE_LIVE_SHOP_URL", "SLUICE_LIVE_SANDBOX_URL")


cascade = [{"include_title": ["CEO", "Founder", "Engineer"]}]


@pytest.fixture(scope="module")
def client(named_data_api: None) -> Iterator[Sluice]:
    with Sluice(api_key=key, base_url=url) as client:
        yield client


@pytest.fixture(scope="module")
def company(client: Sluice) -> str:
    """The page of a company that has employees and hires."""
    found = client.search.tam_by_jobs(max_results=1).results[0].company.network_url
    assert found
    return found


@pytest.fixture(scope="module")
def person(client: Sluice) -> str:
    """The page of a person."""
    return client.search.people(max_results=1).results[0].network_url


def arguments(method: str, company: str, person: str) -> dict[str, Any]:
    by_company = {"company_network_url": company}
    by_person = {"person_network_url": person}
    given: dict[str, dict[str, Any]] = {
        "search.employee_finder": by_company,
        "search.waterfall_icp": {**by_company, "cascade": cascade},
        "search.waterfall_icp_real_time": {**by_company, "cascade": cascade, "max_results": 2},
        "jobs.company": by_company,
        "enrichment.person": by_person,
        "enrichment.email": by_person,
        "enrichment.phone": by_person,
        "enrichment.email_to_person": {"email": "nobody@nowhere.example"},
        "enrichment.phone_to_person": {"phone": "+12125550123"},
        "enrichment.company": by_company,
        "enrichment.domain_to_network": {"domain": "nowhere.example"},
        "enrichment.network_to_domain": by_company,
        "enrichment.company_distribution_by_country": by_company,
        "enrichment.company_distribution_by_department": by_company,
    }
    return given.get(method, {})


@direct
@pytest.mark.parametrize("method", methods.values())
def test_every_operation_answers_with_nothing_unknown(method: str, client: Sluice, company: str, person: str) -> None:
    namespace, name = method.split(".")
    answer: Record = getattr(getattr(client, namespace), name)(**arguments(method, company, person))
    assert not [*unknown(answer, "answer")]


@direct
def test_what_is_known_of_a_person_leads_back_to_them(client: Sluice, person: str) -> None:
    email = client.enrichment.email(person_network_url=person).email
    assert email is not None, f"{person} has no email: the data set of SLUICE_LIVE_URL must have one for its first person"
    back = client.enrichment.email_to_person(email=email).person
    assert back is not None and back.network_url == person


@direct
def test_a_walk_gives_every_job_once(client: Sluice, company: str) -> None:
    page = client.jobs.company(company_network_url=company, max_results=3)
    urls = [job.url for job in page]
    assert len(urls) == len(set(urls)) == page.total_results


@direct
def test_a_walk_gives_the_same_when_awaited(client: Sluice) -> None:
    async def story() -> list[Any]:
        async with AsyncSluice(api_key=key, base_url=url) as other:
            page = await other.search.tam_by_jobs(max_results=5)
            return await each(page.auto_paging_iter(max_items=12))

    assert run(story) == client.search.tam_by_jobs(max_results=5).collect(max_items=12)


@direct
def test_a_wrong_value_is_named(client: Sluice) -> None:
    with pytest.raises(ValidationError) as raised:
        client.jobs.search(job={"seniority": {"include": ["0 to 2"]}})
    assert raised.value.errors[0].field == "job.seniority.include[0]"
    assert raised.value.request_id


@direct
def test_an_unknown_key_is_rejected() -> None:
    with Sluice(api_key="sk_" + "A" * 43, base_url=url) as other, pytest.raises(NotFoundError):
        other.account.key_info()


@pytest.fixture(scope="module")
def shopper(named_shop: None) -> Iterator[Sluice]:
    account = Sluice.register(base_url=shop_url)
    with Sluice(access_token=account.access_token, base_url=shop_url) as client:
        yield client


@storefront
def test_a_new_account_calls_on_its_trial(shopper: Sluice) -> None:
    page = shopper.search.tam_by_jobs(max_results=2)
    assert len(page.results) == 2
    assert shopper.account.key_info().valid


@storefront
def test_a_call_is_in_the_account_as_it_was_charged(shopper: Sluice) -> None:
    items = shopper.search.tam_by_jobs().collect(max_items=1)
    assert len(items) == 1
    (latest,) = shopper.account.calls().collect(max_items=1)
    assert shopper.account.call(latest.call).to_dict() == {"success": True, **latest.to_dict()}
    assert latest.units == 1
    assert sum(one.calls for one in shopper.account.usage(group="day").usage) >= 1
    account = shopper.account.overview()
    assert [*unknown(account, "account")] == ["account.success"]
    assert any(plan.kind == "trial" for plan in account.plans)


@storefront
def test_a_key_works_until_it_is_revoked(shopper: Sluice) -> None:
    made = shopper.account.create_key(name="live test", budget_usd="1.00")
    assert made.id in [key.id for key in shopper.account.keys()]
    with Sluice(access_token=made.key, base_url=shop_url) as other:
        assert other.account.overview().account == shopper.account.overview().account
        assert shopper.account.revoke_key(made.id).revoked
        with pytest.raises(AuthenticationError):
            other.account.overview()


@storefront
def test_a_shop_sells_what_it_says(shopper: Sluice) -> None:
    plan = next(plan for plan in shopper.plans() if plan.kind == "credit")
    purchase = shopper.purchase(plan.id, amount_usd=plan.min_usd)
    assert not purchase.is_paid
    assert purchase.checkout_url and purchase.www_authenticate
    assert purchase.purchase.plan == plan.id


@storefront
def test_a_refusal_says_what_to_buy(shopper: Sluice) -> None:
    with pytest.raises(APIStatusError) as raised:
        for _ in range(30):
            shopper.search.tam_by_jobs(max_results=50).fetch()
    error = raised.value
    assert isinstance(error, (PlanRequiredError, InsufficientRecordsError))
    assert error.plans[0].purchase
    assert error.code in ("plan_required", "credit_exhausted")
    assert error.request_id


@sandbox
def test_a_program_pays_and_is_charged_once(shopper: Sluice) -> None:
    offered = shopper.purchase("credit", amount_usd="2.00")
    assert offered.www_authenticate
    credential = answered(offered.www_authenticate)
    paid = shopper.purchase("credit", amount_usd="2.00", payment_credential=credential)
    assert paid.is_paid
    assert paid.purchase.id == offered.purchase.id
    again = shopper.purchase("credit", amount_usd="2.00", payment_credential=credential)
    assert again.balance_usd == paid.balance_usd
    assert again.receipt == paid.receipt
    assert shopper.account.purchase(offered.purchase.id).state == "granted"
    (receipt,) = shopper.account.receipts().collect()
    assert (receipt.purchase, receipt.amount_usd) == (offered.purchase.id, "2.00")
    assert not [*unknown(receipt, "receipt")]
    assert "2.00" in shopper.account.receipt_document(receipt.receipt)
    asked = shopper.account.request_refund(receipt.purchase, reason="A test.", amount_usd="0.50")
    assert shopper.account.refund_request(receipt.purchase) == asked


@sandbox
def test_a_payment_that_is_none_is_declined(shopper: Sluice) -> None:
    with pytest.raises(PaymentDeclinedError):
        shopper.purchase("credit", amount_usd="2.00", payment_credential="bm9uZQ")


def answered(challenge: str) -> str:
    """The credential that answers a challenge of the Payment scheme, with a card token of the sandbox."""
    parameters = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    token = httpx.post(
        f"{sandbox_url}/v1/test_helpers/shared_payment/granted_tokens",
        headers={"authorization": "Bearer sk_test_sandbox"},
        data={
            "payment_method": "pm_card_visa",
            "usage_limits[currency]": "usd",
            "usage_limits[max_amount]": "200",
            "usage_limits[expires_at]": "1900000000",
            "seller_details[network_id]": "profile_test_sluice",
        },
    ).json()["id"]
    text = json.dumps({"challenge": parameters, "payload": {"spt": token}})
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")
