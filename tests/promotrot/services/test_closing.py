"""Close emissions, state their figures, and carry what a game owes to prizes (15.III.6.2)."""

import uuid

import pytest
from django.db import DatabaseError, transaction

from core.ledger.books import differences
from core.ledger.organiser import Part
from core.ledger.selectors import trial_balance
from core.ledger.services import LedgerUnbalanced, Line, balance_cents, post
from core.proofs.models import LogEntry
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from promotrot import accounts
from promotrot.engine.shortfall import ExtraImpossible
from promotrot.models.emission import ClosingStatement, Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.selectors.owed import fundable_cents, owed_cents
from promotrot.services.closing import emission_close_propose
from promotrot.services.dealing import dealing
from promotrot.services.emissions import EmissionState, ExtraNeeded, ExtraNotOwed
from promotrot.services.selling import EmissionClosed
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def _awarded(emission: Emission) -> int:
    ends = PlayEnd.objects.filter(ticket__emission=emission)
    return sum(ends.values_list("awarded_cents", flat=True))


def _books_hold() -> None:
    assert differences()[1] == []
    assert trial_balance(by=factories.staff(Role.AUDITOR)).difference_cents == 0


@pytest.mark.article("15.III.6.2")
@pytest.mark.article("15.III.5.1")
def test_sold_out_it_gave_exactly_its_table_and_owes_nothing() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 40)
    emission = emitting.closed(emission)
    statement = emission.closing.document
    assert statement["takings_cents"] == 4_000
    assert (statement["sold"], statement["unsold"]) == (40, 0)
    assert statement["awarded_cents"] == _awarded(emission) == 2_800
    assert (statement["percent"], statement["shortfall_cents"]) == (70, 0)
    assert statement["unclaimed_cents"] == 2_800
    assert owed_cents(emission.game) == balance_cents(accounts.prizes("small")) == 0
    assert [balance_cents(accounts.organiser(part)) for part in Part] == [300, 420, 300, 180]
    assert balance_cents(accounts.vouchers("small/1")) == 2_800
    published = LogEntry.objects.get(kind="promotrot.closing").document
    assert published | statement == published
    _books_hold()


@pytest.mark.article("15.III.5.1")
def test_an_emission_whose_takings_are_not_those_of_its_tickets_is_not_closed() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 4)
    proposal = emission_close_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    debit, credit = accounts.takings(emission.reference), accounts.prizes("small")
    post(reference=uuid.uuid4(), lines=[Line("promotrot.closing", debit, credit, 100)])
    with pytest.raises(LedgerUnbalanced):
        emitting.both(proposal)
    emission.refresh_from_db()
    assert emission.state == Emission.State.STOPPED


def test_a_closing_that_is_refused_for_another_reason_stops_no_sale() -> None:
    emission = emitting.opened(emitting.small())
    proposer = factories.staff(Role.ORGANISER)
    proposal = emission_close_propose(by=proposer, emission=emission)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=proposer)
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.CASHIER))
    with pytest.raises(two_persons.ProposalUnknown):
        two_persons.confirm(proposal=uuid.uuid4(), by=proposer)
    emission.refresh_from_db()
    assert emission.state == Emission.State.OPEN


def _late_tops(tiers: bytes) -> bool:
    return 1 not in tiers[:20] and tiers[:20].count(2) == 8


def _half_sold(code: str = "small") -> Emission:
    """Return an emission closed after 20 tickets with 8.00 of the required 14.00 awarded."""
    with emitting.seeded(emitting.seed_where(f"{code}/1", _late_tops)):
        emission = emitting.opened(emitting.small(code))
    emitting.sold_and_played(emission, 20)
    return emitting.closed(emission)


