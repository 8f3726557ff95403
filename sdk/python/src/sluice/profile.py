"""A profile read in real time. The network leaves out what it does not know, so almost everything may be ``None``."""

from __future__ import annotations

from typing import Any

from .record import Record


class ProfileDate(Record):
    """A month of a year; the month is abbreviated: ``Apr``."""

    year: int
    month: str | None


class ProfileLocation(Record):
    """Where a person lives."""

    country: str | None
    city: str | None
    full: str | None
    country_code: str | None


class BasicInfo(Record):
    """The head of a profile."""

    fullname: str | None
    first_name: str | None
    last_name: str | None
    headline: str | None
    public_identifier: str | None
    profile_url: str | None
    profile_picture_url: str | None
    about: str | None
    urn: str | None
    location: ProfileLocation | None
    creator_hashtags: list[Any] | None
    is_creator: bool | None
    is_influencer: bool | None
    is_premium: bool | None
    open_to_work: bool | None
    show_follower_count: bool | None
    #: Milliseconds since 1970.
    created_timestamp: int | None
    background_picture_url: str | None
    follower_count: int | None
    connection_count: int | None
    current_company: str | None
    current_company_urn: str | None
    current_company_url: str | None
    top_skills: list[str] | None
    email: str | None


class ProfileExperience(Record):
    """A position in a career."""

    title: str | None
    company: str | None
    location: str | None
    description: str | None
    #: As people read it: ``3 yrs 2 mos``.
    duration: str | None
    start_date: ProfileDate | None
    #: ``None`` for a current position.
    end_date: ProfileDate | None
    is_current: bool | None
    company_network_url: str | None
    company_logo_url: str | None
    employment_type: str | None
    location_type: str | None
    company_id: str | None
    skills: list[str] | None
    skills_url: str | None


class ProfileEducation(Record):
    """A school and a degree."""

    school: str | None
    degree: str | None
    degree_name: str | None
    field_of_study: str | None
    duration: str | None
    school_network_url: str | None
    school_logo_url: str | None
    start_date: ProfileDate | None
    end_date: ProfileDate | None
    school_id: str | None
    description: str | None
    activities: str | None


class ProfileCertification(Record):
    """A certificate, and who gave it when."""

    name: str | None
    issuer: str | None
    issued_date: str | None


class ProfileLanguage(Record):
    """A language, and how well."""

    language: str | None
    proficiency: str | None


class Match(Record):
    """A value that met the step, and where it stood, such as ``job_title``."""

    value: str
    key: str


class Profile(Record):
    """A person found by the real-time waterfall, and what found them."""

    basic_info: BasicInfo
    experience: list[ProfileExperience]
    education: list[ProfileEducation]
    certifications: list[ProfileCertification] | None
    languages: list[ProfileLanguage] | None
    #: Place in the list, from 1.
    ranking: int
    #: The step of the cascade that matched; 1 is the first.
    icp: int
    what_matched: list[Match]


class RealTimeWaterfall(Record):
    """The decision makers of one company that the first successful step found, in the order of their ranking."""

    company_network_url: str
    max_results: int
    results_length: int
    results: list[Profile]
