"""Read typed values from the environment. An error names the variable.

A blank variable counts as unset. Without a default, a variable is required: every function here
raises ImproperlyConfigured if it is unset or malformed.

This stays a module because most of it is the reader of database URLs, which refuses unknown options
and never shows a password; a library for the other readers would not make it smaller.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})

# What libpq reads from a connection URI and Django has no setting of its own for.
_LIBPQ_OPTIONS: Final = frozenset(
    {
        *("application_name", "channel_binding", "client_encoding", "connect_timeout"),
        *("gssencmode", "keepalives", "keepalives_count", "keepalives_idle"),
        *("keepalives_interval", "options", "passfile", "require_auth", "sslcert", "sslcrl"),
        *("sslkey", "sslmode", "sslnegotiation", "sslpassword", "sslrootcert"),
        *("target_session_attrs", "tcp_user_timeout"),
    }
)


def _read(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def _missing(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is not set, and it has no default.")


def secret(name: str, default: str = "") -> str:
    """Return a secret: `$NAME`, or the content of the file that `$NAME_FILE` names.

    No error shows a part of it. Raises ImproperlyConfigured if both are given, or the file cannot
    be read.
    """
    given, file = _read(name), _read(f"{name}_FILE")
    if not file:
        return given or default
    if given:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both given; one is enough")
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
    """Return a truth value: 1, true, yes, on or 0, false, no, off, in any case."""
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


def database_settings(url: str, variable: str = "DATABASE_URL") -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL URL in the form of libpq.

    `postgresql://user:password@host:port/name?option=value`, everything percent-encoded. A Unix
    socket's folder goes in the query: `postgresql://user:password@/name?host=%2Frun%2Fpg`.
    `variable` is the name that an error gives the URL; an error never shows the password. Raises
    ImproperlyConfigured.
    """
    try:
        parts = urlsplit(url)
        port = str(parts.port or "")
        host = _host(parts)
    except ValueError as error:
        raise ImproperlyConfigured(f"{variable} is not a URL: {error}.") from None
    if parts.scheme not in {"postgresql", "postgres"}:
        raise ImproperlyConfigured(
            f"{variable} must start with postgresql://, not {parts.scheme or 'nothing'}://."
        )
    name = unquote(parts.path.removeprefix("/"))
    if not name:
        raise ImproperlyConfigured(f"{variable} names no database.")
    query = _query(parts, variable)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": query.pop("user", unquote(parts.username or "")),
        "PASSWORD": query.pop("password", unquote(parts.password or "")),
        "HOST": query.pop("host", host),
        "PORT": query.pop("port", port),
        "OPTIONS": query,
    }


def _host(parts: SplitResult) -> str:
    """Return the host as it is written: `hostname` would lower the case of a socket's folder."""
    host = parts.netloc.rpartition("@")[2]
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return unquote(host.partition(":")[0])


def _query(parts: SplitResult, variable: str) -> dict[str, str]:
    if parts.fragment:
        raise ImproperlyConfigured(f"{variable} has a '#': percent-encode it as %23.")
    try:
        pairs = parse_qsl(parts.query, strict_parsing=bool(parts.query), keep_blank_values=True)
    except ValueError:
        raise ImproperlyConfigured(f"{variable}: its query is not name=value pairs.") from None
    query = dict(pairs)
    unknown = sorted(set(query) - _LIBPQ_OPTIONS - {"user", "password", "host", "port"})
    if unknown or len(query) != len(pairs):
        which = ", ".join(unknown) or "repeated names"
        raise ImproperlyConfigured(f"{variable}: unknown options in its query: {which}.")
    return query
