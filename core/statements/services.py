"""Record rates and guarantee limits, issue weekly statements and settle them.

A statement is made once. The commission of its week is posted with it, from the organiser's
commission accounts. Its figures equal the ledger to the cent.
"""

import datetime
import uuid

from django.db import IntegrityError, transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import add_days, natural_day
from core.kernel.errors import Conflict, Invalid, InvariantBroken, NotFound
from core.kernel.money import parse_percent, percent_text
from core.ledger import services as ledger
from core.ledger.services import Line, premises_account
from core.payoffice import accounts
from core.premises.models import Game
from core.premises.services import premises_by_code, sales_hold
from core.staff.actor import StaffActor
from core.statements import powers, weeks
from core.statements.columns import COMMISSION_KIND, REMITTANCE_KIND, games
from core.statements.models import CommissionRate, GuaranteeLimit, Remittance, Statement
from core.statements.weeks import Week

MINUTE_CAP_CENTS = 1_000_00
"""The most that a terminal sells in a minute where its premises' limit does not say another."""
_NAMESPACE = uuid.UUID("2f0f9d3c-6a2e-4d0e-8f4b-2b9f5c9f7a11")


class RateRecorded(Conflict):
    code = "commission_rate_recorded"
    message = "There is already a rate from that day on; a change has a later day."


class RateTooLate(Conflict):
    code = "commission_rate_too_late"
    message = "A rate begins on a day that no statement covers yet."


class ReferenceMissing(Invalid):
    code = "reference_missing"
    message = "The reference of the contract, guarantee or bank movement is needed."


class LimitRefused(Invalid):
    code = "guarantee_limit_refused"
    message = "A limit and a cap are amounts, nothing or more, and begin now or later."


class StatementUnknown(NotFound):
    code = "statement_unknown"
    message = "There is no such statement."


class RemittanceRefused(Conflict):
    code = "remittance_refused"
    message = "More than the statement says is owed, or the other way round."


class RemittanceRecorded(Conflict):
    code = "remittance_recorded"
    message = "That bank movement is on record with other content."


class StatementUnsound(InvariantBroken):
    code = "statement_unsound"
    message = "A statement does not say what the ledger holds; nothing was kept."


def commission_rate_record(
    *,
    by: StaffActor,
    game: str,
    premises: str | None,
    percent: str,
    in_force_from: datetime.date,
    reference: str,
) -> CommissionRate:
    """Record the commission of premises (all, unless named) on a game's sales from a day on.

    Raises PremisesUnknown, BadPercent, ReferenceMissing, RateRecorded, or RateTooLate for a day
    that a statement already covers.
    """
    by.need(powers.SET_RATES)
    place = premises_by_code(premises) if premises else None
    exact = percent_text(parse_percent(percent))
    if not reference.strip():
        raise ReferenceMissing
    issued = Statement.objects.filter(week_to__gte=in_force_from)
    if (issued.filter(premises=place) if place else issued).exists():
        raise RateTooLate(in_force_from=in_force_from.isoformat())
    try:
        with transaction.atomic():
            return CommissionRate.objects.create(
                game=Game(game),
                premises=place,
                percent=exact,
                in_force_from=in_force_from,
                reference=reference,
                recorded_at=clock.now(),
                recorded_by_id=by.user_id,
            )
    except IntegrityError as error:
        raise RateRecorded(game=game, premises=premises) from error


@transaction.atomic
def guarantee_limit_set(
    *,
    by: StaffActor,
    premises: str,
    limit_cents: int,
    reference: str,
    in_force_from: datetime.datetime | None = None,
    minute_cap_cents: int = MINUTE_CAP_CENTS,
) -> GuaranteeLimit:
    """Set the largest debt of premises, and the most that each of their terminals sells a minute.

    It holds from an instant on, by default now. Sales in flight come before it; none after it goes
    beyond it. Raises PremisesUnknown, LimitRefused, ReferenceMissing.
    """
    by.need(powers.SET_GUARANTEE)
    now = sales_hold()
    begins = in_force_from or now
    if min(limit_cents, minute_cap_cents) < 0 or begins < now:
        raise LimitRefused(limit_cents=limit_cents, minute_cap_cents=minute_cap_cents)
    if not reference.strip():
        raise ReferenceMissing
    return GuaranteeLimit.objects.create(
        premises=premises_by_code(premises),
        limit_cents=limit_cents,
        minute_cap_cents=minute_cap_cents,
        in_force_from=begins,
        reference=reference,
        recorded_at=now,
        recorded_by_id=by.user_id,
    )


