"""Print vouchers at the terminal that issued them, and hand over those held at the Central
Office.
"""

import uuid
from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import JSON, PRINTED, LanguageQuery, PaperView, json_form, language_of, paper
from core.api.schema import operation
from core.api.shapes import (
    Cents,
    Choice,
    Day,
    Flag,
    Instant,
    PageQuery,
    RequestUuid,
    Shape,
    Text,
    Uuid,
    Whole,
)
from core.api.views import BareTerminalView, StaffView, TerminalView, json_response
from core.kernel import codes
from core.kernel.languages import LANGUAGES
from core.kernel.request_uuids import REFUSALS
from core.payoffice.refusals import CashSessionMissing, ClaimLapsed
from core.premises.requests import UuidReused
from core.receipts.document import present_language
from core.receipts.output import Output
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending
from promotrot import powers
from promotrot.api import samples
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import EmissionFacts, emission_facts
from promotrot.selectors.vouchers import unprinted_vouchers
from promotrot.services import vouchers
from promotrot.services.office import handing
from promotrot.services.office.receipt_codes import ReceiptOfAnother
from promotrot.services.voucher_paper import voucher_card, voucher_render


class PrizeOfVoucher(Shape):
    tier = Whole()
    cents = Cents()
    extra = Flag()


class ThingOfVoucher(Shape):
    key = serializers.CharField()
    name = serializers.CharField()


class PlaceOfVoucher(Shape):
    code = serializers.CharField()
    name = serializers.CharField()
    address = serializers.CharField()
    municipality = serializers.CharField()


class VoucherCard(Shape):
    """Everything that a voucher shows (15.III.6.3), for terminals that print it with their own
    layout.
    """

    uuid = Uuid()
    play = Uuid()
    number = Whole()
    nature = Choice(Voucher.Nature.values)
    amount_cents = Cents(help_text="For a thing, its equivalent: the winner may always choose it.")
    prizes = PrizeOfVoucher(many=True)
    thing = ThingOfVoucher(allow_null=True)
    game = serializers.CharField()
    emission = serializers.CharField()
    premises = PlaceOfVoucher()
    issued_at = Instant()
    issue_day = Day()
    last_day = Day(help_text="The last day on which it may be presented.")
    held = Flag(help_text="It waits for the buyer at the Central Office.")
    code = serializers.CharField(
        allow_null=True, help_text="The bearer code; null once it may not be given any more."
    )


class HeldOut(Shape):
    uuid = Uuid()
    play = Uuid()
    nature = Choice(Voucher.Nature.values)
    amount_cents = Cents()
    premises = serializers.CharField(source="premises.code")
    sold_at = Instant(
        source="ticket.sold_at",
        allow_null=True,
        help_text="null where the play has left with its month, and was drawn afterwards.",
    )
    issued_at = Instant()
    last_day = Day()


class UnprintedOut(Shape):
    uuid = Uuid()
    play = Uuid()
    nature = Choice(Voucher.Nature.values)
    amount_cents = Cents()
    issued_at = Instant()
    until = Instant(help_text="Until then its paper may be had here.")


class HandoverIn(Shape):
    claim = Text(
        max_length=200,
        help_text="How the buyer proved to be so: the place, the time, what else there is.",
    )
    receipt = Text(
        max_length=96, default="", allow_blank=True, help_text="The code on the play's receipt."
    )


class PrintOut(Shape):
    confirmed_at = Instant()


class CopyIn(Shape):
    uuid = RequestUuid(
        default=None, help_text="The terminal's id of this copy; again, the same copy."
    )
    format = Choice(("json", *(output.value for output in Output)))
    lang = Choice(LANGUAGES, required=False)


class CopyCard(VoucherCard):
    copy = Whole(min_value=1, help_text="To be printed, with DUPLICATE in large type.")


def card_of_voucher(
    issued: vouchers.Issued, facts: EmissionFacts, play: uuid.UUID
) -> dict[str, Any]:
    """Return the voucher as it is answered, in the active language."""
    return voucher_card(issued, facts, play, present_language())


def _card(voucher: Voucher, issued: vouchers.Issued) -> dict[str, Any]:
    return card_of_voucher(issued, emission_facts(voucher.emission_id), voucher.play)


def _private(content: Any, status: int = 200) -> HttpResponse:
    response = json_response(content, status)
    response["Cache-Control"] = "no-store"
    return response


def _rendered(
    voucher: Voucher, issued: vouchers.Issued, output: Output, language: str, copy: int = 0
) -> HttpResponse:
    facts = emission_facts(voucher.emission_id)
    content = voucher_render(
        issued, facts, voucher.play, output=output, language=language, copy=copy
    )
    return paper(content, output)


_PAPER = (
    "The original, until its printing is confirmed or it is claimed, and until noon of the next day"
    " [P16]. From a minute after the issue on, for the operator who sold the play, and each time is"
    " on record."
)
_PAPER_PROBLEMS = (
    vouchers.VoucherUnknown,
    vouchers.VoucherHandedOver,
    vouchers.VoucherPrinted,
    vouchers.VoucherOperatorDiffers,
    vouchers.VoucherCodeGone,
)


