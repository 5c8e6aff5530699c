"""Make the poster of an emission for the premises: rules, percentage, prizes, price
(15.III.5.2).
"""

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.receipts.document import Align, Block, Document, Emphasis, Line, Pair, Rule, Table, Title
from core.receipts.formats import format_cents, format_count, format_percent
from core.receipts.made import render_public
from core.receipts.output import Output, need_language
from core.receipts.paper import Paper
from promotrot.models.emission import Emission, PrizeTier
from promotrot.selectors.facts import EmissionFacts, emission_facts
from promotrot.services.voucher_paper import GAME


def emission_poster(*, emission: Emission, output: Output, language: str) -> bytes:
    """Return the poster of an emission on A4. Raises LanguageUnknown."""
    need_language(language)
    document = poster_document(emission, language=language, simulated=clock.is_simulated())
    return render_public(document, output=output, created_at=emission.planned_at, paper=Paper.A4)


def poster_document(emission: Emission, *, language: str, simulated: bool) -> Document:
    """Return the poster with the facts that hold from the emission's opening on."""
    facts = emission_facts(emission.pk)
    texts = facts.texts(language)
    with override(language):
        blocks: tuple[Block, ...] = (
            Title(f"{GAME} · {texts.name}"),
            Line(facts.reference, Align.CENTRE),
            Rule(),
            Pair(_("Price of a ticket"), format_cents(facts.price_cents, language), Emphasis.LARGE),
            Pair(_("To prizes"), format_percent(facts.prize_percent, language), Emphasis.LARGE),
            Pair(_("Tickets"), format_count(emission.tickets, language)),
            Line(_("Prizes"), emphasis=Emphasis.BOLD),
            _prizes(emission, facts, language),
            Line(_("Rules"), emphasis=Emphasis.BOLD),
            *(Line(paragraph) for paragraph in texts.rules),
            Rule(),
        )
    return Document(language=language, blocks=blocks, simulated=simulated)


def _prizes(emission: Emission, facts: EmissionFacts, language: str) -> Table:
    """Return every tier: its name, its value, and its number of prizes if a table says so."""
    things = facts.texts(language).prizes
    return Table(
        rows=tuple(
            (
                " · ".join(filter(None, (things.get(tier.thing, ""), _extra(tier)))),
                format_cents(tier.value_cents, language),
                "" if tier.count is None else format_count(tier.count, language),
            )
            for tier in emission.tiers.all()
        ),
        header=(_("Prize"), _("Value"), _("Prizes")),
        aligns=(Align.LEFT, Align.RIGHT, Align.RIGHT),
    )


def _extra(tier: PrizeTier) -> str:
    return _("extra, on top of the percentage") if tier.extra else ""
