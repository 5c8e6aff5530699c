"""Find contests, their rules and figures, bet types, ticket models and races."""

import datetime
from collections.abc import Sequence

from django.db.models import QuerySet

from core.kernel.errors import NotFound
from core.kernel.regulation import Regulation, shipped
from lototrot.engine.bet_type import BetType as Rules
from lototrot.models.contest import BetType, Contest, TicketModel
from lototrot.models.programme import Meeting, Race


class ContestUnknown(NotFound):
    code = "contest_unknown"
    message = "There is no such contest."


class BetTypeUnknown(NotFound):
    code = "bet_type_unknown"
    message = "There is no such bet type and version."


class TicketModelUnknown(NotFound):
    code = "ticket_model_unknown"
    message = "There is no such ticket model and version."


class RaceUnknown(NotFound):
    code = "race_unknown"
    message = "The meeting has no such race."


def figures_of(day: datetime.date) -> Regulation:
    """Return the regulation in force on a meeting's day."""
    return shipped().in_force(day)


def rules_of(bet_type: BetType, day: datetime.date) -> Rules:
    """Return the engine's rules for a recorded bet type."""
    least = figures_of(day).lototrot.minimum_prize_percent
    return Rules.from_document(bet_type.document, minimum_prize_percent=least)


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


def contest_get(pk: int) -> Contest:
    """Return the contest with its meeting and bet type. Raise ContestUnknown."""
    contest = (
        Contest.objects.select_related("meeting", "bet_type", "ticket_model").filter(pk=pk).first()
    )
    if contest is None:
        raise ContestUnknown(contest=pk)
    return contest


def contests(*, state: str = "", meeting: int | None = None) -> QuerySet[Contest]:
    """Return all contests, or those in a state or of a meeting."""
    rows = Contest.objects.select_related("bet_type", "ticket_model")
    if state:
        rows = rows.filter(state=state)
    return rows.filter(meeting=meeting) if meeting is not None else rows
