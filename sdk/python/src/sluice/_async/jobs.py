"""The namespace ``jobs``."""

from __future__ import annotations

from ..filters import JobCompanyFilter, JobFilter
from .namespace import AsyncNamespace
from .pages import AsyncJobsPage


class AsyncJobs(AsyncNamespace):
    """Job postings. 1 record for each that is returned; up to 5,000 a query, 50 a page."""

    def search(
        self,
        *,
        job: JobFilter | None = None,
        company: JobCompanyFilter | None = None,
        max_results: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncJobsPage:
        """Postings by what they ask for and by who asks.

        >>> page = await client.jobs.search(
        ...     job={"title": {"include": ["Head of Sales"]}, "date_posted": {"last_days": 30}},
        ...     company={"size": {"include": ["51-200"]}},
        ... )
        >>> [(job.title, job.company_name) async for job in page]
        [('Data Engineer', 'Northwind Analytics'), ('Head of Sales', 'Quay & Sons')]
        """
        return self._caller.page(
            AsyncJobsPage,
            "/v2/jobs/search",
            {"job": job, "company": company, "max_results": max_results, "cursor": cursor},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def company(
        self,
        *,
        company_network_url: str,
        job: JobFilter | None = None,
        max_results: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncJobsPage:
        """The postings of one company.

        >>> page = await client.jobs.company(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ...     job={"seniority": {"include": ["5-10", "10+"]}},
        ... )
        >>> page.total_results, page.results[0].location.city
        (1, 'Berlin')
        """
        return self._caller.page(
            AsyncJobsPage,
            "/v2/jobs/company",
            {"company_network_url": company_network_url, "job": job, "max_results": max_results, "cursor": cursor},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )
