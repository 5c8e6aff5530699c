"""Show vouchers, and hand those that are held over at the Central Office. Codes are never shown."""

import uuid
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, signed_on
from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, day, link, moment, money
from core.admin_support.contents import Table
from core.admin_support.forms import ActForm
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.kernel.errors import DomainError
from core.premises.admin.searched import SearchedAdmin
from core.premises.models import Game
from core.receipts.document import present_language
from core.receipts.output import Output
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.admin.words import thing_text, voucher_text
from promotrot.models.retired import UnprintedVoucher
from promotrot.models.voucher import (
    Voucher,
    VoucherCodeGiven,
    VoucherHandover,
    VoucherPrint,
    VoucherReprint,
    VoucherSecret,
)
from promotrot.selectors.facts import emission_facts
from promotrot.selectors.vouchers import held_vouchers, is_printed
from promotrot.services.office.handing import handover_propose
from promotrot.services.voucher_paper import voucher_render
from promotrot.services.vouchers import voucher_original, voucher_print_confirm

_SHOWN = 12


class _Claim(ActForm):
    claim = forms.CharField(
        label=_("How the buyer proved it"),
        max_length=200,
        help_text=_("The place, the time, what else there is."),
    )
    receipt = forms.CharField(label=_("Code on the play's receipt"), max_length=96, required=False)


def _hand_over(by: StaffActor, target: Voucher, data: dict[str, Any]) -> Done:
    handover_propose(by=by, ident=target.uuid, claim=data["claim"], receipt=data["receipt"])
    return Done(_("Proposed: when a second person has confirmed it, print the voucher."), target)


def _confirm(by: StaffActor, target: Voucher, data: dict[str, Any]) -> Done:
    voucher_print_confirm(by=by, ident=target.uuid)
    return Done(_("The voucher is printed."), target)


def _is_held(by: StaffActor, target: Voucher) -> bool:
    return held_vouchers().filter(pk=target.pk).exists()


def _is_handed_over(by: StaffActor, target: Voucher) -> bool:
    last = target.handovers.order_by("-number").first()
    return last is not None and last.handed_by_id == by.user_id and not is_printed(target)


HAND_OVER = Act(
    name="hand-over",
    title=_("Hand over"),
    power=powers.HAND_OVER,
    run=_hand_over,
    form=_Claim,
    icon="volunteer_activism",
    text=_(
        "At the Central Office, to the bearer; a second person confirms it, and neither of you pays"
        " it. A paper that was not confirmed loses its worth."
    ),
    offered=_is_held,
)
CONFIRM = Act(
    name="printed",
    title=_("The paper came out"),
    power=powers.HAND_OVER,
    run=_confirm,
    icon="print",
    offered=_is_handed_over,
)


def held_panel(request: HttpRequest) -> Table | None:
    """Return the vouchers that wait at the Central Office, oldest first."""
    if not signed_on.may(request, powers.HAND_OVER):
        return None
    rows = held_vouchers().select_related("premises")
    return Table(
        title=_("Vouchers held for their bearers"),
        icon="volunteer_activism",
        headers=(_("issued at"), _("amount"), _("premises"), _("last day")),
        rows=[
            (
                link(row, moment(row.issued_at)),
                money(row.amount_cents),
                row.premises,
                day(row.last_day),
            )
            for row in rows[:_SHOWN]
        ],
        empty=_("No voucher waits for its bearer."),
        link=navigation.changelist_url(Voucher),
    )


class _Handover(ReadOnlyInline):
    model = VoucherHandover
    shown = ("number", "handed_by", "proposal", "cash_session", "claim", "handed_at")


class _Print(ReadOnlyInline):
    model = VoucherPrint
    shown = ("confirmed_at",)


class _Unprinted(ReadOnlyInline):
    model = UnprintedVoucher
    shown = ("retirement",)


class _Given(ReadOnlyInline):
    model = VoucherCodeGiven
    shown = ("road", "operator", "given_at")


