# Made from ../_async by scripts/make_sync.py: change that, and run it.
"""Streams of events."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TypeVar

import httpx

from .. import asking, charges, events, reading
from ..accounts import CallRecord
from ..charges import Charge
from ..errors import SluiceError
from ..events import StreamEvent
from ..wire import Reply, Request
from .caller import Caller

S = TypeVar("S", bound="Stream")


class Stream:
    """The events of one call, which is made when the iteration begins. Iterate once.

    Leaving its context, or ``close()``, closes the connection.

    >>> with client.stream("/v1/chat/completions", {"model": "small-1", "stream": True}) as stream:
    ...     words = [event.data for event in stream]
    >>> words
    [{'word': 'Hel'}, {'word': 'lo'}, '[DONE]']
    >>> (stream.charge()).cost_usd
    '0.000124'
    """

    def __init__(self, caller: Caller, request: Request) -> None:
        self._caller = caller
        self._request = request
        self._reply: Reply | None = None
        self._is_begun = False
        self._is_closed = False

    @property
    def call(self) -> str | None:
        """Id of the call; ``None`` before the response, and for a service that is no storefront."""
        return self._reply.headers.get("storefront-call") if self._reply else None

    def __iter__(self) -> Iterator[StreamEvent]:
        if self._is_begun:
            raise SluiceError("a stream can be iterated once")
        self._is_begun = True
        reply = self._reply = self._caller.send(self._request)
        format = events.format_of(reply.headers)
        if reply.body_to_read is None or format is None:
            yield StreamEvent(None, None, reading.answer(reply, self._caller.clock()))
            return
        request_id = reply.headers.get("x-request-id")
        decoder = events.Decoder(format, reply.url)
        try:
            for chunk in reply.body_to_read.iter_bytes():
                for event in decoder.push(chunk):
                    yield events.checked(event, reply.url, request_id)
                    if self._is_closed:
                        return
            for event in decoder.end():
                yield events.checked(event, reply.url, request_id)
        except httpx.RequestError as error:
            raise reading.failure(error, reply.url) from error
        finally:
            reply.body_to_read.close()

    def charge(self) -> Charge | None:
        """The charge of a storefront after the end of the stream, by a free call; without ``balance_usd``.

        ``None`` if nothing has been charged: for a stream that broke off at the upstream, and for a service that is no
        storefront. A stream that you left may be charged later, when the upstream ends it.

        >>> stream = client.stream("/v1/chat/completions", {"model": "small-1", "stream": True})
        >>> len([event for event in stream])
        3
        >>> (stream.charge()).plan
        'trial, credit'
        """
        known = charges.read(self._reply.headers) if self._reply else None
        if known is None or known.cost_usd is not None:
            return known
        route = "/account/calls/{id}"
        reply = self._caller.send(asking.account(self._caller.settings, "GET", route, None, id=known.call))
        if reply.status_code == 404:
            return None
        return charges.of_record(CallRecord(reading.answer(reply, self._caller.clock())))

    def close(self) -> None:
        """Ends the iteration and closes the connection."""
        self._is_closed = True
        self._is_begun = True
        if self._reply and self._reply.body_to_read:
            self._reply.body_to_read.close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
