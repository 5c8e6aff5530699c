"""Serve the closed periods, and propose to close the next one."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Day, Instant, PageQuery, Shape, Text, Whole
from core.api.views import StaffView
from core.longwork.api.work import WorkOut
from core.longwork.services import WorkBusy
from core.periods import names, powers, selectors, services
from core.periods.archive import retiring, writing
from core.periods.long_work import closing_ask
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending


class PeriodOut(Shape):
    number = Whole()
    first_day = Day()
    last_day = Day()
    closed_at = Instant()
    entry = Whole(source="entry.sequence", help_text="The entry of the public log.")
    document = serializers.DictField(help_text="As published: counts and digests.")


class RetirementIn(Shape):
    kept = Text(max_length=400, help_text="Where copies of the archive are kept.")


class Periods(StaffView):
    @operation("Closed periods", answer=PeriodOut, paged=True, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        return self.rows(
            PeriodOut, selectors.periods(by=self.by), self.query(PageQuery), newest_first=True
        )


class Proposals(StaffView):
    @operation(
        "Have the next month counted and proposed for closing; an inspector or auditor confirms it",
        "The answer is long work: read `long-work/{id}` until it has ended. Its result names the"
        " proposal. It fails with `period_unfinished` while something of the month waits.",
        answer=WorkOut,
        status=202,
        idempotent=True,
        problems=(services.NothingToClose, ProposalPending, WorkBusy),
        power=powers.CLOSE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.accepted_once(WorkOut, closing_ask, by=self.by)


class NamesIn(Shape):
    staff = serializers.ListField(child=Whole(), required=False, max_length=names.MOST_AT_ONCE)
    operators = serializers.ListField(child=Whole(), required=False, max_length=names.MOST_AT_ONCE)


class NameErasures(StaffView):
    @operation(
        "Propose to erase names of persons who left; an inspector or auditor confirms it",
        "By the ids of members of staff and of operators; without any, the names of all who left so"
        " long ago that their names are not kept any longer.",
        body=NamesIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(names.NothingToErase, names.NameStillKept, ProposalPending),
        example={"staff": [17], "operators": []},
        power=powers.RETIRE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.accepted_once(
            ProposalOut, names.names_propose, by=self.by, **self.read(NamesIn)
        )


class Retirements(StaffView):
    @operation(
        "Propose to retire the archived rows of a month; an inspector or auditor confirms it",
        body=RetirementIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            writing.PeriodNotClosed,
            writing.PeriodRetired,
            retiring.PeriodNotArchived,
            retiring.PlaceMissing,
            retiring.RightStands,
            ProposalPending,
        ),
        example={"kept": "Safe of the Central Office; bank vault in Palma."},
        power=powers.RETIRE,
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        return self.accepted_once(
            ProposalOut,
            retiring.retirement_propose,
            by=self.by,
            number=number,
            **self.read(RetirementIn),
        )
