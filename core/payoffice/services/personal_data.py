"""Encrypt payees and photographs of documents, and erase them when their time is over."""

import dataclasses
import json
import uuid
from datetime import date, timedelta

from django.conf import settings

from core.database import clock, encryption
from core.kernel.days import natural_day
from core.kernel.errors import NotFound
from core.payoffice.models import DepositImage, Payee


class Erased(NotFound):
    code = "content_erased"
    message = "This was erased when its time was over; only the record that it existed is kept."


@dataclasses.dataclass(frozen=True, slots=True)
class PayeeFacts:
    """The person a cheque names. `document_kind` is dni, nie, passport or other."""

    name: str
    document_kind: str
    document_number: str


def payee_encrypt(facts: PayeeFacts) -> Payee:
    """Record a payee, encrypted, to be kept for the configured days."""
    ident, now = uuid.uuid4(), clock.now()
    content = json.dumps(dataclasses.asdict(facts), ensure_ascii=False).encode()
    payee: Payee = Payee.objects.create(
        uuid=ident,
        encrypted=encryption.encrypt(encryption.Cell(Payee, "encrypted", ident), content),
        recorded_at=now,
        kept_until=natural_day(now) + timedelta(days=settings.PAYEE_KEPT_DAYS),
    )
    return payee


def payee_decrypt(payee: Payee) -> PayeeFacts:
    """Return the person a payee is. Raises Erased, ContentUnreadable."""
    if payee.encrypted is None:
        raise Erased
    content = encryption.decrypt(
        encryption.Cell(Payee, "encrypted", payee.uuid), bytes(payee.encrypted)
    )
    return PayeeFacts(**json.loads(content))


def image_encrypt(*, deposit_id: int, media_type: str, content: bytes) -> DepositImage:
    """Record an image of a deposit, encrypted, to be kept for the configured days."""
    ident, now = uuid.uuid4(), clock.now()
    image: DepositImage = DepositImage.objects.create(
        uuid=ident,
        deposit_id=deposit_id,
        media_type=media_type,
        added_at=now,
        encrypted=encryption.encrypt(encryption.Cell(DepositImage, "encrypted", ident), content),
        kept_until=natural_day(now) + timedelta(days=settings.IMAGE_KEPT_DAYS),
    )
    return image


def image_decrypt(image: DepositImage) -> bytes:
    """Return the bytes of an image. Raises Erased, ContentUnreadable."""
    if image.encrypted is None:
        raise Erased
    return encryption.decrypt(
        encryption.Cell(DepositImage, "encrypted", image.uuid), bytes(image.encrypted)
    )


def personal_data_purge(today: date) -> dict[str, int]:
    """Erase what was kept until a day before `today`. Return how many of each kind it erased.

    A second call erases nothing more.
    """
    now = clock.now()
    return {
        name: model.objects.filter(kept_until__lt=today, purged_at=None).update(
            encrypted=None, purged_at=now
        )
        for name, model in (("payees", Payee), ("images", DepositImage))
    }
