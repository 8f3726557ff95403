"""Pages of lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import anyio

from ..accounts import CallRecord, Receipt
from ..company import Company, CompanyJobs, CompanyPeople
from ..errors import PartialList, ResponseValidationError, SluiceError
from ..fair_usage import FairUsage
from ..job import Job
from ..person import Person
from ..record import Record

T = TypeVar("T")
P = TypeVar("P", bound="AsyncPage[Any]")
#: Requests a page by its arguments, with at most so many items. Returns its members and its charge.
Turn = Callable[[Mapping[str, Any], "int | None"], Awaitable["tuple[dict[str, Any], Any]"]]


class AsyncPage(Record, Generic[T]):
    """A list and its first page. Iterating over it yields all items of all pages.

    The first page is requested when the list is read, iterated or awaited, and only once.

    >>> page = await client.jobs.search(max_results=1)
    >>> [job.title for job in page.results]
    ['Data Engineer']
    >>> [job.title async for job in client.jobs.search(max_results=1)]
    ['Data Engineer', 'Head of Sales']
    """

    results: list[T]

    #: True if a page may be requested with fewer items than the others.
    _is_divisible = False
    _turn: Turn | None = None
    _fields: Mapping[str, Any] = {}
    _lock: anyio.Lock
    _is_due = False

    @classmethod
    def _due(cls: type[P], turn: Turn, fields: Mapping[str, Any], lock: anyio.Lock) -> P:
        """A page that is requested when it is needed."""
        page = cls.__new__(cls)
        page._turn, page._fields, page._lock, page._is_due = turn, fields, lock, True
        return page

    if not TYPE_CHECKING:  # It would hide wrong names from type checkers.

        def __getattr__(self, name: str) -> Any:
            if not self._is_due or name not in self._members():
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            _refuse_to_wait(self.fetch())
            return getattr(self, name)

    def __await__(self: P) -> Generator[Any, Any, P]:
        return self.fetch().__await__()

    async def fetch(self: P) -> P:
        """Requests the page, unless it has arrived.

        >>> page = await client.jobs.search(max_results=1).fetch()
        >>> page.total_results
        2
        """
        await self._arrive(None)
        return self

    async def _arrive(self, wanted: int | None) -> None:
        """Requests the page, unless it has arrived; if it is divisible, with at most ``wanted`` items."""
        if not self._is_due or self._turn is None:
            return
        async with self._lock:
            if self._is_due:
                data, charge = await self._turn(self._fields, wanted if self._is_divisible else None)
                Record.__init__(self, data)
                self._charge, self._is_due = charge, False

    def has_next_page(self) -> bool:
        """Returns true if there is another page.

        >>> page = await client.jobs.search(max_results=1)
        >>> page.has_next_page()
        True
        """
        raise NotImplementedError

    async def get_next_page(self: P) -> P:
        """Fetches the next page. Raises ``SluiceError`` after the last.

        >>> page = await client.jobs.search(max_results=1)
        >>> page = await page.get_next_page()
        >>> page.results[0].title, page.has_next_page()
        ('Head of Sales', False)
        """
        return await self._following(None)

    async def _following(self: P, wanted: int | None) -> P:
        """Fetches the next page. ``wanted``: the number of items that are still wanted."""
        await self._arrive(None)
        if self._turn is None or not self.has_next_page():
            raise SluiceError("there is no next page")
        page = self._due(self._turn, {**self._fields, **self._onward()}, self._lock)
        await page._arrive(wanted)
        return page

    async def iter_pages(self: P, *, max_pages: int | None = None) -> AsyncIterator[P]:
        """Iterates over this page and the following ones, at most ``max_pages``.

        >>> page = client.jobs.search(max_results=1)
        >>> [one.results[0].company_name async for one in page.iter_pages(max_pages=2)]
        ['Northwind Analytics', 'Quay & Sons']
        """
        page, count = self, 1
        if max_pages is not None and max_pages < 1:
            return
        await page._arrive(None)
        yield page
        while page.has_next_page() and count != max_pages:
            page, count = await page.get_next_page(), count + 1
            yield page

    async def auto_paging_iter(self, *, max_items: int | None = None) -> AsyncIterator[T]:
        """Iterates over the items of this page and the following ones, at most ``max_items``; requests no more, as ``collect``.

        >>> page = client.jobs.search(max_results=1)
        >>> [job.title async for job in page.auto_paging_iter(max_items=1)]
        ['Data Engineer']
        """
        if max_items is not None and max_items < 1:
            return
        await self._arrive(max_items)
        page, count = self, 0
        while True:
            for item in page.results[: _rest(max_items, count)]:
                yield item
            count += len(page.results)
            if not page.has_next_page() or (max_items is not None and count >= max_items):
                return
            page = await page._following(_rest(max_items, count))

    async def collect(self, *, max_items: int | None = None) -> list[T]:
        """Returns the items of this page and the following ones as a list, at most ``max_items``. Of a list with cursors it
        requests no more items than that, so no more are charged. If a page fails, the error has the items so far as ``partial``.

        >>> len(await client.jobs.search(max_results=1).collect(max_items=10))
        2
        """
        items: list[T] = []
        if max_items is not None and max_items < 1:
            return items
        page = self
        try:
            await page._arrive(max_items)
            while True:
                items.extend(page.results[: _rest(max_items, len(items))])
                if not page.has_next_page() or len(items) == max_items:
                    return items
                page = await page._following(_rest(max_items, len(items)))
        except SluiceError as fault:
            fault.partial = PartialList(items, page.__dict__.get("cursor"))
            raise

    def __aiter__(self) -> AsyncIterator[T]:
        return self.auto_paging_iter()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(not requested yet)" if self._is_due else super().__repr__()

    def _onward(self) -> Mapping[str, Any]:
        """Returns the changed arguments of the next request."""
        raise NotImplementedError


def _rest(max_items: int | None, count: int) -> int | None:
    return None if max_items is None else max_items - count


def _refuse_to_wait(outcome: object) -> None:
    # An attribute cannot wait for a response.
    if isinstance(outcome, Coroutine):
        outcome.close()
        raise SluiceError("await the list before you read its first page")


class AsyncCursorPage(AsyncPage[T]):
    """A page with a cursor. An empty page is not necessarily the last."""

    results_length: int
    max_results: int
    fair_usage: FairUsage
    #: Cursor of the next page; ``None`` at the end.
    cursor: str | None

    _is_divisible = True

    def has_next_page(self) -> bool:
        return bool(self.cursor)

    def _onward(self) -> Mapping[str, Any]:
        if self.cursor == self._fields.get("cursor"):
            raise ResponseValidationError("Cursor did not advance: the list goes in circles")
        return {"cursor": self.cursor}


class AsyncAccountPage(AsyncCursorPage[T]):
    """A list of the account, the newest first, in pages of fixed size."""

    _is_divisible = False


class AsyncCallsPage(AsyncAccountPage[CallRecord]):
    """Calls."""

    results: list[CallRecord]


class AsyncReceiptsPage(AsyncAccountPage[Receipt]):
    """Payments with their receipts."""

    results: list[Receipt]


class AsyncPeoplePage(AsyncCursorPage[Person]):
    """People, the best connected first."""

    results: list[Person]
    #: Number of all matches, including those beyond the last page.
    total_results: int


class AsyncCompaniesPage(AsyncCursorPage[Company]):
    """Companies."""

    results: list[Company]
    #: Number of all matches, including those beyond the last page.
    total_results: int


class AsyncJobsPage(AsyncCursorPage[Job]):
    """Job postings, the newest first."""

    results: list[Job]
    #: Number of all matches, including those beyond the last page.
    total_results: int


class AsyncTamByJobsPage(AsyncCursorPage[CompanyJobs]):
    """Companies by the number of their matching postings."""

    results: list[CompanyJobs]


class AsyncTamByPeoplePage(AsyncCursorPage[CompanyPeople]):
    """Companies by the number of their matching people."""

    results: list[CompanyPeople]


class AsyncEmployeesPage(AsyncPage[Person]):
    """Employees of one company, by page number."""

    company_network_url: str
    results: list[Person]
    results_length: int
    max_results: int
    fair_usage: FairUsage
    page: int
    total_pages: int | None

    def has_next_page(self) -> bool:
        # Count from the requested page, so that the iteration ends whatever number the response reports.
        return bool(self.results) and (self.total_pages is None or self._number < self.total_pages)

    def _onward(self) -> Mapping[str, Any]:
        return {"page": self._number + 1}

    @property
    def _number(self) -> int:
        return int(self._fields.get("page") or 1)
