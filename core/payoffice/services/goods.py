"""Keep the stock of prizes in kind, and exchange documents for them (15.III.6.5) [P4].

What comes in costs the treasury its value, and what goes out is lost: two persons say each.
"""

from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils.crypto import salted_hmac

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Invalid, NotFound
from core.kernel.money import MAX_ACT_CENTS
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.ledger.services import AccountCode
from core.payoffice import postings, powers
from core.payoffice.judging import Verdict
from core.payoffice.models import CashSession, Claim, Deposit, Exchange, StockItem, StockMovement
from core.payoffice.refusals import (
    DocumentAltered,
    MoneyHeld,
    NotInKind,
    OutOfStock,
    RequestUuidReused,
)
from core.payoffice.services import finding, paying
from core.payoffice.services.cash import cash_session_of, need_open
from core.payoffice.services.presenting import claim_insert, present
from core.payoffice.sources import Payable
from core.premises.models import Premises
from core.premises.requests import need_new
from core.premises.services import PremisesUnknown
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class ItemUnknown(NotFound):
    code = "stock_item_unknown"
    message = "There is no such thing in the register of prizes in kind."


class ItemDiffers(Conflict):
    code = "stock_item_differs"
    message = "That thing is on record with another description or value."


class StockChanged(Conflict):
    code = "stock_changed"
    message = (
        "The value of the thing, or how many came in, changed since: look at it again, and begin"
        " anew."
    )


class UnitsWrong(Invalid):
    code = "stock_units_wrong"
    message = (
        "Give the units as a whole number other than zero, with a reason. Together they are worth"
        " ten thousand million euros at most."
    )


@transaction.atomic
def stock_register(*, by: StaffActor, code: str, description: str, unit_cents: int) -> StockItem:
    """Register a thing under the name that its game gives it. A second call changes nothing.

    Raises ItemDiffers.
    """
    by.need(powers.KEEP_STOCK)
    item, _ = StockItem.objects.get_or_create(
        code=code,
        defaults={
            "description": description,
            "unit_cents": unit_cents,
            "recorded_at": clock.now(),
        },
    )
    if (item.description, item.unit_cents) != (description, unit_cents):
        raise ItemDiffers(item=code)
    return item


def item_get(code: str) -> StockItem:
    """Return a registered thing. Raises ItemUnknown."""
    item = StockItem.objects.filter(code=code).first()
    if item is None:
        raise ItemUnknown(item=code)
    return item


@transaction.atomic
def stock_move(*, by: StaffActor, item: str, premises: str, units: int, reason: str) -> Proposal:
    """Propose that units come in, or go out, such as after a count (negative units).

    Another person confirms it, who has counted them. Of a thing one movement at a place waits.
    Raises ItemUnknown, PremisesUnknown, UnitsWrong, OutOfStock, ProposalPending.
    """
    by.need(powers.KEEP_STOCK)
    thing = item_get(item)
    place = Premises.objects.filter(code=premises).first()
    if place is None:
        raise PremisesUnknown(premises=premises)
    cents = units * thing.unit_cents
    if not units or not reason.strip() or abs(cents) > MAX_ACT_CENTS:
        raise UnitsWrong
    _need_stock(thing, place.pk, -units)
    content: two_persons.Content = {
        "item": thing.code,
        "premises": place.code,
        "units": units,
        "cents": cents,
        "reason": reason,
    }
    subject = f"stock:{thing.code}:{place.code}"
    return two_persons.propose(kind=MOVEMENT, subject=subject, content=content, by=by)


def _moves(proposal: Proposal, by: StaffActor) -> None:
    """Move units as proposed. Raises OutOfStock, or StockChanged if they are worth another sum."""
    content = proposal.content
    item = _item_held(content["item"])
    if content["cents"] != content["units"] * item.unit_cents:
        raise StockChanged(item=item.code)
    place = Premises.objects.get(code=content["premises"])
    movement = _move(
        item,
        place.pk,
        content["units"],
        proposal.proposed_by_id,
        reason=content["reason"],
        proposal=proposal,
    )
    ledger.post(reference=movement.uuid, lines=[postings.goods_moved(content["cents"])])


def _item_held(code: str) -> StockItem:
    """Return a thing, whose stock and value stay until the transaction ends. Raises ItemUnknown."""
    item = item_get(code)
    hold((Lock.STOCK, item.pk))
    item.refresh_from_db()
    return item