class VoucherPaper(PaperView, BareTerminalView):
    forms = (json_form(VoucherCard), *PRINTED)

    @operation(
        "The voucher to print: on paper, or as JSON",
        description=_PAPER,
        query=LanguageQuery,
        problems=_PAPER_PROBLEMS,
        answer_example=samples.VOUCHER,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        original = vouchers.voucher_original(by=self.terminal, ident=ident)
        if form == JSON:
            return _private(_card(*original))
        return _rendered(*original, Output(form), language)


class PrintConfirmation(BareTerminalView):
    takes_quota = False

    @operation(
        "The voucher's paper came out",
        description="Twice changes nothing. A line that dropped may confirm it later, until a week"
        " after the last day of a voucher that was claimed or has lapsed.",
        answer=PrintOut,
        problems=(
            vouchers.VoucherUnknown,
            vouchers.VoucherHandedOver,
            vouchers.VoucherPrinted,
            vouchers.VoucherPrintTooLate,
        ),
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        return self.answer(PrintOut, vouchers.voucher_print_confirm(by=self.terminal, ident=ident))


class Unprinted(BareTerminalView):
    @operation(
        "The vouchers that this terminal has still to print, oldest first",
        "After a restart: their printing is not confirmed, and can be until noon of the day after"
        " their issue. Then they wait for their bearers at the Central Office [P16].",
        answer=UnprintedOut,
        paged=True,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = unprinted_vouchers(self.terminal.terminal_id)
        return self.rows(UnprintedOut, rows, self.query(PageQuery))


class Reprints(TerminalView):
    @operation(
        "A further copy of a voucher, marked as duplicate",
        description=(
            "For the operator who sold the play, before its printing is confirmed, on the day of"
            " its issue only; each is numbered and recorded. "
            "`format` json answers the voucher with its `copy` number; the others the paper itself."
        ),
        body=CopyIn,
        answer=CopyCard,
        status=201,
        forms=PRINTED,
        problems=(
            vouchers.VoucherUnknown,
            vouchers.VoucherHandedOver,
            vouchers.VoucherPrinted,
            vouchers.VoucherOperatorDiffers,
            vouchers.VoucherCodeGone,
            UuidReused,
            *REFUSALS,
        ),
        example={"uuid": "0190a6c8-5f6e-7000-8000-000000000003", "format": "json"},
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        body = self.read(CopyIn)
        voucher, issued, reprint = vouchers.voucher_reprint(
            by=self.terminal, ident=ident, copy=body["uuid"]
        )
        if body["format"] == "json":
            return _private(_card(voucher, issued) | {"copy": reprint.number}, 201)
        output = Output(body["format"])
        response = _rendered(voucher, issued, output, language_of(body), reprint.number)
        response.status_code = 201
        return response


class Held(StaffView):
    @operation(
        "Vouchers held for their buyers, oldest first",
        description=(
            "Of plays that did not end at a terminal, of draws of ended games, and those whose"
            " printing was not confirmed by noon of the next day [P11, P16]."
        ),
        answer=HeldOut,
        paged=True,
        power=powers.HAND_OVER,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = handing.vouchers_held(by=self.by)
        return self.rows(HeldOut, rows, self.query(PageQuery))


class Handover(StaffView):
    @operation(
        "Propose to hand a held voucher over to its buyer",
        description=(
            "By a cashier with an open cash session at the Central Office; another person confirms"
            " it. The voucher then gets a code, which who proposed it prints, and is paid like any"
            " other, by neither of the two. The code of a paper that was never confirmed is worth"
            " nothing from then on."
        ),
        body=HandoverIn,
        answer=ProposalOut,
        status=202,
        problems=(
            ProposalPending,
            vouchers.VoucherUnknown,
            handing.VoucherNotHeld,
            ClaimLapsed,
            handing.NotCentralOffice,
            CashSessionMissing,
            codes.CodeMalformed,
            codes.CodeMistyped,
            codes.CodeForged,
            ReceiptOfAnother,
        ),
        example={
            "claim": "Bought at Bar Central at 13:20",
            "receipt": "1BB3-29XA-Q2QB-R8ST-QY2A-ECVQ",
        },
        power=powers.HAND_OVER,
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        body = self.read(HandoverIn)
        proposal = handing.handover_propose(by=self.by, ident=ident, **body)
        return self.answer(ProposalOut, proposal, 202)


class HandedPaper(PaperView, StaffView):
    forms = (json_form(VoucherCard), *PRINTED)

    @operation(
        "The voucher that was handed over: on paper, or as JSON",
        description=_PAPER,
        query=LanguageQuery,
        problems=_PAPER_PROBLEMS,
        answer_example=samples.VOUCHER,
        power=powers.HAND_OVER,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        original = vouchers.voucher_original(by=self.by, ident=ident)
        if form == JSON:
            return _private(_card(*original))
        return _rendered(*original, Output(form), language)


class HandedConfirmation(StaffView):
    @operation(
        "The paper of a voucher that was handed over came out",
        description="Twice changes nothing.",
        answer=PrintOut,
        problems=(
            vouchers.VoucherUnknown,
            vouchers.VoucherPrinted,
            vouchers.VoucherPrintTooLate,
        ),
        power=powers.HAND_OVER,
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        return self.answer(PrintOut, vouchers.voucher_print_confirm(by=self.by, ident=ident))
