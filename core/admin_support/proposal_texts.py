"""Describe proposals in words: the kind of act, and exactly what would be done.

The second person decides on this text, so it is made from the stored content: by the words that an
app has for the kind (`ProposalWords`), or field by field.
"""

from collections.abc import Callable, Sequence
from html import unescape
from typing import Any

from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString

from core.admin_support.columns import NOTHING, lines, link
from core.admin_support.contents import ProposalWords, Text, collected
from core.admin_support.documents import as_html
from core.admin_support.key_names import key_name
from core.database.reading.batches import in_batch, row_by
from core.staff.models import Proposal

_LINE = "line"  # the line of a proposal, kept with the row that was read for a list


def kind_text(proposal: Proposal) -> Text:
    title: Text = collected("kind_titles").get(proposal.kind, proposal.kind)
    return title


def _words(proposal: Proposal) -> ProposalWords | None:
    words: ProposalWords | None = collected("proposal_words").get(proposal.kind)
    return words if words is not None and words.field in proposal.content else None


def content_facts(proposal: Proposal) -> list[tuple[Text, Any]]:
    """Return what the kind's own words say, or the name and the value of each field."""
    words = _words(proposal)
    if words is not None and words.facts is not None:
        return list(words.facts(proposal))
    return [(key_name(name), _value(name, value)) for name, value in proposal.shown_content.items()]


def _value(name: str, value: Any) -> Any:
    reader = collected("content_readers").get(name)
    if reader is not None and value is not None:
        return reader(value)
    return as_html(value, name)


def subject_text(proposal: Proposal) -> Any:
    """Return in words what a person decides about. The stored subject is a name for machines."""
    return _about(proposal) or NOTHING


def read_together(proposals: Sequence[Proposal]) -> None:
    """Make the lines of many proposals at once: a list does not ask for the rows of each."""
    for proposal, text in zip(proposals, in_batch(_about, proposals), strict=True):
        proposal.__dict__[_LINE] = text


def _about(proposal: Proposal) -> Any:
    if _LINE in proposal.__dict__:
        return proposal.__dict__[_LINE]
    words = _words(proposal)
    return words.subject(proposal) if words is not None else ""


def words_by_row(field: str) -> ProposalWords:
    """Return the words for a kind whose proposals are about the row that this field names."""
    return ProposalWords(field, lambda proposal: _value(field, proposal.content[field]))


def title_text(proposal: Proposal) -> str:
    """Return a proposal in words, without a link: what would be done, and to what."""
    about = unescape(strip_tags(str(_about(proposal))))
    kind = str(kind_text(proposal))
    return f"{kind}: {about}" if about else kind


def corrected_at(proposal: Proposal) -> str:
    """Return the address of the form on which a proposal that waits is corrected, or ""."""
    words = _words(proposal)
    return words.corrected_at(proposal) if words is not None and words.corrected_at else ""


def row_link(model: Any, *related: str, field: str = "pk") -> Callable[[Any], Any]:
    """Return a function that takes the key of a row and returns a link to it. The name of the row
    may need rows that are `related`.
    """

    def read(key: Any) -> Any:
        row = row_by(model, field, key, *related)
        return link(row) if row else str(key)

    return read


def rows_linked(model: Any) -> Callable[[Any], Any]:
    """Return a function that takes the keys of rows and returns links to them, line by line."""

    def read(keys: Any) -> Any:
        rows = model.objects.filter(pk__in=keys).order_by("pk")
        return lines(link(row) for row in rows) or NOTHING

    return read


def content_html(proposal: Proposal) -> SafeString:
    rows = format_html_join("", "<tr><th>{}</th><td>{}</td></tr>", content_facts(proposal))
    return format_html('<table class="house-document">{}</table>', rows or NOTHING)
