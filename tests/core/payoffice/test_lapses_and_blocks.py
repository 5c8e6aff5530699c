"""The nightly lapse and the block of a late breach, with the books after each act."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import refusals
from core.payoffice.judging import DocumentState
from core.payoffice.models import (
    Deposit,
)
from core.payoffice.services import (
    paying,
    ruling,
)
from core.payoffice.services.checking import holder_check
from core.payoffice.services.presenting import presentation_make
from core.staff import two_persons
from core.staff.powers import Role
from lototrot import accounts as lototrot
from lototrot.services.prizes.lapsing import NotYetOver, lapse, lapses_due
from lototrot.services.settlement.breach import NoBreach, breach_block
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.10.2", "14.III.10.7")
def test_the_night_lapses_what_nobody_claimed_and_nothing_else() -> None:
    """[D3, D6, C5]: paid, presented and deposited ones stay; the books agree at every step."""
    place = factories.point()
    paid, contest, torn, lost = given.settled(4, losers=1, at=place)
    rounds.books_agree()
    paying.payment_make(at=place.actor, request=paid.request())
    presentation_make(at=place.actor, code=contest.code)
    given.deposited(torn.code, place.actor)
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
    assert isinstance(paying.payment_make(at=place.actor, request=contest.request()), paying.Paid)
    given.ruled(Deposit.objects.get(), "refused")
    rounds.books_agree()


@pytest.mark.article("14.I.6", "14.III.10.4")
def test_a_breach_found_late_blocks_what_is_not_paid_yet() -> None:
    """[C6]: a paid ticket is left out; a blocked one is held until two persons decide."""
    suspect, place = factories.point(), factories.point()
    paid, contest, blocked = given.settled(3, losers=1, at=suspect)
    paying.payment_make(at=place.actor, request=paid.request())
    presentation_make(at=place.actor, code=contest.code)
    factories.ended(suspect.terminal, paid.contest.opened_at)
    organiser = factories.staff(Role.ORGANISER)
    proposal = breach_block(by=organiser, contest_id=paid.contest.pk)
    assert proposal.content["tickets"] == 3  # the loser, too
    given.confirmed(proposal, Role.ORGANISER)
    for each in (contest, blocked):
        with pytest.raises(refusals.MoneyHeld):
            paying.payment_make(at=place.actor, request=each.request())
        assert holder_check(code=each.code).state is DocumentState.BLOCKED
    held = lototrot.held(paid.contest.pk)
    assert given.balance(held) == contest.cents + blocked.cents
    rounds.books_agree()
    with pytest.raises(NoBreach):
        breach_block(by=organiser, contest_id=paid.contest.pk)
    factories.time_pass(days=40)
    for each, verdict in ((contest, "granted"), (blocked, "refused")):
        given.confirmed(
            ruling.ruling_propose(
                by=organiser,
                verdict=verdict,
                reason="Heard.",
                game="lototrot",
                document=each.ticket.uuid,
            )
        )
    paying.payment_make(at=place.actor, request=contest.request())
    assert given.balance(held) == 0
    rounds.books_agree()


@pytest.mark.article("14.I.6", "14.III.10.5")
def test_a_ruling_that_was_proposed_before_the_block_is_not_confirmed_after_it() -> None:
    """[C5, C6]: who proposed to grant a torn paper did not know that the bet is in breach."""
    suspect, place = factories.point(), factories.point()
    (won,) = given.settled(1, losers=1, at=suspect)
    torn = given.deposited(won.code, place.actor)
    factories.time_pass(days=40)
    by = factories.staff(Role.ORGANISER)
    asked = {"by": by, "verdict": "granted", "reason": "Genuine.", "deposit": torn.uuid}
    refusal = ruling.ruling_propose(**asked)
    factories.ended(suspect.terminal, won.contest.opened_at)
    given.confirmed(breach_block(by=by, contest_id=won.contest.pk), Role.ORGANISER)
    with pytest.raises(ruling.RulingOutdated):
        given.confirmed(refusal)
    assert holder_check(code=won.code).state is DocumentState.DEPOSITED
    two_persons.reject(proposal=refusal.uuid, by=by)
    again = ruling.ruling_propose(**asked)
    assert (again.content["blocked"], again.content["deposits"]) == (True, 1)
    given.confirmed(again)
    assert holder_check(code=won.code).state is DocumentState.GRANTED
    rounds.books_agree()
