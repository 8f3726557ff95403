"""Receives webhooks: verifies each, and handles each message once. A WSGI application; reads WEBHOOK_SECRET.

    python3 examples/webhook.py
"""

import os
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import make_server

from sluice import WebhookVerificationError, verify_webhook

#: A shop keeps the ids in its database.
handled: set[str] = set()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers 204 for a message that was handled, 400 for one that must not be trusted."""
    # The signature covers the bytes as they arrived, so the body must not be parsed before.
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    headers = {name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
    try:
        webhook = verify_webhook(body, headers, os.environ["WEBHOOK_SECRET"])
    except WebhookVerificationError as error:
        start_response("400 Bad Request", [("content-type", "text/plain")])
        return [str(error).encode()]
    if webhook.id not in handled:
        print(webhook.id, webhook.payload)
        handled.add(webhook.id)
    start_response("204 No Content", [])
    return []


if __name__ == "__main__":
    make_server("127.0.0.1", 8000, application).serve_forever()
