"""Read typed values from the environment. An error names the variable.

A blank variable counts as unset. Without a default, a variable is required: every function here
raises ImproperlyConfigured if it is unset or malformed.

URLs of databases have a reader of their own: `core/config/database_urls.py`.
"""

import ipaddress
import os
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

_Value = TypeVar("_Value")

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_CENTURY_DAYS: Final = 36_525
_LONGEST_ADDRESS: Final = 300
_ROOM_BYTES: Final = 1 << 20
_HOST: Final = r"(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:]+\])"
_WITHOUT_HOST: Final = ("memory", "redis+socket", "unix")


def _read(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def _default(name: str, default: _Value | None) -> _Value:
    if default is None:
        raise ImproperlyConfigured(f"{name} is not set, and it has no default.")
    return default


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
        why = getattr(error, "strerror", "") or "it is no text in UTF-8"  # no part of its content
        raise ImproperlyConfigured(
            f"{name}_FILE cannot be read: {file}: {why}; name a file that this account can read"
        ) from None
    return content or default


def string(name: str, default: str | None = None) -> str:
    """Return a text."""
    return _read(name) or _default(name, default)


def boolean(name: str, default: bool | None = None) -> bool:
    """Return a boolean: 1, true, yes, on or 0, false, no, off, in any case."""
    value = _read(name)
    if value is None:
        return _default(name, default)
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
        return _default(name, default)
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None
    if least is not None and number < least:
        raise ImproperlyConfigured(f"{name} must be at least {least}, not {number}.")
    if most is not None and number > most:
        raise ImproperlyConfigured(f"{name} must be at most {most}, not {number}.")
    return number


def days(name: str, default: int, *, least: int = 1) -> int:
    """Return a number of days, a hundred years at most: later days may not be in the calendar."""
    return integer(name, default, least=least, most=_CENTURY_DAYS)


def seconds(
    name: str, default: float | None = None, *, least: float = 0.001, most: float = 86_400
) -> float:
    """Return a duration in seconds, within the limits; a fraction is allowed.

    PostgreSQL counts in thousandths of a second, and takes less for no limit at all.
    """
    value = _read(name)
    if value is None:
        return _default(name, default)
    try:
        duration = float(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number of seconds, not {value!r}.") from None
    if not least <= duration <= most:
        raise ImproperlyConfigured(f"{name} must be from {least} to {most} seconds, not {value}.")
    return duration


def one_of(name: str, default: str, choices: Sequence[str]) -> str:
    """Return one of some words."""
    value = string(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be {' or '.join(choices)}, not {value!r}")
    return value


def words(name: str, default: Sequence[str] | None = None) -> list[str]:
    """Return values separated by commas; blank ones are dropped."""
    value = _read(name)
    if value is None:
        return list(_default(name, default))
    return [part.strip() for part in value.split(",") if part.strip()]


def networks(name: str, default: Sequence[str]) -> list[str]:
    """Return addresses and networks of hosts, separated by commas."""
    read = words(name, default)
    for each in read:
        try:
            ipaddress.ip_network(each)
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} must be addresses or networks: {each!r} is none."
            ) from None
    return read


def addresses(name: str, *, folders: bool = False) -> list[str]:
    """Return http(s) addresses, and absolute paths of folders if they may be, with commas."""
    read = words(name, [])
    for each in read:
        fits = is_url(each, "http", "https") or (folders and each.startswith("/"))
        if not fits or len(each) > _LONGEST_ADDRESS:
            kinds = "absolute paths or http(s) addresses" if folders else "http(s) addresses"
            raise ImproperlyConfigured(f"{name} must be {kinds} of {_LONGEST_ADDRESS} characters")
    return read


def folder_with_room(name: str) -> str:
    """Return the path of a folder in which this process can write a megabyte; empty if unset.

    Without room there its counts would be shown to nobody.
    """
    folder = string(name, "")
    if folder:
        try:
            with TemporaryFile(dir=folder) as probe:
                probe.write(bytes(_ROOM_BYTES))
                probe.flush()
        except OSError as error:
            raise ImproperlyConfigured(
                f"{name} {folder} takes no megabyte of this process: {error.strerror}; make room"
                " there, or name a folder that this account can write"
            ) from error
    return folder


def host(name: str, *, port_needed: bool = False) -> str:
    """Return HOST:PORT, or only HOST if the port may be left out; empty if it is unset."""
    value = string(name, "")
    read = re.fullmatch(rf"{_HOST}(?::(\d{{1,5}}))?", value)
    port = read and read[1]
    if value and (not read or (port_needed and not port) or not 0 < int(port or 1) <= 65_535):
        form = "HOST:PORT (0.0.0.0:PORT or [::]:PORT for every address)"
        raise ImproperlyConfigured(f"{name} must be {form if port_needed else 'HOST or HOST:PORT'}")
    return value


def shaped(name: str, default: str, form: str, words_of_it: str) -> str:
    """Return a text of a form, which an error puts into words; `{host}` in it is a host's name.

    An http(s) address has a port that there is, if it has one.
    """
    value = string(name, default)
    is_address = value.startswith(("http:", "https:"))
    fits = re.fullmatch(form.replace("{host}", _HOST), value)
    if value and (not fits or (is_address and not is_url(value, "http", "https"))):
        raise ImproperlyConfigured(f"{name} must be {words_of_it}")
    return value


def is_url(url: str, *schemes: str) -> bool:
    """Return whether a text is a URL of one of the schemes that a client can reach."""
    try:
        parts = urlsplit(url)
        reachable = parts.hostname or parts.scheme in _WITHOUT_HOST
        port_fits = parts.port is None or parts.port > 0
    except ValueError:  # its words may show a password
        return False
    return bool(url.isascii() and parts.scheme in schemes and reachable and port_fits)
