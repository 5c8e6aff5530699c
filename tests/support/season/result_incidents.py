"""Let races give no result, so that it is drawn, and let a winner be keyed wrong."""

from datetime import timedelta

from core.draws.abandoning import abandonment_propose
from core.draws.conducting import draw_commit
from core.draws.models import Draw
from core.draws.services import draw_attend
from core.kernel.days import MADRID
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.running import RaceDeclaration
from lototrot.selectors.draws import race_draws
from lototrot.services.races.declarations import (
    Left,
    declaration_retract,
    meeting_declare,
    race_declare,
)
from lototrot.services.races.withdrawals import withdrawal_enter, withdrawal_reverse
from lototrot.services.settlement.classification_correction import classification_correct
from lototrot.tasks import seal, settle
from tests.support import factories
from tests.support.lototrot.starting import start
from tests.support.season.meetings import Plan, afternoon, entries
from tests.support.season.race_incidents import refused_sale
from tests.support.season.world import World

Kind = RaceDeclaration.Kind
RUN = (Kind.SUSPENDED, Kind.ALL_DISQUALIFIED, Kind.NO_WINNER)
MINUTE = timedelta(minutes=1)


def race_without_result_comes(world: World, plan: Plan) -> None:
    chosen = world.rng.choice((_not_run, _run_without_result))
    plan.instead[world.rng.randrange(len(plan.starts))] = chosen


def mistaken_declaration_comes(world: World, plan: Plan) -> None:
    plan.instead[world.rng.randrange(len(plan.starts))] = _run_after_all


def run_after_all(world: World, plan: Plan) -> bool:
    """Return whether the race that was declared not to be run gave a result all the same."""
    (place,) = plan.instead
    return bool(world.auditor.meetings[plan.key].races[place].winners)


def _run_after_all(world: World, plan: Plan, place: int) -> None:
    """Retract that a race is not run, and run it (5.4.2) [B13]. The contest does not open again."""
    _not_run(world, plan, place)
    by, other = world.two(Role.STEWARDS)
    race_id = plan.races[place].pk
    retraction = declaration_retract(by=by, race_id=race_id, reason="The track is dry")
    two_persons.confirm(proposal=retraction.uuid, by=other)
    assert refused_sale(world, plan) == "contest_closed"
    world.race(plan, place)


def storm_comes(world: World, plan: Plan) -> None:
    first, *later = range(world.rng.randrange(len(plan.starts)), len(plan.starts))
    plan.instead[first] = _called_off
    plan.instead.update(dict.fromkeys(later, _nothing))


def _nothing(world: World, plan: Plan, place: int) -> None:
    """Let a race be that was called off with an earlier one."""


def _not_run(world: World, plan: Plan, place: int) -> None:
    """Declare a minute before its start that a race is not run (5.4.2)."""
    factories.time_on_to(plan.starts[place] - MINUTE)
    by, race = world.staff(Role.ORGANISER), plan.races[place]
    reason = "The track is flooded"
    _confirm(
        world, plan, race_declare(by=by, race_id=race.pk, kind=Kind.NOT_RUN, reason=reason), place
    )


def _called_off(world: World, plan: Plan, place: int) -> None:
    """Declare a minute before the start of a race that it and the later ones are not run."""
    factories.time_on_to(plan.starts[place] - MINUTE)
    by = world.staff(Role.ORGANISER)
    _confirm(world, plan, meeting_declare(by=by, meeting=plan.on.meeting, reason="Storm"), place)


def _confirm(world: World, plan: Plan, declaration: Proposal, place: int) -> None:
    """Confirm that a race is not run. If it is the first one, its declaration stops sales, and
    their end is final [E1, E12].
    """
    assert refused_sale(world, plan) == ("contest_closed" if place else "sales_stopped")
    two_persons.confirm(proposal=declaration.uuid, by=world.staff(Role.STEWARDS))
    assert refused_sale(world, plan) == "contest_closed"


def _run_without_result(world: World, plan: Plan, place: int) -> None:
    """Start a race, and declare that it gave no winner; one horse may be left [B5] (5.4.3)."""
    race, facts = plan.races[place], world.auditor.meetings[plan.key].races[place]
    by, other = world.two(Role.STEWARDS)
    factories.time_on_to(plan.starts[place] + MINUTE)
    start(race, plan.starts[place], by=by, second=other)
    ran = [n for n in facts.programme if n not in facts.withdrawn]
    left = [world.rng.choice(ran)] if len(ran) > 1 and world.happens(0.5) else []
    proposal = race_declare(
        by=by,
        race_id=race.pk,
        kind=world.rng.choice(RUN),
        reason="Nobody is placed",
        text="Ningú no ha arribat.",
        left=[Left(number, "Refused the start") for number in left],
    )
    two_persons.confirm(proposal=proposal.uuid, by=other)


def drawn(world: World, plan: Plan, *, abandoned: bool = False) -> bool:
    """Draw the races that gave no result, with dice, at the announced times (5.4.4).

    A draw of each was `abandoned` before, after its commitment [B16].
    """
    seal(int(plan.key))
    declarations = RaceDeclaration.objects.filter(race__in=plan.races, superseded_at=None).order_by(
        "pk"
    )
    places = {race.pk: place for place, race in enumerate(plan.races)}
    for declaration in declarations:
        draw = race_draws([declaration.race_id])[declaration.race_id]
        dice = "".join(str(world.rng.randint(1, 6)) for _ in range(10))
        row = Draw.objects.get(uuid=draw.ident)
        if abandoned:
            row = _abandoned(world, row)
            draw = race_draws([declaration.race_id])[declaration.race_id]
            assert draw.ident == row.uuid
        factories.witnessed(row, organiser=world.staff(Role.ORGANISER), text=dice)
        draw = race_draws([declaration.race_id])[declaration.race_id]
        assert draw.certified_at is not None
        world.auditor.drawn(
            plan.key,
            places[declaration.race_id],
            [*draw.order],
            {horse["number"] for horse in declaration.left},
            declared=declaration.declared_at.astimezone(MADRID),
            certified=draw.certified_at.astimezone(MADRID),
        )
        world.count("races drawn")
    return bool(declarations)


