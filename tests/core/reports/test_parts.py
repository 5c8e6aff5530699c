"""Collect the parts of a day file, and post the transfers of a replayed row."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest

from core.contributions import ContributedTwice
from core.ledger.models import Transfer
from core.ledger.services import Line, asset, liability
from core.reports import parts
from core.reports.parts import Part, Span
from tests.support import factories
from tests.support.contributing import contributed


def _none(span: Span) -> Iterator[Any]:
    yield from ()


def part(name: str, **replays: Any) -> Part:
    return Part(name=name, context=_none, events=_none, figures=_none, replays=replays)


def test_a_span_is_a_natural_day_of_madrid() -> None:
    span = Span.of(date(2030, 7, 1))
    assert span.since == datetime(2030, 6, 30, 22, tzinfo=UTC)
    assert span.until == datetime(2030, 7, 1, 22, tzinfo=UTC)


def test_every_app_contributes_its_events_once() -> None:
    names = [part.name for part in parts.day_parts()]
    assert {"lototrot", "promotrot"} <= set(names)
    kinds = [kind for part in parts.day_parts() for kind in part.replays]
    assert len(kinds) == len(set(kinds))
    with (
        contributed("day_parts", "DAY_PARTS", [part("a")], [part("a")]),
        pytest.raises(ContributedTwice),
    ):
        parts.day_parts()


def test_an_event_is_replayed_by_its_part_or_inserted_only() -> None:
    def run(row: Any, data: Any) -> None:
        raise AssertionError("it is found, not run")

    with contributed("day_parts", "DAY_PARTS", [part("a", sale=run)]):
        assert parts.replay_of("sale") is run
        assert parts.replay_of("other") is None


@pytest.mark.django_db
def test_a_row_is_posted_under_a_reference_of_its_own() -> None:
    row, account = factories.premises(), asset("treasury")
    line = Line("test.sale", account, liability("test"), 5)
    parts.post("sale", row, [line])
    parts.post("other", row, [line])
    assert parts.balance_cents(account) == 10
    assert Transfer.objects.values("reference").distinct().count() == 2
