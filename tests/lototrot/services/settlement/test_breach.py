"""Void bets in breach before the settlement, or block them after the payment order."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.premises.models import Authorisation, Terminal
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.accounts import held, prizes_payable, refunds_due
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Prize, Settlement
from lototrot.models.tickets import Block, Ticket, Void
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.contests import ContestUnknown
from lototrot.services.races.declarations import declaration_retract
from lototrot.services.races.starts import start_report
from lototrot.services.settlement.breach import (
    BreachChanged,
    BreachLimitUnknown,
    BreachNotNow,
    CorrectionWaits,
    NoBreach,
    breach_block,
    breach_void,
    breached_reverse,
)
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import BreachPending
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories as f
from tests.support import rounds
from tests.support.lototrot.breaching import (
    confirmed,
    organiser,
    sell,
    set_of,
    started_at,
    takings_cents,
)

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6", "14.III.4")]


@pytest.fixture
def point() -> f.Point:
    return f.point()


# --- Voiding --------------------------------------------------------------------------------------


def test_two_persons_void_them_all_and_their_price_becomes_a_refund_due(
    contest: Contest, point: f.Point
) -> None:
    """[C6]"""
    sell(contest, point)
    start = clock.now()
    late = [sell(contest, point), sell(contest, f.point(), [(1, 2, 3), *[(1,)] * 6])]
    started_at(contest, start)
    first = organiser()
    proposal = breach_void(by=first, contest_id=contest.pk)
    assert (proposal.content["tickets"], proposal.content["amount_cents"]) == (2, 400)
    assert not Void.objects.exists()
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=f.another_session(first))
    confirmed(proposal)
    voided = Void.objects.order_by("ticket")
    assert [v.ticket_id for v in voided] == [sale.ticket_id for sale in late]
    assert {(v.reason, v.note, v.proposal, v.operator) for v in voided} == {
        ("breach", "after_limit", proposal, None)
    }
    assert takings_cents(contest) == 100
    assert ledger.balance_cents(refunds_due(contest.pk)) == 400
    assert ledger.balance_cents(ledger.premises_account(point.premises.pk)) == 200
    assert not breach_pending(contest.pk)


def test_confirming_again_posts_nothing_again(contest: Contest, point: f.Point) -> None:
    started_at(contest, sell(contest, point).sold_at)
    by = organiser()
    proposal = breach_void(by=organiser(), contest_id=contest.pk)
    for _ in range(2):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    assert Transfer.objects.filter(reference=proposal.uuid).count() == 1
    with pytest.raises(NoBreach):
        breach_void(by=organiser(), contest_id=contest.pk)


def test_a_set_that_changed_is_not_voided(contest: Contest, point: f.Point) -> None:
    """All together, never a selection: what is confirmed is what was proposed."""
    early = sell(contest, point)
    late = sell(contest, point)
    started_at(contest, late.sold_at)
    proposal = breach_void(by=organiser(), contest_id=contest.pk)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=early.sold_at)
    with pytest.raises(BreachChanged):
        confirmed(proposal)
    assert not Void.objects.exists()
    assert takings_cents(contest) == 200
    two_persons.reject(proposal=proposal.uuid, by=organiser())
    confirmed(breach_void(by=organiser(), contest_id=contest.pk))
    assert Void.objects.count() == 2


def test_a_set_of_the_same_size_and_sum_is_another_set(contest: Contest, point: f.Point) -> None:
    other = f.point()
    for at in (point, other):
        sell(contest, at)
    started_at(contest, clock.now())
    past = clock.now() - timedelta(hours=1)
    right = point.premises.authorisations.get(game="lototrot")
    f.ended(right, past)
    proposal = breach_void(by=organiser(), contest_id=contest.pk)
    Authorisation.objects.filter(pk=right.pk).update(valid_until=None)
    f.ended(other.terminal, past)
    with pytest.raises(BreachChanged):
        confirmed(proposal)


def test_nothing_is_voided_while_a_correction_of_the_start_waits(
    contest: Contest, point: f.Point
) -> None:
    """[C6, C9]: a start stated too early would take bets that are in time, and for good."""
    in_time, late = sell(contest, point), sell(contest, point)
    started_at(contest, in_time.sold_at)
    proposed = breach_void(by=organiser(), contest_id=contest.pk)
    race, (one, two) = f.races_of(contest)[0], f.two_stewards()
    correction = start_correct(
        by=one, race_id=race.pk, actual_start_at=late.sold_at, source="Video"
    )
    with pytest.raises(CorrectionWaits):
        confirmed(proposed)
    two_persons.reject(proposal=proposed.uuid, by=organiser())
    with pytest.raises(CorrectionWaits):
        breach_void(by=organiser(), contest_id=contest.pk)
    two_persons.confirm(proposal=correction.uuid, by=two)
    confirmed(breach_void(by=organiser(), contest_id=contest.pk))
    assert [void.ticket_id for void in Void.objects.all()] == [late.ticket_id]


def test_nothing_is_voided_while_it_waits_that_a_declaration_is_taken_back(
    contest: Contest, point: f.Point
) -> None:
    """[C6, B13]: the race is run after all, as who retracts or who reports its start says."""
    race, (one, two) = f.races_of(contest)[0], f.two_stewards()
    f.declared(race)
    sell(contest, point)
    f.contest_closed(contest, cause="not_run")
    retraction = declaration_retract(by=one, race_id=race.pk, reason="Another race")
    with pytest.raises(CorrectionWaits):
        breach_void(by=organiser(), contest_id=contest.pk)
    two_persons.reject(proposal=retraction.uuid, by=two)
    started = start_report(by=one, race_id=race.pk, source="Judge")
    with pytest.raises(CorrectionWaits):
        breach_void(by=organiser(), contest_id=contest.pk)
    two_persons.confirm(proposal=started.uuid, by=two)
    with pytest.raises(NoBreach):
        breach_void(by=organiser(), contest_id=contest.pk)


def test_they_are_voided_between_closing_and_order(contest: Contest, point: f.Point) -> None:
    start = clock.now()
    sell(contest, point)
    f.started(f.races_of(contest)[0], at=start)
    with pytest.raises(BreachNotNow):
        breach_void(by=organiser(), contest_id=contest.pk)
    f.contest_closed(contest)
    proposal = breach_void(by=organiser(), contest_id=contest.pk)
    Contest.objects.filter(pk=contest.pk).update(state="settled")
    with pytest.raises(BreachNotNow):
        breach_block(by=organiser(), contest_id=contest.pk)
    Contest.objects.filter(pk=contest.pk).update(state="ordered")
    with pytest.raises(BreachNotNow):
        breach_void(by=organiser(), contest_id=contest.pk)
    with pytest.raises(BreachNotNow):
        confirmed(proposal)
    with pytest.raises(ContestUnknown):
        breach_void(by=organiser(), contest_id=0)


def settled_with_a_breach(point: f.Point) -> tuple[Contest, Settlement]:
    """Return a settled contest, and its settlement, of whose three tickets one proved late."""
    contest = rounds.settled(point)
    late = contest.tickets.order_by("-pk").first()
    start = f.races_of(contest)[0].starts.get()
    f.races_of(contest)[0].starts.create(
        actual_start_at=late.sold_at,
        source="Video",
        recorded_at=clock.now(),
        recorded_by_id=start.recorded_by_id,
        recorded_in_id=start.recorded_in_id,
        proposal=f.proposal(
            "lototrot.start_correction",
            "video",
            f.start_of(start.race, late.sold_at, "Video", replaces=start.pk),
        ),
        corrects=start,
    )
    return contest, contest.settlements.get()


def test_found_after_the_settlement_they_reverse_it(point: f.Point) -> None:
    """[C9]: no order meanwhile, not even by direct SQL; the postings are kept."""
    contest, settlement = settled_with_a_breach(point)
    with pytest.raises(BreachPending):
        payment_order_propose(by=organiser(), contest_id=contest.pk)
    with pytest.raises(IntegrityError, match="bets in breach are pending"), transaction.atomic():
        PaymentOrder.objects.create(
            contest=contest,
            settlement=settlement,
            proposal=f.proposal(
                "lototrot.payment_order",
                "forced",
                {
                    "contest": contest.pk,
                    "settlement": str(settlement.uuid),
                    "results_day": str(contest.day),
                    "first_pay_day": str(contest.day),
                    "last_claim_day": str(contest.day),
                },
            ),
            ordered_at=clock.now(),
            results_day=contest.day,
            first_pay_day=contest.day,
            last_claim_day=contest.day,
        )
    proposal = breach_void(by=organiser(), contest_id=contest.pk)
    assert contest.settlements.filter(in_force=True).exists()
    confirmed(proposal)
    contest.refresh_from_db()
    assert contest.state == Contest.State.CLOSED
    assert not contest.settlements.filter(in_force=True).exists()
    assert takings_cents(contest) == 0 and ledger.balance_cents(refunds_due(contest.pk)) == 300
    rounds.books_agree()


def test_a_correction_reverses_only_settlements_with_breaches_and_without_order(
    point: f.Point,
) -> None:
    ordered_before = rounds.ordered(point)
    rounds.later(1)
    late = settled_with_a_breach(point)[0]
    contests = [ordered_before.pk, late.pk]
    assert breached_reverse(organiser(), contests) == [late.pk]
    assert breached_reverse(organiser(), contests) == []
    ordered_before.refresh_from_db()
    assert ordered_before.state == Contest.State.ORDERED


def test_there_must_be_a_limit_and_a_breach(contest: Contest, point: f.Point) -> None:
    sell(contest, point)
    right = Authorisation.objects.filter(premises=point.premises, game="lototrot")
    right.update(valid_until=contest.opened_at)
    f.contest_closed(contest)
    with pytest.raises(BreachLimitUnknown):
        breach_void(by=organiser(), contest_id=contest.pk)
    right.update(valid_until=None)
    f.started(f.races_of(contest)[0])
    with pytest.raises(NoBreach):
        breach_void(by=organiser(), contest_id=contest.pk)
    with pytest.raises(PowerMissing):
        breach_void(by=f.staff(Role.STEWARDS, Role.SUPERVISOR), contest_id=contest.pk)


def test_the_database_refuses_what_nobody_confirmed(contest: Contest, point: f.Point) -> None:
    sale = sell(contest, point)
    started_at(contest, sale.sold_at)
    waiting = breach_void(by=organiser(), contest_id=contest.pk)
    for stated in (waiting, f.proposal("lototrot.withdrawal", "other")):
        with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
            Void.objects.create(
                ticket_id=sale.ticket_id,
                reason="breach",
                note="x",
                voided_at=clock.now(),
                proposal=stated,
            )
        with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
            Block.objects.create(
                ticket_id=sale.ticket_id, proposal=stated, blocked_at=clock.now(), prize_cents=0
            )


@pytest.mark.parametrize("verdict", [breach_void, breach_block])
def test_no_other_ticket_is_undone_beside_those_that_two_persons_confirmed(
    contest: Contest, point: f.Point, verdict: Callable[..., Proposal]
) -> None:
    """[C6]: in the act itself a program voided the ticket of a friend that lost, and it was paid
    before the night named it.
    """
    lost = sell(contest, point)
    start = clock.now()
    sell(contest, point)
    started_at(contest, start)
    if verdict is breach_block:
        ordered(contest, {})
    proposal = verdict(by=organiser(), contest_id=contest.pk)
    more: dict[str, Any] = {"ticket_id": lost.ticket_id, "proposal": proposal}
    with pytest.raises(IntegrityError, match="confirmed other tickets"), transaction.atomic():
        confirmed(proposal)
        if verdict is breach_void:
            Void.objects.create(reason="breach", note="x", voided_at=clock.now(), **more)
        else:
            Block.objects.create(blocked_at=clock.now(), prize_cents=0, **more)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def ordered(contest: Contest, prizes: dict[int, int]) -> Settlement:
    """The contest settled and its payment ordered, with the prizes by ticket."""
    settlement = rounds.bare_settlement(contest)
    Prize.objects.bulk_create(
        Prize(settlement=settlement, ticket_id=ticket, winning_bets=[1, 0, 0, 0], prize_cents=cents)
        for ticket, cents in prizes.items()
    )
    account = contest.takings_account
    takings = ledger.AccountCode(account.code, account.side)
    line = ledger.Line("test", takings, prizes_payable(contest.pk), sum(prizes.values()))
    ledger.post(reference=settlement.uuid, lines=[line])
    for state in ("settled", "ordered"):
        Contest.objects.filter(pk=contest.pk).update(state=state)
    return settlement


@pytest.mark.article("14.III.8.2")
def test_found_after_the_order_they_are_blocked_and_their_prize_is_held(
    contest: Contest, point: f.Point
) -> None:
    """[C6]"""
    good, winner, loser = (sell(contest, point) for _ in range(3))
    started_at(contest, clock.now())
    ordered(contest, {good.ticket_id: 70, winner.ticket_id: 110})
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=winner.sold_at)
    with pytest.raises(BreachNotNow):
        breach_void(by=organiser(), contest_id=contest.pk)
    first = organiser()
    proposal = breach_block(by=first, contest_id=contest.pk)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=first)
    confirmed(proposal)
    assert dict(Block.objects.values_list("ticket_id", "prize_cents")) == {
        winner.ticket_id: 110,
        loser.ticket_id: 0,
    }
    assert ledger.balance_cents(prizes_payable(contest.pk)) == 70
    assert ledger.balance_cents(held(contest.pk)) == 110
    assert not breach_pending(contest.pk)
    with pytest.raises(NoBreach):
        breach_block(by=organiser(), contest_id=contest.pk)


@pytest.mark.article("14.I.6")
def test_a_block_holds_the_prize_that_was_ordered(contest: Contest, point: f.Point) -> None:
    """[C6]: a program could hold less than the ticket won, and have its bearer granted that."""
    winner, loser = sell(contest, point), sell(contest, point)
    started_at(contest, winner.sold_at)
    ordered(contest, {winner.ticket_id: 110})

    def block(sale: f.Sale, cents: int) -> None:
        content = set_of([Ticket.objects.get(pk=sale.ticket_id)])
        proposal = f.proposal("lototrot.breach_block", content=content)
        row = {"proposal": proposal, "blocked_at": clock.now(), "prize_cents": cents}
        Block.objects.create(ticket_id=sale.ticket_id, **row)

    for sale, cents in ((winner, 109), (winner, 0), (loser, 110), (loser, 1)):
        with pytest.raises(IntegrityError, match="confirmed another"), transaction.atomic():
            block(sale, cents)
    block(winner, 110)
    block(loser, 0)


def test_a_block_of_losing_tickets_moves_no_money(contest: Contest, point: f.Point) -> None:
    sale = sell(contest, point)
    started_at(contest, sale.sold_at)
    ordered(contest, {})
    proposal = breach_block(by=organiser(), contest_id=contest.pk)
    confirmed(proposal)
    assert Block.objects.get().prize_cents == 0
    assert not Transfer.objects.filter(reference=proposal.uuid).exists()


def test_a_changed_set_is_not_blocked(contest: Contest, point: f.Point) -> None:
    early, late = sell(contest, point), sell(contest, point)
    started_at(contest, late.sold_at)
    ordered(contest, {})
    proposal = breach_block(by=organiser(), contest_id=contest.pk)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=early.sold_at)
    with pytest.raises(BreachChanged):
        confirmed(proposal)
    assert not Block.objects.exists()
