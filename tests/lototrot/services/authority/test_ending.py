"""End a bet type: only when nobody can be paid from it any more, and to the cent [A17, A21]."""

import uuid
from datetime import timedelta
from pathlib import Path

import pytest

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.nights.nightly import lapse
from core.payoffice.services.matching import deposit_match
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot import accounts, postings
from lototrot.engine.races import Race as Facts
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize, Settlement
from lototrot.postings import Source
from lototrot.selectors.published import CERTIFICATE
from lototrot.services.authority.ending import (
    ENDED,
    Destination,
    DestinationUnknown,
    DestinationUnordered,
    EndNotWhole,
    GameEnded,
    GameNotOver,
    end_propose,
    held_cents,
)
from lototrot.services.seal.sealing import seal_amend
from lototrot.services.settlement.auditing import audit_contests
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.factories import Point
from tests.support.lototrot import breaching
from tests.support.verifying.forging import (
    Entries,
    Refused,
    Walk,
    forged,
    public_key,
    published_log,
    quick_signatures,
    vouched_for,
    written,
)
from tests.support.verifying.load import verifier

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.9.5", "14.III.9.8")]
CODE = "two-legs"
DAY = natural_day(rounds.NOON)


@pytest.fixture
def by() -> StaffActor:
    """Give the chain a jackpot of 500, a reserve of 30, and unclaimed prizes of two days."""
    factories.time_to(rounds.NOON)
    factories.bet_type_of(rounds.rules(**rounds.TWO_LEGS))
    rounds.fund(accounts.jackpot(CODE), 500)
    rounds.fund(accounts.reserve(CODE), 30)
    rounds.fund(accounts.carry_over(CODE, DAY), 7)
    rounds.fund(accounts.carry_over(CODE, add_days(DAY, 1)), 5)
    return factories.staff(Role.ORGANISER)


WHOLE = (
    Destination(Source.JACKPOT, 400, recipient="Federació"),
    Destination(Source.JACKPOT, 100, recipient="Hospital"),
    Destination(Source.RESERVE, 30, recipient="Hospital"),
    Destination(Source.UNCLAIMED, 10, recipient="Federació"),
    Destination(Source.UNCLAIMED, 2, recipient="Hospital"),
)


def proposed(by: StaffActor, *destinations: Destination) -> uuid.UUID:
    return end_propose(
        by=by, bet_type=CODE, decision="Resolució 3", destinations=destinations or WHOLE
    ).uuid


def test_each_sum_goes_to_its_recipient_the_oldest_day_first(by: StaffActor) -> None:
    two_persons.confirm(proposal=proposed(by), by=factories.staff(Role.ORGANISER))
    assert ledger.balance_cents(accounts.sent_on(CODE, "Federació")) == 410
    assert ledger.balance_cents(accounts.sent_on(CODE, "Hospital")) == 132
    assert {sum(parts.values()) for parts in held_cents(CODE).values()} == {0}
    end = GameEnd.objects.get()
    unclaimed = [(m["day"], m["cents"]) for m in end.moves if m["source"] == "unclaimed"]
    later = add_days(DAY, 1).isoformat()
    assert unclaimed == [(DAY.isoformat(), 7), (later, 3), (later, 2)]
    assert end.cents == 542
    with pytest.raises(GameEnded):
        proposed(by)


@pytest.mark.parametrize("index", range(len(WHOLE)))
def test_a_cent_without_a_place_is_refused(by: StaffActor, index: int) -> None:
    less = [*WHOLE[:index], *WHOLE[index + 1 :]]
    with pytest.raises(EndNotWhole):
        proposed(by, *less)
    with pytest.raises(EndNotWhole):
        proposed(by, *WHOLE, WHOLE[index])


@pytest.mark.parametrize(
    "wrong",
    [
        Destination(Source.JACKPOT, 1),
        Destination(Source.JACKPOT, 0, recipient="x"),
        Destination(Source.JACKPOT, -5, recipient="x"),
        Destination(Source.JACKPOT, 1, recipient="x", bet_type="lototrot"),
        Destination(Source.JACKPOT, 1, bet_type=CODE),
        Destination(Source.JACKPOT, 1, bet_type="nothing"),
    ],
)
def test_a_sum_needs_one_destination_that_exists(by: StaffActor, wrong: Destination) -> None:
    with pytest.raises(DestinationUnknown):
        proposed(by, *WHOLE, wrong)


