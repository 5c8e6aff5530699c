"""List the meetings, coming and past, and show a past one as the board showed it."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from core.database.kept import kept
from lototrot.models.contest import Contest
from lototrot.selectors.board import contest_document

_KEPT_S = 60
_OVER = (Contest.State.SETTLED, Contest.State.ORDERED)


def published_contests() -> list[Contest]:
    """Return the contests that the public knows, the newest day first."""
    published = Contest.objects.filter(publication__isnull=False)
    known = published.exclude(state__in=Contest.NEVER_ON_SALE)
    return list(known.select_related("meeting", "bet_type").order_by("-day", "bet_type_code"))


@kept(most=256, seconds=_KEPT_S)
def past_document(day: date, bet_type: str) -> Mapping[str, Any] | None:
    """Return the section's document and pulse of a settled contest, None if there is none.

    Anyone may ask for it, so it is made once a minute at most.
    """
    contests = Contest.objects.filter(day=day, bet_type_code=bet_type, state__in=_OVER)
    shown = contests.filter(publication__isnull=False)
    contest = shown.select_related("meeting", "bet_type", "publication").first()
    if contest is None:
        return None
    chain = {"jackpot_cents": 0, "reserve_cents": 0, "history": []}
    settlement = contest.settlements.get(in_force=True)
    pulse = {
        "state": contest.state,
        "closes_at": contest.scheduled_close_at,
        "tickets": settlement.tickets,
        "bets": settlement.bets,
        "takings_cents": settlement.takings_cents,
        "shares": [],
    }
    return {
        "document": {"contests": [contest_document(contest)], "chains": {bet_type: chain}},
        "pulse": {"contests": {str(contest.pk): pulse}},
    }
