"""Sends requests within the rate limit and retries those that are safe to repeat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx

from .. import asking, reading, retry
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
        return kind(await self.read(asking.paid(self.settings, path, fields, timeout, idempotency_key)))

    async def page(
        self,
        kind: type[P],
        path: str,
        fields: Mapping[str, Any],
        *,
        timeout: float | None,
        idempotency_key: str | None = None,
        wanted: int | None = None,
    ) -> P:
        """Fetches one page of a data operation, which can fetch the next. ``wanted``: at most so many items."""
        request = asking.paid(self.settings, path, asking.at_most(fields, wanted), timeout, idempotency_key)
        page = kind(reading.page(await self.send(request), self.clock()))
        # The caller's key applies to the first page only.
        page._continue_with(
            fields, lambda onward, left: self.page(kind, path, onward, timeout=timeout, wanted=left)
        )
        return page

    async def read(self, request: Request) -> dict[str, Any]:
        """Returns the JSON object of a success; raises the error of any other outcome."""
        return reading.answer(await self.send(request), self.clock(), request.is_paying)

    async def send(self, request: Request) -> Reply:
        """Returns the response to the last attempt, of any status. Raises ``APIConnectionError`` if there was none."""
        attempt = 0
        while True:
            attempt += 1
            await self._take_place(request.path)
            outcome = await self._attempt(request)
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

    async def _attempt(self, request: Request) -> Reply | APIConnectionError:
        url = self.settings.base_url + request.path
        deadline = self.clock() + request.timeout_s
        content = bytearray()
        try:
            async with self._http.stream(
                request.method, url, content=request.content, headers=request.headers, timeout=request.timeout_s
            ) as response:
                async for chunk in response.aiter_bytes():
                    content += chunk
                    # The timeout of the connection restarts with every byte, so it does not limit the whole response.
                    if self.clock() > deadline:
                        raise httpx.ReadTimeout("the answer came too slowly")
        except httpx.RequestError as error:
            return reading.failure(error, url)
        return Reply(url, response.status_code, dict(response.headers), bytes(content))
