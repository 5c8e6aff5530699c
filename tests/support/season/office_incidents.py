"""Play the incidents of counters, of instant games and of nights."""

from datetime import date, timedelta
from uuid import UUID

from core.database import clock
from core.premises.models import Terminal
from core.premises.services import terminal_revoke
from core.staff import two_persons
from core.staff.powers import Role
from promotrot.models.play import PlayEnd
from promotrot.services.office.stopping import play_end_propose
from tests.support import factories
from tests.support.season.killing import killed
from tests.support.season.state import at, local, today
from tests.support.season.world import World


def unreadable_deposit(world: World, ident: str) -> bool:
    """A washed ticket is deposited in time, and identified in time, after the lapse, or much later
    [C8].
    """
    last = world.last_claim_day(ident)
    if today() > last or last == date.max:
        return False
    late = world.rng.choice((0, 1, 9))
    world.unreadable(ident, identified_on=last + timedelta(days=late))
    return True


def paper_out_at_midnight(world: World, day: date) -> bool:
    """Win a play a minute before midnight, and let its voucher not come out [P16]."""
    slot = world.rng.choice(world.slots)
    if slot.emission is None or clock.now() > local(day, 23, 58):
        return False
    at(day, 23, 58)
    for _ in range(6):
        before = len(world.instants.vouchers)
        bought = world.buy(slot, day)
        if bought is None:
            return False
        world.play_on(*bought, printed=False)
        if len(world.instants.vouchers) > before:
            return True
    return False


def closed_premises(world: World, day: date) -> bool:
    """Close premises for good while a ladder is begun there; end the play by two persons [P19]."""
    if not world.begun:
        return False
    play, point = world.begun.pop(0)
    organiser = world.staff(Role.ORGANISER)
    for terminal in Terminal.objects.filter(premises=point.premises).order_by("pk"):
        terminal_revoke(by=organiser, terminal=terminal.code)
    world.points = [each for each in world.points if each.premises != point.premises]
    world.points.append(factories.point())
    there = [ident for ident, where in world.begun if where.premises == point.premises]
    world.begun = [each for each in world.begun if each[0] not in there]
    for ident in (play, *there):
        proposal = play_end_propose(
            by=world.cashier, ident=UUID(ident), reason="The bar has closed"
        )
        two_persons.confirm(proposal=proposal.uuid, by=world.second)
        world.ended_for_the_buyer(PlayEnd.objects.get(ticket__uuid=ident))
    return True


def game_ended_in_debt(world: World, day: date) -> bool:
    """End a game while it owes prizes; draw them, and let some winners never come [P17]."""
    slot = world.rng.choice(world.slots)
    if slot.game is None or slot.emission is None:
        return False
    if len(world.instants.issues[slot.emission.reference].plays) < 5:
        return False
    return world.end_game(slot, abandoned=world.happens(0.6))


def killed_night(world: World, day: date) -> bool:
    """Kill the process that runs the nightly jobs in the middle, and let another one go on."""
    if world.counts.get("killed", 0) >= world.most_kills:
        return False
    world.count("killed")
    died = killed(world.environment, "night", world.rng.randint(10, 90))
    assert died, "a night has more statements than that"
    return died
