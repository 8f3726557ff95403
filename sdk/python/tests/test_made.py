"""What is made by a script is as the script would make it today."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from scripts import make_sync, make_values
from sluice import AsyncSluice, Sluice

from .service import handle
from .stage import client


def test_the_synchronous_client_is_made_from_the_asynchronous_one() -> None:
    assert make_sync.differences() == []


def test_the_values_are_those_of_the_service() -> None:
    assert make_values.is_as_made()


def test_no_asynchrony_is_left_over() -> None:
    for text in make_sync.made().values():
        for word in ("async ", "await ", "Async", "Awaitable", "anyio", "aclose", "__aiter__"):
            assert word not in text.removeprefix(make_sync.notice)


def test_a_change_on_one_side_alone_is_seen(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_async").mkdir()
    (tmp_path / "_async" / "one.py").write_text("async def one() -> None: ...\n", "utf-8")
    monkeypatch.setattr(make_sync, "package", tmp_path)
    assert make_sync.differences() == ["one.py"]
    make_sync.write()
    assert make_sync.differences() == []
    (tmp_path / "_sync" / "two.py").write_text("", "utf-8")
    assert make_sync.differences() == ["two.py"]


def test_both_clients_take_the_same_arguments() -> None:
    assert parameters(Sluice) == parameters(AsyncSluice)
    one, other = client(Sluice, handle), client(AsyncSluice, handle)
    for name in ("account", "search", "jobs", "enrichment", "utils"):
        for method, function in inspect.getmembers(getattr(one, name), inspect.ismethod):
            assert parameters(function) == parameters(getattr(getattr(other, name), method))


def parameters(function: Any) -> list[tuple[str, Any]]:
    replaceable = {"transport", "sleep"}
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in found if one.name not in replaceable]