class _Reprints(ReadOnlyInline):
    model = VoucherReprint
    shown = ("number", "terminal", "operator", "printed_at")


@admin.register(Voucher)
class VoucherAdmin(SearchedAdmin):
    read_power = powers.READ_PLAYS
    asks = ("issued_at", "last_day", "premises", "amount_cents")
    summed = ("amount_cents",)
    numbered_by = "issued_at"
    columns = ("uuid", "nature", "amount_cents", "premises", "issued_at", "last_day", "held")
    shown = (
        "uuid",
        "emission",
        "ticket",
        "left_play",
        "number",
        "nature",
        "amount_cents",
        "prizes",
        "in_kind",
        "premises",
        "terminal",
        "issued_at",
        "issue_day",
        "last_day",
        "held",
        "printed",
        "paper",
    )
    list_filter = ("nature",)
    inlines = (_Handover, _Print, _Unprinted, _Given, _Reprints)
    acts = (HAND_OVER, CONFIRM)
    told = ("thing",)
    told_as = staticmethod(voucher_text)

    @admin.display(description=_("thing"))
    def in_kind(self, row: Voucher) -> str:
        return thing_text(row.emission_id, row.thing) if row.thing else NOTHING

    def get_queryset(self, request: HttpRequest) -> QuerySet[Voucher]:
        waits = Exists(held_vouchers().filter(pk=OuterRef("pk")).order_by())
        rows: QuerySet[Voucher] = super().get_queryset(request)
        return rows.annotate(waits=waits)

    def get_urls(self) -> list[URLPattern]:
        guarded = self.admin_site.admin_view
        pdf = path("<uuid:ident>.pdf", guarded(self._pdf), name="promotrot_voucher_pdf")
        return [pdf, *super().get_urls()]

    def _pdf(self, request: HttpRequest, ident: uuid.UUID) -> HttpResponse:
        try:
            voucher, issued = voucher_original(by=signed_on.actor(request), ident=ident)
        except DomainError as error:
            raise Http404(error.code) from error
        content = voucher_render(
            issued,
            emission_facts(voucher.emission_id),
            voucher.play,
            output=Output.PDF,
            language=present_language(),
        )
        response = HttpResponse(content, content_type=Output.PDF.media_type)
        response["Cache-Control"] = "no-store"
        return response

    @admin.display(description=_("held for the buyer"), boolean=True)
    def held(self, row: Any) -> bool:
        return bool(row.waits)

    @admin.display(description=_("print confirmed"), boolean=True)
    def printed(self, row: Voucher) -> bool:
        """Return whether the print was confirmed, also where the confirmation left."""
        return is_printed(row)

    @admin.display(description=_("to print"))
    def paper(self, row: Voucher) -> Any:
        if not row.handovers.exists() or is_printed(row):
            return NOTHING
        url = reverse("admin:promotrot_voucher_pdf", args=[row.uuid])
        return format_html('<a class="text-link" href="{}">PDF</a>', url)


@admin.register(VoucherHandover)
class VoucherHandoverAdmin(ReadOnlyAdmin):
    read_power = powers.READ_PLAYS
    columns = ("id", "voucher", "handed_by", "claim", "handed_at")


@admin.register(VoucherSecret)
class VoucherSecretAdmin(ReadOnlyAdmin):
    """Show that a day's secret is erased. The secret itself is never shown."""

    read_power = powers.READ_PLAYS
    columns = ("day", "made_at", "erased")
    shown = ("day", "made_at", "erased")

    @admin.display(description=_("erased"), boolean=True)
    def erased(self, row: VoucherSecret) -> bool:
        return row.secret is None


def story(request: HttpRequest, row: Any) -> list[Voucher]:
    """Return the voucher of a row of the prize office."""
    kind, subject = row.seen_as()
    game, _colon, ident = str(subject).partition(":")
    if kind != "document" or game != Game.PROMOTROT or isinstance(row, Voucher):
        return []
    return list(Voucher.objects.filter(pk=int(ident)))
