"""The office's other acts: deposits, rulings, blocks, cheques, cash, prizes in kind, the books."""

import uuid
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.database.kept import forget_all
from core.kernel.days import natural_day
from core.kernel.regulation import Means
from core.payoffice import accounts, refusals
from core.payoffice.judging import DocumentState
from core.payoffice.models import (
    Cheque,
    Claim,
    Deposit,
    DepositImage,
    Exchange,
    Payee,
    StockItem,
    StockMovement,
)
from core.payoffice.services import (
    cash,
    cheques,
    deposits,
    desk,
    finding,
    goods,
    paying,
    personal_data,
)
from core.payoffice.services.checking import DeskAction, desk_state, holder_check
from core.payoffice.services.presenting import presentation_make
from core.premises.models import Terminal
from core.staff import two_persons
from core.staff.powers import Role
from lototrot import accounts as lototrot
from lototrot.services.prizes.lapsing import NotYetOver, lapse, lapses_due
from lototrot.services.settlement.breach import NoBreach, breach_block
from promotrot.models.voucher import Voucher
from promotrot.services.voucher_codes import code_of
from tests.support import emitting, factories, rounds
from tests.support import paying as given

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def noon() -> None:
    factories.time_to(rounds.NOON)


def taken(code: str, at: Any, reason: str = "damaged") -> Deposit:
    request = deposits.DepositRequest(uuid.uuid4(), reason, "x", code)
    return deposits.deposit_take(at=at, request=request)


def ruled(deposit: Deposit, verdict: str) -> None:
    by = factories.staff(Role.ORGANISER)
    proposal = deposits.ruling_propose(
        by=by, verdict=verdict, reason="As looked at.", deposit=deposit.uuid
    )
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    given.confirmed(proposal)


# --- Deposits -------------------------------------------------------------------------------------


@pytest.mark.article("14.III.10.3", "14.III.10.5")
def test_a_deposit_granted_after_the_period_is_paid_against_its_receipt() -> None:
    """[C5]: held from the match, paid to nobody else, decided late, by two persons."""
    (won,) = given.worth(500)
    place, cashier = factories.point(), given.cashier()
    deposit = taken(won.code, place.actor)
    assert given.balance(lototrot.held(won.contest.pk)) == 500
    with pytest.raises(refusals.MoneyHeld):
        paying.payment_make(at=place.actor, request=won.request())
    with pytest.raises(deposits.DepositMatched):
        taken(won.code, cashier)
    with pytest.raises(deposits.PeriodRunning):
        ruled(deposit, "granted")
    factories.time_pass(days=40)
    assert [each.deposit for each in deposits.rulings_due(natural_day(clock.now()))] == [
        deposit.uuid
    ]
    ruled(deposit, "granted")
    with pytest.raises(deposits.DepositRuled):
        ruled(deposit, "refused")
    with pytest.raises(refusals.ReceiptNeeded):
        desk.desk_pay(by=cashier, request=won.request())
    paid = desk.desk_pay(by=cashier, request=won.request(code="", deposit=deposit.uuid))
    assert isinstance(paid, paying.Paid)
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    assert deposits.rulings_due(natural_day(clock.now())) == []


@pytest.mark.article("14.III.10.5", "14.III.10.7")
def test_an_unreadable_ticket_is_matched_from_the_records_and_refused() -> None:
    """What is refused is for the first meeting after the day of the decision [C5]."""
    (won,) = given.worth(500)
    office, supervisor = factories.point(given.office()), factories.staff(Role.SUPERVISOR)
    with pytest.raises(deposits.CodeUnreadable):
        taken(won.code, office.actor, "unreadable")
    with pytest.raises(deposits.CodeUnreadable):
        taken("", office.actor, "damaged")
    deposit = taken("", office.actor, "unreadable")
    assert holder_check(code=won.code).state is DocumentState.PRIZE
    matched = {"game": "lototrot", "document": won.ticket.uuid}
    with pytest.raises(deposits.ReasonNeeded):
        deposits.deposit_match(by=supervisor, deposit=deposit.uuid, evidence=" ", **matched)
    deposits.deposit_match(by=supervisor, deposit=deposit.uuid, evidence="Sold then.", **matched)
    assert holder_check(code=won.code).state is DocumentState.DEPOSITED
    factories.time_pass(days=40)
    ruled(deposit, "refused")
    day = natural_day(clock.now())
    assert given.balance(lototrot.held(won.contest.pk)) == 0
    assert given.balance(lototrot.carry_over(won.contest.bet_type_code, day)) == 500
    with pytest.raises(refusals.ClaimRefused):
        paying.payment_make(at=factories.point().actor, request=won.request())


