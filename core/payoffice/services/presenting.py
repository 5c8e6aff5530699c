"""Presentation: the bearer came in time, and the claim lapses no more (14.III.10.2) [C5, D6]."""

import uuid
from typing import Any

from django.db import connection, transaction

from core.ledger import services as ledger
from core.payoffice import judging, postings, powers
from core.payoffice.judging import UNTOUCHED, DocumentState
from core.payoffice.models import Claim, Presentation
from core.payoffice.refusals import DocumentAltered, NoPrize, PresentationNeedless
from core.payoffice.services import finding
from core.payoffice.services.cash import cash_session_of
from core.payoffice.sources import Payable
from core.premises.access import Capability, TerminalActor
from core.staff.actor import StaffActor

_OPEN_CLAIM = """
INSERT INTO payoffice_claim (game, document_id, state, amount_cents, opened_at)
VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id
"""


def presentation_make(
    *, at: TerminalActor | StaffActor, code: str, intact: bool = True
) -> Presentation:
    """Present a document where it cannot be paid, or not yet; twice changes nothing.

    An altered one is deposited instead. Raises a code's error, DocumentUnknown, DocumentAltered, or
    the refusal that its state brings.
    """
    if isinstance(at, StaffActor):
        at.need(powers.PRESENT)
        acted = {"staff_id": at.user_id, "premises_id": cash_session_of(at).premises_id}
    else:
        at.need(Capability.DEPOSIT)
        acted = acted_by(at)
    if not intact:
        raise DocumentAltered
    return present(finding.by_code(code), acted)


def acted_by(at: TerminalActor) -> dict[str, int]:
    """The columns of `Acted` for an act at a terminal."""
    return {
        "premises_id": at.premises_id,
        "terminal_id": at.terminal_id,
        "operator_id": at.operator_id,
    }


@transaction.atomic
def present(payable: Payable, acted: dict[str, int]) -> Presentation:
    """The presentation of a document owed something: its own, or the one it already has."""
    claim = claim_open(payable, Claim.State.PRESENTED)
    if claim is None:
        known = finding.known(payable)
        state = judging.state_of(
            payable, known.state, deposited=known.deposit is not None, today=known.today
        )
        judging.need_claimable(state)
        if state is not DocumentState.PRESENTED:
            raise PresentationNeedless
        return Presentation.objects.get(
            claim__game=payable.game, claim__document_id=payable.document_id
        )
    made: Presentation = Presentation.objects.create(
        uuid=uuid.uuid4(), claim=claim, presented_at=claim.opened_at, **acted
    )
    claim_hold(payable, made.uuid)
    return made


def claim_open(payable: Payable, state: Claim.State) -> Claim | None:
    """Open the claim of a document that is owed something and not over; None if it has one.

    The day is that of the claim's own row: raises ClaimLapsed the moment the last one has passed.
    """
    known = finding.known(payable)
    if known.state is not None:
        return None
    judged = judging.state_of(payable, None, deposited=False, today=known.today)
    if judged not in UNTOUCHED:
        judging.need_claimable(judged)
        raise NoPrize
    values: list[Any] = [
        payable.game,
        payable.document_id,
        state.value,
        payable.amount_cents,
        known.now,
    ]
    with connection.cursor() as cursor:
        cursor.execute(_OPEN_CLAIM, values)
        row = cursor.fetchone()
    return Claim.objects.get(pk=row[0]) if row else None


def claim_hold(payable: Payable, reference: uuid.UUID) -> None:
    """Move the money of a claim just opened to the account where it waits. Raises NoPrize."""
    if payable.owed is None or payable.held is None:
        raise NoPrize
    line = postings.hold(owed=payable.owed, held=payable.held, cents=payable.amount_cents)
    ledger.post(reference=reference, lines=[line])
