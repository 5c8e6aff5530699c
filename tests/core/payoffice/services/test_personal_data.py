"""Payees and photographs: encrypted, kept, erased."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.models import (
    Cheque,
    DepositImage,
    Payee,
)
from core.payoffice.services import (
    deposits,
    personal_data,
)
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_what_is_encrypted_is_erased_in_its_time_and_the_fact_stays() -> None:
    (won,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    deposit = given.deposited("", factories.point().actor, "unreadable")
    content = b"\x89PNG\r\n\x1a\n" + bytes(16)
    image = deposits.image_add(
        at=given.cashier(), deposit=deposit.uuid, media_type="image/png", content=content
    )
    looker = factories.staff(Role.SUPERVISOR)
    assert deposits.image_read(by=looker, image=image.uuid) == ("image/png", content)
    assert content not in bytes(image.encrypted)
    payee, today = Payee.objects.get(), natural_day(clock.now())
    assert payee.kept_until == today + timedelta(days=settings.PAYEE_KEPT_DAYS)
    with pytest.raises(IntegrityError, match="kept until its day"), transaction.atomic():
        Payee.objects.update(encrypted=None, purged_at=clock.now())
    factories.time_to(rounds.NOON + timedelta(days=settings.PAYEE_KEPT_DAYS + 2))
    today = natural_day(clock.now())
    assert personal_data.personal_data_purge(today) == {"payees": 1, "images": 1}
    assert personal_data.personal_data_purge(today) == {"payees": 0, "images": 0}
    with pytest.raises(personal_data.Erased):
        personal_data.payee_decrypt(Payee.objects.get())
    with pytest.raises(personal_data.Erased):
        deposits.image_read(by=looker, image=image.uuid)
    assert (Cheque.objects.get().payee, DepositImage.objects.get().deposit) == (payee, deposit)
