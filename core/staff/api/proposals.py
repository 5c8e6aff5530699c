"""Serve proposals and the decisions on them."""

import uuid
from typing import Literal

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import OF_ITS_KIND, operation
from core.api.shapes import Choice, Instant, KnownName, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.database import clock
from core.longwork.services import work_ask
from core.staff import powers, selectors, two_persons
from core.staff.models import Decision, Proposal

TAKES_EFFECT = "Takes effect when a second person confirms the proposal (`/api/v1/proposals`)."
_DECIDING = (
    two_persons.ProposalUnknown,
    two_persons.ProposalDecided,
    two_persons.SamePerson,
    two_persons.SecondPersonTooNew,
    two_persons.ProposalOld,
    two_persons.ProposerChanged,
)


class ProposalQuery(PageQuery):
    state = Choice((selectors.PENDING, selectors.DECIDED, selectors.ANY), default=selectors.PENDING)
    kind = KnownName(two_persons.kinds, max_length=60, default="")
    subject = Text(max_length=200, default="")


class RejectionIn(Shape):
    reason = Text(max_length=400, default="", allow_blank=True)


class DecisionOut(Shape):
    verdict = Choice(Decision.Verdict.values)
    decided_by = Whole(source="decided_by_id")
    decided_by_name = serializers.CharField(source="decided_by")
    decided_at = Instant()
    reason = serializers.CharField()


class ProposalOut(Shape):
    proposal = Uuid(source="uuid")
    kind = serializers.CharField()
    subject = serializers.CharField()
    content = serializers.DictField(source="shown_content")
    proposed_by = Whole(source="proposed_by_id")
    proposed_by_name = serializers.CharField(source="proposed_by")
    proposed_at = Instant()
    good_until = Instant(
        allow_null=True,
        help_text="Null: it is in force since it was proposed, and waits however long.",
    )
    lapsed = serializers.SerializerMethodField(
        help_text="Why it can no longer be confirmed; null while it can, and once it is decided."
    )
    decision = DecisionOut(allow_null=True, default=None)

    def get_lapsed(self, proposal: Proposal) -> Literal["old", "proposer_changed", None]:
        is_decided = getattr(proposal, "decision", None) is not None
        lapse = None if is_decided else two_persons.lapse_of(proposal, clock.recent()[0])
        return lapse.value if lapse else None


class Proposals(StaffView):
    @operation(
        "Proposals, newest first",
        answer=ProposalOut,
        paged=True,
        query=ProposalQuery,
        power=powers.READ_PROPOSALS,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(ProposalQuery)
        rows = selectors.proposals(
            by=self.by, state=query["state"], kind=query["kind"], subject=query["subject"]
        )
        return self.rows(ProposalOut, rows, query, newest_first=True)


class OneProposal(StaffView):
    @operation(
        "A proposal",
        answer=ProposalOut,
        problems=(two_persons.ProposalUnknown,),
        power=powers.READ_PROPOSALS,
    )
    def get(self, request: Request, proposal: uuid.UUID) -> HttpResponse:
        return self.answer(ProposalOut, selectors.proposal(by=self.by, proposal=proposal))


class Confirmation(StaffView):
    @operation(
        "Confirm a proposal, as the second person",
        "The act is carried out in the same transaction, and may be refused for its own reasons."
        " A repeated confirmation by the same person changes nothing. Closing and retiring a month"
        " are confirmed by a worker, as long work: `decision` is null until then.",
        answer=ProposalOut,
        problems=_DECIDING,
        power=OF_ITS_KIND,
    )
    def post(self, request: Request, proposal: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        row = two_persons.proposal_of(proposal)
        if two_persons.is_long(row) and two_persons.need_confirmable(proposal=proposal, by=self.by):
            content = {"proposal": str(proposal)}
            work_ask(kind=two_persons.CONFIRMING, by=self.by, content=content)
            return self.answer(ProposalOut, row)
        decided = two_persons.confirm(proposal=proposal, by=self.by)
        return self.answer(ProposalOut, selectors.decided(decided))


class Rejection(StaffView):
    @operation(
        "Reject a proposal; its proposer withdraws it so",
        "The act may refuse it for its own reasons: an order of balls that everybody has seen only"
        " an inspector rejects, with a reason.",
        body=RejectionIn,
        answer=ProposalOut,
        problems=(
            two_persons.ProposalUnknown,
            two_persons.ProposalDecided,
            *two_persons.rejection_refusals(),
        ),
        example={"reason": "Wrong race."},
        power=OF_ITS_KIND,
    )
    def post(self, request: Request, proposal: uuid.UUID) -> HttpResponse:
        body = self.read(RejectionIn)
        decided = two_persons.reject(proposal=proposal, by=self.by, reason=body["reason"])
        return self.answer(ProposalOut, selectors.decided(decided))
