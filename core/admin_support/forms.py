"""Build the forms of acts in the theme's style, and show their input for confirmation."""

import dataclasses
import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.dateparse import parse_datetime
from django.utils.formats import get_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold import widgets

from core.admin_support.columns import NOTHING, day, moment, money, yes_no
from core.kernel.days import MADRID, instants_of
from core.kernel.money import percent_text
from core.kernel.texts import invisible_at
from core.receipts.document import present_language
from core.receipts.formats import format_percent

_DECIMAL = re.compile(r"-?\d+\.\d+")
_CLASSES: dict[type[forms.Widget], list[str]] = {
    forms.Textarea: widgets.TEXTAREA_CLASSES,
    forms.Select: widgets.SELECT_CLASSES,
    forms.CheckboxInput: widgets.CHECKBOX_CLASSES,
    forms.CheckboxSelectMultiple: widgets.CHECKBOX_CLASSES,
    forms.TextInput: widgets.INPUT_CLASSES,
    forms.NumberInput: widgets.INPUT_CLASSES,
    forms.EmailInput: widgets.INPUT_CLASSES,
    forms.PasswordInput: widgets.INPUT_CLASSES,
    forms.DateInput: widgets.INPUT_CLASSES,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Grid:
    """A table of fields: its headers, and for each row a heading and the names of its fields.

    One that is `folded` is seldom needed: it opens by its title, and where its form has errors.
    """

    headers: Sequence[Any]
    rows: Sequence[tuple[Any, Sequence[str]]]
    title: Any = ""
    about: Any = ""
    folded: bool = False

    @property
    def names(self) -> list[str]:
        return [name for _, names in self.rows for name in names]


def _need_visible(but: str) -> Callable[[Any], None]:
    """Return a validator that refuses characters that nobody sees, but these, as the API does."""

    def need_visible(value: Any) -> None:
        if isinstance(value, str) and invisible_at(value, but=but) is not None:
            raise ValidationError(
                gettext("Control characters and other invisible ones are not allowed."),
                code="control_character",
            )

    return need_visible


class ActForm(forms.Form):
    """The input of an act on `target` (None if the act creates something).

    `grids` are tables of fields. Fields named in `tail` stand below them. `asked` has the
    parameters of the page's address. A form with a `live_template` shows beside its fields what the
    server computes from them while they are filled in, and again before the act is confirmed: the
    template with `live()`.
    """

    live_template: ClassVar[str] = ""
    tail: ClassVar[Sequence[str]] = ()

    def __init__(
        self,
        *args: Any,
        target: Model | None = None,
        asked: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.target: Any = target
        self.asked = asked or {}
        self.grids: Sequence[Grid] = ()
        self.build()
        for field in self.fields.values():
            if isinstance(field, forms.CharField):
                lines = "\r\n\t" if isinstance(field.widget, forms.Textarea) else ""
                field.validators.append(_need_visible(lines))
            if type(field.widget) in _CLASSES:
                field.widget.attrs["class"] = " ".join(_CLASSES[type(field.widget)])

    def build(self) -> None:
        """Add the fields and choices that depend on the target."""

    def live(self) -> dict[str, Any]:
        """Return what `live_template` shows. The form is bound and its input was checked."""
        return {}

    def faults(self) -> list[tuple[str, str]]:
        """Return the faults of what was filled in so far, as field and sentence."""
        errors = self.errors.as_data().items()
        return [
            (name, sentence)
            for name, faults in errors
            for fault in faults
            if fault.code != "required"
            for sentence in fault.messages
        ]

    def loose(self) -> list[forms.BoundField]:
        """Return the fields outside the grids, in order."""
        inside = {name for grid in self.grids for name in grid.names}
        return [self[name] for name in self.fields if name not in inside]

    def head_fields(self) -> list[forms.BoundField]:
        return [field for field in self.loose() if field.name not in self.tail]

    def tail_fields(self) -> list[forms.BoundField]:
        return [field for field in self.loose() if field.name in self.tail]

    def tables(self) -> list[tuple[Grid, list[tuple[Any, list[forms.BoundField]]]]]:
        """Return each grid with its rows: a heading and the fields."""
        return [
            (grid, [(heading, [self[name] for name in names]) for heading, names in grid.rows])
            for grid in self.grids
        ]

    def summary(self) -> list[tuple[Any, str]]:
        """Return label and value of each field as people read them, for the page that confirms the
        input.
        """
        lines = [(field.label, self._reading(field.name)) for field in self.loose()]
        for grid in self.grids:
            for heading, names in grid.rows:
                values = [self._reading(name) for name in names]
                filled = " · ".join(value for value in values if value != NOTHING)
                lines.append((heading, filled or NOTHING))
        return lines

    def _reading(self, name: str) -> str:
        field, value = self.fields[name], self.cleaned_data.get(name)
        if value is None or value in ("", []):
            return NOTHING
        if isinstance(field, forms.FileField):
            return str(value.name)
        if isinstance(value, bool):
            return yes_no(value)
        if isinstance(field, EurosField):
            return money(value)
        if isinstance(field, PercentField):
            return format_percent(percent_text(value), present_language())
        if isinstance(value, datetime.datetime):
            return moment(value)
        if isinstance(value, datetime.date):
            return day(value)
        if isinstance(field, forms.ChoiceField) and not isinstance(field, forms.ModelChoiceField):
            labels = {str(key): label for key, label in _flat(field.choices)}
            chosen = value if isinstance(value, list) else [value]
            return ", ".join(str(labels.get(str(key), key)) for key in chosen)
        return str(value)


def _flat(choices: Any) -> list[tuple[Any, Any]]:
    return [(key, label) for key, label in choices if not isinstance(label, list | tuple)]


class _CommaField(forms.DecimalField):
    def prepare_value(self, value: Any) -> Any:
        """Return a decimal as people of the page's language write it."""
        text = super().prepare_value(value)
        if not isinstance(text, str) or not _DECIMAL.fullmatch(text):
            return text
        return text.replace(".", get_format("DECIMAL_SEPARATOR"))

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.replace(",", ".") if isinstance(value, str) else value)


class EurosField(_CommaField):
    """A field for an amount in euros, with a comma or a point. Its clean value is whole cents."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={"inputmode": "decimal"}))
        super().__init__(decimal_places=2, max_digits=12, **kwargs)

    def clean(self, value: Any) -> Any:
        euros = super().clean(value)
        return None if euros is None else int(euros * 100)


def euros_text(cents: int | None) -> str:
    """Return an amount as `EurosField` reads it; an empty text for None."""
    return "" if cents is None else f"{cents // 100}.{cents % 100:02}"


class PercentField(_CommaField):
    """A field for a percentage, with a comma or a point. Its clean value is exact, or None."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={"inputmode": "decimal", "size": 6}))
        super().__init__(decimal_places=6, max_digits=9, min_value=0, max_value=100, **kwargs)

    def clean(self, value: Any) -> Any:
        percent = super().clean(value)
        return None if percent is None else Fraction(percent)


def _instants(text: str | None) -> tuple[datetime.datetime, ...]:
    """Return the instants at which clocks in Madrid show what was typed, without an offset."""
    try:
        local = parse_datetime(text or "")
    except ValueError:
        return ()
    return instants_of(local) if local and local.tzinfo is None else ()


def _offset(instant: datetime.datetime) -> str:
    return instant.astimezone(MADRID).isoformat()[-6:]


class MomentInput(forms.DateTimeInput):
    """An input for an instant, with a choice beside it in the hour that clocks show twice.

    The choice is a value of its own on the page, and the offset at the end of the field's text.
    """

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        text = super().value_from_datadict(data, files, name)
        is_twice = len(_instants(text)) > 1
        return text + data.get(f"{name}_offset", "") if is_twice else text

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        local, plus, offset = (value or "").partition("+")
        typed = super().render(name, local, attrs, renderer)
        instants = _instants(local)
        if len(instants) < 2:
            return typed
        which = (_("before the clocks go back"), _("after the clocks go back"))
        times = [
            (_offset(at), f"{moment(at)}, {why}") for at, why in zip(instants, which, strict=True)
        ]
        choice = forms.Select(
            {"class": " ".join(widgets.SELECT_CLASSES), "aria-label": _("Which of the two")},
            choices=[("", NOTHING), *times],
        )
        return typed + choice.render(f"{name}_offset", plus + offset, None, renderer)


class MomentField(forms.DateTimeField):
    """A field for an instant in Madrid's time, to the second."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"type": "datetime-local", "step": "1", "class": " ".join(widgets.INPUT_CLASSES)}
        widget = MomentInput(format="%Y-%m-%dT%H:%M:%S", attrs=attrs)
        kwargs.setdefault("help_text", _("Time in Madrid."))
        super().__init__(widget=widget, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        local = super().prepare_value(value)
        if not isinstance(local, datetime.datetime):
            return local
        text = self.widget.format_value(local)
        return text + _offset(value) if len(_instants(text)) > 1 else text

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and len(_instants(value)) > 1:
            raise ValidationError(
                gettext("Clocks show this time twice that night: choose which of the two it was."),
                code="hour_comes_twice",
            )
        return super().to_python(value)


class DayField(forms.DateField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}), **kwargs
        )


class NewPasswordMixin(forms.Form):
    """A form that asks for a new password twice."""

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("password") != data.get("password_again"):
            self.add_error("password_again", gettext("The two passwords differ."))
        return data


def password_field(label: Any, *, new: bool = True) -> forms.CharField:
    completing = "new-password" if new else "current-password"
    return forms.CharField(
        label=label, strip=False, widget=forms.PasswordInput(attrs={"autocomplete": completing})
    )