def drawn_again(world: World, plan: Plan) -> bool:
    return drawn(world, plan, abandoned=True)


def _abandoned(world: World, row: Draw) -> Draw:
    """Commit to a draw, abandon it, and return the one that is announced instead [B16]."""
    inspector, organiser = world.staff(Role.INSPECTOR), world.staff(Role.ORGANISER)
    factories.announced_time(row)
    draw_attend(by=inspector, draw=row.uuid)
    draw_commit(by=organiser, draw=row.uuid, source="dice", pieces=10)
    proposal = abandonment_propose(by=inspector, draw=row.uuid, reason="The dice are gone")
    two_persons.confirm(proposal=proposal.uuid, by=organiser)
    return Draw.objects.exclude(pk=row.pk).get(kind=row.kind, subject=row.subject)


def called_off_ahead(world: World, plan: Plan) -> bool:
    """Put the meeting of the next day on sale, call it off and draw it: it settles in its place,
    after the payment order of this one (5.4.2, 9.5) [A4, A20].
    """
    day = plan.day + timedelta(days=1)
    if world.is_special(day) or world.is_special(plan.day):
        return False
    ahead = Plan(day, afternoon(day), order_on=day)
    world.put_on_sale(ahead, on=plan.day)
    for _ in range(world.rng.randint(2, 9)):
        world.sale(ahead)
    declaration = meeting_declare(
        by=world.staff(Role.ORGANISER),
        meeting=ahead.on.meeting,
        reason="Storm",
        text="Tempesta.",
        author="authority",
    )
    two_persons.confirm(proposal=declaration.uuid, by=world.staff(Role.STEWARDS))
    assert refused_sale(world, ahead) == "contest_closed"
    world.called_off.append(ahead)
    drawn(world, ahead)
    assert not settle(int(ahead.key)), "the meeting of this day comes before it"
    return True


def withdrawal_found_late(world: World, plan: Plan) -> bool:
    """Enter after the settlement that a horse was withdrawn before its start, and sometimes take
    that back again (5.3, 5.4.1) [B6, B14].
    """
    by, other = world.two(Role.STEWARDS)
    for place in world.rng.sample(range(len(plan.races)), len(plan.races)):
        facts, race = world.auditor.meetings[plan.key].races[place], plan.races[place]
        lost = {*facts.programme} - facts.withdrawn - facts.left - facts.winners
        if place in plan.instead or not lost:
            continue
        number = world.rng.choice(sorted(lost))
        started = race.starts.get(corrected_by=None).actual_start_at
        entered = withdrawal_enter(
            by=by,
            race_id=race.pk,
            number=number,
            source="The vet's list",
            effective_at=started - timedelta(seconds=1),
        )
        two_persons.confirm(proposal=entered.proposal.uuid, by=other)
        world.auditor.reverses(plan.key)
        world.auditor.withdrawn(plan.key, place, number)
        _classified_again(world, plan, place)
        if world.happens(0.5):
            reversal = withdrawal_reverse(
                by=other, withdrawal_id=entered.pk, reason="It was another horse"
            )
            two_persons.confirm(proposal=reversal.uuid, by=by)
            world.auditor.reverses(plan.key)
            world.auditor.ran_after_all(plan.key, place, number)
            _classified_again(world, plan, place)
        return True
    return False


def _classified_again(world: World, plan: Plan, place: int) -> None:
    """Correct a classification to the horses that are withdrawn now, and settle again."""
    facts = world.auditor.meetings[plan.key].races[place]
    proposal = classification_correct(
        by=world.staff(Role.STEWARDS),
        race_id=plan.races[place].pk,
        runners=entries(facts.programme, facts.withdrawn, facts.left, facts.winners),
        reason="A withdrawal is put right",
    )
    two_persons.confirm(proposal=proposal.uuid, by=world.staff(Role.INSPECTOR))
    world.settle(plan)


def keyed_wrong(world: World, plan: Plan) -> bool:
    """Correct a winner after the settlement, as was announced, before the inspector [B14, B18]."""
    places = world.rng.sample(range(len(plan.races)), len(plan.races))
    for place in places:
        facts = world.auditor.meetings[plan.key].races[place]
        lost = {*facts.programme} - facts.withdrawn - facts.left - facts.winners
        if place in plan.instead or not lost:
            continue
        winners = {world.rng.choice(sorted(lost))}
        proposal = classification_correct(
            by=world.staff(Role.STEWARDS),
            race_id=plan.races[place].pk,
            runners=entries(facts.programme, facts.withdrawn, facts.left, winners),
            reason="Another number was announced",
        )
        two_persons.confirm(proposal=proposal.uuid, by=world.staff(Role.INSPECTOR))
        world.auditor.reverses(plan.key)
        world.auditor.corrected(plan.key, place, winners)
        world.settle(plan)
        return True
    return False
