"""Fill in the form that prepares a contest."""

from typing import Any

from lototrot.models.programme import Meeting
from tests.support import factories
from tests.support.admin_desk import as_typed


def new_contest(meeting: Meeting, **other: Any) -> dict[str, Any]:
    races = list(meeting.races.order_by("scheduled_start_at"))
    legs = {f"leg_{n}": race.pk for n, race in enumerate(races, start=1)}
    return {
        "bet_type": factories.bet_type().pk,
        "ticket_model": factories.ticket_model().pk,
        "price_cents": "1,50",
        "max_bets": "5000",
        "correction_window_s": "0",
        "scheduled_close_at": as_typed(races[0].scheduled_start_at),
        **legs,
        **other,
    }
