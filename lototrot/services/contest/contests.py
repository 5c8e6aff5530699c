"""Record ticket models, and publish and open contests."""

import datetime
import re
from collections.abc import Mapping

from django.conf import settings
from django.db import IntegrityError, transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Invalid, NotFound
from core.kernel.money import percent_text
from core.kernel.regulation import Regulation, shipped
from core.premises.access import Capability, TerminalActor
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.bet_type import differing
from lototrot.engine.gates import MissingGate, OpeningFacts, missing_gates
from lototrot.models.contest import (
    BetType,
    Contest,
    DisplayAcknowledgement,
    Publication,
    TicketModel,
)
from lototrot.models.programme import FederationApproval
from lototrot.selectors.amendments import bet_type_figures
from lototrot.selectors.internal_bets import internal_list
from lototrot.selectors.races import contest_limit
from lototrot.selectors.stops import stops_standing
from lototrot.services.contest.closing import offered_masks_refresh


class BetTypeUnknown(NotFound):
    code = "bet_type_unknown"
    message = "There is no such bet type and version."


class TicketModelUnknown(NotFound):
    code = "ticket_model_unknown"
    message = "There is no such ticket model and version."


class TicketModelRecorded(Conflict):
    code = "ticket_model_recorded"
    message = "That version of the ticket model is already on record."


class LayoutMalformed(Invalid):
    code = "ticket_layout_malformed"
    message = "The digest of a layout is a SHA-256 in hexadecimal, 64 digits long [E15]."


class MeetingUnknown(NotFound):
    code = "meeting_unknown"
    message = "There is no such meeting."


class ContestUnknown(NotFound):
    code = "contest_unknown"
    message = "There is no such contest."


class AuthorisationMissing(Invalid):
    code = "authorisation_missing"
    message = "The reference of the authority's authorisation is needed (14.II.2, 14.III.7)."


class RaceUnknown(NotFound):
    code = "race_unknown"
    message = "The meeting has no such race."


class ScheduleOutOfPlace(Invalid):
    code = "schedule_out_of_place"
    message = (
        "The scheduled closing must be in the future, and not after the first scheduled start."
    )


class ProgrammeNotApproved(Conflict):
    code = "programme_not_approved"
    message = "The Federation's approval of the programme is not on record (14.III.5.2)."


class RulesIncomplete(Invalid):
    code = "rules_incomplete"
    message = "The rules are needed in every language."


class PublishedAlready(Conflict):
    code = "published_already"
    message = "The contest is already published with other rules."


class GatesShut(Conflict):
    code = "gates_shut"
    message = "The contest cannot be put on sale yet."


class CourseUnderWay(Conflict):
    code = "course_under_way"
    message = "A race of the contest has started or is declared not run: it cannot be sold."


class StopStands(Conflict):
    code = "stop_stands"
    message = "Sales are stopped on a race of the contest: it opens when the stop is lifted [E12]."


class TermsChanged(Conflict):
    code = "contest_terms_changed"
    message = "The draft was changed since its opening was proposed: propose it again."


class ContestNotOpen(Conflict):
    code = "contest_not_open"
    message = "The contest is not on sale yet."


def figures_of(day: datetime.date) -> Regulation:
    """Return the regulation in force on a meeting's day."""
    return shipped().in_force(day)


def rules_of(bet_type: BetType, day: datetime.date) -> Rules:
    """Return the engine's rules for a recorded bet type."""
    least = figures_of(day).lototrot.minimum_prize_percent
    return Rules.from_document(bet_type.document, minimum_prize_percent=least)


def need_authorisation(reference: str) -> None:
    """Raise AuthorisationMissing if the reference is empty."""
    if not reference.strip():
        raise AuthorisationMissing


def ticket_model_record(
    *,
    by: StaffActor,
    code: str,
    version: int,
    authorisation: str,
    authorised_on: datetime.date,
    multiple: bool,
    layout: str,
) -> TicketModel:
    """Record a ticket model that the gaming authority has authorised (14.II.2).

    `layout` is the digest of the layout that it authorises [E15]. Raise AuthorisationMissing,
    LayoutMalformed or TicketModelRecorded.
    """
    by.need(powers.PREPARE_CONTEST)
    need_authorisation(authorisation)
    if not re.fullmatch("[0-9a-f]{64}", layout):
        raise LayoutMalformed
    try:
        with transaction.atomic():
            return TicketModel.objects.create(
                code=code,
                version=version,
                authorisation=authorisation,
                authorised_on=authorised_on,
                multiple=multiple,
                layout=layout,
                recorded_at=clock.now(),
                recorded_by_id=by.user_id,
            )
    except IntegrityError as error:
        raise TicketModelRecorded(code=code, version=version) from error


def contest_gates(*, contest: Contest) -> tuple[MissingGate, ...]:
    """Return the named gates that still keep the contest from being put on sale [E8]."""
    # The layout is made of tickets, and tickets of contests: this module is read before.
    from lototrot.services.tickets.layout import layout_digest

    approval = FederationApproval.objects.filter(meeting=contest.meeting).first()
    published = Publication.objects.filter(contest=contest).first()
    rules = rules_of(contest.bet_type, contest.day)
    legs = contest.legs.select_related("race").prefetch_related("race__runners")
    model, internal = contest.ticket_model, internal_list(contest.meeting_id)
    facts = OpeningFacts(
        federation_approver=approval.approved_by if approval else "",
        federation_reference=approval.reference if approval else "",
        federation_dated=approval is not None,
        programme_published=approval is not None and published is not None,
        runners_by_race=[len(leg.race.runners.all()) for leg in legs],
        price_cents=contest.price_cents,
        max_bets=contest.max_bets,
        rules_published=published is not None and all(published.rules.values()),
        percent_published=published is not None
        and published.prize_percent == percent_text(rules.prize_percent),
        ticket_model_authorisation=model.authorisation if model else "",
        ticket_layout_authorised=model is None or model.layout == layout_digest(),
        internal_bet_types=frozenset(kind["code"] for kind in internal.types) if internal else None,
        correction_window_s=contest.correction_window_s,
        correction_approval=contest.correction_approval,
        has_schedule=True,
        figures_of_regulation=not differing(rules, bet_type_figures(contest.day)),
    )
    return missing_gates(facts, rules, figures_of(contest.day).lototrot)