@pytest.mark.article("15.III.6.2")
def test_withdrawn_half_sold_it_owes_what_is_short_to_the_games_next_prizes() -> None:
    emission = _half_sold()
    statement = emission.closing.document
    assert (statement["takings_cents"], statement["awarded_cents"]) == (2_000, 800)
    assert (statement["percent"], statement["shortfall_cents"]) == (40, 600)
    assert owed_cents(emission.game) == balance_cents(accounts.prizes("small")) == 600
    assert sum(balance_cents(accounts.organiser(part)) for part in Part) == 600
    with pytest.raises(EmissionClosed):
        emitting.sold(emission, 1)
    _books_hold()


@pytest.mark.article("15.III.6.2")
def test_a_debt_below_one_prize_waits_for_the_next_closing() -> None:
    with emitting.seeded(emitting.seed_where("small/1", lambda tiers: tiers[0] == 0)):
        emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 1)
    game = emitting.closed(emission).game
    assert owed_cents(game) == 70
    with pytest.raises(ExtraNotOwed):
        emitting.planned(game, extra_tier=2)
    second = emitting.opened(game)
    assert not second.tiers.filter(extra=True).exists()
    emitting.sold_and_played(second, 40)
    second = emitting.closed(second)
    assert second.closing.document["owed_before_cents"] == owed_cents(game) == 70
    _books_hold()


@pytest.mark.article("15.III.6.2")
def test_extra_prizes_pay_the_debt_on_top_of_the_seventy_per_cent() -> None:
    game = _half_sold("debtor").game
    with pytest.raises(ExtraNeeded):
        emitting.planned(game)
    with pytest.raises(ExtraImpossible):
        emitting.planned(game, extra_tier=3)
    second = emitting.opened(game, extra_tier=1)
    extra = second.tiers.get(extra=True)
    assert (extra.number, extra.value_cents, extra.count) == (3, 400, 1)
    assert (second.extra_cents, fundable_cents(game)) == (400, 200)
    emitting.sold_and_played(second, 40)
    second = emitting.closed(second)
    statement = second.closing.document
    assert (statement["awarded_cents"], statement["percent"]) == (2_800, 70)
    assert statement["extra_awarded_cents"] == 400
    assert owed_cents(game) == balance_cents(accounts.prizes("debtor")) == 200
    _books_hold()


@pytest.mark.article("15.III.6.2")
def test_the_debt_of_a_probabilistic_game_lies_on_tickets_of_its_next_emission() -> None:
    point = factories.point()
    first = emitting.opened(emitting.document("trotters-ladder"))
    emitting.sold(first, 20, point)
    game = emitting.closed(first).game
    assert owed_cents(game) == 700  # nobody has played yet, so nothing is awarded
    second = emitting.opened(game, extra_tier=3)
    assert second.dealt and second.extra_cents == 500
    extra = second.tiers.get(extra=True)
    assert (extra.number, extra.value_cents, extra.count) == (7, 500, 1)
    dealt = dealing(second.pk)
    held = [
        dealt.tier(opening, at)
        for opening, tickets in enumerate(dealt.block_tickets())
        for at in range(tickets)
    ]
    assert sorted(held)[-2:] == [0, 7] and len(held) == second.tickets


@pytest.mark.article("15.III.6.2")
def test_a_probabilistic_game_keeps_its_account_and_the_organiser_bears_what_is_beyond() -> None:
    point = factories.point()
    emission = emitting.opened(emitting.document("trotters-ladder"))
    tickets = emitting.sold(emission, 12, point)
    emitting.played(point, tickets[:10], act="trot")
    unfinished = 12 - PlayEnd.objects.count()
    emission = emitting.closed(emission)
    statement = emission.closing.document
    assert statement["unfinished"] == unfinished >= 2
    assert statement["shortfall_cents"] == max(0, 12 * 35 - _awarded(emission))
    _books_hold()


