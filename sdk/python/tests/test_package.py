"""The built package, as it would be installed."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

root = Path(__file__).resolve().parents[1]
consumer = root / "tests" / "consumer.py"
seconds_max = 120
#: A checker must see the mistakes too, or it has seen no types.
mistakes = """
from sluice import Sluice
client = Sluice(api_key=1)
client.search.people(max_results="1")
client.search.people().nonsense
client.account.overview().balance_usd + 1
"""


def run(*command: str, cwd: Path = root) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=seconds_max, check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("package")
    build = run(
        sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", str(folder), str(root)
    )
    assert build.returncode == 0, build.stdout + build.stderr
    assert len(list(folder.glob("*.tar.gz"))) == 1
    assert run(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(folder / "venv")).returncode == 0
    site = sysconfig.get_path("purelib", "venv", {"base": str(folder / "venv")})
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    return folder / "venv" / "bin" / "python"


def check(installed: Path, program: Path) -> subprocess.CompletedProcess[str]:
    # Outside of the repository, whose settings and sources must not help.
    where = installed.parents[2]
    flags = ["--strict", "--config-file=", f"--cache-dir={where / 'cache'}", f"--python-executable={installed}"]
    return run(sys.executable, "-m", "mypy", *flags, str(program), cwd=where)


def test_the_wheel_has_the_package_and_nothing_else(installed: Path) -> None:
    (wheel,) = installed.parents[2].glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "sluice/py.typed" in names
    assert all(name.startswith(("sluice/", "sluice_client-")) for name in names)


def test_a_strict_consumer_passes_the_type_checker(installed: Path, tmp_path: Path) -> None:
    program = tmp_path / "consumer.py"
    program.write_text(consumer.read_text("utf-8"), "utf-8")
    checked = check(installed, program)
    assert checked.returncode == 0, checked.stdout


def test_mistakes_of_a_consumer_are_seen(installed: Path, tmp_path: Path) -> None:
    program = tmp_path / "mistakes.py"
    program.write_text(mistakes, "utf-8")
    found = check(installed, program).stdout
    for line in (3, 4, 5, 6):
        assert f"mistakes.py:{line}: error" in found, found


def test_the_consumer_runs(installed: Path) -> None:
    done = run(str(installed), "-W", "error", str(consumer), cwd=installed.parent)
    assert (done.stdout, done.stderr) == ("Ada Ito ['Ada Ito'] 1 400\n", "")