def test_money_that_came_between_the_two_persons_keeps_the_end_back(by: StaffActor) -> None:
    ident = proposed(by)
    rounds.fund(accounts.jackpot(CODE), 1)
    with pytest.raises(EndNotWhole):
        two_persons.confirm(proposal=ident, by=factories.staff(Role.ORGANISER))
    assert not GameEnd.objects.exists()


@pytest.mark.parametrize("state", [Contest.State.OPEN, Contest.State.DRAFT])
def test_an_unfinished_contest_keeps_the_game_going(by: StaffActor, state: str) -> None:
    meeting = factories.meeting(races=2, day=DAY + timedelta(days=1))
    rules = rounds.record(rounds.rules(**rounds.TWO_LEGS))
    contest = factories.contest(meeting, rules=rules, state=state)
    with pytest.raises(GameNotOver) as refusal:
        proposed(by)
    assert refusal.value.data == {"contest": contest.pk}


def test_prizes_that_can_still_be_claimed_keep_the_game_going(by: StaffActor) -> None:
    contest = rounds.ordered(factories.point(), tickets=((3, 3),))
    with pytest.raises(GameNotOver) as refusal:
        proposed(by)
    assert refusal.value.data == {"contest": contest.pk}


OTHER = {**rounds.TWO_LEGS, "code": "two-more"}


def _ended_into(bet_type: str) -> uuid.UUID:
    """Propose that all which another bet type holds goes to this one."""
    held = {source: sum(parts.values()) for source, parts in held_cents("two-more").items()}
    whole = [Destination(each, cents, bet_type=bet_type) for each, cents in held.items() if cents]
    assert {each.source for each in whole} >= {Source.JACKPOT, Source.RESERVE}
    by = factories.staff(Role.ORGANISER)
    proposal = end_propose(by=by, bet_type="two-more", decision="Resolució 4", destinations=whole)
    return proposal.uuid


@pytest.fixture
def over() -> Point:
    """Play another bet type to its end: a jackpot, a reserve, and a prize that has lapsed."""
    factories.time_to(rounds.NOON)
    point = factories.point()
    rounds.record(rounds.rules(**rounds.TWO_LEGS))
    for hits in (0, 1):
        rounds.later(1)
        contest = rounds.contest(rounds.rules(**OTHER), [(1, 2, 3)] * 2)
        rounds.sell(contest, point, [(1, 2) if hits else (4, 4)])
        rounds.run(contest, [Facts((1, 2, 3), winners=frozenset({1}))] * 2)
        rounds.order(contest)
    factories.time_pass(days=31)
    lapse(add_days(natural_day(clock.now()), -1))
    return point


def test_what_another_bet_type_sends_is_won_audited_and_in_the_books(over: Point) -> None:
    """[A21]: the next meeting has it, and every recount knows where it came from."""
    first = rounds.ordered(over)
    two_persons.confirm(proposal=_ended_into("two-legs"), by=factories.staff(Role.ORGANISER))
    sent = {
        name: sum(move["cents"] for move in GameEnd.objects.get().moves if match(move["source"]))
        for name, match in (
            ("jackpot_in_cents", lambda source: source != "reserve"),
            ("reserve_in_cents", lambda source: source == "reserve"),
        )
    }
    assert audit_contests().findings == []
    rounds.books_agree()
    rounds.later(1)
    settlement = rounds.ordered(over).settlements.get()
    before = first.settlements.get()
    assert settlement.jackpot_in_cents == before.jackpot_out_cents + sent["jackpot_in_cents"]
    assert settlement.reserve_in_cents == before.reserve_out_cents + sent["reserve_in_cents"]
    assert audit_contests().findings == []
    rounds.books_agree()


