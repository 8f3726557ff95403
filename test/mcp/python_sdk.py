"""Lists, searches, calls and reads with the official Python SDK: python_sdk.py <shop> <bearer> <mode>."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

JOBS = {"company_network_url": "https://www.network.example/company/tessera-health", "max_results": 2}


def read(result):
    return json.loads(result.content[0].text)


async def main(shop: str, bearer: str, mode: str) -> None:
    headers = {"authorization": f"Bearer {bearer}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        async with Client(streamable_http_client(f"{shop}/mcp", http_client=http), mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "call_operation" in names, names
            found = read(await client.call_tool("search_operations", {"query": "jobs of a company"}))
            assert "jobs_company" in [it["operation"] for it in found["operations"]], found
            call = {"operation": "jobs_company", "arguments": JOBS}
            assert read(await client.call_tool("call_operation", call))["results_length"] == 2
            people = {"operation": "search_people", "arguments": {"max_results": 20}}
            result = await client.call_tool("call_operation", people)
            link = next(it for it in result.content if it.type == "resource_link")
            whole = json.loads((await client.read_resource(str(link.uri))).contents[0].text)
            assert len(whole["results"]) == 20
            prices = next(it for it in (await client.list_resources()).resources if it.name == "prices")
            assert "plans" in (await client.read_resource(str(prices.uri))).contents[0].text
            assert len((await client.list_prompts()).prompts) > 0
            account = read(await client.call_tool("shop_account"))
            assert account["included_remaining"] == 3, account
            print(client.protocol_version)


asyncio.run(main(*sys.argv[1:]))
