"""Print and reprint vouchers after the award.

A code is made from the secret of the day on which it is issued or handed over. In the minute after
the issue the terminal prints the first paper. The operator who sold the play may have the code
again at that terminal until noon of the next day, unless the printing is confirmed or somebody
claims the voucher. Each time is counted. Then an unconfirmed voucher is held for its bearer at the
Central Office (`services.office.handing`) [P16]. Nothing gives the code of a confirmed one.
"""

import datetime
import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.database.together import need_on_disk
from core.journal.acting import acting
from core.kernel.codes import Code
from core.kernel.days import add_days, natural_day
from core.kernel.errors import Conflict, Forbidden, NotFound
from core.kernel.regulation import shipped
from core.looks.recording import look_at_row
from core.payoffice.models import Claim
from core.premises.access import BareTerminal, TerminalActor
from core.premises.models import Game
from core.premises.requests import UuidReused, need_new
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.engine.rules import paper_until
from promotrot.models.voucher import (
    Voucher,
    VoucherCodeGiven,
    VoucherHandover,
    VoucherPrint,
    VoucherReprint,
    VoucherSecret,
)
from promotrot.selectors.vouchers import is_print_over, is_printed, secrets_due
from promotrot.services.issuing import Issue
from promotrot.services.voucher_codes import code_of

Road = VoucherCodeGiven.Road
PAPER_WITH_ISSUE = datetime.timedelta(minutes=1)
"""The paper that is fetched so soon after the issue is the first one, not a code given again."""


class VoucherUnknown(NotFound):
    code = "voucher_unknown"
    message = "No such voucher was issued here."


class VoucherPrinted(Conflict):
    code = "voucher_printed"
    message = "The print of the voucher is confirmed; nothing gives its code again."


class VoucherPrintTooLate(Conflict):
    code = "voucher_print_too_late"
    message = (
        "The voucher was claimed or has lapsed, and its last day was more than a week ago; no print"
        " of it is confirmed any more."
    )


class VoucherCodeGone(Conflict):
    code = "voucher_code_gone"
    message = (
        "Only an unclaimed voucher gets its code again: until noon of the next day, and a copy"
        " until midnight."
    )


class VoucherOperatorDiffers(Forbidden):
    code = "voucher_operator_differs"
    message = "The code of a voucher is given again only to the operator who sold the play."


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


def issued_of_ticket(ticket_id: int, *, terminal: BareTerminal, road: Road) -> tuple[Issued, ...]:
    """Return the vouchers awarded to a play, by number, with the codes that the terminal may have.

    A code that is given is counted, by `road`.
    """
    rows = Voucher.objects.filter(ticket=ticket_id).exclude(nature=Voucher.Nature.DRAWN)
    vouchers = []
    for row in rows.select_related("ticket").order_by("number"):
        is_here = row.terminal_id == terminal.terminal_id and not row.handovers.exists()
        may_have = is_here and row.of.operator_id == terminal.operator_id
        vouchers.append(issued(row, with_code=may_have))
        if vouchers[-1].code is not None:
            _record_code_given(row, road)
    return tuple(vouchers)


def _record_code_given(voucher: Voucher, road: Road) -> None:
    """Record that the code was given again to the operator who sold the play."""
    operator = voucher.of.operator_id
    with acting("promotrot.code_again", terminal=voucher.terminal_id, operator=operator):
        VoucherCodeGiven.objects.create(
            voucher=voucher, road=road, operator_id=operator, given_at=clock.now()
        )


def issued(voucher: Voucher, *, with_code: bool = True) -> Issued:
    """Return a stored voucher; `with_code` gives its code, if the paper may be printed now."""
    printed = is_printed(voucher)
    is_given = printed or voucher_claimed(voucher)
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
        held=not is_given and not _may_be_printed(voucher),
        code=_code_again(voucher) if with_code and not printed else None,
    )


