"""Readings of a day, a shift or a night cost the same after a longer history."""

import datetime
from collections.abc import Callable
from typing import Any

from core.database import clock
from core.database.clock import row_uuid
from core.journal.acting import name_process
from core.journal.selectors import acts
from core.kernel.days import add_days, day_bounds, natural_day
from core.nights import jobs
from core.nights.models import JobRun
from core.payoffice.models import Payment
from core.premises.access import TerminalActor
from core.reports import tables
from core.reports.parts import Span, day_parts
from core.reports.tables import Period
from core.staff.powers import Role
from core.statements.cash_ups import cash_up_close, drawer
from lototrot.selectors.selling import terminal_totals, tickets_of_terminal
from promotrot.selectors.counter import terminal_day
from tests.support import factories
from tests.support.databases import Database
from tests.support.history import weeks
from tests.support.history.reading import rows_read, tell_planner

GROWING = (
    *("lototrot_ticket", "promotrot_playticket", "promotrot_playend", "promotrot_playact"),
    *("promotrot_voucher", "payoffice_claim", "payoffice_payment", "ledger_transfer"),
    "journal_act",
)
NIGHTLY = (
    *("promotrot.unfinished", "promotrot.secrets", "lototrot.prints", "payoffice.looked_up"),
    *("lototrot.code_again", "promotrot.code_again"),
)


def _days() -> tuple[datetime.date, datetime.date]:
    """Return the days of the newest week: a Saturday of sales, a Sunday of payments."""
    today = natural_day(clock.now())
    return add_days(today, -1), today


def _report(name: str) -> Callable[[], Any]:
    def read() -> Any:
        return list(tables.table(tables.report_named(name), Period(*_days())).rows)

    return read


def _events(app: str) -> Callable[[], Any]:
    (part,) = (part for part in day_parts() if part.name == app)

    def read() -> Any:
        for span in map(Span.of, _days()):
            list(part.events(span))
            list(part.figures(span))

    return read


def _actor(payment: Payment | None = None) -> TerminalActor:
    """Return who paid, or who sold and paid last."""
    by = payment or Payment.objects.order_by("-pk")[0]
    return TerminalActor(by.terminal_id, by.premises_id, "", by.operator_id, 0)


def _shifts_closed() -> None:
    """Close the shift of each operator: one that is never closed begins with the first sign-on."""
    for by in map(_actor, Payment.objects.order_by("operator").distinct("operator")):
        cents = drawer(by=by).expected_cents
        cash_up_close(
            by=by,
            ident=row_uuid(clock.now()),
            expected_cents=cents,
            float_cents=0,
            counted_cents=cents,
        )


def _terminal_totals() -> None:
    for day in _days():
        terminal_totals(terminal_id=_actor().terminal_id, day=day)
        terminal_day(terminal_id=_actor().terminal_id, day=day)
        list(tickets_of_terminal(_actor().terminal_id, day=day))


def _night_done() -> None:
    """Do the jobs of the night of Saturday; that of Sunday is then read."""
    saturday = _days()[0]
    for job in jobs.all_jobs():
        if job.name in NIGHTLY:
            outcome, now = job.run(saturday), clock.now()
            JobRun.objects.create(
                job=job.name,
                day=saturday,
                state="done",
                started_at=now,
                ended_at=now,
                counts=outcome.counts,
                listed=outcome.listed,
            )


def _job(name: str) -> Callable[[], Any]:
    (job,) = (job for job in jobs.all_jobs() if job.name == name)
    return lambda: job.run(_days()[1])


def _acts() -> None:
    since, until = (day_bounds(day)[0] for day in _days())
    by = factories.staff(Role.AUDITOR)
    assert list(acts(by=by, name="lototrot.sale", since=since, until=until))


READINGS: dict[str, Callable[[], Any]] = {
    "acts of a day": _acts,
    **{name: _report(name) for name in ("sales-by-day", "prizes-won", "payments")},
    "terminal's totals": _terminal_totals,
    "operator's drawer": lambda: drawer(by=_actor()),
    **{name: _job(name) for name in NIGHTLY},
    **{f"events of {app}": _events(app) for app in ("lototrot", "promotrot", "payoffice")},
}


def test_what_is_read_does_not_grow_with_the_history(own_database: Database) -> None:
    name_process("tests")
    past = weeks.begin(premises=3, tickets=40, plays=10)
    counts = []
    for more in (2, 5):
        past.grow(more - 1)
        _shifts_closed()
        past.grow(1)
        _night_done()
        tell_planner()
        counts.append({name: rows_read(read, GROWING) for name, read in READINGS.items()})
    grown = {
        name: (counts[0][name], counts[1][name])
        for name in READINGS
        if counts[1][name] > 1.5 * counts[0][name] + 40
    }
    assert not grown, counts
