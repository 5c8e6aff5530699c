"""What must hold between Lototrot's rows and the acts that wrote them."""

from core.journal.house_rules import confirmed, sold, with_parent
from core.journal.rules import register


def register_all() -> None:
    register(sold("lototrot_ticket", act="lototrot.sale", amount="amount_cents"))
    register(with_parent("lototrot_prize", "lototrot_settlement", "settlement_id"))
    register(with_parent("lototrot_settlementcategory", "lototrot_settlement", "settlement_id"))
    for table in ("classification", "racestart", "void", "bar", "paymentorder"):
        register(confirmed(f"lototrot_{table}"))
