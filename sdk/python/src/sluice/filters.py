"""What searches ask for, as plain dictionaries.

Filters combine with AND, the values of one ``include`` with OR; ``exclude`` takes away. A list has at most 50 entries.
Values are plain strings; those of ``sluice.values`` are known, and the client blocks no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from .values import (
    CompanyType,
    Continent,
    EmploymentType,
    FundingType,
    Industry,
    JobFunction,
    JobLevel,
    SalesRegion,
    Seniority,
    SizeBand,
    WorkArrangement,
)


class _Step(TypedDict):
    include_title: Sequence[str]


class CascadeStep(_Step, total=False):
    """A step of a waterfall: the titles to look for, in ``[brackets]`` for the whole title."""

    exclude_title: Sequence[str]
    #: ISO 3166-1 alpha-2 codes, or ``WORLD``.
    location: Sequence[str]
    #: Look for the titles in the headline, too.
    include_headline_search: bool


class KeywordFilter(TypedDict, total=False):
    """Words to find, and words not to find."""

    include: Sequence[str]
    exclude: Sequence[str]


class IndustryFilter(TypedDict, total=False):
    """Industries to the letter; ``Unknown`` stands for companies without one."""

    include: Sequence[Industry]
    exclude: Sequence[Industry]


class CompanyTypeFilter(TypedDict, total=False):
    """Kinds of ownership."""

    include: Sequence[CompanyType]
    exclude: Sequence[CompanyType]


class FundingTypeFilter(TypedDict, total=False):
    """Kinds of the last round of funding."""

    include: Sequence[FundingType]
    exclude: Sequence[FundingType]


class SeniorityFilter(TypedDict, total=False):
    """Years of experience."""

    include: Sequence[Seniority]
    exclude: Sequence[Seniority]


class EmploymentTypeFilter(TypedDict, total=False):
    """Kinds of contract."""

    include: Sequence[EmploymentType]
    exclude: Sequence[EmploymentType]


class WorkArrangementFilter(TypedDict, total=False):
    """Where the work is done."""

    include: Sequence[WorkArrangement]
    exclude: Sequence[WorkArrangement]


class SizeFilter(TypedDict, total=False):
    """Headcount bands; there is no ``exclude``."""

    include: Sequence[SizeBand]


class RangeFilter(TypedDict, total=False):
    """Bounds, both inside; 0 leaves one open."""

    min: float
    max: float


class CompanyHeadquartersFilter(TypedDict, total=False):
    """Where a company has its seat."""

    city: KeywordFilter
    state: KeywordFilter
    country_code: Sequence[str]
    continent: Sequence[Continent]
    sales_region: Sequence[SalesRegion]


class CompanyFilter(TypedDict, total=False):
    """Which companies."""

    name: KeywordFilter
    industry: IndustryFilter
    type: CompanyTypeFilter
    employee_range: Sequence[SizeBand]
    employee_count: RangeFilter
    min_network_followers: int
    #: USD.
    revenue: RangeFilter
    naics_code: KeywordFilter
    sic_code: KeywordFilter
    #: Visits a month.
    web_traffic: RangeFilter
    #: USD a month.
    ad_spend: RangeFilter
    total_funding: RangeFilter
    last_funding_amount: RangeFilter
    last_funding_year: RangeFilter
    last_funding_type: FundingTypeFilter
    lead_investors: KeywordFilter
    keywords: KeywordFilter
    founded_year: RangeFilter
    hq: CompanyHeadquartersFilter


class EmployerFilter(CompanyFilter, total=False):
    """Which companies, also by their pages."""

    network_url: Sequence[str]


class TitleFilter(KeywordFilter, total=False):
    """Job titles; ``CEO`` finds ``Co-CEO`` as well, ``[CEO]`` only the whole title."""

    #: Look in the headline, too.
    include_network_headline: bool


class PersonLocationFilter(TypedDict, total=False):
    """Where people live."""

    city: KeywordFilter
    country_code: Sequence[str]
    continent: Sequence[Continent]
    sales_region: Sequence[SalesRegion]


class PeopleFilter(TypedDict, total=False):
    """Which people."""

    job_title: TitleFilter
    job_function: Sequence[JobFunction]
    job_level: Sequence[JobLevel]
    min_connections: int
    location: PersonLocationFilter
    #: ``Stanford 2025``: all words in one entry.
    education: KeywordFilter


class HeadcountFilter(PeopleFilter, total=False):
    """Which people a market is sized by."""

    network_url: Sequence[str]
    #: Only companies with that many of them, up to 25.
    min_per_company: int


class JobLocationFilter(TypedDict, total=False):
    """Where the job is."""

    city: KeywordFilter
    country_code: KeywordFilter


class DatePosted(TypedDict, total=False):
    """How old a posting may be."""

    last_days: int


class JobFilter(TypedDict, total=False):
    """Which postings."""

    title: KeywordFilter
    description: KeywordFilter
    #: A theme: looked for in title, text, skills and taxonomies.
    ai_keywords: KeywordFilter
    field: KeywordFilter
    seniority: SeniorityFilter
    employment_type: EmploymentTypeFilter
    work_arrangement: WorkArrangementFilter
    location: JobLocationFilter
    date_posted: DatePosted


class HiringFilter(JobFilter, total=False):
    """Which postings a market is sized by."""

    #: Only companies with that many of them, up to 25.
    min_per_company: int


class JobCompanyHeadquartersFilter(TypedDict, total=False):
    """Where an employer has its seat."""

    city: KeywordFilter
    state: KeywordFilter
    country_code: KeywordFilter


class JobCompanyFilter(TypedDict, total=False):
    """Which employers."""

    #: ``True``: only staffing agencies; ``False``: none that is known to be one.
    is_agency: bool | None
    industry: IndustryFilter
    employee_count: RangeFilter
    size: SizeFilter
    keywords: KeywordFilter
    hq: JobCompanyHeadquartersFilter
