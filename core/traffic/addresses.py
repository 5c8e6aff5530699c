"""Tell from which address a request comes. Only the proxy's X-Forwarded-For is believed."""

import functools
import ipaddress
from collections.abc import Mapping
from typing import Any

from django.conf import settings

UNKNOWN = "unknown"
_PREFIX_V6 = 64  # what one subscriber is given: its addresses count as one


def address_of(meta: Mapping[str, Any]) -> str:
    """Return the address of the client: an IPv4 address, or the /64 network of an IPv6 one.

    Of several in X-Forwarded-For the last counts, which the proxy wrote; a client may have sent
    the others.
    """
    peer = str(meta.get("REMOTE_ADDR") or "")
    if _is_proxy(peer):
        peer = str(meta.get("HTTP_X_FORWARDED_FOR") or peer).rpartition(",")[2].strip()
    return _network(peer)


@functools.lru_cache(maxsize=4096)
def _network(text: str) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return UNKNOWN
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, _PREFIX_V6), strict=False))
    return str(address)


@functools.lru_cache(maxsize=256)
def _is_proxy(peer: str) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(net) for net in settings.TRUSTED_PROXIES)
