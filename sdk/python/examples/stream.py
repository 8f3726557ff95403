"""Prints the words of a language model as they arrive, and their cost at the end.

Reads SLUICE_ACCESS_TOKEN and SLUICE_BASE_URL.
"""

from sluice import APIConnectionError, Sluice, StreamError

question = {"model": "small-1", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 200, "stream": True}

with Sluice() as client, client.stream("/v1/chat/completions", question) as stream:
    try:
        for event in stream:
            if event.data != "[DONE]" and event.data["choices"]:
                print(event.data["choices"][0]["delta"].get("content", ""), end="", flush=True)
    except (APIConnectionError, StreamError) as error:
        # The words so far have arrived. A stream that breaks off is free; one that ran out of credit costs what it sent.
        print("\nThe stream ended early:", error, end="")
    charge = stream.charge()
    print("\nCost:", charge.cost_usd if charge else "0", "USD")
