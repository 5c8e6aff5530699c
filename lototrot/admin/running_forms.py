"""Define the forms for withdrawals, starts, declarations and classifications."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.admin_support.forms import ActForm, Grid, MomentField
from core.database import clock
from core.premises.models import Premises, Terminal
from lototrot.admin.words import OUTCOMES
from lototrot.models.programme import Race, Racecourse
from lototrot.models.running import Classification, RaceDeclaration, RaceStart
from lototrot.selectors.races import RaceRecord, race_record
from lototrot.services.races.classification import Entry
from lototrot.services.races.declarations import Left

Data = dict[str, Any]


def _runners(race: Race) -> list[tuple[int, str]]:
    return [(r.number, f"{r.number} · {r.name}") for r in race.runners.order_by("number")]


def _last(model: Any, race: Race, field: str) -> str:
    """Return the field's value in the newest record of the meeting, or "".

    It is offered as the initial value, because mostly the same person reports all races.
    """
    rows = model.objects.filter(race__meeting=race.meeting_id).order_by("-pk")
    return str(rows.values_list(field, flat=True).first() or "")


class WithdrawForm(ActForm):
    number = forms.TypedChoiceField(label=_("Horse"), coerce=int)
    source = forms.CharField(label=_("Source"), max_length=200)
    effective_at = MomentField(
        label=_("Withdrawn at"), required=False, help_text=_("Now, unless given.")
    )

    def build(self) -> None:
        withdrawn = {row.number for row in race_record(self.target.pk).withdrawals}
        self.fields["number"].choices = [  # type: ignore[attr-defined]
            (number, text) for number, text in _runners(self.target) if number not in withdrawn
        ]
        self.fields["number"].initial = self.asked.get("number")


class AppointDeviceForm(ActForm):
    terminal = forms.ChoiceField(label=_("Terminal"))
    racecourse = forms.ChoiceField(label=_("Racecourse"))

    def build(self) -> None:
        terminals = Terminal.objects.filter(
            revoked_at=None, premises__kind=Premises.Kind.RACECOURSE_POINT
        )
        self.fields["terminal"].choices = [  # type: ignore[attr-defined]
            (row.code, f"{row.code} · {row.premises.name}")
            for row in terminals.select_related("premises").order_by("code")
        ]
        self.fields["racecourse"].choices = [  # type: ignore[attr-defined]
            (row.code, row.name) for row in Racecourse.objects.order_by("name")
        ]


class StopForm(ActForm):
    source = forms.CharField(label=_("Source"), max_length=400)

    def build(self) -> None:
        self.fields["source"].initial = _("The horses are off")


class StartForm(ActForm):
    actual_start_at = MomentField(
        label=_("Actual start"),
        required=False,
        help_text=_("The instant at which sales stop, unless given."),
    )
    source = forms.CharField(label=_("Source"), max_length=200)

    def build(self) -> None:
        self.fields["source"].initial = _last(RaceStart, self.target, "source")


class StartCorrectionForm(StartForm):
    actual_start_at = MomentField(label=_("Actual start"), initial=clock.now)


class AnnounceStartForm(ActForm):
    start_at = MomentField(label=_("Announced start"))
    source = forms.CharField(label=_("Source"), max_length=200)


class ReasonForm(ActForm):
    reason = forms.CharField(
        label=_("Reason"), max_length=400, widget=forms.Textarea(attrs={"rows": 3})
    )


class DeclareMeetingForm(ReasonForm):
    text = forms.CharField(
        label=_("Text of the decision"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Needed before the day of the meeting, and for a race run without a winner."),
    )
    author = forms.ChoiceField(label=_("Decided by"), choices=RaceDeclaration.Author.choices)
    declared_at = MomentField(
        label=_("Declared at"), required=False, help_text=_("Now, unless given.")
    )


class DeclareForm(DeclareMeetingForm):
    kind = forms.ChoiceField(label=_("Kind"), choices=RaceDeclaration.Kind.choices)
    field_order = ("kind", "reason", "text", "author", "declared_at")

    def build(self) -> None:
        rows = []
        for number, text in _runners(self.target):
            name = f"ruling_{number}"
            self.fields[name] = forms.CharField(label=_("Ruling"), max_length=400, required=False)
            rows.append((text, [name]))
        self.grids = [Grid((_("horse"), _("left at the start, by this ruling")), rows)]

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        data["left"] = [
            Left(number, data[f"ruling_{number}"])
            for number, _ in _runners(self.target)
            if data.get(f"ruling_{number}")
        ]
        return data


class RunnersForm(ActForm):
    """Enter the winners in one line, and behind it the outcome, place and ruling of each runner.

    The line makes its numbers winners in first place. It never takes a winner away: where the table
    names another, the form is refused.
    """

    winners = forms.CharField(
        label=_("Winner"),
        required=False,
        max_length=40,
        help_text=_("Its number; those of a dead heat as “1, 4”."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autofocus": True}),
    )

    def build(self) -> None:
        record = race_record(self.target.pk)
        runners = record.classification.runners if record.classification else ()
        entries = {runner["number"]: runner for runner in runners}
        rows = []
        for number, text in _runners(self.target):
            names = [f"{part}_{number}" for part in ("outcome", "place", "ruling")]
            self.fields |= dict(zip(names, _runner_fields(record, entries, number), strict=True))
            rows.append((text, names))
        headers = (_("horse"), _("outcome"), pgettext_lazy("rank", "place"), _("ruling"))
        self.grids = [
            Grid(headers, rows, title=_("Places, disqualifications and rulings"), folded=True)
        ]
        self.fields["winners"].initial = self.asked.get("winners", "")

    def entries(self) -> list[Entry]:
        data = self.cleaned_data
        return [
            Entry(
                number,
                data[f"outcome_{number}"],
                data[f"place_{number}"],
                data[f"ruling_{number}"],
            )
            for number, _ in _runners(self.target)
        ]

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        if not self.errors:
            self._set_winners(data)
        if not self.errors:
            data["runners"] = self.entries()
        return data

    def _set_winners(self, data: Data) -> None:
        """Set the outcome of winners, and the first place, for the numbers of the line."""
        typed = data["winners"].replace(",", " ").split()
        numbers = {int(word) for word in typed if word.isascii() and word.isdigit()}
        listed = {number for number, _ in _runners(self.target)}
        if len(numbers) != len(typed) or not numbers <= listed:
            self.add_error("winners", _("Write numbers of the programme, each once: 1, 4."))
            return
        others = [n for n in listed - numbers if numbers and data[f"outcome_{n}"] == "winner"]
        if others:
            self.add_error("winners", _("The table names another winner than this line."))
        for number in numbers:
            data[f"outcome_{number}"] = "winner"
            data[f"place_{number}"] = data[f"place_{number}"] or 1


def _runner_fields(
    record: RaceRecord, entries: dict[int, Any], number: int
) -> tuple[forms.Field, forms.Field, forms.Field]:
    entry = entries.get(number, {})
    presumed = "withdrawn" if number in record.withdrawn else "started"
    return (
        forms.ChoiceField(
            label=_("Outcome"),
            choices=[*OUTCOMES.items()],
            initial=entry.get("outcome", presumed),
        ),
        forms.IntegerField(
            label=pgettext_lazy("rank", "Place"),
            required=False,
            min_value=1,
            max_value=31,
            initial=entry.get("place"),
        ),
        forms.CharField(
            label=_("Ruling"), required=False, max_length=400, initial=entry.get("ruling", "")
        ),
    )


class ClassifyForm(RunnersForm):
    announced_text = forms.CharField(
        label=_("Announced text"), widget=forms.Textarea(attrs={"rows": 4})
    )
    announced_at = MomentField(label=_("Announced at"), initial=clock.now)
    author = forms.CharField(label=_("Stewards"), max_length=200)

    def build(self) -> None:
        super().build()
        self.fields["author"].initial = _last(Classification, self.target, "author")


class CorrectForm(RunnersForm):
    reason = forms.CharField(
        label=_("Reason"), max_length=400, widget=forms.Textarea(attrs={"rows": 3})
    )
