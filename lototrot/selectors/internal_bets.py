"""Read the list of internal bet types of a meeting (14.I.1) [E16]."""

from lototrot.models.programme import InternalBetList


def internal_list(meeting_id: int) -> InternalBetList | None:
    """Return the newest list of the meeting, or None."""
    lists = InternalBetList.objects.filter(meeting=meeting_id)
    newest: InternalBetList | None = lists.order_by("pk").last()
    return newest
