"""The types hold against what the service says of itself, field for field, for every operation that it describes."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
import yaml

from sluice import AsyncSluice, Record, Sluice

from .service import answer, answers, handle
from .stage import client, kinds

text = (Path(__file__).resolve().parents[3] / "packages" / "data-api" / "openapi" / "data-api.yaml").read_text("utf-8")
description = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
# The one answer without a rate limit shares its type with all others.
nowhere_described = "answer.fair_usage.rate_limit is not in the description"
beside_the_fields = {"self", "timeout", "idempotency_key"}

methods = {
    "/v2/account/key-info": "account.key_info",
    "/v2/search/people": "search.people",
    "/v2/search/companies": "search.companies",
    "/v2/search/employee-finder": "search.employee_finder",
    "/v2/search/waterfall-icp-keyword": "search.waterfall_icp",
    "/api/search/waterfall-icp-real-time": "search.waterfall_icp_real_time",
    "/v2/company/tam-by-jobs": "search.tam_by_jobs",
    "/v2/company/tam-by-people": "search.tam_by_people",
    "/v2/jobs/search": "jobs.search",
    "/v2/jobs/company": "jobs.company",
    "/v2/enrichment/person": "enrichment.person",
    "/v2/enrichment/email": "enrichment.email",
    "/v2/enrichment/phone": "enrichment.phone",
    "/v2/enrichment/email-to-person": "enrichment.email_to_person",
    "/v2/enrichment/phone-to-person": "enrichment.phone_to_person",
    "/v2/enrichment/company": "enrichment.company",
    "/v2/enrichment/domain-to-network": "enrichment.domain_to_network",
    "/v2/enrichment/network-to-domain": "enrichment.network_to_domain",
    "/v2/enrichment/company-distribution-by-country": "enrichment.company_distribution_by_country",
    "/v2/enrichment/company-distribution-by-department": "enrichment.company_distribution_by_department",
    "/v2/utils/current-date": "utils.current_date",
}
described = [
    pytest.param(path, operation, id=path) for path, item in description["paths"].items() for operation in item.values()
]


def method(kind: Any, path: str) -> Any:
    namespace, name = methods[path].split(".")
    return getattr(getattr(client(kind, handle), namespace), name)


def hints(method: Any) -> dict[str, Any]:
    return get_type_hints(method.__func__)


def fields(hint: Any) -> dict[str, Any] | None:
    """The members of an object by name; ``None`` for what is no object."""
    if isinstance(hint, type) and issubclass(hint, Record):
        return {name: inner for name, inner in get_type_hints(hint).items() if not name.startswith("_")}
    return get_type_hints(hint) if is_typeddict(hint) else None


def bare(hint: Any) -> Any:
    """A hint without its ``None`` and outside of its list."""
    if get_origin(hint) in (Union, types.UnionType):
        return bare(next(member for member in get_args(hint) if member is not type(None)))
    return bare(get_args(hint)[0]) if get_origin(hint) in (list, Sequence) or _is_sequence(hint) else hint


def _is_sequence(hint: Any) -> bool:
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Sequence)


def schema(node: Any) -> Any:
    """A schema behind its reference, without its null and outside of its list."""
    if "$ref" in node:
        found = description
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return schema(found)
    if "anyOf" in node:
        return schema(next(inner for inner in node["anyOf"] if inner.get("type") != "null"))
    return schema(node["items"]) if "items" in node else node


def differences(ours: dict[str, Any], theirs: Any, path: str) -> Iterator[str]:
    properties = schema(theirs).get("properties", {})
    yield from (f"{path}.{name} is not in the description" for name in ours.keys() - properties.keys())
    yield from (f"{path}.{name} is not in the types" for name in properties.keys() - ours.keys())
    for name in ours.keys() & properties.keys():
        inner = fields(bare(ours[name]))
        is_object = "properties" in schema(properties[name])
        if inner is not None and is_object:
            yield from differences(inner, properties[name], f"{path}.{name}")
        elif inner is not None or is_object:
            yield f"{path}.{name} is an object on one side only"


@pytest.mark.parametrize("kind", kinds)
@pytest.mark.parametrize(("path", "operation"), described)
def test_answers_have_the_fields_of_the_description(path: str, operation: Any, kind: Any) -> None:
    ours = fields(bare(hints(method(kind, path))["return"]))
    theirs = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert ours is not None
    assert not {*differences(ours, theirs, "answer")} - {nowhere_described}


@pytest.mark.parametrize("kind", kinds)
@pytest.mark.parametrize(("path", "operation"), described)
def test_requests_have_the_fields_of_the_description(path: str, operation: Any, kind: Any) -> None:
    called = method(kind, path)
    ours = {name: hint for name, hint in hints(called).items() if name not in {*beside_the_fields, "return"}}
    theirs = {} if "requestBody" not in operation else operation["requestBody"]["content"]["application/json"]["schema"]
    assert not [*differences(ours, theirs, "request")]
    parameters = inspect.signature(called).parameters
    required = {name for name in ours if parameters[name].default is inspect.Parameter.empty}
    assert required == set(schema(theirs).get("required", []))


@pytest.mark.parametrize(("path", "operation"), described)
def test_the_example_of_the_description_is_understood_whole(path: str, operation: Any) -> None:
    example = operation["responses"]["200"]["content"]["application/json"].get("example")
    assert example is not None, f"{path} has no example in the description"
    record = bare(hints(method(Sluice, path))["return"])(example)
    assert record.to_dict() == example
    assert not [*unknown(record, "answer")]


def unknown(record: Record, path: str) -> Iterator[str]:
    yield from (f"{path}.{name}" for name in record.extra)
    for name, value in vars(record).items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Record):
                yield from unknown(item, f"{path}.{name}")


@pytest.mark.parametrize("path", methods)
def test_our_own_examples_have_every_field(path: str) -> None:
    status, body = answer(path, {})
    record = bare(hints(method(AsyncSluice, path))["return"])(body)
    assert status == 200
    assert not [*unknown(record, "answer")]
    assert set(fields(type(record)) or {}) == set(body)


def test_every_operation_of_the_description_is_a_method() -> None:
    assert set(description["paths"]) <= set(methods)
    assert set(methods) <= set(answers)
