"""Lay out a settlement's certificate for reading. Every figure comes from the signed entry."""

from datetime import date, datetime
from fractions import Fraction
from math import floor
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override

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
from core.receipts.formats import (
    format_cents,
    format_count,
    format_date,
    format_moment,
    format_percent,
)
from core.receipts.made import render_public
from core.receipts.output import Output, need_language
from core.receipts.paper import Paper

Doc = dict[str, Any]


def certificate_render(entry: LogEntry, *, output: Output, language: str) -> bytes:
    """Return the certificate as a file. Raise LanguageUnknown."""
    need_language(language)
    document = certificate_paper(entry, language)
    return render_public(document, output=output, created_at=entry.at, paper=Paper.A4)


def certificate_paper(entry: LogEntry, language: str) -> Document:
    """Return the certificate as a document."""
    certificate = entry.document
    with override(language):
        blocks = (
            Title(_("Settlement certificate")),
            *_head(certificate, language),
            Line(_("Results"), emphasis=Emphasis.BOLD),
            _results(certificate),
            *_takings(certificate, language),
            Line(_("Prizes"), emphasis=Emphasis.BOLD),
            _categories(certificate, language),
            *_correction(certificate),
            *_carried(certificate, language),
            *_proofs(entry, language),
        )
    return Document(language=language, blocks=blocks, simulated=certificate["simulated"])


def _head(certificate: Doc, language: str) -> list[Block]:
    rules = certificate["rules"]
    replaced = _("It replaces settlement %(uuid)s, which was reversed.")
    notices = (
        [Notice(replaced % {"uuid": certificate["replaces"]})] if certificate["replaces"] else []
    )
    return [
        Line(f"{rules['name']} · {certificate['contest']}", Align.CENTRE, Emphasis.BOLD),
        Line(format_date(date.fromisoformat(certificate["day"]), language), Align.CENTRE),
        *notices,
        Rule(),
        Pair(_("Settlement"), certificate["settlement"]),
        Pair(_("Programme"), certificate["programme"]),
        Pair(_("Bet type"), f"{rules['code']} v{rules['version']}"),
        Pair(_("Settled at"), _moment(certificate["settled_at"], language)),
        Rule(),
    ]


def _moment(text: str, language: str) -> str:
    return format_moment(datetime.fromisoformat(text), language)


def _results(certificate: Doc) -> Table:
    words = {
        "run": _("Raced"),
        "not_run": _("Not run"),
        "suspended": _("Started and suspended"),
        "all_disqualified": _("All disqualified"),
        "no_winner": _("Run without a winner"),
    }
    rows = tuple(
        (
            str(race["position"]),
            words[race["outcome"]],
            _numbers(race["withdrawn"]),
            _numbers(race["winners"]),
            _numbers(race["right"]),
        )
        for race in certificate["races"]
    )
    header = (_("Race"), _("Outcome"), _("Withdrawn"), _("Winner"), _("Right numbers"))
    return Table(rows, header)


def _numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) or "–"


def _takings(certificate: Doc, language: str) -> list[Block]:
    figures = certificate["figures"]
    percent = format_percent(certificate["rules"]["prize_percent"], language)
    cents = {
        _("Takings"): figures["takings"],
        _("To prizes") + f" ({percent})": figures["prize_pool"],
        _("Organiser's share"): figures["organiser_share"],
        _("Jackpot carried in"): figures["jackpot_in"],
        _("Unclaimed prizes carried over here"): figures["lapsed_in"],
        _("Figure tested for the regime"): figures["tested_jackpot"],
        _("Reserve carried in"): figures["reserve_in"],
    }
    regime = _("Regime of article %(article)s") % {"article": figures["regime"]}
    return [
        Rule(),
        Pair(_("Tickets"), format_count(certificate["tickets"], language)),
        Pair(_("Bets"), format_count(certificate["bets"], language)),
        *(Pair(label, format_cents(amount, language)) for label, amount in cents.items()),
        Pair(
            regime,
            f"> {format_cents(certificate['rules']['jackpot_threshold_cents'], language)}"
            if figures["regime"] == "9.3"
            else f"≤ {format_cents(certificate['rules']['jackpot_threshold_cents'], language)}",
        ),
        Rule(),
    ]


def exact_amount(value: Any, language: str) -> str:
    """Return cents as text, with the fraction of a cent that 14.III.9.7 may leave."""
    exact = Fraction(value)
    rest = exact - floor(exact)
    return format_cents(floor(exact), language) + (f" + {rest} c" if rest else "")


def _categories(certificate: Doc, language: str) -> Table:
    figures, legs = certificate["figures"], certificate["rules"]["legs"]
    prize_each = figures["prize_each"]
    rows = tuple(
        (
            f"{hits}/{legs}",
            *(
                exact_amount(figures[name][hits], language)
                for name in ("shares", "after_cascade", "before_correction", "after_correction")
            ),
            format_count(winners, language),
            exact_amount(prize_each[hits], language) if hits in prize_each else "–",
        )
        for hits, winners in sorted(figures["winners"].items(), key=lambda item: -int(item[0]))
    )
    header = (
        _("Category"),
        _("Share"),
        _("After the cascade"),
        _("Before the correction"),
        _("After the correction"),
        _("Winning bets"),
        _("Prize"),
    )
    return Table(rows, header, (Align.LEFT, *[Align.RIGHT] * 6))


def _correction(certificate: Doc) -> list[Block]:
    """Return what the correction of 14.III.9.7 did, as text."""
    correction = certificate["figures"]["correction"]
    blocks: list[Block] = []
    for above, below in correction["halved"]:
        text = _("Halved between %(above)s and %(below)s (9.7).")
        blocks.append(Line(text % {"above": above, "below": below}))
    for group in correction["joined"]:
        blocks.append(Line(_("Joined: %(group)s (9.7).") % {"group": ", ".join(map(str, group))}))
    return blocks


def _carried(certificate: Doc, language: str) -> list[Block]:
    figures, parts = certificate["figures"], certificate["organiser"]["parts"]
    words = {
        "commission": _("Commission"),
        "management": _("Management"),
        "tax": _("Tax"),
        "remainder": _("Remainder"),
    }
    cents = {
        _("Share of the reserve"): figures["shares"]["reserve"],
        _("Unwon, to the reserve"): figures["unwon_to_reserve"],
        _("Reserve paid out"): figures["reserve_paid_out"],
        _("Cents left, to the reserve"): figures["rounding_remainder"],
        _("Prizes in all"): figures["prizes_total"],
        _("Jackpot carried out"): figures["jackpot_out"],
        _("Reserve carried out"): figures["reserve_out"],
        **{f"{_('Organiser')}: {words[part]}": amount for part, amount in parts.items()},
    }
    return [
        Rule(),
        *(Pair(label, format_cents(amount, language)) for label, amount in cents.items()),
    ]


def _proofs(entry: LogEntry, language: str) -> list[Block]:
    certificate = entry.document
    return [
        Rule(),
        Pair(_("Seal of the tickets"), certificate["seal"]["root"]),
        *(
            Pair(
                _("Public draw of race") + f" {race['position']}",
                f"{race['draw']['draw']} → {_numbers(race['winners'])}",
            )
            for race in certificate["races"]
            if race["draw"]
        ),
        Pair(_("Certificate before"), certificate["previous"] or "–"),
        Pair(_("Entry of the public log"), str(entry.sequence)),
        Pair(_("Published at"), format_moment(entry.at, language)),
        Pair(_("Key"), entry.key.key_id),
        Pair(_("Signature"), bytes(entry.signature).hex()),
    ]
