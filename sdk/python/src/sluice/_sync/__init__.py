# Made from ../_async by scripts/make_sync.py: change that, and run it.
"""The synchronous client."""
