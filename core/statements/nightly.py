"""List the nightly jobs of running accounts: a mark each night, statements on Mondays, their
audit.
"""

import datetime

from django.utils.translation import gettext_lazy as _

from core.kernel.errors import InvariantBroken
from core.nights.jobs import Job, Outcome, sundays
from core.statements import services, weeks
from core.statements.balances import mark_differences, mark_make
from core.statements.models import Statement


class AccountsUnsound(InvariantBroken):
    code = "accounts_unsound"
    message = "Marks or statements of premises do not agree with the ledger."


def mark(day: datetime.date) -> Outcome:
    mark, balances = mark_make()
    return Outcome({"up_to": mark.up_to, "balances": balances})


def issue(day: datetime.date) -> Outcome:
    issued = services.statements_issue(until=day)
    return Outcome(
        {
            "statements": len(issued),
            "commission_cents": -sum(statement.commission_cents for statement in issued),
            "closing_cents": sum(statement.closing_cents for statement in issued),
        }
    )


def audit(day: datetime.date) -> Outcome:
    """Check every mark against its transfers, every statement against its week, and the last
    against all.

    Each statement continues the one before, so the balance of the last one proves all of them.
    """
    wrong = mark_differences()
    sundays_issued = Statement.objects.order_by("week_to").values_list("week_to", flat=True)
    checked = 0
    for sunday in sundays_issued.distinct():
        week = weeks.week(sunday)
        held = weeks.ledger_cents(sunday) if sunday == sundays_issued.last() else {}
        for statement in Statement.objects.filter(week_to=sunday):
            checked += 1
            adds = week.figures(statement.premises_id).total_cents
            holds = held.get(statement.premises_id, 0) if held else statement.closing_cents
            closing_cents = statement.closing_cents
            if (statement.opening_cents + adds, holds) != (closing_cents, closing_cents):
                wrong.append({"premises": statement.premises_id, "statement": statement.number})
    if wrong:
        raise AccountsUnsound(found=wrong[:20], differences=len(wrong))
    return Outcome({"statements": checked})


JOBS: tuple[Job, ...] = (
    Job(name="statements.mark", title=_("Balances up to now"), order=5, run=mark),
    Job(
        name="statements.issue",
        title=_("Statements of premises"),
        order=50,
        run=issue,
        on=sundays,
    ),
    Job(
        name="statements.audit",
        title=_("Audit of premises' accounts"),
        order=90,
        run=audit,
        recounts=True,
    ),
)
