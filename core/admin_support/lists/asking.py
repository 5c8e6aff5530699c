"""Filter a list by a range of days or amounts, or by premises or people.

A page of the administration names the columns in `asks`; the kind of each column decides what
is asked for. A table whose rows are numbered in the order of an instant names that column in
`numbered_by`: then days are found by the numbers, without an index, in a table of any size.
"""

import datetime
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.db.models import Q
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import MONEY
from core.admin_support.forms import DayField, EurosField
from core.database.reading.numbers import OUT_OF_ORDER, first_number
from core.kernel.days import DayOutOfRange, day_bounds
from core.staff.names import Named, with_name

FROM, TO, IS = ".from", ".to", ".is"
MOST_NAMED = 500
# The columns by which people name a row of another table, and how they are compared.
_NAMED_BY = {
    "code": "iexact",
    "username": "iexact",
    "number": "exact",
    "reference": "iexact",
    "name": "icontains",
}


class Asked(forms.Form):
    """The form that reads a list's conditions from the query of its address."""

    def __init__(
        self,
        model: type[models.Model],
        names: Sequence[str],
        query: Any,
        *,
        numbered_by: str = "",
    ) -> None:
        super().__init__(query)
        self.model, self.names, self.numbered_by = model, names, numbered_by
        for name in names:
            self.fields |= _fields(model._meta.get_field(name))

    @property
    def is_anything(self) -> bool:
        return any(self.data.get(name) for name in self.fields)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return each column with its fields, in order."""
        titles = [(self._title(name), name) for name in self.names]
        return [
            (title, [self[key] for key in self.fields if key.partition(".")[0] == name])
            for title, name in titles
        ]

    def condition(self) -> Q | None:
        """Return the condition of the query, or None if a part of it can have no rows."""
        if not self.is_valid():
            return None
        condition = Q()
        for key, value in self.cleaned_data.items():
            name, _dot, what = key.partition(".")
            if value in (None, ""):
                continue
            if f".{what}" == IS:
                named = self._named(key, name, value)
                if named is None:
                    return None
                condition &= named
            else:
                condition &= self._bounded(name, f".{what}", value)
        return condition

    def reaches(self, day: datetime.date) -> bool:
        """Return whether the query includes rows of a day, or of one before."""
        if not self.is_valid():
            return False
        conditions = self.cleaned_data.items()
        since = [
            value for key, value in conditions if key.endswith(FROM) and type(value) is type(day)
        ]
        return all(each <= day for each in since)

    def _title(self, name: str) -> str:
        return capfirst(str(self.model._meta.get_field(name).verbose_name))  # type: ignore[union-attr]

    def _bounded(self, name: str, what: str, value: Any) -> Q:
        field = self.model._meta.get_field(name)
        if not isinstance(field, models.DateTimeField):
            return Q((f"{name}__gte" if what == FROM else f"{name}__lte", value))
        first, end = day_bounds(value)
        if what == FROM:
            condition, instant = Q((f"{name}__gte", first)), first - OUT_OF_ORDER
        else:
            condition, instant = Q((f"{name}__lt", end)), end + OUT_OF_ORDER
        if name != self.numbered_by:
            return condition
        number = first_number(self.model, name, instant)
        if number is not None:
            return condition & Q(("pk__gte" if what == FROM else "pk__lt", number))
        return condition if what == TO else Q(pk__in=())

    def _named(self, key: str, name: str, words: str) -> Q | None:
        """Return the condition that the row of another table is one that the words name."""
        field: Any = self.model._meta.get_field(name)
        keys = _keys(field.related_model, words)
        if len(keys) > MOST_NAMED:
            self.add_error(key, gettext("Too many have that name. Write more of it."))
            return None
        condition = Q((f"{name}__in", keys))
        if name == "premises" and _is_found_by_terminal(self.model):
            terminal: Any = self.model._meta.get_field("terminal")
            of_them = terminal.related_model._default_manager.filter(premises__in=keys)
            condition &= Q(terminal__in=list(of_them.values_list("pk", flat=True)))
        return condition


def _is_found_by_terminal(model: type[models.Model]) -> bool:
    """Return whether rows are found by their terminal: tickets have no index of premises."""
    return any(index.fields[:1] == ["terminal"] for index in model._meta.indexes)


def _fields(field: Any) -> dict[str, forms.Field]:
    """Return the form fields of a column, by the names that they have in the address."""
    name = field.name
    if isinstance(field, models.DateField):
        make: Any = DayInCalendar
    elif name.endswith(MONEY):
        make = EurosField
    elif isinstance(field, models.ForeignKey):
        return {name + IS: forms.CharField(label=field.verbose_name, max_length=80, required=False)}
    else:
        raise ValueError(f"{field} is neither a day, an amount, nor a row of another table")
    return {
        name + FROM: make(label=_("from"), required=False),
        name + TO: make(label=_("to"), required=False),
    }


class DayInCalendar(DayField):
    def clean(self, value: Any) -> Any:
        day = super().clean(value)
        if day is not None:
            try:
                day_bounds(day)
            except DayOutOfRange as error:
                raise forms.ValidationError(gettext(error.message)) from error
        return day


def _keys(model: type[models.Model], words: str) -> list[Any]:
    """Return the keys of the rows that words name: by the whole code, or part of the name."""
    names = {field.name: field for field in model._meta.concrete_fields}
    condition = Q()
    page = admin.site._registry.get(model)
    lookups = [*getattr(page, "quick", ())]
    lookups += [f"{name}__{how}" for name, how in _NAMED_BY.items() if name in names]
    for lookup in lookups:
        field = names.get(lookup.partition("__")[0])
        whole = isinstance(field, models.IntegerField)
        if field is None or (
            whole and not (words.isascii() and words.isdigit() and len(words) < 10)
        ):
            continue
        condition |= Q((lookup, words))
    if issubclass(model, Named):
        condition |= with_name(model, words)
    if not condition:
        return []
    keys = model._default_manager.filter(condition).values_list("pk", flat=True)
    return list(keys[: MOST_NAMED + 1])
