"""Exceptions of this package, all under ``SluiceError``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fair_usage import FairUsage
from .record import Record
from .shop import Plan


@dataclass(frozen=True)
class PartialList:
    """The beginning of a list."""

    items: list[Any]
    #: Cursor to continue from, with the same filters; ``None`` for a list without cursors.
    cursor: str | None


class SluiceError(Exception):
    """Base class of all errors of this package."""

    #: Items that ``collect`` had received, and paid for, before it failed; ``None`` for other methods.
    partial: PartialList | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions with keyword arguments need help to be pickled, for example out of a worker process.
        return _again, (type(self), self.args, self.__dict__)


class ConfigurationError(SluiceError):
    """Invalid options or arguments. Nothing was sent."""


class APIConnectionError(SluiceError):
    """No response: the service was not reached, or the connection broke."""

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(message)
        #: True if the request may have arrived, and so may have been charged.
        self.was_sent = was_sent


class APITimeoutError(APIConnectionError):
    """No response within the timeout."""


class ResponseValidationError(SluiceError):
    """A success without the expected JSON object, or a cursor that does not advance."""


class StreamError(SluiceError):
    """An event of a stream that reports an error. The events before it have been delivered."""

    def __init__(self, message: str, *, code: str | None = None, body: Any = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        #: A storefront's error code, such as ``credit_exhausted``.
        self.code = code
        #: The data of the event.
        self.body = body
        #: Quote it to support.
        self.request_id = request_id


class WebhookVerificationError(SluiceError):
    """A webhook that must not be trusted: its signature, its time or its form is wrong."""


class FieldError(Record):
    """One thing wrong with a request."""

    #: Path of the value, such as ``job.title.include[0]``; for an unknown field, of the object that holds it.
    field: str
    message: str


class APIStatusError(SluiceError):
    """The service answered with an error."""

    def __init__(self, message: str, *, status_code: int, body: Any = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status_code
        #: The answer's JSON; its text where it was none.
        self.body = body
        #: Quote it to support.
        self.request_id = request_id

    @property
    def code(self) -> str | None:
        """A storefront's word for what happened, such as ``credit_exhausted``."""
        code: str | None = self._member("code")
        return code

    def __str__(self) -> str:
        return f"{self.message} (HTTP {self.status_code}{f', {self.request_id}' if self.request_id else ''})"

    def _member(self, name: str) -> Any:
        return self.body.get(name) if isinstance(self.body, dict) else None

    def _list(self, name: str) -> list[Any]:
        value = self._member(name)
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class BadRequestError(APIStatusError):
    """400: the body was not JSON."""


class AuthenticationError(APIStatusError):
    """401: no key or token, or one that opens nothing."""


class InsufficientRecordsError(APIStatusError):
    """402: less is left than the call could cost."""

    @property
    def fair_usage(self) -> FairUsage | None:
        """What is left."""
        fair_usage = self._member("fair_usage")
        return FairUsage(fair_usage) if isinstance(fair_usage, dict) else None

    @property
    def plans(self) -> list[Plan]:
        """Of a storefront: the plans that would help, each with the request that buys it."""
        return [Plan(plan) for plan in self._list("plans")]


class PaymentDeclinedError(APIStatusError):
    """402 to a purchase that carried a payment: it was not taken."""


class PlanRequiredError(APIStatusError):
    """403: no active plan covers the call."""

    @property
    def plans(self) -> list[Plan]:
        """The plans that cover it, each with the request that buys it."""
        return [Plan(plan) for plan in self._list("plans")]


class NotFoundError(APIStatusError):
    """404: no such address, or a key that nobody knows. A search that finds nothing is no error."""


class ValidationError(APIStatusError):
    """422: a field is unknown or its value is wrong; nothing was searched and nothing was used."""

    @property
    def errors(self) -> list[FieldError]:
        """What is wrong, field by field, each with the nearest right value."""
        return [FieldError(error) for error in self._list("errors")]


class RateLimitError(APIStatusError):
    """429: too many calls."""

    def __init__(self, message: str, *, retry_after: float | None = None, **answer: Any) -> None:
        super().__init__(message, **answer)
        #: Seconds to wait, where the service says so; at most 120.
        self.retry_after = retry_after


class ServerError(APIStatusError):
    """5xx: the service failed."""


def _again(kind: type[SluiceError], arguments: tuple[Any, ...], state: dict[str, Any]) -> SluiceError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error
