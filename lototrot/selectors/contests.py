"""Find contests, bet types, ticket models and races."""

from collections.abc import Sequence

from django.db.models import QuerySet

from lototrot.models.contest import BetType, Contest, TicketModel
from lototrot.models.programme import Meeting, Race
from lototrot.services.contest.contests import BetTypeUnknown, RaceUnknown, TicketModelUnknown


def bet_type_get(*, code: str, version: int) -> BetType:
    """Return a recorded bet type. Raise BetTypeUnknown if there is none."""
    bet_type = BetType.objects.filter(code=code, version=version).first()
    if bet_type is None:
        raise BetTypeUnknown(code=code, version=version)
    return bet_type


def ticket_model_get(*, code: str, version: int) -> TicketModel:
    """Return a recorded ticket model. Raise TicketModelUnknown if there is none."""
    ticket_model = TicketModel.objects.filter(code=code, version=version).first()
    if ticket_model is None:
        raise TicketModelUnknown(code=code, version=version)
    return ticket_model


def races_get(meeting: Meeting, ids: Sequence[int]) -> list[Race]:
    """Return races of a meeting in the order given.

    Raise RaceUnknown with the ids that are not races of the meeting.
    """
    races = {race.pk: race for race in Race.objects.filter(meeting=meeting, pk__in=ids)}
    unknown = [pk for pk in ids if pk not in races]
    if unknown:
        raise RaceUnknown(meeting=meeting.pk, races=unknown)
    return [races[pk] for pk in ids]


def contests(*, state: str = "", meeting: int | None = None) -> QuerySet[Contest]:
    """Return all contests, or those in a state or of a meeting."""
    rows = Contest.objects.select_related("bet_type", "ticket_model")
    if state:
        rows = rows.filter(state=state)
    return rows.filter(meeting=meeting) if meeting is not None else rows
