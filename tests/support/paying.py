"""Make documents to be paid, for tests: tickets of any prize, offices and their cashiers.

Contests, settlements and payment orders are written directly; `books_agree` then knows only the
money moved in for the prizes.
"""

import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from django.conf import settings

from core.kernel import codes
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.payoffice.models import CashSession, Cheque, Claim, Deposit, Payee, Payment
from core.payoffice.services import deposits, desk, goods, matching, ruling
from core.payoffice.services.cash import cash_move, cash_open
from core.payoffice.services.paying import Paid, PayRequest
from core.payoffice.services.personal_data import PayeeFacts
from core.premises.access import TerminalActor
from core.premises.models import Premises
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Prize
from lototrot.models.tickets import LEG_COLUMNS, REQUEST_DIGEST_BYTES, Ticket
from lototrot.services.prizes.carry_over import carry_overs_due, lapsed_carry_over
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from promotrot.models.voucher import Voucher
from promotrot.services.office.handing import handover_propose
from promotrot.services.voucher_codes import code_of
from promotrot.services.vouchers import Issued, voucher_original
from tests.support import emitting, factories, rounds
from tests.support.api import Api, staff_api
from tests.support.factories import Point
from tests.support.factories.batches import one_transaction
from tests.support.lototrot import breaching
from tests.support.lototrot.ordering import order_of as order_of
from tests.support.lototrot.ordering import terms as terms
from tests.support.payoffice.counting import counted

RULES = rounds.rules(**rounds.TWO_LEGS)
MARIA = PayeeFacts("Maria Ferrer Riera", "dni", "43123456Z")


@dataclass(frozen=True, slots=True)
class Presented:
    """A sold ticket, the code on its paper, and what it is worth."""

    ticket: Ticket
    code: str
    cents: int

    @property
    def contest(self) -> Contest:
        return self.ticket.contest

    def request(self, **changes: Any) -> PayRequest:
        """Return the request that an operator would make for its payment."""
        asked = {"code": self.code, "amount_cents": self.cents, "intact": True} | changes
        return PayRequest(uuid=asked.pop("uuid", None) or new_uuid(), **asked)

    def body(self, **changes: Any) -> dict[str, Any]:
        """Return the same request as a body of the API."""
        asked = {
            "uuid": str(new_uuid()),
            "code": self.code,
            "amount_cents": self.cents,
            "intact": True,
        }
        return asked | changes


def contest(*, day: date | None = None) -> Contest:
    """A contest of two races on sale."""
    return rounds.contest(RULES, [(1, 2, 3)] * 2, day=day)


def tickets(of: Contest, count: int, at: Point | None = None) -> list[Presented]:
    """Return tickets with real codes that are right in every race that number 1 wins."""
    at = at or factories.point()
    key = secrets.token_bytes(32)
    idents = [new_uuid() for _ in range(count)]
    printed_codes = [
        codes.issue(codes.TICKET, ident, key, settings.CODE_KEYS, day=of.day) for ident in idents
    ]
    sold = Ticket.objects.bulk_create(
        sold_ticket(of, at, ident, code) for ident, code in zip(idents, printed_codes, strict=True)
    )
    rounds.sales_post(of, at, sold)
    return [Presented(t, code.grouped, 0) for t, code in zip(sold, printed_codes, strict=True)]


def settled(count: int, *, losers: int = 0, at: Point | None = None) -> list[Presented]:
    """Return tickets with both races right, settled and ordered by the services, payable now.

    Each of the `losers` is a ticket of 2,166.00 with nothing right, which makes the prizes larger.
    """
    numbers = tuple(range(1, 21))
    new_contest = rounds.contest(RULES, [numbers] * 2, price_cents=600)
    at = at or factories.point()
    sold = tickets(new_contest, count, at)
    others = sum(1 << number - 1 for number in numbers[1:])
    rounds.sell(new_contest, at, [(others, others)] * losers)
    rounds.run(new_contest, [Race(numbers, winners=frozenset({1}))] * 2)
    for due in carry_overs_due():  # as a worker would
        lapsed_carry_over(contest_id=due)
    contest_settle(contest_id=new_contest.pk)
    first, second = factories.two_organisers()
    two_persons.confirm(
        proposal=payment_order_propose(by=first, contest_id=new_contest.pk).uuid, by=second
    )
    prizes = dict(Prize.objects.values_list("ticket_id", "prize_cents"))
    new_contest.refresh_from_db()
    factories.time_pass(days=1)
    return [Presented(t.ticket, t.code, prizes[t.ticket.pk]) for t in sold]


def confirmed(proposal: Proposal, *roles: Role) -> None:
    """Confirm the proposal as another person."""
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(*(roles or (Role.SUPERVISOR,))))


