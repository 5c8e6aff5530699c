"""Prepare contests; change or discard those that were never on sale (14.III.5.1) [E9].

A draft is a proposal of the organiser: nobody has bet on it. It may be changed, and two persons may
discard it. A discarded contest stays on record, but takes no day and holds no chain.
"""

import dataclasses
import datetime
import uuid
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.canonical import Json
from core.kernel.errors import Conflict, Invalid
from core.ledger import services as ledger
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.bet_type import MAX_LEGS
from lototrot.models.contest import BetType, Contest, ContestLeg, TicketModel
from lototrot.models.preparing import ContestChange, Discard
from lototrot.models.programme import Meeting, Race
from lototrot.selectors.contests import RaceUnknown, contest_get
from lototrot.selectors.settlement.chains import chain_lock
from lototrot.services.authority.ending import need_going_on
from lototrot.services.contest.code_secrets import secret_make
from lototrot.services.contest.contests import ScheduleOutOfPlace
from lototrot.services.reasons import need_reason


class ContestOfDayExists(Conflict):
    code = "contest_of_day_exists"
    message = "There is already a contest of this bet type on that day [A15]."


class LaterMeetingSettled(Conflict):
    """A later meeting of the chain is settled. `data`: contest, day of the settled meeting."""

    code = "later_meeting_settled"
    message = "A later meeting of this bet type is settled already [A4, A20]."


class TermsRefused(Invalid):
    code = "contest_terms_refused"
    message = "A contest cannot have these terms."


class RaceRepeated(Invalid):
    code = "race_repeated"
    message = "A race is included twice."


class RacesRemoved(Conflict):
    code = "races_removed"
    message = "No race can be removed from a prepared contest. Discard it and prepare another [E9]."


class PublishedAlready(Conflict):
    code = "published_already"
    message = "The contest is already published with other rules."


class ContestNotDraft(Conflict):
    code = "contest_not_draft"
    message = "Only a contest that was never on sale is changed or discarded [E9]."


@dataclasses.dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a contest. They may change until it is on sale."""

    bet_type: BetType
    ticket_model: TicketModel | None
    races: Sequence[Race]
    price_cents: int
    max_bets: int
    scheduled_close_at: datetime.datetime
    premises_cap_cents: int | None = None
    correction_window_s: int = 0
    correction_approval: str = ""

    def columns(self) -> dict[str, Any]:
        """Return the terms as columns of the contest. Its races are rows of their own."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del values["races"]
        return values | {"bet_type_code": self.bet_type.code}

    def to_document(self) -> dict[str, Json]:
        """Return the terms for the record of a change."""
        return {
            "bet_type": str(self.bet_type),
            "ticket_model": str(self.ticket_model or ""),
            "races": [race.pk for race in self.races],
            "price_cents": self.price_cents,
            "max_bets": self.max_bets,
            "premises_cap_cents": self.premises_cap_cents,
            "scheduled_close_at": self.scheduled_close_at.astimezone(datetime.UTC).isoformat(),
            "correction_window_s": self.correction_window_s,
            "correction_approval": self.correction_approval,
        }


@transaction.atomic
def contest_create(*, by: StaffActor, meeting: Meeting, **terms: Any) -> Contest:
    """Prepare a contest on races of the meeting, in the order of the ticket (14.III.5.1).

    `terms` are those of `Terms`. Raise TermsRefused, RaceRepeated, RaceUnknown, ScheduleOutOfPlace,
    ContestOfDayExists, LaterMeetingSettled or GameEnded. The opening gates check what can still be
    corrected.
    """
    by.need(powers.PREPARE_CONTEST)
    new_terms = Terms(**terms)
    hold((Lock.MEETING, meeting.pk), chain_lock(new_terms.bet_type.code))
    _need_possible(meeting, new_terms)
    takings = ledger.liability(f"lototrot:takings:{uuid.uuid4()}")
    account = ledger.account_open([takings])[takings.code]
    try:
        with transaction.atomic():
            contest = Contest.objects.create(
                meeting=meeting,
                day=meeting.day,
                takings_account=account,
                created_at=clock.now(),
                code_secret=secret_make(takings_account=account.pk),
                created_by_id=by.user_id,
                **new_terms.columns(),
            )
    except IntegrityError as error:
        raise _taken(meeting, new_terms) from error
    ContestLeg.objects.bulk_create(
        ContestLeg(contest=contest, position=position, race=race)
        for position, race in enumerate(new_terms.races, start=1)
    )
    contest.refresh_from_db()
    return contest


