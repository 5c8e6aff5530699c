"""Build the documents that an emission publishes in the public log (docs/emission-algorithm.md)."""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import connection

from core.kernel.canonical import Json, with_digests
from core.kernel.money import exact_json
from core.proofs.wire import instant
from core.staff.models import User
from promotrot.engine.game import PredrawnGame
from promotrot.engine.plan_json import read_plan
from promotrot.engine.shuffle import ALGORITHM
from promotrot.models.emission import (
    ClosingStatement,
    Commitment,
    Emission,
    Opening,
    WitnessEntropy,
)
from promotrot.models.play import PlayEnd
from promotrot.selectors.closing import kept_percent
from promotrot.selectors.emissions import ENTROPY
from promotrot.selectors.games import version_game
from promotrot.selectors.left import STAYS

COMMITMENT = "promotrot.commitment"
OPENING = "promotrot.opening"
CLOSING = "promotrot.closing"
SEED = "promotrot.seed"
ABANDONED = "promotrot.abandoned"
KINDS = (COMMITMENT, ENTROPY, OPENING, CLOSING, SEED)
"""The entries of an emission that was sold, in their order."""

TICKETS_HEADER = "opening,position,uuid,tier"

_FETCHED = 10_000


def commitment_document(emission: Emission, commitment: Commitment) -> dict[str, Json]:
    """Return the document that binds the operator before the witness acts."""
    return with_digests(
        {
            "format": "promotrot-commitment/1",
            "emission": emission.reference,
            "algorithm": ALGORITHM,
            "tickets": emission.tickets,
            "plan": emission.plan,
            "plan_digest": read_plan(emission.plan).digest().hex(),
            "means": {"source": commitment.source, "pieces": commitment.pieces},
            "commitment": commitment.digest,
            "committed_at": instant(commitment.committed_at),
        }
    )


def entropy_document(emission: Emission, witness: WitnessEntropy) -> dict[str, Json]:
    """Return the document of the witness's entropy. With the seed it gives the key."""
    return with_digests(
        {
            "format": "promotrot-entropy/1",
            "emission": emission.reference,
            "commitment": emission.commitment.digest,
            "source": witness.source,
            "entropy": witness.entropy,
            "appointment": User.objects.get(pk=witness.entered_by_id).appointment,
            "entered_at": instant(witness.entered_at),
        }
    )


def opening_document(emission: Emission, opening: Opening) -> dict[str, Json]:
    """Return the document that says since when an emission is on sale, and on which terms."""
    return with_digests(
        {
            "format": "promotrot-opening/1",
            "emission": emission.reference,
            "mode": emission.game.type.mode,
            "commitment": _committed_to(emission),
            "tickets": emission.tickets,
            "price_cents": emission.price_cents,
            "table": _prizes_by_acts(emission),
            "mechanic": _mechanic(emission),
            "minimum_percent": exact_json(kept_percent(emission)),
            "stop_without_top": emission.stop_without_top,
            "opened_at": instant(opening.opened_at),
        }
    )


def _prizes_by_acts(emission: Emission) -> list[Json]:
    """Return the prizes that lie on no ticket: the players' acts decide. The plan has others."""
    tiers = emission.tiers.filter(count=None).order_by("number")
    return [{"cents": tier.value_cents, "thing": tier.thing} for tier in tiers]


def _mechanic(emission: Emission) -> Json:
    """Return what the players' acts lead to and with which odds; None of a pre-drawn emission."""
    game = version_game(emission.approval.version_id)
    return None if isinstance(game, PredrawnGame) else game.kind.mechanic.document()


def abandoned_document(emission: Emission, ended_at: datetime) -> dict[str, Json]:
    """Return the document that says that an emission is never put on sale: its game has ended."""
    return with_digests(
        {
            "format": "promotrot-abandoned/1",
            "emission": emission.reference,
            "commitment": _committed_to(emission),
            "abandoned_at": instant(ended_at),
        }
    )


def _committed_to(emission: Emission) -> str | None:
    commitment = Commitment.objects.filter(emission=emission).first()
    return commitment.digest if commitment else None


def closing_document(emission: Emission, closing: ClosingStatement) -> dict[str, Json]:
    """Return the document of the closing statement."""
    return with_digests(
        {
            **closing.document,
            "emission": emission.reference,
            "closed_at": instant(closing.closed_at),
        }
    )


def seed_document(emission: Emission, seed: str) -> dict[str, Json]:
    """Return the document with the seed and the digest of the list of sold tickets."""
    digest, sold = hashlib.sha256(), 0
    for line in ticket_lines(emission):
        digest.update(line.encode())
        sold += 1
    return with_digests(
        {
            "format": "promotrot-seed/1",
            "emission": emission.reference,
            "seed": seed,
            "sold": sold,
            "tickets_sha256": digest.hexdigest(),
        }
    )


def ticket_lines(emission: Emission) -> Iterator[str]:
    """Return a line `opening,position,uuid` for every ticket sold, in that order."""
    for opening, position, ident, *_ in _tickets(emission, "tier"):
        yield f"{opening},{position},{ident}\n"


def tickets_file(emission: Emission) -> Iterator[str]:
    """Return the published list of tickets, each with the tier it was awarded, by the plan's
    numbers.

    The tier is empty if the play has not ended or its price was paid back. Plays that left with a
    month won nothing.
    """
    predrawn = not emission.tiers.filter(count=None).exists()
    column = "tier" if predrawn else "extra_tier"
    before = 0 if predrawn else emission.tiers.filter(count=None).count()
    yield f"{TICKETS_HEADER}\n"
    for opening, position, ident, tier, cause in _tickets(emission, column):
        ended = cause not in (None, PlayEnd.Cause.REFUND)
        awarded = str(max(0, tier - before)) if ended else ""
        yield f"{opening},{position},{ident},{awarded}\n"


_SOLD = f"""
SELECT t.opening, t.position, t.uuid, e.{{column}}, e.cause
  FROM promotrot_playticket t LEFT JOIN promotrot_playend e ON e.ticket_id = t.id
 WHERE t.emission_id = %(emission)s AND {STAYS}
 UNION ALL
SELECT l.opening, l.position, l.uuid, 0, '{PlayEnd.Cause.PLAYED}'
  FROM promotrot_left_plays l WHERE l.emission_id = %(emission)s
 ORDER BY 1, 2
"""


def _tickets(emission: Emission, column: str) -> Iterator[tuple[Any, ...]]:
    """Yield opening, position and UUID of each ticket sold, in that order, with a column and the
    cause of its end: of one that left, 0 and that it was played.

    It is one statement, as a month may be retired meanwhile.
    """
    with connection.chunked_cursor() as cursor:
        cursor.execute(_SOLD.format(column=column), {"emission": emission.pk})
        while rows := cursor.fetchmany(_FETCHED):
            yield from rows