def paid_alone(by: StaffActor, request: PayRequest) -> Paid:
    """Pay, as the cashier, an amount that needs no second person. Return the payment."""
    paid = desk.desk_pay(by=by, request=request)
    assert isinstance(paid, Paid)
    return paid


def paid_by_two(by: StaffActor, request: PayRequest) -> Paid:
    """Pay a large amount as the cashier, and confirm it as another person. Return the payment."""
    proposal = desk.desk_pay(by=by, request=request)
    assert isinstance(proposal, Proposal)
    confirmed(proposal)
    paid = desk.desk_pay(by=by, request=request)
    assert isinstance(paid, Paid)
    return paid


def cash_closed(by: StaffActor, session: CashSession, counted_cents: int) -> CashSession:
    """Close a session by count; another person receives the cash."""
    confirmed(counted(by, session, counted_cents))
    session.refresh_from_db()
    return session


def cash_taken(by: StaffActor, cents: int) -> None:
    """Take cash from the cashier's drawer; another person receives it."""
    proposal = cash_move(by=by, cents=-cents, reason="To the safe.")
    assert isinstance(proposal, Proposal)
    confirmed(proposal)


def stocked(place: Premises, units: int = 1, code: str = "bicycle") -> StaffActor:
    """Take units of a thing worth 4.00 in by two persons. Return who proposed it."""
    by = factories.staff(Role.SUPERVISOR)
    goods.stock_register(by=by, code=code, description="Bicycle", unit_cents=400)
    stock_moved(by, place, units, code)
    return by


def stock_moved(by: StaffActor, place: Premises, units: int, code: str = "bicycle") -> Proposal:
    """Move units of a thing in or out (negative) by two persons. Return the proposal."""
    proposal = goods.stock_move(
        by=by, item=code, premises=place.code, units=units, reason="Counted."
    )
    confirmed(proposal)
    return proposal


def sold_ticket(of: Contest, at: Point, ident: uuid.UUID, code: codes.Code) -> Ticket:
    """Return a row as a sale would have left it, to be inserted."""
    return Ticket(
        uuid=ident,
        contest=of,
        premises=at.premises,
        terminal=at.terminal,
        operator=at.operator,
        sold_at=of.opened_at,
        bets=1,
        amount_cents=of.price_cents,
        code_digest=settings.CODE_KEYS.digest(code),
        request_digest=bytes(REQUEST_DIGEST_BYTES),
        code_commitment=secrets.token_bytes(32),
        **dict.fromkeys(LEG_COLUMNS[: len(of.offered_masks)], 1),
    )


@one_transaction
def order(
    of: Contest, prizes: dict[int, int], *, results_day: date | None = None, claim_days: int = 30
) -> PaymentOrder:
    """Settle and order the contest with these prizes by ticket id, funded by the test."""
    factories.contest_closed(of)
    settlement = rounds.bare_settlement(of)
    winning_bets = [1] + [0] * (len(of.bet_type.document["shares_below"]) - 1)
    Prize.objects.bulk_create(
        (
            Prize(
                settlement=settlement,
                ticket_id=ticket,
                winning_bets=winning_bets,
                prize_cents=cents,
            )
            for ticket, cents in prizes.items()
        ),
        batch_size=10_000,
    )
    rounds.fund(accounts.prizes_payable(of.pk), sum(prizes.values()))
    for state in ("settled", "ordered"):
        Contest.objects.filter(pk=of.pk).update(state=state)
    of.refresh_from_db()
    days = terms(of, results_day=results_day, claim_days=claim_days)
    payment_order: PaymentOrder = PaymentOrder.objects.create(
        contest=of,
        settlement=settlement,
        proposal=factories.proposal(
            "lototrot.payment_order", f"contest:{of.pk}", order_of(settlement, days)
        ),
        **days,
    )
    return payment_order


def worth(*cents: int, day: date | None = None, pay_now: bool = True) -> list[Presented]:
    """Return tickets of one contest that won these amounts (0: nothing), payable since yesterday.

    With `pay_now` False the results are of today, so that payment begins tomorrow.
    """
    new_contest = contest(day=day)
    sold = tickets(new_contest, len(cents))
    prizes = {t.ticket.pk: c for t, c in zip(sold, cents, strict=True) if c}
    order(new_contest, prizes)
    if pay_now:
        factories.time_pass(days=1)
    return [Presented(t.ticket, t.code, c) for t, c in zip(sold, cents, strict=True)]


def refunds(count: int = 1) -> list[Presented]:
    """Return tickets voided as registered in breach: their price is due [C6]."""
    new_contest = contest()
    sold = tickets(new_contest, count)
    factories.contest_closed(new_contest)
    breaching.voided(t.ticket for t in sold)
    rounds.fund(accounts.refunds_due(new_contest.pk), count * new_contest.price_cents)
    return [Presented(t.ticket, t.code, new_contest.price_cents) for t in sold]


