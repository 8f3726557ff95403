"""Where a client is put to be watched: a clock that only it moves, and connections that lead nowhere."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import anyio
import httpx

from sluice import AsyncSluice, Record, Sluice

T = TypeVar("T")
Handler = Callable[[httpx.Request], httpx.Response]
kinds: list[Any] = [Sluice, AsyncSluice]


class Clock:
    """Seconds since 1970; they pass when somebody sleeps."""

    def __init__(self, now: float = 1_767_603_600.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


def props(kind: Any, handler: Handler, clock: Clock, randoms: Iterator[float] = iter(())) -> dict[str, Any]:
    """The replaceable parts of a client, so that its time is the clock's and its connections end in ``handler``."""
    return {
        "transport": httpx.MockTransport(handler),
        "clock": clock,
        "sleep": clock.sleep_async if kind is AsyncSluice else clock.sleep,
        "random": lambda: next(randoms, 0.0),
    }


def client(kind: Any, handler: Handler, clock: Clock | None = None, **settings: Any) -> Any:
    """A client of either kind that is connected to ``handler``."""
    given = {"base_url": "https://api.test", **settings}
    if "access_token" not in given:
        given.setdefault("api_key", "sk_test")
    return kind(**given, **props(kind, handler, clock or Clock()))


async def settled(value: Any) -> Any:
    """What either client returns, waited for where it has to be."""
    return await value if inspect.isawaitable(value) else value


async def each(values: Any) -> list[Any]:
    """What either client iterates over."""
    return [value async for value in values] if hasattr(values, "__aiter__") else list(values)


def run(story: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Plays a story to its end."""
    return anyio.run(story)


def plain(value: Any) -> Any:
    """An answer as the JSON that it came from."""
    if isinstance(value, Record):
        return value.to_dict()
    return [plain(item) for item in value] if isinstance(value, list) else value
