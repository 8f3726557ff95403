"""A small service: what ``answers.json`` holds, page by page where it is a list. For examples and docstrings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

answers: dict[str, Any] = json.loads((Path(__file__).parent / "answers.json").read_text("utf-8"))
#: Status, headers and body.
Response = tuple[int, dict[str, str], Any]
_by_page_number = "/v2/search/employee-finder"
_page_length = 10


def answer(path: str, asked: dict[str, Any], method: str = "GET") -> tuple[int, Any]:
    """Status and body. A path that answers each method differently is listed with its method."""
    path = path.partition("?")[0]
    path = f"{method} {path}" if f"{method} {path}" in answers else path
    if path not in answers:
        return 404, {"success": False, "message": "Not Found"}
    body = answers[path]
    if path == "/plans/credit/purchase":
        return 402, body
    if isinstance(body, str) or "results" not in body or "results_length" in body:
        return 200, body
    return 200, _page(path, body, asked)


def handle(request: httpx.Request) -> httpx.Response:
    """The service without a network."""
    status, body = answer(request.url.path, json.loads(request.content or b"{}"), request.method)
    return httpx.Response(status, headers=headers(body), content=sent(body))


def respond(method: str, path: str, given: Mapping[str, str], asked: dict[str, Any]) -> Response | None:
    """Status, headers and body; ``None`` breaks the connection. ``given`` has the request's headers."""
    status, body = answer(path, asked, method)
    return status, headers(body), body


def headers(body: Any) -> dict[str, str]:
    """A text is a document or a stream."""
    if not isinstance(body, str):
        return {"content-type": "application/json"}
    if body.startswith("<"):
        return {"content-type": "text/html"}
    return {"content-type": "text/event-stream", "storefront-call": "call_1"}


def sent(body: Any) -> bytes:
    """The body on the wire."""
    return (body if isinstance(body, str) else json.dumps(body)).encode()


@contextmanager
def served(by: Callable[[str, str, Mapping[str, str], dict[str, Any]], Response | None] = respond) -> Iterator[str]:
    """The service on a port of its own; gives its address."""

    class Handler(_Handler):
        respond = staticmethod(by)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _page(path: str, body: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    length = asked.get("max_results") or _page_length
    number = asked.get("page") or int((asked.get("cursor") or "page-1").removeprefix("page-"))
    all_results = body["results"]
    results = all_results[(number - 1) * length : number * length]
    pages = -(-len(all_results) // length)
    where: dict[str, Any] = {"cursor": f"page-{number + 1}" if number < pages else None}
    if path == _by_page_number:
        where = {"page": number, "total_pages": pages}
    usage = {**answers["/v2/enrichment/email"]["fair_usage"], "records_used": len(results)}
    said = {"results": results, "results_length": len(results), "max_results": length, "fair_usage": usage}
    return {**body, **said, **where}


class _Handler(BaseHTTPRequestHandler):
    respond: Callable[[str, str, Mapping[str, str], dict[str, Any]], Response | None]

    def do_GET(self) -> None:
        self.do_POST()

    def do_PUT(self) -> None:
        self.do_POST()

    def do_DELETE(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        is_json = self.headers.get("content-type") == "application/json"
        given = {name.lower(): value for name, value in self.headers.items()}
        found = self.respond(self.command, self.path, given, json.loads(content) if is_json else {})
        if found is None:
            self.close_connection = True
            return
        status, header_fields, body = found
        self.send_response(status)
        for name, value in {**header_fields, "content-length": str(len(sent(body)))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent(body))

    def log_message(self, format: str, *arguments: Any) -> None:
        pass
