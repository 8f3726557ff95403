"""Makes the synchronous client out of the asynchronous one.

    python3 scripts/make_sync.py          writes src/sluice/_sync
    python3 scripts/make_sync.py --check  says whether it is as it would be written
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

package = Path(__file__).resolve().parent.parent / "src" / "sluice"
notice = "# Made from ../_async by scripts/make_sync.py: change that, and run it.\n"

replacements = [
    (r"^    def __await__.*\n.*\n\n", ""),
    (r"Awaitable\[(\"tuple.*?\")\]", r"\1"),
    (r"\bCoroutine, Generator, ", "Coroutine, "),
    (r"Awaitable\[(None|Any)\]", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync([A-Z])", r"\1"),
    (r"__a(iter|enter|exit)__", r"__\1__"),
    (r"\ba(iter_bytes|close)\b", r"\1"),
    (r"\banyio\.Lock\b", "Lock"),
    (r"^import anyio\n\n(from \.\.accounts)", r"from threading import Lock\n\n\1"),
    (r"^import anyio\n(import httpx\n\nfrom \.\. import asking, charges, events, reading, retry)", r"from threading import Lock\n\n\1"),
    (r"^import anyio\n", ""),
    (r"\banyio\.sleep\b", "time.sleep"),
    (r"``async with``", "``with``"),
    (r"The asynchronous client: the source from which the other is made", "The synchronous client"),
]


def synchronous(source: str) -> str:
    """The source without its asynchrony."""
    for pattern, replacement in replacements:
        source = re.sub(pattern, replacement, source, flags=re.MULTILINE)
    return notice + source


def made() -> dict[Path, str]:
    """What is to be written, by where."""
    sources = sorted((package / "_async").glob("*.py"))
    return {package / "_sync" / source.name: synchronous(source.read_text("utf-8")) for source in sources}


def differences() -> list[str]:
    """The files of the synchronous client that are not as they would be written."""
    wanted = made()
    there = set((package / "_sync").glob("*.py"))
    wrong = [path for path, text in wanted.items() if path not in there or path.read_text("utf-8") != text]
    return sorted(path.name for path in {*wrong, *(there - set(wanted))})


def write() -> None:
    """Writes the synchronous client."""
    (package / "_sync").mkdir(exist_ok=True)
    for path, text in made().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(f"not as made: {', '.join(found)}" if (found := differences()) else 0)
    write()
