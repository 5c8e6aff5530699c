"""Compose the slip of a cash-up: what must be in the drawer, what was counted, the difference."""

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.premises.models import Game
from core.proofs.head import with_head
from core.receipts.document import Align, Block, Document, Emphasis, Line, Pair, Rule, Title
from core.receipts.formats import format_cents, format_moment
from core.statements.columns import Column
from core.statements.models import CashUp


def cash_up_slip(made: CashUp, language: str) -> Document:
    """Return the slip that the operator keeps with the money."""
    with override(language):
        titles = {
            Column.SALES: _("Sales"),
            Column.ANNULMENTS: _("Refunds"),
            Column.PRIZES: _("Prizes paid"),
        }
        place = made.terminal.premises
        blocks: list[Block] = [
            Title(_("Cash-up")),
            Line(f"{place.code} · {place.name}", Align.CENTRE),
            Pair(_("Terminal"), made.terminal.code),
            Pair(_("Operator"), f"{made.operator.number} {made.operator.name}"),
            Pair(_("Shift"), str(made.number)),
            Pair(_("From"), format_moment(made.since, language)),
            Pair(_("To"), format_moment(made.closed_at, language)),
            Rule(),
        ]
        for line in made.lines:
            title = titles.get(Column(line["column"]), _("Other"))
            game = f"{Game(line['game']).label} · " if line["game"] else ""
            cents = format_cents(line["cents"], language)
            blocks.append(Pair(f"{game}{title} ({line['count']})", cents))
        figures = (
            (_("Expected"), made.expected_cents),
            (_("Float"), made.float_cents),
            (_("Counted"), made.counted_cents),
        )
        blocks.append(Rule())
        blocks += [
            Pair(title, format_cents(cents, language), Emphasis.BOLD) for title, cents in figures
        ]
        difference = format_cents(made.difference_cents, language)
        blocks.append(Pair(_("Difference"), difference, Emphasis.LARGE))
        if made.note:
            blocks.append(Line(made.note))
        blocks.append(Line(str(made.uuid), Align.CENTRE))
    slip = Document(language=language, blocks=tuple(blocks), simulated=clock.is_simulated())
    return with_head(slip)
