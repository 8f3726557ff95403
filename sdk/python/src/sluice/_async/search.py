"""The namespace ``search``."""

from __future__ import annotations

from collections.abc import Sequence

from ..filters import (
    CascadeStep,
    CompanyFilter,
    EmployerFilter,
    HeadcountFilter,
    HiringFilter,
    JobCompanyFilter,
    PeopleFilter,
)
from ..person import Waterfall
from ..profile import RealTimeWaterfall
from ..values import Continent, JobFunction, JobLevel, SalesRegion
from .namespace import AsyncNamespace
from .pages import (
    AsyncCompaniesPage,
    AsyncEmployeesPage,
    AsyncPeoplePage,
    AsyncTamByJobsPage,
    AsyncTamByPeoplePage,
)


class AsyncSearch(AsyncNamespace):
    """People and companies. 1 record for each that is returned; what finds nothing costs nothing."""

    def people(
        self,
        *,
        company: EmployerFilter | None = None,
        people: PeopleFilter | None = None,
        max_results: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncPeoplePage:
        """People by title, function, level and place, and by their employers. Up to 50,000 a query, 50 a page.

        >>> page = await client.search.people(
        ...     company={"industry": {"include": ["Software Development"]}, "hq": {"country_code": ["US"]}},
        ...     people={"job_title": {"include": ["[CEO]", "Founder"]}},
        ...     max_results=25,
        ... )
        >>> page.total_results
        2
        >>> [person.full_name async for person in page]
        ['Beulah Lee', 'Tomás Ibarra']
        """
        return self._caller.page(
            AsyncPeoplePage,
            "/v2/search/people",
            {"company": company, "people": people, "max_results": max_results, "cursor": cursor},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def companies(
        self,
        *,
        company: CompanyFilter | None = None,
        max_results: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncCompaniesPage:
        """Companies. Up to 50,000 a query, 50 a page.

        >>> page = await client.search.companies(
        ...     company={"keywords": {"include": ["SaaS"]}, "hq": {"continent": ["Europe"]}},
        ... )
        >>> [(company.name, company.hq.city) for company in page.results]
        [('Northwind Analytics', 'Berlin')]
        """
        return self._caller.page(
            AsyncCompaniesPage,
            "/v2/search/companies",
            {"company": company, "max_results": max_results, "cursor": cursor},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def employee_finder(
        self,
        *,
        company_network_url: str,
        country_code: Sequence[str] | None = None,
        continent: Sequence[Continent] | None = None,
        sales_region: Sequence[SalesRegion] | None = None,
        job_level: Sequence[JobLevel] | None = None,
        job_function: Sequence[JobFunction] | None = None,
        min_connections_count: int | None = None,
        max_results: int | None = None,
        page: int | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncEmployeesPage:
        """The employees of one company, by page number. Up to 10,000 of them, 50 a page.

        >>> page = await client.search.employee_finder(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ...     job_level=["C-Team", "VP"],
        ...     max_results=1,
        ... )
        >>> page.total_pages
        2
        >>> [person.full_name async for person in page]
        ['Beulah Lee', 'Tomás Ibarra']
        """
        fields = {
            "company_network_url": company_network_url,
            "country_code": country_code,
            "continent": continent,
            "sales_region": sales_region,
            "job_level": job_level,
            "job_function": job_function,
            "min_connections_count": min_connections_count,
            "max_results": max_results,
            "page": page,
        }
        return self._caller.page(
            AsyncEmployeesPage,
            "/v2/search/employee-finder",
            fields,
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    async def waterfall_icp(
        self,
        *,
        company_network_url: str,
        cascade: Sequence[CascadeStep],
        profile_min_connections: int | None = None,
        max_results: int | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> Waterfall:
        """The best decision makers of one company: those of the first step, then of the next, up to 100.

        >>> found = await client.search.waterfall_icp(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ...     cascade=[
        ...         {"include_title": ["[CTO]"]},
        ...         {"include_title": ["Head of Data"], "exclude_title": ["Assistant"], "location": ["DE"]},
        ...     ],
        ... )
        >>> [(one.ranking, one.icp, one.person.full_name) for one in found.results]
        [(1, 1, 'Beulah Lee')]
        """
        fields = {
            "company_network_url": company_network_url,
            "cascade": cascade,
            "profile_min_connections": profile_min_connections,
            "max_results": max_results,
        }
        return await self._caller.answer(
            Waterfall, "/v2/search/waterfall-icp-keyword", fields, timeout=timeout, idempotency_key=idempotency_key
        )

    async def waterfall_icp_real_time(
        self,
        *,
        company_network_url: str,
        cascade: Sequence[CascadeStep],
        max_results: int,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> RealTimeWaterfall:
        """The same from the network itself, for when that found nobody. The first step that finds is the last.

        >>> found = await client.search.waterfall_icp_real_time(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ...     cascade=[{"include_title": ["CTO"], "location": ["WORLD"], "include_headline_search": True}],
        ...     max_results=5,
        ... )
        >>> found.results[0].basic_info.fullname, found.results[0].what_matched[0].key
        ('Beulah Lee', 'job_title')
        """
        return await self._caller.answer(
            RealTimeWaterfall,
            "/api/search/waterfall-icp-real-time",
            {"company_network_url": company_network_url, "cascade": cascade, "max_results": max_results},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def tam_by_jobs(
        self,
        *,
        job: HiringFilter | None = None,
        company: JobCompanyFilter | None = None,
        max_results: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncTamByJobsPage:
        """A market by hiring: the companies with matching postings. Up to 50,000 a query, 50 a page, some empty.

        >>> page = await client.search.tam_by_jobs(
        ...     job={"title": {"include": ["Engineer"]}, "min_per_company": 2},
        ...     company={"employee_count": {"min": 50}, "is_agency": False},
        ... )
        >>> [(one.company.name, one.matched_jobs) async for one in page]
        [('Northwind Analytics', 7)]
        """
        return self._caller.page(
            AsyncTamByJobsPage,
            "/v2/company/tam-by-jobs",
            {"job": job, "company": company, "max_results": max_results, "cursor": cursor},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def tam_by_people(
        self,
        *,
        company: EmployerFilter | None = None,
        people: HeadcountFilter | None = None,
        max_results: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncTamByPeoplePage:
        """A market by headcount: the companies with matching people. Up to 50,000 a query, 50 a page, some empty.

        >>> page = await client.search.tam_by_people(
        ...     people={"job_function": ["Engineering"], "min_per_company": 5},
        ... )
        >>> [(one.company.name, one.matched_people) async for one in page]
        [('Northwind Analytics', 31)]
        """
        return self._caller.page(
            AsyncTamByPeoplePage,
            "/v2/company/tam-by-people",
            {"company": company, "people": people, "max_results": max_results, "cursor": cursor},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )
