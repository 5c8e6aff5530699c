"""Few hashes at once, strangers apart from who is known, and none for nobody."""

import threading
from collections.abc import Iterator

import pytest
from django.contrib.auth.hashers import make_password

from core.traffic import hashing
from core.traffic.limits import Throttled


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    hashing._durations_s.clear()
    yield
    hashing._durations_s.clear()


def test_a_secret_is_compared_with_its_hash() -> None:
    encoded = make_password("correct horse battery")
    assert hashing.is_right("correct horse battery", encoded, is_known=False)
    assert not hashing.is_right("another", encoded, is_known=True)
    assert len(hashing._durations_s) == 2


def test_nobody_costs_no_hash_and_as_much_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not hashing.is_right("a", None, is_known=False)  # the first teaches how long it takes
    slept: list[float] = []
    monkeypatch.setattr(hashing.time, "sleep", slept.append)
    monkeypatch.delattr(hashing, "make_password")
    monkeypatch.delattr(hashing, "check_password")
    assert not hashing.is_right("a", None, is_known=False)
    assert slept == list(hashing._durations_s)


def test_strangers_share_one_place_and_keep_nobody_waiting_who_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hashing, "_WAIT_STRANGER_S", 0.01)
    encoded = make_password("right")
    entered, leave = threading.Event(), threading.Event()

    def slow(secret: str, encoded: str) -> bool:
        entered.set()
        return leave.wait(60)

    with monkeypatch.context() as patched:
        patched.setattr(hashing, "check_password", slow)
        first = threading.Thread(
            target=hashing.is_right, args=("a", encoded), kwargs={"is_known": False}
        )
        first.start()
        assert entered.wait(60)
        with pytest.raises(Throttled):
            hashing.is_right("right", encoded, is_known=False)
        with pytest.raises(Throttled):
            hashing.is_right("right", None, is_known=False)
        patched.undo()
        assert hashing.is_right("right", encoded, is_known=True)
        leave.set()
        first.join()
    assert hashing.is_right("right", encoded, is_known=False)
