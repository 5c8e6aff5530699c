"""Serve suspensions of sales."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Flag, Instant, PageQuery, Shape, Text, Whole
from core.api.views import StaffView
from core.premises import powers, selectors, services, suspending
from core.premises.chosen import SelectionEmpty, SelectionRefused
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending


class SuspensionQuery(PageQuery):
    in_force = Flag(default=True, help_text="If false, the list includes those that are lifted.")


class SuspensionIn(Shape):
    reason = Text(max_length=200)
    premises = Text(max_length=20, allow_null=True, default=None)
    terminal = Text(max_length=20, allow_null=True, default=None)


class SuspensionOut(Shape):
    id = Whole()
    premises = serializers.CharField(source="premises.code", allow_null=True, default=None)
    terminal = serializers.CharField(source="terminal.code", allow_null=True, default=None)
    reason = serializers.CharField()
    since = Instant()
    resolution = Whole(
        source="resolution_id",
        allow_null=True,
        help_text="The resolution by which it began before it was entered [E10].",
    )
    lifted_at = Instant(allow_null=True)


class ChosenIn(Shape):
    premises = serializers.ListField(
        child=Text(max_length=20), help_text="Their codes, at most 200."
    )
    reason = Text(max_length=200)


class LeftOutOut(Shape):
    premises = serializers.CharField()
    name = serializers.CharField(help_text="Empty where there are no such premises.")
    code = serializers.CharField(help_text="Why, as a stable code.")
    detail = serializers.CharField()


class ChosenOut(Shape):
    proposal = ProposalOut()
    refused = LeftOutOut(many=True, help_text="Premises that the proposal leaves out.")


_CHOSEN_PROBLEMS = (SelectionEmpty, SelectionRefused, ProposalPending)
_CHOSEN: dict[str, object] = {"premises": ["P-0001", "P-0002"], "reason": "Strike."}


class Suspensions(StaffView):
    @operation(
        "Suspensions", answer=SuspensionOut, paged=True, query=SuspensionQuery, power=powers.READ
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(SuspensionQuery)
        rows = selectors.suspensions(by=self.by, in_force=query["in_force"])
        return self.rows(SuspensionOut, rows, query)

    @operation(
        "Suspend sales: of all, of a premises, or of a terminal",
        body=SuspensionIn,
        answer=SuspensionOut,
        status=201,
        idempotent=True,
        problems=(
            services.PremisesUnknown,
            services.TerminalNotFound,
            suspending.SuspensionScope,
        ),
        example={"reason": "Fire alarm.", "premises": "P-0001", "terminal": None},
        power=powers.SUSPEND,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            SuspensionOut, suspending.sales_suspend, by=self.by, **self.read(SuspensionIn)
        )


class Lifting(StaffView):
    @operation(
        "Lift a suspension",
        answer=SuspensionOut,
        problems=(suspending.SuspensionUnknown, suspending.SuspensionByResolution),
        power=powers.SUSPEND,
    )
    def post(self, request: Request, suspension: int) -> HttpResponse:
        self.read(Shape)
        lifted = suspending.sales_resume(by=self.by, suspension=suspension)
        return self.answer(SuspensionOut, lifted)


class Resuming(StaffView):
    @operation(
        "Propose to lift a suspension by a resolution; another person confirms it [E10]",
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(suspending.SuspensionUnknown, ProposalPending),
        power=powers.ENTER_RESOLUTION,
    )
    def post(self, request: Request, suspension: int) -> HttpResponse:
        self.read(Shape)
        return self.created_once(
            ProposalOut, suspending.resuming_propose, by=self.by, suspension=suspension
        )


class Suspending(StaffView):
    @operation(
        "Propose to suspend the sales of many premises; another person confirms all of them",
        "Premises that are suspended already, or unknown, are left out and named. Until the"
        " confirmation all of them sell. It refuses all if one of them changed meanwhile.",
        body=ChosenIn,
        answer=ChosenOut,
        status=201,
        idempotent=True,
        problems=_CHOSEN_PROBLEMS,
        example=_CHOSEN,
        power=powers.SUSPEND,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ChosenOut, suspending.suspending_propose, by=self.by, **self.read(ChosenIn)
        )


class Liftings(StaffView):
    @operation(
        "Propose to lift the suspensions of many premises; another person confirms all of them",
        "Premises without a suspension of their own, or unknown, are left out and named."
        " Suspensions of all sales or of one terminal stay. One by a resolution needs the power to"
        " enter one. It refuses all if one of the premises changed meanwhile.",
        body=ChosenIn,
        answer=ChosenOut,
        status=201,
        idempotent=True,
        problems=_CHOSEN_PROBLEMS,
        example=_CHOSEN,
        power=powers.SUSPEND,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ChosenOut, suspending.lifting_propose, by=self.by, **self.read(ChosenIn)
        )
