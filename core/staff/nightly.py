"""List every night the decisions of two persons of whom one had a recently changed account, and
forget the passwords of proposals that have lapsed.

Such a decision may be honest: a person came back from holidays, or lost a device. But the
person who gave the account may have held it, and then one person was two. Ask both.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import Any

from django.utils.translation import gettext_lazy as _

from core.kernel.days import day_bounds
from core.nights.jobs import Job, Outcome
from core.staff.accounts import lapsed_forget
from core.staff.models import Decision, User
from core.staff.two_persons import A_WEEK

_CONFIRMED = Decision.objects.filter(verdict=Decision.Verdict.CONFIRMED).select_related(
    "proposal", "proposed_by", "decided_by"
)


def given_lately(day: date) -> Outcome:
    """List the day's confirmations by people whose account was given anything in the week before.

    `by_proposer` says that the proposer of the act was one of the two who gave it.
    """
    begin, end = day_bounds(day)
    decided = _CONFIRMED.filter(decided_at__gte=begin, decided_at__lt=end).order_by("pk")
    changed = _by_account(
        list(
            _CONFIRMED.filter(
                proposal__kind__startswith="staff.",
                decided_at__gte=begin - A_WEEK,
                decided_at__lt=end,
            ).order_by("pk")
        )
    )
    rows = [
        _row(decision, gift)
        for decision in decided
        for gift in changed[decision.decided_by_id]
        if decision.decided_at - A_WEEK <= gift.decided_at < decision.decided_at
    ]
    counts = {
        "decisions": len({row["proposal"] for row in rows}),
        "by_proposer": sum(row["by_proposer"] for row in rows),
    }
    return Outcome(counts, {"decisions": rows} if rows else {})


def passwords_forgotten(day: date) -> Outcome:
    """Erase the passwords, and the keys of names, of proposals that have lapsed."""
    return Outcome({"proposals": lapsed_forget()})


def _by_account(gifts: Sequence[Decision]) -> defaultdict[int, list[Decision]]:
    """Return the decisions that changed an account, by account."""
    opened = {gift.proposal.content.get("username") for gift in gifts}
    users = dict(User.objects.filter(username__in=opened).values_list("username", "pk"))
    by_user: defaultdict[int, list[Decision]] = defaultdict(list)
    for gift in gifts:
        content = gift.proposal.content
        by_user[content["user"] if "user" in content else users[content["username"]]].append(gift)
    return by_user


def _row(decision: Decision, gift: Decision) -> dict[str, Any]:
    givers = (gift.proposed_by, gift.decided_by)
    return {
        "proposal": str(decision.proposal.uuid),
        "kind": decision.proposal.kind,
        "proposed_by": str(decision.proposed_by),
        "decided_by": str(decision.decided_by),
        "given": gift.proposal.kind,
        "given_at": gift.decided_at.isoformat(),
        "given_by": [str(giver) for giver in givers],
        "by_proposer": decision.proposed_by in givers,
    }


JOBS: tuple[Job, ...] = (
    Job(
        name="staff.given_lately",
        title=_("Decisions by people whose account was given lately"),
        order=40,
        run=given_lately,
    ),
    Job(
        name="staff.passwords_forgotten",
        title=_("Passwords of proposals that have lapsed"),
        order=45,
        run=passwords_forgotten,
    ),
)
