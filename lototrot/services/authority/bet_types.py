"""Record bet types (14.III.7) [A19].

The figures of the regulation's own bet type, `lototrot`, are the regulation's: a version of it is
recorded only with the figures of the text or of an amendment. Any other bet type needs the
authority's authorisation, recorded by two persons.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.database import clock
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.bet_type import differing
from lototrot.models.contest import BetType
from lototrot.selectors.amendments import schedule
from lototrot.services.contest.contests import figures_of, need_authorisation


class BetTypeRecorded(Conflict):
    code = "bet_type_recorded"
    message = "That version is on record with other content; a change is a new version."


class FiguresNotOfRegulation(Conflict):
    """`data`: differing, the fields with other figures than any version of the regulation."""

    code = "figures_not_of_regulation"
    message = (
        "Categories, shares and threshold of this bet type are the regulation's: others need an"
        " amendment with its source, entered by two persons (14.III.7, 9.2, 9.3) [A19]."
    )


class BetTypeNeedsTwo(Conflict):
    code = "bet_type_needs_two"
    message = "Another bet type than the regulation's is proposed, and a second person confirms it."


def bet_type_record(*, by: StaffActor, document: Mapping[str, Any], authorisation: str) -> BetType:
    """Record a version of the regulation's own bet type. The same content again returns the row.

    Raise BetTypeRefused, AuthorisationMissing, BetTypeNeedsTwo, FiguresNotOfRegulation or
    BetTypeRecorded.
    """
    by.need(powers.PREPARE_CONTEST)
    rules = _read(document, authorisation)
    if rules.code not in {version.lototrot.bet_type.code for version in schedule().versions}:
        raise BetTypeNeedsTwo(code=rules.code)
    return _recorded(rules) or _create(rules, authorisation, by, None)


@transaction.atomic
def bet_type_propose(
    *, by: StaffActor, document: Mapping[str, Any], authorisation: str
) -> Proposal:
    """Propose a version of a bet type that the authority has authorised; a second person confirms.

    Raise BetTypeRefused, AuthorisationMissing, FiguresNotOfRegulation, BetTypeRecorded (also for
    the same content) or ProposalPending.
    """
    by.need(powers.PREPARE_CONTEST)
    rules = _read(document, authorisation)
    if _recorded(rules) is not None:
        raise BetTypeRecorded(code=rules.code, version=rules.version)
    return two_persons.propose(
        kind=BET_TYPE,
        subject=f"bet-type:{rules.code}:{rules.version}",
        by=by,
        content={"document": rules.to_document(), "authorisation": authorisation},
    )


def _read(document: Mapping[str, Any], authorisation: str) -> Rules:
    need_authorisation(authorisation)
    least = figures_of(natural_day(clock.now())).lototrot.minimum_prize_percent
    rules = Rules.from_document(document, minimum_prize_percent=least)
    others = [differing(rules, version.lototrot.bet_type) for version in schedule().versions]
    if all(others):
        raise FiguresNotOfRegulation(code=rules.code, differing=list(others[-1]))
    return rules


def _recorded(rules: Rules) -> BetType | None:
    recorded: BetType | None = BetType.objects.filter(
        code=rules.code, version=rules.version
    ).first()
    if recorded is not None and recorded.document != rules.to_document():
        raise BetTypeRecorded(code=rules.code, version=rules.version)
    return recorded


def _create(rules: Rules, authorisation: str, by: StaffActor, proposal: Proposal | None) -> BetType:
    return BetType.objects.create(
        code=rules.code,
        version=rules.version,
        document=rules.to_document(),
        authorisation=authorisation,
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
        proposal=proposal,
    )


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    authorisation = proposal.content["authorisation"]
    rules = _read(proposal.content["document"], authorisation)
    if _recorded(rules) is not None:
        raise BetTypeRecorded(code=rules.code, version=rules.version)
    _create(rules, authorisation, by, proposal)


BET_TYPE = two_persons.Kind(
    "lototrot.bet_type", powers.PREPARE_CONTEST, apply=_confirmed, good_for=two_persons.A_WEEK
)
