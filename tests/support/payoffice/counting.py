"""Count a drawer for tests, in the fewest notes and coins."""

from typing import Any

from core.payoffice.counting import fewest, pieces
from core.payoffice.models import CashSession
from core.payoffice.services.cash import cash_close
from core.staff.actor import StaffActor
from core.staff.models import Proposal


def counted(by: StaffActor, session: CashSession, cents: int) -> Proposal:
    """Propose to close a session by the fewest notes and coins of the sum, with a reason."""
    return cash_close(
        by=by,
        session=session.uuid,
        count=fewest(cents),
        reason=CashSession.Reason.UNKNOWN.value,
        words="Looked for twice.",
    )


def counting_of(cents: int) -> dict[str, Any]:
    """Return the same count as a body of the API."""
    count = [{"denomination_cents": each, "pieces": many} for each, many in pieces(fewest(cents))]
    return {"count": count, "counted_cents": cents}
