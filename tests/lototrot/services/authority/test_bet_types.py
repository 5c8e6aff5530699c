"""Record the regulation's bet type with its figures, and others by two persons [A19]."""

from fractions import Fraction
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.bet_type import BetTypeRefused, shipped
from lototrot.models.contest import BetType
from lototrot.services.authority.bet_types import (
    BetTypeNeedsTwo,
    BetTypeRecorded,
    FiguresNotOfRegulation,
    bet_type_propose,
    bet_type_record,
)
from lototrot.services.reasons import AuthorisationMissing
from tests.support import factories
from tests.support.lototrot.putting_on_sale import DOCUMENT

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.7")]
OWN = shipped("lototrot", minimum_prize_percent=Fraction(60)).to_document()


def test_the_regulations_own_is_recorded_by_one_person_once(by: StaffActor) -> None:
    first = bet_type_record(by=by, document=OWN, authorisation="CAIB 1")
    assert bet_type_record(by=by, document=OWN, authorisation="CAIB 1") == first
    assert first.proposal is None
    with pytest.raises(BetTypeRecorded):
        bet_type_record(by=by, document=OWN | {"name": "Other"}, authorisation="CAIB 1")


@pytest.mark.parametrize(
    ("changes", "differing"),
    [
        ({"jackpot_threshold_cents": 1}, ["jackpot_threshold_cents"]),
        ({"payout_step_cents": 10_000}, ["payout_step_cents"]),
        ({"shares_below": {"7": "40", "6": "60"}}, None),  # refused as a document
        (
            {
                "legs": 2,
                "shares_below": {"2": "100", "reserve": "0"},
                "shares_above": {"2": "90", "reserve": "10"},
            },
            ["legs", "shares_below", "shares_above"],
        ),
    ],
)
def test_with_other_figures_it_is_not(
    by: StaffActor, changes: dict[str, Any], differing: list[str] | None
) -> None:
    for act in (bet_type_record, bet_type_propose):
        if differing is None:
            with pytest.raises(BetTypeRefused):
                act(by=by, document=OWN | changes, authorisation="CAIB 1")
            continue
        with pytest.raises(FiguresNotOfRegulation) as refusal:
            act(by=by, document=OWN | changes, authorisation="CAIB 1")
        assert refusal.value.data["differing"] == differing
    assert not BetType.objects.exists()


def test_the_database_takes_no_step_of_prizes_for_the_regulations_own(by: StaffActor) -> None:
    """A14: with a step of 100.00 nobody wins less, and all of it goes to the reserve."""
    with pytest.raises(IntegrityError, match="to the cent"), transaction.atomic():
        BetType.objects.create(
            code="lototrot",
            version=2,
            document=OWN | {"version": 2, "payout_step_cents": 10_000},
            authorisation="CAIB 1",
            recorded_at=clock.now(),
            recorded_by_id=by.user_id,
        )


def test_another_takes_two_persons(by: StaffActor) -> None:
    with pytest.raises(BetTypeNeedsTwo):
        bet_type_record(by=by, document=DOCUMENT, authorisation="CAIB 1")
    with pytest.raises(AuthorisationMissing):
        bet_type_propose(by=by, document=DOCUMENT, authorisation=" ")
    proposal = bet_type_propose(by=by, document=DOCUMENT, authorisation="CAIB 1")
    second = factories.staff(Role.ORGANISER)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    recorded = BetType.objects.get()
    assert (recorded.proposal, recorded.recorded_by_id) == (proposal, second.user_id)
    with pytest.raises(BetTypeRecorded):
        bet_type_propose(by=by, document=DOCUMENT, authorisation="CAIB 1")


def test_recorded_meanwhile_it_is_not_recorded_again(by: StaffActor) -> None:
    proposal = bet_type_propose(by=by, document=DOCUMENT, authorisation="CAIB 1")
    factories.bet_type_of(Rules.from_document(DOCUMENT, minimum_prize_percent=Fraction(60)))
    with pytest.raises(BetTypeRecorded):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))


def test_the_same_is_the_same_however_the_release_before_wrote_it(by: StaffActor) -> None:
    shares = {name: f"{percent}.0" for name, percent in DOCUMENT["shares_below"].items()}
    BetType.objects.create(
        code="lototrot",
        version=1,
        document=OWN | {"prize_percent": 60, "payout_step_cents": 1},
        authorisation="CAIB 1",
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
    )
    again = bet_type_record(by=by, document=OWN, authorisation="CAIB 1")
    assert again == BetType.objects.get()
    with pytest.raises(BetTypeRecorded):
        bet_type_record(by=by, document=OWN, authorisation="CAIB 1", price_cents=100)
    other = DOCUMENT | {"shares_below": shares}
    factories.bet_type_of(Rules.from_document(other, minimum_prize_percent=Fraction(60)))
    with pytest.raises(BetTypeRecorded):
        bet_type_propose(by=by, document=DOCUMENT, authorisation="CAIB 1")
