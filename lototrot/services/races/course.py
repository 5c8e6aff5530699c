"""Share what all acts about a race need: locks, the race's record, checks and errors."""

from datetime import datetime, timedelta

from core.database import clock
from core.database.locks import Lock, hold
from core.draws.services import DrawBegun
from core.kernel.days import NaiveInstant
from core.kernel.errors import Conflict, Invalid
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.settlement import PaymentOrder
from lototrot.selectors.contests import RaceUnknown
from lototrot.selectors.races import RaceRecord, race_record


class InstantAhead(Invalid):
    code = "instant_ahead"
    message = "That instant has not come yet."


class OutOfOrder(Invalid):
    code = "out_of_order"
    message = "The start of a race comes before its end, its suspension and its announcement."


class RaceClassified(Conflict):
    code = "race_classified"
    message = "The classification is frozen since its announcement (14.III.5.3)."


class PaymentOrdered(Conflict):
    code = "payment_ordered"
    message = "The payment is ordered: a later change of the order has no effect (14.III.8.2)."


class RaceDeclared(Conflict):
    code = "race_declared"
    message = "The race is declared to have no classification: its result is drawn (14.III.5.4)."


class RaceNotStarted(Conflict):
    code = "race_not_started"
    message = "The actual start of the race is not on record."


class WithdrawnTooLate(Conflict):
    """`data["numbers"]`: withdrawn, but only after the start by the record in force."""

    code = "withdrawn_too_late"
    message = (
        "A withdrawal took effect after the start: reverse it, or declare the race with the horse"
        " left at the start [B5]."
    )


class DrawCertified(Conflict):
    code = "draw_certified"
    message = "The draw of the race is certified, and it stands [B13]."


def race_get(race_id: int) -> Race:
    """Return a race. Raise RaceUnknown."""
    race: Race | None = Race.objects.filter(pk=race_id).first()
    if race is None:
        raise RaceUnknown(race=race_id)
    return race


def contests_including(race_id: int) -> list[int]:
    """Return the ids of the contests that include a race; discarded ones do not [E9]."""
    legs = Contest.objects.filter(legs__race_id=race_id).exclude(state=Contest.State.DISCARDED)
    return list(legs.order_by("pk").values_list("pk", flat=True))


def race_hold(race: Race) -> RaceRecord:
    """Lock a race and its contests until the transaction ends. Return the race's record.

    The meeting's lock keeps new contests from being prepared; the contests' locks keep out sales
    and settlements. The lock of a proposal is taken before these.
    """
    hold((Lock.MEETING, race.meeting_id))
    hold(*((Lock.CONTEST, contest) for contest in contests_including(race.pk)))
    return race_record(race.pk)


def need_unordered(race_id: int) -> None:
    """Raise PaymentOrdered once payment is ordered of a contest that includes the race [B14]."""
    if PaymentOrder.objects.filter(contest__legs__race_id=race_id).exists():
        raise PaymentOrdered(race=race_id)


def need_undecided(record: RaceRecord) -> None:
    """Raise RaceClassified or RaceDeclared if the race has a classification or declaration."""
    if record.classification:
        raise RaceClassified(race=record.race_id)
    if record.declaration:
        raise RaceDeclared(race=record.race_id, kind=record.declaration.kind)


def need_undrawn(record: RaceRecord) -> None:
    """Raise DrawCertified or DrawBegun once the draw of the race is fixed [B13]."""
    if record.drawn is not None:
        raise DrawCertified(race=record.race_id)
    if record.draw_begun:
        raise DrawBegun(race=record.race_id)


def past_instant(instant: datetime, *, clock_behind: timedelta = timedelta()) -> datetime:
    """Return the instant if it is not in the future. Raise NaiveInstant or InstantAhead.

    `clock_behind` is how far the clock is known to be behind the real time.
    """
    if instant.utcoffset() is None:
        raise NaiveInstant
    if instant > clock.now() + clock_behind:
        raise InstantAhead(instant=instant.isoformat())
    return instant
