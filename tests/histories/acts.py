"""Write histories by hand, for the tests of the models and the checker."""

from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

from tests.histories.history import Act, Answer

NOON = datetime(2030, 3, 2, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def act(
    kind: str,
    subject: str = "",
    outcome: str = "",
    *,
    asked: float = 0,
    answered: float | None = None,
    client: int = 1,
    request: str = "",
    entropy: str = "",
    **facts: Any,
) -> Act:
    """Return an act from one millisecond to another, one long by default; no outcome: no answer."""
    inputs = {name: value for name, value in (("request", request), ("entropy", entropy)) if value}
    if not outcome:
        return Act(client, kind, subject, asked, inf, None, inputs)
    answered = asked + 1 if answered is None else answered
    return Act(client, kind, subject, asked, answered, Answer(outcome, facts), inputs)


def sold(name: str, asked: float, at: datetime = NOON, **more: Any) -> Act:
    """Return a sale that was answered."""
    return act("sell", name, "sold", asked=asked, ticket=more.pop("ticket", name), at=at, **more)


def seen(asked: float, *live: str, phase: str = "open", **more: Any) -> Act:
    """Return a reading of a contest of tickets of 100 cents."""
    facts = {"void": (), "newest": None, "takings_cents": 100 * len(live)} | more
    return act("read", "", "read", asked=asked, phase=phase, live=live, **facts)


def one_after_another(*acts: Act) -> list[Act]:
    """Return the acts at instants of their own, in this order."""
    return [
        Act(a.client, a.kind, a.subject, 10.0 * n, 10.0 * n + 1, a.answer, a.inputs)
        if a.answer is not None
        else Act(a.client, a.kind, a.subject, 10.0 * n, inf, None, a.inputs)
        for n, a in enumerate(acts)
    ]
