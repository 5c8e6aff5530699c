"""Format fields for people: money in euros, instants in Madrid's time, related rows as links."""

import datetime
import re
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext

from core.admin_support import signed_on
from core.admin_support.contents import collected
from core.admin_support.documents import as_html
from core.database.models import SECRET_FIELDS
from core.kernel.languages import LANGUAGES
from core.receipts.document import present_language
from core.receipts.formats import format_cents, format_count, format_date, format_moment
from core.staff.names import Named

Text = str | Promise
Column = Callable[[Any], Any]
NOTHING = "–"
MONEY = "cents"
COUNTS = frozenset(
    {
        "bets",
        "block_tickets",
        "count",
        "entries",
        "handed_over",
        "leaves",
        "retired",
        "rows",
        "sold",
        "taken",
        "tickets",
        "units",
        "winners",
        "winning_bets",
        "winning_tickets",
    }
)
"""Fields that count things. Other whole numbers name something: a race, a year, a version."""
_ISO_DAY = re.compile(r"(?<!\S)\d{4}-\d{2}-\d{2}(?![^\s,])")


def money(cents: int | None) -> str:
    return NOTHING if cents is None else format_cents(cents, present_language())


def whole(number: int) -> str:
    """Return a number with its thousands separated: "100.000", in English "100,000"."""
    return format_count(number, present_language())


def moment(instant: Any) -> str:
    return format_moment(instant, present_language()) if instant else NOTHING


def day(date: Any) -> str:
    return format_date(date, present_language()) if date else NOTHING


def named(row: models.Model) -> str:
    """Return the name of a row, with its days in the form of every other day on the page.

    A person has a name on a page; where text is kept, the person's alias stands (`str`).
    """
    return _ISO_DAY.sub(_day_of, row.name_and_alias if isinstance(row, Named) else str(row))


def title_of(row: models.Model) -> str:
    """Return the name of a row in its page's words, which may be better than the row's own."""
    words = getattr(admin.site._registry.get(type(row)), "told_as", None)
    return str(words(row)) if words else named(row)


def _day_of(written: re.Match[str]) -> str:
    try:
        return day(datetime.date.fromisoformat(written[0]))
    except ValueError:
        return written[0]


def url_of(row: models.Model) -> str:
    """Return the address of a row's page; empty if it has none."""
    meta = row._meta
    try:
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[quote(row.pk)])
    except NoReverseMatch:
        return ""


def may_open(model: type[models.Model]) -> bool:
    """Return whether the person for whom the page is drawn may see the pages of a model."""
    request, page = signed_on.reader(), admin.site._registry.get(model)
    return request is None or page is None or page.has_view_permission(request)


def link(row: models.Model | None, text: Any = None) -> str:
    """Return a link to the row's page, or only its name if the person may not see that page."""
    if row is None:
        return NOTHING
    url = url_of(row) if may_open(type(row)) else ""
    label = title_of(row) if text is None else text
    return format_html('<a class="text-link" href="{}">{}</a>', url, label) if url else str(label)


def listed(model: type[models.Model], text: Any, **where: Any) -> SafeString:
    """Return a link to the list of the rows of a model that have the given values, if the person
    may see it.
    """
    if not may_open(model):
        return SafeString(NOTHING)
    meta = model._meta
    url = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    query = "&".join(f"{name}={value}" for name, value in where.items())
    return format_html('<a class="text-link" href="{}?{}">{}</a>', url, query, text)


def lines(values: Any) -> SafeString:
    return format_html_join(SafeString("<br>"), "{}", ((value,) for value in values))


def paper_links(papers: Mapping[Any, str]) -> SafeString:
    """Return links to papers, given by title, in each language of the law."""
    links = ((url, lang, text, lang) for text, url in papers.items() for lang in LANGUAGES[:2])
    html = '<a class="text-link" href="{}?lang={}">{} ({})</a>'
    return format_html_join(SafeString(" · "), html, links)


def tag(value: str, text: Any) -> SafeString:
    """Return a state as a coloured label."""
    tone = collected("tones").get(value, "default")
    html = render_to_string("unfold/helpers/label.html", {"text": text, "variant": tone})
    return SafeString(html.strip())


def show(field: "models.Field[Any, Any]", row: Any) -> Any:
    """Return the value of a row's field as people read it."""
    value = getattr(row, field.name)
    if value is None or value == "":
        return NOTHING
    if field.name.endswith(MONEY):
        return money(value)
    if field.name in COUNTS and isinstance(field, models.IntegerField):
        return whole(value)
    if isinstance(field, models.ForeignKey):
        return link(value)
    if isinstance(field, models.DateTimeField):
        return moment(value)
    if isinstance(field, models.DateField):
        return day(value)
    if isinstance(field, models.JSONField):
        return as_html(value)
    if isinstance(field, ArrayField):
        labels = dict(getattr(field.base_field, "flatchoices", ()))
        return ", ".join(str(labels.get(item, item)) for item in value) or NOTHING
    if field.flatchoices:
        return tag(value, dict(field.flatchoices).get(value, value))
    return value


def column(field: "models.Field[Any, Any]") -> Column:
    """Return a field as a column of a list or an entry of a page.

    Raises ValueError for binary and secret fields.
    """
    if isinstance(field, models.BinaryField) or field.name in SECRET_FIELDS:
        raise ValueError(f"{field} must not be shown")
    is_flag = isinstance(field, models.BooleanField)

    def value_of(row: Any) -> Any:
        return getattr(row, field.name) if is_flag else show(field, row)

    value_of.__name__ = field.name
    displayed: Any = admin.display(value_of, boolean=is_flag, ordering=field.name)
    displayed.short_description = field.verbose_name
    return displayed  # type: ignore[no-any-return]


def name_column(model: type[models.Model]) -> Column:
    """Return the names of rows as a column of a list."""

    def name_of(row: Any) -> str:
        return capfirst(named(row))

    displayed: Any = admin.display(name_of, description=model._meta.verbose_name)
    return displayed  # type: ignore[no-any-return]


def yes_no(value: bool) -> str:
    return gettext("Yes") if value else gettext("No")
