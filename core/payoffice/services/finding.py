"""From a presented code to what it is owed, and what became of that."""

import dataclasses
from collections.abc import Callable
from datetime import date, datetime
from uuid import UUID

from django.conf import settings

from core.database.kept import kept
from core.database.statements import run_prepared
from core.kernel import codes
from core.kernel.days import natural_day
from core.kernel.regulation import PaymentFigures, shipped
from core.payoffice import sources
from core.payoffice.models import CashCeiling, Claim
from core.payoffice.sources import DocumentUnknown, Payable, Source

FIGURES_KEPT_S = 30


def by_code(presented: str) -> Payable:
    """The document of a scanned or typed code.

    Raises CodeMalformed, CodeMistyped or CodeForged before anything is looked up, DocumentUnknown.
    """
    kinds = [source.kind for source in sources.all_sources()]
    code = codes.parse(presented, settings.CODE_KEYS, *kinds)
    payable = sources.of_kind(code.kind).by_code(settings.CODE_KEYS.digest(code))
    if payable is None:
        raise DocumentUnknown
    return payable


def by_claim(claim: Claim) -> Payable:
    """The document of a claim."""
    return _first(claim.game, lambda source: source.by_id(claim.document_id))


def by_uuid(game: str, document: UUID) -> Payable:
    """The document of a game by the UUID printed on it. Raises DocumentUnknown."""
    return _first(game, lambda source: source.by_uuid(document))


def _first(game: str, ask: Callable[[Source], Payable]) -> Payable:
    """What the first of a game's sources that knows the document answers."""
    for source in sources.all_sources():
        if source.game == game:
            try:
                return ask(source)
            except DocumentUnknown:
                continue
    raise DocumentUnknown


def source_of(payable: Payable) -> Source:
    return sources.of_game(payable.game, payable.bearer)


def claim_of(payable: Payable) -> Claim | None:
    """What became of it, with the deposit it is matched with; None while untouched."""
    return (
        Claim.objects.select_related("deposit_match__deposit")
        .filter(game=payable.game, document_id=payable.document_id)
        .first()
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A document's claim at an instant: its state, None for none, and its deposit's receipt."""

    now: datetime
    state: str | None
    deposit: UUID | None

    @property
    def today(self) -> date:
        return natural_day(self.now)


_KNOWN = """
SELECT core_now(), c.state, d.uuid FROM (VALUES (1)) always
  LEFT JOIN payoffice_claim c ON c.game = %s AND c.document_id = %s
  LEFT JOIN payoffice_depositmatch m ON m.claim_id = c.id
  LEFT JOIN payoffice_deposit d ON d.id = m.deposit_id
"""


def known(payable: Payable) -> Known:
    """What has become of a document by now; on the way of every payment: one query."""
    return Known(*run_prepared(_KNOWN, [payable.game, payable.document_id]))


def is_deposited(claim: Claim | None) -> bool:
    """Whether the document is one that was taken in as a deposit."""
    return claim is not None and hasattr(claim, "deposit_match")


def claim_of_deposit(deposit: UUID) -> Claim:
    """The claim of a matched deposit, by its receipt. Raises DocumentUnknown."""
    found = (
        Claim.objects.select_related("deposit_match__deposit")
        .filter(deposit_match__deposit__uuid=deposit)
        .first()
    )
    if found is None:
        raise DocumentUnknown
    return found


@kept(most=64, seconds=FIGURES_KEPT_S)
def payment_figures(day: date) -> PaymentFigures:
    """Tiers and cash ceiling of a day: the regulation's, and the ceilings entered since [C3].

    At most half a minute old: a ceiling is entered before the day it is in force from.
    """
    regulation = shipped().in_force(day)
    later = CashCeiling.objects.filter(
        in_force_from__lte=day, in_force_from__gt=regulation.in_force_from
    )
    ceiling = later.order_by("in_force_from").last()
    if ceiling is None:
        return regulation.payment
    return dataclasses.replace(regulation.payment, cash_up_to_cents=ceiling.cents)
