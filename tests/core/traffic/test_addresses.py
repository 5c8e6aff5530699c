"""Whose address counts: the peer's, or the one that a proxy of ours wrote."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.traffic import addresses
from core.traffic.addresses import UNKNOWN, address_of


@pytest.fixture(autouse=True)
def _proxies(settings: Any) -> Iterator[None]:
    settings.TRUSTED_PROXIES = ["127.0.0.1", "10.1.0.0/16"]
    addresses._is_proxy.cache_clear()
    yield
    addresses._is_proxy.cache_clear()


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.5", None, "203.0.113.5"),
        ("203.0.113.5", "192.0.2.1", "203.0.113.5"),  # a client's own word
        ("127.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("10.1.2.3", "192.0.2.1", "192.0.2.1"),
        ("10.2.2.3", "192.0.2.1", "10.2.2.3"),
        ("127.0.0.1", "6.6.6.6, 192.0.2.1", "192.0.2.1"),  # the first is a client's own word
        ("127.0.0.1", None, "127.0.0.1"),
        ("127.0.0.1", "nonsense", UNKNOWN),
        ("", None, UNKNOWN),
        ("2001:db8:1:2:aaaa::1", None, "2001:db8:1:2::/64"),
        ("127.0.0.1", "2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.5", None, "203.0.113.5"),
    ],
)
def test_the_address_that_counts(peer: str, forwarded: str | None, address: str) -> None:
    meta = {"REMOTE_ADDR": peer} | ({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {})
    assert address_of(meta) == address
