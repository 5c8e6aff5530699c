"""Taking and being refused; the keys tell nobody who it is."""

from typing import Any

import pytest

from core.traffic import limits
from core.traffic.limits import Throttled, claim
from core.traffic.rates import Rate

RATE = Rate(per_s=0.01, burst=2)


def test_a_refusal_says_how_long_to_wait_in_whole_seconds() -> None:
    taken = claim("kind", "somebody", RATE)
    limits.take(taken)
    limits.take(taken)
    with pytest.raises(Throttled) as refusal:
        limits.take(taken)
    assert refusal.value.wait in (99, 100)
    assert refusal.value.transient
    limits.clear()
    limits.take(taken)


def test_who_was_just_refused_is_refused_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = claim("kind", "somebody", RATE, 2)
    limits.take(taken)
    with pytest.raises(Throttled):
        limits.take(taken)
    monkeypatch.setattr(limits, "store", None)
    with pytest.raises(Throttled):
        limits.take(taken)


def test_keys_are_few_and_depend_on_a_secret(settings: Any) -> None:
    first = claim("from", "192.0.2.1", RATE).key
    assert "192" not in first
    assert first == claim("from", "192.0.2.1", RATE).key != claim("to", "192.0.2.1", RATE).key
    settings.SECRET_KEY = "another" * 10
    assert claim("from", "192.0.2.1", RATE).key != first
