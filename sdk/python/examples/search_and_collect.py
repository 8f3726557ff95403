"""Decision makers of mid-sized German companies, as CSV. Stops at a hundred, and pays for no more pages."""

import csv
import sys

from sluice import Sluice

with Sluice() as client:
    page = client.search.people(
        company={"hq": {"country_code": ["DE"]}, "employee_range": ["201-500"]},
        people={"job_title": {"include": ["[CTO]", "VP Engineering"]}, "job_level": ["C-Team", "VP"]},
        max_results=50,
    )
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["name", "title", "company"])
    for person in page.auto_paging_iter(max_items=100):
        position = person.experiences[0]
        out.writerow([person.full_name, position.job_title, position.company_name])
