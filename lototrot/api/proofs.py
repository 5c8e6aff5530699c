"""Show the seal of a contest and prove that a ticket is in it, to everybody, without a token."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import SHORTLY_S, cached
from core.api.schema import operation
from core.api.shapes import Cents, Secret, Shape, Whole
from core.api.views import ApiView
from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.payoffice.sources import DocumentArchived
from core.proofs.api.log import EntryOut
from lototrot.selectors.contests import ContestUnknown, contest_get
from lototrot.selectors.retired import TicketsArchived
from lototrot.services.seal import proving
from lototrot.services.seal.sealing import ContestNotSealed, need_sealed
from lototrot.services.tickets.lookup import TicketNotFound


class ProofIn(Shape):
    code = Secret(max_length=96, help_text="As scanned or typed.")


class TicketOfProof(Shape):
    premises = serializers.CharField()
    terminal = serializers.CharField()
    sold_at = serializers.CharField()
    bets = Whole()
    amount_cents = Cents()
    selections = serializers.ListField(child=serializers.ListField(child=Whole()))
    digests = serializers.DictField(child=serializers.CharField())


class ProofOut(Shape):
    """The document that `verify/ticket.py` reads, with the code from the ticket
    (docs/proofs/seals.md).
    """

    format = serializers.CharField()
    ticket = TicketOfProof()
    blind = serializers.CharField(help_text="16 bytes that belong to this ticket's code alone.")
    place = Whole(help_text="The position among the sealed tickets, from 0.")
    path = serializers.ListField(child=serializers.CharField())
    seal = EntryOut()
    amendments = EntryOut(
        many=True, help_text="The amendment that voids this ticket, if there is one."
    )
    digests = serializers.DictField(child=serializers.CharField())


class SealOut(Shape):
    seal = EntryOut(source="entry.published")
    amendments = serializers.ListField(
        child=Whole(), help_text="Their numbers in the public log, in order."
    )


class TicketProof(ApiView):
    @operation(
        "Prove that a ticket was sealed",
        "The proof can be checked offline with the code, and shows no other ticket.",
        body=ProofIn,
        answer=ProofOut,
        problems=(
            CodeMalformed,
            CodeMistyped,
            CodeForged,
            TicketNotFound,
            DocumentArchived,
            TicketsArchived,
            ContestNotSealed,
            proving.TicketNotSealed,
        ),
    )
    def post(self, request: Request) -> HttpResponse:
        proof = proving.ticket_proof(presented_code=self.read(ProofIn)["code"])
        response = self.answer(ProofOut, proof)
        response["Cache-Control"] = "no-store"
        return response


class ContestSeal(ApiView):
    @operation(
        "The seal over all tickets of a contest",
        answer=SealOut,
        problems=(ContestUnknown, ContestNotSealed),
    )
    def get(self, request: Request, contest: int) -> HttpResponse:
        seal = need_sealed(contest_get(contest))
        numbers = seal.amendments.order_by("number").values_list("entry__sequence", flat=True)
        sealed = {"entry": seal.entry, "amendments": list(numbers)}
        return cached(request, self.answer(SealOut, sealed), max_age_s=SHORTLY_S)