def test_a_deposit_never_matched_can_only_be_refused_and_moves_nothing() -> None:
    deposit = taken("", factories.point().actor, "unreadable")
    with pytest.raises(deposits.NotHeld):
        ruled(deposit, "granted")
    ruled(deposit, "refused")
    (won,) = given.worth(500)
    with pytest.raises(deposits.DepositRuled):
        deposits.deposit_match(
            by=factories.staff(Role.SUPERVISOR),
            deposit=deposit.uuid,
            game="lototrot",
            document=won.ticket.uuid,
            evidence="Too late.",
        )
    assert deposits.rulings_due(natural_day(clock.now())) == []


def test_what_is_owed_nothing_is_not_taken_in_as_a_claim() -> None:
    lost, won = given.worth(0, 500)
    place = factories.point()
    with pytest.raises(refusals.NoPrize):
        taken(lost.code, place.actor)
    paying.payment_make(at=place.actor, request=won.request())
    with pytest.raises(refusals.AlreadyPaid):
        taken(won.code, place.actor)


# --- Lapses and blocks-----------------------------------------------------------------------------


@pytest.mark.article("14.III.10.2", "14.III.10.7")
def test_the_night_lapses_what_nobody_claimed_and_nothing_else() -> None:
    """[D3, D6, C5]: paid, presented and deposited ones stay; the books agree at every step."""
    place = factories.point()
    paid, shown, torn, lost = given.settled(4, losers=1, at=place)
    rounds.books_agree()
    paying.payment_make(at=place.actor, request=paid.request())
    presentation_make(at=place.actor, code=shown.code)
    taken(torn.code, place.actor)
    rounds.books_agree()
    today = natural_day(clock.now())
    assert lapses_due(today + timedelta(days=29)) == []
    with pytest.raises(NotYetOver):
        lapse(paid.contest.pk, today + timedelta(days=29))
    factories.time_pass(days=30)
    today = natural_day(clock.now())
    assert lapses_due(today) == [str(paid.contest.pk)]
    gone = lapse(paid.contest.pk, today)
    assert (gone.documents, gone.cents) == (1, lost.cents)
    assert (lapse(paid.contest.pk, today).documents, lapses_due(today)) == (0, [])
    last_day = today - timedelta(days=1)
    assert given.balance(lototrot.carry_over(paid.contest.bet_type_code, last_day)) == lost.cents
    rounds.books_agree()
    with pytest.raises(refusals.ClaimLapsed):
        paying.payment_make(at=place.actor, request=lost.request())
    assert isinstance(paying.payment_make(at=place.actor, request=shown.request()), paying.Paid)
    ruled(Deposit.objects.get(), "refused")
    rounds.books_agree()


@pytest.mark.article("14.I.6", "14.III.10.4")
def test_a_breach_found_late_bars_what_is_not_paid_yet() -> None:
    """[C6]: a paid ticket is left out; a blocked one is held until two persons decide."""
    suspect, place = factories.point(), factories.point()
    paid, shown, blocked = given.settled(3, losers=1, at=suspect)
    paying.payment_make(at=place.actor, request=paid.request())
    presentation_make(at=place.actor, code=shown.code)
    Terminal.objects.filter(pk=suspect.terminal.pk).update(revoked_at=paid.contest.opened_at)
    organiser = factories.staff(Role.ORGANISER)
    proposal = breach_block(by=organiser, contest_id=paid.contest.pk)
    assert proposal.content["tickets"] == 3  # the loser, too
    given.confirmed(proposal, Role.ORGANISER)
    for each in (shown, blocked):
        with pytest.raises(refusals.MoneyHeld):
            paying.payment_make(at=place.actor, request=each.request())
        assert holder_check(code=each.code).state is DocumentState.BLOCKED
    held = lototrot.held(paid.contest.pk)
    assert given.balance(held) == shown.cents + blocked.cents
    rounds.books_agree()
    with pytest.raises(NoBreach):
        breach_block(by=organiser, contest_id=paid.contest.pk)
    factories.time_pass(days=40)
    for each, verdict in ((shown, "granted"), (blocked, "refused")):
        given.confirmed(
            deposits.ruling_propose(
                by=organiser,
                verdict=verdict,
                reason="Heard.",
                game="lototrot",
                document=each.ticket.uuid,
            )
        )
    paying.payment_make(at=place.actor, request=shown.request())
    assert given.balance(held) == 0
    rounds.books_agree()


