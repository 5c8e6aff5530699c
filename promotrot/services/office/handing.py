"""Hand vouchers that are held over to their bearers at the Central Office [P11, P16].

Two persons do it, and neither of them pays the voucher afterwards. A voucher is held if it was not
issued at a terminal, or if its printing was not confirmed by noon of the next day. Handing over
gives it a code from that day's secret. The code of a paper that was never confirmed is worth
nothing from then on.
"""

import uuid

from django.conf import settings
from django.db.models import QuerySet

from core.database import clock
from core.database.locks import hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Forbidden
from core.payoffice.models import CashSession
from core.payoffice.refusals import CashSessionMissing, ClaimLapsed
from core.payoffice.services.cash import cash_session_of
from core.premises.models import Premises
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import powers
from promotrot.models.voucher import Voucher, VoucherHandover
from promotrot.selectors.vouchers import held_vouchers, is_lapsed
from promotrot.services.office.receipt_codes import need_receipt
from promotrot.services.voucher_codes import code_of
from promotrot.services.vouchers import VoucherUnknown


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


def handover_propose(
    *, by: StaffActor, ident: uuid.UUID, claim: str, receipt: str = ""
) -> Proposal:
    """Propose to give a held voucher to its bearer, at a desk of the Central Office [P11, P16].

    `claim` says how the bearer proved to be the buyer: place and time, and whatever else there is.
    `receipt` is the code on the play's receipt, if the bearer has it; the second person sees that.
    Another person confirms it, at the latest on the voucher's last day, which counts until midnight
    (15.III.6.6); then the proposer prints the voucher. Raises CashSessionMissing, NotCentralOffice,
    VoucherUnknown, ClaimLapsed, VoucherNotHeld, ProposalPending, CodeMalformed, CodeMistyped,
    CodeForged, ReceiptOfAnother.
    """
    by.need(powers.HAND_OVER)
    central_office_session(by)
    voucher = _voucher(ident)
    _need_held(voucher)
    if receipt:
        need_receipt(voucher.play, receipt)
    return two_persons.propose(
        kind=HANDOVER,
        subject=f"promotrot:voucher:{ident}",
        by=by,
        content={"voucher": str(ident), "claim": claim, "receipt": bool(receipt)},
    )


def _voucher(ident: uuid.UUID) -> Voucher:
    voucher = Voucher.objects.filter(uuid=ident).first()
    if voucher is None:
        raise VoucherUnknown
    return voucher


def _need_held(voucher: Voucher) -> None:
    if is_lapsed(voucher):
        raise ClaimLapsed
    if not held_vouchers().filter(pk=voucher.pk).exists():
        raise VoucherNotHeld


def _session_of(proposal: Proposal) -> CashSession:
    """Return the open cash session at the Central Office of the person who proposed it.

    Raises CashSessionMissing.
    """
    session = CashSession.objects.filter(
        cashier_id=proposal.proposed_by_id,
        closed_at=None,
        premises__kind=Premises.Kind.CENTRAL_OFFICE,
    ).first()
    if session is None:
        raise CashSessionMissing
    return session


def _hand_over(proposal: Proposal, by: StaffActor) -> None:
    """Give the voucher a code, for the person who proposed it to print.

    Raises ClaimLapsed, VoucherNotHeld, CashSessionMissing.
    """
    voucher = _voucher(uuid.UUID(proposal.content["voucher"]))
    hold(voucher.lock)
    voucher.refresh_from_db(fields=["code_digest"])
    _need_held(voucher)
    now = clock.now()
    VoucherHandover.objects.create(
        voucher=voucher,
        number=voucher.handovers.count() + 1,
        replaced_digest=voucher.code_digest,
        cash_session=_session_of(proposal),
        handed_by_id=proposal.proposed_by_id,
        handed_in_id=proposal.proposed_in_id,
        claim=proposal.content["claim"],
        proposal=proposal,
        handed_at=now,
    )
    code = code_of(voucher.uuid, natural_day(now))
    voucher.code_digest = settings.CODE_KEYS.digest(code)
    voucher.save(update_fields=["code_digest"])


HANDOVER = two_persons.Kind("promotrot.handover", powers.HAND_OVER, _hand_over)
