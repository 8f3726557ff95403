"""Sends requests within the rate limit and retries those that are safe to repeat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import anyio
import httpx

from .. import asking, charges, events, reading, retry
from ..charges import Renewal, ResponseInfo
from ..errors import APIConnectionError
from ..limiter import Limiter
from ..record import Record
from ..settings import Settings
from ..wire import Reply, Request
from .pages import AsyncPage

R = TypeVar("R", bound=Record)
P = TypeVar("P", bound=AsyncPage[Any])


class AsyncCaller:
    """Settings, connections and limiters that all namespaces of one client share."""

    def __init__(
        self,
        settings: Settings,
        *,
        transport: httpx.AsyncBaseTransport | None,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        random: Callable[[], float],
        on_response: Callable[[ResponseInfo], None] | None = None,
        on_renewal: Callable[[Renewal], None] | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self._sleep = sleep
        self._random = random
        self._http = httpx.AsyncClient(
            transport=transport,
            headers=settings.headers,
            # Send no cookies: they are not needed and would make callers distinguishable.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            # A redirect would carry the credential to wherever it points.
            follow_redirects=False,
        )
        self._limiters: dict[str, Limiter] = {}
        self._on_response = on_response
        self._on_renewal = on_renewal
        self._assertion = settings.identity_assertion
        #: The header with the credential; renewed tokens replace it.
        self._credential = settings.credential
        self._renewals = 0
        self._renewing = anyio.Lock()

    async def answer(
        self,
        kind: type[R],
        path: str,
        fields: Mapping[str, Any],
        *,
        timeout: float | None,
        idempotency_key: str | None,
    ) -> R:
        """Calls one data operation."""
        reply = await self.send(asking.data(self.settings, path, fields, timeout, idempotency_key))
        answer = kind(reading.answer(reply, self.clock()))
        answer._charge = charges.read(reply.headers)
        return answer

    def page(
        self,
        kind: type[P],
        path: str,
        fields: Mapping[str, Any],
        *,
        timeout: float | None,
        idempotency_key: str | None = None,
    ) -> P:
        """A list of a data operation, which is requested when it is needed."""
        # Wrong arguments are an error at once.
        asking.data(self.settings, path, {}, timeout, idempotency_key)

        async def turn(onward: Mapping[str, Any], wanted: int | None) -> tuple[dict[str, Any], Any]:
            # The caller's key applies to the first page only.
            key = idempotency_key if onward is fields else None
            reply = await self.send(asking.data(self.settings, path, asking.at_most(onward, wanted), timeout, key))
            return reading.page(reply, self.clock(), "results"), charges.read(reply.headers)

        return kind._due(turn, fields, anyio.Lock())

    def account_page(self, kind: type[P], path: str, member: str, query: Mapping[str, Any], timeout: float | None) -> P:
        """A list of the account. Its items are the member ``member`` of a response."""
        asking.account(self.settings, "GET", path, timeout)

        async def turn(onward: Mapping[str, Any], wanted: int | None) -> tuple[dict[str, Any], Any]:
            reply = await self.send(asking.account(self.settings, "GET", path, timeout, query=onward))
            body = reading.page(reply, self.clock(), member)
            return {**body, "results": body[member]}, None

        return kind._due(turn, query, anyio.Lock())

    async def read(self, request: Request) -> dict[str, Any]:
        """Returns the JSON object of a success; raises the error of any other outcome."""
        return reading.answer(await self.send(request), self.clock(), request.is_paying)

    async def send(self, request: Request) -> Reply:
        """Returns the response to the last attempt, of any status. Raises ``APIConnectionError`` if there was none."""
        attempt = 0
        is_renewed = False
        while True:
            attempt += 1
            await self._take_place(request.route or request.path)
            renewals = self._renewals
            started = self.clock()
            outcome = await self._attempt(request, self._credential)
            self._report(request, attempt, started, outcome)
            # A call that is refused for its token is never charged.
            if not is_renewed and _is_expired(outcome):
                is_renewed = True
                if await self._renew(renewals):
                    attempt -= 1
                    continue
            wait_s = None
            if attempt <= self.settings.max_retries:
                wait_s = retry.wait_s(outcome, request, attempt, self.clock(), self._random)
            if wait_s is not None:
                await self._sleep(wait_s)
            elif isinstance(outcome, APIConnectionError):
                raise outcome
            else:
                return outcome

    async def close(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def _take_place(self, path: str) -> None:
        rps = self.settings.rate_limit_rps
        if rps is None:
            return
        limiter = self._limiters.setdefault(path, Limiter(rps, self.clock))
        while (wait_s := limiter.take()) > 0:
            await self._sleep(wait_s)

    async def _renew(self, renewals: int) -> bool:
        """Renews the access token, once for all calls that were refused with it. False if that is impossible."""
        async with self._renewing:
            if self._renewals != renewals:
                return True
            if self._assertion is None:
                return False
            reply = await self._attempt(asking.renewal(self.settings, self._assertion), {})
            renewed = reading.renewal(reply, self._assertion)
            if renewed is None:
                return False
            self._credential = {"authorization": f"Bearer {renewed.access_token}"}
            self._assertion = renewed.identity_assertion
            self._renewals += 1
            if self._on_renewal is not None:
                with suppress(Exception):
                    self._on_renewal(renewed)
            return True

    def _report(self, request: Request, attempt: int, started: float, outcome: Reply | APIConnectionError) -> None:
        if self._on_response is None or isinstance(outcome, APIConnectionError):
            return
        info = ResponseInfo(
            method=request.method,
            path=request.path,
            status_code=outcome.status_code,
            attempt=attempt,
            seconds=self.clock() - started,
            request_id=outcome.headers.get("x-request-id"),
            charge=charges.read(outcome.headers),
        )
        # An exception of the user's callback must not lose a paid response.
        with suppress(Exception):
            self._on_response(info)

    async def _attempt(self, request: Request, credential: Mapping[str, str]) -> Reply | APIConnectionError:
        url = self.settings.base_url + request.target
        deadline = self.clock() + request.timeout_s
        content = bytearray()
        headers = {**credential, **request.headers}
        sent = self._http.build_request(
            request.method, url, content=request.content, headers=headers, timeout=request.timeout_s
        )
        try:
            response = await self._http.send(sent, stream=True)
            if request.is_stream and response.is_success and events.format_of(response.headers):
                return Reply(url, response.status_code, dict(response.headers), b"", response)
            try:
                async for chunk in response.aiter_bytes():
                    content += chunk
                    # The timeout of the connection restarts with every byte, so it does not limit the whole response.
                    if self.clock() > deadline:
                        raise httpx.ReadTimeout("the answer came too slowly")
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            return reading.failure(error, url)
        return Reply(url, response.status_code, dict(response.headers), bytes(content))


def _is_expired(outcome: Reply | APIConnectionError) -> bool:
    """True if the access token has expired, or was revoked."""
    return isinstance(outcome, Reply) and outcome.status_code == 401 and outcome.code == "token_invalid"
