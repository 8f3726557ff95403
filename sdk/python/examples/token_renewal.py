"""Keeps the tokens of an account in a file, and renews the access token when it has expired after its hour.

Reads SLUICE_BASE_URL and TOKENS, the file.
"""

import json
import os
from pathlib import Path

from sluice import Registration, Renewal, Sluice

file = Path(os.environ.get("TOKENS", "tokens.json"))


def store(tokens: Renewal | Registration) -> None:
    """Only the owner may read the file."""
    file.touch(mode=0o600)
    file.write_text(
        json.dumps({"access_token": tokens.access_token, "identity_assertion": tokens.identity_assertion}), "utf-8"
    )


if not file.exists():
    store(Sluice.register())

with Sluice(**json.loads(file.read_text("utf-8")), on_renewal=store) as client:
    account = client.account.overview()
    print(account.account, "has", account.balance_usd, "USD")
