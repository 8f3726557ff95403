"""What the README and ``examples/`` show works as it stands, over real HTTP."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import os
import re
import runpy
import subprocess
import sys
import time
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import sluice

from .service import Response, respond, served

root = Path(__file__).resolve().parents[1]
seconds_max = 20
signing_key = b"a secret of the example"
secret = "whsec_" + b64encode(signing_key).decode()
printed = {
    "first_call.py": ["199500 records left"],
    "search_and_collect.py": ["name,title,company", "Beulah Lee,CTO,Northwind Analytics"],
    "enrich_many.py": ["beulah-lee: beulah.lee@northwind-analytics.example"],
    "buy_and_call.py": ["account acc_1", "up to 0.40 USD", "checkout/pur_1", "Data Engineer at Northwind"],
    "register_trial.py": ["1 postings, the newest 1", "Data Engineer Berlin"],
    "buy_plan.py": ["Paid. The balance is 5.00"],
    "price_ceiling.py": ["may cost more", "10 people for 0.01 USD"],
    "stream.py": ["Hello\nCost: 0.000124 USD"],
    "safe_retry.py": ["charged once: True"],
    "usage_report.py": ["2026-01-05,2,0.002", "POST /v2/jobs/company,0.002", "Balance: 4.998 USD"],
    "receipts.py": ["2026-01-05 5.00 USD pur_2"],
    "token_renewal.py": ["acc_1 has 4.998 USD"],
}
#: Those that call a storefront with the token of the environment.
with_token = {"buy_plan", "price_ceiling", "stream", "safe_retry", "usage_report", "receipts"}


class Shop:
    """The service, with the prices, payments and tokens that the programs need."""

    def __init__(self) -> None:
        self.lost = 0

    def __call__(self, method: str, path: str, given: Mapping[str, str], asked: dict[str, Any]) -> Response | None:
        usual = respond(method, path, given, asked)
        assert usual is not None
        status, headers, body = usual
        if given.get("authorization") == "Bearer at_expired":
            return 401, headers, {"code": "token_invalid"}
        if path == "/oauth2/token":
            return 200, {}, {"access_token": "at_2", "identity_assertion": "ia_2"}
        if path == "/v1/chat/completions":
            words = [json.dumps({"choices": [{"delta": {"content": word}}]}) for word in ("Hel", "lo")]
            return 200, headers, "".join(f"data: {data}\n\n" for data in [*words, "[DONE]"])
        if path == "/v2/enrichment/email" and "idempotency-key" in given:
            self.lost += 1
            charge = {"storefront-call": f"call of {given['idempotency-key']}"}
            return None if self.lost == 1 else (status, {**headers, **charge}, body)
        if "storefront-max-cost" in given:
            return self.under_ceiling(asked["max_results"])
        if path == "/plans/credit/purchase":
            return self.purchase(given, usual)
        return usual

    def under_ceiling(self, count: int) -> Response:
        if count > 10:
            message = "This call may cost more than your Storefront-Max-Cost allows."
            return 402, {}, {"code": "price_ceiling", "message": message}
        cost = {"storefront-call": "call_1", "storefront-cost-usd": "0.01"}
        return 200, cost, {"results": [{}] * count, "cursor": None}

    def purchase(self, given: Mapping[str, str], offer: Response) -> Response:
        status, headers, body = offer
        if "payment-authorization" not in given:
            return status, {**headers, "www-authenticate": 'Payment id="ch_1", method="stripe"'}, body
        text = given["payment-authorization"].removeprefix("Payment ")
        credential = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        assert credential == {"challenge": {"id": "ch_1", "method": "stripe"}, "payload": {"spt": "spt_1"}}
        return 200, headers, {"success": True, "balance_usd": "5.00", "receipt": {"method": "stripe"}}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(Shop()) as address:
        yield address


def programs() -> list[Any]:
    return [pytest.param(script, id=script.stem) for script in sorted((root / "examples").glob("*.py"))]


@pytest.mark.parametrize("script", [one for one in programs() if one.id != "webhook"])
def test_an_example_works(script: Path, address: str, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    tokens.write_text('{"access_token": "at_expired", "identity_assertion": "ia_1"}', "utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "SLUICE_BASE_URL": address,
        "SLUICE_ACCESS_TOKEN" if script.stem in with_token else "SLUICE_API_KEY": "at_1",
        "PYTHONWARNINGS": "error",
        "CARD_TOKEN": "spt_1",
        "FOLDER": str(tmp_path),
        "TOKENS": str(tokens),
    }
    if script.stem == "token_renewal":
        del environment["SLUICE_API_KEY"]
    command = [sys.executable, str(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds_max, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for line in printed[script.name]:
        assert line in done.stdout
    if script.stem == "receipts":
        assert (tmp_path / "pur_2.html").read_text("utf-8").startswith("<!doctype html>")
    if script.stem == "token_renewal":
        assert json.loads(tokens.read_text("utf-8")) == {"access_token": "at_2", "identity_assertion": "ia_2"}


def test_the_example_of_a_receiver_handles_each_webhook_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", secret)
    application = runpy.run_path(str(root / "examples" / "webhook.py"))["application"]
    body, now = b'{"n": 1}', str(int(time.time()))
    digest = hmac.new(signing_key, f"msg_1.{now}.".encode() + body, hashlib.sha256).digest()

    def send(signature: str) -> str:
        answered: list[str] = []
        environ = {
            "wsgi.input": io.BytesIO(body),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_WEBHOOK_ID": "msg_1",
            "HTTP_WEBHOOK_TIMESTAMP": now,
            "HTTP_WEBHOOK_SIGNATURE": signature,
        }
        application(environ, lambda status, headers: answered.append(status))
        return answered[0][:3]

    signature = f"v1,{b64encode(digest).decode()}"
    assert [send(signature), send(signature), send("v1,AAAA")] == ["204", "204", "400"]
    assert capsys.readouterr().out == "msg_1 {'n': 1}\n"


def test_both_languages_have_an_example_of_the_same_ten_jobs() -> None:
    others = {path.stem.replace("-", "_") for path in (root.parent / "typescript" / "examples").glob("*.ts")}
    both = {path.stem for path in (root / "examples").glob("*.py")} & others
    assert both == with_token | {"register_trial", "search_and_collect", "webhook", "token_renewal"}
    assert len(both) == 10


def test_the_readme_works(address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SLUICE_API_KEY", "sk_test")
    monkeypatch.setenv("SLUICE_BASE_URL", address)
    blocks = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) > 5
    globs: dict[str, Any] = {}
    for block in blocks:
        exec(compile(re.sub(r"https://(api|shop)\.example\.com", address, block), "README.md", "exec"), globs)
    globs["shop"].close()
    said = capsys.readouterr().out
    for line in ["Beulah Lee CTO", "Data Engineer at Northwind Analytics", "Northwind Analytics Berlin {}", "credit"]:
        assert line in said


def test_the_readme_names_every_error_and_every_method() -> None:
    text = (root / "README.md").read_text("utf-8")
    for name in sluice.__all__:
        item = getattr(sluice, name)
        if isinstance(item, type) and issubclass(item, sluice.SluiceError):
            assert f"`{name}`" in text
    with sluice.Sluice(api_key="sk_test", base_url="https://api.test") as client:
        for namespace in ("account", "search", "jobs", "enrichment", "utils"):
            for name in dir(getattr(client, namespace)):
                assert name.startswith("_") or f"`{name}`" in text
