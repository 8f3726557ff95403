"""A program that uses the installed package, for strict type checkers. ``test_package.py`` checks and runs it."""

from __future__ import annotations

import asyncio

import httpx

from sluice import (
    AsyncSluice,
    Charge,
    InsufficientRecordsError,
    Person,
    Sluice,
    StreamEvent,
    WebhookVerificationError,
    charge,
    verify_webhook,
)


def answer(request: httpx.Request) -> httpx.Response:
    """A service of one person."""
    return httpx.Response(200, json={"results": [{"full_name": "Ada Ito"}], "cursor": None, "total_results": 1})


def first(client: Sluice) -> str | None:
    page = client.search.people(people={"job_level": ["C-Team"]}, max_results=1)
    people: list[Person] = page.collect(max_items=1)
    paid: Charge | None = charge(page)
    return people[0].full_name if paid is None else None


async def second(client: AsyncSluice) -> list[str | None]:
    page = await client.search.people()
    total: int = page.total_results
    return [person.full_name async for person in client.search.people()][:total]


def words(client: Sluice) -> list[StreamEvent]:
    with client.stream("/v1/chat/completions", {"stream": True}) as stream:
        return list(stream)


def receive(body: bytes) -> int:
    try:
        return len(verify_webhook(body, {}, "whsec_YQ==").id)
    except WebhookVerificationError:
        return 400


async def main() -> None:
    client = Sluice(api_key="sk_test", base_url="https://api.test", transport=httpx.MockTransport(answer))
    other = AsyncSluice(api_key="sk_test", base_url="https://api.test", transport=httpx.MockTransport(answer))
    try:
        print(first(client), await second(other), len(words(client)), receive(b"{}"))
    except InsufficientRecordsError as error:
        print([plan.id for plan in error.plans])
    client.close()
    await other.close()


if __name__ == "__main__":
    asyncio.run(main())
