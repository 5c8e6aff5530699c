"""Read typed values from the environment. An error names the variable.

A blank variable counts as unset. Without a default, a variable is required: every function here
raises ImproperlyConfigured if it is unset or malformed.

URLs of databases have a reader of their own: `core/config/database_urls.py`.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})


def _read(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def _missing(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is not set, and it has no default.")


def secret(name: str, default: str = "") -> str:
    """Return a secret: `$NAME`, or the content of the file that `$NAME_FILE` names.

    No error shows a part of it. Raises ImproperlyConfigured if both are given, or the file cannot
    be read.
    """
    value, file = _read(name), _read(f"{name}_FILE")
    if not file:
        return value or default
    if value:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: set one of them only")
    try:
        content = Path(file).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"{name}_FILE cannot be read: {type(error).__name__}") from None
    return content or default


def string(name: str, default: str | None = None) -> str:
    """Return a text."""
    value = _read(name) or default
    if value is None:
        raise _missing(name)
    return value


def boolean(name: str, default: bool | None = None) -> bool:
    """Return a boolean: 1, true, yes, on or 0, false, no, off, in any case."""
    value = _read(name)
    if value is None:
        if default is None:
            raise _missing(name)
        return default
    if value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")


def integer(
    name: str, default: int | None = None, *, least: int | None = None, most: int | None = None
) -> int:
    """Return a whole number, within the limits where given."""
    value = _read(name)
    if value is None:
        if default is None:
            raise _missing(name)
        return default
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None
    if least is not None and number < least:
        raise ImproperlyConfigured(f"{name} must be at least {least}, not {number}.")
    if most is not None and number > most:
        raise ImproperlyConfigured(f"{name} must be at most {most}, not {number}.")
    return number


def seconds(name: str, default: float | None = None) -> float:
    """Return a positive duration in seconds; a fraction is allowed."""
    value = _read(name)
    if value is None:
        if default is None:
            raise _missing(name)
        return default
    try:
        duration = float(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number of seconds, not {value!r}.") from None
    if not 0 < duration < float("inf"):
        raise ImproperlyConfigured(f"{name} must be above zero, not {value}.")
    return duration


def words(name: str, default: Sequence[str] | None = None) -> list[str]:
    """Return values separated by commas; blank ones are dropped."""
    value = _read(name)
    if value is None:
        if default is None:
            raise _missing(name)
        return list(default)
    return [part.strip() for part in value.split(",") if part.strip()]
