"""Print the day's record of published entries, on paper that cannot be rewritten."""

import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.kernel.days import day_bounds
from core.proofs.models import LogEntry
from core.receipts import made
from core.receipts.document import Align, Block, Document, Emphasis, Line, Pair, Rule, Title
from core.receipts.formats import format_cents, format_date, format_time
from core.receipts.output import Output, need_language, render
from core.receipts.paper import Paper

# The fields of a document that are printed beside its digest.
_PRINTED = ("contest", "day", "tickets", "bets", "takings_cents", "root")


def record_render(*, day: datetime.date, output: Output, language: str) -> bytes:
    """Return every entry of the public log of a natural day, with its digest.

    Raises LanguageUnknown.
    """
    need_language(language)
    begin, end = day_bounds(day)
    entries = LogEntry.objects.filter(at__gte=begin, at__lt=end)
    newest = entries.order_by("-sequence").values_list("digest", flat=True).first()
    simulated = clock.is_simulated()

    def make() -> bytes:
        with override(language):
            blocks = _blocks(day, entries.select_related("key"), language)
        document = Document(language=language, blocks=blocks, simulated=simulated)
        return render(document, output=output, created_at=clock.now(), paper=Paper.A4)

    # Entries are chained: the newest one of the day says all that the paper lists.
    newest_digest = bytes(newest) if newest is not None else b""
    return made.public_contents.get(
        "record", newest_digest, day, output, language, simulated, make=make
    )


def _blocks(day: datetime.date, entries: QuerySet[LogEntry], language: str) -> tuple[Block, ...]:
    blocks: list[Block] = [
        Title(_("Public log")),
        Line(format_date(day, language), Align.CENTRE, Emphasis.BOLD),
        Line(
            _("A person who keeps this paper can tell whether what was published has been changed.")
        ),
    ]
    for entry in entries.order_by("sequence"):
        blocks += _entry(entry, language)
    if len(blocks) == 3:
        blocks += [Rule(), Line(_("Nothing was published on this day."))]
    return tuple(blocks)


def _entry(entry: LogEntry, language: str) -> list[Block]:
    blocks: list[Block] = [
        Rule(),
        Pair(f"{entry.sequence} · {entry.kind}", format_time(entry.at, language), Emphasis.BOLD),
        Pair(_("About"), entry.subject),
    ]
    for name in _PRINTED:
        value = entry.document.get(name)
        if isinstance(value, int | str):
            cents = isinstance(value, int) and name.endswith("_cents")
            text = format_cents(int(value), language) if cents else str(value)
            blocks.append(Pair(name, _grouped(text) if name == "root" else text))
    blocks.append(Pair(_("Digest"), _grouped(bytes(entry.digest).hex())))
    blocks.append(Pair(_("Key"), entry.key.key_id))
    return blocks


def _grouped(digits: str) -> str:
    """Return the digits in groups of eight, so that people can compare them."""
    return " ".join(digits[at : at + 8] for at in range(0, len(digits), 8))
