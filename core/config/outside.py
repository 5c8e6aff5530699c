"""Tell whether an address is on another host, as far as its text says. No name is resolved."""

import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit


def on_another_host(address: str, ours: Collection[str]) -> bool:
    """Return whether an HTTP address names a host that is neither this machine nor one of `ours`.

    A folder is on this machine, whatever is mounted there. A name that other means lead back here
    (a hosts file, a tunnel) is not seen: the person who runs the system must know that.
    """
    host = (urlsplit(address).hostname or "").rstrip(".").lower()
    if not host or host in {name.lower() for name in ours}:
        return False
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        names = {"localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
        return host not in names and not host.endswith(".localhost")
    if number.is_loopback or number.is_unspecified or number.is_link_local:
        return False
    return not _is_of_this_machine(number)


def _is_of_this_machine(number: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether the way to that address begins at the same address. Nothing is sent."""
    family = socket.AF_INET if number.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((str(number), 9))
            return ipaddress.ip_address(way.getsockname()[0]) == number
    except OSError:
        return False
