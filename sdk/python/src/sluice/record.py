"""Typed objects of responses. They keep members that this version does not know."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Union, get_args, get_origin, get_type_hints

Decode = Callable[[Any], Any]

_classes_max = 256
_shown_characters_max = 100
# Credentials must not appear in logs and on screens.
_secrets = frozenset({"access_token", "identity_assertion", "claim_token"})


class Record:
    """An object of a response.

    Declared members are attributes, ``None`` if the service left them out. All other members are in ``extra``, under
    their names on the wire. Values are not validated.

    >>> from sluice import Company
    >>> company = Company({"name": "Northwind Analytics", "hq": {"city": "Berlin"}, "mood": "bright"})
    >>> company
    Company(name='Northwind Analytics', hq=Headquarters(city='Berlin'), mood='bright')
    >>> company.domain is None
    True
    >>> company.extra
    {'mood': 'bright'}
    """

    _hidden: frozenset[str] = _secrets

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = dict(data)
        #: The charge of a storefront for the response, for ``sluice.charge``.
        self._charge: Any = None
        for name, decode in _decoders(type(self)).items():
            setattr(self, name, decode(self._data.get(name)))

    @classmethod
    def _members(cls) -> frozenset[str]:
        """The names of all attributes that a response sets."""
        return frozenset(_decoders(cls)) | {"_data", "_charge"}

    @property
    def extra(self) -> dict[str, Any]:
        """What came beside the declared fields."""
        declared = _decoders(type(self))
        return {name: value for name, value in self._data.items() if name not in declared}

    def to_dict(self) -> dict[str, Any]:
        """The object as it came, ready for ``json.dumps``.

        >>> from sluice import Company
        >>> Company({"name": "Northwind Analytics", "mood": "bright"}).to_dict()
        {'name': 'Northwind Analytics', 'mood': 'bright'}
        """
        return copy.deepcopy(self._data)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Record) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]  # what compares by content that can change has no hash

    def __repr__(self) -> str:
        declared = {name: getattr(self, name) for name in _decoders(type(self)) if self._data.get(name) is not None}
        members = {**declared, **self.extra}.items()
        shown = ", ".join(f"{name}={'…' if name in self._hidden else _brief(value)}" for name, value in members)
        return f"{type(self).__name__}({shown})"


@lru_cache(maxsize=_classes_max)
def _decoders(cls: type[Record]) -> dict[str, Decode]:
    return {name: _decoder(hint) for name, hint in get_type_hints(cls).items() if not name.startswith("_")}


def _decoder(hint: Any) -> Decode:
    if isinstance(hint, type) and issubclass(hint, Record):
        return lambda value: hint(value) if isinstance(value, Mapping) else value
    if get_origin(hint) is list:
        item = _decoder(get_args(hint)[0])
        return lambda value: [] if value is None else _each(item, value)
    if get_origin(hint) in (Union, types.UnionType):
        return _optional_decoder(hint)
    return lambda value: value


def _optional_decoder(hint: Any) -> Decode:
    decode = _decoder(next(member for member in get_args(hint) if member is not type(None)))
    return lambda value: None if value is None else decode(value)


def _each(decode: Decode, value: Any) -> Any:
    return [decode(item) for item in value] if isinstance(value, list) else value


def _brief(value: Any) -> str:
    if isinstance(value, str) and len(value) > _shown_characters_max:
        return repr(value[: _shown_characters_max - 1] + "…")
    if isinstance(value, list) and len(value) > 1:
        return f"[{_brief(value[0])}, and {len(value) - 1} more]"
    return repr(value)
