"""Publish settlement certificates, from which an outsider can derive every figure (14.III.9).

A certificate is published in the transaction of its settlement, so that it can be examined before
payment is ordered. When a settlement is reversed for a keying error [B14], the reversal is
published, and the next certificate names the one it replaces. The payment order is published too
and makes the last one final (14.III.8.2).
"""

from datetime import datetime
from typing import Any

from core.database import clock
from core.draws import documents as draw_documents
from core.kernel.canonical import Json, with_digests
from core.kernel.days import natural_day
from core.kernel.errors import InvariantBroken, NotFound
from core.kernel.money import percent_text
from core.proofs import log
from core.proofs.models import LogEntry
from core.proofs.wire import instant
from lototrot import accounts
from lototrot.engine.races import Outcome
from lototrot.models.contest import Contest
from lototrot.models.settlement import CarryOver, PaymentOrder, Settlement
from lototrot.selectors.draws import RaceDraw, race_draws
from lototrot.selectors.published import CERTIFICATE
from lototrot.selectors.settlement.unclaimed import given_back
from lototrot.services.seal.sealing import need_sealed

REVERSAL = "lototrot.settlement_reversal"
PAYMENT_ORDER = "lototrot.payment_order"


class CertificateUnknown(NotFound):
    code = "certificate_unknown"
    message = "No certificate of such a settlement is published."


class DrawUnsound(InvariantBroken):
    code = "draw_unsound"
    message = "The order of a draw differs from its signed minutes."


def certificate_publish(settlement: Settlement) -> LogEntry:
    """Publish what a settlement used and computed, as part of settling.

    Raise DrawUnsound or EntryUnsound when a result differs from the published one.
    """
    return log.publish(
        kind=CERTIFICATE, subject=str(settlement.uuid), document=_document(settlement)
    )


def reversal_publish(settlement: Settlement) -> LogEntry:
    """Publish that a settlement is reversed [B14], as part of reversing it."""
    if settlement.reversed_at is None:
        raise ValueError("the settlement is not reversed")
    return log.publish(
        kind=REVERSAL,
        subject=str(settlement.uuid),
        document=with_digests(
            {
                "format": "lototrot-settlement-reversal-1",
                "contest": settlement.contest_id,
                "settlement": str(settlement.uuid),
                "certificate": _digest(settlement),
                "reversed_at": instant(settlement.reversed_at),
            }
        ),
    )


def payment_order_publish(order: PaymentOrder) -> LogEntry:
    """Publish that a settlement is final and the days of its payment, as part of ordering it."""
    return log.publish(
        kind=PAYMENT_ORDER,
        subject=str(order.settlement.uuid),
        document=with_digests(
            {
                "format": "lototrot-payment-order-1",
                "contest": order.contest_id,
                "settlement": str(order.settlement.uuid),
                "certificate": _digest(order.settlement),
                "ordered_at": instant(order.ordered_at),
                "ordered_on": natural_day(order.ordered_at).isoformat(),
                "claim_days": order.claim_days,
                "results_day": order.results_day.isoformat(),
                "first_pay_day": order.first_pay_day.isoformat(),
                "last_claim_day": order.last_claim_day.isoformat(),
            }
        ),
    )


def certificate_of(settlement: Settlement) -> LogEntry:
    """Return the certificate as published. Raise CertificateUnknown."""
    certificate = log.published(kind=CERTIFICATE, subject=str(settlement.uuid))
    if certificate is None:
        raise CertificateUnknown
    return certificate


def certificate_in_force(contest_id: int) -> LogEntry:
    """Return the certificate of the settlement in force. Raise CertificateUnknown."""
    settlement = Settlement.objects.filter(contest=contest_id, in_force=True).first()
    if settlement is None:
        raise CertificateUnknown
    return certificate_of(settlement)


def _digest(settlement: Settlement | None) -> str | None:
    """Return the digest of a settlement's certificate, or None."""
    certificate = settlement and log.published(kind=CERTIFICATE, subject=str(settlement.uuid))
    return bytes(certificate.digest).hex() if certificate else None