# --- Cash and cheques -----------------------------------------------------------------------------


def test_a_cash_session_from_the_float_to_the_count() -> None:
    won, _ = given.settled(2, losers=1)
    place = given.office()
    who = given.cashier(place, float_cents=50_000)
    account = accounts.cash(given.session_of(who).pk)
    with pytest.raises(cash.CashSessionOpen):
        cash.cash_open(by=who, premises=place.code, float_cents=1)
    with pytest.raises(cash.NotAnOffice):
        cash.cash_open(
            by=factories.staff(Role.CASHIER), premises=factories.premises().code, float_cents=1
        )
    cash.cash_move(by=who, cents=10_000, reason="More notes.")
    with pytest.raises(refusals.CashShort):
        cash.cash_move(by=who, cents=-60_001, reason="To the safe.")
    desk.desk_pay(by=who, request=won.request())
    assert given.balance(account) == 60_000 - won.cents
    session = given.session_of(who)
    with pytest.raises(cash.CashSessionUnknown):
        cash.cash_close(by=factories.staff(Role.CASHIER), session=session.uuid, counted_cents=0)
    closed = cash.cash_close(by=who, session=session.uuid, counted_cents=60_000 - won.cents - 150)
    assert closed.difference_cents == -150
    assert (given.balance(account), given.balance(accounts.cash_differences())) == (0, -150)
    with pytest.raises(cash.CashSessionUnknown):
        cash.cash_close(by=who, session=session.uuid, counted_cents=0)
    with pytest.raises(refusals.CashSessionMissing):
        cash.cash_move(by=who, cents=1, reason="x")
    with pytest.raises(IntegrityError, match="done already"), transaction.atomic():
        type(session).objects.filter(pk=session.pk).update(counted_cents=1)
    rounds.books_agree()


@pytest.mark.article("14.III.10.6")
def test_a_cheque_voided_reissued_and_reconciled() -> None:
    """[C3]: numbers without gaps, two persons for what is not routine."""
    (won,) = given.settled(1, losers=2)
    who, by = given.cashier(), factories.staff(Role.SUPERVISOR)
    paid = desk.desk_pay(by=who, request=won.request(payee=given.MARIA))
    assert isinstance(paid, paying.Paid)
    with pytest.raises(cheques.ChequeStands):
        cheques.cheque_reissue(by=by, number=1)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Wrong name."), Role.ORGANISER)
    with pytest.raises(cheques.ChequeNotIssued):
        cheques.cheque_void(by=by, number=1, reason="Again.")
    right = personal_data.PayeeFacts("Maria Ferrer Rierol", "dni", "43123456Z")
    given.confirmed(cheques.cheque_reissue(by=by, number=1, payee=right), Role.ORGANISER)
    second = Cheque.objects.get(number=2)
    assert (second.replaces.number, personal_data.payee_decrypt(second.payee)) == (1, right)
    with pytest.raises(cheques.ChequeStands):
        cheques.cheque_reissue(by=by, number=1)
    today = natural_day(clock.now())
    for amount, day, error in (
        (won.cents + 1, today, cheques.ChequeAmountDiffers),
        (won.cents, today + timedelta(days=1), cheques.ChequeDayWrong),
        (won.cents, today - timedelta(days=1), cheques.ChequeDayWrong),
    ):
        with pytest.raises(error):
            cheques.cheque_reconcile(by=by, number=2, amount_cents=amount, presented_on=day)
    with pytest.raises(cheques.ChequeNotIssued):
        cheques.cheque_reconcile(by=by, number=1, amount_cents=won.cents, presented_on=today)
    for _ in range(2):
        cheques.cheque_reconcile(by=by, number=2, amount_cents=won.cents, presented_on=today)
    assert given.balance(accounts.cheques()) == 0
    assert desk.desk_pay(by=who, request=won.request(uuid=paid.uuid, payee=given.MARIA)).cheque == 1
    rounds.books_agree()


