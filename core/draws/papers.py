"""Print the papers of a draw: the notice for the wall, and the minutes (14.III.5.4)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override, pgettext

from core.database import clock
from core.draws import documents
from core.draws.kinds import Kind, kind_of
from core.draws.models import Draw
from core.draws.selectors import DrawCard
from core.kernel.errors import NotFound
from core.proofs.log import published
from core.proofs.models import LogEntry
from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Rule,
    Table,
    Title,
)
from core.receipts.formats import format_moment
from core.receipts.made import render_public
from core.receipts.output import Output, need_language
from core.receipts.paper import Paper

MOST_PLACES = 200


class MinutesUnknown(NotFound):
    code = "minutes_unknown"
    message = "The draw has no minutes yet: they are made when the inspector certifies it."


def minutes_entry(draw: Draw) -> LogEntry:
    """Return the signed minutes as published. Raises MinutesUnknown."""
    entry = published(kind=documents.MINUTES, subject=str(draw.uuid))
    if entry is None:
        raise MinutesUnknown
    return entry


def notice_render(card: DrawCard, *, output: Output, language: str) -> bytes:
    """Return the notice: place and time of the draw, and the result once certified (14.III.5.4.2).

    Raises LanguageUnknown.
    """
    need_language(language)
    with override(language):
        blocks = (
            Title(_("Public draw")),
            Line(card.draw.title[language], Align.CENTRE, Emphasis.BOLD),
            Rule(),
            Pair(_("Reason"), card.draw.reason),
            Pair(_("Declared at"), format_moment(card.draw.declared_at, language)),
            Pair(_("Place"), card.announcement.place or "–"),
            Pair(_("Planned for"), format_moment(card.announcement.planned_at, language)),
            *_limit(card.draw, language),
            Rule(),
            *_result(card),
        )
    document = Document(language=language, blocks=blocks, simulated=clock.is_simulated())
    paper = Paper.ROLL_80 if output is Output.ESCPOS else Paper.A4
    return render_public(document, output=output, created_at=card.draw.created_at, paper=paper)


def _limit(draw: Draw, language: str) -> list[Block]:
    return [Pair(_("At the latest"), format_moment(draw.due_at, language))] if draw.due_at else []


def _result(card: DrawCard) -> list[Block]:
    if card.call_off:
        return [Notice(_("The draw is called off.") + f" {card.call_off.reason}")]
    if card.abandonment:
        return [
            Notice(
                _("The draw could not go on and was abandoned; there is another one.")
                + f" {card.abandonment.reason}"
            )
        ]
    if card.certificate is None or card.outcome is None or card.field is None:
        return [Notice(_("The result is announced here as soon as the inspector certifies it."))]
    names = kind_of(card.draw.kind).names(card.field.facts)
    return [Line(_("Result"), emphasis=Emphasis.BOLD), _order(card.outcome.order, names)]


def _order(order: list[str], names: Mapping[str, str]) -> Table:
    rows = [
        (str(place), entry, names.get(entry, ""))
        for place, entry in enumerate(order[:MOST_PLACES], start=1)
    ]
    header = (pgettext("rank", "Place"), _("Drawn"), _("Name"))
    aligns = (Align.CENTRE, Align.CENTRE, Align.LEFT)
    if not any(row[2] for row in rows):
        return Table(tuple(row[:2] for row in rows), header[:2], aligns[:2])
    return Table(tuple(rows), header, aligns)


def minutes_render(draw: Draw, *, output: Output, language: str) -> bytes:
    """Return the minutes, made from the signed entry. Raises LanguageUnknown, MinutesUnknown."""
    need_language(language)
    entry = minutes_entry(draw)
    document = minutes_paper(entry, language)
    return render_public(document, output=output, created_at=entry.at, paper=Paper.A4)


def minutes_paper(entry: LogEntry, language: str) -> Document:
    """Return the minutes as a document: every figure is that of the signed entry."""
    minutes = entry.document
    kind = kind_of(minutes["kind"])
    with override(language):
        blocks = (
            Title(_("Minutes of a public draw")),
            Line(minutes["title"][language], Align.CENTRE, Emphasis.BOLD),
            *_why(minutes, kind, language),
            *_how(minutes, language),
            Line(_("Result"), emphasis=Emphasis.BOLD),
            _order(minutes["order"], kind.names(minutes["facts"])),
            *_certified(minutes, language),
            *_signed(entry, language),
        )
    return Document(language=language, blocks=blocks, simulated=minutes["simulated"])


def _moment(text: str | None, language: str) -> str:
    return format_moment(datetime.fromisoformat(text), language) if text else "–"


def _why(minutes: dict[str, Any], kind: Kind, language: str) -> list[Block]:
    return [
        Rule(),
        Pair(_("Draw"), minutes["draw"]),
        *(Pair(label, value) for label, value in kind.lines(minutes["facts"])),
        Pair(_("Reason"), minutes["reason"]),
        Pair(_("Declared at"), _moment(minutes["declared_at"], language)),
        Pair(_("At the latest"), _moment(minutes["due_at"], language)),
        *(
            block
            for announcement in minutes["announcements"]
            for block in _announced(announcement, language)
        ),
        *(Pair(_("Abandoned before"), draw) for draw in minutes["abandoned_before"]),
        *(_rejected(balls, language) for balls in minutes["rejected"]),
    ]


def _rejected(balls: dict[str, Any], language: str) -> Block:
    """Return an order of balls that was entered and does not stand [B16]."""
    parts = [", ".join(balls["order"][:MOST_PLACES]), _moment(balls["entered_at"], language)]
    if balls["rejected_at"] is not None:
        parts.append(f"{_('rejected')} {_moment(balls['rejected_at'], language)}")
    parts += [balls["inspector"]["name"]] if balls["inspector"] else []
    parts += [balls["reason"]] if balls["reason"] else []
    return Pair(_("Balls that do not stand"), "; ".join(parts))


def _announced(announcement: dict[str, Any], language: str) -> list[Block]:
    """Return an announcement, with the inspector's reason for another place or time [B16]."""
    line = Pair(
        _("Announced at"),
        f"{_moment(announcement['announced_at'], language)}:"
        f" {announcement['place'] or '–'},"
        f" {_moment(announcement['planned_at'], language)}",
    )
    elsewhere = announcement["elsewhere"]
    if elsewhere is None:
        return [line]
    text = f"{elsewhere['reason']} ({elsewhere['inspector']['name']})"
    label = _("Why announced anew") if announcement["office"] else _("Why not at a Central Office")
    return [line, Pair(label, text)]


