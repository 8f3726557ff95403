"""The behaviour that both languages share: every case of ``sdk/suite``, with both clients."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

import sluice

from .stage import Clock, kinds, plain, props, run, settled

folder = Path(__file__).resolve().parents[2] / "suite" / "cases"
cases = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(folder.glob("*.json"))
    for case in json.loads(file.read_text("utf-8"))["cases"]
]
pages = (sluice.Page, sluice.AsyncPage)
usual_client = {"api_key": "sk_test", "base_url": "https://api.test"}
failures: dict[str, type[httpx.RequestError]] = {
    "refused": httpx.ConnectError,
    "connect_timeout": httpx.ConnectTimeout,
    "timeout": httpx.ReadTimeout,
    "reset": httpx.ReadError,
}
errors: dict[str, type[sluice.SluiceError]] = {
    "sluice": sluice.SluiceError,
    "configuration": sluice.ConfigurationError,
    "connection": sluice.APIConnectionError,
    "timeout": sluice.APITimeoutError,
    "response_validation": sluice.ResponseValidationError,
    "status": sluice.APIStatusError,
    "bad_request": sluice.BadRequestError,
    "authentication": sluice.AuthenticationError,
    "insufficient_records": sluice.InsufficientRecordsError,
    "payment_declined": sluice.PaymentDeclinedError,
    "plan_required": sluice.PlanRequiredError,
    "not_found": sluice.NotFoundError,
    "validation": sluice.ValidationError,
    "rate_limit": sluice.RateLimitError,
    "server": sluice.ServerError,
    "stream": sluice.StreamError,
    "webhook_verification": sluice.WebhookVerificationError,
}


class Wire:
    """The scripted service: holds each request against the script and answers as that says."""

    def __init__(self, script: list[Any], clock: Clock) -> None:
        self.script = script
        self.clock = clock
        self.start = clock.now
        self.seen: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        assert len(self.seen) < len(self.script), f"one request too many: {request.method} {request.url}"
        exchange = self.script[len(self.seen)]
        self.seen.append(request)
        if "at" in exchange:
            assert self.clock.now - self.start == pytest.approx(exchange["at"], rel=0, abs=1e-6)
        if "request" in exchange:
            self.compare(request, exchange["request"])
        answer = exchange["answer"]
        if answer.get("fails") == "timeout" and "takes" in answer:
            assert request.extensions["timeout"]["read"] == answer["takes"]
        self.clock.now += answer.get("takes", 0)
        if "fails" in answer:
            raise failures[answer["fails"]](answer["fails"], request=request)
        return response(answer)

    def compare(self, request: httpx.Request, wanted: Any) -> None:
        assert (request.method, str(request.url)) == (wanted["method"], wanted["url"])
        for name, rule in wanted.get("headers", {}).items():
            value = request.headers.get(name)
            if isinstance(rule, dict) and "matches" in rule:
                assert value is not None and re.search(rule["matches"], value), name
            elif isinstance(rule, dict) and "as_in" in rule:
                assert value is not None and value == self.seen[rule["as_in"]].headers[name], name
            elif isinstance(rule, dict):
                assert value is not None and value != self.seen[rule["unlike"]].headers[name], name
            else:
                assert value == rule, name
        if "form" in wanted:
            assert dict(parse_qsl(request.content.decode())) == wanted["form"]
            return
        assert (json.loads(request.content) if request.content else None) == wanted.get("body")


def response(answer: Any) -> httpx.Response:
    kind = "text/html" if "text" in answer else "application/json"
    headers = {"content-type": kind, **answer.get("headers", {})}
    text = answer.get("text", json.dumps(answer["body"]) if "body" in answer else "")
    return httpx.Response(answer["status"], headers=headers, stream=Pieces(text.encode(), "breaks" in answer))


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body byte by byte, so that line ends and characters are split; it may break off at its end."""

    def __init__(self, body: bytes, breaks: bool) -> None:
        self.body, self.breaks = body, breaks

    def __iter__(self) -> Iterator[bytes]:
        for byte in self.body:
            yield bytes([byte])
        if self.breaks:
            raise httpx.ReadError("closed")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


