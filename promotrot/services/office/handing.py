"""Hand vouchers that are held over to their bearers at the Central Office [P11, P16].

A voucher is held if it was not issued at a terminal, or if its printing was not confirmed by noon
of the next day. Handing over gives it a code from that day's secret. The code of a paper that was
never confirmed is worth nothing from then on.
"""

import uuid

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Forbidden
from core.payoffice.models import CashSession
from core.payoffice.services.cash import cash_session_of
from core.premises.models import Premises
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.models.voucher import Voucher, VoucherHandover
from promotrot.selectors.vouchers import held_vouchers
from promotrot.services.voucher_codes import code_of, day_secret
from promotrot.services.vouchers import Issued, VoucherUnknown, issued


class VoucherNotHeld(Conflict):
    code = "voucher_not_held"
    message = "The voucher is not held for anybody."


class NotCentralOffice(Forbidden):
    code = "not_central_office"
    message = "This is done at the Central Prize Payment Office."


def vouchers_held(*, by: StaffActor) -> QuerySet[Voucher]:
    """Return the vouchers that wait for their bearers at the Central Office."""
    by.need(powers.HAND_OVER)
    return held_vouchers().select_related("ticket", "premises")


def central_office_session(by: StaffActor) -> CashSession:
    """Return the person's open cash session at the Central Office.

    Raises CashSessionMissing, NotCentralOffice.
    """
    session = cash_session_of(by)
    if session.premises.kind != Premises.Kind.CENTRAL_OFFICE:
        raise NotCentralOffice
    return session


def voucher_hand_over(*, by: StaffActor, ident: uuid.UUID, claim: str) -> tuple[Voucher, Issued]:
    """Give a held voucher to its bearer, with a code, at a desk of the Central Office [P11, P16].

    `claim` says how the bearer proved to be the buyer: reference of the play, place and time.
    Repeated by the same person it changes nothing and gives the voucher again. Raises
    CashSessionMissing, NotCentralOffice, VoucherUnknown, VoucherNotHeld.
    """
    by.need(powers.HAND_OVER)
    session = central_office_session(by)
    day_secret(natural_day(clock.now()))
    with transaction.atomic():
        voucher = Voucher.objects.select_related("ticket").filter(uuid=ident).first()
        if voucher is None:
            raise VoucherUnknown
        hold((Lock.TICKET, voucher.ticket_id))
        voucher.refresh_from_db(fields=["code_digest"])
        if held_vouchers().filter(pk=voucher.pk).exists():
            _hand_over(by, session, voucher, claim)
        elif _last_handed_by(voucher) != by.user_id:
            raise VoucherNotHeld
        return voucher, issued(voucher)


def _last_handed_by(voucher: Voucher) -> int | None:
    last = voucher.handovers.order_by("-number").first()
    return last.handed_by_id if last else None


def _hand_over(by: StaffActor, session: CashSession, voucher: Voucher, claim: str) -> None:
    now = clock.now()
    VoucherHandover.objects.create(
        voucher=voucher,
        number=voucher.handovers.count() + 1,
        replaced_digest=voucher.code_digest,
        cash_session=session,
        handed_by_id=by.user_id,
        handed_in_id=by.session_id,
        claim=claim,
        handed_at=now,
    )
    code = code_of(voucher.uuid, natural_day(now))
    voucher.code_digest = settings.CODE_KEYS.digest(code)
    voucher.save(update_fields=["code_digest"])
