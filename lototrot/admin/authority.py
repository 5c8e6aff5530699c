"""Show and propose what the authority decides: amended figures, the end of a bet type."""

import json
from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm, DayField, EurosField
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.authority import FiguresAmendment, GameEnd
from lototrot.postings import Source
from lototrot.services.authority import amendments, ending

Data = dict[str, Any]
_PROPOSED = _("Proposed; a second person confirms it.")
_SOURCES = {
    Source.JACKPOT: _("Jackpot"),
    Source.RESERVE: _("Reserve fund"),
    Source.UNCLAIMED: _("Unclaimed prizes"),
}


class _Amendment(ActForm):
    in_force_from = DayField(label=_("In force from"))
    source = forms.CharField(label=_("Source"), max_length=200)
    figures = forms.CharField(
        label=_("Figures (JSON)"),
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text=_("Races, threshold and both divisions, as in the rules of a bet type."),
    )

    def clean_figures(self) -> Any:
        try:
            figures = json.loads(self.cleaned_data["figures"])
        except ValueError as error:
            raise forms.ValidationError(gettext("This is not JSON.")) from error
        if not isinstance(figures, dict):
            raise forms.ValidationError(gettext("This is not a JSON object."))
        return figures


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
        self.grid = ((_("From"), _("Amount (€)"), _("Recipient"), _("or bet type")), rows)


def _amend(by: StaffActor, target: None, data: Data) -> Done:
    amendments.amendment_propose(by=by, **data)
    return Done(_PROPOSED)


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
    return Done(_PROPOSED)


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