def _document(settlement: Settlement) -> dict[str, Json]:
    contest: Any = settlement.contest
    figures = dict(settlement.figures)
    parts = figures.pop("organiser_parts")
    share = accounts.organiser_share(contest.day)
    return with_digests(
        {
            "format": "lototrot-settlement-1",
            "settlement": str(settlement.uuid),
            "number": settlement.number,
            "replaces": _replaced(settlement),
            "contest": contest.pk,
            "day": contest.day.isoformat(),
            "programme": contest.meeting.reference,
            "programme_sha256": bytes(contest.meeting.document_digest).hex(),
            "price_cents": contest.price_cents,
            "rules": settlement.rules,
            "seal": _seal(contest),
            "amendments": _amendments(contest),
            "tickets": settlement.tickets,
            "bets": settlement.bets,
            "winning_tickets": settlement.winning_tickets,
            "races": _races(settlement.races),
            "previous": _digest(_previous(contest)),
            "lapsed_from": _lapsed_from(contest),
            "figures": figures,
            "organiser": {
                "in_force_from": share.in_force_from.isoformat(),
                "source": share.source,
                "percents": {
                    str(part): percent_text(each) for part, each in share.percents.items()
                },
                "parts": parts,
            },
            "settled_at": instant(settlement.settled_at),
            "simulated": clock.is_simulated(),
        }
    )


def _replaced(settlement: Settlement) -> str | None:
    """Return the settlement that was reversed before this one [B14], or None."""
    before = settlement.contest.settlements.filter(in_force=False).order_by("-number").first()
    return str(before.uuid) if before else None


def _seal(contest: Contest) -> dict[str, Json]:
    seal = need_sealed(contest)
    return {
        "entry": bytes(seal.entry.digest).hex(),
        "root": bytes(seal.root).hex(),
        "tickets": seal.tickets,
        "bets": seal.bets,
        "takings_cents": seal.takings_cents,
    }


def _amendments(contest: Contest) -> list[Json]:
    """Return the log entries that list tickets voided for a breach, in order."""
    amendments = need_sealed(contest).amendments.select_related("entry").order_by("number")
    return [bytes(amendment.entry.digest).hex() for amendment in amendments]


def _races(races: list[dict[str, Any]]) -> list[Json]:
    """Return the results, with the draw of each race that was drawn."""
    draws = race_draws([race["race"] for race in races if race["outcome"] != Outcome.RUN])
    return [
        race
        | {
            "started_at": _instant(race["started_at"]),
            "official_at": _instant(race["official_at"]),
            "draw": _draw(race["race"], draws.get(race["race"])),
        }
        for race in races
    ]


def _instant(stored: str | None) -> str | None:
    return instant(datetime.fromisoformat(stored)) if stored else None


def _draw(race: int, draw: RaceDraw | None) -> Json:
    """Return a certified draw with the digest of its minutes.

    Raise DrawUnsound if the orders differ.
    """
    if draw is None:
        return None
    minutes = log.published(kind=draw_documents.MINUTES, subject=str(draw.ident))
    if minutes is None or minutes.document["order"] != [str(number) for number in draw.order]:
        raise DrawUnsound(race=race, draw=str(draw.ident))
    log.need_sound(minutes)
    return {"draw": str(draw.ident), "minutes": bytes(minutes.digest).hex()}


def _previous(contest: Contest) -> Settlement | None:
    """Return the settlement before this one in the chain, which left jackpot and reserve [A4]."""
    previous: Settlement | None = (
        Settlement.objects.filter(
            contest__bet_type_code=contest.bet_type_code,
            contest__day__lt=contest.day,
            in_force=True,
        )
        .order_by("-contest__day")
        .first()
    )
    return previous


def _lapsed_from(contest: Contest) -> list[Json]:
    """Return the accounts from which unclaimed prizes were carried over (14.III.10.7).

    What was given back before the settlement is left out [C8].
    """
    cents_by_code: dict[str, int] = {}
    for carried in CarryOver.objects.filter(contest=contest).order_by("day"):
        code = accounts.carry_over(carried.bet_type_code, carried.day).code
        cents_by_code[code] = cents_by_code.get(code, 0) + carried.cents
    for day, cents in given_back(contest).items():
        waited = accounts.carry_over(contest.bet_type_code, day).code
        cents_by_code[waited] = cents_by_code.get(waited, 0) - cents
    return [{"account": code, "cents": cents} for code, cents in cents_by_code.items() if cents]
