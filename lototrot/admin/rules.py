"""Record and show bet types and ticket models. They are never edited."""

import json
from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm, DayField
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.contest import BetType, TicketModel
from lototrot.services.authority import bet_types
from lototrot.services.contest import contests as services
from lototrot.services.tickets.layout import layout_digest

Data = dict[str, Any]


class _NewBetType(ActForm):
    document = forms.CharField(
        label=_("Rules (JSON)"),
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text=_("A change of an existing bet type is a new version of it."),
    )
    authorisation = forms.CharField(label=_("Authorisation"), max_length=120)

    def clean_document(self) -> Any:
        try:
            document = json.loads(self.cleaned_data["document"])
        except ValueError as error:
            raise forms.ValidationError(gettext("This is not JSON.")) from error
        if not isinstance(document, dict):
            raise forms.ValidationError(gettext("This is not a JSON object."))
        return document


class _NewTicketModel(ActForm):
    code = forms.CharField(label=_("Code"), max_length=40)
    version = forms.IntegerField(label=_("Version"), min_value=1, max_value=32_767)
    authorisation = forms.CharField(label=_("Authorisation"), max_length=120)
    authorised_on = DayField(label=_("Authorised on"))
    multiple = forms.BooleanField(label=_("Allows multiple selections"), required=False)
    layout = forms.CharField(
        label=_("Digest of the layout"),
        min_length=64,
        max_length=64,
        help_text=_("As authorised. Compare it with the layout in use, which is shown first."),
    )

    def build(self) -> None:
        self.initial["layout"] = layout_digest()


def _record_bet_type(by: StaffActor, target: None, data: Data) -> Done:
    return Done(_("The bet type is on record."), bet_types.bet_type_record(by=by, **data))


def _propose_bet_type(by: StaffActor, target: None, data: Data) -> Done:
    bet_types.bet_type_propose(by=by, **data)
    return Done(_("Proposed; a second person confirms it."))


def _record_model(by: StaffActor, target: None, data: Data) -> Done:
    return Done(_("The ticket model is on record."), services.ticket_model_record(by=by, **data))


BET_TYPE = Act(
    name="record",
    title=_("Record a version of the regulation's bet type"),
    power=powers.PREPARE_CONTEST,
    run=_record_bet_type,
    form=_NewBetType,
    icon="add",
    text=_("Categories, shares and threshold are the regulation's own [A19]."),
)
OTHER_BET_TYPE = Act(
    name="propose",
    title=_("Propose another bet type"),
    power=powers.PREPARE_CONTEST,
    run=_propose_bet_type,
    form=_NewBetType,
    icon="playlist_add",
    text=_("With the authority's authorisation; a second person confirms it [A19]."),
)
TICKET_MODEL = Act(
    name="record",
    title=_("Record a ticket model"),
    power=powers.PREPARE_CONTEST,
    run=_record_model,
    form=_NewTicketModel,
    icon="add",
)


@admin.register(BetType)
class BetTypeAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("__str__", "authorisation", "recorded_at", "recorded_by")
    shown = ("code", "version", "document_shown", "authorisation", "recorded_at", "recorded_by")
    search_fields = ("code",)
    list_acts = (BET_TYPE, OTHER_BET_TYPE)

    @admin.display(description=_("rules"))
    def document_shown(self, row: BetType) -> Any:
        return as_html(row.document)


@admin.register(TicketModel)
class TicketModelAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("__str__", "authorisation", "authorised_on", "multiple", "in_use")
    shown = ("code", "version", "authorisation", "authorised_on", "multiple", "layout", "in_use")
    list_acts = (TICKET_MODEL,)

    @admin.display(description=_("layout in use"), boolean=True)
    def in_use(self, row: TicketModel) -> bool:
        return row.layout == layout_digest()
