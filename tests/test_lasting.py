"""Check that a test fails for the processor that it uses, and for nothing else that it does."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.running import lasting
from tests.support.running.lasting import MOST_S, processor_s, refuse_more


def test_a_test_that_uses_more_than_the_limit_fails() -> None:
    refuse_more(MOST_S)
    with pytest.raises(pytest.fail.Exception, match="used 61 s of processor; 60 s are allowed"):
        refuse_more(61)


def test_processes_that_ended_are_counted_and_waiting_is_not() -> None:
    began = processor_s()
    subprocess.run([sys.executable, "-c", "import time; time.sleep(0.5)"], check=True)
    waited = processor_s() - began
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    used = processor_s() - began - waited
    assert 0.4 < used < 5 and waited < 0.4  # two accounts of one time, each rounded


@pytest.mark.parametrize("timeout, fails", [("600", True), ("0", False)])
def test_a_run_without_a_timeout_has_no_limit(
    monkeypatch: pytest.MonkeyPatch, timeout: str, fails: bool
) -> None:
    """A season of 150 meetings failed after it had been played."""
    monkeypatch.setattr(lasting, "MOST_S", -1.0)
    item: Any = SimpleNamespace(config=SimpleNamespace(getini={"timeout": timeout}.__getitem__))
    call = lasting.pytest_runtest_call(item)
    next(call)
    with pytest.raises(pytest.fail.Exception if fails else StopIteration):
        call.send(None)
