"""Count the money that was paid out, from rows alone: without services and accounts."""

import dataclasses

from django.db import connection

_COUNTED = {
    "paid": "SELECT sum(amount_cents) FROM payoffice_payment",
    "remitted": "SELECT sum(abs(amount_cents)) FROM statements_remittance",
    "handed over": (
        "SELECT sum(v.amount_cents) FROM promotrot_voucherhandover h"
        " JOIN promotrot_voucher v ON v.id = h.voucher_id"
    ),
    "out of stock or into it": (
        "SELECT sum(abs(m.units) * i.unit_cents) FROM payoffice_stockmovement m"
        " JOIN payoffice_stockitem i ON i.id = m.item_id"
    ),
    "out of drawers": (
        "SELECT (SELECT coalesce(-sum(cents), 0) FROM payoffice_cashmovement WHERE cents < 0)"
        " + (SELECT coalesce(sum(expected_cents), 0) FROM payoffice_cashsession)"
    ),
    "sold": "SELECT sum(amount_cents) FROM lototrot_ticket",
    "played": (
        "SELECT sum(e.price_cents) FROM promotrot_playticket t"
        " JOIN promotrot_emission e ON e.id = t.emission_id"
    ),
    "limits": "SELECT sum(limit_cents) FROM statements_guaranteelimit",
    "rates": "SELECT count(*) FROM statements_commissionrate",
    "accounts": "SELECT count(*) FROM staff_user WHERE is_active",
    "orders": "SELECT count(*) FROM lototrot_paymentorder",
    "winners": "SELECT sum(prize_cents) FROM lototrot_prize",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Taken:
    """Hold what left since an earlier count by way, in cents (of rates, accounts, orders: rows)."""

    by_way: dict[str, int]

    @property
    def cents(self) -> int:
        return sum(self.by_way.values())


def counted() -> dict[str, int]:
    """Return the sums that were paid out, and the counts of acts that entitle to more."""
    with connection.cursor() as cursor:
        counts = {}
        for way, query in _COUNTED.items():
            cursor.execute(query)
            counts[way] = int(cursor.fetchone()[0] or 0)
        return counts


def taken_since(before: dict[str, int]) -> Taken:
    """Return the difference to an earlier count, where there is one."""
    now = counted()
    return Taken({way: now[way] - before[way] for way in now if now[way] != before[way]})
