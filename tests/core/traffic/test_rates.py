"""GCRA in memory: a burst, then a steady rate; all claims or none."""

import pytest

from core.traffic import rates
from core.traffic.rates import Claim, Memory, Rate, Refusal


def wait_s(memory: Memory, *claims: Claim) -> float:
    """Take, and return the time to wait, 0 for none."""
    refusal = memory.take(claims)
    return refusal.wait_s if refusal else 0


class Time:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 1000.0
        monkeypatch.setattr(rates.time, "monotonic", lambda: self.now_s)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def test_a_burst_then_a_steady_rate(time: Time) -> None:
    memory, claim = Memory(), Claim("a", Rate(per_s=2, burst=3))
    assert [wait_s(memory, claim) for _ in range(3)] == [0, 0, 0]
    assert wait_s(memory, claim) == pytest.approx(0.5)
    time.now_s += 0.5
    assert wait_s(memory, claim) == 0
    assert wait_s(memory, claim) == pytest.approx(0.5)
    time.now_s += 3600  # a long rest saves up one burst, no more
    assert [wait_s(memory, claim) > 0 for _ in range(4)] == [False, False, False, True]


def test_all_are_taken_or_none_and_the_longest_wait_is_told(time: Time) -> None:
    memory = Memory()
    narrow, wide = Claim("n", Rate(per_s=0.1, burst=1)), Claim("w", Rate(per_s=1, burst=2))
    assert wait_s(memory, narrow, wide) == 0
    assert memory.take([narrow, wide]) == Refusal("n", pytest.approx(10))
    assert wait_s(memory, wide) == 0  # the refusal took nothing of it
    assert wait_s(memory, wide) == pytest.approx(1)


def test_what_is_given_back_can_be_taken_again(time: Time) -> None:
    memory, claim = Memory(), Claim("a", Rate(per_s=1, burst=5), units=5)
    assert wait_s(memory, claim) == 0
    assert wait_s(memory, claim) > 0
    memory.give_back([claim, Claim("unknown", claim.rate)])
    assert wait_s(memory, claim) == 0


def test_keys_are_bounded_and_those_paid_for_are_forgotten_first(time: Time) -> None:
    memory = Memory(most=10)
    slow, quick = Rate(per_s=0.001, burst=1), Rate(per_s=100, burst=1)
    assert wait_s(memory, Claim("kept", slow)) == 0
    for number in range(100):
        wait_s(memory, Claim(f"q{number}", quick))
        time.now_s += 0.1
    assert wait_s(memory, Claim("kept", slow)) > 0
    assert len(memory._until_s) <= 11


def test_processes_share_a_rate() -> None:
    assert Rate(8, 4).shared_by(4) == Rate(2, 1)
    assert Rate(8, 2).shared_by(4) == Rate(2, 1)  # one at least, or nothing would ever pass
