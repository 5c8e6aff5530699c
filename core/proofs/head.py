"""Print the head of the public log on slips: their holders can tell whether it was rewritten."""

import dataclasses

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.proofs.models import LogEntry
from core.receipts.document import Align, Document, Line

DIGITS = 16


def head_text() -> str:
    """Return the number of the newest entry and the first digits of its digest; "" before it."""
    newest = LogEntry.objects.order_by("-sequence").values_list("sequence", "digest").first()
    if newest is None:
        return ""
    digits = bytes(newest[1]).hex()[:DIGITS]
    return f"{newest[0]} · {digits[:8]} {digits[8:]}"


def with_head(document: Document) -> Document:
    """Return the document with the head of the public log as its last line.

    It says what was published when the slip was printed. It is not of the ticket's layout [E15].
    """
    head = head_text()
    if not head:
        return document
    with override(document.language):
        line = Line(_("Public log %(head)s") % {"head": head}, Align.CENTRE)
    return dataclasses.replace(document, blocks=(*document.blocks, line))
