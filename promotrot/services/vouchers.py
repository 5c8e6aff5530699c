"""Print, reprint and hand over vouchers after the award.

A code is made from the secret of the day on which it is issued or handed over. The terminal that
issued it may ask for it again, and for marked copies, until that day ends, the paper is confirmed
or somebody claims the voucher. After that nobody can (rulebook: *Codes*).
"""

import datetime
import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.codes import Code
from core.kernel.days import add_days, natural_day
from core.kernel.errors import Conflict, Forbidden, NotFound
from core.kernel.regulation import shipped
from core.payoffice.models import CashSession, Claim
from core.payoffice.services.cash import cash_session_of
from core.premises.access import BareTerminal, TerminalActor
from core.premises.models import Game, Premises
from core.premises.requests import UuidReused
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.models.voucher import (
    Voucher,
    VoucherHandover,
    VoucherPrint,
    VoucherReprint,
    VoucherSecret,
)
from promotrot.services.issuing import Issue
from promotrot.services.voucher_codes import code_of, day_secret


class VoucherUnknown(NotFound):
    code = "voucher_unknown"
    message = "No such voucher was issued here."


class VoucherPrinted(Conflict):
    code = "voucher_printed"
    message = "The original is confirmed as printed; a further copy is a reprint."


class VoucherCodeGone(Conflict):
    code = "voucher_code_gone"
    message = "The code of a voucher is given again on its own day only, and before it is claimed."


class VoucherNotHeld(Conflict):
    code = "voucher_not_held"
    message = "The voucher is not held for anybody."


class NotCentralOffice(Forbidden):
    code = "not_central_office"
    message = "This is done at the Central Prize Payment Office."


@dataclass(frozen=True, slots=True)
class Issued:
    """A voucher as its terminal gets it. `code` is None if it may not be given any more.

    `prizes` lists `{"tier", "cents", "extra"}`. A `held` voucher waits at the Central Office [P11].
    """

    uuid: uuid.UUID
    number: int
    nature: str
    amount_cents: int
    prizes: list[dict[str, Any]]
    thing: str
    premises_id: int
    issued_at: datetime.datetime
    issue_day: datetime.date
    last_day: datetime.date
    held: bool
    code: Code | None


def claim_days(day: datetime.date) -> int:
    """Return the number of days in which a voucher issued on that day may be presented (15.III.6.6)
    [P5].
    """
    return shipped().in_force(day).promotrot.claim_days


def issued_now(issue: Issue, premises_id: int, at: datetime.datetime) -> Issued:
    """Return a voucher that has just been written."""
    day, draft = natural_day(at), issue.draft
    return Issued(
        issue.uuid,
        issue.number,
        draft.nature,
        draft.amount_cents,
        draft.prize_documents(),
        draft.thing,
        premises_id,
        at,
        day,
        add_days(day, claim_days(day)),
        held=issue.code is None,
        code=issue.code,
    )


def issued_of_ticket(ticket_id: int) -> tuple[Issued, ...]:
    """Return the vouchers awarded to a play, by number."""
    rows = Voucher.objects.filter(ticket=ticket_id).exclude(nature=Voucher.Nature.DRAWN)
    return tuple(issued(row) for row in rows.order_by("number"))


def issued(voucher: Voucher, *, again: bool = False) -> Issued:
    """Return a stored voucher. `again` gives the code for a marked copy after the confirmed
    original.
    """
    printed = not again and VoucherPrint.objects.filter(voucher=voucher).exists()
    return Issued(
        voucher.uuid,
        voucher.number,
        voucher.nature,
        voucher.amount_cents,
        voucher.prizes,
        voucher.thing,
        voucher.premises_id,
        voucher.issued_at,
        voucher.issue_day,
        voucher.last_day,
        held=voucher.code_digest is None,
        code=None if printed else _code_again(voucher),
    )


def _code_again(voucher: Voucher) -> Code | None:
    """Return the code if it may still be given.

    Keys may have been rotated since. The right version is the one that gives the digest on record.
    """
    if voucher.code_digest is None:
        return None
    handover = VoucherHandover.objects.filter(voucher=voucher).first()
    day = natural_day(handover.handed_at) if handover else voucher.issue_day
    if day != natural_day(clock.now()) or _claimed(voucher):
        return None
    for version in settings.CODE_KEYS.ring:
        code = code_of(voucher.uuid, day, version)
        if settings.CODE_KEYS.digest(code) == bytes(voucher.code_digest):
            return code
    return None


def _claimed(voucher: Voucher) -> bool:
    return Claim.objects.filter(game=Game.PROMOTROT, document_id=voucher.pk).exists()


def voucher_given_to(by: BareTerminal | TerminalActor | StaffActor, ident: uuid.UUID) -> Voucher:
    """Return a voucher issued at this terminal or handed over by this person. Raises
    VoucherUnknown.
    """
    voucher = Voucher.objects.select_related("ticket").filter(uuid=ident).first()
    if voucher is not None:
        if not isinstance(by, StaffActor):
            given = voucher.terminal_id == by.terminal_id
        else:
            handovers = VoucherHandover.objects.filter(voucher=voucher, handed_by=by.user_id)
            given = handovers.exists()
        if given:
            return voucher
    raise VoucherUnknown


