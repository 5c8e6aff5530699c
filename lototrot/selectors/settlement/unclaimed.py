"""Read what nobody claimed: how much waits for a meeting, and what was given back (14.III.10.7)."""

from datetime import date

from django.db.models import Sum

from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.payoffice.models import Restoration
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement

# Whether two persons refused a price due back after its bet type had ended: it stays due [A21].
REFUSED_AFTER_THE_END = """
(c.state = 'refused' AND EXISTS (SELECT FROM lototrot_void d WHERE d.ticket_id = t.id)
 AND EXISTS (SELECT FROM lototrot_gameend e JOIN payoffice_ruling g ON g.decided_at >= e.ended_at
              WHERE e.bet_type_code = k.bet_type_code AND g.claim_id = c.id))
"""


def carry_overs_waiting(bet_type_code: str, since: date = date.min) -> list[tuple[date, int]]:
    """List the unclaimed cents of a chain that wait for a meeting, by day, oldest first.

    Days before `since` are not read.
    """
    prefix = accounts.carry_over(bet_type_code, date.min).code.removesuffix(date.min.isoformat())
    after = None
    if since > date.min:
        after = accounts.carry_over(bet_type_code, add_days(since, -1)).code
    return [
        (date.fromisoformat(balance.code.removeprefix(prefix)), balance.cents)
        for balance in ledger.balances(prefix=prefix, after=after)
        if balance.cents
    ]


def taken_before(bet_type_code: str) -> date:
    """Return a day of a chain before which nothing waits: the newest settlement left nothing there.

    Prizes lapse with a day on which they could still be claimed, and are refused with the present
    day. So nothing joins those earlier days afterwards.
    """
    in_force = Settlement.objects.filter(contest__bet_type_code=bet_type_code, in_force=True)
    newest = (
        in_force.exclude(contest__state=Contest.State.DISCARDED)  # the index has no discarded ones
        .order_by("-contest__day")
        .values_list("contest__day", "settled_at")
        .first()
    )
    if newest is None:
        return date.min
    day, settled_at = newest
    return min(day, natural_day(settled_at))  # a meeting that was called off is settled ahead


def given_back(contest: Contest) -> dict[date, int]:
    """Return the cents that a contest's `lapsed` account gave back, by the day of their lapse."""
    account = accounts.lapsed(contest.pk)
    rows = Restoration.objects.filter(taken_from__code=account.code)
    return dict(rows.values_list("lapsed_day").annotate(Sum("cents")).order_by("lapsed_day"))