@pytest.mark.parametrize("kind", kinds)
@pytest.mark.parametrize("case", cases)
def test_behaves_as_the_suite_says(case: Any, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.get("env", {}).items():
        monkeypatch.setenv(name, value)
    start = datetime.fromisoformat(case.get("start", "2026-01-05T09:00:00Z").replace("Z", "+00:00")).timestamp()
    clock = Clock(start)
    wire = Wire(case.get("wire", []), clock)
    parts = props(kind, wire, clock, iter(case.get("random", [])))

    def make() -> Any:
        return kind(**case.get("client", usual_client), **parts)

    if "error" in case:
        with pytest.raises(sluice.SluiceError) as raised:
            make()
        fits(raised.value, case["error"])
        return

    async def story() -> None:
        made: Any = None
        for step in case["steps"]:
            if step["call"] not in ("register", "verify_webhook") and made is None:
                made = make()
            await play(step, made, kind, parts)
        if made is not None:
            await settled(made.close())

    run(story)
    assert len(wire.seen) == len(wire.script)


async def play(step: Any, made: Any, kind: Any, parts: dict[str, Any]) -> None:
    got: list[Any] = []
    try:
        await take(step, await call(step, made, kind, parts), got)
    except sluice.SluiceError as error:
        if "error" not in step:
            raise
        fits(error, step["error"])
        assert plain(got) == step.get("before", plain(got))
        return
    assert "error" not in step
    if "result" in step:
        found = got if "take" in step else got[0]
        assert (asdict(found) if isinstance(found, sluice.Webhook) else plain(found)) == step["result"]


async def call(step: Any, made: Any, kind: Any, parts: dict[str, Any]) -> Any:
    fields = {**step.get("with", {}), **step.get("options", {})}
    if step["call"] == "verify_webhook":
        return sluice.verify_webhook(**fields, now=parts["clock"]())
    if step["call"] == "register":
        return await settled(kind.register(**fields, **parts))
    method = made
    for name in step["call"].split("."):
        method = getattr(method, name)
    positional = {"quote": "goal", "purchase": "plan"}.get(step["call"], "id")
    first = [fields.pop(positional)] if positional in fields else []
    outcome = method(*first, **fields)
    return outcome if isinstance(outcome, pages) else await settled(outcome)


async def take(step: Any, answer: Any, got: list[Any]) -> None:
    if "take" not in step:
        got.append(await settled(answer.fetch()) if isinstance(answer, pages) else answer)
        return
    ((what, bounds),) = step["take"].items()
    walk = answer
    if what == "events":
        try:
            await take_events(answer, got)
        finally:
            if "charge" in step:
                charge = await settled(answer.charge())
                assert (asdict(charge) if charge else None) == step["charge"]
        return
    if what == "pages":
        walk = answer.iter_pages(**bounds)
    elif bounds:
        walk = answer.auto_paging_iter(**bounds)
    if hasattr(walk, "__aiter__"):
        async for one in walk:
            got.append(one)
    else:
        for one in walk:
            got.append(one)


async def take_events(stream: Any, got: list[Any]) -> None:
    if hasattr(stream, "__aiter__"):
        async for event in stream:
            got.append(asdict(event))
    else:
        for event in stream:
            got.append(asdict(event))


def fits(error: sluice.SluiceError, wanted: Any) -> None:
    assert type(error) is errors[wanted["type"]]
    for name, value in wanted.items():
        if name == "type":
            continue
        found = str(error) if name == "message" and not hasattr(error, "message") else plain(getattr(error, name))
        if isinstance(value, dict) and set(value) == {"matches"}:
            assert re.search(value["matches"], found), name
        else:
            assert found == value, name
