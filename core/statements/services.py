"""Record rates of commission, issue weekly statements and settle them.

A statement is made once, and the commission of its week with it. It equals the ledger to the cent.
"""

import dataclasses
import datetime
import uuid
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from core.database import clock
from core.database.locks import MOVEMENTS, Lock, hold
from core.kernel.days import add_days, natural_day
from core.kernel.errors import Conflict, Invalid, InvariantBroken
from core.kernel.money import parse_percent, percent_text
from core.kernel.texts import one_line
from core.ledger import services as ledger
from core.payoffice.models import ChequeRecovery
from core.premises.models import Game, Premises
from core.premises.services import premises_by_code
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.statements import left, postings, powers, weeks
from core.statements.balances import alone_cents, outstanding_cents
from core.statements.left import StatementUnknown
from core.statements.models import CommissionRate, Remittance, Statement
from core.statements.weeks import Figures, Week


class RateRecorded(Conflict):
    code = "commission_rate_recorded"
    message = "A rate already begins on that day. Give the change a later day."


class RateTooLate(Conflict):
    code = "commission_rate_too_late"
    message = "A rate begins on a day that no statement covers yet."


class ReferenceMissing(Invalid):
    code = "reference_missing"
    message = "The reference of the contract, guarantee or bank movement is needed."


class RemittanceRefused(Conflict):
    code = "remittance_refused"
    message = (
        "The payment is zero, in the wrong direction, more than is still owed, or of a day to come."
    )


class RemittanceRecorded(Conflict):
    code = "remittance_recorded"
    message = (
        "That bank movement is on record with other content, as given back of a cheque, or for"
        " other premises since this was proposed."
    )


class StatementUnsound(InvariantBroken):
    code = "statement_unsound"
    message = "A statement does not say what the ledger holds; nothing was kept."


def commission_rate_propose(
    *,
    by: StaffActor,
    game: str,
    premises: str | None,
    percent: str,
    in_force_from: datetime.date,
    reference: str,
) -> Proposal:
    """Propose the commission of premises (all, unless named) on a game's sales from a day on.

    Another person confirms it. Raises PremisesUnknown, BadPercent, ReferenceMissing, RateRecorded,
    ProposalPending, or RateTooLate for a day that a statement already covers.
    """
    by.need(powers.SET_RATES)
    place = premises_by_code(premises) if premises else None
    exact = percent_text(parse_percent(percent))
    if not reference.strip():
        raise ReferenceMissing
    _need_later(place, in_force_from)
    same = CommissionRate.objects.filter(game=game, premises=place, in_force_from=in_force_from)
    if same.exists():
        raise RateRecorded(game=game, premises=premises)
    return two_persons.propose(
        kind=RATE,
        subject=f"commission:{game}:{premises or ''}",
        by=by,
        content={
            "game": Game(game).value,
            "premises": premises,
            "percent": exact,
            "in_force_from": in_force_from.isoformat(),
            "reference": reference,
        },
    )


def _need_later(place: Premises | None, in_force_from: datetime.date) -> None:
    issued = Statement.objects.filter(week_to__gte=in_force_from)
    if (issued.filter(premises=place) if place else issued).exists():
        raise RateTooLate(in_force_from=in_force_from.isoformat())


