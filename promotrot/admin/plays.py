"""Show plays with every act, and vouchers. Codes are never shown."""

import uuid
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.admin_support import signed_on
from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.columns import NOTHING, money, tag
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.premises.admin.searched import SearchedAdmin
from core.premises.models import Premises, Terminal
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.admin.words import play_text, thing_text
from promotrot.models.emission import Emission
from promotrot.models.play import OfficeEnd, PlayAct, PlayEnd, PlayMove, PlayTicket
from promotrot.models.retired import RetiredPlays
from promotrot.models.voucher import Voucher
from promotrot.selectors.left import play_left
from promotrot.selectors.plays import acts_left, can_be_finished
from promotrot.services.office.moving import play_move, terminal_of
from promotrot.services.office.stopping import play_end_propose


class _Move(ActForm):
    terminal = forms.CharField(label=_("To terminal"), max_length=20)
    reason = forms.CharField(label=_("Reason"), max_length=200)


def _move(by: StaffActor, target: PlayTicket, data: dict[str, Any]) -> Done:
    play_move(by=by, ident=target.uuid, terminal_code=data["terminal"], reason=data["reason"])
    return Done(_("The play is moved."), target)


def _unfinished(by: StaffActor, target: PlayTicket) -> bool:
    return not PlayEnd.objects.filter(ticket=target).exists()


MOVE_ACT = Act(
    name="move",
    title=_("Move to another terminal"),
    power=powers.MOVE_PLAY,
    run=_move,
    form=_Move,
    text=_("The terminal no longer serves: the play goes on at another of the same premises."),
    icon="move_up",
    offered=_unfinished,
)


class _Reason(ActForm):
    reason = forms.CharField(label=_("Reason"), max_length=200)


def _end(by: StaffActor, target: PlayTicket, data: dict[str, Any]) -> Done:
    return Done(PROPOSED, play_end_propose(by=by, ident=target.uuid, reason=data["reason"]))


END_ACT = Act(
    name="end",
    title=_("End at the Central Office"),
    power=powers.END_PLAY,
    run=_end,
    form=_Reason,
    text=_(
        "Its premises can no longer finish it. It ends with the standing prize, or with the price"
        " back where no prize stands; the voucher waits for the buyer."
    ),
    icon="stop_circle",
    danger=True,
    offered=lambda by, target: _unfinished(by, target) and not can_be_finished(target.premises_id),
)


class _Acts(ReadOnlyInline):
    model = PlayAct
    shown = ("number", "act", "draw", "seen", "terminal", "at")

    @admin.display(description=_("shown"))
    def seen(self, row: PlayAct) -> int:
        return row.shown


class _End(ReadOnlyInline):
    model = PlayEnd
    shown = ("cause", "tier", "extra_tier", "awarded_cents", "extra_cents", "picture", "ended_at")


class _OfficeEnd(ReadOnlyInline):
    model = OfficeEnd
    shown = ("reason", "ended_at", "proposal")


class _Moves(ReadOnlyInline):
    model = PlayMove
    shown = ("number", "from_terminal", "to_terminal", "reason", "moved_at", "moved_by")


class _Vouchers(ReadOnlyInline):
    model = Voucher
    shown = ("uuid", "nature", "amount_cents", "prizes", "in_kind", "issue_day", "last_day")

    @admin.display(description=_("thing"))
    def in_kind(self, row: Voucher) -> str:
        return thing_text(row.emission_id, row.thing) if row.thing else NOTHING


@admin.register(PlayTicket)
class PlayTicketAdmin(SearchedAdmin):
    read_power = powers.READ_PLAYS
    asks = ("sold_at", "premises", "operator")
    numbered_by = "sold_at"
    columns = ("uuid", "emission", "sold_at", "premises", "terminal", "state")
    shown = (
        "uuid",
        "emission",
        "place",
        "state",
        "sold_at",
        "premises",
        "terminal",
        "now_at",
        "operator",
        "price_cents",
        "acts_are",
    )
    list_filter = ("emission",)
    list_select_related = ("emission", "premises", "terminal", "end")
    inlines = (_Acts, _End, _OfficeEnd, _Moves, _Vouchers)
    acts = (MOVE_ACT, END_ACT)
    told_as = staticmethod(play_text)

    @admin.display(description=_("state"))
    def state(self, row: PlayTicket) -> Any:
        end = getattr(row, "end", None)
        if end is None:
            return tag("open", pgettext_lazy("play", "Unfinished"))
        worth = end.awarded_cents + end.extra_cents
        text = f"{end.get_cause_display()} · {money(worth)}" if worth else end.get_cause_display()
        return tag(end.cause, text)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        names = super().get_fields(request, obj)
        if signed_on.may(request, powers.READ_POSITIONS):
            return names
        return [name for name in names if name != "place"]

    @admin.display(description=_("block and position"))
    def place(self, row: PlayTicket) -> str:
        """Show the ticket's position, after the emission's closing, to those who audit it."""
        return f"{row.opening} / {row.position}" if row.emission.state in Emission.OVER else NOTHING

    @admin.display(description=_("acts of the player"))
    def acts_are(self, row: PlayTicket) -> Any:
        """Say that the acts left with their month; nothing if they did not."""
        return _("in the archive of their month") if acts_left(row.pk) else NOTHING

    @admin.display(description=_("played at"))
    def now_at(self, row: PlayTicket) -> str:
        return Terminal.objects.get(pk=terminal_of(row)).code


@admin.register(PlayMove)
class PlayMoveAdmin(ReadOnlyAdmin):
    read_power = powers.READ_PLAYS
    columns = ("id", "ticket", "from_terminal", "to_terminal", "reason", "moved_at", "moved_by")


@admin.register(RetiredPlays)
class RetiredPlaysAdmin(ReadOnlyAdmin):
    """Show the plays that left, by emission and day of sale. The archive of the month has them."""

    read_power = powers.READ_PLAYS
    columns = ("id", "emission", "day", "plays_in_all")
    shown = ("emission", "retired", "day", "plays_are")
    told = ("plays",)
    list_select_related = ("emission",)
    search_fields = ("plays",)
    search_help_text = _("The UUID of a play.")
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        try:
            play = uuid.UUID(search_term.strip())
        except ValueError:
            return (queryset.none() if search_term.strip() else queryset), False
        left = play_left(play)
        if left is None:
            return queryset.none(), False
        return queryset.filter(
            emission=left.emission_id, day=left.day, plays__contains=[play]
        ), False

    @admin.display(description=_("plays"))
    def plays_in_all(self, row: RetiredPlays) -> int:
        return len(row.plays)

    @admin.display(description=_("plays that left"))
    def plays_are(self, row: RetiredPlays) -> SafeString:
        premises = Premises.objects.in_bulk(row.premises)
        terminals = Terminal.objects.in_bulk(row.terminals)
        return as_html(
            [
                {
                    "play": str(play),
                    "premises": str(premises[of_premises]),
                    "terminal": str(terminals[terminal]),
                }
                for of_premises, terminal, play in zip(
                    row.premises, row.terminals, row.plays, strict=True
                )
            ]
        )
