"""Show the registers of the prize office in the admin, with the acts on their rows."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, signed_on
from core.admin_support.columns import (
    NOTHING,
    day,
    lines,
    link,
    moment,
    money,
    named,
    paper_links,
)
from core.admin_support.contents import Table
from core.admin_support.documents import as_html
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import powers
from core.payoffice.admin import acts as office
from core.payoffice.admin.closing import counted_table
from core.payoffice.models import (
    CashCeiling,
    CashMovement,
    CashSession,
    Cheque,
    Claim,
    Deposit,
    DepositArrival,
    DepositImage,
    DepositMatch,
    Exchange,
    Payee,
    Payment,
    Presentation,
    Restoration,
    RetiredPayments,
    Ruling,
    StockItem,
    StockMovement,
)
from core.payoffice.services import goods, ruling
from core.premises.models import Game, Premises


class _Presentations(ReadOnlyInline):
    model = Presentation
    shown = ("uuid", "presented_at", "premises", "terminal", "operator", "staff")


class _Payments(ReadOnlyInline):
    model = Payment
    shown = ("uuid", "paid_at", "amount_cents", "means", "premises")


class _Matches(ReadOnlyInline):
    model = DepositMatch
    shown = ("deposit", "claim", "evidence", "staff", "matched_at")


class _Restorations(ReadOnlyInline):
    model = Restoration
    shown = ("uuid", "lapsed_day", "cents", "taken_from", "restored_at")


class _Arrivals(ReadOnlyInline):
    model = DepositArrival
    shown = ("premises", "staff", "arrived_at")


class _Rulings(ReadOnlyInline):
    model = Ruling
    shown = ("verdict", "reason", "proposal", "decided_at")


class _Exchanges(ReadOnlyInline):
    model = Exchange
    shown = ("uuid", "claim", "item", "exchanged_at", "premises")


class _Images(ReadOnlyInline):
    model = DepositImage
    shown = ("uuid", "media_type", "added_at", "kept_until", "purged_at")


class _Cheques(ReadOnlyInline):
    model = Cheque
    shown = ("number", "amount_cents", "state", "issued_at")


class _Movements(ReadOnlyInline):
    model = CashMovement
    shown = ("cents", "reason", "moved_at", "proposal")


class _StockMovements(ReadOnlyInline):
    model = StockMovement
    shown = ("units", "premises", "reason", "exchange", "staff", "proposal", "moved_at")


class Register(ReadOnlyAdmin):
    """A register that who may read the office's registers sees."""

    read_power = powers.READ


@admin.register(Claim)
class ClaimAdmin(Register):
    asks = ("opened_at", "amount_cents")
    summed = ("amount_cents",)
    numbered_by = "opened_at"
    columns = ("game", "document_id", "state", "amount_cents", "opened_at", "changed_at")
    list_filter = ("game", "state")
    inlines = (_Presentations, _Matches, _Restorations, _Rulings, _Payments, _Exchanges)
    acts = (office.RULE_CLAIM,)

    def told_as(self, row: Claim) -> str:
        amount = f"{money(row.amount_cents)} · " if row.amount_cents else ""
        return f"{Game(row.game).label} · {amount}{row.get_state_display()}"


@admin.register(Payment)
class PaymentAdmin(Register):
    asks = ("paid_at", "premises", "amount_cents")
    summed = ("amount_cents",)
    numbered_by = "paid_at"
    columns = ("paid_at", "amount_cents", "means", "place", "premises", "claim", "uuid")
    list_filter = ("means", "place")
    search_fields = ("uuid", "premises__code")
    inlines = (_Cheques,)

    def told_as(self, row: Payment) -> str:
        return f"{money(row.amount_cents)} · {moment(row.paid_at)}"


@admin.register(RetiredPayments)
class RetiredPaymentsAdmin(Register):
    columns = ("id", "day", "game", "place", "means", "payments")
    shown = ("day", "game", "place", "means", "sums")
    sortable_by = ()

    @admin.display(description=_("payments"))
    def payments(self, row: RetiredPayments) -> int:
        return sum(row.counts)

    @admin.display(description=_("sums of payments that left"))
    def sums(self, row: RetiredPayments) -> SafeString:
        premises = Premises.objects.in_bulk(row.premises)
        sums = zip(row.premises, row.amounts_cents, row.counts, strict=True)
        return as_html(
            [
                {"premises": str(premises[ident]), "amount_cents": cents, "payments": count}
                for ident, cents, count in sums
            ]
        )


