"""Open, fill and close cashiers' cash sessions, from the float to the count [C4, P7].

Cash leaves a drawer only once another person than its cashier says that they received it. Until
then it is in the drawer, and its cashier answers for it.
"""

import uuid

from django.db import IntegrityError, transaction

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.payoffice import accounts, counting, postings, powers
from core.payoffice.counting import Count
from core.payoffice.models import CashMovement, CashSession
from core.payoffice.refusals import CashSessionMissing, CashShort
from core.premises.models import Premises
from core.premises.services import PremisesUnknown
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role

OFFICES = (Premises.Kind.CENTRAL_OFFICE, Premises.Kind.ENTITY_OFFICE)


class NotAnOffice(Invalid):
    code = "not_an_office"
    message = "Only the Central Office and authorised entities are offices."


class CashSessionOpen(Conflict):
    code = "cash_session_open"
    message = "The cashier has a cash session open already."


class CashSessionUnknown(NotFound):
    code = "cash_session_unknown"
    message = "You have no such open cash session."


class CashMovedSince(Conflict):
    code = "cash_moved_since"
    message = "The session has paid or moved cash since it was counted: count again."


class DifferenceUnexplained(Invalid):
    code = "difference_unexplained"
    message = "The count differs from the books: give a reason from the list, and say it in words."


class MovementOfNothing(Invalid):
    code = "movement_of_nothing"
    message = "A movement needs an amount and a reason."


def office_get(premises: str) -> Premises:
    """Return an office by its code. Raises PremisesUnknown, NotAnOffice."""
    place = Premises.objects.filter(code=premises).first()
    if place is None:
        raise PremisesUnknown(premises=premises)
    if place.kind not in OFFICES:
        raise NotAnOffice(premises=premises)
    return place


class CashierCannotReceive(Forbidden):
    code = "cashier_cannot_receive"
    message = (
        "The cashier of a drawer cannot receive its cash: another person counts it and confirms."
    )


class CountStands(Forbidden):
    code = "count_stands"
    message = (
        "The cashier of a drawer cannot reject what another person counted in it: a third person"
        " confirms or rejects it."
    )


@transaction.atomic
def cash_open(*, by: StaffActor, premises: str, float_cents: int) -> CashSession:
    """Open the cashier's session with a float from the treasury.

    Raises PremisesUnknown, NotAnOffice, CashSessionOpen.
    """
    by.need(powers.KEEP_CASH)
    place = office_get(premises)
    try:
        with transaction.atomic():
            now = clock.now()
            session: CashSession = CashSession.objects.create(
                uuid=row_uuid(now),
                premises=place,
                cashier_id=by.user_id,
                opened_in_id=by.session_id,
                opened_at=now,
                float_cents=float_cents,
            )
    except IntegrityError as error:
        raise CashSessionOpen from error
    ledger.account_open([accounts.cash(session.pk)])
    line = postings.cash_float(session.pk, float_cents)
    ledger.post(reference=session.uuid, lines=[line])
    return session


@transaction.atomic
def cash_move(*, by: StaffActor, cents: int, reason: str) -> CashMovement | Proposal:
    """Bring cash to the actor's open session, or propose to take some from it (negative cents).

    Who receives what is taken confirms it. Raises CashSessionMissing, MovementOfNothing, CashShort,
    ProposalPending.
    """
    by.need(powers.KEEP_CASH)
    session = cash_session_of(by)
    if not cents or not reason.strip():
        raise MovementOfNothing
    if cents > 0:
        return _move(session, cents, reason)
    _need_cash(session, -cents)
    return two_persons.propose(
        kind=TAKING,
        subject=subject_of(session),
        by=by,
        content={"cash_session": str(session.uuid), "cents": cents, "reason": reason},
    )


def _taken(proposal: Proposal, by: StaffActor) -> None:
    """Take cash from a session. Its cashier proposed it, so another person confirms it."""
    content = proposal.content
    session = CashSession.objects.get(uuid=content["cash_session"])
    _move(session, content["cents"], content["reason"], proposal)


def _move(
    session: CashSession, cents: int, reason: str, proposal: Proposal | None = None
) -> CashMovement:
    """Move cash between the treasury and a session. Raises CashSessionMissing, CashShort."""
    need_open(session)
    _need_cash(session, -cents)
    now = clock.now()
    movement: CashMovement = CashMovement.objects.create(
        uuid=row_uuid(now),
        session=session,
        cents=cents,
        reason=reason,
        proposal=proposal,
        moved_at=now,
    )
    ledger.post(reference=movement.uuid, lines=[postings.cash_moved(session.pk, cents)])
    return movement


def _need_cash(session: CashSession, cents: int) -> None:
    if ledger.balance_cents(accounts.cash(session.pk)) < cents:
        raise CashShort


