"""Write figures and instants in templates as papers do, in the active language."""

import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.receipts.document import present_language
from core.receipts.formats import format_cents, format_date, format_moment, format_scheduled

register = template.Library()


@register.filter
def cents(amount_cents: int) -> SafeString:
    """Return cents as euros in an element of class `amount`, which does not wrap."""
    return format_html(
        '<span class="amount">{}</span>', format_cents(amount_cents, present_language())
    )


@register.filter
def day(value: datetime.date) -> str:
    """Return a natural day as text."""
    return format_date(value, present_language())


@register.filter
def moment(value: datetime.datetime) -> SafeString:
    """Return an instant as a `<time>` element, in the time of the Balearic Islands."""
    return format_html(
        '<time datetime="{}">{}</time>', value.isoformat(), format_moment(value, present_language())
    )


@register.filter
def scheduled(value: datetime.datetime, of: datetime.date) -> SafeString:
    """Return the time set for something of a day as a `<time>` element; another day is named."""
    return format_html(
        '<time datetime="{}">{}</time>',
        value.isoformat(),
        format_scheduled(value, present_language(), of),
    )
