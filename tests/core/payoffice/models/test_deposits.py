"""The database's guards on deposits, their matches and their images."""

import uuid
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.models import Claim, Deposit, DepositImage, DepositMatch
from core.payoffice.services import deposits
from core.payoffice.services.presenting import presentation_make
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.guards import refused

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.article("14.III.10.5"),
    pytest.mark.usefixtures("noon"),
]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


def test_a_deposit_is_of_a_terminal_or_of_a_member_of_staff() -> None:
    place, staff = factories.point().actor, factories.staff(Role.CASHIER)
    columns = {
        "request_digest": bytes(32),
        "reason": "damaged",
        "deposited_at": clock.now(),
        "premises_id": place.premises_id,
    }
    terminal = {"terminal_id": place.terminal_id, "operator_id": place.operator_id}
    for who in ({}, terminal | {"staff_id": staff.user_id}, {"terminal_id": place.terminal_id}):
        refused("deposit_by_one", Deposit, uuid=uuid.uuid4(), **columns, **who)
    Deposit.objects.create(uuid=uuid.uuid4(), **columns, **terminal)


def test_a_match_is_with_a_held_claim_and_a_person_gives_evidence() -> None:
    presented, won = given.worth(500, 600)
    place = factories.point().actor
    first = given.deposited("", place, "unreadable")
    claim = presentation_make(at=place, code=presented.code).claim
    refused(
        "the claim is not held", DepositMatch, deposit=first, claim=claim, matched_at=clock.now()
    )
    match = DepositMatch.objects.get(deposit=given.deposited(won.code, place))
    assert match.claim.state == Claim.State.HELD
    assert (match.staff, match.evidence) == (None, "")
    person = factories.staff(Role.SUPERVISOR)
    refused(
        "deposit_match_has_evidence",
        DepositMatch,
        deposit=first,
        claim=match.claim,
        staff_id=person.user_id,
        matched_at=clock.now(),
    )
    refused("unique", DepositMatch, deposit=first, claim=match.claim, matched_at=clock.now())


def test_an_image_is_a_picture_that_is_encrypted_or_erased() -> None:
    deposit = given.deposited("", factories.point().actor, "unreadable")
    columns: dict[str, Any] = {
        "deposit": deposit,
        "media_type": "image/png",
        "added_at": clock.now(),
        "kept_until": natural_day(clock.now()),
        "encrypted": b"x",
    }
    for name, changes in (
        ("deposit_image_kind", {"media_type": "text/html"}),
        ("deposit_image_purged_whole", {"encrypted": None}),
        ("deposit_image_purged_whole", {"purged_at": clock.now()}),
    ):
        refused(name, DepositImage, uuid=uuid.uuid4(), **(columns | changes))
    image = deposits.image_add(
        at=given.cashier(), deposit=deposit.uuid, media_type="image/png", content=PNG
    )
    with pytest.raises(IntegrityError, match="kept until its day"), transaction.atomic():
        DepositImage.objects.filter(pk=image.pk).update(encrypted=b"another")
