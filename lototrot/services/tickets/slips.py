"""Lay out tickets with every element that 14.II.3 requires, and the notices to the player."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.kernel.codes import Code
from core.kernel.errors import InvariantBroken
from core.premises.sellers import SellerFacts, seller_facts
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
    Table,
    Title,
)
from core.receipts.formats import format_cents, format_date, format_moment, format_percent
from lototrot.engine.races import numbers_of
from lototrot.services.contest.facts import LegFacts
from lototrot.services.tickets.selling import Sold

# The elements that make a ticket valid (14.II.3), by their names in `ticket_card`.
REQUIRED = (
    "uuid",
    "game",
    "bet_type",
    "meeting",
    "premises",
    "terminal",
    "sold_at",
    "race_count",
    "races",
    "bets",
    "price_cents",
    "amount_cents",
    "prize_percent",
)


class TicketIncomplete(InvariantBroken):
    code = "ticket_incomplete"
    message = "A ticket lacks an element that 14.II.3 requires."


def notices() -> list[str]:
    """Return the notices of every ticket to the player, in the active language."""
    return [
        _("Only for people over 18."),
        _("Bet with moderation. If betting is a problem for you, ask for help."),
        _("Keep this ticket: it is to the bearer and without it no prize is paid."),
    ]


def ticket_card(sold: Sold, *, seller: SellerFacts | None = None) -> dict[str, Any]:
    """Return the ticket as JSON, without its notices.

    `code` is null once the contest has closed.
    """
    facts = sold.facts
    seller = seller or seller_facts(sold.terminal_id, sold.operator_id)
    card = {
        "uuid": str(sold.uuid),
        "code": sold.code.grouped if sold.code else None,
        "game": facts.game,
        "bet_type": facts.ticket_parts.bet_type,
        "ticket_model": facts.ticket_parts.ticket_model,
        "contest": facts.pk,
        "meeting": facts.ticket_parts.meeting,
        "premises": {
            "code": seller.premises_code,
            "name": seller.premises_name,
            "address": seller.premises_address,
            "municipality": seller.premises_municipality,
        },
        "terminal": seller.terminal_code,
        "operator": seller.operator_number,
        "sold_at": sold.sold_at.isoformat(),
        "race_count": len(facts.legs),
        "races": _races(sold),
        "bets": sold.bets,
        "price_cents": facts.price_cents,
        "amount_cents": sold.amount_cents,
        "prize_percent": facts.prize_percent,
        "correction_window_s": facts.correction_window_s,
    }
    if not (
        all(map(card.__getitem__, REQUIRED))
        and all((seller.premises_code, seller.premises_name, seller.premises_address))
        and facts.names_races
        and all(sold.masks)
    ):
        raise TicketIncomplete(missing=_missing(card, sold, seller))
    return card


def _missing(card: dict[str, Any], sold: Sold, seller: SellerFacts) -> list[str]:
    """Return the names of the elements that a ticket lacks."""
    required = {name: card[name] for name in REQUIRED} | {
        "establishment": all((seller.premises_code, seller.premises_name, seller.premises_address)),
        "racecourse": sold.facts.names_races,
        "numbers": all(sold.masks),
    }
    return [name for name, value in required.items() if not value]


def _races(sold: Sold) -> list[dict[str, Any]]:
    """Return the races of the ticket in their order, with the numbers chosen in each."""
    quick_legs = sold.quick_legs
    return [
        {
            **race,
            "numbers": numbers_of(mask),
            "quick_pick": bool(quick_legs and quick_legs >> (leg.position - 1) & 1),
        }
        for leg, race, mask in zip(
            sold.facts.legs, sold.facts.ticket_parts.races, sold.masks, strict=True
        )
    ]


def ticket_document(
    sold: Sold,
    *,
    language: str,
    simulated: bool,
    copy: int = 0,
    seller: SellerFacts | None = None,
) -> Document:
    """Return the paper. `copy` is 0 for the original, else the number of the duplicate.

    `seller` is by default the ticket's, from the database. Raise TicketIncomplete if anything
    required is missing, also the code.
    """
    if sold.code is None:
        raise TicketIncomplete(missing=["code"])
    seller = seller or seller_facts(sold.terminal_id, sold.operator_id)
    with override(language):
        blocks = _blocks(sold, sold.code, seller, language, copy)
    return Document(language=language, blocks=blocks, simulated=simulated, duplicate=copy > 0)


def _blocks(
    sold: Sold, code: Code, seller: SellerFacts, language: str, copy: int
) -> tuple[Block, ...]:
    facts, card = sold.facts, ticket_card(sold, seller=seller)
    blocks: list[Block] = [
        Title(facts.game),
        Line(f"{facts.bet_type_name} v{facts.bet_type_version}", Align.CENTRE),
        Line(f"{facts.meeting_name} · {format_date(facts.day, language)}", Align.CENTRE),
        Rule(),
        Pair(_("Races"), str(len(facts.legs))),
        *_marks(sold),
        Rule(),
        Pair(_("Bets"), str(sold.bets)),
        Pair(_("Price of a bet"), format_cents(facts.price_cents, language)),
        Pair(_("Amount"), format_cents(sold.amount_cents, language), Emphasis.LARGE),
        Pair(_("To prizes"), format_percent(facts.prize_percent, language)),
        Rule(),
        Line(f"{seller.premises_code} {seller.premises_name}"),
        Line(f"{seller.premises_address}, {seller.premises_municipality}"),
        Pair(_("Terminal"), f"{seller.terminal_code} / {seller.operator_number}"),
        Pair(_("Sold"), format_moment(sold.sold_at, language)),
        Pair(_("Ticket model"), f"{facts.ticket_model_code} v{facts.ticket_model_version}"),
    ]
    if copy:
        blocks.append(Pair(_("Copy"), str(copy)))
    blocks += [Qr(check_link(code)), Line(code.grouped, Align.CENTRE, Emphasis.BOLD)]
    blocks.append(Line(card["uuid"], Align.CENTRE))
    return (*blocks, Notice("\n".join(notices())))


def _marks(sold: Sold) -> Iterator[Block]:
    """Yield the numbers chosen under each racecourse, unless the meeting names the only one."""
    chosen = list(zip(sold.facts.legs, sold.masks, strict=True))
    courses = {leg.racecourse for leg in sold.facts.legs}
    named = len(courses) == 1 and courses.pop() in sold.facts.meeting_name
    for racecourse, group in groupby(chosen, key=lambda leg_mask: leg_mask[0].racecourse):
        if not named:
            yield Line(racecourse, emphasis=Emphasis.BOLD)
        yield Table(
            rows=tuple(_row(leg, mask, sold.quick_legs) for leg, mask in group),
            header=(_("Order"), _("Race"), _("Numbers")),
            aligns=(Align.CENTRE, Align.CENTRE, Align.LEFT),
            emphasis=Emphasis.LARGE,
        )
    if sold.quick_legs:
        yield Line(_("* Quick pick"))


def _row(leg: LegFacts, mask: int, quick_legs: int) -> tuple[str, str, str]:
    mark = " *" if quick_legs >> (leg.position - 1) & 1 else ""
    numbers = " ".join(str(number) for number in numbers_of(mask))
    return str(leg.position), str(leg.race_number), numbers + mark
