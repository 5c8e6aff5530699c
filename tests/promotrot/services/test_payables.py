"""Offer vouchers to the prize office: refunds never lapse, prizes do (15.III.6.6, 15.III.6.7)."""

from typing import Any

import pytest

from core.database import clock, statements
from core.kernel import codes
from core.kernel.days import add_days, natural_day
from core.ledger.books import differences
from core.ledger.services import balance_cents
from core.payoffice import sources
from core.payoffice.models import Claim
from core.payoffice.services import finding
from core.payoffice.sources import Nature, Standing
from core.premises.requests import new_uuid
from core.staff.actor import StaffActor
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.selectors.facts import REVEAL
from promotrot.services.office import handing
from promotrot.services.playing import play_act
from promotrot.services.unfinished import play_end_unfinished
from promotrot.services.vouchers import Issued, VoucherHandedOver
from tests.support import factories, paying
from tests.support.api import terminal_api
from tests.support.emitting import buy, winning
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]

CHECK, PAY = "claims/check", "claims/payments"


@pytest.fixture
def office() -> StaffActor:
    return paying.cashier()


def test_a_price_due_back_is_payable_and_never_lapses(
    place: Point, office: StaffActor, ladder: Emission
) -> None:
    play_end_unfinished(buy(place, ladder))
    row = handing.vouchers_held(by=office).get()
    voucher = paying.handed_over(office, row.uuid)
    source = sources.of_kind(codes.VOUCHER)
    payable = source.by_id(row.pk)
    assert (payable.nature, payable.standing) == (Nature.REFUND, Standing.OWED)
    assert (payable.amount_cents, payable.last_claim_day) == (ladder.price_cents, None)
    assert payable.owed == accounts.refunds(ladder.reference)
    factories.time_pass(days=60)
    assert not source.lapses_due(natural_day(clock.now()))
    assert [(out.last_claim_day, out.cents) for out in source.outs()] == [
        (None, ladder.price_cents)
    ]
    assert voucher.code is not None


def test_a_price_due_back_that_is_refused_to_a_claimant_is_not_the_organisers(
    place: Point, office: StaffActor, ladder: Emission
) -> None:
    """[C6, P11]: it is held apart, for the buyer."""
    play_end_unfinished(buy(place, ladder))
    row = handing.vouchers_held(by=office).get()
    voucher = paying.handed_over(office, row.uuid)
    assert voucher.code is not None
    paying.ruled(paying.deposited(voucher.code.grouped, office), "refused")
    assert balance_cents(accounts.refunds(ladder.reference)) == ladder.price_cents
    assert balance_cents(accounts.unclaimed()) == 0
    assert differences()[1] == []


@pytest.mark.article("15.III.6.6", "15.III.6.7")
def test_unclaimed_prizes_lapse_to_the_organiser_after_their_last_day(
    place: Point, emission: Emission
) -> None:
    ticket = winning(place, emission)
    play = play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    (issued,) = play.vouchers
    source = sources.of_kind(codes.VOUCHER)
    last = add_days(issued.last_day, 0)
    assert not source.lapses_due(last)
    group = source.lapses_due(add_days(last, 1))
    assert group == [last.isoformat()] == source.lapses_due(add_days(last, 1), since=last)
    assert source.lapses_due(add_days(last, 9), since=add_days(last, 1)) == []
    assert source.lapse(group[0], last).documents == 0
    lapsed = source.lapse(group[0], add_days(last, 1))
    assert (lapsed.documents, lapsed.cents) == (1, issued.amount_cents)
    assert source.lapse(group[0], add_days(last, 1)).documents == 0
    assert balance_cents(accounts.unclaimed()) == issued.amount_cents
    assert balance_cents(accounts.vouchers(emission.reference)) == 0
    claim = Claim.objects.get(game="promotrot")
    assert (claim.state, claim.day) == (Claim.State.LAPSED, last)


@pytest.fixture
def issued(place: Point, emission: Emission) -> Issued:
    ticket = winning(place, emission)
    play = play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    return play.vouchers[0]


@pytest.mark.article("15.III.6.3", "15.III.6.5")
def test_one_statement_finds_a_voucher_at_a_terminal(place: Point, issued: Issued) -> None:
    assert issued.code is not None
    actor, document = finding.at_terminal(place.credentials, issued.code.grouped, with_details=True)
    assert actor == place.actor and document is not None
    source = sources.of_kind(codes.VOUCHER)
    assert document.payable == source.by_uuid(issued.uuid) == finding.by_code(issued.code.grouped)
    assert document.details == source.details(document.payable.document_id)
    assert document.details["prizes"] == issued.prizes


@pytest.mark.usefixtures("facts_stay")
@pytest.mark.article("15.III.6.3")
def test_a_check_and_a_payment_of_a_voucher_ask_the_database_twice_each(
    place: Point, issued: Issued, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    assert issued.code is not None
    api, code = terminal_api(place), issued.code.grouped
    assert api.post(CHECK, {"code": code}).status_code == 200  # the process keeps facts now
    asked: list[str] = []
    once = statements._run
    monkeypatch.setattr(
        statements, "_run", lambda text, parameters: asked.append(text) or once(text, parameters)
    )
    with django_assert_num_queries(0):
        assert api.post(CHECK, {"code": code}).json()["refusal"] == ""
    assert len(asked) == 2, asked
    asked.clear()
    cents = issued.amount_cents
    body = {"uuid": str(new_uuid()), "code": code, "amount_cents": cents, "intact": True}
    with django_assert_num_queries(0):
        assert api.post(PAY, body).status_code == 201
    assert len(asked) == 2, asked


def test_the_code_that_a_handover_replaced_is_refused_in_its_own_words(
    place: Point, office: StaffActor, issued: Issued
) -> None:
    """The printing of its paper was never confirmed, so another paper was handed over [P16]."""
    assert issued.code is not None
    factories.time_pass(days=2)
    voucher = paying.handed_over(office, issued.uuid)
    assert voucher.code is not None
    assert finding.at_terminal(place.credentials, issued.code.grouped) == (place.actor, None)
    with pytest.raises(VoucherHandedOver):
        finding.by_code(issued.code.grouped)
    _, document = finding.at_terminal(place.credentials, voucher.code.grouped)
    assert document is not None and document.payable.uuid == issued.uuid