def handed_over(by: StaffActor, voucher: uuid.UUID, claim: str = "receipt") -> Issued:
    """Hand a held voucher over by two persons. Return it with the code that the first prints."""
    confirmed(handover_propose(by=by, ident=voucher, claim=claim))
    return voucher_original(by=by, ident=voucher)[1]


def handed_over_by_api(by: Api, voucher: str, claim: str = "receipt") -> dict[str, Any]:
    """Hand a held voucher over by two persons. Return the card that the first prints."""
    path = f"promotrot/office/vouchers/{voucher}"
    answer = by.post(f"{path}/handover", {"claim": claim})
    assert answer.status_code == 202, answer.content
    assert confirmed_over_api(answer.json()).status_code == 200
    card: dict[str, Any] = by.get(f"{path}/voucher.json").json()
    return card


def deposited(code: str, at: StaffActor | TerminalActor, reason: str = "damaged") -> Deposit:
    """Take a document in; an empty code is one that cannot be read."""
    request = deposits.DepositRequest(new_uuid(), reason, "x", code)
    return deposits.deposit_take(at=at, request=request)


def matched(deposit: Deposit, paper: Presented, evidence: str = "Sold then.") -> None:
    """Let a supervisor take an unreadable paper for a ticket of the records."""
    matching.deposit_match(
        by=factories.staff(Role.SUPERVISOR),
        deposit=deposit.uuid,
        game="lototrot",
        document=paper.ticket.uuid,
        evidence=evidence,
    )


def ruled(deposit: Deposit, verdict: str) -> None:
    """Rule on a deposit by two persons; the first cannot confirm alone."""
    by = factories.staff(Role.ORGANISER)
    proposal = ruling.ruling_propose(
        by=by, verdict=verdict, reason="As looked at.", deposit=deposit.uuid
    )
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    confirmed(proposal)


def forged_code() -> str:
    """Return a code whose check character is right, made without the keys."""
    body = "1" + "A" * 22
    return body + codes._check(body)


def unknown_code() -> str:
    """Return an authentic code of no ticket."""
    return codes.issue(codes.TICKET, uuid.uuid4(), bytes(32), settings.CODE_KEYS).grouped


def nothing_written() -> bool:
    """Return whether the office has paid nothing: no claim, payment, payee, cheque or transfer."""
    return not (
        Claim.objects.exists()
        or Payment.objects.exists()
        or Payee.objects.exists()
        or Cheque.objects.exists()
        or Transfer.objects.filter(kind__startswith="payoffice").exists()
    )


def bicycles() -> list[Presented]:
    """Return two vouchers for a bicycle worth 4.00, or its price, issued at an establishment."""
    texts = emitting.small()["texts"]
    for each in texts.values():
        each["prizes"] = {"bicycle": "Bicycle"}
    thing = {
        "description": "bicycle",
        "equivalent_cents": 400,
        "source": "Three shops",
        "valued_on": "2026-01-01",
    }
    tiers = [{"in_kind": thing, "count": 2}, {"cash_cents": 100, "count": 20}]
    emission = emitting.opened(emitting.small(tiers=tiers, texts=texts))
    place = factories.point()
    for ident in emitting.sold(emission, 40, place):
        emitting.played(place, [ident])
    won = Voucher.objects.filter(nature="in_kind")
    return [Presented(row, code_of(row.uuid, row.issue_day).grouped, 400) for row in won]


def office(kind: str = Premises.Kind.CENTRAL_OFFICE) -> Premises:
    return factories.premises(kind, authorised=())


def cashier(
    place: Premises | None = None, *, float_cents: int = 10_000_000, roles: Sequence[Role] = ()
) -> StaffActor:
    """Return a cashier of the Central Office with an open session and plenty of cash in it."""
    who = factories.staff(*(roles or (Role.CASHIER,)))
    cash_open(by=who, premises=(place or office()).code, float_cents=float_cents)
    return who


def session_of(who: StaffActor) -> CashSession:
    return CashSession.objects.get(cashier_id=who.user_id, closed_at=None)


def balance(account: ledger.AccountCode) -> int:
    return ledger.balance_cents(account)


def desk_api() -> Api:
    """Return a cashier at the Central Office with 20,000.00 in an open session, over the API."""
    api = staff_api(Role.CASHIER)
    body = {"premises": office().code, "float_cents": 2_000_000}
    assert api.post("office/cash-sessions", body).status_code == 201
    return api


def confirmed_over_api(proposal: dict[str, Any], *roles: Role) -> Any:
    """Confirm the proposal as another person. Return the response."""
    path = f"proposals/{proposal['proposal']}/confirmation"
    return staff_api(*(roles or (Role.SUPERVISOR,))).post(path)
