"""Show emissions to the public: rules, percentage, prizes left and, after the closing, the proofs.

No sign-on is needed. Figures are of complete emissions and late on purpose (selectors/public.py).
"""

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from core.api.pagination import page_of_rows
from core.api.papers import PAGES, LanguageQuery, PaperView, language_of
from core.api.schema import operation
from core.api.shapes import Cents, Choice, Flag, Instant, PageQuery, Shape, Whole
from core.api.views import ApiView, json_response
from core.kernel.errors import Conflict
from core.proofs.api.log import EntryOut
from core.proofs.models import LogEntry
from core.receipts.output import Output
from promotrot.models.emission import Emission
from promotrot.models.game import GameType
from promotrot.selectors.facts import EmissionUnknown
from promotrot.selectors.public import SHOWN, public_document, public_figures, shown_emissions
from promotrot.services import publications
from promotrot.services.emissions import emission_get
from promotrot.services.poster import emission_poster


class NotRevealed(Conflict):
    code = "emission_not_revealed"
    message = "The tickets of an emission are published with its seed, after its closing."


class PublicQuery(PageQuery, LanguageQuery):
    """A page in a language."""


class TierLeftOut(Shape):
    tier = Whole()
    value_cents = Cents(help_text="Of a prize in kind, its cash equivalent.")
    thing = serializers.CharField(help_text="Its name; empty for cash.")
    extra = Flag(help_text="Extra prizes are on top of the percentage.")
    count = Whole(allow_null=True, help_text="Null where the play decides.")
    awarded = Whole()
    remaining = Whole(allow_null=True)


class PublicEmissionOut(Shape):
    reference = serializers.CharField()
    game = serializers.CharField()
    name = serializers.CharField()
    mode = Choice(GameType.Mode.values)
    state = Choice(Emission.State.values)
    price_cents = Cents()
    prize_percent = serializers.CharField(help_text="To prizes, of what is played (15.III.5.2).")
    rules = serializers.ListField(child=serializers.CharField())
    tickets = Whole()
    as_of = Instant(
        help_text="Of what is left below: at first the opening. Figures are late by design [P20]."
    )
    tickets_remaining = Whole()
    top_prize_left = Flag(allow_null=True, help_text="Null where the play decides.")
    tiers = TierLeftOut(many=True)


class EmissionProofOut(Shape):
    commitment = EntryOut(allow_null=True)
    entropy = EntryOut(allow_null=True)
    opening = EntryOut(allow_null=True)
    closing = EntryOut(allow_null=True)
    seed = EntryOut(allow_null=True)
    abandoned = EntryOut(allow_null=True, help_text="Its game ended before it was put on sale.")


def _published_emission(code: str, number: int) -> Emission:
    emission = emission_get(f"{code}/{number}")
    if emission.state not in SHOWN:
        raise EmissionUnknown(emission=emission.reference)
    return emission


class PublicEmissions(ApiView):
    units = 10

    @operation(
        "Emissions on sale and closed, for the public, newest first",
        "Figures are of a whole emission, and late by design.",
        answer=PublicEmissionOut,
        paged=True,
        query=PublicQuery,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PublicQuery)
        items, cursor = page_of_rows(shown_emissions(), query, newest_first=True)
        language = language_of(query)
        rows = [public_document(public_figures(emission), language) for emission in items]
        return self.page(PublicEmissionOut, rows, cursor)


class PublicEmission(ApiView):
    @operation(
        "An emission for the public: rules, percentage, prizes and tickets left",
        answer=PublicEmissionOut,
        query=LanguageQuery,
        problems=(EmissionUnknown,),
    )
    def get(self, request: Request, code: str, number: int) -> HttpResponse:
        language = language_of(self.query(LanguageQuery))
        return self.answer(
            PublicEmissionOut,
            public_document(public_figures(_published_emission(code, number)), language),
        )


class EmissionPoster(PaperView):
    forms = PAGES

    @operation(
        "The poster of an emission, for the wall (15.III.5.2)",
        query=LanguageQuery,
        problems=(EmissionUnknown,),
    )
    def get(self, request: Request, code: str, number: int, form: str) -> HttpResponse:
        language = self.language()
        emission = _published_emission(code, number)
        content = emission_poster(emission=emission, output=Output(form), language=language)
        return self.published(content, form)


class Proof(ApiView):
    @operation(
        "What is published of an emission, for verify/emission.py",
        "Each entry once there is one: commitment, entropy, opening, closing, seed, abandoned.",
        answer=EmissionProofOut,
        problems=(EmissionUnknown,),
    )
    def get(self, request: Request, code: str, number: int) -> HttpResponse:
        reference = emission_get(f"{code}/{number}").reference
        entries = LogEntry.objects.select_related("key").filter(subject=reference)
        published = {entry.kind: entry.published() for entry in entries}
        kinds = (*publications.KINDS, publications.ABANDONED)
        return json_response({kind.partition(".")[2]: published.get(kind) for kind in kinds})


class Tickets(ApiView):
    units = 50

    @operation(
        "Every ticket sold of a revealed emission, with the tier it was awarded",
        "CSV: `opening,position,uuid,tier`; the tier is empty where the play is not ended.",
        answer=OpenApiTypes.BINARY,
        media_type="text/csv",
        problems=(EmissionUnknown, NotRevealed),
    )
    def get(self, request: Request, code: str, number: int) -> StreamingHttpResponse:
        emission = _published_emission(code, number)
        if emission.state != Emission.State.REVEALED:
            raise NotRevealed(state=emission.state)
        return StreamingHttpResponse(publications.tickets_file(emission), content_type="text/csv")
