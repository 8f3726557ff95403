"""What the shared suite cannot say: tasks, time-outs byte by byte, sockets, and this language's own manners."""

from __future__ import annotations

import json
import pickle
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from functools import partial
from typing import Any

import anyio
import httpx
import pytest

import sluice
from sluice import AsyncSluice, Company, Sluice

from .service import handle, served
from .stage import Clock, client, kinds, run, settled

person: dict[str, Any] = {"person_network_url": "https://www.network.example/in/ada"}


class Drip(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that takes its time for each byte."""

    def __init__(self, body: bytes, seconds: float, clock: Clock) -> None:
        self.body, self.seconds, self.clock = body, seconds, clock

    def __iter__(self) -> Iterator[bytes]:
        for byte in self.body:
            self.clock.now += self.seconds
            yield bytes([byte])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for byte in self:
            yield byte


@pytest.mark.parametrize("kind", kinds)
def test_gives_up_an_answer_that_comes_byte_by_byte(kind: Any) -> None:
    clock = Clock()
    started = clock.now
    body = Drip(b'{"found": false}' * 100, 9.0, clock)

    async def story() -> None:
        made = client(kind, lambda request: httpx.Response(200, stream=body), clock)
        with pytest.raises(sluice.APITimeoutError) as raised:
            await settled(made.enrichment.email(**person))
        assert raised.value.was_sent
        assert clock.now - started == 36
        await settled(made.close())

    run(story)


@pytest.mark.parametrize("kind", kinds)
def test_a_call_has_its_own_time_out(kind: Any) -> None:
    seen: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(set(request.extensions["timeout"].values()))
        return handle(request)

    async def story() -> None:
        made = client(kind, answer, timeout=12)
        await settled(made.enrichment.email(**person))
        await settled(made.enrichment.email(**person, timeout=3))
        page = await settled(made.jobs.search(max_results=1, timeout=4))
        await settled(page.get_next_page())
        with pytest.raises(sluice.ConfigurationError):
            await settled(made.enrichment.email(**person, timeout=0))
        await settled(made.close())

    run(story)
    assert seen == [{12}, {3}, {4}, {4}]


def test_tasks_share_the_rate() -> None:
    clock = Clock()
    starts: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        starts.append(clock.now)
        return handle(request)

    async def story() -> None:
        async with client(AsyncSluice, answer, clock, rate_limit_rps=3) as made, anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(partial(made.enrichment.email, **person))

    run(story)
    assert len(starts) == 10
    assert all(late - early >= 1 for early, late in zip(starts, starts[3:]))


def test_is_closed_by_its_context() -> None:
    with client(Sluice, handle) as made:
        made.account.key_info()
    with pytest.raises(RuntimeError):
        made.account.key_info()

    async def story() -> None:
        async with client(AsyncSluice, handle) as made:
            await made.account.key_info()
        with pytest.raises(RuntimeError):
            await made.account.key_info()

    run(story)


def test_says_of_a_refused_connection_that_nothing_was_sent() -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with Sluice(api_key="sk_test", base_url=address, sleep=lambda seconds: None) as made:
            with pytest.raises(sluice.APIConnectionError) as raised:
                made.account.key_info()
    assert not raised.value.was_sent
    assert type(raised.value) is sluice.APIConnectionError


def test_says_of_a_silent_service_that_the_call_may_be_billed() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Sluice(api_key="sk_test", base_url=address, timeout=0.05) as made:
            with pytest.raises(sluice.APITimeoutError) as raised:
                made.enrichment.email(**person)
    assert raised.value.was_sent


@pytest.mark.parametrize("kind", kinds)
def test_speaks_http_for_real(kind: Any) -> None:
    async def story(address: str) -> None:
        made = kind(api_key="sk_test", base_url=address + "/")
        page = await settled(made.search.people(max_results=1))
        people = await settled(page.collect())
        assert [one.full_name for one in people] == ["Beulah Lee", "Tomás Ibarra"]
        with pytest.raises(sluice.NotFoundError):
            await settled(made.purchase("no such plan"))
        await settled(made.close())

    with served() as address:
        anyio.run(story, address)


@pytest.mark.parametrize("plan", ["", ".", ".."])
def test_a_plan_leads_nowhere_else(plan: str) -> None:
    with client(Sluice, handle) as made, pytest.raises(sluice.ConfigurationError):
        made.purchase(plan)


def test_sends_no_cookie_back() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"valid": True}, headers={"set-cookie": "a=b; Path=/"})

    with client(Sluice, answer) as made:
        made.account.key_info()
        made.account.key_info()
    assert "cookie" not in seen[1].headers


@pytest.mark.parametrize("text", ["NaN", '{"a": NaN}', '{"a": Infinity}', "[" * 100_000, '{"a": ' + "9" * 10_000 + "}"])
def test_what_is_no_json_is_no_answer(text: str) -> None:
    with client(Sluice, lambda request: httpx.Response(200, text=text)) as made:
        with pytest.raises(sluice.ResponseValidationError):
            made.account.key_info()


def test_never_shows_the_credential() -> None:
    with client(Sluice, lambda request: httpx.Response(401), api_key="sk_very_secret") as made:
        with pytest.raises(sluice.AuthenticationError) as raised:
            made.account.key_info()
        assert "very_secret" not in f"{made!r} {raised.value!r} {raised.value} {vars(raised.value)}"


def test_an_error_reads_well_and_travels_between_processes() -> None:
    body = {"success": False, "message": "Slow down", "request_id": "req_1"}
    with client(Sluice, lambda request: httpx.Response(429, json=body), max_retries=0) as made:
        with pytest.raises(sluice.RateLimitError) as raised:
            made.account.key_info()
    assert str(raised.value) == "Slow down (HTTP 429, req_1)"
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.body, again.retry_after) == (str(raised.value), body, None)


def test_a_record_reads_well_and_compares_by_content() -> None:
    mood = {"mood": {"today": "bright"}}
    data: dict[str, Any] = {"name": "Northwind", "about": "a" * 200, "specialties": ["one", "two"], "hq": None, **mood}
    company = Company(data)
    assert repr(company) == (
        f"Company(name='Northwind', about='{'a' * 99}…', specialties=['one', and 1 more], mood={{'today': 'bright'}})"
    )
    assert repr(sluice.Registration({"account": "acc_1", "access_token": "at_1"})) == (
        "Registration(account='acc_1', access_token=…)"
    )
    assert company == Company(data) != Company({})
    assert company.extra == mood
    assert json.loads(json.dumps(company.to_dict())) == data
    assert pickle.loads(pickle.dumps(company)) == company
    with pytest.raises(TypeError):
        hash(company)


def test_a_record_hands_on_what_is_of_another_shape() -> None:
    company: Any = Company({"hq": "Berlin", "specialties": "data", "name": 7})
    assert (company.hq, company.specialties, company.name) == ("Berlin", "data", 7)
    assert sluice.Person({}).experiences == []
    assert sluice.Person({}).education is None


def test_a_page_out_of_hand_is_the_last() -> None:
    page = sluice.JobsPage({"results": [{"title": "Data Engineer"}], "cursor": "abc"})
    assert [job.title for job in page.results] == ["Data Engineer"]
    with pytest.raises(sluice.SluiceError):
        page.get_next_page()


def test_bounds_of_nothing_ask_for_nothing() -> None:
    with client(Sluice, handle) as made:
        page = made.jobs.search(max_results=1)
        assert page.collect(max_items=0) == []
        assert list(page.iter_pages(max_pages=0)) == []


@pytest.mark.parametrize("kind", kinds)
def test_pays_for_as_many_items_as_are_collected(kind: Any) -> None:
    sent: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content).get("max_results"))
        return httpx.Response(200, json={"results": [{}, {}], "cursor": f"cursor-{len(sent)}"})

    async def story() -> None:
        made = client(kind, answer, Clock())
        page = await settled(made.search.people(max_results=4))
        assert len(await settled(page.collect(max_items=5))) == 5

    run(story)
    assert sent == [4, 3, 1]


@pytest.mark.parametrize("kind", kinds)
def test_gives_what_was_paid_for_when_a_page_is_refused(kind: Any) -> None:
    count = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal count
        count += 1
        if count > 2:
            return httpx.Response(403, json={"code": "plan_required"})
        return httpx.Response(200, json={"results": [{}, {}], "cursor": f"cursor-{count}"})

    async def story() -> None:
        made = client(kind, answer, Clock())
        page = await settled(made.search.people())
        with pytest.raises(sluice.PlanRequiredError) as raised:
            await settled(page.collect())
        partial = raised.value.partial
        assert partial is not None
        assert len(partial.items) == 4
        assert partial.cursor == "cursor-2"
        assert len(pickle.loads(pickle.dumps(raised.value)).partial.items) == 4

    run(story)
