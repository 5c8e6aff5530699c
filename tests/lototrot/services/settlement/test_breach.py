"""Bets in breach: found whatever came late to the record; two persons undo them all together."""

import uuid
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.premises.models import Authorisation, Terminal
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.accounts import held, prizes_payable, refunds_due
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize, Settlement
from lototrot.models.tickets import Block, Void
from lototrot.services.contest.contests import ContestUnknown
from lototrot.services.settlement.breach import (
    BreachChanged,
    BreachLimitUnknown,
    BreachNotNow,
    NoBreach,
    breach_block,
    breach_list,
    breach_pending,
    breach_set,
    breach_void,
)
from tests.support import factories as f

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6", "14.III.4")]


@pytest.fixture
def contest() -> Contest:
    return f.contest()


@pytest.fixture
def point() -> f.Point:
    return f.point()


def sell(contest: Contest, point: f.Point, numbers=None) -> f.Sale:
    sale = f.sell(contest, point, numbers)
    assert sale.outcome == "sold"
    return sale


def started_at(contest: Contest, instant: datetime) -> None:
    """The first race started then, and the contest is closed."""
    f.started(f.races_of(contest)[0], at=instant)
    f.contest_closed(contest, cause="start")


def reasons(contest: Contest) -> dict[int, list[str]]:
    return {breach.ticket_id: breach.reasons for breach in breach_list(contest.pk)}


def takings_cents(contest: Contest) -> int:
    account = contest.takings_account
    return ledger.balance_cents(ledger.AccountCode(account.code, account.side))


def confirmed(proposal: Proposal) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))


def organiser() -> StaffActor:
    return f.staff(Role.ORGANISER)


# --- Finding --------------------------------------------------------------------------------------


def test_what_was_sold_at_or_after_the_actual_start_is_in_breach(
    contest: Contest, point: f.Point
) -> None:
    """[E3]: the instant of the start itself is too late; the microsecond before is not."""
    before, at, after = (sell(contest, point) for _ in range(3))
    started_at(contest, at.sold_at)
    assert reasons(contest) == {at.ticket_id: ["after_limit"], after.ticket_id: ["after_limit"]}
    assert breach_pending(contest.pk)
    assert before.ticket_id not in reasons(contest)


def test_the_limit_moves_with_a_corrected_start(contest: Contest, point: f.Point) -> None:
    first, second = sell(contest, point), sell(contest, point)
    race = f.races_of(contest)[0]
    started_at(contest, clock.now())
    assert not breach_pending(contest.pk)
    for instant, found in ((second.sold_at, 1), (first.sold_at, 2), (clock.now(), 0)):
        start = race.starts.order_by("-pk").first()
        race.starts.create(
            actual_start_at=instant,
            source="Video",
            recorded_at=clock.now(),
            recorded_by_id=start.recorded_by_id,
            recorded_in_id=start.recorded_in_id,
            proposal=f.proposal("lototrot.start_correction", f"{found}"),
        )
        assert len(breach_list(contest.pk)) == found


def test_a_declaration_that_a_race_is_not_run_is_a_limit_too(
    contest: Contest, point: f.Point
) -> None:
    """[E1]"""
    sell(contest, point)
    f.declared(f.races_of(contest)[5])
    late = sell(contest, point)
    assert reasons(contest) == {late.ticket_id: ["after_limit"]}


def test_the_first_start_counts_whatever_its_place_on_the_ticket(
    contest: Contest, point: f.Point
) -> None:
    """[E2]"""
    races = f.races_of(contest)
    sell(contest, point)
    f.started(races[4])
    late = sell(contest, point)
    f.started(races[0])
    assert list(reasons(contest)) == [late.ticket_id]


def test_who_has_read_the_tickets_spares_reading_them_again(
    contest: Contest, point: f.Point, django_assert_num_queries
) -> None:
    """The last time of sale and the terminals that took the contest decide, if they can."""
    sale, other = sell(contest, point), f.point()
    f.acknowledge(f.contest(f.meeting(day=contest.day + timedelta(days=1))), other)
    Terminal.objects.filter(pk=other.terminal.pk).update(revoked_at=contest.opened_at)
    started_at(contest, clock.now())
    with django_assert_num_queries(4):
        assert not breach_pending(contest.pk, last_sold_at=sale.sold_at)
    late = sale.sold_at + timedelta(days=1)
    assert not breach_pending(contest.pk, last_sold_at=late)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=clock.now())
    assert not breach_pending(contest.pk, last_sold_at=sale.sold_at)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=sale.sold_at)
    assert breach_pending(contest.pk, last_sold_at=sale.sold_at)


def test_a_last_sale_after_the_limit_is_looked_for(contest: Contest, point: f.Point) -> None:
    sale = sell(contest, point)
    started_at(contest, sale.sold_at)
    assert breach_pending(contest.pk, last_sold_at=sale.sold_at)


def test_without_a_start_on_record_only_places_are_judged(contest: Contest) -> None:
    sell(contest, f.point())
    assert not breach_pending(contest.pk)
    assert breach_set(contest.pk).tickets == 0


