from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def bare_environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the credentials of whoever runs it, but for those that are made for it."""
    for name in ("SLUICE_API_KEY", "SLUICE_ACCESS_TOKEN", "SLUICE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
