"""Put a contest on sale: name what is missing, publish, and open it by two persons [E8]."""

from collections.abc import Mapping

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Invalid
from core.kernel.languages import LANGUAGES
from core.kernel.money import percent_text
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.bet_type import differing
from lototrot.engine.gates import MissingGate, OpeningFacts, missing_gates
from lototrot.models.contest import Contest, Publication
from lototrot.models.programme import FederationApproval
from lototrot.selectors.amendments import bet_type_figures
from lototrot.selectors.announced import first_start_announced
from lototrot.selectors.contests import contest_get, figures_of, rules_of
from lototrot.selectors.internal_bets import internal_list
from lototrot.selectors.races import contest_limit
from lototrot.selectors.stops import stops_standing
from lototrot.services.contest.contests import ProgrammeNotApproved, ScheduleOutOfPlace
from lototrot.services.contest.preparing import PublishedAlready
from lototrot.services.contest.published_terms import opening_publish
from lototrot.services.contest.schedule import AfterAnnouncedStart
from lototrot.services.tickets.layout import layout_digest


class RulesIncomplete(Invalid):
    code = "rules_incomplete"
    message = "The rules are needed in every language."


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


def contest_gates(*, contest: Contest) -> tuple[MissingGate, ...]:
    """Return the named gates that still keep the contest from being put on sale [E8]."""
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
    if set(rules) != set(LANGUAGES) or not all(text.strip() for text in rules.values()):
        raise RulesIncomplete(languages=list(LANGUAGES))
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

    Raise GatesShut naming each gate, ScheduleOutOfPlace, AfterAnnouncedStart, CourseUnderWay,
    StopStands or ProposalPending.
    """
    by.need(powers.OPEN_CONTEST)
    contest.refresh_from_db()
    _need_openable(contest)
    return two_persons.propose(
        kind=OPENING,
        subject=f"contest:{contest.pk}",
        by=by,
        content={"contest": contest.pk, **terms_named(contest)},
    )


def terms_named(contest: Contest) -> two_persons.Content:
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
    """Put the contest on sale and publish its terms, if they are those that were proposed."""
    contest = contest_get(proposal.content["contest"])
    hold((Lock.MEETING, contest.meeting_id), (Lock.CONTEST, contest.pk))
    hold((Lock.FIGURES, 0), shared=True)
    contest = contest_get(contest.pk)
    _need_openable(contest)
    if proposal.content != {"contest": contest.pk, **terms_named(contest)}:
        raise TermsChanged
    Contest.objects.filter(pk=contest.pk, state=Contest.State.DRAFT).update(
        state=Contest.State.OPEN, opened_at=clock.now(), opening=proposal
    )
    contest.refresh_from_db()
    opening_publish(contest)


def _need_openable(contest: Contest) -> None:
    missing = contest_gates(contest=contest)
    if contest.state != Contest.State.DRAFT or missing:
        raise GatesShut(
            state=contest.state,
            missing=[{"code": g.code, "article": g.article, "detail": g.detail} for g in missing],
        )
    if contest.scheduled_close_at <= clock.now():
        raise ScheduleOutOfPlace(scheduled_close_at=contest.scheduled_close_at.isoformat())
    first_start_at = first_start_announced(contest)
    if contest.scheduled_close_at > first_start_at:
        raise AfterAnnouncedStart(announced_start_at=first_start_at.isoformat())
    limit = contest_limit(contest.pk)
    if limit is not None:  # a race has started or is declared not run [E1]
        raise CourseUnderWay(since=limit.isoformat())
    if stop := stops_standing(contest).first():
        raise StopStands(stop=stop.pk)


OPENING = two_persons.Kind("lototrot.contest_opening", powers.OPEN_CONTEST, _open)
