"""The prize office's part of a day file: claims as they were, events, figures."""

import datetime

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import day_parts
from core.payoffice.models import CashSession, Cheque, Claim, DepositMatch, Payment
from core.payoffice.services import cheques, paying
from core.payoffice.services.presenting import presentation_make
from core.reports.parts import Span
from core.staff.powers import Role
from lototrot.services.prizes.lapsing import lapse
from tests.support import factories
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]
HOUR = datetime.timedelta(hours=1)


def today() -> Span:
    return Span.of(natural_day(clock.now()))


def claim_of(document: given.Presented) -> Claim:
    return Claim.objects.get(document_id=document.ticket.pk)


@pytest.mark.article("14.III.10.2", "14.III.10.5")
def test_the_history_of_a_claim_is_its_acts_in_order() -> None:
    presented, torn = given.worth(500, 600)
    place = factories.point()
    presentation = presentation_make(at=place.actor, code=presented.code)
    given.deposited(torn.code, place.actor)
    factories.time_pass(days=2)
    paying.payment_make(at=place.actor, request=presented.request())
    payment = Payment.objects.get()
    claim = claim_of(presented)
    assert day_parts.history(claim) == [
        (presentation.presented_at, "presented"),
        (payment.paid_at, "paid"),
    ]
    before = payment.paid_at - HOUR
    assert day_parts.state_before(claim, before) == "presented"
    assert day_parts.state_before(claim, presentation.presented_at) == ""
    earlier = day_parts.as_of(claim, "presented")
    assert (earlier.pk, earlier.state, earlier.changed_at) == (claim.pk, "presented", None)
    assert [state for _, state in day_parts.history(claim_of(torn))] == ["held"]


@pytest.mark.article("14.III.10.7")
def test_a_lapsed_claim_has_a_history_without_an_act() -> None:
    (won,) = given.settled(1)
    factories.time_pass(days=31)
    lapse(won.contest.pk, natural_day(clock.now()))
    claim = claim_of(won)
    assert day_parts.history(claim) == [(claim.opened_at, "lapsed")]
    figures = dict(day_parts.figures(today()))
    assert figures == {f"lapsed lototrot {claim.day}": won.cents}


@pytest.mark.article("14.III.10.6")
def test_the_context_holds_what_was_open_when_the_day_began() -> None:
    waiting, done, large = given.worth(500, 600, 100_001)
    place = factories.point()
    cashier = given.cashier()
    presentation_make(at=place.actor, code=waiting.code)
    paying.payment_make(at=place.actor, request=done.request())
    given.paid_by_two(cashier, large.request(payee=given.MARIA))
    assert list(day_parts.context(today())) == []
    factories.time_pass(days=1)
    paying.payment_make(at=place.actor, request=waiting.request())
    by = factories.staff(Role.SUPERVISOR)
    day = natural_day(clock.now())
    cheques.cheque_reconcile(by=by, number=1, amount_cents=100_001, presented_on=day)
    context = list(day_parts.context(today()))
    states = {row.document_id: row.state for row in context if isinstance(row, Claim)}
    assert states == {waiting.ticket.pk: "presented", large.ticket.pk: "paid"}
    (cheque,) = [row for row in context if isinstance(row, Cheque)]
    assert (cheque.state, cheque.presented_on) == ("issued", None)
    assert len([row for row in context if isinstance(row, CashSession)]) == 1


@pytest.mark.article("14.III.10.5")
def test_a_document_deposited_beside_a_match_stays_held_in_its_history() -> None:
    """[C5]: the ruling on the other paper is of that deposit alone."""
    (won,) = given.settled(1)
    other = given.deposited("", factories.point().actor, "unreadable")
    given.matched(other, won)
    torn = given.deposited(won.code, factories.point().actor)
    claim = claim_of(won)
    first, second = [e for e in day_parts.events(today()) if e.kind == "payoffice.depositmatch"]
    assert (first.data["before"], first.data["after"]) == ("", "held")
    assert (second.data["before"], second.data["after"]) == ("held", "held")
    factories.time_pass(days=40)
    assert len([row for row in day_parts.context(today()) if isinstance(row, DepositMatch)]) == 2
    given.ruled(other, "refused")
    (refused,) = day_parts.events(today())
    assert (refused.data["before"], refused.data["after"]) == ("held", "held")
    given.ruled(torn, "granted")
    claim.refresh_from_db()
    assert [state for _, state in day_parts.history(claim)] == ["held", "granted"]


def test_the_events_of_a_day_are_its_acts() -> None:
    won, later = given.worth(500, 600)
    place, cashier = factories.point(), given.cashier(float_cents=1_000)
    paying.payment_make(at=place.actor, request=won.request())
    given.cash_taken(cashier, 200)
    session = given.session_of(cashier)
    given.cash_closed(cashier, session, 800)
    span = today()
    events = {event.kind: event for event in day_parts.events(span)}
    assert set(events) == {
        "payoffice.payment",
        "payoffice.cash_opened",
        "payoffice.cash_moved",
        "payoffice.cash_closed",
    }
    assert set(events) <= set(day_parts.DAY_PARTS[0].replays)
    opened = events["payoffice.cash_opened"].row
    assert isinstance(opened, CashSession)
    assert opened.closed_at is None
    payment = events["payoffice.payment"]
    assert payment.data["before"] == ""
    assert [row.pk for row in payment.rows] == [claim_of(won).pk]
    assert dict(day_parts.figures(span)) == {"paid cash establishment": 500}
    factories.time_pass(days=1)
    paying.payment_make(at=place.actor, request=later.request())
    assert [event.kind for event in day_parts.events(today())] == ["payoffice.payment"]