@pytest.mark.article("15.III.6.2")
def test_extra_prizes_of_a_probabilistic_game_are_awarded_on_top_of_its_plays() -> None:
    point = factories.point()
    first = emitting.opened(emitting.document("trotters-ladder", tickets=20))
    emitting.sold(first, 20, point)
    game = emitting.closed(first).game
    assert owed_cents(game) == 700
    second = emitting.opened(game, extra_tier=5)  # seven of 1.00
    assert second.tiers.get(extra=True).count == 7
    emitting.finished(point, emitting.sold(second, 20, point))
    ends = PlayEnd.objects.filter(ticket__emission=second)
    assert sorted(ends.values_list("extra_cents", flat=True)) == [0] * 13 + [100] * 7
    second = emitting.closed(second)
    statement = second.closing.document
    assert statement["extra_awarded_cents"] == 700
    assert statement["awarded_cents"] == _awarded(second)
    assert owed_cents(game) == statement["shortfall_cents"] == max(0, 700 - _awarded(second))
    assert balance_cents(accounts.prizes(game.code)) == owed_cents(game)
    _books_hold()


@pytest.mark.article("15.III.6.2")
def test_a_price_due_back_leaves_the_takings() -> None:
    emission = emitting.opened(emitting.document("trotters-ladder"))
    emitting.sold(emission, 5)
    for ticket in PlayTicket.objects.order_by("pk")[:3]:
        assert play_end_unfinished(ticket) == PlayEnd.Cause.REFUND
    emission = emitting.closed(emission)
    statement = emission.closing.document
    assert (statement["refunded"], statement["unfinished"]) == (3, 2)
    assert (statement["takings_cents"], statement["shortfall_cents"]) == (100, 70)
    assert balance_cents(accounts.refunds(emission.reference)) == 150
    late = PlayTicket.objects.latest("pk")
    assert play_end_unfinished(late) == PlayEnd.Cause.REFUND  # after the statement
    assert balance_cents(accounts.refunds(emission.reference)) == 200
    assert balance_cents(accounts.late_awards()) == -50
    _books_hold()


@pytest.mark.article("15.III.6.2")
def test_what_is_awarded_after_the_statement_is_the_organisers_to_bear() -> None:
    emission = emitting.opened(emitting.small())
    dealt = dealing(emission.pk)
    count = 1 + next(at for at in range(40) if dealt.tier(0, at))
    point = factories.point()
    tickets = emitting.sold(emission, count, point)
    emission = emitting.closed(emission)
    owed = owed_cents(emission.game)
    assert emission.closing.document["unfinished"] == count
    assert owed == -(-count * 100 * 70 // 100)
    emitting.played(point, tickets)
    late = _awarded(emission)
    assert late > 0 and balance_cents(accounts.late_awards()) == -late
    assert owed_cents(emission.game) == balance_cents(accounts.prizes("small")) == owed
    _books_hold()


def test_closing_takes_two_persons_of_the_right_role_and_happens_once() -> None:
    emission = emitting.opened(emitting.small())
    with pytest.raises(PowerMissing):
        emission_close_propose(by=factories.staff(Role.INSPECTOR), emission=emission)
    one = factories.staff(Role.ORGANISER)
    proposal = emission_close_propose(by=one, emission=emission)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=one)
    assert emission.lanes.filter(open=True).exists()
    emitting.both(proposal)
    emission.refresh_from_db()
    with pytest.raises(EmissionState):
        emission_close_propose(by=one, emission=emission)
    assert emission.closing.document["percent"] is None
    draft = emitting.planned(emission.game)
    with pytest.raises(EmissionState):
        emission_close_propose(by=one, emission=draft)


def test_a_statement_is_final_and_needs_its_two_persons() -> None:
    emission = emitting.closed(emitting.opened(emitting.small()))
    with pytest.raises(DatabaseError), transaction.atomic():
        ClosingStatement.objects.update(shortfall_cents=1)
    with pytest.raises(DatabaseError), transaction.atomic():
        Emission.objects.filter(pk=emission.pk).update(state="open")
