"""Amend the figures of the regulation's own bet type, by two persons with the source [A19]."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.canonical import Json
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid
from core.kernel.money import percent_text
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.bet_type import BetType as Rules
from lototrot.models.authority import FiguresAmendment
from lototrot.models.contest import Contest
from lototrot.selectors.amendments import bet_type_figures, changes, schedule
from lototrot.selectors.contests import figures_of
from lototrot.services.reasons import need_source

FIGURES = ("legs", "jackpot_threshold_cents", "shares_below", "shares_above")


class AmendmentNotAhead(Invalid):
    code = "amendment_not_ahead"
    message = "An amendment comes into force on a later day than today."


class AmendmentOverContests(Conflict):
    """`data`: contest, day of the first contest on sale that the amendment would concern."""

    code = "amendment_over_contests"
    message = "A contest of that day or a later one was opened with the figures in force now."


@transaction.atomic
def amendment_propose(
    *, by: StaffActor, in_force_from: date, source: str, figures: Mapping[str, Any]
) -> Proposal:
    """Propose other figures (`FIGURES`) from a day on; a second person confirms them.

    Raise SourceMissing, AmendmentNotAhead, BetTypeRefused, RegulationRefused, AmendmentOverContests
    or ProposalPending.
    """
    by.need(powers.AMEND_FIGURES)
    need_source(source)
    canonical = _possible(in_force_from, source, figures)
    return two_persons.propose(
        kind=AMENDMENT,
        subject=f"figures:{in_force_from.isoformat()}",
        by=by,
        content={
            "in_force_from": in_force_from.isoformat(),
            "source": source,
            "bet_type": canonical,
        },
    )


def rules_of(figures: Mapping[str, Any]) -> Rules:
    """Return a bet type with these figures (`FIGURES`) and the regulation's own percentage.

    Raise BetTypeRefused.
    """
    now = figures_of(natural_day(clock.now())).lototrot
    filled = {
        "code": now.bet_type.code,
        "version": 1,
        "name": now.bet_type.code,
        "prize_percent": percent_text(now.minimum_prize_percent),
        "payout_step_cents": 1,
        **figures,
    }
    return Rules.from_document(filled, minimum_prize_percent=now.minimum_prize_percent)


def rules_in_force() -> Rules:
    """Return the bet type with the figures in force today."""
    now = bet_type_figures(natural_day(clock.now()))
    shares = {"shares_below": now.shares_below, "shares_above": now.shares_above}
    texts = {
        name: {hits: percent_text(share) for hits, share in by_hits.items()}
        for name, by_hits in shares.items()
    }
    threshold = {"jackpot_threshold_cents": now.jackpot_threshold_cents}
    return rules_of({"legs": now.legs, **threshold, **texts})


def figures_in(rules: Rules) -> dict[str, Json]:
    """Return the figures of a bet type that an amendment sets, as its document has them."""
    document = rules.to_document()
    return {name: document[name] for name in FIGURES}


def _possible(in_force_from: date, source: str, figures: Mapping[str, Any]) -> dict[str, Json]:
    """Return the figures in their canonical form. Raise if they cannot come into force then."""
    today = natural_day(clock.now())
    if in_force_from <= today:
        raise AmendmentNotAhead(today=today.isoformat())
    canonical = figures_in(rules_of(figures))
    schedule().amended(changes(in_force_from.isoformat(), source, canonical))
    concerned = Contest.objects.filter(
        bet_type_code=bet_type_figures(today).code, day__gte=in_force_from
    ).exclude(state__in=Contest.NEVER_ON_SALE)
    first = concerned.order_by("day").first()
    if first is not None:
        raise AmendmentOverContests(contest=first.pk, day=first.day.isoformat())
    return canonical


def _amended(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    day = date.fromisoformat(content["in_force_from"])
    hold((Lock.FIGURES, 0))  # no contest opens meanwhile with the figures in force now
    FiguresAmendment.objects.create(
        in_force_from=day,
        source=content["source"],
        bet_type=_possible(day, content["source"], content["bet_type"]),
        entered_at=clock.now(),
        proposal=proposal,
    )


AMENDMENT = two_persons.Kind(
    "lototrot.figures_amendment", powers.AMEND_FIGURES, apply=_amended, good_for=two_persons.A_WEEK
)
