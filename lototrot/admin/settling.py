"""Show breaches, settlements, prizes and payment orders, and run the acts on them."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db import transaction
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done, Facts
from core.admin_support.columns import day, lines, link, listed, moment, money, paper_links
from core.admin_support.documents import as_html
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.kernel.days import natural_day
from core.staff.actor import StaffActor
from lototrot import powers, tasks
from lototrot.admin.race_records import records_of
from lototrot.admin.words import missing_text, settlement_text
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.settlement import (
    CarryOver,
    Lapse,
    PaymentOrder,
    Prize,
    Settlement,
    SettlementCategory,
)
from lototrot.models.tickets import Ticket
from lototrot.selectors import breaches
from lototrot.selectors.contests import contest_get
from lototrot.selectors.settlement.results import results_missing
from lototrot.services.settlement import breach, payment_order
from lototrot.services.settlement.settling import settleable

Data = dict[str, Any]
_BREACHES_SHOWN = 100

REASONS = {
    "after_limit": _("After the start"),
    "premises_not_authorised": _("Premises without authorisation"),
    "terminal_revoked": _("Terminal revoked"),
    "sales_suspended": _("Sales suspended there"),
}


# --- Acts -----------------------------------------------------------------------------------------


def _breaches(contest: Contest) -> Facts:
    """Return the totals of the bets in breach and a table of the first ones."""
    totals = breaches.breach_set(contest.pk)
    rows = format_html_join(
        "",
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        (
            (
                link(Ticket(pk=bet.ticket_id), bet.uuid),
                moment(bet.sold_at),
                bet.premises,
                bet.terminal,
                money(bet.amount_cents),
                ", ".join(str(REASONS.get(reason, reason)) for reason in bet.reasons),
            )
            for bet in breaches.breach_list(contest.pk, limit=_BREACHES_SHOWN)
        ),
    )
    facts: list[tuple[Any, Any]] = [
        (_("tickets"), totals.tickets),
        (_("bets"), totals.bets),
        (_("amount"), money(totals.amount_cents)),
    ]
    if totals.tickets:
        table = format_html('<table class="house-document">{}</table>', rows)
        facts.append((_("the first of them"), table))
    return facts


def _void(by: StaffActor, contest: Contest, data: Data) -> Done:
    return Done(PROPOSED, breach.breach_void(by=by, contest_id=contest.pk))


def _block(by: StaffActor, contest: Contest, data: Data) -> Done:
    return Done(PROPOSED, breach.breach_block(by=by, contest_id=contest.pk))


def _settle(by: StaffActor, contest: Contest, data: Data) -> Done:
    """Ask a worker to settle the contest. Raise the error that keeps it from being settled now.

    Without a broker the sweeper finds the contest later.
    """
    by.need(powers.REQUEST_SETTLEMENT)
    settleable(contest_get(contest.pk))
    transaction.on_commit(lambda: tasks.settle.delay(contest.pk), robust=True)
    return Done(_("The settlement is under way; its figures appear here in a moment."))


def _order(by: StaffActor, contest: Contest, data: Data) -> Done:
    proposal = payment_order.payment_order_propose(by=by, contest_id=contest.pk)
    return Done(PROPOSED, proposal)


def _order_facts(contest: Contest) -> Facts:
    settlement = contest.settlements.filter(in_force=True).first()
    if settlement is None:
        return ()
    facts: list[tuple[Any, Any]] = [
        (_("settlement"), link(settlement, settlement.number)),
        (_("takings"), money(settlement.takings_cents)),
        (_("winning tickets"), settlement.winning_tickets),
        (_("prizes"), money(settlement.prizes_cents)),
    ]
    gaps = results_missing(contest, records_of)
    if gaps:
        return [*facts, (_("what is missing"), lines(missing_text(gap) for gap in gaps))]
    days = payment_order.order_days(contest, natural_day(clock.now()))
    facts += [
        (_("day of the results"), day(days.results_day)),
        (_("first day of payment"), day(days.first_pay_day)),
        (_("last day to claim"), day(days.last_claim_day)),
    ]
    if days.late_days:
        facts.append((_("days by which the order is late"), days.late_days))
    return facts


VOID = Act(
    name="breach_void",
    title=_("Bets in breach"),
    power=powers.UNDO_BREACH,
    run=_void,
    facts=_breaches,
    icon="report",
    danger=True,
    text=_(
        "All of them are voided together, and their price becomes a refund due [C6, E3]."
        " A settlement in force is reversed and run again [C9]."
    ),
    offered=lambda by, contest: breaches.breach_among(contest, ordered=False),
    due=True,
)
BLOCK = Act(
    name="breach_block",
    title=_("Block tickets in breach"),
    power=powers.UNDO_BREACH,
    run=_block,
    facts=_breaches,
    icon="lock",
    danger=True,
    text=_("All of them are blocked together, and their prizes are held [C6]."),
    offered=lambda by, contest: breaches.breach_among(contest, ordered=True),
    due=True,
)
SETTLE = Act(
    name="settle",
    due=True,
    title=_("Settle"),
    power=powers.REQUEST_SETTLEMENT,
    run=_settle,
    icon="calculate",
    text=_("The rules of section 9 are applied to the results on record."),
    offered=lambda by, contest: (
        contest.state == Contest.State.CLOSED and not results_missing(contest, records_of)
    ),
)
ORDER = Act(
    name="order",
    due=True,
    title=_("Propose the payment order"),
    power=powers.ORDER_PAYMENT,
    run=_order,
    icon="gavel",
    facts=_order_facts,
    danger=True,
    text=_("After the order, a change of the order of arrival changes no prize (14.III.8.2)."),
    offered=lambda by, contest: (
        contest.state == Contest.State.SETTLED and not results_missing(contest, records_of)
    ),
)


# --- The figures of a settlement ------------------------------------------------------------------

FIGURES = {
    "takings": _("takings"),
    "prize_pool": _("prize pool"),
    "organiser_share": _("organiser's share"),
    "jackpot_in": _("jackpot carried in"),
    "reserve_in": _("reserve carried in"),
    "lapsed_in": _("lapsed prizes brought in"),
    "tested_jackpot": _("accumulated figure compared with the threshold"),
    "unwon_to_reserve": _("unwon, to the reserve"),
    "reserve_paid_out": _("reserve paid out"),
    "prizes_total": _("prizes"),
    "rounding_remainder": _("rounding remainder"),
    "jackpot_out": _("jackpot carried on"),
    "reserve_out": _("reserve carried on"),
}
BY_CATEGORY = {
    "winners": _("winning bets"),
    "shares": _("share"),
    "after_cascade": _("after the cascade (9.5)"),
    "before_correction": _("before the correction"),
    "after_correction": _("after the correction (9.7)"),
    "prize_each": _("prize of a bet"),
}
PARTS = {
    "commission": _("commission"),
    "management": _("management"),
    "tax": _("specific tax"),
    "remainder": _("remainder"),
}


def exact_money(value: Any) -> str:
    """Return cents as an amount. The value may be an exact fraction of cents as "n/d"."""
    if isinstance(value, int):
        return money(value)
    if value is None:
        return "–"
    numerator, _slash, denominator = str(value).partition("/")
    cents, rest = divmod(int(numerator), int(denominator or 1))
    return f"{money(cents)} + {rest}/{denominator} c" if rest else money(cents)


def _categories(figures: Mapping[str, Any]) -> SafeString:
    """Return a table of the categories from share to prize, the highest first, the reserve last."""
    names = sorted(figures["winners"], key=int, reverse=True)  # JSON sorts the keys as text
    names += [name for name in figures["shares"] if name not in names]
    head = format_html_join("", "<th>{}</th>", ((text,) for text in BY_CATEGORY.values()))
    rows = []
    for name in names:
        cells = [
            figures[key].get(name, "–") if key == "winners" else exact_money(figures[key].get(name))
            for key in BY_CATEGORY
        ]
        title = gettext("reserve") if name == "reserve" else name
        body = format_html_join("", '<td class="house-number">{}</td>', ((c,) for c in cells))
        rows.append(format_html("<tr><th>{}</th>{}</tr>", title, body))
    return format_html(
        '<table class="house-document"><thead><tr><th>{}</th>{}</tr></thead>{}</table>',
        gettext("races right"),
        head,
        SafeString("".join(rows)),
    )


def _totals(figures: Mapping[str, Any]) -> SafeString:
    pairs: list[tuple[Any, str]] = [
        (text, money(figures[key])) for key, text in FIGURES.items() if key in figures
    ]
    pairs += [
        (f"{gettext('organiser')}: {PARTS.get(part, part)}", money(cents))
        for part, cents in figures.get("organiser_parts", {}).items()
    ]
    rows = format_html_join("", '<tr><th>{}</th><td class="house-number">{}</td></tr>', pairs)
    return format_html('<table class="house-document">{}</table>', rows)


def _leg(leg: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of a leg of the settlement, with its keys in reading order."""
    names = (
        "position",
        "programme",
        "withdrawn",
        "left",
        "disqualified",
        "winners",
        "right",
        "started_at",
        "official_at",
    )
    race = Race.objects.filter(pk=leg["race"]).first()
    return {"race": str(race), **{name: leg[name] for name in names}}


