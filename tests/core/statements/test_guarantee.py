"""Sell on credit up to the guarantee, and no cent beyond it, with no worker running."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.journal.rules import broken
from core.ledger import services as ledger
from core.ledger.services import Line, asset, balance_cents, premises_account
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.powers import Role
from core.staff.two_persons import SamePerson
from core.statements import guarantee
from core.statements.guarantee import covers
from core.statements.journal_rules import LIMIT, TILLS
from core.statements.models import GuaranteeLimit
from lototrot.models.tickets import Ticket
from tests.support import factories
from tests.support.factories import Point
from tests.support.stating import limited

pytestmark = pytest.mark.django_db
PRICE = 105

# A thousand sales in one go: the number of the ticket, of `bets` bets each, and its outcome.
_ATTACK = """
SELECT count(*) FILTER (WHERE s.outcome = 'sold'), count(*)
  FROM generate_series(1, 1000) n, LATERAL (SELECT lototrot_sell(
        p_token => %(token)s, p_session => %(session)s, p_contest => %(contest)s,
        p_uuid => (%(uuids)s::uuid[])[n], p_request => substr(sha256(int8send(n)), 1, 16),
        p_legs => %(legs)s, p_quick_legs => 0, p_bets => %(bets)s,
        p_amount => %(bets)s * 100, p_code => decode(md5('c' || n), 'hex'),
        p_commitment => sha256(int8send(-n)))) c (sold), LATERAL (SELECT (c.sold).outcome) s