@pytest.fixture
def figures_read_anew() -> Iterator[None]:
    """Figures are kept for half a minute: those of other tests, and ours in theirs."""
    forget_all()
    yield
    forget_all()


@pytest.mark.usefixtures("figures_read_anew")
@pytest.mark.article("14.III.10.6")
def test_a_later_cash_ceiling_is_in_force_from_its_day() -> None:
    """[C3]"""
    by, today = factories.staff(Role.ORGANISER), natural_day(clock.now())
    with pytest.raises(cheques.CeilingNotLater):
        cheques.ceiling_propose(by=by, in_force_from=today, cents=50_000, source="Law")
    day = today + timedelta(days=2)
    given.confirmed(
        cheques.ceiling_propose(by=by, in_force_from=day, cents=50_000, source="Law"),
        Role.ORGANISER,
    )
    before, after = (finding.payment_figures(each) for each in (day - timedelta(days=1), day))
    assert (before.cash_up_to_cents, after.cash_up_to_cents) == (100_000, 50_000)
    (won,) = given.worth(50_001)
    who = given.cashier()
    assert finding.current_claim(finding.by_code(won.code)).today == day - timedelta(days=1)
    factories.time_pass(days=1)
    with pytest.raises(refusals.PayeeMissing):
        desk.desk_pay(by=who, request=won.request())
    answer = desk.desk_pay(by=who, request=won.request(payee=given.MARIA))
    assert answer.means == Means.NOMINATIVE_CHEQUE  # type: ignore[union-attr]


def test_what_is_encrypted_is_erased_in_its_time_and_the_fact_stays() -> None:
    (won,) = given.worth(100_001)
    desk.desk_pay(by=given.cashier(), request=won.request(payee=given.MARIA))
    deposit = taken("", factories.point().actor, "unreadable")
    content = b"\x89PNG\r\n\x1a\n" + bytes(16)
    image = deposits.image_add(
        at=given.cashier(), deposit=deposit.uuid, media_type="image/png", content=content
    )
    looker = factories.staff(Role.SUPERVISOR)
    assert deposits.image_read(by=looker, image=image.uuid) == ("image/png", content)
    assert content not in bytes(image.encrypted)
    payee, today = Payee.objects.get(), natural_day(clock.now())
    assert payee.kept_until == today + timedelta(days=settings.PAYEE_KEPT_DAYS)
    with pytest.raises(IntegrityError, match="kept until its day"), transaction.atomic():
        Payee.objects.update(encrypted=None, purged_at=clock.now())
    factories.time_to(rounds.NOON + timedelta(days=settings.PAYEE_KEPT_DAYS + 2))
    today = natural_day(clock.now())
    assert personal_data.personal_data_purge(today) == {"payees": 1, "images": 1}
    assert personal_data.personal_data_purge(today) == {"payees": 0, "images": 0}
    with pytest.raises(personal_data.Erased):
        personal_data.payee_decrypt(Payee.objects.get())
    with pytest.raises(personal_data.Erased):
        deposits.image_read(by=looker, image=image.uuid)
    assert (Cheque.objects.get().payee, DepositImage.objects.get().deposit) == (payee, deposit)


# --- Prizes in kind -------------------------------------------------------------------------------


def bicycles() -> list[given.Presented]:
    """Two vouchers for a bicycle worth 4.00, or its price, issued at an establishment."""
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
    return [given.Presented(row, code_of(row.uuid, row.issue_day).shown, 400) for row in won]


