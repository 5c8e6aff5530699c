"""Give the running accounts' part of a day file: payments of statements, and stated commission.

A statement is about a week. Its day does not show the sales of that week, so the file states the
commission and a replay does not compute it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Model

from core.reports.parts import Event, Part, Span, post
from core.statements import commission, postings
from core.statements.models import Remittance, Statement


def events(span: Span) -> Iterator[Event]:
    for remittance in Remittance.objects.filter(
        recorded_at__gte=span.since, recorded_at__lt=span.until
    ):
        yield Event(remittance.recorded_at, "statements.remittance", remittance)
    issued = Statement.objects.filter(issued_at__gte=span.since, issued_at__lt=span.until)
    for statement in issued.order_by("pk"):
        yield Event(statement.issued_at, "statements.statement", statement)


def _issued(row: Any, data: Mapping[str, Any]) -> None:
    earned = commission.stated(row)
    post("statements.statement", row, postings.commission(row.premises_id, earned))


def _remitted(row: Any, data: Mapping[str, Any]) -> None:
    post("statements.remittance", row, [postings.remittance(row.premises_id, row.amount_cents)])


def nothing_before(span: Span) -> Iterator[Model]:
    """Return no earlier rows. Premises and statements come with the events that name them."""
    return iter(())


def figures(span: Span) -> Iterator[tuple[str, Any]]:
    issued = Statement.objects.filter(issued_at__gte=span.since, issued_at__lt=span.until)
    for statement in issued.order_by("premises", "number"):
        yield f"statement {statement.premises_id}.{statement.number}", statement.closing_cents


DAY_PARTS: tuple[Part, ...] = (
    Part(
        name="statements",
        context=nothing_before,
        events=events,
        figures=figures,
        replays={"statements.statement": _issued, "statements.remittance": _remitted},
    ),
)
