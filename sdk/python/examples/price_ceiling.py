"""Never pays more than one cent for a call: asks for fewer people if 50 could cost more. A refused call is free.

Reads SLUICE_ACCESS_TOKEN and SLUICE_BASE_URL.
"""

from sluice import InsufficientRecordsError, PeoplePage, Sluice, charge

with Sluice(max_cost_usd="0.01") as client:

    def founders(max_results: int) -> PeoplePage:
        return client.search.people(people={"job_title": {"include": ["Founder"]}}, max_results=max_results).fetch()

    try:
        page = founders(50)
    except InsufficientRecordsError as error:
        if error.code != "price_ceiling":
            raise
        print(error.message)
        page = founders(10)
    cost = charge(page)
    print(len(page.results), "people for", cost and cost.cost_usd, "USD")
