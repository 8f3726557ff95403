"""From nothing to a paid call at a storefront: an account, advice, a purchase, a call. Reads SLUICE_BASE_URL."""

from sluice import InsufficientRecordsError, PlanRequiredError, Sluice

account = Sluice.register()
print("account", account.account)

with Sluice(access_token=account.access_token) as client:
    quote = client.quote("work emails of 200 CTOs in Berlin", budget_usd="1.00")
    if quote.estimate:
        print("it would cost up to", quote.estimate.cost_usd_high, "USD")

    purchase = client.purchase("credit", amount_usd="5.00")
    print("a person pays at", purchase.checkout_url)

    try:
        for job in client.jobs.search(job={"title": {"include": ["Data Engineer"]}}, max_results=10):
            print(job.title, "at", job.company_name)
    except (PlanRequiredError, InsufficientRecordsError) as error:
        print("first buy one of", [plan.id for plan in error.plans])
