"""What the key has left: the first call, free. Reads SLUICE_API_KEY and SLUICE_BASE_URL."""

from sluice import Sluice

with Sluice() as client:
    print(client.account.key_info().records_remaining, "records left")