@transaction.atomic
def contest_publish(*, by: StaffActor, contest: Contest, rules: Mapping[str, str]) -> Publication:
    """Publish what premises must display: programme, rules, percentage (14.III.5.2, 14.III.6.2).

    `rules` is the text in every language of the system. Published rules do not change.
    """
    by.need(powers.PREPARE_CONTEST)
    if not FederationApproval.objects.filter(meeting=contest.meeting).exists():
        raise ProgrammeNotApproved
    wanted = [code for code, _ in settings.LANGUAGES]
    if set(rules) != set(wanted) or not all(text.strip() for text in rules.values()):
        raise RulesIncomplete(languages=wanted)
    hold((Lock.CONTEST, contest.pk))
    publication = Publication.objects.filter(contest=contest).first()
    if publication is not None:
        if publication.rules != dict(rules):
            raise PublishedAlready
        return publication
    return Publication.objects.create(
        contest=contest,
        rules=dict(rules),
        published_at=clock.now(),
        prize_percent=percent_text(rules_of(contest.bet_type, contest.day).prize_percent),
        published_by_id=by.user_id,
        published_in_id=by.session_id,
    )


def contest_open_propose(*, by: StaffActor, contest: Contest) -> Proposal:
    """Propose to put the contest on sale, with the terms that it has now; another person confirms.

    Raise GatesShut naming each gate, ScheduleOutOfPlace, CourseUnderWay, StopStands or
    ProposalPending.
    """
    by.need(powers.OPEN_CONTEST)
    contest.refresh_from_db()
    _need_openable(contest)
    return two_persons.propose(
        kind=OPENING,
        subject=f"contest:{contest.pk}",
        by=by,
        content={"contest": contest.pk, **_terms(contest)},
    )


def _terms(contest: Contest) -> two_persons.Content:
    """Return what players rely on in the contest, as the second person reads it."""
    model = contest.ticket_model
    return {
        "bet_type": f"{contest.bet_type_code} {contest.bet_type.version}",
        "races": list(contest.legs.order_by("position").values_list("race", flat=True)),
        "price_cents": contest.price_cents,
        "max_bets": contest.max_bets,
        "premises_cap_cents": contest.premises_cap_cents,
        "scheduled_close_at": contest.scheduled_close_at.isoformat(),
        "correction_window_s": contest.correction_window_s,
        "correction_approval": contest.correction_approval,
        "ticket_model": f"{model.code} {model.version}" if model else "",
    }


def _open(proposal: Proposal, by: StaffActor) -> None:
    """Put the contest on sale, if its terms are those that were proposed."""
    contest = contest_get(proposal.content["contest"])
    hold((Lock.MEETING, contest.meeting_id), (Lock.CONTEST, contest.pk))
    contest = contest_get(contest.pk)
    _need_openable(contest)
    if proposal.content != {"contest": contest.pk, **_terms(contest)}:
        raise TermsChanged
    offered_masks_refresh(contest_id=contest.pk)
    Contest.objects.filter(pk=contest.pk, state=Contest.State.DRAFT).update(
        state=Contest.State.OPEN, opened_at=clock.now(), opening=proposal
    )


def _need_openable(contest: Contest) -> None:
    missing = contest_gates(contest=contest)
    if contest.state != Contest.State.DRAFT or missing:
        raise GatesShut(
            state=contest.state,
            missing=[{"code": g.code, "article": g.article, "detail": g.detail} for g in missing],
        )
    if contest.scheduled_close_at <= clock.now():
        raise ScheduleOutOfPlace(scheduled_close_at=contest.scheduled_close_at.isoformat())
    limit = contest_limit(contest.pk)
    if limit is not None:  # a race has started or is declared not run [E1]
        raise CourseUnderWay(since=limit.isoformat())
    if stop := stops_standing(contest).first():
        raise StopStands(stop=stop.pk)


def display_acknowledge(*, by: TerminalActor, contest: Contest) -> DisplayAcknowledgement:
    """Record the operator's declaration that programme and rules are on display (14.III.6.2)."""
    by.need(Capability.SELL)
    if contest.state in Contest.NEVER_ON_SALE:
        raise ContestNotOpen(contest=contest.pk)
    acknowledgement, _ = DisplayAcknowledgement.objects.get_or_create(
        contest=contest,
        terminal_id=by.terminal_id,
        operator_id=by.operator_id,
        defaults={"acknowledged_at": clock.now()},
    )
    return acknowledgement


def contest_get(pk: int) -> Contest:
    """Return the contest with its meeting and bet type. Raise ContestUnknown."""
    contest = (
        Contest.objects.select_related("meeting", "bet_type", "ticket_model").filter(pk=pk).first()
    )
    if contest is None:
        raise ContestUnknown(contest=pk)
    return contest


OPENING = two_persons.Kind("lototrot.contest_opening", powers.OPEN_CONTEST, _open)
