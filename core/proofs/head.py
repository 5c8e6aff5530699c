"""Print the head of the public log on slips: their holders can tell whether it was rewritten."""

import dataclasses
import enum
import re

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database.kept import kept
from core.database.reading.asking import fetch_value
from core.kernel.canonical import canonical_sha256
from core.kernel.errors import Invalid
from core.proofs.models import LogEntry
from core.receipts.document import Align, Document, Line

DIGITS = 16
KEPT_S = 2
_PRINTED = re.compile(
    r"\D{0,60}?(\d{1,12})[^0-9a-f]{1,5}([0-9a-f]{8})[^0-9a-f]{0,3}([0-9a-f]{8})\W*"
)


class HeadMalformed(Invalid):
    code = "head_malformed"
    message = "That is not the last line of a slip, which has a number and 16 digits or letters."


def head_text() -> str:
    """Return the number of the newest entry and the first digits of its digest; "" before it."""
    newest = LogEntry.objects.order_by("-sequence").values_list("sequence", "digest").first()
    return _text(*newest) if newest else ""


@kept(most=4, seconds=KEPT_S)
def recent_head() -> str:
    """Return the head as it was at most KEPT_S ago, for answers that must not wait for a query."""
    return head_text()


def _text(sequence: int, digest: bytes | memoryview) -> str:
    digits = bytes(digest).hex()[:DIGITS]
    return f"{sequence} · {digits[:8]} {digits[8:]}"


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


class Finding(enum.StrEnum):
    """The result of comparing a printed head with the log that is shown now."""

    CONTAINED = "contained"
    """The log shown has the entry and goes on from it: nothing before the slip was changed."""
    MISSING = "missing"
    DIFFERENT = "different"
    BROKEN = "broken"
    """The entry is there, and those after it do not follow from it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """A printed head, compared with the log whose newest entry is `head`."""

    finding: Finding
    sequence: int
    head: str


def head_compare(printed: str) -> Compared:
    """Compare the line of the public log on a slip with the log as it is shown now.

    The log shown must have the printed entry, as it was, and an unbroken chain from it to the
    newest one. Raises HeadMalformed.
    """
    match = _PRINTED.fullmatch(printed.strip().lower())
    if match is None:
        raise HeadMalformed
    sequence, digits = int(match[1]), match[2] + match[3]
    entry = LogEntry.objects.select_related("key").filter(sequence=sequence).first()
    if entry is None:
        finding = Finding.MISSING
    elif canonical_sha256(entry.body()).hex()[:DIGITS] != digits:
        finding = Finding.DIFFERENT
    else:
        finding = Finding.CONTAINED if _follow(entry) else Finding.BROKEN
    return Compared(finding, sequence, head_text())


_LINKS = """
SELECT max(e.sequence) - %(first)s = count(*) FILTER (WHERE e.previous = b.digest)
  FROM proofs_logentry e JOIN proofs_logentry b ON b.sequence = e.sequence - 1
 WHERE e.sequence > %(first)s
"""


def _follow(entry: LogEntry) -> bool:
    """Return whether every later entry names the one before it, from this one on."""
    follow = fetch_value(_LINKS, {"first": entry.sequence})
    is_newest = not LogEntry.objects.filter(sequence__gt=entry.sequence).exists()
    return bool(follow) or is_newest
