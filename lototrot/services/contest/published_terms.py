"""Publish the terms on which a contest is sold when it goes on sale (14.III.5.2, 6.2).

Seals state the same terms again (docs/proofs/openings.md). Nothing of them changes in between.
The closing may be moved; each move is an entry of its own (`schedule`).
"""

from core.kernel.canonical import Json, canonical_sha256, with_digests
from core.kernel.errors import InvariantBroken
from core.proofs import log, wire
from core.proofs.models import LogEntry
from lototrot.models.contest import Contest

OPENING = "lototrot.opening"


class TermsUnsound(InvariantBroken):
    """`data`: contest, term, published, stored."""

    code = "contest_terms_unsound"
    message = "The terms of the contest are not those that were published when it went on sale."


def published_terms(contest: Contest) -> dict[str, Json]:
    """Return what is published of a contest at its opening, and once more in its seal.

    The rules are those on record: the form in which a later release would write them has no part.
    """
    legs = _legs(contest)
    return {
        "contest": contest.pk,
        "bet_type": contest.bet_type_code,
        "day": contest.day.isoformat(),
        "programme": bytes(contest.meeting.document_digest).hex(),
        "races": len(legs),
        "legs": legs,
        "price_cents": contest.price_cents,
        "rules": canonical_sha256(contest.bet_type.document).hex(),
    }


def opening_publish(contest: Contest) -> LogEntry:
    """Publish a contest that has just been put on sale, as part of that act."""
    if contest.opened_at is None:
        raise InvariantBroken(contest=contest.pk)
    document = with_digests(
        {
            "format": "lototrot-opening-1",
            **published_terms(contest),
            "closes_at": wire.instant(contest.scheduled_close_at),
            "opened_at": wire.instant(contest.opened_at),
        }
    )
    return log.publish(kind=OPENING, subject=_subject(contest), document=document)


def need_as_opened(contest: Contest) -> None:
    """Refuse a contest whose terms are not those of its opening.

    Raise TermsUnsound, or EntryUnsound where the entry itself is not as it was signed.
    """
    opening = log.published(kind=OPENING, subject=_subject(contest))
    if opening is None:
        raise TermsUnsound(contest=contest.pk, term="opening", published=None, stored=None)
    log.need_sound(opening)
    for term, stored in published_terms(contest).items():
        published = opening.document.get(term)
        if published != stored:
            raise TermsUnsound(contest=contest.pk, term=term, published=published, stored=stored)


def _subject(contest: Contest) -> str:
    return f"contest:{contest.pk}"


def _legs(contest: Contest) -> list[Json]:
    """Return the races in the order of the ticket, each with the numbers of its programme."""
    legs = contest.legs.order_by("position").prefetch_related("race__runners")
    return [
        {
            "race": leg.race_id,
            "programme": [*sorted(runner.number for runner in leg.race.runners.all())],
        }
        for leg in legs
    ]