# --- Pages ----------------------------------------------------------------------------------------


class _Categories(ReadOnlyInline):
    model = SettlementCategory
    shown = ("hits", "winning_bets", "prize_cents", "total_cents")
    show_change_link = False
    ordering = ("-hits",)


@admin.register(Settlement)
class SettlementAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    told_as = staticmethod(settlement_text)
    asks = ("settled_at",)
    summed = ("takings_cents", "prizes_cents")
    columns = ("id", "contest", "number", "in_force", "takings_cents", "prizes_cents", "settled_at")
    shown = (
        "contest",
        "number",
        "in_force",
        "settled_at",
        "regime",
        "tickets",
        "bets",
        "winning_tickets",
        "categories",
        "totals",
        "correction",
        "winners",
        "rules_shown",
        "races_shown",
        "certificate",
        "uuid",
        "reversed_at",
        "reversed_by",
    )
    list_filter = ("in_force",)
    inlines = (_Categories,)

    @admin.display(description=_("regime"))
    def regime(self, row: Settlement) -> Any:
        return row.figures.get("regime")

    @admin.display(description=_("by category"))
    def categories(self, row: Settlement) -> Any:
        return _categories(row.figures)

    @admin.display(description=_("figures"))
    def totals(self, row: Settlement) -> Any:
        return _totals(row.figures)

    @admin.display(description=_("trace of the correction (9.7)"))
    def correction(self, row: Settlement) -> Any:
        trace = row.figures.get("correction", {})
        return as_html({"halved": trace.get("halved"), "joined": trace.get("joined")})

    @admin.display(description=_("prizes"))
    def winners(self, row: Settlement) -> Any:
        return listed(Prize, _("See them"), settlement__id__exact=row.pk)

    @admin.display(description=_("rules"))
    def rules_shown(self, row: Settlement) -> Any:
        return as_html(row.rules)

    @admin.display(description=_("races"))
    def races_shown(self, row: Settlement) -> Any:
        return as_html([_leg(leg) for leg in row.races])

    @admin.display(description=_("certificate"))
    def certificate(self, row: Settlement) -> Any:
        if not row.in_force:
            return "–"
        address = f"/api/v1/lototrot/contests/{row.contest_id}/certificate"
        return paper_links({_("Certificate"): f"{address}.pdf"})


@admin.register(Prize)
class PrizeAdmin(ReadOnlyAdmin):
    read_power = powers.READ_TICKETS
    asks = ("prize_cents",)
    summed = ("prize_cents",)
    columns = ("ticket_link", "settlement", "prize_cents", "winning_bets")
    shown = ("ticket_link", "settlement", "prize_cents", "winning_bets")
    list_filter = ("settlement",)
    list_select_related = ("settlement__contest",)
    sortable_by = ()
    ordering = ("-settlement", "-ticket")

    @admin.display(description=_("ticket"))
    def ticket_link(self, row: Prize) -> Any:
        return str(row.ticket.uuid)


@admin.register(PaymentOrder)
class PaymentOrderAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("contest", "ordered_at", "results_day", "first_pay_day", "last_claim_day")


@admin.register(Lapse)
class LapseAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("contest", "last_claim_day", "prizes", "cents", "lapsed_at")


@admin.register(CarryOver)
class CarryOverAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("contest", "day", "cents", "carried_at")
    list_filter = ("bet_type_code",)
