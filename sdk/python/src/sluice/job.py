"""A job posting."""

from __future__ import annotations

from .record import Record


class JobLocation(Record):
    """Where the job is."""

    city: str | None
    #: ISO 3166-1 alpha-2.
    country_code: str | None


class Job(Record):
    """A job posting, with a summary of its text."""

    #: ``2026-07-08 23:00:07+02``.
    date_posted: str
    title: str
    url: str
    company_name: str
    company_network_url: str
    ai_summary: str | None
    location: JobLocation | None
