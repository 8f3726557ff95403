"""Every public class and method shows how it is used, and it works as shown, awaited or not."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import sys
from typing import Any

import pytest

import sluice

from .service import handle
from .stage import Clock, client, kinds, props, run, settled

parser = doctest.DocTestParser()
names = ["account", "search", "jobs", "enrichment", "utils"]
shop = "https://shop.example.com"


def documented(kind: Any) -> list[Any]:
    """All that a caller calls."""
    made = client(kind, handle)
    pages = [sluice.Page, sluice.CursorPage] if kind is sluice.Sluice else [sluice.AsyncPage, sluice.AsyncCursorPage]
    owners = [kind, *(type(getattr(made, name)) for name in names), pages[0]]
    owners.append(sluice.Stream if kind is sluice.Sluice else sluice.AsyncStream)
    methods = [method for owner in owners for _, method in inspect.getmembers(owner, inspect.isfunction)]
    run(lambda: settled(made.close())) if kind is sluice.AsyncSluice else made.close()
    return [pages[0], owners[-1], kind] + [method for method in methods if not method.__name__.startswith("_")]


shown = [pytest.param(kind, item, id=item.__qualname__) for kind in kinds for item in documented(kind)]


@pytest.mark.parametrize(("kind", "item"), shown)
def test_works_as_shown(kind: Any, item: Any) -> None:
    examples = parser.get_examples(inspect.getdoc(item) or "")
    if item.__name__ != "close":
        assert examples, f"{item.__qualname__} shows no example"

    async def story() -> None:
        clock = Clock()
        parts = props(kind, handle, clock)
        globs = {
            "client": client(kind, handle, clock),
            kind.__name__: kind,
            "shop_url": shop,
            "transport": parts["transport"],
        }
        made = globs["client"]
        for example in examples:
            got = await play(example.source, globs)
            assert doctest.OutputChecker().check_output(example.want, got, 0), f"{example.source}gave {got}"
        await settled(made.close())
        await settled(globs["client"].close())

    run(story)


async def play(source: str, globs: dict[str, Any]) -> str:
    """What an interactive session prints, in which ``await`` stands free."""
    code = compile(source, "<example>", "single", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        found = eval(code, globs)
        if inspect.iscoroutine(found):
            await found
    return printed.getvalue()


def modules() -> list[Any]:
    return [importlib.import_module(f"sluice.{module.name}") for module in pkgutil.iter_modules(sluice.__path__)]


@pytest.mark.parametrize("module", [sluice, *modules()], ids=lambda module: str(module.__name__))
def test_a_module_works_as_shown(module: Any) -> None:
    for test in doctest.DocTestFinder().find(module):
        if inspect.getmodule(module) and test.name.startswith(module.__name__):
            result = doctest.DocTestRunner(verbose=False).run(test, out=sys.stderr.write)
            assert result.failed == 0, test.name


def test_all_that_is_public_says_what_it_is() -> None:
    for module in [sluice, *modules()]:
        assert module.__doc__, module.__name__
        for name, item in inspect.getmembers(module, inspect.isclass):
            if item.__module__ == module.__name__ and not name.startswith("_"):
                assert item.__doc__, f"{module.__name__}.{name}"
