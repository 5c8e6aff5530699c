"""Seal closed contests, amend seals, and verify tickets against them (rulebook 1.5).

After the seal, everybody can check that no bet was added, changed or removed: its root is signed
and published before any race is settled or drawn, and settlement computes it again from the
tickets.
"""

from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.locks import Lock
from core.database.reading.asking import fetch_all, fetch_row, fetch_value
from core.kernel.canonical import with_digests
from core.kernel.errors import Conflict, InvariantBroken, Unavailable
from core.proofs import log, merkle, wire
from core.staff.models import Proposal
from lototrot.models.contest import Contest
from lototrot.models.sealing import Amendment, Seal
from lototrot.selectors.contests import contest_get
from lototrot.selectors.published import SEAL
from lototrot.selectors.retired import need_all
from lototrot.services.contest.published_terms import need_as_opened, published_terms
from lototrot.services.long_acts import hold_for_long, under_way
from lototrot.services.seal.hashing import Hashed
from lototrot.services.seal.leaves import SEALED, hashed

AMENDMENT = "lototrot.amendment"


class ContestOnSale(Conflict):
    code = "contest_on_sale"
    message = "A contest is sealed once it has closed."


class ContestNotSealed(Conflict):
    code = "contest_not_sealed"
    message = "The tickets of the contest are not sealed yet."


class SealBusy(Unavailable):
    code = "seal_busy"
    message = "The contest is being sealed, or changed, by someone else right now."


class SealUnsound(InvariantBroken):
    """The tickets differ from the seal.

    `data`: check (the figure), sealed (published), found (now).
    """

    code = "seal_unsound"
    message = "The tickets differ from the sealed ones."


@dataclass(frozen=True, slots=True)
class Totals:
    """Number of tickets, number of bets, and takings in cents."""

    tickets: int
    bets: int
    takings_cents: int

    def less(self, other: "Totals") -> "Totals":
        return Totals(
            self.tickets - other.tickets,
            self.bets - other.bets,
            self.takings_cents - other.takings_cents,
        )


@dataclass(frozen=True, slots=True)
class _Tree:
    root: bytes
    blocks: Hashed

    @property
    def totals(self) -> Totals:
        return Totals(self.blocks.tickets, self.blocks.bets, self.blocks.takings_cents)


def sealed(contest: Contest) -> Seal | None:
    """Return the contest's seal or None. A draw starts only after the seal (14.III.5.4.3).

    The columns that only proofs need are not loaded, because they may be large.
    """
    seals = Seal.objects.select_related("entry__key").filter(contest=contest)
    return seals.defer("block_roots", "block_first_ids").first()


def need_sealed(contest: Contest) -> Seal:
    """Return the contest's seal. Raise ContestNotSealed."""
    seal = sealed(contest)
    if seal is None:
        raise ContestNotSealed(contest=contest.pk)
    return seal


def sealing(contest: Contest) -> bool:
    """Return whether the contest is being sealed now. Sealing may take minutes."""
    return under_way(Lock.SEAL, contest.pk)


def seals_due() -> list[int]:
    """Return the closed contests without a seal, in the order of their closing."""
    waiting = Contest.objects.filter(state=Contest.State.CLOSED, seal=None)
    return list(waiting.order_by("closed_at", "pk").values_list("pk", flat=True))


@transaction.atomic
def contest_seal(*, contest_id: int) -> Seal:
    """Seal a closed contest and publish the seal. If it is sealed already, return that seal.

    Raise ContestUnknown, ContestOnSale, SealBusy (transient), or TermsUnsound: a seal with other
    terms than those of the sale could not be taken back.
    """
    contest = contest_get(contest_id)
    hold_for_long(SealBusy(contest=contest_id), (Lock.SEAL, contest_id), contest_id=contest_id)
    contest.refresh_from_db()
    seal = sealed(contest)
    if seal is not None:
        return seal
    if contest.state != Contest.State.CLOSED:
        raise ContestOnSale(contest=contest_id, state=contest.state)
    need_as_opened(contest)
    tree = _tree(contest)
    entry = log.publish(kind=SEAL, subject=_subject(contest), document=_document(contest, tree))
    return Seal.objects.create(
        contest=contest,
        **asdict(tree.totals),
        root=tree.root,
        block_roots=tree.blocks.roots,
        block_first_ids=tree.blocks.first_ids,
        entry=entry,
        sealed_at=clock.now(),
    )


