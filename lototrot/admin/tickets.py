"""Show tickets and the later events on them.

A code is typed into a form. It is never shown and never part of an address.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, link, moment, money, tag
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.kernel.regulation import Bearer
from core.payoffice import powers
from core.payoffice.services.checking import desk_state, payable_check
from core.payoffice.services.slips import STATES
from core.payoffice.sources import DocumentUnknown
from core.premises.admin.searched import SearchedAdmin
from core.premises.models import Game, Premises, Terminal
from core.staff.actor import StaffActor
from lototrot import powers as lototrot_powers
from lototrot.models.contest import Contest, ContestLeg
from lototrot.models.retired import RetiredMarks, RetiredPrizes, RetiredSales
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Block, CodeGiven, PrintConfirmation, Reprint, Ticket, Void
from lototrot.selectors.traces import ticket_trace
from lototrot.services.prizes.payables import TICKETS


class _Code(ActForm):
    code = forms.CharField(
        label=_("Code"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autofocus": True}),
    )


def _find(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    checked = desk_state(by=by, code=data["code"]).checked
    if checked.payable.bearer is not Bearer.TICKET:
        raise DocumentUnknown
    return Done(STATES[checked.state], Ticket.objects.get(pk=checked.payable.document_id))


FIND = Act(
    name="find",
    title=_("Find by code"),
    power=powers.CHECK,
    run=_find,
    form=_Code,
    icon="qr_code",
    text=_("Scan or type the code of the ticket presented."),
    review=False,
)


class _Prizes(ReadOnlyInline):
    model = Prize
    shown = ("settlement", "prize_cents", "winning_bets")


class _Voids(ReadOnlyInline):
    model = Void
    shown = ("reason", "note", "voided_at", "operator", "proposal")


class _Blocks(ReadOnlyInline):
    model = Block
    shown = ("proposal", "blocked_at", "prize_cents")


class _Prints(ReadOnlyInline):
    model = PrintConfirmation
    shown = ("confirmed_at",)


class _Given(ReadOnlyInline):
    model = CodeGiven
    shown = ("road", "operator", "given_at")


class _Reprints(ReadOnlyInline):
    model = Reprint
    shown = ("number", "operator", "printed_at")


@admin.register(Ticket)
class TicketAdmin(SearchedAdmin):
    read_power = lototrot_powers.READ_TICKETS
    asks = ("sold_at", "premises", "operator", "amount_cents")
    summed = ("amount_cents",)
    numbered_by = "sold_at"
    columns = ("uuid", "contest", "sold_at", "premises", "terminal", "bets", "amount_cents")
    shown = (
        "uuid",
        "contest",
        "state",
        "sold_at",
        "premises",
        "terminal",
        "operator",
        "bets",
        "amount_cents",
        "marks",
    )
    list_filter = ("contest",)
    list_select_related = ("contest", "premises", "terminal")
    inlines = (_Prizes, _Voids, _Blocks, _Prints, _Given, _Reprints)
    list_acts = (FIND,)

    def told_as(self, row: Ticket) -> str:
        """Return the amount and the time of sale. The UUID is for machines; it is on the page."""
        return f"{money(row.amount_cents)} · {moment(row.sold_at)}"

    @admin.display(description=_("state"))
    def state(self, row: Ticket) -> Any:
        checked = payable_check(TICKETS.by_id(row.pk))
        state = tag("", STATES[checked.state])
        if not checked.owed_cents:
            return state
        return format_html("{} {}", state, money(checked.owed_cents))

    @admin.display(description=_("marked numbers"))
    def marks(self, row: Ticket) -> Any:
        """Show the marks of each leg, with the path of those that count on another horse.

        While the contest is on sale, nobody sees what is bet.
        """
        if row.contest.state in Contest.UNCLOSED:
            return NOTHING
        of_contest = ContestLeg.objects.filter(contest=row.contest_id)
        legs = of_contest.select_related("race__racecourse")
        races = {leg.position: leg.race for leg in legs}
        rows = [
            (
                leg.position,
                link(races[leg.position]),
                gettext("quick pick") if row.quick_legs >> (leg.position - 1) & 1 else "",
                ", ".join(" → ".join(map(str, mark.trace)) for mark in leg.marks),
            )
            for leg in ticket_trace(row)
        ]
        body = format_html_join("", "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td></tr>", rows)
        return format_html('<table class="house-document">{}</table>', body)


@admin.register(Void)
class VoidAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.WATCH
    columns = ("id", "ticket", "reason", "note", "voided_at")
    list_filter = ("reason",)


@admin.register(Block)
class BlockAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.WATCH
    columns = ("id", "ticket", "blocked_at", "prize_cents", "proposal")


@admin.register(CodeGiven)
class CodeGivenAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.READ_TICKETS
    columns = ("id", "ticket", "road", "operator", "given_at")
    sortable_by = ()


@admin.register(Reprint)
class ReprintAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.READ_TICKETS
    columns = ("id", "ticket", "number", "operator", "printed_at")
    sortable_by = ()


@admin.register(PrintConfirmation)
class PrintConfirmationAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.READ_TICKETS
    columns = ("ticket", "confirmed_at")
    sortable_by = ()


@admin.register(RetiredSales)
class RetiredSalesAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.READ_TICKETS
    columns = ("id", "contest", "day", "terminals_in_all", "tickets_in_all")
    shown = ("contest", "retired", "day", "sums")
    list_select_related = ("contest",)
    sortable_by = ()

    @admin.display(description=_("terminals"))
    def terminals_in_all(self, row: RetiredSales) -> int:
        return len(row.terminals)

    @admin.display(description=_("tickets"))
    def tickets_in_all(self, row: RetiredSales) -> int:
        return sum(row.tickets) + sum(row.annulled_tickets)

    @admin.display(description=_("sums of tickets that left"))
    def sums(self, row: RetiredSales) -> SafeString:
        premises = Premises.objects.in_bulk(row.premises)
        terminals = Terminal.objects.in_bulk(row.terminals)
        return as_html(
            [
                sums
                | {
                    "premises": str(premises[sums["premises"]]),
                    "terminal": str(terminals[sums["terminal"]]),
                }
                for sums in row.by_terminal()
            ]
        )


@admin.register(RetiredPrizes)
class RetiredPrizesAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.READ_TICKETS
    columns = ("id", "settlement", "state", "day", "tickets", "prize_cents", "winning_bets")
    list_select_related = ("settlement__contest",)
    sortable_by = ()


@admin.register(RetiredMarks)
class RetiredMarksAdmin(ReadOnlyAdmin):
    read_power = lototrot_powers.READ_TICKETS
    columns = ("id", "contest", "leg", "bets")
    list_select_related = ("contest",)
    sortable_by = ()


def story(request: HttpRequest, row: Any) -> list[Ticket]:
    """Return the ticket of a row of the prize office."""
    kind, subject = row.seen_as()
    game, _colon, ident = str(subject).partition(":")
    if kind != "document" or game != Game.LOTOTROT or isinstance(row, Ticket):
        return []
    return list(Ticket.objects.filter(pk=int(ident)))
