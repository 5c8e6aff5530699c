"""Pay at an office's desk from a cashier's open session; two persons pay large sums."""

import uuid

from django.conf import settings
from django.db import transaction

from core.kernel.errors import DomainError
from core.payoffice import powers
from core.payoffice.models import CashSession, Claim, Payee
from core.payoffice.services import finding, paying
from core.payoffice.services.cash import cash_session_of
from core.payoffice.services.paying import Paid, PayRequest
from core.payoffice.services.personal_data import payee_encrypt
from core.payoffice.services.presenting import present
from core.payoffice.sources import Payable
from core.premises.requests import need_new
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


def desk_pay(*, by: StaffActor, request: PayRequest) -> Paid | Proposal:
    """Pay from the actor's open session, or propose a payment from the configured amount on.

    Another person confirms the proposal. The same request returns the same payment or proposal.
    Raises as `payment_make`, CashSessionMissing, CashShort, PayerHandedOver, ProposalPending.
    """
    by.need(powers.PAY)
    try:
        session = cash_session_of(by)
        payable = finding.presented(request.code, request.deposit)
        paying.need_sound(request, payable)
        paying.need_other_hands(payable, by.user_id)
        if request.amount_cents >= settings.SECOND_PERSON_FROM_CENTS:
            return _propose(by, payable, request, session)
        return paying.pay(payable, request, paying.payer_at_desk(session, by.user_id))
    except DomainError:
        earlier = paying.replay(request, {"staff_id": by.user_id})
        if earlier is None:
            raise
        return earlier


@transaction.atomic
def _propose(
    by: StaffActor, payable: Payable, request: PayRequest, session: CashSession
) -> Proposal:
    """Propose the payment, and present the document so that it does not lapse meanwhile."""
    digest = request.digest()
    earlier = paying.request_pending(
        PAYMENT.name, proposer_id=by.user_id, ident=request.uuid, digest=digest
    )
    if earlier is not None:
        return earlier
    need_new(request.uuid)
    payer = paying.payer_at_desk(session, by.user_id)
    current = finding.current_claim(payable)
    verdict = paying.judge(payable, current, request.deposit, payer.at)
    paying.need_payee(verdict.means, named=request.payee is not None)
    payee = payee_encrypt(request.payee) if request.payee else None
    proposal = two_persons.propose(
        kind=PAYMENT,
        subject=f"{payable.game}:{payable.uuid}",
        by=by,
        content={
            "uuid": str(request.uuid),
            "digest": digest.hex(),
            "game": payable.game,
            "document": str(payable.uuid),
            "document_id": payable.document_id,
            "amount_cents": payable.amount_cents,
            "means": verdict.means.value,
            "payee": str(payee.uuid) if payee else None,
            "cash_session": str(session.uuid),
            "deposit": str(request.deposit) if request.deposit else None,
        },
    )
    if current.state is None:
        present(payable, {"staff_id": by.user_id, "premises_id": session.premises_id})
    return proposal


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    """Pay a confirmed proposal from the session of the cashier who proposed it.

    Raises as `payment_make`, CashSessionMissing, CashShort, PayerHandedOver.
    """
    content = proposal.content
    claim = Claim.objects.get(game=content["game"], document_id=content["document_id"])
    payable = finding.by_claim(claim)
    paying.need_other_hands(payable, by.user_id)
    session = CashSession.objects.select_related("premises").get(uuid=content["cash_session"])
    payee = Payee.objects.filter(uuid=content["payee"]).first() if content["payee"] else None
    request = PayRequest(
        uuid=uuid.UUID(content["uuid"]),
        amount_cents=content["amount_cents"],
        intact=True,
        deposit=uuid.UUID(content["deposit"]) if content["deposit"] else None,
    )
    payer = paying.payer_at_desk(session, proposal.proposed_by_id)
    payer.columns["proposal_id"] = proposal.pk
    digest = bytes.fromhex(content["digest"])
    paying.pay(payable, request, payer, digest=digest, payee=payee)


PAYMENT = two_persons.Kind("payoffice.payment", powers.PAY, apply=_confirmed)
