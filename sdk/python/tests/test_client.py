"""What the shared suite cannot say: tasks, time-outs byte by byte, sockets, and this language's own manners."""

from __future__ import annotations

import json
import pickle
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from functools import partial
from threading import Thread
from typing import Any

import anyio
import httpx
import pytest

import sluice
from sluice import AsyncSluice, Company, Sluice

from .service import handle, served
from .stage import Clock, client, each, kinds, run, settled

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


class Pages:
    """A service of endless pages with as many items as are requested, and what it was asked."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        asked = json.loads(request.content)
        self.sent.append(asked.get("max_results"))
        results: list[Any] = [{} for _ in range(asked.get("max_results") or 10)]
        return httpx.Response(200, json={"results": results, "cursor": f"cursor-{len(self.sent)}", "total_pages": 9})


@pytest.mark.parametrize("kind", kinds)
@pytest.mark.parametrize("walk", ["collect", "auto_paging_iter"])
@pytest.mark.parametrize(
    ("size", "wanted", "sent"), [(None, 2, [2]), (4, 5, [4, 1]), (4, 4, [4]), (4, 11, [4, 4, 3]), (None, 10, [None])]
)
def test_pays_for_as_many_items_as_are_wanted(kind: Any, walk: str, size: Any, wanted: int, sent: list[Any]) -> None:
    service = Pages()

    async def story() -> None:
        made = client(kind, service, Clock())
        items = getattr(made.search.people(max_results=size), walk)(max_items=wanted)
        got = await settled(items) if walk == "collect" else await each(items)
        assert len(got) == wanted
        await settled(made.close())

    run(story)
    assert service.sent == sent


@pytest.mark.parametrize("kind", kinds)
def test_pages_with_numbers_keep_their_size(kind: Any) -> None:
    service = Pages()

    async def story() -> None:
        made = client(kind, service, Clock())
        page = made.search.employee_finder(company_network_url="https://www.network.example/company/a", max_results=4)
        assert len(await settled(page.collect(max_items=5))) == 5
        await settled(made.close())

    run(story)
    assert service.sent == [4, 4]


@pytest.mark.parametrize("kind", kinds)
def test_requests_a_list_when_it_is_read_and_only_once(kind: Any) -> None:
    service = Pages()

    async def story() -> None:
        made = client(kind, service, Clock())
        page = made.search.people(max_results=2)
        assert repr(page).endswith("PeoplePage(not requested yet)")
        assert not hasattr(page, "nonsense")
        assert service.sent == []
        assert len(await settled(page.collect(max_items=1))) == 1
        assert len((await settled(page)).results) == 1
        assert await settled(page.fetch()) is page
        assert service.sent == [1]
        assert "not requested" not in repr(page)
        await settled(made.close())

    run(story)


@pytest.mark.parametrize("kind", kinds)
def test_pays_once_for_items_that_are_collected_twice(kind: Any) -> None:
    service = Pages()

    async def story() -> None:
        made = client(kind, service)
        page = made.search.people()
        items = await settled(page.collect(max_items=2))
        assert await settled(page.collect(max_items=2)) == items
        await settled(made.close())

    run(story)
    assert service.sent == [2]


def test_requests_a_first_page_again_that_failed() -> None:
    replies = iter([httpx.Response(404, json={}), httpx.Response(200, json={"results": [{}], "cursor": None})])
    with client(Sluice, lambda request: next(replies)) as made:
        page = made.search.people()
        with pytest.raises(sluice.NotFoundError) as raised:
            page.collect(max_items=1)
        assert raised.value.partial == sluice.PartialList([], None)
        assert len(page.collect(max_items=1)) == 1


def test_reading_a_list_requests_its_first_page() -> None:
    service = Pages()
    with client(Sluice, service) as made:
        page = made.search.people(max_results=2)
        assert page.cursor == "cursor-1"
        assert len(page.results) == 2
        assert sluice.charge(page) is None
    assert service.sent == [2]


def test_a_list_that_is_not_awaited_cannot_be_read() -> None:
    service = Pages()

    async def story() -> None:
        async with client(AsyncSluice, service) as made:
            page = made.search.people()
            with pytest.raises(sluice.SluiceError, match="await"):
                len(page.results)
            with pytest.raises(sluice.SluiceError, match="await"):
                page.has_next_page()

    run(story)
    assert service.sent == []


def test_tasks_that_share_a_list_request_its_first_page_once() -> None:
    service = Pages()

    async def story() -> None:
        async with client(AsyncSluice, service) as made, anyio.create_task_group() as tasks:
            page = made.search.people()
            for _ in range(3):
                tasks.start_soon(page.fetch)

    run(story)
    assert service.sent == [None]


def test_wrong_arguments_of_a_list_are_an_error_at_once() -> None:
    with client(Sluice, handle) as made:
        with pytest.raises(sluice.ConfigurationError):
            made.search.people(timeout=0)
        with pytest.raises(sluice.ConfigurationError):
            made.search.people(idempotency_key="")


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


class Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that goes on, and how it ended."""

    def __init__(self, piece: bytes) -> None:
        self.piece, self.is_closed = piece, False

    def __iter__(self) -> Iterator[bytes]:
        while not self.is_closed:
            yield self.piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


