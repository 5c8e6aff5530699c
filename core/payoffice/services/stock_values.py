"""Correct the value of a thing in the register of prizes in kind, by two persons (ADR 93).

One person registers a thing, and may mistype its value. The books are moved to where they would be
if it had been registered right: of what is in stock, and of what was handed over.
"""

from django.db import transaction
from django.db.models import Count, Q, Sum

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.errors import Invalid
from core.kernel.money import MAX_ACT_CENTS
from core.ledger import services as ledger
from core.ledger.services import Line
from core.payoffice import postings, powers
from core.payoffice.models import StockCorrection, StockItem
from core.payoffice.services.goods import StockChanged, item_get
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class ValueWrong(Invalid):
    code = "stock_value_wrong"
    message = (
        "Give another value of a unit than is on record, with a reason. A unit, and the difference"
        " of all units, are worth ten thousand million euros at most."
    )


@transaction.atomic
def stock_correct(*, by: StaffActor, item: str, unit_cents: int, reason: str) -> Proposal:
    """Propose another value of a unit of a thing. Another person confirms it.

    The proposal names the units that came in, and by how much they change the books. Raises
    ItemUnknown, ValueWrong, ProposalPending.
    """
    by.need(powers.KEEP_STOCK)
    thing = item_get(item)
    units, _handed_over = _units(thing)
    cents = units * (unit_cents - thing.unit_cents)
    is_new = 0 < unit_cents <= MAX_ACT_CENTS and unit_cents != thing.unit_cents
    if not is_new or not reason.strip() or abs(cents) > MAX_ACT_CENTS:
        raise ValueWrong
    content: two_persons.Content = {
        "item": thing.code,
        "from_cents": thing.unit_cents,
        "to_cents": unit_cents,
        "units": units,
        "cents": cents,
        "reason": reason,
    }
    subject = f"stock_value:{thing.code}"
    return two_persons.propose(kind=CORRECTION, subject=subject, content=content, by=by)


def _units(thing: StockItem) -> tuple[int, int]:
    """Return the units of a thing that came in, less those that went out by the word of two
    persons, and how many of them were handed over.
    """
    sums = thing.movements.aggregate(
        units=Sum("units", filter=Q(exchange=None)), handed_over=Count("exchange")
    )
    return sums["units"] or 0, sums["handed_over"]


def _corrected(proposal: Proposal, by: StaffActor) -> None:
    """Correct the value. The database writes it into the register with the correction.

    Raises StockChanged if units came in or went out since, or the value is another one. What was
    handed over meanwhile changes nothing of what was proposed.
    """
    content = proposal.content
    thing = item_get(content["item"])
    hold((Lock.STOCK, thing.pk))
    thing.refresh_from_db()
    units, handed_over = _units(thing)
    if (content["from_cents"], content["units"]) != (thing.unit_cents, units):
        raise StockChanged(item=thing.code)
    now = clock.now()
    correction = StockCorrection.objects.create(
        uuid=row_uuid(now),
        item=thing,
        from_cents=thing.unit_cents,
        to_cents=content["to_cents"],
        units=units,
        handed_over=handed_over,
        reason=content["reason"],
        proposal=proposal,
        corrected_at=now,
    )
    ledger.post(reference=correction.uuid, lines=lines_of_correction(correction))


def lines_of_correction(correction: StockCorrection) -> list[Line]:
    """Return the lines that a correction posts."""
    return postings.goods_corrected(
        units=correction.units,
        handed_over=correction.handed_over,
        by_cents=correction.to_cents - correction.from_cents,
    )


CORRECTION = two_persons.Kind("payoffice.stock_correction", powers.KEEP_STOCK, apply=_corrected)
