"""Present a document in time, so that its claim does not lapse (14.III.10.2) [C5, D6]."""

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
    """Present a document that cannot be paid here, or not yet. A second call changes nothing.

    An altered document is deposited instead. Raises a code's error, DocumentUnknown,
    DocumentAltered, or the refusal of the document's state.
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
    """Return the columns of `Acted` for an act at a terminal."""
    return {
        "premises_id": at.premises_id,
        "terminal_id": at.terminal_id,
        "operator_id": at.operator_id,
    }


@transaction.atomic
def present(payable: Payable, acted: dict[str, int]) -> Presentation:
    """Return the presentation of a document that is owed something, made now or earlier."""
    claim = claim_open(payable, Claim.State.PRESENTED)
    if claim is None:
        current = finding.current_claim(payable)
        state = judging.state_of(
            payable, current.state, deposited=current.deposit is not None, today=current.today
        )
        judging.need_claimable(state)
        if state is not DocumentState.PRESENTED:
            raise PresentationNeedless
        return Presentation.objects.get(
            claim__game=payable.game, claim__document_id=payable.document_id
        )
    presentation: Presentation = Presentation.objects.create(
        uuid=uuid.uuid4(), claim=claim, presented_at=claim.opened_at, **acted
    )
    claim_hold(payable, presentation.uuid)
    return presentation


def claim_open(payable: Payable, state: Claim.State) -> Claim | None:
    """Open the claim of a document that is owed something; return None if it has a claim.

    The day is that of the claim's own row: raises ClaimLapsed from the midnight after the last day.
    """
    current = finding.current_claim(payable)
    if current.state is not None:
        return None
    judged = judging.state_of(payable, None, deposited=False, today=current.today)
    if judged not in UNTOUCHED:
        judging.need_claimable(judged)
        raise NoPrize
    values: list[Any] = [
        payable.game,
        payable.document_id,
        state.value,
        payable.amount_cents,
        current.now,
    ]
    with connection.cursor() as cursor:
        cursor.execute(_OPEN_CLAIM, values)
        row = cursor.fetchone()
    return Claim.objects.get(pk=row[0]) if row else None


def claim_hold(payable: Payable, reference: uuid.UUID) -> None:
    """Move the money of a new claim to the game's account of held money. Raises NoPrize."""
    if payable.owed is None or payable.held is None:
        raise NoPrize
    line = postings.hold(owed=payable.owed, held=payable.held, cents=payable.amount_cents)
    ledger.post(reference=reference, lines=[line])
