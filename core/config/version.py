"""Read the version of the program from `pyproject.toml`, the only file that states it."""

import tomllib
from functools import cache
from pathlib import Path

_PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@cache
def program_version() -> str:
    """Return the version as `pyproject.toml` states it, such as "0.1.0"."""
    version: str = tomllib.loads(_PYPROJECT.read_text("utf-8"))["project"]["version"]
    return version
