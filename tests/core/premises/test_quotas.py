"""A terminal, stolen or not, writes only so much that nobody pays for."""

import pytest

from core.premises import quotas
from core.premises.models import BurntRequest
from core.premises.requests import new_uuid
from core.traffic.limits import Throttled, place_of
from core.traffic.rates import Rate
from tests.support import factories
from tests.support.api import refused, terminal_api


@pytest.fixture(autouse=True)
def _little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "WRITES", Rate(per_s=3 / 3600, burst=3))


@pytest.mark.django_db
def test_a_terminal_burns_no_more_requests_than_its_quota() -> None:
    stolen, other = factories.point(), factories.point()
    inquiry = "lototrot/tickets/{}/inquiry"
    for _ in range(3):
        assert terminal_api(stolen).post(inquiry.format(new_uuid())).status_code == 200
    for _ in range(3):
        refused(terminal_api(stolen).post(inquiry.format(new_uuid())), 429, "throttled")
    assert BurntRequest.objects.count() == 3
    assert terminal_api(other).post(inquiry.format(new_uuid())).status_code == 200
    contest = factories.contest()
    assert factories.sell(contest, stolen).outcome == "sold"
    assert terminal_api(stolen).get("terminal").status_code == 200


@pytest.mark.django_db
def test_a_terminal_that_reads_all_the_time_leaves_room_for_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is answered by the processes that sell, also in the last minute before a start."""
    monkeypatch.setattr(quotas, "READS", Rate(per_s=3 / 3600, burst=3))
    stolen, other, contest = factories.point(), factories.point(), factories.contest()
    for _ in range(3):
        assert terminal_api(stolen).get("lototrot/terminal/tickets").status_code == 200
    for path in ("lototrot/terminal/tickets", "terminal", "lototrot/terminal/totals"):
        refused(terminal_api(stolen).get(path), 429, "throttled")
    assert terminal_api(other).get("lototrot/terminal/tickets").status_code == 200
    assert factories.sell(contest, stolen).outcome == "sold"


def test_a_large_body_takes_more_of_it() -> None:
    quotas.writes_take(terminal_id=1, body_bytes=quotas.UNIT_BYTES)
    with pytest.raises(Throttled):
        quotas.writes_take(terminal_id=1, body_bytes=quotas.UNIT_BYTES)
    quotas.writes_take(terminal_id=2, body_bytes=0)


def test_no_terminal_takes_what_another_may_read_or_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers share places in the store; a terminal that took another's could stop its sales."""
    monkeypatch.setattr(quotas, "READS", Rate(per_s=3 / 3600, burst=1))
    monkeypatch.setattr(quotas, "WRITES", Rate(per_s=3 / 3600, burst=1))
    for kind, take in (("reads", quotas.reads_take), ("writes", _write)):
        seen: dict[str, int] = {}
        for other in range(1, 100_000):
            first = seen.setdefault(place_of(f"terminal-{kind}", str(other)), other)
            if first != other:
                break
        take(terminal_id=first)
        with pytest.raises(Throttled):
            take(terminal_id=first)
        take(terminal_id=other)


def _write(*, terminal_id: int) -> None:
    quotas.writes_take(terminal_id=terminal_id, body_bytes=0)
