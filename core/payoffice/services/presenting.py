"""Present a document in time, so that its claim does not lapse (14.III.10.2) [C5, D6, D7]."""

import uuid
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from core.database import clock
from core.database.clock import row_uuid
from core.database.reading.asking import fetch_row
from core.ledger import services as ledger
from core.payoffice import judging, postings, powers
from core.payoffice.judging import UNTOUCHED, DocumentState
from core.payoffice.models import Claim, DepositMatch, Presentation
from core.payoffice.refusals import (
    DocumentAltered,
    NoPrize,
    PresentationNeedless,
    ResultsNotEstablished,
)
from core.payoffice.services import finding
from core.payoffice.services.cash import cash_session_of
from core.payoffice.sources import Payable, Standing
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
    """Return the presentation of a document, made now or earlier.

    Before the payment order it is accepted once the results are established, and the order values
    it [D7]. A document that a deposit was matched with from the records may be presented beside it:
    if two persons refuse the deposit, the presentation stands [C5].
    """
    ident = row_uuid(clock.now())
    claim = claim_open(payable, Claim.State.PRESENTED, reference=ident)
    if claim is None:
        return _presented_before(payable, ident, acted)
    presentation: Presentation = Presentation.objects.create(
        uuid=ident, claim=claim, presented_at=claim.opened_at, **acted
    )
    return presentation


def _presented_before(payable: Payable, ident: uuid.UUID, acted: dict[str, int]) -> Presentation:
    beside = _matched_with_another(payable).select_for_update(of=("self",), no_key=True).first()
    current = finding.current_claim(payable)
    if beside is not None and not judging.is_over(payable, current.today):
        presentation, _ = Presentation.objects.get_or_create(
            claim=beside, defaults={"uuid": ident, "presented_at": current.now, **acted}
        )
        return presentation
    state = judging.state_of(
        payable, current.state, deposited=current.deposit is not None, today=current.today
    )
    judging.need_claimable(state)
    if state is not DocumentState.PRESENTED:
        raise PresentationNeedless
    # Where two persons refused another paper for a price due back, nobody has presented it yet.
    presentation, _ = Presentation.objects.get_or_create(
        claim=Claim.objects.get(game=payable.game, document_id=payable.document_id),
        defaults={"uuid": ident, "presented_at": current.now, **acted},
    )
    return presentation


def _matched_with_another(payable: Payable) -> QuerySet[Claim]:
    """Return the claim of a document if a deposit that waits for two persons was matched with it
    from the records. That deposit may be another paper: the bearer of this one can present it [C5].
    """
    same = Claim.objects.filter(game=payable.game, document_id=payable.document_id)
    waiting = same.filter(state__in=Claim.UNDECIDED)
    by_code = DepositMatch.objects.filter(claim=OuterRef("pk"), staff=None)
    return waiting.filter(deposit_matches__staff__isnull=False).exclude(Exists(by_code))


def presentable_beside(payable: Payable, today: date) -> bool:
    """Return whether a deposited document can be presented all the same [C5]: the deposit was
    matched with it from the records, and nobody has presented it.
    """
    if judging.is_over(payable, today):
        return False
    return _matched_with_another(payable).filter(presentation=None).exists()


def claim_open(
    payable: Payable, state: Claim.State, *, reference: uuid.UUID, on: date | None = None
) -> Claim | None:
    """Open the claim of a document and hold its money, posted under `reference`.

    Return None if it has a claim. A document that awaits its payment order gets an early claim, and
    its money is held when that is given [D7]. `on` is the day of the act, unless that is today.
    Raises ClaimLapsed from the midnight after the last day, ResultsNotEstablished.
    """
    current = finding.current_claim(payable)
    if current.state is not None:
        return None
    if payable.standing is Standing.PENDING:
        payable = need_early(payable)
    if payable.standing is Standing.PENDING:
        return claim_insert(payable, Claim.State.EARLY, 0, current.now)
    judged = judging.state_of(payable, None, deposited=False, today=on or current.today)
    if judged not in UNTOUCHED:
        judging.need_claimable(judged)
        raise NoPrize
    claim = claim_insert(payable, state, payable.amount_cents, current.now)
    if claim is not None:
        _hold(payable, reference)
    return claim


def need_early(payable: Payable) -> Payable:
    """Return a pending document whose results are established, locked until the claim is written.

    Raises ResultsNotEstablished.
    """
    source = finding.source_of(payable)
    payable = source.hold_pending(payable)
    if payable.standing is Standing.PENDING and not source.takes_early(payable):
        raise ResultsNotEstablished
    return payable


def claim_insert(payable: Payable, state: Claim.State, cents: int, now: datetime) -> Claim | None:
    """Write the claim of a document and return it; None if it has one."""
    values: list[Any] = [payable.game, payable.document_id, state.value, cents, now]
    row = fetch_row(_OPEN_CLAIM, values)
    return Claim.objects.get(pk=row[0]) if row else None


def _hold(payable: Payable, reference: uuid.UUID) -> None:
    """Move the money of a new claim to the game's account of held money. Raises NoPrize."""
    if payable.owed is None or payable.held is None:
        raise NoPrize
    line = postings.hold(owed=payable.owed, held=payable.held, cents=payable.amount_cents)
    ledger.post(reference=reference, lines=[line])
