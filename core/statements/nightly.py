"""List the nightly jobs of running accounts: a mark each night, statements on Mondays, their
audit.
"""

import datetime

from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from core.kernel.days import add_days
from core.kernel.errors import InvariantBroken
from core.nights.jobs import Job, Outcome, sundays
from core.nights.turns import counted, recent, turn_of
from core.statements import left, services, weeks
from core.statements.balances import mark_differences, mark_make
from core.statements.models import Statement

AUDIT = "statements.audit"


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
    """Check marks against their transfers, statements against their weeks and the ledger.

    Each night checks those of the last weeks and of one older period (`core.nights.turns`). A
    statement continues the one before and a mark the mark before, so each proves the ones before.
    """
    by_week = Statement.objects.order_by("week_to")  # an index has the first
    begun = by_week.values_list("week_from", flat=True).first()
    turn = turn_of(AUDIT, day, since=begun)
    wrong = mark_differences(recent(day))
    checked, unsound = _statements_wrong(recent(day), datetime.date.max)
    if turn is not None:
        wrong += mark_differences(turn.first, turn.last)
        checked_again, unsound_again = _statements_wrong(turn.first, turn.last)
        checked, unsound = checked + checked_again, unsound + unsound_again
    wrong += unsound
    if wrong:
        raise AccountsUnsound(found=wrong[:20], differences=len(wrong))
    return Outcome({"statements": checked} | counted(turn))


def audit_everything() -> Outcome:
    """Check every mark and every statement."""
    checked, wrong = _statements_wrong(datetime.date.min, datetime.date.max)
    wrong += mark_differences(datetime.date(1970, 1, 1))
    if wrong:
        raise AccountsUnsound(found=wrong[:20], differences=len(wrong))
    return Outcome({"statements": checked})


def _statements_wrong(
    first: datetime.date, last: datetime.date
) -> tuple[int, list[dict[str, int]]]:
    """Return how many statements end on those days, and those that are wrong.

    Of a week whose transfers have left, only that each statement continues the one before; or the
    balance with which the last one left.
    """
    gone = left.closings_left()
    newest = Statement.objects.aggregate(last=Max("week_to"))["last"]
    of_days = Statement.objects.filter(week_to__gte=first, week_to__lte=last)
    checked, wrong = 0, []
    for sunday in of_days.order_by("week_to").values_list("week_to", flat=True).distinct():
        week = None if weeks.is_archived(sunday) else weeks.week(sunday)
        held = weeks.ledger_cents(sunday) if week and sunday == newest else {}
        before = _closings(add_days(sunday, -7))
        for statement in Statement.objects.filter(week_to=sunday):
            checked += 1
            place = statement.premises_id
            opening_cents = before.get(place)
            if opening_cents is None:
                opening_cents = _opening(statement, *gone.get(place, (0, 0)))
            held_cents = held.get(place, 0) if held else statement.closing_cents
            if not _is_right(statement, opening_cents, week, held_cents):
                wrong.append({"premises": place, "statement": statement.number})
    return checked, wrong


def _is_right(
    statement: Statement, opening_cents: int, week: weeks.Week | None, held_cents: int
) -> bool:
    """Return whether a statement goes from that opening to what is held, by its week's movements.

    Without `week`, whose movements have left, only whether it begins with the opening.
    """
    if statement.opening_cents != opening_cents:
        return False
    if week is None:
        return True
    counted_cents = opening_cents + week.figures(statement.premises_id).total_cents
    return counted_cents == statement.closing_cents == held_cents


def _opening(statement: Statement, last_left: int, closing_cents: int) -> int:
    """Return the balance that a statement brings forward, without the one before it.

    Of one behind an older one that left, nobody knows it but the archive: it is as stated.
    """
    if statement.number <= last_left:
        return statement.opening_cents
    return closing_cents if statement.number == last_left + 1 else 0


def _closings(sunday: datetime.date) -> dict[int, int]:
    """Return the balances of the statements of a week by premises id."""
    issued = Statement.objects.filter(week_to=sunday)
    return dict(issued.values_list("premises_id", "closing_cents"))


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
        name=AUDIT,
        title=_("Audit of premises' accounts"),
        order=90,
        run=audit,
        everything=audit_everything,
        recounts=True,
    ),
)
