"""Prepare, change, discard, publish, open, move and close contests."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Flag, Instant, PageQuery, Shape, Text, Whole
from core.api.views import StaffView, json_response
from core.database import clock
from core.kernel.languages import LANGUAGES
from core.staff.api.proposals import TAKES_EFFECT, ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers
from lototrot.api import samples
from lototrot.api.course_shapes import ReasonIn
from lototrot.api.programmes import RaceOut
from lototrot.api.shapes import Paragraphs
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting
from lototrot.selectors import contests as selectors
from lototrot.selectors.cards import contest_legs
from lototrot.selectors.settlement.settlements import chain_balances
from lototrot.services.authority.ending import GameEnded
from lototrot.services.contest import closing, contests, preparing, schedule
from lototrot.services.programme.official import MeetingUnknown, meeting_get
from lototrot.services.reasons import ReasonMissing
from lototrot.services.tickets import putting_on_sale

_INTEGER = 2**31 - 1


class VersionedIn(Shape):
    code = Text(max_length=40)
    version = Whole(min_value=1, max_value=32_767)


class VersionedOut(Shape):
    code = serializers.CharField()
    version = Whole()


class ContestIn(Shape):
    meeting = Whole(min_value=1)
    bet_type = VersionedIn()
    ticket_model = VersionedIn(allow_null=True, default=None)
    races = serializers.ListField(
        child=Whole(min_value=1),
        min_length=1,
        max_length=31,
        help_text="Ids of races of the meeting, in the order of the ticket.",
    )
    price_cents = Cents(min_value=1)
    max_bets = Whole(min_value=1, max_value=_INTEGER, default=10_000)
    premises_cap_cents = Cents(
        min_value=1,
        allow_null=True,
        default=None,
        help_text="The most that any one premises sell in it; null for no such cap.",
    )
    scheduled_close_at = Instant()
    correction_window_s = Whole(min_value=0, max_value=86_400, default=0)
    correction_approval = Text(max_length=120, allow_blank=True, default="")


class TermsIn(Shape):
    bet_type = VersionedIn(required=False)
    ticket_model = VersionedIn(allow_null=True, required=False)
    races = serializers.ListField(
        child=Whole(min_value=1),
        min_length=1,
        max_length=31,
        required=False,
        help_text="Ids of races of the meeting, in the order of the ticket; no fewer than before.",
    )
    price_cents = Cents(min_value=1, required=False)
    max_bets = Whole(min_value=1, max_value=_INTEGER, required=False)
    premises_cap_cents = Cents(min_value=1, allow_null=True, required=False)
    scheduled_close_at = Instant(required=False)
    correction_window_s = Whole(min_value=0, max_value=86_400, required=False)
    correction_approval = Text(max_length=120, allow_blank=True, required=False)


class ContestQuery(PageQuery):
    state = Choice(Contest.State.values, required=False)
    meeting = Whole(min_value=1, required=False)


class ContestOut(Shape):
    id = Whole()
    meeting = Whole(source="meeting_id")
    day = Day()
    bet_type = VersionedOut()
    ticket_model = VersionedOut(allow_null=True)
    price_cents = Cents()
    max_bets = Whole()
    premises_cap_cents = Cents(allow_null=True)
    correction_window_s = Whole()
    scheduled_close_at = Instant()
    state = Choice(Contest.State.values)
    opened_at = Instant(allow_null=True)
    closed_at = Instant(allow_null=True)
    closing_cause = serializers.CharField(
        help_text="schedule, start, not_run or organiser; empty until closed."
    )


class LegOut(Shape):
    position = Whole()
    offered = serializers.ListField(child=Whole(), help_text="Programme numbers on sale now.")
    race = RaceOut(source="card")


class GateOut(Shape):
    code = serializers.CharField()
    article = serializers.CharField()
    detail = serializers.CharField()


class PublicationOut(Shape):
    rules = serializers.DictField(child=serializers.CharField())
    prize_percent = serializers.CharField()
    published_at = Instant()


class ContestDetailOut(ContestOut):
    on_sale = Flag(help_text="By the clock, at server_time.")
    server_time = Instant()
    jackpot_cents = Cents(help_text="Accumulated for the highest category, as of now (9.5).")
    reserve_cents = Cents()
    publication = PublicationOut(allow_null=True)
    gates = GateOut(
        many=True,
        help_text="The gates that still keep it from being opened [E8]; none once it was on sale.",
    )
    legs = LegOut(many=True)


class RulesIn(Shape):
    ca = Paragraphs(max_length=20_000)
    es = Paragraphs(max_length=20_000)
    en = Paragraphs(max_length=20_000)


class PublicationIn(Shape):
    rules = RulesIn(help_text=f"The text in each of {', '.join(LANGUAGES)}.")


_TERMS = (
    selectors.BetTypeUnknown,
    selectors.TicketModelUnknown,
    selectors.RaceUnknown,
    preparing.RaceRepeated,
    preparing.TermsRefused,
    contests.ScheduleOutOfPlace,
    preparing.ContestOfDayExists,
    preparing.LaterMeetingSettled,
    GameEnded,
)


def _read_terms(meeting: Meeting, body: dict[str, Any]) -> dict[str, Any]:
    """Return the terms of a request with the rows that they name."""
    terms = dict(body)
    if "bet_type" in body:
        terms["bet_type"] = selectors.bet_type_get(**body["bet_type"])
    if body.get("ticket_model"):
        terms["ticket_model"] = selectors.ticket_model_get(**body["ticket_model"])
    if "races" in body:
        terms["races"] = selectors.races_get(meeting, body["races"])
    return terms


def detail_of(contest: Contest) -> dict[str, Any]:
    """Return a contest with its terms, legs, gates and jackpot, as JSON."""
    now = clock.now()
    chain = chain_balances(contest.bet_type_code)
    publication = getattr(contest, "publication", None)
    draft = contest.state == Contest.State.DRAFT
    gates = putting_on_sale.contest_gates(contest=contest) if draft else ()
    instants = Instant()
    return ContestOut(contest).data | {
        "on_sale": contest.state == Contest.State.OPEN and now < contest.scheduled_close_at,
        "server_time": instants.to_representation(now),
        "jackpot_cents": chain.jackpot_cents,
        "reserve_cents": chain.reserve_cents,
        "publication": PublicationOut(publication).data if publication else None,
        "gates": GateOut(gates, many=True).data,
        "legs": LegOut(contest_legs(contest), many=True).data,
    }


class Contests(StaffView):
    @operation(
        "Contests, newest first",
        answer=ContestOut,
        paged=True,
        query=ContestQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(ContestQuery)
        rows = selectors.contests(state=query.get("state", ""), meeting=query.get("meeting"))
        return self.rows(ContestOut, rows, query, newest_first=True)

    @operation(
        "Prepare a contest (14.III.5.1)",
        body=ContestIn,
        answer=ContestOut,
        status=201,
        idempotent=True,
        example=samples.CONTEST,
        problems=(
            MeetingUnknown,
            *_TERMS,
        ),
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(ContestOut, self._create, **self.read(ContestIn))

    def _create(self, *, meeting: int, **terms: Any) -> Contest:
        row = meeting_get(meeting)
        return preparing.contest_create(by=self.by, meeting=row, **_read_terms(row, terms))


class Terms(StaffView):
    @operation(
        "Change terms of a contest that is not on sale yet [E9]",
        "The terms that are given change; the others stay. What they were stays on record.",
        body=TermsIn,
        answer=ContestOut,
        problems=(
            selectors.ContestUnknown,
            preparing.ContestNotDraft,
            *_TERMS,
            preparing.RacesRemoved,
            preparing.PublishedAlready,
        ),
        example={"price_cents": 200},
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        body = self.read(TermsIn)
        meeting = selectors.contest_get(contest).meeting
        changed = preparing.contest_change(
            by=self.by, contest_id=contest, **_read_terms(meeting, body)
        )
        return self.answer(ContestOut, changed)


class Discard(StaffView):
    @operation(
        "Propose to discard a contest that was never on sale [E9]",
        TAKES_EFFECT + " The contest stays on record; another one may be prepared for that day.",
        body=ReasonIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            selectors.ContestUnknown,
            preparing.ContestNotDraft,
            ReasonMissing,
            ProposalPending,
        ),
        example={"reason": "The meeting was called off."},
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        reason = self.read(ReasonIn)["reason"]

        return self.created_once(
            ProposalOut, preparing.contest_discard, by=self.by, contest_id=contest, reason=reason
        )


class OneContest(StaffView):
    @operation(
        "Read a contest: terms, legs, gates, closing, jackpot and server time",
        answer=ContestDetailOut,
        problems=(selectors.ContestUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, contest: int) -> HttpResponse:
        return json_response(detail_of(selectors.contest_get(contest)))


class Publication(StaffView):
    body_limit_bytes = 256 * 1024

    @operation(
        "Publish programme, rules and percentage to the terminals (5.2, 6.2)",
        "The same rules again change nothing; other rules are refused.",
        body=PublicationIn,
        answer=PublicationOut,
        status=201,
        problems=(
            selectors.ContestUnknown,
            contests.ProgrammeNotApproved,
            putting_on_sale.RulesIncomplete,
            preparing.PublishedAlready,
        ),
        example={"rules": {"ca": "Reglament…", "es": "Reglamento…", "en": "Rules…"}},
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        rules = self.read(PublicationIn)["rules"]
        publication = putting_on_sale.contest_publish(
            by=self.by, contest=selectors.contest_get(contest), rules=dict(rules)
        )
        return self.answer(PublicationOut, publication, 201)


class Opening(StaffView):
    @operation(
        "Propose to put a contest on sale; another person confirms it",
        "Refused with `gates_shut`, whose data names each missing gate. The confirmation is refused"
        " with `contest_terms_changed` if the draft was changed meanwhile. Its terms are in the"
        " public log (`lototrot.opening`) before the first sale.",
        answer=ProposalOut,
        status=202,
        problems=(
            ProposalPending,
            selectors.ContestUnknown,
            putting_on_sale.GatesShut,
            contests.ScheduleOutOfPlace,
            schedule.AfterAnnouncedStart,
            putting_on_sale.CourseUnderWay,
            putting_on_sale.StopStands,
        ),
        power=powers.OPEN_CONTEST,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)
        proposal = putting_on_sale.contest_open_propose(
            by=self.by, contest=selectors.contest_get(contest)
        )
        return self.answer(ProposalOut, proposal, 202)


class Closing(StaffView):
    @operation(
        "Close a contest now, for good",
        "Nothing changes when it is closed already.",
        answer=ContestOut,
        problems=(selectors.ContestUnknown,),
        power=powers.CLOSE_CONTEST,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)
        row = selectors.contest_get(contest)
        closing.contest_close_early(by=self.by, contest_id=row.pk)
        row.refresh_from_db()
        return self.answer(ContestOut, row)
