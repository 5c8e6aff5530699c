"""Publish the certificate of a settlement to everybody and export the sealed tickets to staff."""

from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from core.api.papers import JSON, PAGES, SHORTLY_S, LanguageQuery, PaperView, cached, json_form
from core.api.schema import operation
from core.api.views import StaffView
from core.proofs.api.log import EntryOut
from core.receipts.output import Output
from lototrot import powers
from lototrot.selectors.contests import ContestUnknown
from lototrot.selectors.retired import TicketsArchived
from lototrot.services.seal import export
from lototrot.services.seal.sealing import ContestNotSealed
from lototrot.services.settlement import certificate, certificate_paper

_TICKETS = "application/octet-stream"


class Certificate(PaperView):
    forms = (json_form(EntryOut), *PAGES)

    @operation(
        "The certificate of the settlement in force: signed, as in the public log, or on paper",
        "Reversed ones stay in the log (`kind=lototrot.settlement`); `lototrot.payment_order` says"
        " when one has become final.",
        query=LanguageQuery,
        problems=(certificate.CertificateUnknown,),
    )
    def get(self, request: Request, contest: int, form: str) -> HttpResponse:
        language = self.language()
        entry = certificate.certificate_in_force(contest)
        if form == JSON:
            answer = self.answer(EntryOut, entry.published())
            return cached(request, answer, max_age_s=SHORTLY_S)
        content = certificate_paper.certificate_render(
            entry, output=Output(form), language=language
        )
        return self.published(content, form)


class SealedTickets(StaffView):
    @operation(
        "The sealed tickets as a file, without their codes",
        "The leaves of the seal in their order (docs/proofs/seals.md), for `verify/settlement.py`.",
        answer=OpenApiTypes.BINARY,
        media_type=_TICKETS,
        problems=(ContestUnknown, ContestNotSealed, TicketsArchived),
        power=powers.EXPORT_TICKETS,
    )
    def get(self, request: Request, contest: int) -> Any:
        chunks = export.tickets_export(by=self.by, contest_id=contest)
        return StreamingHttpResponse(chunks, content_type=_TICKETS)
