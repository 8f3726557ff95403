"""Pays once for an email, however often this program runs: the key names the job, and is the same in every run for 24 hours.

Reads SLUICE_ACCESS_TOKEN and SLUICE_BASE_URL.
"""

from sluice import APIConnectionError, Sluice, charge
from sluice.person import EmailFound

person = "https://www.network.example/in/beulah-lee"

with Sluice(max_retries=5) as client:

    def email() -> EmailFound:
        """The client retries by itself; this repeats the call when even that has failed."""
        for _ in range(2):
            try:
                return once()
            except APIConnectionError as error:
                print("Again:", error)
        return once()

    def once() -> EmailFound:
        return client.enrichment.email(person_network_url=person, idempotency_key=f"newsletter-2026-01:{person}")

    first, again = charge(email()), charge(email())
    print("charged once:", first is not None and again is not None and first.call == again.call)
