"""Show what the second person reads before things come into the stock or leave it, or before their
value is corrected.
"""

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import link, money
from core.admin_support.contents import ProposalWords
from core.database.reading.batches import row_by, the
from core.payoffice.models import StockItem
from core.payoffice.services.goods import MOVEMENT
from core.payoffice.services.stock_values import CORRECTION
from core.premises.models import Premises
from core.staff.models import Proposal


def _item(proposal: Proposal) -> StockItem:
    return the(row_by(StockItem, "code", proposal.content["item"]))


def _subject(proposal: Proposal) -> SafeString:
    units = f"{proposal.content['units']:+d}"
    return format_html("{}: {}", _item(proposal).description, units)


def _facts(proposal: Proposal) -> list[tuple[Any, Any]]:
    item, content = _item(proposal), proposal.content
    return [
        (_("on confirming"), _("You have counted these things at that office.")),
        (_("thing"), link(item)),
        (_("description"), item.description),
        (_("office"), link(Premises.objects.get(code=content["premises"]))),
        (_("units"), f"{content['units']:+d}"),
        (_("value of a unit"), money(item.unit_cents)),
        (_("amount"), money(content["cents"])),
        (_("reason"), content["reason"]),
    ]


def _corrected_subject(proposal: Proposal) -> SafeString:
    content = proposal.content
    values = money(content["from_cents"]), money(content["to_cents"])
    return format_html("{}: {} → {}", _item(proposal).description, *values)


def _corrected_facts(proposal: Proposal) -> list[tuple[Any, Any]]:
    item, content = _item(proposal), proposal.content
    return [
        (_("thing"), link(item)),
        (_("description"), item.description),
        (_("value before"), money(content["from_cents"])),
        (_("value from now on"), money(content["to_cents"])),
        (_("units that came in"), content["units"]),
        (_("the treasury pays more (below zero: less)"), money(content["cents"])),
        (_("reason"), content["reason"]),
    ]


WORDS = {
    MOVEMENT.name: ProposalWords("cents", _subject, _facts),
    CORRECTION.name: ProposalWords("from_cents", _corrected_subject, _corrected_facts),
}
