"""What must hold between Promotrot's rows and the acts that wrote them."""

from core.journal.house_rules import sold
from core.journal.rules import Rule, register

VOUCHER = Rule(
    "promotrot_voucher.with_play",
    "it is not of the act that ended its play",
    """
    SELECT 'promotrot_voucher', v.id, v.journal_xid
      FROM promotrot_voucher v LEFT JOIN promotrot_playend e ON e.ticket_id = v.ticket_id
     WHERE e.journal_xid IS DISTINCT FROM v.journal_xid AND v.nature <> 'drawn'
    """,
)


def register_all() -> None:
    register(sold("promotrot_playticket", act="promotrot.sale", amount="price_cents"))
    register(VOUCHER)
