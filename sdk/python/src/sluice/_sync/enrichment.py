# Made from ../_async by scripts/make_sync.py: change that, and run it.
"""The namespace ``enrichment``."""

from __future__ import annotations

from ..company import CompanyFound, CompanyPageFound, DistributionByCountry, DistributionByDepartment, EmailDomainFound
from ..person import EmailFound, PersonFound, PhoneFound
from .namespace import Namespace


class Enrichment(Namespace):
    """More about one person or one company. 1 record where something is found; a miss is ``found=False`` and free."""

    def person(
        self, *, person_network_url: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> PersonFound:
        """The whole profile of a person, with career and education.

        >>> found = client.enrichment.person(person_network_url="https://www.network.example/in/beulah-lee")
        >>> found.person.headline
        'CTO | @Northwind Analytics'
        >>> found.person.experiences[0].job_title
        'CTO'
        """
        return self._caller.answer(
            PersonFound,
            "/v2/enrichment/person",
            {"person_network_url": person_network_url},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def email(
        self, *, person_network_url: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> EmailFound:
        """The verified work email of a person; 1 record, however many addresses there are.

        >>> found = client.enrichment.email(person_network_url="https://www.network.example/in/beulah-lee")
        >>> found.email
        'beulah.lee@northwind-analytics.example'
        """
        return self._caller.answer(
            EmailFound,
            "/v2/enrichment/email",
            {"person_network_url": person_network_url},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def phone(
        self, *, person_network_url: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> PhoneFound:
        """The phone number of a person, in E.164. US numbers only.

        >>> found = client.enrichment.phone(person_network_url="https://www.network.example/in/beulah-lee")
        >>> found.phone
        '+12125550123'
        """
        return self._caller.answer(
            PhoneFound,
            "/v2/enrichment/phone",
            {"person_network_url": person_network_url},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def email_to_person(
        self, *, email: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> PersonFound:
        """Who has a work email.

        >>> found = client.enrichment.email_to_person(email="beulah.lee@northwind-analytics.example")
        >>> found.person.full_name
        'Beulah Lee'
        """
        return self._caller.answer(
            PersonFound,
            "/v2/enrichment/email-to-person",
            {"email": email},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def phone_to_person(
        self, *, phone: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> PersonFound:
        """Who has a phone number. US numbers only.

        >>> found = client.enrichment.phone_to_person(phone="+12125550123")
        >>> found.found, found.person.full_name
        (True, 'Beulah Lee')
        """
        return self._caller.answer(
            PersonFound,
            "/v2/enrichment/phone-to-person",
            {"phone": phone},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def company(
        self, *, company_network_url: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> CompanyFound:
        """The whole profile of a company.

        >>> found = client.enrichment.company(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ... )
        >>> found.company.name, found.company.employees_on_network
        ('Northwind Analytics', 412)
        """
        return self._caller.answer(
            CompanyFound,
            "/v2/enrichment/company",
            {"company_network_url": company_network_url},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def domain_to_network(
        self, *, domain: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> CompanyPageFound:
        """The company page that a domain belongs to; a whole URL will do.

        >>> found = client.enrichment.domain_to_network(domain="northwind-analytics.example")
        >>> found.company_network_url
        'https://www.network.example/company/northwind-analytics'
        """
        return self._caller.answer(
            CompanyPageFound,
            "/v2/enrichment/domain-to-network",
            {"domain": domain},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def network_to_domain(
        self, *, company_network_url: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> EmailDomainFound:
        """The domain of a company's email addresses, which need not be that of its website.

        >>> found = client.enrichment.network_to_domain(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ... )
        >>> found.email_domain
        'northwind-analytics.example'
        """
        return self._caller.answer(
            EmailDomainFound,
            "/v2/enrichment/network-to-domain",
            {"company_network_url": company_network_url},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def company_distribution_by_country(
        self, *, company_network_url: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> DistributionByCountry:
        """How many employees a company has in each country. 1 record, or none where there is nobody.

        >>> found = client.enrichment.company_distribution_by_country(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ... )
        >>> [(share.country, share.count) for share in found.distribution]
        [('DE', 300), ('BR', 112)]
        """
        return self._caller.answer(
            DistributionByCountry,
            "/v2/enrichment/company-distribution-by-country",
            {"company_network_url": company_network_url},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )

    def company_distribution_by_department(
        self, *, company_network_url: str, timeout: float | None = None, idempotency_key: str | None = None
    ) -> DistributionByDepartment:
        """How many employees a company has in each department. 1 record, or none where there is nobody.

        >>> found = client.enrichment.company_distribution_by_department(
        ...     company_network_url="https://www.network.example/company/northwind-analytics",
        ... )
        >>> [(share.department, share.count) for share in found.distribution]
        [('Engineering', 300), ('Other', 112)]
        """
        return self._caller.answer(
            DistributionByDepartment,
            "/v2/enrichment/company-distribution-by-department",
            {"company_network_url": company_network_url},
            timeout=timeout,
            idempotency_key=idempotency_key,
        )
