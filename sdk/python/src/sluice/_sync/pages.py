# Made from ../_async by scripts/make_sync.py: change that, and run it.
"""Pages of lists."""

from __future__ import annotations

from collections.abc import Iterator, Callable, Mapping
from typing import Any, Generic, TypeVar

from ..company import Company, CompanyJobs, CompanyPeople
from ..errors import PartialList, ResponseValidationError, SluiceError
from ..fair_usage import FairUsage
from ..job import Job
from ..person import Person
from ..record import Record

T = TypeVar("T")
P = TypeVar("P", bound="Page[Any]")


class Page(Record, Generic[T]):
    """One page of a list. Iterating over it yields all items of all pages.

    >>> page = client.jobs.search(max_results=1)
    >>> [job.title for job in page.results]
    ['Data Engineer']
    >>> [job.title for job in page]
    ['Data Engineer', 'Head of Sales']
    """

    results: list[T]
    results_length: int
    max_results: int
    fair_usage: FairUsage

    _fields: Mapping[str, Any] = {}
    _turn: Callable[[Mapping[str, Any], int | None], Any] | None = None

    def has_next_page(self) -> bool:
        """Returns true if there is another page.

        >>> page = client.jobs.search(max_results=1)
        >>> page.has_next_page()
        True
        """
        raise NotImplementedError

    def get_next_page(self: P) -> P:
        """Fetches the next page. Raises ``SluiceError`` after the last.

        >>> page = client.jobs.search(max_results=1)
        >>> page = page.get_next_page()
        >>> page.results[0].title, page.has_next_page()
        ('Head of Sales', False)
        """
        return self._following(None)

    def _following(self: P, wanted: int | None) -> P:
        """Fetches the next page. ``wanted``: the number of items that are still wanted."""
        if self._turn is None or not self.has_next_page():
            raise SluiceError("there is no next page")
        # Pages with numbers must all have the same size; after a cursor, any size is right.
        onward = self._onward()
        page: P = self._turn({**self._fields, **onward}, wanted if "cursor" in onward else None)
        return page

    def iter_pages(self: P, *, max_pages: int | None = None) -> Iterator[P]:
        """Iterates over this page and the following ones, at most ``max_pages``.

        >>> page = client.jobs.search(max_results=1)
        >>> [one.results[0].company_name for one in page.iter_pages(max_pages=2)]
        ['Northwind Analytics', 'Quay & Sons']
        """
        page, count = self, 1
        if max_pages is not None and max_pages < 1:
            return
        yield page
        while page.has_next_page() and count != max_pages:
            page, count = page.get_next_page(), count + 1
            yield page

    def auto_paging_iter(self, *, max_items: int | None = None) -> Iterator[T]:
        """Iterates over the items of this page and the following ones, at most ``max_items``; fetches no page beyond.

        >>> page = client.jobs.search(max_results=1)
        >>> [job.title for job in page.auto_paging_iter(max_items=1)]
        ['Data Engineer']
        """
        if max_items is not None and max_items < 1:
            return
        page, count = self, 0
        while True:
            for item in page.results[: _rest(max_items, count)]:
                yield item
            count += len(page.results)
            if not page.has_next_page() or (max_items is not None and count >= max_items):
                return
            page = page._following(_rest(max_items, count))

    def collect(self, *, max_items: int | None = None) -> list[T]:
        """Returns the items of this page and the following ones as a list, at most ``max_items``. Further pages with cursors request no more
        than that. If a page fails, the error has the items so far as ``partial``.

        >>> page = client.jobs.search(max_results=1)
        >>> len(page.collect(max_items=10))
        2
        """
        items: list[T] = []
        if max_items is not None and max_items < 1:
            return items
        page = self
        try:
            while True:
                items.extend(page.results[: _rest(max_items, len(items))])
                if not page.has_next_page() or len(items) == max_items:
                    return items
                page = page._following(_rest(max_items, len(items)))
        except SluiceError as fault:
            fault.partial = PartialList(items, getattr(page, "cursor", None))
            raise

    def __iter__(self) -> Iterator[T]:
        return self.auto_paging_iter()

    def _onward(self) -> Mapping[str, Any]:
        """Returns the changed arguments of the next request."""
        raise NotImplementedError

    def _continue_with(
        self, fields: Mapping[str, Any], turn: Callable[[Mapping[str, Any], int | None], Any]
    ) -> None:
        self._fields, self._turn = fields, turn


def _rest(max_items: int | None, count: int) -> int | None:
    return None if max_items is None else max_items - count


class CursorPage(Page[T]):
    """A page with a cursor. An empty page is not necessarily the last."""

    #: Cursor of the next page; ``None`` at the end.
    cursor: str | None

    def has_next_page(self) -> bool:
        return bool(self.cursor)

    def _onward(self) -> Mapping[str, Any]:
        if self.cursor == self._fields.get("cursor"):
            raise ResponseValidationError("Cursor did not advance: the list goes in circles")
        return {"cursor": self.cursor}


class PeoplePage(CursorPage[Person]):
    """People, the best connected first."""

    results: list[Person]
    #: Number of all matches, including those beyond the last page.
    total_results: int


class CompaniesPage(CursorPage[Company]):
    """Companies."""

    results: list[Company]
    #: Number of all matches, including those beyond the last page.
    total_results: int


class JobsPage(CursorPage[Job]):
    """Job postings, the newest first."""

    results: list[Job]
    #: Number of all matches, including those beyond the last page.
    total_results: int


class TamByJobsPage(CursorPage[CompanyJobs]):
    """Companies by the number of their matching postings."""

    results: list[CompanyJobs]


class TamByPeoplePage(CursorPage[CompanyPeople]):
    """Companies by the number of their matching people."""

    results: list[CompanyPeople]


class EmployeesPage(Page[Person]):
    """Employees of one company, by page number."""

    company_network_url: str
    results: list[Person]
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
