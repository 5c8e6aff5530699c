"""The database's guards on what is given back of losses, written off, and taken back."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, transaction

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.models import (
    Cheque,
    ChequeRecovery,
    ChequeWriteOff,
    LossEntry,
    VoidedChequePayment,
)
from core.payoffice.services import recovering
from core.staff.models import Proposal
from tests.support import factories
from tests.support.payoffice.guards import refused
from tests.support.payoffice.losing import LOST_CENTS, lost, recovered, taken_back, written_off

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_what_is_given_back_is_of_a_loss_and_what_two_persons_named() -> None:
    lost(outcome="settled")
    by, today = lost(), natural_day(clock.now())
    recovered(by, LOST_CENTS - 10, number=2)

    def columns(
        decided: dict[str, Any] | None = None, kind: str = recovering.RECOVERY.name, **changes: Any
    ) -> dict[str, Any]:
        facts = {"amount_cents": 10, "credited_on": today, "reference": "TR 2"}
        facts |= {"returned_by": "bank", "number": 2} | changes
        cheque = Cheque.objects.get(number=facts.pop("number"))
        content = facts | {"credited_on": str(facts["credited_on"]), "cheque": cheque.number}
        return facts | {
            "uuid": uuid.uuid4(),
            "cheque": cheque,
            "proposal": factories.proposal(kind, content=content | (decided or {})),
            "recorded_at": clock.now(),
        }

    for changes in (
        {"amount_cents": 11},
        {"number": 1},
        {"credited_on": today + timedelta(days=1)},
        {"credited_on": today - timedelta(days=1)},
    ):
        refused("not so much of a loss", ChequeRecovery, **columns(**changes))
    for decided in (
        {"cheque": 1},
        {"amount_cents": 9},
        {"credited_on": "2030-01-01"},
        {"reference": "TR 3"},
        {"returned_by": "insurer"},
        {"returned_by": None},
    ):
        refused("two persons confirmed another", ChequeRecovery, **columns(decided))
    refused("cheque_recovery_positive", ChequeRecovery, **columns(amount_cents=-1))
    refused("cheque_recovery_has_reference", ChequeRecovery, **columns(reference=""))
    refused("cheque_recovery_once", ChequeRecovery, **columns(reference="tr 1"))
    refused("two persons are needed", ChequeRecovery, **columns(kind="payoffice.ruling"))
    rows = [columns(reference=f"TR {number}") for number in (3, 4)]
    with pytest.raises(IntegrityError, match="not so much of a loss"), transaction.atomic():
        ChequeRecovery.objects.bulk_create(ChequeRecovery(**each) for each in rows)
    refused("not so much of a loss", ChequeRecovery, **columns(), **reversed_by(uuid.uuid4()))
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        ChequeRecovery.objects.update(amount_cents=1)
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        ChequeRecovery.objects.all()._raw_delete("default")
    ChequeRecovery.objects.create(**columns())
    assert [each.still_lost_cents for each in Cheque.objects.order_by("number")] == [0, 0]


def test_what_is_written_off_is_of_a_loss_and_what_two_persons_named() -> None:
    by = lost()
    recovered(by, LOST_CENTS - 10)

    def columns(
        decided: dict[str, Any] | None = None, kind: str = recovering.WRITE_OFF.name, **changes: Any
    ) -> dict[str, Any]:
        facts = {"amount_cents": 10, "reason": "Closed."} | changes
        content = facts | {"cheque": 1} | (decided or {})
        return facts | {
            "uuid": uuid.uuid4(),
            "cheque": Cheque.objects.get(),
            "proposal": factories.proposal(kind, content=content),
            "recorded_at": clock.now(),
        }

    refused("not so much of a loss", ChequeWriteOff, **columns(amount_cents=11))
    for decided in ({"cheque": 2}, {"amount_cents": 9}, {"reason": "Other."}, {"reason": None}):
        refused("two persons confirmed another", ChequeWriteOff, **columns(decided))
    refused("cheque_write_off_positive", ChequeWriteOff, **columns(amount_cents=-1))
    refused("cheque_write_off_has_reason", ChequeWriteOff, **columns(reason=""))
    refused("two persons are needed", ChequeWriteOff, **columns(kind=recovering.RECOVERY.name))
    refused("not so much of a loss", ChequeWriteOff, **columns(), **reversed_by(uuid.uuid4()))
    ChequeWriteOff.objects.create(**columns())
    refused("not so much of a loss", ChequeWriteOff, **columns(amount_cents=1))
    assert Cheque.objects.get().still_lost_cents == 0


def reversed_by(entry: uuid.UUID, *, kind: str = "", **decided: Any) -> dict[str, Any]:
    """Return the columns of an entry that two persons take back, as they named it."""
    content = {"entry": str(entry), "reason": "Mistake."} | decided
    return {
        "reversed_at": clock.now(),
        "reversed_reason": "Mistake.",
        "reversal": factories.proposal(kind or recovering.REVERSAL.name, content=content),
    }


def test_an_entry_is_taken_back_once_and_as_two_persons_named_it() -> None:
    by = lost()
    recovered(by, 10)
    written_off(by, 10)
    models: tuple[type[LossEntry], ...] = (ChequeRecovery, ChequeWriteOff, VoidedChequePayment)
    for model in models:
        row = model._default_manager.get()

        def refuses(words: str, columns: dict[str, Any], model: type[LossEntry] = model) -> None:
            with pytest.raises(IntegrityError, match=words), transaction.atomic():
                model._default_manager.update(**columns)

        whole = reversed_by(row.uuid)
        refuses("two persons are needed", {"reversed_at": clock.now()})
        refuses("two persons", reversed_by(row.uuid, kind=recovering.RECOVERY.name))
        refuses("two persons confirmed another", reversed_by(uuid.uuid4()))
        refuses("two persons confirmed another", reversed_by(row.uuid, reason="Other."))
        refuses("two persons confirmed another", whole | {"reversed_reason": ""})
        refuses("reversal_whole", whole | {"reversed_at": None})
        taken_back(by, row.uuid)
        refuses("taken back already", reversed_by(row.uuid))
        with pytest.raises(IntegrityError), transaction.atomic():
            model._default_manager.update(reversed_at=None, reversed_reason="")
        lost_cents = 0 if model is VoidedChequePayment else LOST_CENTS
        assert Cheque.objects.get().still_lost_cents <= lost_cents
    assert Proposal.objects.filter(kind=recovering.REVERSAL.name).exists()


def test_a_loss_stays_while_some_of_it_is_given_back_or_written_off() -> None:
    by = lost()
    recovered(by, 1)
    (paid,) = VoidedChequePayment.objects.all()
    with pytest.raises(IntegrityError, match="some of the loss"), transaction.atomic():
        VoidedChequePayment.objects.update(**reversed_by(paid.uuid))
    taken_back(by, ChequeRecovery.objects.get().uuid)
    taken_back(by, paid.uuid)
    again = recovering.RECOVERY.name
    content = {"amount_cents": 1, "cheque": 1, "credited_on": str(paid.presented_on)}
    content |= {"reference": "TR 2", "returned_by": "bank"}
    columns = content | {"uuid": uuid.uuid4(), "cheque": paid.cheque, "recorded_at": clock.now()}
    columns["credited_on"] = paid.presented_on
    proposal = factories.proposal(again, content=content)
    refused("not so much of a loss", ChequeRecovery, **columns, proposal=proposal)
