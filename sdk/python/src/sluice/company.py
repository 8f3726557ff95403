"""A company, and what is known of its people as a whole."""

from __future__ import annotations

from .fair_usage import FairUsage
from .record import Record


class Headquarters(Record):
    """Where a company has its seat."""

    city: str | None
    state: str | None
    country_code: str | None
    country_name: str | None
    #: Sales region: NORAM, LATAM, EMEA or APAC.
    region: str | None
    continent: str | None


class Company(Record):
    """A company as every operation returns it."""

    network_url: str | None
    network_id: int | None
    name: str | None
    about: str | None
    specialties: list[str] | None
    industry: str | None
    #: Kind of ownership.
    type: str | None
    #: Headcount band.
    size: str | None
    employees_on_network: int | None
    followers: int | None
    founded_year: int | None
    hq: Headquarters | None
    domain: str | None
    website: str | None


class CompanyJobs(Record):
    """A company that hires, and how many of its postings matched."""

    company: Company
    matched_jobs: int


class CompanyPeople(Record):
    """A company, and how many of its people matched."""

    company: Company
    matched_people: int


class CompanyFound(Record):
    """The profile of one company; ``company`` is ``None`` where it was not found, which costs nothing."""

    found: bool
    company: Company | None
    fair_usage: FairUsage


class CompanyPage(Record):
    """A company's page on the network, by its URL and name."""

    company_network_url: str
    company_name: str | None


class CompanyPageFound(Record):
    """The page that a domain belongs to, and the runners-up."""

    found: bool
    company_network_url: str | None
    company_name: str | None
    other: list[CompanyPage]
    fair_usage: FairUsage


class EmailDomainFound(Record):
    """The domain of a company's email addresses, which need not be that of its website."""

    found: bool
    email_domain: str | None
    fair_usage: FairUsage


class CountryShare(Record):
    """The employees in one country."""

    #: ISO 3166-1 alpha-2, or ``unknown``.
    country: str
    count: int
    #: Per cent of all employees, two decimals.
    percentage_ratio: float


class DistributionByCountry(Record):
    """A company's employees by country, the most numerous first."""

    company_network_url: str
    total_employees: int
    distribution: list[CountryShare]
    fair_usage: FairUsage


class DepartmentShare(Record):
    """The employees in one department."""

    department: str
    count: int
    #: Per cent of all employees, two decimals.
    percentage_ratio: float


class DistributionByDepartment(Record):
    """A company's employees by department, the most numerous first."""

    company_network_url: str
    total_employees: int
    distribution: list[DepartmentShare]
    fair_usage: FairUsage
