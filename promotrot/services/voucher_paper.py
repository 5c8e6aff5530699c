"""Print vouchers with every element of 15.III.6.3 and 15.III.6.5 and the notices for the holder."""

import uuid
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.kernel.errors import InvariantBroken
from core.kernel.regulation import Bearer, Place, payment_rule, shipped
from core.premises.sellers import place_facts
from core.proofs.head import with_head
from core.receipts.check_link import check_link
from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Qr,
    Rule,
    Title,
)
from core.receipts.formats import format_cents, format_date, format_moment
from core.receipts.output import Output, need_language, render
from core.receipts.paper import Paper
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import EmissionFacts
from promotrot.services.vouchers import Issued

GAME = "Promotrot"


class VoucherIncomplete(InvariantBroken):
    code = "voucher_incomplete"
    message = "A voucher lacks what 15.III.6.3 requires."


def notices() -> list[str]:
    """Return the notices that every voucher shows to its holder, in the active language."""
    return [
        _("Keep this voucher: it is to the bearer and without it nothing is paid."),
        _("Only for people over 18. Play with moderation."),
    ]


def voucher_card(
    issued: Issued, facts: EmissionFacts, play: uuid.UUID, language: str
) -> dict[str, Any]:
    """Return the voucher as JSON. `code` is null while it is held, and when it may not be given any
    more.
    """
    place = place_facts(issued.premises_id)
    texts = facts.texts(language)
    return {
        "uuid": str(issued.uuid),
        "play": str(play),
        "number": issued.number,
        "nature": issued.nature,
        "amount_cents": issued.amount_cents,
        "prizes": issued.prizes,
        "thing": thing_of(issued.thing, facts, language),
        "game": texts.name,
        "emission": facts.reference,
        "premises": {
            "code": place.code,
            "name": place.name,
            "address": place.address,
            "municipality": place.municipality,
        },
        "issued_at": issued.issued_at.isoformat(),
        "issue_day": issued.issue_day.isoformat(),
        "last_day": issued.last_day.isoformat(),
        "held": issued.held,
        "code": issued.code.grouped if issued.code else None,
    }


def thing_of(key: str, facts: EmissionFacts, language: str) -> dict[str, str] | None:
    """Return a prize in kind by its key, with its name, or None for money."""
    return {"key": key, "name": facts.texts(language).prizes[key]} if key else None


def voucher_document(
    issued: Issued,
    facts: EmissionFacts,
    play: uuid.UUID,
    *,
    language: str,
    simulated: bool,
    copy: int = 0,
) -> Document:
    """Return the voucher's paper. `copy` is 0 for the original, else the number of the duplicate.

    Raises VoucherIncomplete if there is no code.
    """
    if issued.code is None:
        raise VoucherIncomplete(missing=["code"])
    with override(language):
        head, tail = _head(issued, facts, language), _tail(issued, play, language, copy)
        code = (
            Qr(check_link(issued.code)),
            Line(issued.code.grouped, Align.CENTRE, Emphasis.BOLD),
            Line(str(issued.uuid), Align.CENTRE),
        )
        blocks = (*head, *_worth(issued, facts, language), *tail, *code, _notice(issued))
    return Document(language=language, blocks=blocks, simulated=simulated, duplicate=copy > 0)


def _head(issued: Issued, facts: EmissionFacts, language: str) -> tuple[Block, ...]:
    refund = issued.nature == Voucher.Nature.REFUND
    return (
        Title(GAME),
        Line(_("Price due back") if refund else _("Voucher of a prize"), Align.CENTRE),
        Line(f"{facts.texts(language).name} · {facts.reference}", Align.CENTRE),
        Rule(),
    )


def _worth(issued: Issued, facts: EmissionFacts, language: str) -> list[Block]:
    """Return each prize and the worth of the voucher; a thing with its equivalent (15.III.6.5)
    [P8].
    """
    blocks: list[Block] = []
    if issued.thing:
        blocks.append(Line(facts.texts(language).prizes[issued.thing], emphasis=Emphasis.LARGE))
        equivalent = format_cents(issued.amount_cents, language)
        return [*blocks, Pair(_("Equivalent in money"), equivalent, Emphasis.BOLD)]
    if len(issued.prizes) > 1:
        blocks += [Pair(_("Prize"), format_cents(p["cents"], language)) for p in issued.prizes]
    amount = format_cents(issued.amount_cents, language)
    return [*blocks, Pair(_("Amount"), amount, Emphasis.LARGE)]


def _tail(issued: Issued, play: uuid.UUID, language: str, copy: int) -> list[Block]:
    place = place_facts(issued.premises_id)
    blocks: list[Block] = [
        Rule(),
        Line(f"{place.code} {place.name}"),
        Line(f"{place.address}, {place.municipality}"),
        Pair(_("Issued"), format_moment(issued.issued_at, language)),
        *(
            []
            if issued.nature == Voucher.Nature.REFUND  # the buyer's, whenever
            else [Pair(_("Last day to claim"), format_date(issued.last_day, language))]
        ),
        Line(_("Payable at: %(places)s") % {"places": ", ".join(_places(issued))}),
        Pair(_("Play"), str(play)),
    ]
    return [*blocks, Pair(_("Copy"), str(copy))] if copy else blocks


def _places(issued: Issued) -> list[str]:
    """Return the places that pay the voucher (14.III.10.2 by 15.III.6.4).

    A prize in kind is exchanged at the Central Office only [P4].
    """
    names = {
        Place.ESTABLISHMENT: _("establishments"),
        Place.CENTRAL_OFFICE: _("Central Prize Payment Office"),
        Place.AUTHORISED_ENTITY: _("authorised entities"),
    }
    if issued.thing:
        return [names[Place.CENTRAL_OFFICE]]
    figures = shipped().in_force(issued.issue_day).payment
    return [names[p] for p in payment_rule(issued.amount_cents, figures, Bearer.VOUCHER).allowed]


def _notice(issued: Issued) -> Notice:
    own = [_("You may always choose the money instead.")] if issued.thing else []
    return Notice("\n".join([*own, *notices()]))


def voucher_render(
    issued: Issued,
    facts: EmissionFacts,
    play: uuid.UUID,
    *,
    output: Output,
    language: str,
    copy: int = 0,
) -> bytes:
    """Return the voucher on 80 mm paper. Raises LanguageUnknown, VoucherIncomplete."""
    need_language(language)
    document = voucher_document(
        issued, facts, play, language=language, simulated=clock.is_simulated(), copy=copy
    )
    return render(
        with_head(document), output=output, created_at=issued.issued_at, paper=Paper.ROLL_80
    )
