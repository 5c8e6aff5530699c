"""Compose the closing slip of a cash session: what was in the drawer, by notes and coins."""

from django.db.models import Q, Sum
from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.kernel.regulation import Means
from core.payoffice import counting
from core.payoffice.models import CashSession, Payment
from core.proofs.head import with_head
from core.receipts.document import Align, Block, Document, Emphasis, Line, Pair, Rule, Table, Title
from core.receipts.formats import format_cents, format_moment


def closing_slip(session: CashSession, language: str) -> Document:
    """Return the slip of a closed session, to sign and to keep with the money."""
    with override(language):
        blocks = [*_head(session, language), Rule(), *_books(session, language), Rule()]
        blocks += [*_count(session, language), Rule(), *_close(session, language)]
        blocks += [
            Line(_("Signature of who counted") + ": ......................"),
            Line(_("Signature of who received the money") + ": ......................"),
            Line(str(session.uuid), Align.CENTRE),
        ]
    slip = Document(language=language, blocks=tuple(blocks), simulated=clock.is_simulated())
    return with_head(slip)


def _head(session: CashSession, language: str) -> list[Block]:
    return [
        Title(_("Closing of a cash session")),
        Line(f"{session.premises.code} · {session.premises.name}", Align.CENTRE),
        Pair(_("Cashier"), str(session.cashier)),
        Pair(_("From"), format_moment(session.opened_at, language)),
        Pair(_("To"), format_moment(session.closed_at or session.opened_at, language)),
    ]


def _books(session: CashSession, language: str) -> list[Block]:
    """Return how the books reach what must be in the drawer."""
    moved = session.movements.aggregate(
        brought=Sum("cents", filter=Q(cents__gt=0)), taken=Sum("cents", filter=Q(cents__lt=0))
    )
    paid = Payment.objects.filter(cash_session=session, means=Means.CASH.value)
    paid_cents = paid.aggregate(cents=Sum("amount_cents"))["cents"] or 0
    figures = (
        (_("Float"), session.float_cents),
        (_("Brought"), moved["brought"] or 0),
        (_("Taken away"), moved["taken"] or 0),
        (_("Paid in cash"), -paid_cents),
        (_("Expected"), session.expected_cents or 0),
    )
    return [Pair(title, format_cents(cents, language)) for title, cents in figures]


def _count(session: CashSession, language: str) -> list[Block]:
    rows = tuple(
        (format_cents(cents, language), str(many), format_cents(cents * many, language))
        for cents, many in counting.pieces(session.count or {})
    )
    counted = format_cents(session.counted_cents or 0, language)
    total = Pair(_("Counted"), counted, Emphasis.LARGE)
    if not rows:
        return [total]
    header = (_("Note or coin"), _("Pieces"), _("Amount"))
    return [Table(rows, header, (Align.RIGHT,) * len(header)), total]


def _close(session: CashSession, language: str) -> list[Block]:
    difference = format_cents(session.difference_cents or 0, language)
    blocks: list[Block] = [Pair(_("Difference"), difference, Emphasis.LARGE)]
    if session.difference_reason:
        reason = f"{session.get_difference_reason_display()}: {session.difference_words}"
        blocks.append(Line(reason))
    assert session.proposal is not None  # noqa: S101  (a closed session has one)
    return [
        *blocks,
        Pair(_("Counted by"), str(session.proposal.proposed_by)),
        Pair(_("Received by"), str(session.proposal.decision.decided_by)),
    ]