def seal_verify(contest: Contest) -> Totals:
    """Compute the root again from the tickets. Return the totals after all amendments.

    Raise ContestNotSealed, TicketsArchived where tickets left with a retired month, SealUnsound,
    TermsUnsound, LeafUnsound or EntryUnsound. It reads every ticket; the caller holds the
    contest's lock, or reads a snapshot.
    """
    seal = need_sealed(contest)
    log.need_sound(seal.entry)
    need_as_opened(contest)
    need_all(contest.pk)
    tree = _tree(contest)
    recomputed = _document(contest, tree)
    published = seal.entry.document
    for check, value in recomputed.items():
        if published.get(check) != value:
            raise SealUnsound(check=check, sealed=published.get(check), found=value)
    stored = Totals(seal.tickets, seal.bets, seal.takings_cents)
    if (bytes(seal.root), stored) != (tree.root, tree.totals):
        raise SealUnsound(check="stored", sealed=bytes(seal.root).hex(), found=tree.root.hex())
    return _verify_amendments(seal, tree.totals)


def seal_amend(*, contest: Contest, proposal: Proposal) -> Amendment:
    """Publish which sealed tickets an act of two persons has just voided, as part of that act.

    Raise ContestNotSealed. The caller holds the contest's exclusive lock.
    """
    seal = need_sealed(contest)
    number = seal.amendments.count() + 1
    document, _ = _amendment(seal, number, proposal, _left(seal))
    entry = log.publish(kind=AMENDMENT, subject=f"{_subject(contest)}:{number}", document=document)
    return Amendment.objects.create(seal=seal, number=number, proposal=proposal, entry=entry)


def _subject(contest: Contest) -> str:
    return f"contest:{contest.pk}"


def _document(contest: Contest, tree: _Tree) -> dict[str, Any]:
    """Return the published document of a seal (docs/proofs/seals.md)."""
    if contest.closed_at is None:
        raise ContestOnSale(contest=contest.pk)
    return with_digests(
        {
            "format": "lototrot-seal-1",
            **published_terms(contest),
            "closed_at": wire.instant(contest.closed_at),
            "closing_cause": contest.closing_cause,
            **asdict(tree.totals),
            "root": tree.root.hex(),
        }
    )


def _tree(contest: Contest) -> _Tree:
    blocks = hashed(contest)
    return _Tree(merkle.root(list(merkle.cut(blocks.roots))), blocks)


_VOIDED = f"""
SELECT s.place, v.note FROM lototrot_void v JOIN (
    SELECT t.id, row_number() OVER (ORDER BY t.id) - 1 AS place
      FROM lototrot_ticket t WHERE t.contest_id = %s AND {SEALED}) s ON s.id = v.ticket_id
 WHERE v.proposal_id = %s ORDER BY s.place
"""
_TAKEN = """
SELECT count(*), coalesce(sum(t.bets), 0)::bigint, coalesce(sum(t.amount_cents), 0)::bigint
  FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id WHERE v.proposal_id = %s
"""
_UNPUBLISHED = """
SELECT count(*) FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id
 WHERE t.contest_id = %s AND v.reason <> 'error' AND NOT EXISTS (
    SELECT FROM lototrot_amendment a WHERE a.seal_id = %s AND a.proposal_id = v.proposal_id)
"""


def _left(seal: Seal) -> Totals:
    """Return the totals after the newest amendment, or those of the seal."""
    newest = seal.amendments.select_related("entry").order_by("-number").first()
    if newest is None:
        return Totals(seal.tickets, seal.bets, seal.takings_cents)
    return Totals(**newest.entry.document["left"])


def _amendment(
    seal: Seal, number: int, proposal: Proposal, before: Totals
) -> tuple[dict[str, Any], Totals]:
    """Return the published document of an amendment (docs/proofs/seals.md) and its totals."""
    taken = Totals(*fetch_row(_TAKEN, [proposal.pk]))
    places = fetch_all(_VOIDED, [seal.contest_id, proposal.pk])
    voided = [{"place": place, "reasons": note} for place, note in places]
    left = before.less(taken)
    document: dict[str, Any] = {
        "format": "lototrot-amendment-1",
        "contest": seal.contest_id,
        "seal": bytes(seal.entry.digest).hex(),
        "number": number,
        "act": str(proposal.uuid),
        "voided": voided,
        "taken": asdict(taken),
        "left": asdict(left),
    }
    return with_digests(document), left


def _verify_amendments(seal: Seal, totals: Totals) -> Totals:
    """Check that each void of a sealed ticket was published, and each published void exists."""
    for amendment in seal.amendments.select_related("entry__key", "proposal").order_by("number"):
        log.need_sound(amendment.entry)
        recomputed, totals = _amendment(seal, amendment.number, amendment.proposal, totals)
        if recomputed != amendment.entry.document:
            raise SealUnsound(check=f"amendment {amendment.number}")
    unpublished = fetch_value(_UNPUBLISHED, [seal.contest_id, seal.pk])
    if unpublished:
        raise SealUnsound(check="voids without an amendment", sealed=0, found=unpublished)
    return totals
