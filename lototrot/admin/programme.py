"""Import official programmes, record their approval, and show meetings and races."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.admin_support.acts import Act, Done
from core.admin_support.columns import lines, link, moment, tag
from core.admin_support.forms import ActForm, DayField, MomentField
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.draws.models import Draw
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.admin import preparing, running, stopping
from lototrot.admin.race_records import reading, record_of
from lototrot.engine.programme import MAX_BYTES
from lototrot.models.contest import Contest
from lototrot.models.programme import (
    FederationApproval,
    InternalBetList,
    Meeting,
    Race,
    Runner,
)
from lototrot.selectors.races import race_record
from lototrot.services.programme import internal_bets, official

Data = dict[str, Any]


# --- Import and approval --------------------------------------------------------------------------


class _File(ActForm):
    file = forms.FileField(
        label=_("File"),
        help_text=_("JSON or CSV, as docs/programme-format.md says."),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".json,.csv"}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if not file.name.lower().endswith((".json", ".csv")):
            raise forms.ValidationError(gettext("The file's name ends in .json or .csv."))
        return file


class _Approval(ActForm):
    approved_by = forms.CharField(label=_("Approved by"), max_length=120)
    approved_at = MomentField(label=_("Approved at"), initial=clock.now)
    reference = forms.CharField(label=_("Reference"), max_length=120)


class _Internal(ActForm):
    types = forms.CharField(
        label=_("Internal bet types"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("All of them, one on a line: its code, a space, its name."),
    )
    none = forms.BooleanField(label=_("The meeting has no internal bet type"), required=False)
    source = forms.CharField(label=_("Source"), max_length=200)
    dated_on = DayField(label=_("Dated"))

    def clean_types(self) -> list[dict[str, str]]:
        lines = [line.strip() for line in self.cleaned_data["types"].splitlines() if line.strip()]
        pairs = [line.partition(" ") for line in lines]
        return [{"code": code, "name": name.strip() or code} for code, _space, name in pairs]


def _import(by: StaffActor, target: None, data: Data) -> Done:
    file = data["file"]
    # One byte more than the limit is enough for the reader to refuse a longer file.
    content = file.read(MAX_BYTES + 1)
    kind = "csv" if file.name.lower().endswith(".csv") else "json"
    meeting = official.programme_import(by=by, data=content, format=kind)  # type: ignore[arg-type]
    return Done(_("The programme is imported."), meeting)


def _approve(by: StaffActor, meeting: Meeting, data: Data) -> Done:
    official.approval_record(by=by, meeting=meeting, **data)
    return Done(_("The Federation's approval is on record."))


def _internal(by: StaffActor, meeting: Meeting, data: Data) -> Done:
    internal_bets.internal_bets_record(by=by, meeting=meeting, **data)
    return Done(_("The internal bet types of the meeting are on record."))


IMPORT = Act(
    name="import",
    title=_("Import a programme"),
    power=powers.IMPORT_PROGRAMME,
    run=_import,
    form=_File,
    text=_("A file with an error is refused completely. Every error is listed with its place."),
    icon="upload_file",
    review=False,
)
APPROVE = Act(
    name="approve",
    title=_("Record the Federation's approval"),
    power=powers.APPROVE_PROGRAMME,
    run=_approve,
    form=_Approval,
    icon="approval",
    text=_("The programme cannot be changed afterwards; only withdrawals follow (14.III.5.2)."),
    offered=lambda by, meeting: not hasattr(meeting, "approval"),
)


INTERNAL = Act(
    name="internal",
    title=_("Record the internal bet types"),
    power=powers.PREPARE_CONTEST,
    run=_internal,
    form=_Internal,
    icon="do_not_disturb",
    text=_("No contest may coincide with one, and none opens without the list (14.I.1)."),
)


# --- Pages ----------------------------------------------------------------------------------------


class _Races(ReadOnlyInline):
    model = Race
    shown = ("number", "name", "racecourse", "scheduled_start_at")


class _Contests(ReadOnlyInline):
    model = Contest
    shown = ("bet_type", "state", "price_cents", "scheduled_close_at")


class _Approvals(ReadOnlyInline):
    model = FederationApproval
    shown = ("approved_by", "approved_at", "reference", "recorded_by", "recorded_at")


class _InternalLists(ReadOnlyInline):
    model = InternalBetList
    shown = ("listed", "none", "source", "dated_on", "recorded_by", "recorded_at")

    @admin.display(description=_("internal bet types"))
    def listed(self, row: InternalBetList) -> str:
        return ", ".join(f"{kind['code']} {kind['name']}" for kind in row.types) or "–"


class _Runners(ReadOnlyInline):
    model = Runner
    shown = ("number", "name", "driver", "trainer", "sex_age", "distance_m")


@admin.register(Meeting)
class MeetingAdmin(ReadOnlyAdmin):
    quick = ("day", "name__icontains", "reference__iexact")
    read_power = powers.READ
    asks = ("day",)
    columns = ("name", "day", "reference", "approved", "imported_at", "imported_by")
    shown = (
        "day",
        "begins_at",
        "ends_at",
        "name",
        "reference",
        "approved",
        "imported_at",
        "imported_by",
        "imported_in",
    )
    list_select_related = ("approval", "imported_by")
    search_fields = ("name", "reference")
    ordering = ("-day", "-pk")
    inlines = (_Approvals, _InternalLists, _Races, _Contests)
    acts = (APPROVE, INTERNAL, preparing.CONTEST, stopping.STOP_MEETING, running.DECLARE_MEETING)
    list_acts = (IMPORT,)

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).defer("document")

    @admin.display(description=_("approval by the Federation"))
    def approved(self, row: Meeting) -> Any:
        return row.approval.reference if hasattr(row, "approval") else tag("none", _("Not yet"))


@admin.register(Race)
class RaceAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("__str__", "meeting", "racecourse", "scheduled_start_at")
    shown = (
        "meeting",
        "racecourse",
        "number",
        "name",
        "scheduled_start_at",
        "state",
        "withdrawn",
        "start",
        "declaration",
        "draw",
        "result",
        "in_contests",
        "distance_m",
        "start_method",
        "category",
    )
    list_select_related = ("meeting", "racecourse")
    list_filter = ("racecourse",)
    search_fields = ("name", "meeting__name", "meeting__reference")
    ordering = ("-scheduled_start_at", "-pk")
    inlines = (_Runners,)
    acts = running.RACE_ACTS

    def told_as(self, row: Race) -> str:
        """Name a race with its racecourse: a meeting at two of them has two first races."""
        return f"{row.racecourse.name} · {row}"

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show the page of a race. Its record is read once, for all fields and acts of the page."""
        race = self.get_object(request, unquote(object_id or ""))
        with reading(*([race_record(race.pk)] if race else [])):
            page = super().changeform_view(request, object_id, *args, **kwargs)
            # The fields ask for the record when they are shown.
            return page.render() if isinstance(page, SimpleTemplateResponse) else page

    @admin.display(description=_("state"))
    def state(self, row: Race) -> Any:
        return tag("", running.STATES[record_of(row.pk).state])

    @admin.display(description=_("withdrawn"))
    def withdrawn(self, row: Race) -> Any:
        unconfirmed = f" ({gettext('Unconfirmed')})"
        links = [
            link(
                withdrawal,
                f"{withdrawal.number}" + ("" if withdrawal.confirmed_at else unconfirmed),
            )
            for withdrawal in record_of(row.pk).withdrawals
        ]
        return lines(links) or "–"

    @admin.display(description=_("actual start"))
    def start(self, row: Race) -> Any:
        start = record_of(row.pk).start
        return link(start, moment(start.actual_start_at)) if start else "–"

    @admin.display(description=_("declaration"))
    def declaration(self, row: Race) -> Any:
        declaration = record_of(row.pk).declaration
        return link(declaration, declaration.get_kind_display()) if declaration else "–"

    @admin.display(description=_("public draw"))
    def draw(self, row: Race) -> Any:
        draw = record_of(row.pk).draw
        return link(Draw.objects.get(uuid=draw.ident)) if draw else "–"

    @admin.display(description=_("winners"))
    def result(self, row: Race) -> Any:
        record = record_of(row.pk)
        winners = ", ".join(map(str, sorted(record.facts().winners))) or "–"
        return link(record.classification, winners) if record.classification else winners

    @admin.display(description=_("contests"))
    def in_contests(self, row: Race) -> Any:
        return lines(link(contest) for contest in Contest.objects.filter(legs__race=row)) or "–"
