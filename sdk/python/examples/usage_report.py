"""Writes the cost of each day of this month, and the ten latest calls, as CSV.

Reads SLUICE_ACCESS_TOKEN and SLUICE_BASE_URL.
"""

import csv
import sys
from datetime import datetime, timezone

from sluice import Sluice

since = datetime.now(timezone.utc).strftime("%Y-%m-01")
out = csv.writer(sys.stdout, lineterminator="\n")

with Sluice() as client:
    out.writerow(["day", "calls", "cost_usd"])
    for one in client.account.usage(since=since, group="day").usage:
        out.writerow([one.day, one.calls, one.cost_usd])

    out.writerow(["at", "operation", "cost_usd"])
    for call in client.account.calls(since=since).collect(max_items=10):
        out.writerow([call.at, call.operation, call.cost_usd])

    print("Balance:", client.account.overview().balance_usd, "USD")