def streaming(kind: Any, body: Endless, content_type: str = "text/event-stream") -> Any:
    return client(kind, lambda request: httpx.Response(200, headers={"content-type": content_type}, stream=body))


def test_leaving_the_loop_or_the_context_closes_the_connection() -> None:
    for is_left_early in (True, False):
        body = Endless(b"data: 1\n\n")
        with streaming(Sluice, body) as made, made.stream("/v1/chat") as stream:
            for event in stream:
                assert event.data == 1
                if is_left_early:
                    break
                stream.close()
            assert body.is_closed
            with pytest.raises(sluice.SluiceError, match="once"):
                next(iter(stream))

    async def story() -> None:
        body = Endless(b"data: 1\n\n")
        async with streaming(AsyncSluice, body) as made:
            async with made.stream("/v1/chat") as stream:
                async for event in stream:
                    assert event.data == 1
                    break
            assert body.is_closed

    run(story)


@pytest.mark.parametrize("kind", kinds)
@pytest.mark.parametrize(
    ("content_type", "piece"), [("application/x-ndjson", b"a" * 2**20), ("text/event-stream", b"data: " + b"a" * 2**20 + b"\n")]
)
def test_closes_the_connection_at_an_event_without_end(kind: Any, content_type: str, piece: bytes) -> None:
    body = Endless(piece)

    async def story() -> None:
        made = streaming(kind, body, content_type)
        with pytest.raises(sluice.ResponseValidationError):
            await each(made.stream("/v1/chat"))
        assert body.is_closed
        await settled(made.close())

    run(story)


def test_ends_a_stream_that_is_silent_for_longer_than_its_timeout() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        with Sluice(access_token="at", base_url=address, timeout=0.2) as made, made.stream("/v1/chat") as stream:

            def serve() -> None:
                peer, _ = server.accept()
                with peer, peer.makefile("rb") as request:
                    # The headers and the body may arrive apart.
                    headers = [line.lower() for line in iter(request.readline, b"\r\n")]
                    length = next(line for line in headers if line.startswith(b"content-length:"))
                    request.read(int(length.split(b":")[1]))
                    peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n1\n")
                    # The client closes the connection.
                    assert request.read(1) == b""

            thread = Thread(target=serve)
            thread.start()
            events = iter(stream)
            assert next(events).data == 1
            with pytest.raises(sluice.APITimeoutError):
                next(events)
            thread.join()


def test_an_error_of_a_stream_travels_between_processes() -> None:
    error = sluice.StreamError("No.", code="credit_exhausted", body={"error": {}}, request_id="req_1")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.body, again.request_id) == ("No.", "credit_exhausted", {"error": {}}, "req_1")


def test_verifies_a_webhook_with_headers_of_any_case() -> None:
    headers = {
        "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "WEBHOOK-TIMESTAMP": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    assert sluice.verify_webhook(body, headers, secret, now=1614265330).payload == {"test": 2432232314}
    with pytest.raises(sluice.WebhookVerificationError, match="old"):
        sluice.verify_webhook(body, headers, secret)