@transaction.atomic
def statements_issue(*, until: datetime.date) -> list[Statement]:
    """Issue every missing statement of the weeks that ended by that day. Each is made once."""
    hold((Lock.STATEMENT, 0))
    statements = []
    for sunday in weeks.due(until):
        week = weeks.week(sunday)
        issued = [_issue(week, premises_id) for premises_id in weeks.premises_of(week)]
        _check(sunday, issued)
        statements += issued
    return statements


def _issue(week: Week, premises_id: int) -> Statement:
    """Issue one statement and post its commission."""
    last = Statement.objects.filter(premises_id=premises_id).order_by("-number").first()
    figures = week.figures(premises_id)
    opening = last.closing_cents if last else 0
    first = add_days(week.sunday, -6)
    statement: Statement = Statement.objects.create(
        uuid=uuid.uuid5(_NAMESPACE, f"{premises_id} {first}"),
        premises_id=premises_id,
        number=last.number + 1 if last else 1,
        week_from=first,
        week_to=week.sunday,
        opening_cents=opening,
        closing_cents=opening + figures.total_cents,
        lines=figures.lines,
        commission=figures.commission,
        issued_at=clock.now(),
        **{f"{column}_cents": cents for column, cents in figures.columns.items()},
    )
    ledger.post(reference=statement.uuid, lines=commission_lines(premises_id, figures.earned))
    return statement


def _check(sunday: datetime.date, issued: list[Statement]) -> None:
    """Raise InvariantBroken unless every statement equals the ledger."""
    held = weeks.ledger_cents(sunday)
    for statement in issued:
        if held.get(statement.premises_id, 0) != statement.closing_cents:
            raise StatementUnsound(
                premises=statement.premises_id,
                held_cents=held.get(statement.premises_id, 0),
                expected_cents=statement.closing_cents,
            )


def commission_lines(premises_id: int, earned: dict[str, int]) -> list[Line]:
    """Return the transfers of a week's commission by game, from the organiser to the premises."""
    place = premises_account(premises_id)
    sources = {game.game: game.commission_from for game in games()}
    lines = []
    for name, cents in earned.items():
        debit, credit = (sources[name], place) if cents > 0 else (place, sources[name])
        lines.append(Line(COMMISSION_KIND, debit, credit, abs(cents)))
    return lines


def statement_get(ident: uuid.UUID) -> Statement:
    statement = Statement.objects.select_related("premises").filter(uuid=ident).first()
    if statement is None:
        raise StatementUnknown
    return statement


@transaction.atomic
def statement_settle(
    *,
    by: StaffActor,
    statement: uuid.UUID,
    amount_cents: int,
    paid_on: datetime.date,
    reference: str,
) -> Remittance:
    """Record a payment of a statement, full or partial. A negative one is paid to the premises.

    The same payment again returns the first row. Raises StatementUnknown, ReferenceMissing,
    RemittanceRefused (more than remains, or a future day), RemittanceRecorded.
    """
    by.need(powers.SETTLE)
    issued = statement_get(statement)
    if not reference.strip():
        raise ReferenceMissing
    hold((Lock.STATEMENT, issued.premises_id))
    recorded = Remittance.objects.filter(
        premises_id=issued.premises_id, reference=reference
    ).first()
    if recorded is not None:
        if (recorded.statement_id, recorded.amount_cents, recorded.paid_on) != (
            issued.pk,
            amount_cents,
            paid_on,
        ):
            raise RemittanceRecorded(reference=reference)
        return recorded
    left = outstanding_cents(issued)
    now = clock.now()
    fits = 0 < amount_cents <= left or left <= amount_cents < 0
    if not fits or paid_on > natural_day(now):
        raise RemittanceRefused(outstanding_cents=left, amount_cents=amount_cents)
    remittance = Remittance.objects.create(
        uuid=uuid.uuid4(),
        statement=issued,
        premises_id=issued.premises_id,
        amount_cents=amount_cents,
        paid_on=paid_on,
        reference=reference,
        recorded_at=now,
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
    )
    ledger.post(reference=remittance.uuid, lines=[remittance_line(remittance)])
    return remittance


def remittance_line(of: Remittance) -> Line:
    place = premises_account(of.premises_id)
    inwards = of.amount_cents > 0
    debit, credit = (accounts.treasury(), place) if inwards else (place, accounts.treasury())
    return Line(REMITTANCE_KIND, debit, credit, abs(of.amount_cents))


def outstanding_cents(statement: Statement) -> int:
    """Return the part of a statement that is not paid yet."""
    paid = statement.remittances.values_list("amount_cents", flat=True)
    return statement.closing_cents - sum(paid)