@transaction.atomic
def cash_close(
    *, by: StaffActor, session: uuid.UUID, count: Count, reason: str = "", words: str = ""
) -> Proposal:
    """Propose to close a session with a count; who receives the cash confirms it.

    `count` is of `counting.count_of`. Cashiers count their own session, supervisors any session.
    Where the count differs from the books, it takes a `CashSession.Reason` and words; otherwise
    these are not kept. A count that waits, and that a payment or movement made void, is rejected
    for this one, and so is the cashier's own where another person counts. Raises
    CashSessionUnknown, DifferenceUnexplained, ProposalPending, and ProposalDecided if somebody
    decides on the one that it replaces at the same time.
    """
    by.need(powers.KEEP_CASH)
    row = CashSession.objects.filter(uuid=session).first()
    if row is None or (row.cashier_id != by.user_id and Role.SUPERVISOR not in by.roles):
        raise CashSessionUnknown
    expected_cents = ledger.balance_cents(accounts.cash(row.pk))
    # Read after the balance: that of a session which another request closes meanwhile is 0.
    row.refresh_from_db(fields=["closed_at"])
    if row.closed_at is not None:
        raise CashSessionUnknown
    counted_cents = counting.count_cents(count)
    difference_cents = counted_cents - expected_cents
    if not difference_cents:
        reason = words = ""
    elif reason not in CashSession.Reason.values or not words.strip():
        raise DifferenceUnexplained(difference_cents=difference_cents)
    earlier = two_persons.pending(kind=CLOSING, subject=subject_of(row))
    is_replaced = earlier is not None and (
        earlier.content["expected_cents"] != expected_cents
        or earlier.proposed_by_id == row.cashier_id != by.user_id
    )
    return two_persons.propose(
        kind=CLOSING,
        subject=subject_of(row),
        by=by,
        replaces=earlier.uuid if earlier and is_replaced else None,
        content={
            "cash_session": str(row.uuid),
            "expected_cents": expected_cents,
            "counted_cents": counted_cents,
            "difference_cents": difference_cents,
            "count": dict(count),
            "difference_reason": str(reason),
            "difference_words": words.strip(),
        },
    )


def _close(proposal: Proposal, by: StaffActor) -> None:
    """Close a session: the cash goes to the treasury, a difference to its own account.

    Raises CashSessionUnknown if it is closed, CashMovedSince if the books say another sum by now,
    CashierCannotReceive.
    """
    content = proposal.content
    row = CashSession.objects.get(uuid=content["cash_session"])
    if by.user_id == row.cashier_id:
        raise CashierCannotReceive
    hold((Lock.CASH, row.pk))
    row.refresh_from_db()
    if row.closed_at is not None:
        raise CashSessionUnknown
    cash = accounts.cash(row.pk)
    if ledger.balance_cents(cash) != content["expected_cents"]:
        raise CashMovedSince
    row.closed_at, row.proposal = clock.now(), proposal
    for name in CashSession.counted:
        setattr(row, name, content[name])
    row.save(update_fields=CashSession.mutable)
    ledger.post(
        reference=derived_uuid(row.uuid, "payoffice.close"),
        lines=postings.cash_counted(
            row.pk,
            counted_cents=content["counted_cents"],
            difference_cents=content["difference_cents"],
        ),
    )
    ledger.need_balance(cash, 0)


def _need_rejectable(proposal: Proposal, by: StaffActor) -> None:
    """Keep the count of another person from the cashier of the drawer. Raises CountStands.

    A count that has lapsed or is void is nothing any more, and the cashier counts again.
    """
    row = CashSession.objects.get(uuid=proposal.content["cash_session"])
    if by.user_id != row.cashier_id or by.user_id == proposal.proposed_by_id:
        return
    expected_cents = ledger.balance_cents(accounts.cash(row.pk))
    is_void = row.closed_at is not None or expected_cents != proposal.content["expected_cents"]
    if not is_void and two_persons.lapse_of(proposal, clock.now()) is None:
        raise CountStands


def subject_of(session: CashSession) -> str:
    """Return the subject of the proposals to take cash from a session, or to close it."""
    return f"cash_session:{session.uuid}"


def open_session_of(by: StaffActor) -> CashSession | None:
    """Return the cashier's open session, with its premises, or None."""
    own = CashSession.objects.filter(cashier_id=by.user_id, closed_at=None)
    return own.select_related("premises").first()


def cash_session_of(by: StaffActor) -> CashSession:
    """Return the cashier's open session, with its premises. Raises CashSessionMissing."""
    session = open_session_of(by)
    if session is None:
        raise CashSessionMissing
    return session


def need_open(session: CashSession) -> None:
    """Keep a session open until the transaction ends. Raises CashSessionMissing if it is closed."""
    hold((Lock.CASH, session.pk))
    session.refresh_from_db(fields=["closed_at"])
    if session.closed_at is not None:
        raise CashSessionMissing


TAKING = two_persons.Kind("payoffice.cash_taking", powers.KEEP_CASH, _taken)
# A week: the drawer may be sealed before days on which nobody is there to receive its cash.
CLOSING = two_persons.Kind(
    "payoffice.cash_closing",
    powers.KEEP_CASH,
    _close,
    good_for=two_persons.A_WEEK,
    need_rejectable=_need_rejectable,
    rejection_refusals=(CountStands,),
)