@transaction.atomic
def contest_change(*, by: StaffActor, contest_id: int, **changes: Any) -> Contest:
    """Change terms of a contest that is not on sale yet, and keep what they were [E9].

    `changes` are terms of `Terms`; the others stay. Terms that are the same already change nothing.
    What was published names races and percentage, so these stay once it is published. Raise
    ContestUnknown, ContestNotDraft, RacesRemoved, PublishedAlready, and errors as `contest_create`.
    """
    by.need(powers.PREPARE_CONTEST)
    contest = contest_get(contest_id)
    new_type: BetType = changes.get("bet_type", contest.bet_type)
    hold((Lock.MEETING, contest.meeting_id), chain_lock(new_type.code), (Lock.CONTEST, contest_id))
    contest = contest_get(contest_id)
    _need_draft(contest)
    now = terms_of(contest)
    new_terms = dataclasses.replace(now, **changes)
    before, after = now.to_document(), new_terms.to_document()
    if before == after:
        return contest
    _need_possible(contest.meeting, new_terms)
    if len(new_terms.races) < len(now.races):
        raise RacesRemoved(contest=contest_id, races=len(now.races))
    displayed = ("bet_type", "races")
    if hasattr(contest, "publication") and any(before[name] != after[name] for name in displayed):
        raise PublishedAlready(contest=contest_id)
    changed = [name for name in before if before[name] != after[name]]
    ContestChange.objects.create(
        contest=contest,
        before={name: before[name] for name in changed},
        after={name: after[name] for name in changed},
        changed_at=clock.now(),
        changed_by_id=by.user_id,
        changed_in_id=by.session_id,
    )
    try:
        with transaction.atomic():
            Contest.objects.filter(pk=contest_id).update(**new_terms.columns())
    except IntegrityError as error:
        raise _taken(contest.meeting, new_terms) from error
    _races_change(contest, new_terms.races)
    return contest_get(contest_id)


def terms_of(contest: Contest) -> Terms:
    """Return the terms that a contest has now."""
    names = [field.name for field in dataclasses.fields(Terms) if field.name != "races"]
    legs = contest.legs.select_related("race").order_by("position")
    return Terms(
        races=[leg.race for leg in legs], **{name: getattr(contest, name) for name in names}
    )


def _races_change(contest: Contest, races: Sequence[Race]) -> None:
    legs = list(contest.legs.order_by("position"))
    for leg, race in zip(legs, races, strict=False):
        leg.race = race
    ContestLeg.objects.bulk_update(legs, ["race"])  # in one statement, as races may change places
    ContestLeg.objects.bulk_create(
        ContestLeg(contest=contest, position=position, race=race)
        for position, race in enumerate(races[len(legs) :], start=len(legs) + 1)
    )


def _need_possible(meeting: Meeting, terms: Terms) -> None:
    """Refuse terms that no later record could make valid. The gates check the limits."""
    _need_possible_figures(terms)
    if len(terms.races) > MAX_LEGS:
        raise TermsRefused(races=len(terms.races), maximum=MAX_LEGS)
    if len({race.pk for race in terms.races}) != len(terms.races):
        raise RaceRepeated
    if not terms.races or any(race.meeting_id != meeting.pk for race in terms.races):
        raise RaceUnknown(meeting=meeting.pk)
    first_start = min(race.scheduled_start_at for race in terms.races)
    if not clock.now() < terms.scheduled_close_at <= first_start:
        raise ScheduleOutOfPlace(first_start_at=first_start.isoformat())
    need_going_on(terms.bet_type.code)
    chain = Contest.objects.filter(bet_type_code=terms.bet_type.code, day__gt=meeting.day)
    later = chain.filter(state__in=Contest.WITH_SETTLEMENT).order_by("day").first()
    if later is not None:
        raise LaterMeetingSettled(contest=later.pk, day=later.day.isoformat())


def _need_possible_figures(terms: Terms) -> None:
    least = (terms.price_cents, terms.max_bets, terms.premises_cap_cents or 1)
    if min(least) < 1 or terms.premises_cap_cents == 0 or terms.correction_window_s < 0:
        raise TermsRefused(
            price_cents=terms.price_cents,
            max_bets=terms.max_bets,
            premises_cap_cents=terms.premises_cap_cents,
            correction_window_s=terms.correction_window_s,
        )
    if terms.correction_window_s and not terms.correction_approval.strip():
        raise TermsRefused(
            "A correction window needs the authority's approval on record (14.III.1.4).",
            correction_window_s=terms.correction_window_s,
        )


def _taken(meeting: Meeting, terms: Terms) -> ContestOfDayExists:
    return ContestOfDayExists(day=meeting.day.isoformat(), bet_type=terms.bet_type.code)


def _need_draft(contest: Contest) -> None:
    if contest.state != Contest.State.DRAFT:
        raise ContestNotDraft(contest=contest.pk, state=contest.state)


@transaction.atomic
def contest_discard(*, by: StaffActor, contest_id: int, reason: str) -> Proposal:
    """Propose to discard a contest that was never on sale; a second person confirms it [E9].

    Raise ContestUnknown, ContestNotDraft, ReasonMissing or ProposalPending.
    """
    by.need(powers.PREPARE_CONTEST)
    need_reason(reason)
    _need_draft(contest_get(contest_id))
    return two_persons.propose(
        kind=DISCARD,
        subject=f"contest:{contest_id}",
        by=by,
        content={"contest": contest_id, "reason": reason},
    )


def _discarded(proposal: Proposal, by: StaffActor) -> None:
    contest_id = proposal.content["contest"]
    contest = contest_get(contest_id)
    hold((Lock.MEETING, contest.meeting_id), (Lock.CONTEST, contest_id))
    contest.refresh_from_db()
    _need_draft(contest)
    Discard.objects.create(
        contest=contest,
        reason=proposal.content["reason"],
        discarded_at=clock.now(),
        proposal=proposal,
    )
    Contest.objects.filter(pk=contest_id, state=Contest.State.DRAFT).update(
        state=Contest.State.DISCARDED, code_secret=None
    )


DISCARD = two_persons.Kind("lototrot.contest_discard", powers.PREPARE_CONTEST, apply=_discarded)
