"""Serve the closed periods, and propose to close the next one."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Day, Instant, PageQuery, Shape, Whole
from core.api.views import StaffView
from core.periods import powers, selectors, services
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending


class PeriodOut(Shape):
    number = Whole()
    first_day = Day()
    last_day = Day()
    closed_at = Instant()
    entry = Whole(source="entry.sequence", help_text="The entry of the public log.")
    document = serializers.DictField(help_text="As published: counts and digests.")


class Periods(StaffView):
    @operation("Closed periods", answer=PeriodOut, paged=True, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        return self.rows(
            PeriodOut, selectors.periods(by=self.by), self.query(PageQuery), newest_first=True
        )


class Proposals(StaffView):
    @operation(
        "Propose to close the next month; an inspector or auditor confirms it",
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(services.NothingToClose, services.PeriodUnfinished, ProposalPending),
        power=powers.CLOSE,
    )
    def post(self, request: Request) -> HttpResponse:
        def act() -> HttpResponse:
            return self.answer(ProposalOut, services.period_propose(by=self.by), 202)

        return self.once(act)