"""


def outcome(contest: Any, place: Point) -> str:
    return factories.sell(contest, place, [(1,), (1,)]).outcome


def remit(place: Point, cents: int) -> None:
    """Post money that the premises hand over; if negative, money that they are charged."""
    treasury, account = asset("treasury"), premises_account(place.premises.pk)
    debit, credit = (treasury, account) if cents > 0 else (account, treasury)
    line = Line("test", debit, credit, abs(cents))
    ledger.post(reference=uuid.uuid4(), lines=[line])


@pytest.mark.parametrize("bets", [10_000, 1_000, 6])
def test_a_thousand_tickets_sell_no_more_than_the_limit(bets: int) -> None:
    """On 3727206 premises with a limit of 0 sold 82.7 million in 20 s while no worker ran."""
    contest, place = factories.contest(price_cents=100), factories.point()
    factories.acknowledge(contest, place)
    factories.guarantee(place.premises, 5_000_00)
    values = {
        "token": place.credentials.token_digest,
        "session": place.credentials.session_digest,
        "contest": contest.pk,
        "legs": [1] * len(contest.offered_masks),
        "bets": bets,
        "uuids": [new_uuid() for _ in range(1000)],
    }
    with connection.cursor() as cursor:
        cursor.execute(_ATTACK, values)
        sold, asked = cursor.fetchone()
    assert (sold, asked) == (5_000 // bets, 1000)
    assert balance_cents(premises_account(place.premises.pk)) == sold * bets * 100
    assert sum(Ticket.objects.values_list("amount_cents", flat=True)) <= 5_000_00
    assert not list(broken(TILLS))
    assert not list(broken(LIMIT))


def test_what_premises_remit_or_pay_out_they_may_sell_again(organiser: Any, contest: Any) -> None:
    place = factories.point()
    factories.guarantee(place.premises, 2 * PRICE)
    assert [outcome(contest, place) for _ in range(3)] == ["sold", "sold", "credit_exhausted"]
    assert Ticket.objects.count() == 2
    remit(place, PRICE)
    assert [outcome(contest, place) for _ in range(2)] == ["sold", "credit_exhausted"]
    remit(place, 2 * PRICE)
    remit(place, -PRICE)
    assert [outcome(contest, place) for _ in range(2)] == ["sold", "credit_exhausted"]
    (cover,) = covers(place.premises.pk)
    assert cover.balance_cents == balance_cents(premises_account(place.premises.pk))
    assert cover.left_cents == cover.limit_cents - cover.balance_cents
    assert not list(broken(TILLS))


def test_without_a_limit_on_record_nothing_is_sold(organiser: Any, contest: Any) -> None:
    place = factories.point(factories.premises(limit_cents=None))
    assert outcome(contest, place) == "credit_exhausted"
    assert not covers(place.premises.pk)[0].limit_cents


def test_all_terminals_of_premises_share_their_limit(organiser: Any, contest: Any) -> None:
    place = factories.point()
    beside, elsewhere = factories.point(place.premises), factories.point()
    factories.guarantee(place.premises, PRICE)
    assert outcome(contest, place) == "sold"
    assert outcome(contest, beside) == "credit_exhausted"
    assert outcome(contest, elsewhere) == "sold"


def test_a_limit_holds_from_its_instant(organiser: Any, contest: Any) -> None:
    place = factories.point()
    begins = clock.now() + timedelta(minutes=30)
    for cents, since in ((PRICE, None), (2 * PRICE, begins)):
        limited(organiser, place.premises.code, cents, since)
    assert [outcome(contest, place) for _ in range(2)] == ["sold", "credit_exhausted"]
    factories.time_to(begins)
    assert [outcome(contest, place) for _ in range(2)] == ["sold", "credit_exhausted"]
    factories.guarantee(place.premises, 0)
    assert outcome(contest, place) == "credit_exhausted"


def test_a_terminal_sells_so_much_in_a_minute(organiser: Any, contest: Any) -> None:
    place = factories.point()
    beside = factories.point(place.premises)
    factories.guarantee(place.premises, minute_cap_cents=2 * PRICE)
    wide = [(1, 2, 3), (1,)]
    assert factories.sell(contest, place, wide).outcome == "amount_above_cap"
    sold = [outcome(contest, place) for _ in range(3)]
    assert sold == ["sold", "sold", "stakes_by_the_minute"]
    assert outcome(contest, beside) == "sold"
    factories.time_pass(seconds=61)
    assert outcome(contest, place) == "sold"


def test_a_decision_is_credit_for_nobody_else_and_once(organiser: Any) -> None:
    """Any decision about any limit was enough for the database, also one of years ago."""
    place, other = factories.premises(), factories.premises()
    proposal = guarantee.guarantee_limit_propose(
        by=organiser, premises=place.code, limit_cents=10**6, reference="Aval 12"
    )
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    limit = GuaranteeLimit.objects.get(proposal=proposal)
    columns = {
        field.attname: getattr(limit, field.attname)
        for field in GuaranteeLimit._meta.fields
        if field.name != "id"
    }
    for wrong in (
        {"premises_id": other.pk},
        {"limit_cents": 10**7},
        {"minute_cap_cents": 10**7},
        {"reference": "Aval 13"},
    ):
        with pytest.raises(IntegrityError, match="confirmed another"), transaction.atomic():
            GuaranteeLimit.objects.create(**columns | wrong)
    with pytest.raises(IntegrityError, match="guarantee_limit_once"), transaction.atomic():
        GuaranteeLimit.objects.create(**columns)


def test_one_organiser_alone_gives_no_credit(organiser: Any, contest: Any) -> None:
    place = factories.point(factories.premises(limit_cents=None))
    proposal = guarantee.guarantee_limit_propose(
        by=organiser, premises=place.premises.code, limit_cents=10**6, reference="Mine"
    )
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=organiser)
    assert outcome(contest, place) == "credit_exhausted"
    row = {"premises": place.premises, "limit_cents": 10**6, "minute_cap_cents": 10**6}
    row |= {"reference": "x", "recorded_by_id": organiser.user_id}
    with pytest.raises(IntegrityError, match="two persons are needed"), transaction.atomic():
        GuaranteeLimit.objects.create(
            **row,
            in_force_from=clock.now(),
            recorded_at=clock.now(),
            proposal=factories.proposal("statements.rate"),
        )
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    assert outcome(contest, place) == "sold"
