"""Record bet types (14.III.7) [A19].

The figures of the regulation's own bet type, `lototrot`, are the regulation's: a version of it is
recorded only with the figures of the text or of an amendment. Any other bet type needs the
authority's authorisation, recorded by two persons. A draft is a proposal that waits: its proposer
corrects it by another one that replaces it, or withdraws it.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid
from core.kernel.languages import LANGUAGES
from core.kernel.regulation import GameFigures
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.bet_type import differing
from lototrot.models.contest import BetType
from lototrot.selectors.amendments import schedule
from lototrot.selectors.contests import figures_of
from lototrot.services.reasons import need_authorisation


class BetTypeRecorded(Conflict):
    code = "bet_type_recorded"
    message = "That version is on record with other content; a change is a new version."


class FiguresNotOfRegulation(Conflict):
    """`data`: differing, the fields with other figures than any version of the regulation."""

    code = "figures_not_of_regulation"
    message = (
        "Categories, shares and threshold of this bet type are the regulation's: others need an"
        " amendment with its source, entered by two (14.III.7, 9.2, 9.3) [A19]. Its prizes"
        " go down to the cent [A14]."
    )


class BetTypeNeedsTwo(Conflict):
    code = "bet_type_needs_two"
    message = "Another bet type than the regulation's is proposed, and a second person confirms it."


class RulesNotInEveryLanguage(Invalid):
    """`data`: languages, those in which the rules are written, or not at all."""

    code = "bet_type_rules_incomplete"
    message = "The text of the rules is given in every language, or in none."


class PriceOfBetRefused(Invalid):
    """`data`: price_cents, minimum_cents, maximum_cents."""

    code = "bet_type_price_refused"
    message = "The price of a bet is outside the limits of the regulation (14.III.2)."


@dataclass(frozen=True, slots=True)
class Wanted:
    """The content of a bet type: the engine's rules, and what a contest of it begins with."""

    rules: Rules
    authorisation: str
    price_cents: int | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def to_document(self) -> dict[str, Any]:
        """Return it as a proposal keeps it."""
        return {
            "document": self.rules.to_document(),
            "price_cents": self.price_cents,
            "rules": dict(self.texts),
            "authorisation": self.authorisation,
        }


@transaction.atomic
def bet_type_record(
    *,
    by: StaffActor,
    document: Mapping[str, Any],
    authorisation: str,
    price_cents: int | None = None,
    rules: Mapping[str, str] | None = None,
) -> BetType:
    """Record a version of the regulation's own bet type. The same content again returns the row.

    Raise BetTypeRefused, AuthorisationMissing, PriceOfBetRefused, RulesNotInEveryLanguage,
    BetTypeNeedsTwo, FiguresNotOfRegulation or BetTypeRecorded.
    """
    by.need(powers.PREPARE_CONTEST)
    content = _read(document, authorisation, price_cents, rules)
    if content.rules.code not in {
        version.lototrot.bet_type.code for version in schedule().versions
    }:
        raise BetTypeNeedsTwo(code=content.rules.code)
    hold((Lock.FIGURES, 0))  # of two at once, the second finds the first
    return _recorded(content) or _create(content, by, None)


@transaction.atomic
def bet_type_propose(
    *,
    by: StaffActor,
    document: Mapping[str, Any],
    authorisation: str,
    price_cents: int | None = None,
    rules: Mapping[str, str] | None = None,
    replaces: uuid.UUID | None = None,
) -> Proposal:
    """Propose a version of a bet type that the authority has authorised; a second person confirms.

    `replaces` is a proposal that still waits and that this one corrects: it is rejected. Raise
    BetTypeRefused, AuthorisationMissing, PriceOfBetRefused, RulesNotInEveryLanguage,
    FiguresNotOfRegulation, BetTypeRecorded (also for the same content), ProposalPending, or
    ProposalUnknown and ProposalDecided for `replaces`.
    """
    by.need(powers.PREPARE_CONTEST)
    content = _read(document, authorisation, price_cents, rules)
    if _recorded(content) is not None:
        raise BetTypeRecorded(code=content.rules.code, version=content.rules.version)
    return two_persons.propose(
        kind=BET_TYPE,
        subject=f"bet-type:{content.rules.code}:{content.rules.version}",
        by=by,
        content=content.to_document(),
        replaces=replaces,
    )


def next_version(code: str) -> int:
    """Return the number of the next version of a bet type."""
    newest = BetType.objects.filter(code=code).order_by("-version").first()
    return newest.version + 1 if newest else 1


def least_prize_percent() -> Fraction:
    """Return the part of the takings, in percent, that goes to prizes at least (14.III.6.1)."""
    return _figures().minimum_prize_percent


def price_limits() -> tuple[int, int]:
    """Return the lowest and the highest price of a bet, in cents (14.III.2)."""
    return _figures().minimum_price_cents, _figures().maximum_price_cents


def _figures() -> GameFigures:
    return figures_of(natural_day(clock.now())).lototrot


def _read(
    document: Mapping[str, Any],
    authorisation: str,
    price_cents: int | None,
    texts: Mapping[str, str] | None,
) -> Wanted:
    need_authorisation(authorisation)
    rules = Rules.from_document(document, minimum_prize_percent=least_prize_percent())
    others = [differing(rules, version.lototrot.bet_type) for version in schedule().versions]
    if all(others):
        raise FiguresNotOfRegulation(code=rules.code, differing=list(others[-1]))
    if price_cents is not None and not _figures().price_in_range(price_cents):
        least, most = price_limits()
        raise PriceOfBetRefused(price_cents=price_cents, minimum_cents=least, maximum_cents=most)
    written = {code: text for code, text in (texts or {}).items() if text.strip()}
    if written and set(written) != set(LANGUAGES):
        raise RulesNotInEveryLanguage(languages=sorted(written))
    return Wanted(rules, authorisation, price_cents, written)


def _recorded(content: Wanted) -> BetType | None:
    rules = content.rules
    recorded: BetType | None = BetType.objects.filter(
        code=rules.code, version=rules.version
    ).first()
    if recorded is not None and _content(recorded) != _content(content):
        raise BetTypeRecorded(code=rules.code, version=rules.version)
    return recorded


def _content(of: BetType | Wanted) -> tuple[Any, ...]:
    """Return what decides whether two are the same: a release may write the same rules anew."""
    if isinstance(of, Wanted):
        return of.rules, of.price_cents, dict(of.texts)
    read_again = Rules.from_document(of.document, minimum_prize_percent=Fraction(0))
    return read_again, of.price_cents, of.rules


def _create(content: Wanted, by: StaffActor, proposal: Proposal | None) -> BetType:
    return BetType.objects.create(
        code=content.rules.code,
        version=content.rules.version,
        document=content.rules.to_document(),
        price_cents=content.price_cents,
        rules=dict(content.texts),
        authorisation=content.authorisation,
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
        proposal=proposal,
    )


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    read_again = _read(
        content["document"], content["authorisation"], content["price_cents"], content["rules"]
    )
    hold((Lock.FIGURES, 0))
    if _recorded(read_again) is not None:
        raise BetTypeRecorded(code=read_again.rules.code, version=read_again.rules.version)
    _create(read_again, by, proposal)


BET_TYPE = two_persons.Kind(
    "lototrot.bet_type", powers.PREPARE_CONTEST, apply=_confirmed, good_for=two_persons.A_WEEK
)
