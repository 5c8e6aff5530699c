"""Fail a test that takes longer than a minute.

The minute is one of the processor: of this process and of those that the test started and waited
for. The clock would blame a test for what the machine does beside it, and the whole must pass with
both processors busy. The longest test, a small season, used less than 30 s on the machine of 2026
(two hyperthreaded cores, both busy), so that a machine half as fast keeps the limit too. What a
test waits for without end is ended by `timeout` in pyproject.toml. Where that is 0, as in the runs
of `make season` and `make histories`, a test may take as long as it needs.
"""

import os
from collections.abc import Generator

import pytest

MOST_S = 60.0


def processor_s() -> float:
    """Return the seconds of processor that this process and its ended children have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def refuse_more(used_s: float) -> None:
    """Fail the test that runs if it has used more than the limit."""
    if used_s > MOST_S:
        message = f"it used {used_s:.0f} s of processor; {MOST_S:.0f} s are allowed"
        pytest.fail(message, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Measure the test alone, without what is made before and undone after it: several tests share
    that.
    """
    began = processor_s()
    answer = yield
    if float(item.config.getini("timeout")):
        refuse_more(processor_s() - began)
    return answer