def _need_stock(item: StockItem, premises_id: int, units: int) -> None:
    if units > 0 and units_by_place(item).get(premises_id, 0) < units:
        raise OutOfStock(item=item.code)


def units_by_place(item: StockItem) -> dict[int, int]:
    """Return the units in stock by premises id."""
    places = item.movements.order_by().values_list("premises_id")
    return dict(places.annotate(units=Sum("units")))


def _place_of_unit(item: StockItem, premises_id: int) -> int:
    """Return the place that hands a unit over: the office itself, or where most are in stock.

    The caller holds the item. Raises OutOfStock.
    """
    units = {place: units for place, units in units_by_place(item).items() if units > 0}
    if not units:
        raise OutOfStock(item=item.code)
    return premises_id if premises_id in units else max(units, key=lambda place: units[place])


def _move(
    item: StockItem,
    premises_id: int,
    units: int,
    staff_id: int,
    *,
    reason: str,
    exchange: Exchange | None = None,
    proposal: Proposal | None = None,
) -> StockMovement:
    _need_stock(item, premises_id, -units)
    movement: StockMovement = StockMovement.objects.create(
        uuid=row_uuid(clock.now()),
        item=item,
        units=units,
        premises_id=premises_id,
        reason=reason,
        exchange=exchange,
        proposal=proposal,
        staff_id=staff_id,
        moved_at=clock.now(),
    )
    return movement


def stock_units(item: StockItem) -> int:
    """Return the number of units in stock."""
    return int(item.movements.aggregate(units=Sum("units"))["units"] or 0)


@dataclass(frozen=True, slots=True)
class ExchangeRequest:
    """A request to exchange a document for the thing it won.

    The client makes `uuid` before its first attempt.
    """

    uuid: UUID
    intact: bool
    code: str = field(default="", repr=False)
    deposit: UUID | None = None

    def digest(self) -> bytes:
        """Return a keyed digest of the content; it tells a retry from a reuse of the UUID."""
        code = "".join(self.code.split()).replace("-", "").upper()
        text = "\n".join((code, str(self.intact), str(self.deposit)))
        return salted_hmac("core.payoffice.exchange", text, algorithm="sha256").digest()


@transaction.atomic
def exchange_make(*, by: StaffActor, request: ExchangeRequest) -> Exchange | Proposal:
    """Exchange a document at the Central Office for the paper that entitles to the thing.

    From the configured amount on, of the prize or of the unit in the books, it is proposed, and
    another person confirms; the document is presented, so that it does not lapse meanwhile. The
    same request returns the same exchange or proposal. Raises NotInKind, OutOfStock, ItemUnknown,
    StockChanged, CashSessionMissing, PayerHandedOver, RequestUuidReused, or the refusal of the
    document's state or of the place.
    """
    by.need(powers.PAY)
    hold((Lock.REQUEST, request.uuid.int))
    digest = request.digest()
    earlier = Exchange.objects.filter(uuid=request.uuid).first()
    if earlier is not None:
        if bytes(earlier.request_digest) != digest or earlier.staff_id != by.user_id:
            raise RequestUuidReused
        return earlier
    _need_unused(request.uuid)
    pending = paying.request_pending(
        EXCHANGE.name, proposer_id=by.user_id, ident=request.uuid, digest=digest
    )
    if pending is not None:
        return pending
    need_new(request.uuid)
    session = cash_session_of(by)
    if not request.intact:
        raise DocumentAltered
    payable = finding.presented(request.code, request.deposit)
    paying.need_other_hands(payable, by.user_id)
    _judge(payable, request.deposit, session)
    item = _item_of(payable)
    if _large_cents(payable, item) < settings.SECOND_PERSON_FROM_CENTS:
        return _exchange(payable, request.deposit, request.uuid, digest, session, by.user_id)
    proposal = two_persons.propose(
        kind=EXCHANGE,
        subject=f"{payable.game}:{payable.uuid}",
        by=by,
        content={
            "uuid": str(request.uuid),
            "digest": digest.hex(),
            "game": payable.game,
            "document": str(payable.uuid),
            "document_id": payable.document_id,
            "item": item.code,
            "unit_cents": item.unit_cents,
            "amount_cents": payable.amount_cents,
            "cash_session": str(session.uuid),
            "deposit": str(request.deposit) if request.deposit else None,
        },
    )
    if finding.claim_of(payable) is None:
        present(payable, {"staff_id": by.user_id, "premises_id": session.premises_id})
    return proposal


