"""Read database URLs as libpq does, and complete them so that a lost server is noticed soon.

Unlike the readers of libraries this one refuses unknown options and never shows a password.
"""

import re
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# The options of libpq that a URL may have and for which Django has no setting of its own.
_LIBPQ_OPTIONS: Final = frozenset(
    {
        *("application_name", "channel_binding", "client_encoding", "connect_timeout"),
        *("gssencmode", "keepalives", "keepalives_count", "keepalives_idle"),
        *("keepalives_interval", "load_balance_hosts", "options", "passfile", "require_auth"),
        *("sslcert", "sslcrl", "sslkey", "sslmode", "sslnegotiation", "sslpassword"),
        *("sslrootcert", "target_session_attrs", "tcp_user_timeout"),
    }
)

PRIMARY: Final = "read-write"
"""The session is on the server that takes writes, whichever of the hosts that is."""
STANDBY: Final = "standby"

# A server whose network goes silent is given up after about five seconds, also in the middle of a
# statement. Without these the operating system waits for a quarter of an hour.
_DEFAULTS: Final = {
    "target_session_attrs": PRIMARY,
    "connect_timeout": "3",
    "keepalives": "1",
    "keepalives_idle": "3",
    "keepalives_interval": "1",
    "keepalives_count": "3",
    "tcp_user_timeout": "5000",
}

# The hosts of a URL are read here: `urlsplit` of patched Pythons takes brackets round only one.
_HOSTS: Final = re.compile(r"(?<=://)(?P<person>[^/?#]*@)?(?P<hosts>[^/?#]*)")

_READING: Final = " -c default_transaction_read_only=on"
_SESSION: Final = "-c lock_timeout=5000 -c idle_in_transaction_session_timeout=60000"
# After that time the caller has gone; nights, settlements and commands may take longer.
_ANSWERING: Final = dict.fromkeys(("web", "play", "live"), " -c statement_timeout=120000")
# The server ends a statement, however long, once its process has died, and frees its locks.
_WORKING: Final = " -c client_connection_check_interval=1000"


def connection_settings(url: str, process: str) -> dict[str, Any]:
    """Return Django's settings for a database URL, completed with our defaults.

    `process` is the kind of this process. The options of the URL are added to ours and prevail.
    Raises ImproperlyConfigured.
    """
    return _completed(database_settings(url), process, _DEFAULTS)


def standby_settings(url: str, process: str) -> dict[str, Any]:
    """Return the same for the server that is only read: a standby, unless the URL says another."""
    read = database_settings(url, "DATABASE_READ_URL")
    return _completed(read, process, _DEFAULTS | {"target_session_attrs": STANDBY}, _READING)


def _completed(
    read: dict[str, Any], process: str, defaults: dict[str, str], session: str = ""
) -> dict[str, Any]:
    options = defaults | {"application_name": f"lototrot {process}"} | read["OPTIONS"]
    option_texts = [
        _SESSION + _ANSWERING.get(process, _WORKING) + session,
        read["OPTIONS"].get("options", ""),
    ]
    options["options"] = " ".join(filter(None, option_texts))
    return read | {"OPTIONS": options}


def database_settings(url: str, variable: str = "DATABASE_URL") -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL URL in the form of libpq.

    `postgresql://user:password@host:port/name?option=value`, everything percent-encoded. A Unix
    socket's folder goes in the query: `postgresql://user:password@/name?host=%2Frun%2Fpg`.
    Several hosts are tried in order: `postgresql://user:password@one:5432,two:5432/name`.
    `variable` is the name that an error gives the URL; an error never shows the password. Raises
    ImproperlyConfigured.
    """
    authority = _HOSTS.search(url)
    try:
        parts = urlsplit(_HOSTS.sub(r"\g<person>", url, count=1))
    except ValueError:  # its words may show the password
        raise ImproperlyConfigured(f"{variable} is not a URL: percent-encode its parts.") from None
    try:
        host, port = _hosts(authority["hosts"] if authority else "")
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
        "ENGINE": "core.database.engine",
        "NAME": name,
        "USER": query.pop("user", unquote(parts.username or "")),
        "PASSWORD": query.pop("password", unquote(parts.password or "")),
        "HOST": query.pop("host", host),
        "PORT": query.pop("port", port),
        "OPTIONS": query,
    }


def _hosts(text: str) -> tuple[str, str]:
    """Return the hosts and their ports, each with commas, as libpq wants them. Raises ValueError.

    A host is as it is written: `hostname` would lower the case of a socket's folder.
    """
    places = [_place(each) for each in text.split(",")]
    ports = [port for _, port in places]
    return ",".join(host for host, _ in places), ",".join(ports) if any(ports) else ""


def _place(text: str) -> tuple[str, str]:
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _, port = text.partition(":")
    if port and not (port.isascii() and port.isdecimal() and 0 < int(port) < 1 << 16):
        raise ValueError("a port is a number up to 65535")
    return unquote(host), port


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
