"""Read a plan back from its document, `promotrot-plan/1`: the same plan, to the digest."""

from typing import Final

from core.kernel.documents import Table
from core.kernel.money import MAX_CENTS
from promotrot.engine.game_json import MAX_TICKETS, GameRefused, read_prize
from promotrot.engine.plan import FORMAT, BlockClass, Plan
from promotrot.engine.prize_table import Tier

MAX_CLASSES: Final = 10_000


def read_plan(document: object) -> Plan:
    """Read a plan's document. Raises GameRefused at the first thing that is not understood."""
    table = Table(document, "$", GameRefused)
    if table.text("format") != FORMAT:
        raise table.wrong("format", f"it is {FORMAT!r}")
    plan = Plan(
        price_cents=table.whole("price_cents", MAX_CENTS),
        tiers=table.tables("tiers", _tier),
        classes=table.tables("classes", _class, MAX_CLASSES),
    )
    if table.whole("tickets", MAX_TICKETS) != plan.tickets:
        raise table.wrong("tickets", "the classes hold another number of tickets")
    table.finish()
    if plan.document() != document:
        raise table.wrong("tiers", "the document is not the plan's own")
    return plan


def _tier(table: Table) -> Tier:
    extra = table.get("extra")
    return Tier(read_prize(table), table.whole("count", MAX_TICKETS), extra is True)


def _class(table: Table) -> BlockClass:
    return BlockClass(
        blocks=table.whole("blocks", MAX_TICKETS, 1),
        tickets=table.whole("tickets", MAX_TICKETS, 1),
        prizes=table.wholes("prizes", MAX_TICKETS),
    )
