"""Print a stored statement as PDF and CSV, and the slip of a cash-up."""

import csv
import io

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.premises.models import Game
from core.proofs.head import with_head
from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Pair,
    Rule,
    Spacer,
    Table,
    Title,
)
from core.receipts.formats import (
    format_cents,
    format_count,
    format_date,
    format_moment,
    format_percent,
)
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from core.statements.columns import Column
from core.statements.models import CashUp, Statement

CSV_HEADER = ("statement", "week_from", "week_to", "line", "game", "kind", "count", "cents")


def statement_pdf(statement: Statement, *, language: str) -> bytes:
    """Return the statement on A4 sheets. The same statement always gives the same bytes."""
    document = statement_document(statement, language=language, simulated=clock.is_simulated())
    created_at = statement.issued_at
    return render(document, output=Output.PDF, created_at=created_at, paper=Paper.A4)


def statement_csv(statement: Statement) -> str:
    """Return one line for each figure, in whole cents. The last line is the sum of the lines
    before.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV_HEADER)
    head = (str(statement), statement.week_from.isoformat(), statement.week_to.isoformat())
    writer.writerow([*head, "opening", "", "", "", statement.opening_cents])
    for row in statement.lines:
        writer.writerow(
            [*head, row["column"], row["game"], row["kind"], row["count"], row["amount_cents"]]
        )
    for row in statement.commission:
        writer.writerow(
            [*head, "commission", row["game"], f"{row['percent']} %", "", -row["commission_cents"]]
        )
    writer.writerow([*head, "closing", "", "", "", statement.closing_cents])
    return out.getvalue()


def column_titles() -> dict[Column, str]:
    return {
        Column.SALES: _("Sales"),
        Column.ANNULMENTS: _("Annulled at the counter"),
        Column.PRIZES: _("Paid to players"),
        Column.COMMISSION: _("Commission"),
        Column.SETTLED: _("Payments of statements"),
        Column.OTHER: _("Other movements"),
    }


def _movements(statement: Statement, language: str) -> Table:
    """Return the week's movements as a table, one line for each game and kind."""
    titles = column_titles()
    return Table(
        header=(_("Game"), _("Movement"), _("Number"), _("Amount")),
        aligns=(Align.LEFT, Align.LEFT, Align.RIGHT, Align.RIGHT),
        rows=tuple(
            (
                Game(row["game"]).label if row["game"] else "–",
                titles[Column(row["column"])],
                format_count(row["count"], language),
                format_cents(row["amount_cents"], language),
            )
            for row in statement.lines
        ),
    )


def _commission(statement: Statement, language: str) -> Table:
    """Return the commission as a table, one line for each game."""
    return Table(
        header=(_("Game"), _("Net sales"), _("Per cent"), _("Commission")),
        aligns=(Align.LEFT, Align.RIGHT, Align.RIGHT, Align.RIGHT),
        rows=tuple(
            (
                Game(row["game"]).label,
                format_cents(row["base_cents"], language),
                format_percent(row["percent"], language),
                format_cents(row["commission_cents"], language),
            )
            for row in statement.commission
        ),
    )


def statement_document(statement: Statement, *, language: str, simulated: bool) -> Document:
    with override(language):
        place = statement.premises

        def euros(cents: int) -> str:
            return format_cents(cents, language)

        titles = column_titles()
        blocks: list[Block] = [
            Title(_("Statement of account")),
            Line(str(statement), Align.CENTRE, Emphasis.LARGE),
            Pair(_("Premises"), f"{place.code} {place.name}"),
            Line(f"{place.address}, {place.municipality}"),
            Pair(
                _("Week"),
                f"{format_date(statement.week_from, language)} –"
                f" {format_date(statement.week_to, language)}",
            ),
            Pair(_("Issued at"), format_moment(statement.issued_at, language)),
            Rule(),
            Pair(_("Brought forward"), euros(statement.opening_cents)),
            *(
                Pair(titles[column], euros(getattr(statement, f"{column}_cents")))
                for column in Column
            ),
            Rule(),
            Pair(_("Balance owed"), euros(statement.closing_cents), Emphasis.BOLD),
        ]
        if statement.lines:
            blocks += (Spacer(), _movements(statement, language))
        if statement.commission:
            blocks += (Spacer(), _commission(statement, language))
    return Document(language=language, blocks=tuple(blocks), simulated=simulated)


def cash_up_slip(cash_up: CashUp, language: str) -> Document:
    """Return the slip that the operator keeps with the money."""
    with override(language):
        titles = {
            Column.SALES: _("Sales"),
            Column.ANNULMENTS: _("Refunds"),
            Column.PRIZES: _("Prizes paid"),
        }
        place = cash_up.terminal.premises
        blocks: list[Block] = [
            Title(_("Cash-up")),
            Line(f"{place.code} · {place.name}", Align.CENTRE),
            Pair(_("Terminal"), cash_up.terminal.code),
            Pair(_("Operator"), str(cash_up.operator)),
            Pair(_("Shift"), str(cash_up.number)),
            Pair(_("From"), format_moment(cash_up.since, language)),
            Pair(_("To"), format_moment(cash_up.closed_at, language)),
            Rule(),
        ]
        for line in cash_up.lines:
            title = titles.get(Column(line["column"]), _("Other"))
            game = f"{Game(line['game']).label} · " if line["game"] else ""
            cents = format_cents(line["cents"], language)
            blocks.append(Pair(f"{game}{title} ({format_count(line['count'], language)})", cents))
        figures = (
            (_("Expected"), cash_up.expected_cents),
            (_("Float"), cash_up.float_cents),
            (_("Counted"), cash_up.counted_cents),
        )
        blocks.append(Rule())
        blocks += [
            Pair(title, format_cents(cents, language), Emphasis.BOLD) for title, cents in figures
        ]
        difference = format_cents(cash_up.difference_cents, language)
        blocks.append(Pair(_("Difference"), difference, Emphasis.LARGE))
        if cash_up.note:
            blocks.append(Line(cash_up.note))
        blocks.append(Line(str(cash_up.uuid), Align.CENTRE))
    slip = Document(language=language, blocks=tuple(blocks), simulated=clock.is_simulated())
    return with_head(slip)
