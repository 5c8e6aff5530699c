"""Put the content of a form into words: percentages, tables, and changes since before."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.conf import settings
from django.utils.html import format_html, format_html_join, linebreaks
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import NOTHING, money
from core.admin_support.contents import Text

Facts = list[tuple[Text, Any]]
Cells = Sequence[Any]


def percent(exact: Fraction) -> str:
    """Return a percentage as people read it, to the hundredth."""
    whole, hundredths = divmod(round(exact * 100), 100)
    text = f"{whole}.{hundredths:02}".rstrip("0").rstrip(".")
    return f"{text if get_language() == 'en' else text.replace('.', ',')} %"


def amount(cents: int | None) -> str:
    """Return an amount that never breaks over two lines."""
    return money(cents).replace(" ", "\u00a0")


def table(headers: Cells, rows: Sequence[Cells], total: Cells = ()) -> SafeString:
    """Return a table; cells after the first one are figures or words."""
    head = format_html_join("", '<th scope="col">{}</th>', ((name,) for name in headers))
    foot = format_html("<tfoot>{}</tfoot>", _row(total)) if total else ""
    body = format_html_join("", "{}", ((_row(row),) for row in rows))
    return format_html(
        '<table class="house-document"><thead><tr>{}</tr></thead><tbody>{}</tbody>{}</table>',
        head,
        body,
        foot,
    )


def _row(cells: Cells) -> SafeString:
    return format_html(
        '<tr><th scope="row">{}</th>{}</tr>',
        cells[0],
        format_html_join("", "<td{}>{}</td>", ((_look(cell), cell) for cell in cells[1:])),
    )


def _look(cell: Any) -> SafeString:
    """Return the class of figures, which never wrap; what begins with a letter is words."""
    return SafeString("" if str(cell)[:1].isalpha() else ' class="house-number"')


def document(facts: Facts) -> SafeString:
    """Return facts as one table."""
    rows = format_html_join("", "<tr><th>{}</th><td>{}</td></tr>", facts)
    return format_html('<table class="house-document">{}</table>', rows)


def changed(now: str, was: str, before: str) -> Any:
    """Return a value, with the other one that it had before.

    `before` names what it is compared with; "" if there is nothing to compare it with.
    """
    if not before or now == was:
        return now
    text = gettext("%(before)s: %(value)s") % {"before": before, "value": was}
    return format_html('<strong>{}</strong> <small class="house-before">({})</small>', now, text)


def version_name(number: int) -> str:
    """Return the name of a version, as `changed` takes it."""
    return gettext("version %(number)s") % {"number": number}


def rules_texts(texts: Mapping[str, str], before: Mapping[str, str] | None) -> Facts:
    """Return the rules by language, with a note on each text that changed."""
    facts: Facts = []
    for code, language in settings.LANGUAGES:
        title = _("Rules in %(language)s") % {"language": language}
        text = texts.get(code, "")
        content = SafeString(linebreaks(text, autoescape=True)) if text else NOTHING
        if before is not None and before.get(code, "") != texts.get(code, ""):
            content = format_html("<strong>{}</strong>{}", _("Another text than before."), content)
        facts.append((title, content))
    return facts
