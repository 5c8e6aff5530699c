"""Tell on the first page how much is owed to players and not claimed, by when it lapses."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _

from core.admin_support import signed_on
from core.admin_support.columns import money
from core.admin_support.contents import Figure
from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import powers, sources

_SOON = timedelta(days=7)


def figures(request: HttpRequest) -> list[Figure]:
    """Return what is owed and not claimed, and the part of it that lapses within a week."""
    if not signed_on.may(request, powers.READ):
        return []
    outs = [out for source in sources.all_sources() for out in source.outs()]
    until = natural_day(clock.now()) + _SOON
    soon = [out for out in outs if out.last_claim_day and out.last_claim_day <= until]
    return [
        Figure(_("Not claimed yet"), money(sum(out.cents for out in outs))),
        Figure(_("Lapses within a week"), money(sum(out.cents for out in soon))),
    ]