def _how(minutes: dict[str, Any], language: str) -> list[Block]:
    field, entropy, entered_by = minutes["field"], minutes["entropy"], minutes["entered_by"]
    blocks: list[Block] = [
        Rule(),
        Pair(_("Place"), minutes["place"]),
        Pair(_("Drawn at"), _moment(minutes["drawn_at"], language), Emphasis.BOLD),
        Pair(_("In the draw"), ", ".join(field["entries"] or ()) or str(field["size"])),
        Pair(_("Digest of the field"), field["sha256"]),
        Pair(_("Witness"), minutes["witness"]),
        Pair(_("Entered by"), f"{entered_by['name']} ({entered_by['appointment']})"),
    ]
    if minutes["commitment"]:
        blocks.append(Pair(_("Commitment"), minutes["commitment"]))
        blocks.append(Pair(_("Committed at"), _moment(minutes["committed_at"], language)))
        means = minutes["means"]
        means_text = _source(means["source"]) + (f": {means['pieces']}" if means["pieces"] else "")
        blocks.append(Pair(_("Committed that the witness gives"), means_text))
    if entropy is None:
        method = _("Balls drawn by hand, for the system was out of reach; entered by two persons.")
        return [*blocks, Pair(_("Cause"), minutes["cause"]), Line(method)]
    method = _(
        "The order is computed from the secret committed to and from what the witness gave"
        " afterwards, by the published method %(algorithm)s; anybody can compute it again."
    ) % {"algorithm": minutes["algorithm"]}
    return [
        *blocks,
        Pair(_("What the witness gave"), f"{entropy['text']} ({_source(entropy['source'])})"),
        Pair(_("Secret"), minutes["secret"]),
        Line(method),
    ]


def _source(source: str) -> str:
    return {"dice": _("dice"), "balls": _("balls"), "phrase": _("phrase")}[source]


def _certified(minutes: dict[str, Any], language: str) -> list[Block]:
    blocks: list[Block] = [Rule()]
    if minutes["late"]:
        blocks.append(Notice(_("LATE DRAW") + f". {_('Cause')}: {minutes['late_cause']}"))
    blocks += [
        Pair(_("Inspector present"), f"{inspector['name']} ({inspector['appointment']})")
        for inspector in minutes["attendances"]
    ]
    if minutes["observations"]:
        blocks.append(Pair(_("Observations"), minutes["observations"]))
    return [
        *blocks,
        Line(minutes["statement"][language], emphasis=Emphasis.BOLD),
        Pair(_("Certified at"), _moment(minutes["certified_at"], language)),
    ]


def _signed(entry: LogEntry, language: str) -> list[Block]:
    return [
        Rule(),
        Pair(_("Entry of the public log"), str(entry.sequence)),
        Pair(_("Key"), entry.key.key_id),
        Pair(_("Signature"), bytes(entry.signature).hex()),
    ]