def test_an_authorisation_ended_as_of_an_earlier_instant_leaves_bets_in_breach(
    contest: Contest, point: f.Point
) -> None:
    other = f.point()
    for at in (point, other):
        sell(contest, at)
    boundary = clock.now()
    late = [sell(contest, point), sell(contest, point)]
    sell(contest, other)
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(
        valid_until=boundary
    )
    assert reasons(contest) == {sale.ticket_id: ["premises_not_authorised"] for sale in late}
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(
        valid_until=late[0].sold_at
    )
    assert len(breach_list(contest.pk)) == 2  # the instant of its end is out
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(valid_until=None)
    assert not breach_pending(contest.pk)


def test_an_authorisation_for_the_other_game_is_none(contest: Contest, point: f.Point) -> None:
    sale = sell(contest, point)
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(
        valid_until=sale.sold_at - timedelta(seconds=1)
    )
    assert reasons(contest) == {sale.ticket_id: ["premises_not_authorised"]}


def test_two_periods_that_meet_cover_the_whole_sale(contest: Contest, point: f.Point) -> None:
    sell(contest, point)
    boundary = clock.now()
    authorisation = Authorisation.objects.get(premises=point.premises, game="lototrot")
    Authorisation.objects.filter(pk=authorisation.pk).update(valid_until=boundary)
    Authorisation.objects.create(
        premises=point.premises,
        game="lototrot",
        valid_from=boundary,
        reference="AUT-2",
        recorded_by_id=authorisation.recorded_by_id,
        recorded_at=clock.now(),
    )
    sell(contest, point)
    assert not breach_pending(contest.pk)


def test_a_terminal_revoked_by_then_is_in_breach(contest: Contest, point: f.Point) -> None:
    sell(contest, point)
    late = sell(contest, point)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=late.sold_at)
    assert reasons(contest) == {late.ticket_id: ["terminal_revoked"]}


def test_every_reason_is_given_and_other_contests_are_left_alone(point: f.Point) -> None:
    contest = f.contest()
    other = f.contest(f.meeting(day=contest.day + timedelta(days=1)))
    sale = sell(contest, point)
    started_at(contest, sale.sold_at)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=sale.sold_at)
    Authorisation.objects.filter(premises=point.premises).update(valid_until=sale.sold_at)
    (found,) = breach_list(contest.pk)
    assert found.reasons == ["after_limit", "premises_not_authorised", "terminal_revoked"]
    assert (found.uuid, found.premises) == (sale.uuid, point.premises.code)
    assert (found.terminal, found.amount_cents) == (point.terminal.code, 100)
    assert not breach_pending(other.pk)
    with pytest.raises(ContestUnknown):
        breach_pending(0)


def test_the_list_is_read_page_by_page(contest: Contest, point: f.Point) -> None:
    start = clock.now()
    sold = [sell(contest, point).ticket_id for _ in range(5)]
    started_at(contest, start)
    first = breach_list(contest.pk, limit=2)
    rest = breach_list(contest.pk, after=first[-1].ticket_id, limit=10)
    assert [breach.ticket_id for breach in first + rest] == sold


def test_a_ticket_voided_as_an_error_is_not_in_breach_any_more(
    contest: Contest, point: f.Point
) -> None:
    sale = sell(contest, point)
    Void.objects.create(
        ticket_id=sale.ticket_id,
        reason="error",
        note="Wrong race",
        voided_at=clock.now(),
        operator=point.operator,
    )
    started_at(contest, sale.sold_at)
    assert not breach_pending(contest.pk)


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
    now = clock.now() - timedelta(hours=1)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=now)
    proposal = breach_void(by=organiser(), contest_id=contest.pk)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=None)
    Terminal.objects.filter(pk=other.terminal.pk).update(revoked_at=now)
    with pytest.raises(BreachChanged):
        confirmed(proposal)


def test_it_is_done_between_closing_and_settlement(contest: Contest, point: f.Point) -> None:
    start = clock.now()
    sell(contest, point)
    f.started(f.races_of(contest)[0], at=start)
    with pytest.raises(BreachNotNow):
        breach_void(by=organiser(), contest_id=contest.pk)
    f.contest_closed(contest)
    proposal = breach_void(by=organiser(), contest_id=contest.pk)
    Contest.objects.filter(pk=contest.pk).update(state="settled")
    for act in (breach_void, breach_block):
        with pytest.raises(BreachNotNow):
            act(by=organiser(), contest_id=contest.pk)
    with pytest.raises(BreachNotNow):
        confirmed(proposal)
    with pytest.raises(ContestUnknown):
        breach_void(by=organiser(), contest_id=0)


def test_there_must_be_a_limit_and_a_breach(contest: Contest, point: f.Point) -> None:
    sell(contest, point)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=contest.opened_at)
    f.contest_closed(contest)
    with pytest.raises(BreachLimitUnknown):
        breach_void(by=organiser(), contest_id=contest.pk)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=None)
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


# --- Blocks ---------------------------------------------------------------------------------------


def ordered(contest: Contest, prizes: dict[int, int]) -> Settlement:
    """The contest settled and its payment ordered, with the prizes by ticket."""
    figures = (
        "tickets",
        "bets",
        "winning_tickets",
        "takings_cents",
        "jackpot_in_cents",
        "reserve_in_cents",
        "lapsed_in_cents",
        "prizes_cents",
        "jackpot_out_cents",
        "reserve_out_cents",
    )
    settlement = Settlement.objects.create(
        uuid=uuid.uuid4(),
        contest=contest,
        number=1,
        rules={},
        races=[],
        figures={},
        settled_at=clock.now(),
        **dict.fromkeys(figures, 0),
    )
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
