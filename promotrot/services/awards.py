"""From the outcome of a play to its end and its vouchers, as they will be written (15.III.6)."""

import datetime
import secrets
import uuid
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.db import connection

from core.database import clock
from core.journal.acting import acting
from core.kernel import codes
from core.kernel.canonical import Json
from core.kernel.regulation import shipped
from promotrot.engine.game import PredrawnGame
from promotrot.engine.reveal import picture_document, reveal
from promotrot.models.play import PlayEnd
from promotrot.models.voucher import Voucher, VoucherSecret
from promotrot.services.dealing import dealing
from promotrot.services.facts import EmissionFacts, TierFacts

SECRET_BYTES: Final = 32
_SECRETS_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class Draft:
    """A voucher to be issued: cash prizes together, a thing by itself [P8]."""

    nature: str
    amount_cents: int
    prizes: tuple[TierFacts, ...]
    thing: str = ""

    def prize_documents(self) -> list[dict[str, Any]]:
        return [
            {"tier": prize.number, "cents": prize.value_cents, "extra": prize.extra}
            for prize in self.prizes
        ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a play comes to: the tiers (0: none), the picture, and the vouchers for it."""

    cause: str
    tier: int
    extra_tier: int
    awarded_cents: int
    extra_cents: int
    picture: Json
    drafts: tuple[Draft, ...]

    def document(self) -> dict[str, Json]:
        """As `promotrot_end` takes it."""
        return {
            "cause": self.cause,
            "tier": self.tier,
            "extra_tier": self.extra_tier,
            "awarded_cents": self.awarded_cents,
            "extra_cents": self.extra_cents,
            "picture": self.picture,
        }


def predrawn_outcome(facts: EmissionFacts, opening: int, position: int, cause: str) -> Outcome:
    """What lay on a pre-drawn ticket before it was sold, and a picture of exactly that [P12]."""
    game = facts.game
    if not isinstance(game, PredrawnGame):
        raise TypeError("the game is not a pre-drawn one")
    dealt = dealing(facts.pk)
    tier = dealt.tier(opening, position)
    picture = reveal(game.presentation, game.kind.shown_as(tier), dealt.picture(opening, position))
    return _outcome(facts, cause, tier, 0, picture_document(picture))


def played_outcome(facts: EmissionFacts, opening: int, position: int, award: int) -> Outcome:
    """What a probabilistic play came to, and any extra prize that lay on its ticket [P2, P3]."""
    extra_tier = dealing(facts.pk).tier(opening, position) if facts.dealt else 0
    return _outcome(facts, PlayEnd.Cause.PLAYED, award, extra_tier, None)


def refund_outcome(facts: EmissionFacts) -> Outcome:
    """The price of a probabilistic play that nobody began is due back [P11]."""
    draft = Draft(Voucher.Nature.REFUND, facts.price_cents, ())
    return Outcome(PlayEnd.Cause.REFUND, 0, 0, 0, 0, None, (draft,))


def _outcome(
    facts: EmissionFacts, cause: str, tier: int, extra_tier: int, picture: Json
) -> Outcome:
    won = [facts.tiers[number] for number in (tier, extra_tier) if number]
    cash = tuple(prize for prize in won if not prize.thing)
    drafts = [
        Draft(Voucher.Nature.IN_KIND, prize.value_cents, (prize,), prize.thing)
        for prize in won
        if prize.thing
    ]
    if cash:
        drafts.insert(0, Draft(Voucher.Nature.CASH, sum(p.value_cents for p in cash), cash))
    extra = sum(prize.value_cents for prize in won if prize.extra)
    awarded = sum(prize.value_cents for prize in won) - extra
    return Outcome(cause, tier, extra_tier, awarded, extra, picture, tuple(drafts))


@dataclass(frozen=True, slots=True)
class Issue:
    """A voucher about to be written. `code` is None where it will be held for the buyer."""

    uuid: uuid.UUID
    number: int
    draft: Draft
    code: codes.Code | None

    def document(self) -> dict[str, Any]:
        """As `promotrot_end` takes it."""
        digest = None if self.code is None else settings.CODE_KEYS.digest(self.code).hex()
        return {
            "uuid": str(self.uuid),
            "number": self.number,
            "nature": self.draft.nature,
            "amount": self.draft.amount_cents,
            "prizes": self.draft.prize_documents(),
            "thing": self.draft.thing,
            "digest": digest,
        }


def issues(outcome: Outcome, ticket: uuid.UUID, day: datetime.date | None) -> tuple[Issue, ...]:
    """The vouchers of an outcome; `day` is that of their codes, None where they will be held.

    A voucher's UUID is its reference and tells nothing of its code.
    """
    made = []
    for number, draft in enumerate(outcome.drafts, start=1):
        ident = uuid.uuid5(ticket, f"voucher/{number}")
        made.append(Issue(ident, number, draft, None if day is None else code_of(ident, day)))
    return tuple(made)


def code_of(voucher: uuid.UUID, day: datetime.date, version: str | None = None) -> codes.Code:
    """A voucher's code from the secret of the day on which it is issued or handed over."""
    secret = day_secret(day)
    return codes.issue(codes.VOUCHER, voucher, secret, settings.CODE_KEYS, version)


def day_secret(day: datetime.date) -> bytes:
    """What the codes of a day are made from; the first who asks on that day makes it."""
    if connection.in_atomic_block:  # may be rolled back, and must then not be remembered
        return _secret_of(day)
    return _kept_secret(str(connection.settings_dict["NAME"]), day)


@lru_cache(maxsize=_SECRETS_KEPT)
def _kept_secret(database: str, day: datetime.date) -> bytes:
    with acting("promotrot.voucher_secret"):  # a terminal's path has not named its act here
        return _secret_of(day)


def _secret_of(day: datetime.date) -> bytes:
    VoucherSecret.objects.bulk_create(
        [VoucherSecret(day=day, secret=secrets.token_bytes(SECRET_BYTES), made_at=clock.now())],
        ignore_conflicts=True,
    )
    kept = VoucherSecret.objects.values_list("secret", flat=True).get(day=day)
    return bytes(kept or b"")


def claim_days(day: datetime.date) -> int:
    """How long a voucher issued on that day may be presented (15.III.6.6) [P5]."""
    return shipped().in_force(day).promotrot.claim_days
