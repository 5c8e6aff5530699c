"""Find contests, bet types, ticket models and races."""

from collections.abc import Sequence

from django.db.models import QuerySet

from lototrot.models.contest import BetType, Contest, TicketModel
from lototrot.models.programme import Meeting, Race
from lototrot.services.contest.contests import BetTypeUnknown, RaceUnknown, TicketModelUnknown


def bet_type_get(*, code: str, version: int) -> BetType:
    """Return a recorded bet type. Raise BetTypeUnknown if there is none."""
    found = BetType.objects.filter(code=code, version=version).first()
    if found is None:
        raise BetTypeUnknown(code=code, version=version)
    return found


def ticket_model_get(*, code: str, version: int) -> TicketModel:
    """Return a recorded ticket model. Raise TicketModelUnknown if there is none."""
    found = TicketModel.objects.filter(code=code, version=version).first()
    if found is None:
        raise TicketModelUnknown(code=code, version=version)
    return found


def races_get(meeting: Meeting, ids: Sequence[int]) -> list[Race]:
    """Return races of a meeting in the order given.

    Raise RaceUnknown with the ids that are not races of the meeting.
    """
    found = {race.pk: race for race in Race.objects.filter(meeting=meeting, pk__in=ids)}
    strangers = [pk for pk in ids if pk not in found]
    if strangers:
        raise RaceUnknown(meeting=meeting.pk, races=strangers)
    return [found[pk] for pk in ids]


def contests(*, state: str = "", meeting: int | None = None) -> QuerySet[Contest]:
    """Return all contests, or those in a state or of a meeting."""
    found = Contest.objects.select_related("bet_type", "ticket_model")
    if state:
        found = found.filter(state=state)
    return found.filter(meeting=meeting) if meeting is not None else found
