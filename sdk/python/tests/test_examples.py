"""What the README and ``examples/`` show works as it stands, over real HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sluice

from .service import served

root = Path(__file__).resolve().parents[1]
seconds_max = 20
printed = {
    "first_call.py": ["199500 records left"],
    "people_to_csv.py": ["name,title,company", "Beulah Lee,CTO,Northwind Analytics"],
    "enrich_many.py": ["beulah-lee: beulah.lee@northwind-analytics.example"],
    "buy_and_call.py": ["account acc_1", "up to 0.40 USD", "checkout/pur_1", "Data Engineer at Northwind"],
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.mark.parametrize("script", sorted((root / "examples").glob("*.py")), ids=lambda script: str(script.name))
def test_an_example_works(script: Path, address: str) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "SLUICE_BASE_URL": address,
        "SLUICE_API_KEY": "sk_test",
        "PYTHONWARNINGS": "error",
    }
    command = [sys.executable, str(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds_max, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for line in printed[script.name]:
        assert line in done.stdout


def test_the_readme_works(address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SLUICE_API_KEY", "sk_test")
    monkeypatch.setenv("SLUICE_BASE_URL", address)
    blocks = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) > 5
    globs: dict[str, Any] = {}
    for block in blocks:
        exec(compile(re.sub(r"https://(api|shop)\.example\.com", address, block), "README.md", "exec"), globs)
    globs["shop"].close()
    said = capsys.readouterr().out
    for line in ["Beulah Lee CTO", "Data Engineer at Northwind Analytics", "Northwind Analytics Berlin {}", "credit"]:
        assert line in said


def test_the_readme_names_every_error_and_every_method() -> None:
    text = (root / "README.md").read_text("utf-8")
    for name in sluice.__all__:
        item = getattr(sluice, name)
        if isinstance(item, type) and issubclass(item, sluice.SluiceError):
            assert f"`{name}`" in text
    with sluice.Sluice(api_key="sk_test", base_url="https://api.test") as client:
        for namespace in ("account", "search", "jobs", "enrichment", "utils"):
            for name in dir(getattr(client, namespace)):
                assert name.startswith("_") or f"`{name}`" in text