def _rate_set(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    place = premises_by_code(content["premises"]) if content["premises"] else None
    day = datetime.date.fromisoformat(content["in_force_from"])
    hold((Lock.STATEMENT, 0))  # statements in flight are computed without it
    _need_later(place, day)
    try:
        with transaction.atomic():
            CommissionRate.objects.create(
                game=content["game"],
                premises=place,
                percent=content["percent"],
                in_force_from=day,
                reference=content["reference"],
                recorded_at=clock.now(),
                recorded_by_id=proposal.proposed_by_id,
                proposal=proposal,
            )
    except IntegrityError as error:
        raise RateRecorded(game=content["game"], premises=content["premises"]) from error


@transaction.atomic
def statements_issue(*, until: datetime.date) -> list[Statement]:
    """Issue every missing statement of the weeks that ended by that day. Each is made once."""
    hold((Lock.STATEMENT, 0))
    statements = []
    for sunday in weeks.due(until):
        issued = _issue(weeks.week(sunday))
        _check(sunday, issued)
        statements += issued
    return statements


def _issue(week: Week) -> list[Statement]:
    """Issue the statements of a week and post their commissions."""
    first = add_days(week.sunday, -6)
    before = Statement.objects.filter(week_to=add_days(first, -1)).only(
        "premises_id", "number", "closing_cents"
    )
    last = {statement.premises_id: statement for statement in before}
    figures = {premises_id: week.figures(premises_id) for premises_id in weeks.premises_of(week)}
    now = clock.now()
    issued = [
        _statement(premises_id, first, last.get(premises_id), week_figures, now)
        for premises_id, week_figures in figures.items()
    ]
    Statement.objects.bulk_create(issued, batch_size=ledger.BATCH)
    ledger.post_all(
        {
            each.uuid: postings.commission(each.premises_id, figures[each.premises_id].earned)
            for each in issued
        }
    )
    return issued


def _statement(
    premises_id: int,
    first: datetime.date,
    last: Statement | None,
    figures: Figures,
    now: datetime.datetime,
) -> Statement:
    """Return the statement of the week from its Monday `first`, which follows on the last one."""
    opening = last.closing_cents if last else 0
    return Statement(
        uuid=weeks.ident(premises_id, first),
        premises_id=premises_id,
        number=last.number + 1 if last else 1,
        week_from=first,
        week_to=add_days(first, 6),
        opening_cents=opening,
        closing_cents=opening + figures.total_cents,
        lines=figures.lines,
        commission=figures.commission,
        issued_at=now,
        **{f"{column}_cents": cents for column, cents in figures.columns.items()},
    )


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


def statement_get(ident: uuid.UUID) -> Statement:
    """Return a statement. Raises StatementUnknown, or StatementArchived if it has left."""
    statement = weeks.statement_of(ident).select_related("premises").first()
    if statement is None:
        raise weeks.archived(ident) or StatementUnknown
    return statement


@transaction.atomic
def statement_settle(
    *,
    by: StaffActor,
    statement: uuid.UUID,
    amount_cents: int,
    paid_on: datetime.date,
    reference: str,
) -> Remittance | Proposal:
    """Record a payment of a statement, full or partial. A negative one is paid to the premises.

    What is paid to the premises is proposed, and so is what makes the payments that single persons
    recorded (`alone_cents`) reach the configured amount, and a part of a bank movement of which
    other premises have a part: it may be theirs alone. Another person confirms it. The same payment
    again returns the first row. Raises StatementUnknown, StatementArchived, ReferenceMissing,
    RemittanceRefused (more than remains, or a future day), RemittanceRecorded, ProposalPending.
    """
    by.need(powers.SETTLE)
    issued, reference = statement_get(statement), one_line(reference)
    if not reference:
        raise ReferenceMissing
    payment = _Asked(issued, amount_cents, paid_on, reference)
    if not _needs_two(payment):
        _hold(payment)
    recorded = _recorded(payment)
    if recorded is not None:
        return recorded
    _need_fits(payment)
    if not _needs_two(payment):
        return _remit(payment, recorded_by_id=by.user_id, recorded_in_id=by.session_id)
    return two_persons.propose(
        kind=REMITTANCE,
        subject=f"remittance:{issued}:{reference}",
        by=by,
        content={
            "statement": str(statement),
            "premises": issued.premises.code,
            "amount_cents": amount_cents,
            "paid_on": paid_on.isoformat(),
            "reference": reference,
            "also_of": _also_of(payment),
        },
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Asked:
    """A payment of a statement as it is asked for."""

    statement: Statement
    amount_cents: int
    paid_on: datetime.date
    reference: str


def _needs_two(payment: _Asked) -> bool:
    together_cents = alone_cents(payment.statement) + payment.amount_cents
    reached = together_cents >= settings.REMITTANCE_SECOND_PERSON_FROM_CENTS
    return payment.amount_cents < 0 or reached or bool(_also_of(payment))


def _hold(payment: _Asked) -> None:
    """Record one payment of the premises, and of a bank movement, at a time."""
    hold((Lock.STATEMENT, payment.statement.premises_id), (Lock.STATEMENT, MOVEMENTS))


def _also_of(payment: _Asked) -> list[str]:
    """Return the codes of other premises that have a part of that bank movement."""
    others = Remittance.objects.exclude(premises_id=payment.statement.premises_id)
    same = set(
        others.filter(reference__iexact=payment.reference).values_list("premises", flat=True)
    )
    same |= left.movement_premises(payment.reference) - {payment.statement.premises_id}
    return sorted(Premises.objects.filter(pk__in=same).values_list("code", flat=True))


def _recorded(payment: _Asked) -> Remittance | None:
    """Return the row of that bank movement, if there is one. Raises RemittanceRecorded, also where
    that row has left: it was of another statement.
    """
    of_premises = Remittance.objects.filter(premises_id=payment.statement.premises_id)
    recorded = of_premises.filter(reference__iexact=payment.reference).first()
    if recorded is not None and (
        recorded.statement_id,
        recorded.amount_cents,
        recorded.paid_on,
    ) != (payment.statement.pk, payment.amount_cents, payment.paid_on):
        raise RemittanceRecorded(reference=payment.reference)
    if recorded is None and payment.statement.premises_id in left.movement_premises(
        payment.reference
    ):
        raise RemittanceRecorded(reference=payment.reference)
    return recorded


def _need_fits(payment: _Asked) -> None:
    standing = ChequeRecovery.objects.filter(reversed_at=None)
    if standing.filter(reference__iexact=payment.reference).exists():
        raise RemittanceRecorded(reference=payment.reference)
    left, cents = outstanding_cents(payment.statement), payment.amount_cents
    fits = 0 < cents <= left or left <= cents < 0
    if not fits or payment.paid_on > natural_day(clock.now()):
        raise RemittanceRefused(outstanding_cents=left, amount_cents=cents)


def _remit(payment: _Asked, **by: Any) -> Remittance:
    now = clock.now()
    issued = payment.statement
    number = issued.remittances.count() + 1
    remittance = Remittance.objects.create(
        uuid=weeks.ident(issued.premises_id, issued.week_from, number),
        statement=issued,
        number=number,
        premises_id=issued.premises_id,
        amount_cents=payment.amount_cents,
        paid_on=payment.paid_on,
        reference=payment.reference,
        recorded_at=now,
        **by,
    )
    line = postings.remittance(remittance.premises_id, remittance.amount_cents)
    ledger.post(reference=remittance.uuid, lines=[line], at=now)
    return remittance


def _remitted(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    issued = statement_get(uuid.UUID(content["statement"]))
    paid_on = datetime.date.fromisoformat(content["paid_on"])
    payment = _Asked(issued, content["amount_cents"], paid_on, content["reference"])
    _hold(payment)
    if _recorded(payment) is not None or _also_of(payment) != content.get("also_of", []):
        raise RemittanceRecorded(reference=payment.reference)
    _need_fits(payment)
    _remit(
        payment,
        recorded_by_id=proposal.proposed_by_id,
        recorded_in_id=proposal.proposed_in_id,
        proposal=proposal,
    )


RATE = two_persons.Kind("statements.rate", powers.SET_RATES, _rate_set)
REMITTANCE = two_persons.Kind("statements.remittance", powers.SETTLE, _remitted)