def paper_day(voucher: Voucher) -> datetime.date:
    """Return the day on which the present code was given: of the issue or the newest handover."""
    handover = VoucherHandover.objects.filter(voucher=voucher).order_by("-number").first()
    return natural_day(handover.handed_at) if handover else voucher.issue_day


def _may_be_printed(voucher: Voucher) -> bool:
    """Return whether an unconfirmed voucher may still be printed where it was issued."""
    return voucher.code_digest is not None and clock.now() < paper_until(paper_day(voucher))


def _code_again(voucher: Voucher) -> Code | None:
    """Return the code if it may still be given.

    Keys may have been rotated since. The right version is the one that gives the digest on record.
    """
    if voucher.code_digest is None or not _may_be_printed(voucher) or voucher_claimed(voucher):
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

    Raises PowerMissing, VoucherUnknown, and VoucherHandedOver where the terminal's paper was
    replaced.
    """
    if isinstance(by, StaffActor):
        by.need(powers.HAND_OVER)
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

    From a minute after the issue on, a terminal's paper is for the operator who sold the play, and
    counted. Raises VoucherUnknown, VoucherHandedOver, VoucherPrinted, VoucherOperatorDiffers,
    VoucherCodeGone.
    """
    voucher = voucher_given_to(by, ident)
    need_on_disk()
    if is_printed(voucher):
        raise VoucherPrinted
    is_first = clock.now() <= voucher.issued_at + PAPER_WITH_ISSUE
    if isinstance(by, BareTerminal) and not is_first and by.operator_id != voucher.of.operator_id:
        raise VoucherOperatorDiffers
    paper = issued(voucher)
    if paper.code is None:
        raise VoucherCodeGone
    if isinstance(by, StaffActor):
        look_at_row(voucher)
    elif not is_first:
        _record_code_given(voucher, Road.PAPER)
    return voucher, paper


@transaction.atomic
def voucher_print_confirm(*, by: BareTerminal | StaffActor, ident: uuid.UUID) -> VoucherPrint:
    """Record that the paper was printed. A second call changes nothing.

    A paper printed in time may be confirmed late, until the voucher is handed over, and once it was
    claimed or has lapsed, until a week after its last day. Raises VoucherUnknown,
    VoucherHandedOver, VoucherPrinted where the confirmation left with its month,
    VoucherPrintTooLate.
    """
    hold(voucher_given_to(by, ident).lock)
    voucher = voucher_given_to(by, ident)
    before = VoucherPrint.objects.filter(voucher=voucher).first()
    if before is not None:
        return before
    if is_print_over(voucher):
        raise VoucherPrinted if is_printed(voucher) else VoucherPrintTooLate
    return VoucherPrint.objects.create(voucher=voucher, confirmed_at=clock.now())


@transaction.atomic
def voucher_reprint(
    *, by: TerminalActor, ident: uuid.UUID, copy: uuid.UUID | None = None
) -> tuple[Voucher, Issued, VoucherReprint]:
    """Print a further copy with the same code, marked as duplicate, on the voucher's own day.

    The operator who sold the play gets it while the print is not confirmed. `copy` is the
    terminal's id of this copy; the same id returns the same copy. Raises VoucherUnknown,
    VoucherHandedOver, VoucherPrinted, VoucherOperatorDiffers, VoucherCodeGone, UuidReused,
    or a refusal of `copy`.
    """
    voucher = voucher_given_to(by, ident)
    if copy is not None:
        hold((Lock.REQUEST, copy.int))
    hold(voucher.lock)
    if is_printed(voucher):
        raise VoucherPrinted
    if voucher.of.operator_id != by.operator_id:
        raise VoucherOperatorDiffers
    paper = issued(voucher)
    if paper.code is None or paper_day(voucher) != natural_day(clock.now()):
        raise VoucherCodeGone
    reprint = VoucherReprint.objects.filter(uuid=copy).first() if copy else None
    if reprint is None:
        if copy is not None:
            need_new(copy)
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
    """Erase the secrets of days whose papers may not be printed again. Return how many days."""
    return VoucherSecret.objects.filter(pk__in=secrets_due()).update(secret=None)
