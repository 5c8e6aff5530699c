"""Show JSON documents as nested tables. Values of keys that end in `cents` read as euros."""

import re
from contextlib import suppress
from datetime import date, datetime
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from core.admin_support.key_names import key_name
from core.receipts.document import present_language
from core.receipts.formats import format_cents, format_date, format_moment

_NOTHING = "–"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(_DAY.pattern + r"T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})")


def _scalar(key: str, value: Any) -> str:
    if value is None or value == "":
        return _NOTHING
    if isinstance(value, bool):
        return gettext("Yes") if value else gettext("No")
    if key.endswith("cents") and isinstance(value, int):
        return format_cents(value, present_language())
    text, language = str(value), present_language()
    # 30 February and the last second of the year 9999, which somebody wrote, are text.
    with suppress(ValueError, OverflowError):
        if _DAY.fullmatch(text):
            return format_date(date.fromisoformat(text), language)
        if _INSTANT.fullmatch(text):
            return format_moment(datetime.fromisoformat(text), language)
    return text


def as_html(value: Any, key: str = "") -> SafeString:
    """Return a JSON value as HTML.

    An object becomes rows of name and value, a list of objects a table, any other list one line.
    """
    if isinstance(value, dict):
        rows = ((key_name(name), as_html(inner, name)) for name, inner in value.items())
        body = format_html_join("", "<tr><th>{}</th><td>{}</td></tr>", rows)
        return format_html('<table class="house-document">{}</table>', body)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return _table(value)
    if isinstance(value, list):
        is_nested = any(isinstance(item, dict | list) for item in value)
        if not is_nested:
            return format_html("{}", ", ".join(_scalar(key, item) for item in value) or _NOTHING)
        return format_html_join(SafeString(" "), "{}", ((as_html(item, key),) for item in value))
    return format_html("{}", _scalar(key, value))


def _table(rows: list[dict[str, Any]]) -> SafeString:
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = format_html_join("", "<th>{}</th>", ((key_name(name),) for name in names))
    body = format_html_join(
        "",
        "<tr>{}</tr>",
        (
            (
                format_html_join(
                    "", "<td>{}</td>", ((as_html(row.get(name), name),) for name in names)
                ),
            )
            for row in rows
        ),
    )
    return format_html(
        '<table class="house-document"><thead><tr>{}</tr></thead>{}</table>', head, body
    )
