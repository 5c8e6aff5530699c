"""Play the incidents of a meeting, from its draft to its payment order."""

from datetime import date, timedelta

import pytest

from core.database import clock
from core.kernel.errors import DomainError
from core.payoffice.services import presenting
from core.premises.models import Authorisation, Game
from core.premises.openings import NewAuthorisation, opening_propose
from core.premises.resolutions import resolution_propose
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.selectors.breaches import breach_list, breach_pending
from lototrot.services.authority.bet_types import next_version
from lototrot.services.contest.preparing import contest_discard
from lototrot.services.contest.schedule import schedule_move
from lototrot.services.races.stopping import race_stop, stop_lift
from lototrot.services.races.withdrawals import withdrawal_enter, withdrawal_reverse
from lototrot.services.settlement import breach
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories
from tests.support.lototrot.putting_on_sale import recorded
from tests.support.lototrot.scheduling import postpone
from tests.support.season.killing import killed
from tests.support.season.meetings import Plan
from tests.support.season.office import Held
from tests.support.season.state import at, local, today
from tests.support.season.world import World

NEXT_DAY = timedelta(days=1)
OTHER_SHARES: tuple[dict[str, int], ...] = (
    {"4": 50, "3": 20, "2": 30},
    {"4": 20, "3": 30, "2": 50},
)


def discarded_draft(world: World, plan: Plan) -> bool:
    """Discard a contest with a wrong price by two persons, and prepare it again."""
    meeting = plan.on.meeting
    proposal = contest_discard(
        by=world.staff(Role.ORGANISER), contest_id=int(plan.key), reason="Wrong price"
    )
    world.two_confirm(proposal, Role.ORGANISER)
    plan.contest = world.prepared(meeting, plan)
    return True


def other_shares(world: World, plan: Plan) -> bool:
    """Prepare a contest again, with other shares, which the authority authorised [A19].

    Meetings that wait keep the figures of their day.
    """
    shares = world.rng.choice(OTHER_SHARES)
    document = dict(world.bet_type.document)
    document["version"] = next_version(document["code"])
    document["shares_below"] = {hits: str(percent) for hits, percent in shares.items()}
    world.bet_type = recorded(world.staff(Role.ORGANISER), document, "CAIB 2/2031")
    world.auditor.authorised(below=shares)
    return discarded_draft(world, plan)


def late_order_comes(world: World, plan: Plan) -> None:
    plan.order_on = plan.day + timedelta(days=world.rng.randint(2, 2 + round(12 / world.eagerness)))


def late_order(world: World, plan: Plan) -> bool:
    """Delay the payment order. Meanwhile a winner presents a ticket, another deposits one [D7]."""
    winners = world.winners(plan)
    for ident in winners[:2]:
        world.rights.claimed(ident, today())
    for ident in winners[:1]:
        point = world.rng.choice(world.points)
        presenting.presentation_make(at=point.actor, code=world.papers[ident].code)
        world.auditor.presented(ident)
        world.due.append((plan.order_on + timedelta(days=2), ident))
    for ident in winners[1:2]:
        world.deposit(ident)
    return True


def past_midnight_comes(world: World, plan: Plan) -> None:
    evening = [local(plan.day, 22, 40), local(plan.day, 23, 10), local(plan.day, 23, 40)]
    plan.starts = [*evening, local(plan.day + NEXT_DAY, 0, 5)]


def clocks_change_after(day: date) -> bool:
    """Return whether the night after a day has 23 or 25 hours."""
    return local(day + 2 * NEXT_DAY, 0) - local(day + NEXT_DAY, 0) != NEXT_DAY


def night_of_change_comes(world: World, plan: Plan) -> None:
    night = plan.day + NEXT_DAY
    starts = [local(plan.day, 22, 40), local(plan.day, 23, 40), local(night, 1, 30)]
    plan.starts = [*starts, local(night, 3, 20)]


def is_leap_day(day: date) -> bool:
    return (day.month, day.day) == (2, 29)


def leap_day(world: World, plan: Plan) -> bool:
    """Return whether the last day to claim, for 29 February, is 30 March or later [D7]."""
    last_day = world.last_claim_day(world.auditor.meetings[plan.key].tickets[0])
    return last_day >= date(plan.day.year, 3, 30)


def past_midnight(world: World, plan: Plan) -> bool:
    """Return whether the last race was run after midnight, and is of the day before [B15]."""
    return world.auditor.meetings[plan.key].results_day == plan.day < today()


def refused_sale(world: World, plan: Plan) -> str:
    """Try a sale that must be refused; return the code of the refusal."""
    with pytest.raises(DomainError) as refusal:
        world.sale(plan)
    return refusal.value.code


def false_stop(world: World, plan: Plan) -> bool:
    """Stop sales by mistake, and let them go on by two persons [E12]."""
    at(plan.day, 12)
    by, other = world.two(Role.STEWARDS)
    stop = race_stop(by=by, race_id=plan.races[0].pk, source="A signal by mistake")
    assert refused_sale(world, plan) == "sales_stopped"
    proposal = stop_lift(by=other, stop_id=stop.pk, reason="No horse has started")
    two_persons.confirm(proposal=proposal.uuid, by=by)
    world.sale(plan)
    return True