def test_the_public_sees_what_was_sent_and_that_it_was_carried_in(
    over: Point, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[A21]: an operator who sends on, or carries in, a cent more or less is found."""
    quick_signatures(monkeypatch)
    rounds.ordered(over)
    two_persons.confirm(proposal=_ended_into("two-legs"), by=factories.staff(Role.ORGANISER))
    rounds.later(1)
    rounds.ordered(over)
    settlements = Settlement.objects.order_by("pk")

    def verified(log: Entries) -> str:
        """Verify each settlement of both bet types."""
        file = written(tmp_path, "log.jsonl", log)
        for each in settlements:
            verdict = verifier("settlement").check(file, public_key(), str(each.uuid))
            assert verdict.startswith("The settlement holds")
        return "all hold"

    log = published_log()
    assert [each["kind"] for each in log].count(CERTIFICATE) == len(settlements) == 4
    walk = Walk(log, verified)
    assert walk.liars(ENDED) ^ vouched_for(ENDED) == set()
    assert walk.strangers(ENDED) > 50
    (end,) = (each for each in log if each["kind"] == ENDED)
    for lie, refusal in (
        ({"moves": end["document"]["moves"][1:]}, "lototrot.end.moves: 0 cents of jackpot, not"),
        ({"bet_type": "two-legs"}, "lototrot.end.bet_type"),
    ):
        with pytest.raises(Refused, match=refusal):
            verified(forged(log, ENDED, end["document"] | lie))


def test_nothing_is_sent_to_a_meeting_that_may_still_be_settled_again(over: Point) -> None:
    """[B14]: its settlement is published with the jackpot that it had."""
    ident = _ended_into("two-legs")
    contest = rounds.settled(over)
    for act in (
        lambda: two_persons.confirm(proposal=ident, by=factories.staff(Role.ORGANISER)),
        lambda: _ended_into("two-legs"),
    ):
        with pytest.raises(DestinationUnordered) as refusal:
            act()
        assert refusal.value.data == {"contest": contest.pk}
    settlement_reverse(contest_id=contest.pk, by=factories.staff(Role.ORGANISER))
    two_persons.confirm(proposal=ident, by=factories.staff(Role.ORGANISER))
    contest_settle(contest_id=contest.pk)
    assert audit_contests().findings == []
    rounds.books_agree()


def test_a_prize_identified_after_the_end_is_the_organisers_and_the_audit_knows_it() -> None:
    """[C8]: what had lapsed was sent on by the authority's decision."""
    factories.time_to(rounds.NOON)
    contest = rounds.ordered(factories.point())
    deposit = given.deposited("", factories.point().actor, "unreadable").uuid
    factories.time_pass(days=31)
    lapse(add_days(natural_day(clock.now()), -1))
    held = {source: sum(parts.values()) for source, parts in held_cents(CODE).items()}
    whole = [Destination(each, cents, recipient="x") for each, cents in held.items() if cents]
    proposal = end_propose(
        by=factories.staff(Role.ORGANISER), bet_type=CODE, decision="x", destinations=whole
    )
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    prize = Prize.objects.filter(settlement__contest=contest, prize_cents__gt=0).first()
    matched = deposit_match(
        by=factories.staff(Role.SUPERVISOR),
        deposit=deposit,
        game="lototrot",
        document=prize.ticket.uuid,
        evidence="Sold then.",
    )
    assert matched.restoration.taken_from.code == accounts.late_claims().code
    assert audit_contests().findings == []
    rounds.books_agree()


@pytest.mark.article("14.III.10.5")
def test_a_price_that_is_refused_after_the_end_stays_due_and_waits_for_no_meeting() -> None:
    """[C6]: it never lapses, so it may be deposited when no meeting comes any more."""
    factories.time_to(rounds.NOON)
    contest = given.contest()
    refund, _other = given.tickets(contest, 2)
    rounds.run(contest, [Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    proposal = breaching.voided([refund.ticket])
    cents = refund.ticket.amount_cents
    takings = ledger.liability(contest.takings_account.code)
    line = postings.breach_void(contest_id=contest.pk, takings=takings, cents=cents)
    ledger.post(reference=proposal.uuid, lines=[line])
    contest.refresh_from_db()
    seal_amend(contest=contest, proposal=proposal)
    rounds.order(contest)
    factories.time_pass(days=31)
    lapse(add_days(natural_day(clock.now()), -1))
    held = {source: sum(parts.values()) for source, parts in held_cents(CODE).items()}
    whole = [Destination(each, cents, recipient="x") for each, cents in held.items() if cents]
    end = end_propose(
        by=factories.staff(Role.ORGANISER), bet_type=CODE, decision="x", destinations=whole
    )
    two_persons.confirm(proposal=end.uuid, by=factories.staff(Role.ORGANISER))
    given.ruled(given.deposited(refund.code, factories.point().actor), "refused")
    assert sum(held_cents(CODE)[Source.UNCLAIMED].values()) == 0
    assert given.balance(accounts.refunds_due(contest.pk)) == cents
    assert audit_contests().findings == []
    rounds.books_agree()
