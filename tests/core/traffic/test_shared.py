"""Counting together in the broker, and alone while it is away."""

import time
from collections.abc import Iterator

import pytest
import redis

from core.tools.embedded.valkey import Valkey
from core.traffic.rates import Claim, Rate, Refusal
from core.traffic.shared import MEMORY, Shared, client_url

RATE = Rate(per_s=0.01, burst=4)


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    server = Valkey(tmp_path_factory.mktemp("store") / "valkey")
    with server:
        yield server
    server.destroy()


@pytest.mark.servers
def test_processes_count_together(valkey: Valkey) -> None:
    one, two = (Shared(valkey.url, processes=4) for _ in range(2))
    claims = [Claim("together", RATE), Claim("more", Rate(per_s=0.01, burst=100))]
    assert [one.take(claims), two.take(claims), one.take(claims), two.take(claims)] == [None] * 4
    assert one.take(claims) == Refusal("together", pytest.approx(70, abs=30))
    two.give_back(claims)
    assert one.take(claims) is None
    assert two.take(claims) is not None
    # The refusals took nothing of the other.
    assert two.take([Claim("more", Rate(per_s=0.01, burst=100), 96)]) is None
    assert two.take([Claim("more", Rate(per_s=0.01, burst=100))]) is not None
    again = Claim("quick", Rate(per_s=1000, burst=1))
    assert one.take([again]) is None
    time.sleep(0.05)
    assert one._client is not None
    assert not one._client.exists("limits:quick")  # nothing stays in the store


def test_without_the_store_each_process_counts_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    away = Shared("redis://127.0.0.1:1/0", processes=4)
    claim = Claim("alone", RATE)
    assert away.take([claim]) is None
    assert away.take([claim]) is not None
    # It is not asked again for a while.
    monkeypatch.delattr(away, "_take")
    monkeypatch.delattr(away, "_give_back")
    away.give_back([claim])
    assert away.take([claim]) is None


@pytest.mark.servers
def test_a_store_that_comes_back_is_used_again(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Shared(valkey.url, processes=1)
    store._lost(redis.ConnectionError())
    claim = Claim("back", Rate(per_s=0.01, burst=1))
    assert store.take([claim]) is None
    monkeypatch.setattr(store, "_away_until_s", 0.0)
    assert store.take([claim]) is None
    assert store.take([claim]) is not None


def test_without_any_store_all_of_the_rate_is_this_processs() -> None:
    alone = Shared(MEMORY, processes=4)
    assert [alone.take([Claim("a", RATE)]) is None for _ in range(5)] == [*[True] * 4, False]
    alone.clear()
    assert alone.take([Claim("a", RATE)]) is None


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("redis://:secret@host:6379/0", "redis://:secret@host:6379/0"),
        ("redis+socket://%2Frun%2Fv.sock?virtual_host=2", "unix:///run/v.sock?db=2"),
        ("redis+socket:///run/v.sock", "unix:///run/v.sock?db=0"),
    ],
)
def test_urls_of_the_broker_are_read(url: str, read: str) -> None:
    assert client_url(url) == read