def _item_of(payable: Payable) -> StockItem:
    """Return the thing that a document won. Raises NotInKind, ItemUnknown."""
    if payable.thing is None:
        raise NotInKind
    return item_get(payable.thing.item)


def _large_cents(payable: Payable, item: StockItem) -> int:
    """Return the sum that decides whether two persons exchange: the equivalent of the prize, or
    what the unit is worth in the books if that is more.
    """
    return max(payable.amount_cents, item.unit_cents)


def _need_unused(ident: UUID) -> None:
    """Raise RequestUuidReused if a payment, a sale or a deposit has the UUID."""
    used = Transfer.objects.filter(reference=ident).exists()
    if used or Deposit.objects.filter(uuid=ident).exists():
        raise RequestUuidReused


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    ident = UUID(content["uuid"])
    hold((Lock.REQUEST, ident.int))
    _need_unused(ident)
    payable = finding.by_uuid(content["game"], UUID(content["document"]))
    paying.need_other_hands(payable, by.user_id)
    session = CashSession.objects.select_related("premises").get(uuid=content["cash_session"])
    deposit = UUID(content["deposit"]) if content["deposit"] else None
    _judge(payable, deposit, session)
    _exchange(
        payable,
        deposit,
        ident,
        bytes.fromhex(content["digest"]),
        session,
        proposal.proposed_by_id,
        proposal=proposal,
    )


def _judge(payable: Payable, deposit: UUID | None, session: CashSession) -> Verdict:
    if payable.thing is None:
        raise NotInKind
    at = paying.payer_at_desk(session, session.cashier_id).at
    return paying.judge(payable, finding.current_claim(payable), deposit, at)


def _exchange(
    payable: Payable,
    deposit: UUID | None,
    ident: UUID,
    digest: bytes,
    session: CashSession,
    staff_id: int,
    proposal: Proposal | None = None,
) -> Exchange:
    """Write the exchange, its claim, the unit that leaves the stock, and the transfers.

    The prize is worth the equivalent of its emission, the unit what the books say [P21]. The unit
    may be at another place than the office: the document says where the thing is handed over.
    Raises StockChanged where the unit takes two persons by now, or they read another value of it.
    """
    need_open(session)
    thing = _item_of(payable).code
    claim, stood = _claim_exchanged(payable, deposit, session)
    item = _item_held(thing)
    if proposal is None:
        changed = _large_cents(payable, item) >= settings.SECOND_PERSON_FROM_CENTS
    else:
        changed = proposal.content["unit_cents"] != item.unit_cents
    if changed:
        raise StockChanged(item=thing)
    exchange: Exchange = Exchange.objects.create(
        uuid=ident,
        request_digest=digest,
        claim=claim,
        item=item,
        amount_cents=payable.amount_cents,
        unit_cents=item.unit_cents,
        exchanged_at=clock.now(),
        premises_id=session.premises_id,
        staff_id=staff_id,
        proposal=proposal,
    )
    place = _place_of_unit(item, session.premises_id)
    _move(item, place, -1, staff_id, reason=str(payable.uuid), exchange=exchange)
    lines = postings.exchange(stood=stood, cents=payable.amount_cents, unit_cents=item.unit_cents)
    ledger.post(reference=ident, lines=lines)
    return exchange


def _claim_exchanged(
    payable: Payable, deposit: UUID | None, session: CashSession
) -> tuple[Claim, AccountCode]:
    """Move the document's claim, or open it. Return it, and the account that held its money.

    Of a payment and an exchange at once the second waits for the first, and is judged again by
    what became of the document. Raises the refusal of its state.
    """
    for _ in range(paying.JUDGEMENTS):
        verdict = _judge(payable, deposit, session)
        claim = _claim_moved(payable, verdict.expected)
        if claim is not None:
            return claim, verdict.debit
    raise MoneyHeld


def _claim_moved(payable: Payable, expected: str | None) -> Claim | None:
    """Move the claim from the state that was judged, None for no claim; None if it has changed."""
    now, exchanged = clock.now(), Claim.State.EXCHANGED
    if expected is None:
        return claim_insert(payable, exchanged, payable.amount_cents, now)
    judged = Claim.objects.filter(
        game=payable.game, document_id=payable.document_id, state=expected
    )
    moved = judged.update(state=exchanged, changed_at=now)
    return finding.claim_of(payable) if moved else None


EXCHANGE = two_persons.Kind("payoffice.exchange", powers.PAY, apply=_confirmed)
MOVEMENT = two_persons.Kind("payoffice.stock_movement", powers.KEEP_STOCK, apply=_moves)
