"""Show and propose the authority's decisions: amended figures, the end of a bet type."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm, DayField, EurosField, Grid
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.admin import bet_type_words as words
from lototrot.admin.shares_form import Data, SharesForm
from lototrot.engine.bet_type import BetType as Rules
from lototrot.models.authority import FiguresAmendment, GameEnd
from lototrot.postings import Source
from lototrot.services.authority import amendments, ending

_SOURCES = {
    Source.JACKPOT: _("Jackpot"),
    Source.RESERVE: _("Reserve fund"),
    Source.UNCLAIMED: _("Unclaimed prizes"),
}


class _Amendment(SharesForm):
    live_template = "lototrot/admin/amendment_live.html"
    field_order = ("in_force_from", "source", "legs", "jackpot_threshold_cents")
    in_force_from = DayField(label=_("In force from"))
    source = forms.CharField(label=_("Source"), max_length=200)

    def build(self) -> None:
        super().build()
        self.begin_with(amendments.rules_in_force().to_document())

    def rules_read(self, data: Data, figures: Data) -> Rules:
        return amendments.rules_of(figures)

    def clean(self) -> Data:
        data = super().clean()
        data["figures"] = amendments.figures_in(self.rules) if self.rules else None
        return data

    def live(self) -> Data:
        context: Data = {"needless": self.needless()}
        return context | {"sums": words.sums(self.rules)} if self.rules else context


class _End(ActForm):
    bet_type = forms.CharField(label=_("Bet type"), max_length=40)
    decision = forms.CharField(label=_("Decision of the authority"), max_length=200)

    def build(self) -> None:
        rows = []
        for source, title in _SOURCES.items():
            names = [f"{source}_cents", f"{source}_recipient", f"{source}_bet_type"]
            self.fields[names[0]] = EurosField(label=_("Amount (€)"), min_value=0, required=False)
            self.fields[names[1]] = forms.CharField(
                label=_("Recipient"), max_length=200, required=False
            )
            self.fields[names[2]] = forms.CharField(
                label=_("or bet type"), max_length=40, required=False
            )
            rows.append((title, names))
        headers = (_("From"), _("Amount (€)"), _("Recipient"), _("or bet type"))
        self.grids = [Grid(headers, rows)]


def _amend(by: StaffActor, target: None, data: Data) -> Done:
    names = ("in_force_from", "source", "figures")
    amendments.amendment_propose(by=by, **{name: data[name] for name in names})
    return Done(PROPOSED)


def _end(by: StaffActor, target: None, data: Data) -> Done:
    destinations = [
        ending.Destination(
            source=source,
            cents=data[f"{source}_cents"],
            recipient=data[f"{source}_recipient"],
            bet_type=data[f"{source}_bet_type"],
        )
        for source in Source
        if data[f"{source}_cents"]
    ]
    ending.end_propose(
        by=by, bet_type=data["bet_type"], decision=data["decision"], destinations=destinations
    )
    return Done(PROPOSED)


AMEND = Act(
    name="amend",
    title=_("Amend the figures of the regulation"),
    power=powers.AMEND_FIGURES,
    run=_amend,
    form=_Amendment,
    icon="gavel",
    text=_("Categories, shares and threshold from a later day on, with their source [A19]."),
)
END = Act(
    name="end",
    title=_("End a bet type for good"),
    power=powers.END_GAME,
    run=_end,
    form=_End,
    icon="flag",
    danger=True,
    text=_("What has accumulated goes where the authority's decision says, to the cent [A21]."),
)


@admin.register(FiguresAmendment)
class FiguresAmendmentAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("in_force_from", "source", "entered_at")
    shown = ("in_force_from", "source", "figures", "entered_at", "proposal")
    list_acts = (AMEND,)

    @admin.display(description=_("figures"))
    def figures(self, row: FiguresAmendment) -> Any:
        return as_html(row.bet_type)


@admin.register(GameEnd)
class GameEndAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("bet_type_code", "decision", "ended_at")
    shown = ("bet_type_code", "decision", "moved", "ended_at", "proposal")
    list_acts = (END,)

    @admin.display(description=_("moves"))
    def moved(self, row: GameEnd) -> Any:
        return as_html(row.moves)
