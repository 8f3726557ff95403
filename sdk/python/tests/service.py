"""A small service: what ``answers.json`` holds, page by page where it is a list. For examples and docstrings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

answers: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "answers.json").read_text("utf-8"))
_by_page_number = "/v2/search/employee-finder"
_page_length = 10


def answer(path: str, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Status and body."""
    if path not in answers:
        return 404, {"success": False, "message": "Not Found"}
    body = answers[path]
    if path == "/plans/credit/purchase":
        return 402, body
    if "results" not in body or "results_length" in body:
        return 200, body
    return 200, _page(path, body, asked)


def handle(request: httpx.Request) -> httpx.Response:
    """The service without a network."""
    status, body = answer(request.url.path, json.loads(request.content or b"{}"))
    return httpx.Response(status, json=body)


@contextmanager
def served() -> Iterator[str]:
    """The service on a port of its own; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
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
    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, body = answer(self.path, json.loads(content or b"{}"))
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass
