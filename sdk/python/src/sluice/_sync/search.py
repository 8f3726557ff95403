# Made from ../_async by scripts/make_sync.py: change that, and run it.
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
from .namespace import Namespace
from .pages import (
    CompaniesPage,
    EmployeesPage,
    PeoplePage,
    TamByJobsPage,
    TamByPeoplePage,
)


class Search(Namespace):
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
    ) -> PeoplePage:
        """People by title, function, level and place, and by their employers. Up to 50,000 a query, 50 a page.

        >>> page = client.search.people(
        ...     company={"industry": {"include": ["Software Development"]}, "hq": {"country_code": ["US"]}},
        ...     people={"job_title": {"include": ["[CEO]", "Founder"]}},
        ...     max_results=25,
        ... )
        >>> page.total_results
        2
        >>> [person.full_name for person in page]
        ['Beulah Lee', 'Tomás Ibarra']
        """
        return self._caller.page(
            PeoplePage,
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
    ) -> CompaniesPage:
        """Companies. Up to 50,000 a query, 50 a page.

        >>> page = client.search.companies(
        ...     company={"keywords": {"include": ["SaaS"]}, "hq": {"continent": ["Europe"]}},
        ... )
        >>> [(company.name, company.hq.city) for company in page.results]
        [('Northwind Analytics', 'Berlin')]
        """
        return self._caller.page(
            CompaniesPage,
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
    ) -> EmployeesPage:
        """The employees of one company, by page number. Up to 10,000 of them, 50 a page.

        >>> page = client.search.employee_finder(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ...     job_level=["C-Team", "VP"],
        ...     max_results=1,
        ... )
        >>> page.total_pages
        2
        >>> [person.full_name for person in page]
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
            EmployeesPage,
            "/v2/search/employee-finder",
            fields,
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def waterfall_icp(
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

        >>> found = client.search.waterfall_icp(
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
        return self._caller.answer(
            Waterfall, "/v2/search/waterfall-icp-keyword", fields, timeout=timeout, idempotency_key=idempotency_key
        )

    def waterfall_icp_real_time(
        self,
        *,
        company_network_url: str,
        cascade: Sequence[CascadeStep],
        max_results: int,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> RealTimeWaterfall:
        """The same from the network itself, for when that found nobody. The first step that finds is the last.

        >>> found = client.search.waterfall_icp_real_time(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ...     cascade=[{"include_title": ["CTO"], "location": ["WORLD"], "include_headline_search": True}],
        ...     max_results=5,
        ... )
        >>> found.results[0].basic_info.fullname, found.results[0].what_matched[0].key
        ('Beulah Lee', 'job_title')
        """
        return self._caller.answer(
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
    ) -> TamByJobsPage:
        """A market by hiring: the companies with matching postings. Up to 50,000 a query, 50 a page, some empty.

        >>> page = client.search.tam_by_jobs(
        ...     job={"title": {"include": ["Engineer"]}, "min_per_company": 2},
        ...     company={"employee_count": {"min": 50}, "is_agency": False},
        ... )
        >>> [(one.company.name, one.matched_jobs) for one in page]
        [('Northwind Analytics', 7)]
        """
        return self._caller.page(
            TamByJobsPage,
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
    ) -> TamByPeoplePage:
        """A market by headcount: the companies with matching people. Up to 50,000 a query, 50 a page, some empty.

        >>> page = client.search.tam_by_people(
        ...     people={"job_function": ["Engineering"], "min_per_company": 5},
        ... )
        >>> [(one.company.name, one.matched_people) for one in page]
        [('Northwind Analytics', 31)]
        """
        return self._caller.page(
            TamByPeoplePage,
            "/v2/company/tam-by-people",
            {"company": company, "people": people, "max_results": max_results, "cursor": cursor},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )
