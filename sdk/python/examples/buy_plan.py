"""Buys credit for 5 USD with a card token (``spt_...``), without a person: answers the challenge of the purchase.

Reads SLUICE_ACCESS_TOKEN, SLUICE_BASE_URL and CARD_TOKEN.
"""

import json
import os
import re
from base64 import urlsafe_b64encode

from sluice import PaymentDeclinedError, Sluice

with Sluice() as client:
    offer = client.purchase("credit", amount_usd="5.00")
    # The challenge of the Payment scheme: name="value", name="value"
    challenge = dict(re.findall(r'(\w+)="([^"]*)"', offer.www_authenticate or ""))
    credential = json.dumps({"challenge": challenge, "payload": {"spt": os.environ["CARD_TOKEN"]}})
    answer = urlsafe_b64encode(credential.encode()).decode().rstrip("=")
    try:
        purchase = client.purchase("credit", amount_usd="5.00", payment_credential=answer)
    except PaymentDeclinedError as error:
        print("The card was declined:", error.message)
    else:
        print("Paid. The balance is" if purchase.is_paid else "The payment is being processed.", purchase.balance_usd)