def delayed_start(world: World, plan: Plan) -> bool:
    """Delay the start by a quarter of an hour, and move the closing with it by two persons."""
    delayed = plan.starts[0] + timedelta(minutes=15)
    postpone(plan.on, delayed)
    plan.starts[0] = plan.started_at = delayed
    factories.time_on_to(delayed - timedelta(minutes=5))
    world.sale(plan)
    return True


def closed_earlier(world: World, plan: Plan) -> bool:
    """Let one person move the closing to half a minute before the start [E13]."""
    closes_at = plan.starts[0] - timedelta(seconds=30)
    world.sale(plan)
    schedule_move(by=world.staff(Role.ORGANISER), contest_id=int(plan.key), to_at=closes_at)
    world.sale(plan)
    factories.time_on_to(closes_at)
    return refused_sale(world, plan) == "contest_closed"


def withdrawal_by_mistake(world: World, plan: Plan) -> bool:
    """Withdraw a horse that runs, and take that back: it is on offer again (5.4.1) [B6]."""
    place = world.rng.randrange(len(plan.races))
    facts = world.auditor.meetings[plan.key].races[place]
    there = sorted({*facts.programme} - facts.withdrawn)
    if len(there) < 2:
        return False
    number, (by, other) = world.rng.choice(there), world.two(Role.STEWARDS)
    legs = world.legs(plan)
    legs[place] = [number]
    entered = withdrawal_enter(by=by, race_id=plan.races[place].pk, number=number, source="Vet")
    with pytest.raises(DomainError):
        world.sale(plan, legs=legs)
    two_persons.confirm(proposal=entered.proposal.uuid, by=other)
    reversal = withdrawal_reverse(by=other, withdrawal_id=entered.pk, reason="Another race")
    two_persons.confirm(proposal=reversal.uuid, by=by)
    world.sale(plan, legs=legs)
    return True


def print_lost(world: World, plan: Plan) -> bool:
    """Lose the answer to a sale of the last minute, so that no paper comes out [E11]."""
    plan.unprinted.append(world.sale(plan, printed=False))
    return True


def true_stop(world: World, plan: Plan) -> bool:
    """Stop sales as the stewards a minute before the start, and confirm the start afterwards."""
    race_stop(by=world.staff(Role.STEWARDS), race_id=plan.races[0].pk, source="They are off")
    return refused_sale(world, plan) == "sales_stopped"


def early_start(world: World, plan: Plan) -> bool:
    """Start the first race before its time, so that bets sold since are in breach [E3]."""
    plan.started_at = plan.starts[0] - timedelta(seconds=50)
    for number in range(world.rng.randint(1, 2)):
        factories.time_on_to(plan.started_at + timedelta(seconds=10 + number))
        world.sale(plan)
    return True


def late_bets_come(world: World, plan: Plan) -> None:
    plan.late_bets = True


def corrected_start(world: World, plan: Plan) -> bool:
    """Correct the first start to 50 s earlier, after the settlement [C9]."""
    _correct(world, plan)
    assert breach_pending(int(plan.key))
    world.auditor.reverses(plan.key)
    assert world.void_breaches(plan) > 0
    world.settle(plan)
    return True


def corrected_after_order(world: World, plan: Plan) -> bool:
    """Correct the first start after the payment order, so that bets in breach are blocked [C6]."""
    _correct(world, plan)
    late = [str(bet.uuid) for bet in breach_list(int(plan.key))]
    assert late
    proposal = breach.breach_block(by=world.staff(Role.ORGANISER), contest_id=int(plan.key))
    world.two_confirm(proposal, Role.ORGANISER)
    for ident in late:
        if world.auditor.tickets[ident].prize_cents:
            world.rights.claimed(ident, today())
            world.auditor.blocked(ident)
            world.held.append(Held(ident, world.last_claim_day(ident), None))
    return True


def _correct(world: World, plan: Plan) -> None:
    proposal = start_correct(
        by=world.staff(Role.STEWARDS),
        race_id=plan.races[0].pk,
        actual_start_at=plan.starts[0] - timedelta(seconds=50),
        source="Video",
    )
    world.two_confirm(proposal, Role.STEWARDS)


def licence_ended(world: World, plan: Plan) -> bool:
    """End the licence of premises as of that noon, by a resolution after the settlement [E10]."""
    if today() != plan.day or len(world.waiting) > 1:
        return False
    place = world.rng.choice(world.points).premises
    licence = Authorisation.objects.filter(
        premises=place, game=Game.LOTOTROT, valid_until=None
    ).latest("pk")
    organiser = world.staff(Role.ORGANISER)
    noon = local(plan.day, 13)
    proposal = resolution_propose(
        by=organiser,
        effect="authorisation_ended",
        authorisation=licence.pk,
        effective_at=noon,
        reference="DGJ 210",
    )
    world.two_confirm(proposal, Role.ORGANISER)
    if breach_pending(int(plan.key)):
        world.auditor.reverses(plan.key)
        world.void_breaches(plan)
        world.settle(plan)
        world.incident("licence ended in the past, bets in breach")
    anew = NewAuthorisation(place.code, Game.LOTOTROT, clock.now(), "New licence")
    world.two_confirm(opening_propose(by=organiser, authorisations=[anew]), Role.ORGANISER)
    return True


def killed_settlement(world: World, plan: Plan) -> bool:
    """Kill the settling process at a statement in the middle, and settle by another one."""
    if world.counts.get("killed", 0) >= world.most_kills:
        return False
    world.count("killed")
    return killed(world.environment, plan.key, world.rng.randint(5, 60))