@admin.register(Deposit)
class DepositAdmin(Register):
    asks = ("deposited_at", "premises")
    columns = ("deposited_at", "reason", "premises", "standing", "uuid")
    list_filter = ("reason",)
    list_select_related = ("premises", "match__claim")
    search_fields = ("uuid",)
    inlines = (_Matches, _Rulings, _Arrivals, _Images)
    acts = (office.MATCH, office.RULE_DEPOSIT, office.ARRIVE)

    def told_as(self, row: Deposit) -> str:
        """Return when and why it was taken in. Its receipt has the UUID, and so has its page."""
        return f"{moment(row.deposited_at)} · {row.get_reason_display()}"

    @admin.display(description=_("claim"))
    def standing(self, row: Deposit) -> Any:
        return link(row.match.claim) if hasattr(row, "match") else _("not matched")


@admin.register(CashSession)
class CashSessionAdmin(Register):
    asks = ("opened_at", "cashier", "premises")
    columns = ("cashier", "premises", "opened_at", "float_cents", "closed_at", "difference")
    shown = (
        "uuid",
        "cashier",
        "premises",
        "opened_at",
        "float_cents",
        "closed_at",
        "expected_cents",
        "counted_by",
        "counted_cents",
        "difference",
        "difference_reason",
        "difference_words",
        "proposal",
        "closing",
    )
    inlines = (_Movements,)
    acts = (office.MOVE_CASH, office.CLOSE_CASH)
    list_acts = (office.OPEN_CASH,)

    def told_as(self, row: CashSession) -> str:
        """Return whose drawer it is, and since when."""
        return f"{named(row.cashier)} · {moment(row.opened_at)}"

    @admin.display(description=_("difference"))
    def difference(self, row: CashSession) -> str:
        return money(row.difference_cents)

    @admin.display(description=_("notes and coins"))
    def counted_by(self, row: CashSession) -> Any:
        return counted_table(row.count)

    @admin.display(description=_("closing slip"))
    def closing(self, row: CashSession) -> Any:
        if row.closed_at is None:
            return NOTHING
        return paper_links({"PDF": f"/api/v1/office/cash-sessions/{row.uuid}/closing.pdf"})


@admin.register(StockItem)
class StockItemAdmin(Register):
    columns = ("code", "description", "unit_cents", "in_stock")
    shown = ("code", "description", "unit_cents", "in_stock", "in_stock_at", "recorded_at")
    inlines = (_StockMovements, _Exchanges)
    acts = (office.MOVE_STOCK,)
    list_acts = (office.REGISTER_ITEM,)

    @admin.display(description=_("in stock"))
    def in_stock(self, row: StockItem) -> int:
        return goods.stock_units(row)

    @admin.display(description=_("in stock at"))
    def in_stock_at(self, row: StockItem) -> Any:
        units = goods.units_by_place(row)
        places = Premises.objects.filter(pk__in=units).order_by("code")
        return lines(f"{place}: {units[place.pk]}" for place in places) or NOTHING


@admin.register(CashCeiling)
class CashCeilingAdmin(Register):
    columns = ("in_force_from", "cents", "source", "proposal", "recorded_at")
    list_acts = (office.CEILING,)


@admin.register(Payee)
class PayeeAdmin(Register):
    """List payees without their names: that one exists, and until when it is kept."""

    columns = ("uuid", "recorded_at", "kept_until", "purged_at")
    shown = columns


def rulings_panel(request: HttpRequest) -> Table | None:
    if not signed_on.may(request, powers.RULE_ON_DEPOSIT):
        return None
    due = ruling.rulings_due(natural_day(clock.now()))
    deposits_by_uuid = Deposit.objects.in_bulk(
        [waiting.deposit for waiting in due if waiting.deposit], field_name="uuid"
    )
    rows = [
        (
            link(deposits_by_uuid[waiting.deposit]) if waiting.deposit else str(waiting.document),
            money(waiting.amount_cents),
            day(waiting.since),
        )
        for waiting in due[:20]
    ]
    return Table(
        title=_("Waiting for a decision"),
        icon="gavel",
        headers=(_("deposit"), _("amount"), _("since")),
        rows=rows,
        empty=_("Nothing that is held waits for a decision."),
        link=navigation.changelist_url(Deposit),
    )


def story(request: HttpRequest, row: Any) -> list[Model]:
    """Return what became of the document of a row at the prize office."""
    kind, subject = row.seen_as()
    if kind != "document":
        return []
    game, _colon, ident = str(subject).partition(":")
    claim = Claim.objects.filter(game=game, document_id=int(ident)).first()
    if claim is None:
        return []
    payment = Payment.objects.filter(claim=claim).first()
    deposits_matched = Deposit.objects.filter(match__claim=claim)
    cheques_of = Cheque.objects.filter(payment=payment) if payment else ()
    return [claim, *([payment] if payment else []), *deposits_matched, *cheques_of]
