"""Saves the receipts of all purchases as documents, one HTML file each.

Reads SLUICE_ACCESS_TOKEN, SLUICE_BASE_URL and FOLDER.
"""

import os
from pathlib import Path

from sluice import Sluice

folder = Path(os.environ.get("FOLDER", "receipts"))
folder.mkdir(parents=True, exist_ok=True)

with Sluice() as client:
    for receipt in client.account.receipts():
        document = client.account.receipt_document(receipt.receipt)
        (folder / f"{receipt.purchase}.html").write_text(document, "utf-8")
        print(receipt.paid_at[:10], receipt.total_usd, "USD", receipt.purchase)
