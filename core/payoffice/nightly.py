"""List every night the payments and exchanges of a day that may have gone to those who work here.

A bearer has no name, so nobody knows who held a ticket that was paid in cash. Three kinds are
listed, for somebody to ask about:

* a cheque whose payee has the name of a member of staff or an operator;
* a document that its payer had looked up without its code;
* a document that premises or a cashier paid, or whose thing they gave out, half an hour or more
  after the system had told them that it is worth something. They may have told the player that it
  won nothing.
"""

from datetime import date
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.reading.asking import fetch_all
from core.database.reading.numbers import numbers, within
from core.kernel.days import day_bounds
from core.looks.recording import BY_CODE
from core.nights.jobs import Job, Outcome
from core.payoffice.models import Cheque, Exchange, Payment

TOLD_MINUTES = 30

_PAID_AFTER = """
SELECT p.uuid::text, c.game, c.document_id, p.amount_cents, p.means, p.paid_at, m.code,
       coalesce(u.username, o.number::text),
       l.door, l.at, l.asked = %(code)s
  FROM (SELECT id, uuid, claim_id, amount_cents, means, paid_at, premises_id, staff_id, proposal_id
          FROM payoffice_payment
         WHERE id >= %(first)s AND id < %(after)s AND paid_at >= %(begin)s AND paid_at < %(end)s
         UNION ALL
        SELECT id, uuid, claim_id, amount_cents, 'in_kind', exchanged_at, premises_id, staff_id,
               proposal_id
          FROM payoffice_exchange
         WHERE id >= %(first_exchange)s AND id < %(after_exchange)s
           AND exchanged_at >= %(begin)s AND exchanged_at < %(end)s) p
  JOIN payoffice_claim c ON c.id = p.claim_id
  JOIN premises_premises m ON m.id = p.premises_id
  LEFT JOIN staff_decision d ON d.proposal_id = p.proposal_id
  JOIN looks_look l ON l.kind = 'document' AND l.subject = c.game || ':' || c.document_id
   AND l.at < p.paid_at
  LEFT JOIN staff_user u ON u.id = l.user_id
  LEFT JOIN premises_operator o ON o.id = l.operator_id
 WHERE (l.user_id IN (p.staff_id, d.decided_by_id) OR o.premises_id = p.premises_id)
   AND (l.asked <> %(code)s OR l.at < p.paid_at - %(minutes)s * interval '1 minute')
 ORDER BY p.paid_at, p.uuid, l.id
"""


def looked_up_and_paid(day: date) -> Outcome:
    """List the day's payments to people named like staff, and those by who had looked them up."""
    begin, end = day_bounds(day)
    first, after = numbers(Payment, "paid_at", begin, end)
    values: dict[str, Any] = {"first": first, "after": after, "begin": begin, "end": end}
    exchanges = numbers(Exchange, "exchanged_at", begin, end)
    values["first_exchange"], values["after_exchange"] = exchanges
    values |= {"code": BY_CODE, "minutes": TOLD_MINUTES}
    paid = [_paid(row) for row in fetch_all(_PAID_AFTER, values)]
    named = (
        Cheque.objects.filter(~Q(payee__like_user=None) | ~Q(payee__like_operator=None))
        .filter(within(Cheque, "issued_at", begin, end))
        .select_related("payment", "payee__like_user", "payee__like_operator__premises")
    )
    lists = {
        "named_like_staff": [_named(cheque) for cheque in named.order_by("number")],
        "told_before": [row for was_told, row in paid if was_told],
        "looked_up_before": [row for was_told, row in paid if not was_told],
    }
    counts = {name: len(rows) for name, rows in lists.items()}
    return Outcome(counts, {name: rows for name, rows in lists.items() if rows})


def _paid(row: tuple[Any, ...]) -> tuple[bool, dict[str, Any]]:
    """Return whether the payer was told by the code, and the row of the list."""
    payment, game, document, cents, means, paid_at, premises, who, door, at, told_before = row
    return told_before, {
        "payment": payment,
        "game": game,
        "document": document,
        "amount_cents": cents,
        "means": means,
        "paid_at": paid_at.isoformat(),
        "premises": premises,
        "looked_by": who,
        "door": door,
        "looked_at": at.isoformat(),
    }


def _named(cheque: Cheque) -> dict[str, Any]:
    payee = cheque.payee
    return {
        "payment": str(cheque.payment.uuid),
        "cheque": cheque.number,
        "amount_cents": cheque.amount_cents,
        "issued_at": cheque.issued_at.isoformat(),
        "like_user": str(payee.like_user) if payee.like_user else None,
        "like_operator": (
            f"{payee.like_operator.premises.code} {payee.like_operator}"
            if payee.like_operator
            else None
        ),
    }


JOBS: tuple[Job, ...] = (
    Job(
        name="payoffice.looked_up",
        title=_("Payments to those who work here, or by who had looked them up"),
        order=40,
        run=looked_up_and_paid,
    ),
)
