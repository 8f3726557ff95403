"""Registers at a shop and makes the first call on the trial. Reads SLUICE_BASE_URL."""

from sluice import Sluice

account = Sluice.register()
with Sluice(access_token=account.access_token) as client:
    page = client.jobs.company(
        company_network_url="https://www.network.example/company/northwind-analytics", max_results=5
    )
    print(page.total_results, "postings, the newest", page.results_length)
    for job in page.results:
        print(" ", job.title, job.location.city if job.location else "")