def voucher_original(*, by: BareTerminal | StaffActor, ident: uuid.UUID) -> tuple[Voucher, Issued]:
    """Return the voucher whose original is still to be printed.

    Raises VoucherUnknown, VoucherPrinted, VoucherCodeGone.
    """
    voucher = voucher_given_to(by, ident)
    if VoucherPrint.objects.filter(voucher=voucher).exists():
        raise VoucherPrinted
    paper = issued(voucher)
    if paper.code is None:
        raise VoucherCodeGone
    return voucher, paper


def voucher_print_confirm(*, by: BareTerminal | StaffActor, ident: uuid.UUID) -> VoucherPrint:
    """Record that the paper was printed. A second call changes nothing. Raises VoucherUnknown."""
    confirmation, _ = VoucherPrint.objects.get_or_create(
        voucher=voucher_given_to(by, ident), defaults={"confirmed_at": clock.now()}
    )
    return confirmation


@transaction.atomic
def voucher_reprint(
    *, by: TerminalActor, ident: uuid.UUID, copy: uuid.UUID | None = None
) -> tuple[Voucher, Issued, VoucherReprint]:
    """Print a further copy with the same code, marked as duplicate, on the voucher's own day.

    `copy` is the terminal's id of this copy; the same id returns the same copy. Raises
    VoucherUnknown, VoucherCodeGone, UuidReused.
    """
    voucher = voucher_given_to(by, ident)
    hold((Lock.TICKET, voucher.ticket_id))
    paper = issued(voucher, again=True)
    if paper.code is None:
        raise VoucherCodeGone
    reprint = VoucherReprint.objects.filter(uuid=copy).first() if copy else None
    if reprint is None:
        reprint = VoucherReprint.objects.create(
            uuid=copy,
            voucher=voucher,
            number=VoucherReprint.objects.filter(voucher=voucher).count() + 1,
            terminal_id=by.terminal_id,
            operator_id=by.operator_id,
            printed_at=clock.now(),
        )
    elif reprint.voucher_id != voucher.pk:
        raise UuidReused
    return voucher, paper, reprint


def vouchers_held(*, by: StaffActor) -> QuerySet[Voucher]:
    """Return the vouchers that wait for their buyers at the Central Office."""
    by.need(powers.HAND_OVER)
    rows = Voucher.objects.filter(code_digest=None).select_related("ticket", "premises")
    return rows.order_by("pk")


def voucher_hand_over(*, by: StaffActor, ident: uuid.UUID, claim: str) -> tuple[Voucher, Issued]:
    """Give a held voucher to its buyer, with its code, at a desk of the Central Office [P11].

    `claim` says how the buyer proved to be the buyer: reference of the play, place and time.
    Repeated by the same person it changes nothing and gives the voucher again. Raises
    CashSessionMissing, NotCentralOffice, VoucherUnknown, VoucherNotHeld.
    """
    by.need(powers.HAND_OVER)
    session = cash_session_of(by)
    if session.premises.kind != Premises.Kind.CENTRAL_OFFICE:
        raise NotCentralOffice
    day_secret(natural_day(clock.now()))
    with transaction.atomic():
        voucher = Voucher.objects.select_related("ticket").filter(uuid=ident).first()
        if voucher is None:
            raise VoucherUnknown
        hold((Lock.TICKET, voucher.ticket_id))
        voucher.refresh_from_db(fields=["code_digest"])
        if voucher.code_digest is None and not _claimed(voucher):
            _hand_over(by, session, voucher, claim)
        elif not VoucherHandover.objects.filter(voucher=voucher, handed_by=by.user_id).exists():
            raise VoucherNotHeld
        return voucher, issued(voucher)


def _hand_over(by: StaffActor, session: CashSession, voucher: Voucher, claim: str) -> None:
    now = clock.now()
    VoucherHandover.objects.create(
        voucher=voucher,
        cash_session=session,
        handed_by_id=by.user_id,
        handed_in_id=by.session_id,
        claim=claim,
        handed_at=now,
    )
    code = code_of(voucher.uuid, natural_day(now))
    voucher.code_digest = settings.CODE_KEYS.digest(code)
    voucher.save(update_fields=["code_digest"])


def secrets_erase() -> int:
    """Erase the secrets of past days. Return how many days."""
    today = natural_day(clock.now())
    return VoucherSecret.objects.filter(day__lt=today, secret__isnull=False).update(secret=None)


def unconfirmed_vouchers() -> QuerySet[Voucher]:
    """Return the vouchers given to a terminal whose printing was not confirmed: incidents
    (*Codes*).
    """
    rows = Voucher.objects.filter(print_confirmation=None, code_digest__isnull=False)
    return rows.order_by("pk")
