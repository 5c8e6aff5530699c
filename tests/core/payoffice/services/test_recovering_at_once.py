"""Recoveries of a loss that are recorded at once: a credit stands once, and never too much."""

from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import accounts
from core.payoffice.models import Cheque, ChequeRecovery
from core.payoffice.services import recovering
from core.staff import two_persons
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.concurrency.sales import together
from tests.support.payoffice.losing import LOST_CENTS, lost, recovery

pytestmark = pytest.mark.usefixtures("own_database")


def test_of_two_confirmed_at_once_with_the_same_reference_one_stands() -> None:
    factories.time_to(rounds.NOON)
    by, other = lost(), lost()
    proposals = recovery(by, 70, "TR 9"), recovery(other, 70, "TR 9", number=2)
    people = [factories.staff(Role.ORGANISER) for _ in proposals]
    answers = together(
        *(
            partial(two_persons.confirm, proposal=each.uuid, by=person)
            for each, person in zip(proposals, people, strict=True)
        )
    )
    assert sorted(type(each).__name__ for each in answers) == ["Proposal", "RecoveryRecorded"]
    assert given.balance(accounts.voided_cheques()) == 2 * LOST_CENTS - 70


def test_rows_that_are_written_at_once_are_never_more_than_the_loss() -> None:
    """By SQL of the application's role, which does not take the lock itself."""
    factories.time_to(rounds.NOON)
    lost()
    answers = together(*(partial(_write, f"TR {number}") for number in range(3)))
    refused = [each for each in answers if isinstance(each, IntegrityError)]
    assert (len(refused), ChequeRecovery.objects.count()) == (2, 1)


@transaction.atomic
def _write(reference: str) -> ChequeRecovery:
    """Write a recovery in the act in which two persons decide it."""
    recovery: ChequeRecovery = ChequeRecovery.objects.create(**_confirmed_columns(reference))
    return recovery


def _confirmed_columns(reference: str) -> dict[str, Any]:
    now = clock.now()
    facts: dict[str, Any] = {
        "amount_cents": 60_000,
        "reference": reference,
        "returned_by": "bank",
    }
    on = natural_day(now)
    content = facts | {"cheque": 1, "credited_on": on.isoformat()}
    return facts | {
        "uuid": clock.row_uuid(now),
        "cheque": Cheque.objects.get(),
        "credited_on": on,
        "proposal": factories.proposal(recovering.RECOVERY.name, content=content),
        "recorded_at": now,
    }
