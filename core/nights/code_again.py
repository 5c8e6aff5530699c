"""List payments of documents whose code the paying operator had had again.

A code is given again to the operator who sold, until the paper is confirmed. A dishonest one can
keep it, and be paid at the own counter before the player comes. It may be honest: an answer was
lost, and the player is paid where they bought. Somebody looks at the premises that come often.
"""

from datetime import date
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.database.reading.asking import fetch_all
from core.database.reading.numbers import numbers
from core.kernel.days import day_bounds
from core.nights.jobs import MOST_LISTED, Job, Outcome
from core.payoffice.models import Payment

TITLE: Promise = _("Prizes paid by the operator who had a code again")

_PAID = """
SELECT p.uuid::text, p.amount_cents, p.paid_at, m.code, o.number::text, g.road, g.at
  FROM payoffice_payment p
  JOIN payoffice_claim c ON c.id = p.claim_id AND c.game = %(game)s
  JOIN (SELECT {key} AS document_id, operator_id, road, given_at AS at FROM {repeats}
        UNION ALL
        SELECT {key}, operator_id, 'copy', printed_at FROM {copies}) g
    ON g.document_id = c.document_id
  JOIN premises_operator o ON o.id = g.operator_id
  JOIN premises_premises m ON m.id = p.premises_id
 WHERE p.id >= %(first)s AND p.id < %(after)s AND p.paid_at >= %(begin)s AND p.paid_at < %(end)s
   AND g.operator_id IN (p.operator_id, p.second_operator_id)
 ORDER BY p.id, g.at
"""


def code_again_job(game: str, *, repeats: str, copies: str, key: str) -> Job:
    """Return the nightly job of a game.

    `repeats` and `copies` are its tables of codes given again and of marked copies; `key` is the
    column of the document in both.
    """
    query = _PAID.format(repeats=repeats, copies=copies, key=key)

    def listed(day: date) -> Outcome:
        begin, end = day_bounds(day)
        first, after = numbers(Payment, "paid_at", begin, end)
        values: dict[str, Any] = {"game": game, "first": first, "after": after}
        values |= {"begin": begin, "end": end}
        rows = [
            {
                "payment": payment,
                "amount_cents": cents,
                "paid_at": paid_at.isoformat(),
                "premises": premises,
                "operator": operator,
                "road": road,
                "given_at": at.isoformat(),
            }
            for payment, cents, paid_at, premises, operator, road, at in fetch_all(query, values)
        ]
        return Outcome({"paid": len(rows)}, {"paid": rows[:MOST_LISTED]} if rows else {})

    return Job(name=f"{game}.code_again", title=TITLE, order=40, run=listed)
