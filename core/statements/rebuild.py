"""Rebuild the balances of commission and of premises' payments, for `ledger_rebuild`."""

import datetime
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.ledger.books import Books, Rebuilder
from core.ledger.services import premises_account
from core.statements import commission, left, postings, weeks
from core.statements.columns import COMMISSION_KIND, REMITTANCE_KIND
from core.statements.guarantee import covers
from core.statements.models import Remittance, Statement


def rebuild_statements(books: Books) -> None:
    """Compute commission again from each week's movements, and repeat every payment of a
    statement. Commission of a week whose transfers have left is taken as stated, and both of what
    left from their sums. What sales read as the debt of premises must be the balance of their
    account.
    """
    for place, earned in left.commission_left():
        books.move(postings.commission(place, earned))
    books.move(postings.remittance(place, cents) for place, cents in left.paid_left())
    issued: dict[datetime.date, list[int]] = {}
    statements = left.staying(Statement.objects.all())
    for sunday, place in statements.order_by("week_to").values_list("week_to", "premises_id"):
        issued.setdefault(sunday, []).append(place)
    for sunday, places in issued.items():
        if weeks.is_archived(sunday):
            for statement in statements.filter(week_to=sunday):
                stated = commission.stated(statement)
                books.move(postings.commission(statement.premises_id, stated))
            continue
        week = weeks.week(sunday)
        for place in places:
            books.move(postings.commission(place, week.figures(place).earned))
    for remittance in left.staying(Remittance.objects.all()).iterator():
        books.move([postings.remittance(remittance.premises_id, remittance.amount_cents)])
    for cover in covers():
        books.keep(premises_account(cover.premises_id), cover.balance_cents)


REBUILDERS: tuple[Rebuilder, ...] = (rebuild_statements,)

TRANSFERS: Mapping[str, Promise] = {
    COMMISSION_KIND: _("commission"),
    REMITTANCE_KIND: _("remittance"),
}
"""The words for each kind of transfer."""
