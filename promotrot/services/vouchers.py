"""Print and reprint vouchers after the award.

A code is made from the secret of the day on which it is issued or handed over. Until its printing
is confirmed or somebody claims the voucher, the terminal that issued it may ask for it again, until
noon of the next day. Then an unconfirmed voucher is held for its bearer at the Central Office
(`services.office.handing`) [P16]. A confirmed one has marked copies until its day ends.
"""

import datetime
import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.codes import Code
from core.kernel.days import add_days, natural_day
from core.kernel.errors import Conflict, NotFound
from core.kernel.regulation import shipped
from core.looks.recording import look_at_row
from core.payoffice.models import Claim
from core.premises.access import BareTerminal, TerminalActor
from core.premises.models import Game
from core.premises.requests import UuidReused
from core.staff.actor import StaffActor
from promotrot.engine.rules import paper_until
from promotrot.models.voucher import (
    Voucher,
    VoucherHandover,
    VoucherPrint,
    VoucherReprint,
    VoucherSecret,
)
from promotrot.selectors.vouchers import secrets_due
from promotrot.services.issuing import Issue
from promotrot.services.voucher_codes import code_of


class VoucherUnknown(NotFound):
    code = "voucher_unknown"
    message = "No such voucher was issued here."


class VoucherPrinted(Conflict):
    code = "voucher_printed"
    message = "The original is confirmed as printed; a further copy is a reprint."


class VoucherCodeGone(Conflict):
    code = "voucher_code_gone"
    message = "The code is given until noon of the next day, a copy until midnight, if unclaimed."


class VoucherHandedOver(Conflict):
    code = "voucher_handed_over"
    message = "The voucher was handed over at the Central Office, under another code."


@dataclass(frozen=True, slots=True)
class Issued:
    """A voucher as its terminal gets it. `code` is None if it may not be given any more.

    `prizes` lists `{"tier", "cents", "extra"}`. A `held` voucher waits at the Central Office [P11,
    P16].
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


def issued(voucher: Voucher, *, copy: bool = False) -> Issued:
    """Return a stored voucher, with its code if it may be given now.

    `copy` asks for the code of a marked copy, which is given after the confirmed original, too.
    """
    printed = VoucherPrint.objects.filter(voucher=voucher).exists()
    given = printed or voucher_claimed(voucher)
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
        held=not given and not _may_be_had(voucher),
        code=_code_again(voucher) if copy or not printed else None,
    )


def paper_day(voucher: Voucher) -> datetime.date:
    """Return the day on which the present code was given: of the issue or the newest handover."""
    handover = VoucherHandover.objects.filter(voucher=voucher).order_by("-number").first()
    return natural_day(handover.handed_at) if handover else voucher.issue_day


def _may_be_had(voucher: Voucher) -> bool:
    """Return whether the paper of an unconfirmed voucher may still be had where it was issued."""
    return voucher.code_digest is not None and clock.now() < paper_until(paper_day(voucher))


def _code_again(voucher: Voucher) -> Code | None:
    """Return the code if it may still be given.

    Keys may have been rotated since. The right version is the one that gives the digest on record.
    """
    if voucher.code_digest is None or not _may_be_had(voucher) or voucher_claimed(voucher):
        return None
    day = paper_day(voucher)
    for version in settings.CODE_KEYS.ring:
        code = code_of(voucher.uuid, day, version)
        if settings.CODE_KEYS.digest(code) == bytes(voucher.code_digest):
            return code
    return None


def voucher_claimed(voucher: Voucher) -> bool:
    """Return whether somebody claimed the voucher, or it has lapsed."""
    return Claim.objects.filter(game=Game.PROMOTROT, document_id=voucher.pk).exists()


def voucher_given_to(by: BareTerminal | TerminalActor | StaffActor, ident: uuid.UUID) -> Voucher:
    """Return a voucher issued at this terminal, or handed over last by this person.

    Raises VoucherUnknown, and VoucherHandedOver where the terminal's paper was replaced.
    """
    voucher = Voucher.objects.select_related("ticket").filter(uuid=ident).first()
    if voucher is None:
        raise VoucherUnknown
    last = VoucherHandover.objects.filter(voucher=voucher).order_by("-number").first()
    if isinstance(by, StaffActor):
        if last is None or last.handed_by_id != by.user_id:
            raise VoucherUnknown
    elif voucher.terminal_id != by.terminal_id:
        raise VoucherUnknown
    elif last is not None:
        raise VoucherHandedOver
    return voucher


def voucher_original(*, by: BareTerminal | StaffActor, ident: uuid.UUID) -> tuple[Voucher, Issued]:
    """Return the voucher whose original is still to be printed.

    Raises VoucherUnknown, VoucherHandedOver, VoucherPrinted, VoucherCodeGone.
    """
    voucher = voucher_given_to(by, ident)
    if VoucherPrint.objects.filter(voucher=voucher).exists():
        raise VoucherPrinted
    paper = issued(voucher)
    if paper.code is None:
        raise VoucherCodeGone
    if isinstance(by, StaffActor):
        look_at_row(voucher)
    return voucher, paper


@transaction.atomic
def voucher_print_confirm(*, by: BareTerminal | StaffActor, ident: uuid.UUID) -> VoucherPrint:
    """Record that the paper was printed. A second call changes nothing.

    A paper printed in time may be confirmed late, until the voucher is handed over. Raises
    VoucherUnknown, VoucherHandedOver.
    """
    hold((Lock.TICKET, voucher_given_to(by, ident).ticket_id))
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
    VoucherUnknown, VoucherHandedOver, VoucherCodeGone, UuidReused.
    """
    voucher = voucher_given_to(by, ident)
    hold((Lock.TICKET, voucher.ticket_id))
    paper = issued(voucher, copy=True)
    if paper.code is None or paper_day(voucher) != natural_day(clock.now()):
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


def secrets_erase() -> int:
    """Erase the secrets of days whose papers may not be had again. Return how many days."""
    return VoucherSecret.objects.filter(pk__in=secrets_due()).update(secret=None)