@pytest.mark.article("15.III.6.5")
def test_a_prize_in_kind_is_exchanged_or_paid_as_the_winner_chooses() -> None:
    """[P4]: at the Central Office only, the thing or its equivalent; the stock is kept."""
    thing, money = bicycles()
    who, stocker = given.cashier(), factories.staff(Role.SUPERVISOR)
    place = given.session_of(who).premises
    for asked in (thing, money):
        with pytest.raises(refusals.PlaceNotAllowed):
            paying.payment_make(at=factories.point().actor, request=asked.request())
    request = goods.ExchangeRequest(uuid.uuid4(), intact=True, code=thing.code)
    with pytest.raises(goods.ItemUnknown):
        goods.exchange_make(by=who, request=request)
    item = {"code": "bicycle", "description": "Bicycle", "equivalent_cents": 400}
    for _ in range(2):
        goods.stock_register(by=stocker, **item)
    with pytest.raises(goods.ItemDiffers):
        goods.stock_register(by=stocker, **item | {"equivalent_cents": 401})
    with pytest.raises(refusals.OutOfStock):
        goods.exchange_make(by=who, request=request)
    goods.stock_move(by=stocker, item="bicycle", premises=place.code, units=1, reason="Delivered.")
    made = goods.exchange_make(by=who, request=request)
    assert isinstance(made, Exchange)
    assert goods.exchange_make(by=who, request=request) == made
    with pytest.raises(refusals.AlreadyExchanged):
        desk.desk_pay(by=who, request=thing.request())
    assert isinstance(desk.desk_pay(by=who, request=money.request()), paying.Paid)
    with pytest.raises(refusals.AlreadyPaid):
        goods.exchange_make(
            by=who, request=goods.ExchangeRequest(uuid.uuid4(), intact=True, code=money.code)
        )
    assert goods.stock_units(StockItem.objects.get()) == 0
    with pytest.raises(refusals.OutOfStock):
        goods.stock_move(by=stocker, item="bicycle", premises=place.code, units=-1, reason="Lost.")
    assert given.balance(accounts.goods()) == 0
    rounds.books_agree()
    with pytest.raises(IntegrityError, match="not so many"), transaction.atomic():
        StockMovement.objects.create(
            uuid=uuid.uuid4(),
            item=StockItem.objects.get(),
            units=-1,
            premises=place,
            reason="x",
            staff_id=who.user_id,
            moved_at=clock.now(),
        )


# --- The desk -------------------------------------------------------------------------------------


def test_the_desk_offers_what_this_person_may_do_and_nothing_else() -> None:
    small, large, torn = given.worth(500, 300_001, 500)
    who, idle, auditor = (
        given.cashier(),
        factories.staff(Role.CASHIER),
        factories.staff(Role.AUDITOR),
    )

    def offered(by: Any, code: str) -> list[str]:
        return [action.value for action in desk_state(by=by, code=code).actions]

    assert offered(who, small.code) == ["pay", "present", "deposit"]
    assert offered(who, large.code) == ["propose_payment", "present", "deposit"]
    assert offered(idle, small.code) == ["open_cash_session"]
    assert offered(auditor, small.code) == []
    taken(torn.code, who)
    assert offered(who, torn.code) == []
    factories.time_pass(days=40)
    assert offered(factories.staff(Role.SUPERVISOR), torn.code) == [DeskAction.RULE]
    assert offered(who, small.code) == []
    state = desk_state(by=auditor, code=torn.code)
    assert [each.what for each in state.happened] == ["deposited"]
    assert state.happened[0].premises == given.session_of(who).premises.code


# --- The database's own word ----------------------------------------------------------------------


@pytest.mark.parametrize("state", ["paid", "presented", "granted", "refused", "exchanged"])
def test_no_claim_says_more_than_is_on_record(state: str) -> None:
    day = date(2030, 3, 2) if state == "refused" else None
    with pytest.raises(IntegrityError, match="no act on record"), transaction.atomic():
        Claim.objects.create(
            game="lototrot",
            document_id=1,
            state=state,
            amount_cents=1,
            opened_at=clock.now(),
            day=day,
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
