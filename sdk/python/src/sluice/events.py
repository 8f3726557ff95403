"""The events of a stream: server-sent events (WHATWG), or a JSON value on each line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import APIConnectionError, ResponseValidationError, StreamError
from .wire import json_or_text

# Characters of one event at most, so that a stream without line ends cannot fill the memory.
_event_characters_max = 8 * 2**20
_line_end = re.compile(r"\r\n|\n|\r")
_lines = re.compile(r"application/(x-ndjson|ndjson|jsonl|x-jsonl|json-seq|stream\+json)")


@dataclass(frozen=True)
class StreamEvent:
    """One event of a stream."""

    #: Name of a server-sent event; ``None`` if it has none, and for a line of NDJSON.
    event: str | None
    id: str | None
    #: The JSON value, or the text if it is not JSON.
    data: Any


def format_of(headers: Mapping[str, str]) -> str | None:
    """``sse`` or ``ndjson``, by the content type of a response; ``None`` if it is no stream."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        return "sse"
    return "ndjson" if _lines.fullmatch(kind) else None


def checked(event: StreamEvent, url: str, request_id: str | None) -> StreamEvent:
    """The event, unless it reports an error, in the forms of storefronts and of common APIs."""
    data = event.data if isinstance(event.data, dict) else {}
    error = data.get("error")
    is_text = isinstance(error, str) and error != ""
    if not (event.event == "error" or data.get("type") == "error" or isinstance(error, dict) or is_text):
        return event
    inner = error if isinstance(error, dict) else {}

    def text(name: str) -> str | None:
        value = inner.get(name) if inner.get(name) is not None else data.get(name)
        return value if isinstance(value, str) else None

    message = text("message") or (str(error) if is_text else f"The stream of {url} reported an error")
    raise StreamError(message, code=text("code"), body=event.data, request_id=text("request_id") or request_id)


class Decoder:
    """Splits the bytes of a stream into events."""

    def __init__(self, format: str, url: str) -> None:
        self._is_sse = format == "sse"
        self._url = url
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")("replace")
        #: The line that has not ended yet, in pieces.
        self._rest: list[str] = []
        self._ends_in_cr = False
        self._name: str | None = None
        self._id: str | None = None
        self._data: list[str] = []
        #: Characters of the event so far, of its ended lines and of the rest.
        self._characters = 0
        self._rest_characters = 0

    def push(self, chunk: bytes) -> Iterator[StreamEvent]:
        """The events that are complete with these bytes. Raises ``ResponseValidationError`` above the limit of an event."""
        text = self._utf8.decode(chunk)
        if not text:
            return
        # The line end may be split between two chunks.
        if self._ends_in_cr and text[0] == "\n":
            text = text[1:]
        self._ends_in_cr = text.endswith("\r") if text else False
        *lines, rest = _line_end.split(text)
        for line in lines:
            yield from self._line("".join([*self._rest, line]))
            self._rest, self._rest_characters = [], 0
        self._rest.append(rest)
        self._rest_characters += len(rest)
        self._limit(self._characters + self._rest_characters)

    def end(self) -> Iterator[StreamEvent]:
        """The stream has ended cleanly: its last event. Raises ``APIConnectionError`` if that is incomplete."""
        rest = "".join(self._rest)
        if self._is_sse:
            is_cut = rest != "" and not rest.startswith(":")
        else:
            is_cut = rest.strip() != "" and json_or_text(rest) == rest
        if is_cut:
            raise APIConnectionError(f"The stream of {self._url} ended in the middle of an event", was_sent=True)
        yield from self._line("" if self._is_sse else rest)

    def _line(self, line: str) -> Iterator[StreamEvent]:
        if not self._is_sse:
            # Records of ``json-seq`` begin with a record separator.
            text = line.removeprefix("\x1e")
            if text.strip():
                yield StreamEvent(None, None, json_or_text(text))
        elif line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            self._characters += len(line)
            if name == "data":
                self._data.append(value)
            elif name == "event":
                self._name = value
            elif name == "id":
                self._id = value
            self._limit(self._characters)
        else:
            data, name_of, id_of = self._data, self._name, self._id
            self._data, self._name, self._id, self._characters = [], None, None, 0
            if data:
                yield StreamEvent(name_of, id_of, json_or_text("\n".join(data)))

    def _limit(self, characters: int) -> None:
        if characters > _event_characters_max:
            raise ResponseValidationError(f"an event of {self._url} has more than {_event_characters_max} characters")
