"""A person with their career, and the ways to reach them."""

from __future__ import annotations

from .fair_usage import FairUsage
from .record import Record


class PersonLocation(Record):
    """Where a person lives."""

    city: str | None
    state_code: str | None
    country_code: str | None
    continent: str | None
    postal_code: str | None
    street_address: str | None


class ExperienceLocation(Record):
    """Where a person held a position."""

    city: str | None
    state_code: str | None
    country_code: str | None


class Experience(Record):
    """A position in a career. Dates are ``YYYY-MM-DD``."""

    job_title: str | None
    company_name: str | None
    company_network_url: str | None
    company_network_id: str | None
    company_domain: str | None
    job_description: str | None
    job_start_date: str | None
    job_end_date: str | None
    job_is_current: bool
    job_contract_type: str | None
    job_work_arrangement: str | None
    job_location: ExperienceLocation | None


class Education(Record):
    """A school and a degree, which includes the field of study. Dates are ``YYYY-MM-DD``."""

    school_name: str | None
    degree: str | None
    start_date: str | None
    end_date: str | None


class Certification(Record):
    """A certificate, and who gave it."""

    authority: str | None
    name: str | None
    url: str | None


class Person(Record):
    """A person as every operation but the real-time waterfall returns them, with the whole career."""

    first_name: str | None
    last_name: str | None
    full_name: str | None
    nickname: str | None
    civility_title: str | None
    headline: str | None
    about_me: str | None
    location: PersonLocation | None
    network_url: str
    #: The network counts to 500.
    connections_count: int | None
    profile_picture_url: str | None
    #: In the order of the profile.
    experiences: list[Experience]
    education: list[Education] | None
    skills: list[str] | None
    certifications: list[Certification] | None


class PersonFound(Record):
    """A person; ``person`` is ``None`` where nobody was found, which costs nothing."""

    found: bool
    person: Person | None
    fair_usage: FairUsage


class WorkEmail(Record):
    """A verified address at one of a person's employers."""

    email: str
    #: 1 for the first position of the profile.
    job_order_in_profile: int
    company_network_url: str | None
    email_domain: str


class EmailFound(Record):
    """A person's work email, and those of their other positions."""

    found: bool
    email: str | None
    all_emails: list[WorkEmail]
    fair_usage: FairUsage


class PhoneFound(Record):
    """A person's phone number in E.164, such as ``+12125550123``."""

    found: bool
    phone: str | None
    fair_usage: FairUsage


class RankedPerson(Record):
    """A person found by the waterfall, and the step that found them."""

    #: The step of the cascade that matched; 1 is the first.
    icp: int
    #: Place in the whole list, from 1.
    ranking: int
    person: Person


class Waterfall(Record):
    """The best decision makers of one company, those of the first steps first."""

    company_network_url: str
    max_results: int
    results_length: int
    results: list[RankedPerson]
    fair_usage: FairUsage
