"""Makes the lists of known values out of those of the service.

    python3 scripts/make_values.py          writes src/sluice/values.py
    python3 scripts/make_values.py --check  says whether it is as it would be written
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
source = root.parents[1] / "src" / "direct" / "filters" / "enums.json"
target = root / "src" / "sluice" / "values.py"

head = '''# Made from the lists of the service by scripts/make_values.py: run it when they change.
"""The values that the service takes, exact and case-sensitive.

Each type also takes any other string: the service may have learnt a value since, and refuses a wrong one with the
nearest right one. ``get_args(get_args(JobLevel)[0])`` lists those of ``JobLevel``.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, Union
'''

types = [
    ("SizeBand", "company_size_bands", "Headcount of a company."),
    ("CompanyType", "company_types", "Ownership of a company."),
    ("FundingType", "last_funding_types", "The last round of funding."),
    ("JobLevel", "job_levels", "Rank of a position."),
    ("JobFunction", "job_functions", "Field of a position."),
    ("Seniority", "seniority", "Years of experience that a posting asks for."),
    ("EmploymentType", "employment_types", "Kind of contract of a posting."),
    ("WorkArrangement", "work_arrangements", "Where the work of a posting is done."),
    ("Continent", "continents", "A continent."),
    ("SalesRegion", "sales_regions", "A sales region."),
    ("Industry", "industries", "An industry; ``Unknown`` stands for companies without one."),
]


def made() -> str:
    """What is to be written."""
    lists = json.loads(source.read_text("utf-8"))
    return head + "".join(definition(name, about, lists[key]) for name, key, about in types)


def definition(name: str, about: str, values: list[str]) -> str:
    """One type, a value a line."""
    lines = "".join(f"        {json.dumps(value, ensure_ascii=False)},\n" for value in values)
    return f"\n#: {about}\n{name}: TypeAlias = Union[\n    Literal[\n{lines}    ],\n    str,\n]\n"


def is_as_made() -> bool:
    """Whether the file is as it would be written."""
    return target.read_text("utf-8") == made()


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if is_as_made() else f"not as made: {target.name}")
    target.write_text(made(), "utf-8")
