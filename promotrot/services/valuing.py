"""Value the things that an emission promises, until it opens (15.III.6.5) [P4, P21]."""

import datetime
from collections.abc import Iterable

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid, NotFound
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.engine.prize_table import Tier
from promotrot.engine.rules import too_old
from promotrot.models.emission import Emission, PrizeTier
from promotrot.models.valuation import Valuation
from promotrot.selectors.things import valuations_of


class ValuationTooOld(Conflict):
    """`data["things"]` lists each thing with the tier and the day of its newest valuation."""

    code = "valuation_too_old"
    message = "A thing was valued more than twelve months ago: value it again before the opening."


class ValuationLate(Conflict):
    code = "valuation_late"
    message = "The emission is on sale or over: its valuations do not change any more."


class ValuationDayWrong(Invalid):
    code = "valuation_day_wrong"
    message = "A valuation is of a past day, and newer than the last one."


class ThingUnknown(NotFound):
    code = "thing_unknown"
    message = "That tier of the emission is no prize in kind."


def valuations_plan(by: StaffActor, emission: Emission, tiers: Iterable[Tier]) -> None:
    """Record the valuations that a planned emission takes from the definition of its game."""
    rows = {row.number: row for row in emission.tiers.all()}
    for number, tier in enumerate(tiers, start=1):
        thing = tier.prize.in_kind
        if thing is not None and thing.valued_on is not None:
            _record(by, rows[number], thing.source, thing.valued_on)


@transaction.atomic
def valuation_record(
    *, by: StaffActor, emission: Emission, tier: int, source: str, valued_on: datetime.date
) -> Valuation:
    """Record a newer valuation that confirms the equivalent of a tier of the emission.

    Another equivalent is another game (15.II.2). Raises ThingUnknown, ValuationLate,
    ValuationDayWrong.
    """
    by.need(powers.PLAN_EMISSION)
    hold((Lock.GAME, emission.game_id), (Lock.EMISSION, emission.pk))
    emission.refresh_from_db(fields=["state"])
    row = emission.tiers.exclude(thing="").filter(number=tier).first()
    if row is None:
        raise ThingUnknown(tier=tier)
    if emission.state not in Emission.WAITING:
        raise ValuationLate(state=emission.state)
    newest = Valuation.objects.filter(tier=row).order_by("-valued_on").first()
    if valued_on > natural_day(clock.now()) or (newest and valued_on <= newest.valued_on):
        raise ValuationDayWrong(newest=newest.valued_on.isoformat() if newest else None)
    return _record(by, row, source, valued_on)


def _record(by: StaffActor, tier: PrizeTier, source: str, valued_on: datetime.date) -> Valuation:
    return Valuation.objects.create(
        tier=tier,
        source=source,
        valued_on=valued_on,
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
    )


def need_valued(emission: Emission) -> None:
    """Raise ValuationTooOld if a thing was valued more than twelve months ago."""
    old = too_old(valuations_of(emission), natural_day(clock.now()))
    if old:
        raise ValuationTooOld(
            things=[
                {
                    "tier": each.tier,
                    "thing": each.thing,
                    "valued_on": each.valued_on.isoformat() if each.valued_on else None,
                }
                for each in old
            ]
        )
