"""Proposals in words: what kind of act it is, and what exactly would be done.

The second person decides on what is shown here, so it is the stored content, read field by field.
"""

from collections.abc import Callable
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.admin_support.columns import NOTHING, link
from core.admin_support.contents import Text, collected
from core.admin_support.documents import as_html
from core.admin_support.key_names import key_name
from core.staff.models import Proposal


def kind_text(proposal: Proposal) -> Text:
    title: Text = collected("kind_titles").get(proposal.kind, proposal.kind)
    return title


def content_facts(proposal: Proposal) -> list[tuple[Text, Any]]:
    """The content, by field."""
    return [(key_name(name), _value(name, value)) for name, value in proposal.content.items()]


def _value(name: str, value: Any) -> Any:
    reader = collected("content_readers").get(name)
    if reader is not None and value is not None:
        return reader(value)
    return as_html(value, name)


def subject_text(proposal: Proposal) -> Any:
    """What the act is about: the first row its content names."""
    for name, reader in collected("content_readers").items():
        if proposal.content.get(name) is not None:
            return reader(proposal.content[name])
    return proposal.subject


def row_link(model: Any) -> Callable[[Any], Any]:
    """A reader that shows the row of a model by its key."""

    def read(key: Any) -> Any:
        row = model.objects.filter(pk=key).first()
        return link(row) if row else str(key)

    return read


def content_html(proposal: Proposal) -> SafeString:
    rows = format_html_join("", "<tr><th>{}</th><td>{}</td></tr>", content_facts(proposal))
    return format_html('<table class="house-document">{}</table>', rows or NOTHING)
