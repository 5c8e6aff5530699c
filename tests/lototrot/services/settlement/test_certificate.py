"""Publish what a settlement used and computed, its reversal, and its payment order."""

import pytest

from core.database import clock
from core.kernel.canonical import with_digests
from core.kernel.days import natural_day
from core.ledger import services as ledger
from core.proofs import log
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.races import Outcome
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.settlement import certificate
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, rounds
from tests.support.factories import Point

pytestmark = pytest.mark.django_db

RULES = rounds.rules(**rounds.TWO_LEGS)
RUN = rounds.Facts((1, 2, 3), winners=frozenset({1}))
NOT_RUN = rounds.Facts((1, 2, 3), winners=frozenset({2}), outcome=Outcome.NOT_RUN)


def settled(point: Point, *facts: rounds.Facts) -> Settlement:
    """Settle a contest of two legs, the second of which is not run if the facts say so."""
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(contest, point, [(1, 1), (2, 1), (4, 4)])
    rounds.run(contest, facts or [RUN, RUN])
    return contest_settle(contest_id=contest.pk)


def digest(settlement: Settlement) -> str:
    return bytes(certificate.certificate_of(settlement).digest).hex()


@pytest.mark.article("14.III.9.1", "14.III.9.7")
def test_a_certificate_has_what_the_settlement_used_and_computed(point: Point) -> None:
    settlement = settled(point)
    document = certificate.certificate_of(settlement).document
    contest = settlement.contest
    assert document["settlement"] == str(settlement.uuid)
    assert (document["contest"], document["price_cents"]) == (contest.pk, contest.price_cents)
    assert document["rules"] == RULES.to_document()
    assert document["seal"]["root"] == bytes(contest.seal.root).hex()
    assert document["seal"]["takings_cents"] == settlement.takings_cents
    figures = settlement.figures
    assert document["organiser"]["parts"] == figures["organiser_parts"]
    assert document["figures"] | {"organiser_parts": figures["organiser_parts"]} == figures
    assert (document["replaces"], document["previous"], document["amendments"]) == (None, None, [])
    assert [race["winners"] for race in document["races"]] == [[1], [1]]


def test_a_certificate_is_in_force_from_the_settlement_on(point: Point) -> None:
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(contest, point, [(1, 1)])
    rounds.run(contest, [RUN, RUN])
    with pytest.raises(certificate.CertificateUnknown):
        certificate.certificate_in_force(contest.pk)
    settlement = contest_settle(contest_id=contest.pk)
    entry = certificate.certificate_in_force(contest.pk)
    assert entry == certificate.certificate_of(settlement)
    with pytest.raises(certificate.CertificateUnknown):
        certificate.certificate_of(rounds.bare_settlement(rounds.published()))


@pytest.mark.article("14.III.5.4.2")
def test_a_drawn_race_names_its_draw_and_the_digest_of_its_minutes(point: Point) -> None:
    settlement = settled(point, RUN, NOT_RUN)
    first, second = certificate.certificate_of(settlement).document["races"]
    assert first["draw"] is None
    minutes = log.published(kind="draws.minutes", subject=second["draw"]["draw"])
    assert minutes is not None
    assert second["draw"]["minutes"] == bytes(minutes.digest).hex()
    assert minutes.document["order"][0] == str(second["winners"][0]) == "2"


@pytest.mark.article("14.III.5.4.4")
@pytest.mark.parametrize("order", [None, ["1", "2", "3"]])
def test_a_draw_that_differs_from_its_minutes_stops_the_settlement(
    point: Point, monkeypatch: pytest.MonkeyPatch, order: list[str] | None
) -> None:
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(contest, point, [(1, 1)])
    rounds.run(contest, [RUN, NOT_RUN])
    published = log.published

    def other(*, kind: str, subject: str):
        entry = published(kind=kind, subject=subject)
        if kind != "draws.minutes" or entry is None:
            return entry
        if order is None:
            return None
        entry.document = entry.document | {"order": order}
        return entry

    monkeypatch.setattr(log, "published", other)
    with pytest.raises(certificate.DrawUnsound) as refusal:
        contest_settle(contest_id=contest.pk)
    assert refusal.value.data["race"] == factories.races_of(contest)[1].pk
    contest.refresh_from_db()
    assert contest.state == Contest.State.CLOSED
    assert not Settlement.objects.exists()


@pytest.mark.article("14.III.5.3")
def test_a_reversal_is_published_and_the_next_certificate_names_it(point: Point) -> None:
    wrong = settled(point)
    contest = wrong.contest
    with pytest.raises(ValueError, match="not reversed"):
        certificate.reversal_publish(wrong)
    settlement_reverse(contest_id=contest.pk, by=factories.staff(Role.STEWARDS))
    reversal = log.published(kind=certificate.REVERSAL, subject=str(wrong.uuid))
    assert reversal is not None
    assert reversal.document["certificate"] == digest(wrong)
    bare = {key: value for key, value in reversal.document.items() if key != "digests"}
    assert reversal.document == with_digests(bare)
    with pytest.raises(certificate.CertificateUnknown):
        certificate.certificate_in_force(contest.pk)
    rounds.reclassify(factories.races_of(contest)[0], [2])
    right = contest_settle(contest_id=contest.pk)
    assert certificate.certificate_of(right).document["replaces"] == str(wrong.uuid)
    assert certificate.certificate_of(right).document["number"] == 2


@pytest.mark.article("14.III.8.2")
def test_a_payment_order_makes_the_certificate_final(point: Point) -> None:
    settlement = settled(point)
    rounds.order(settlement.contest)
    order = PaymentOrder.objects.get()
    entry = log.published(kind=certificate.PAYMENT_ORDER, subject=str(settlement.uuid))
    assert entry is not None
    assert entry.document["certificate"] == digest(settlement)
    assert entry.document["first_pay_day"] == order.first_pay_day.isoformat()
    assert entry.document["last_claim_day"] == order.last_claim_day.isoformat()


@pytest.mark.article("14.III.9.5")
def test_the_next_meeting_names_the_certificate_before_it(point: Point) -> None:
    first = settled(point)
    rounds.order(first.contest)
    rounds.later(1)
    second = certificate.certificate_of(settled(point)).document
    assert second["previous"] == digest(first)
    assert second["figures"]["jackpot_in"] == first.jackpot_out_cents


@pytest.mark.article("14.III.10.7")
def test_a_certificate_names_the_accounts_whose_unclaimed_prizes_came_in(point: Point) -> None:
    day = natural_day(clock.now())
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=day)
    rounds.sell(contest, point, [(1, 1)])
    rounds.run(contest, [RUN, RUN])
    before = accounts.carry_over(RULES.code, day.replace(day=1))
    rounds.fund(before, 240)
    assert lapsed_carry_over(contest_id=contest.pk) == 240
    settlement = contest_settle(contest_id=contest.pk)
    document = certificate.certificate_of(settlement).document
    assert document["lapsed_from"] == [{"account": before.code, "cents": 240}]
    assert document["figures"]["lapsed_in"] == 240
    assert ledger.balance_cents(before) == 0
