"""Record and show ticket models. They are never edited."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.forms import ActForm, DayField
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.contest import TicketModel
from lototrot.services.contest import contests as services
from lototrot.services.tickets.layout import layout_digest

Data = dict[str, Any]


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


def _record_model(by: StaffActor, target: None, data: Data) -> Done:
    return Done(_("The ticket model is on record."), services.ticket_model_record(by=by, **data))


TICKET_MODEL = Act(
    name="record",
    title=_("Record a ticket model"),
    power=powers.PREPARE_CONTEST,
    run=_record_model,
    form=_NewTicketModel,
    icon="add",
)


@admin.register(TicketModel)
class TicketModelAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("__str__", "authorisation", "authorised_on", "multiple", "in_use")
    shown = ("code", "version", "authorisation", "authorised_on", "multiple", "layout", "in_use")
    list_acts = (TICKET_MODEL,)

    @admin.display(description=_("layout in use"), boolean=True)
    def in_use(self, row: TicketModel) -> bool:
        return row.layout == layout_digest()
