"""Show on the first page the takings, the jackpots and the silent terminals of open contests."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.admin_support import signed_on
from core.admin_support.columns import money
from core.admin_support.contents import Figure
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.selectors.live_sales import silent_terminals
from lototrot.selectors.settlement.settlements import chain_balances
from lototrot.selectors.totals import totals_of

_MOST_CONTESTS = 3
_MOST_SILENT = 99


def figures(request: HttpRequest) -> list[Figure]:
    """Return the figures of the contests on sale, those that close first before the others."""
    if not signed_on.may(request, powers.WATCH):
        return []
    on_sale = Contest.objects.filter(state=Contest.State.OPEN).select_related("meeting", "bet_type")
    contests = list(on_sale.order_by("scheduled_close_at", "pk")[:_MOST_CONTESTS])
    totals = totals_of(contests)
    listed = []
    for contest in contests:
        desk = reverse("admin:race_day_of", args=[contest.pk])
        total = totals.get(contest.pk)
        takings, tickets = (total.takings_cents, total.tickets) if total else (0, 0)
        sold = ngettext("%(n)s ticket", "%(n)s tickets", tickets) % {"n": tickets}
        listed.append(
            Figure(_("Takings"), money(takings), f"{contest.meeting.name} · {sold}", desk)
        )
    for code in dict.fromkeys(contest.bet_type.code for contest in contests):
        chain = chain_balances(code)  # as the board tells it: with what lapsed for the next meeting
        jackpot = money(chain.jackpot_cents + chain.lapsed_cents)
        listed.append(Figure(_("Jackpot"), jackpot, capfirst(code)))
    if contests:
        silent = silent_terminals(contests[0], most=_MOST_SILENT)
        desk = reverse("admin:race_day_of", args=[contests[0].pk])
        listed.append(Figure(_("Silent terminals"), len(silent), contests[0].meeting.name, desk))
    return listed
