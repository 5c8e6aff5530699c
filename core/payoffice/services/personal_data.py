"""Encrypt payees and photographs of documents, and erase them when their time is over."""

import dataclasses
import json
import uuid
from datetime import date, timedelta

from django.conf import settings

from core.database import clock, encryption
from core.kernel.days import natural_day
from core.kernel.errors import NotFound
from core.looks.recording import look_at_row
from core.payoffice.models import DepositImage, Payee
from core.payoffice.models.payments import Encrypted
from core.premises.models import Operator
from core.staff import names
from core.staff.models import User


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
    user, operator = namesakes(facts.name)
    payee: Payee = Payee.objects.create(
        like_user_id=user,
        like_operator_id=operator,
        uuid=ident,
        encrypted=encryption.encrypt(encryption.Cell(Payee, "encrypted", ident), content),
        recorded_at=now,
        kept_until=natural_day(now) + timedelta(days=settings.PAYEE_KEPT_DAYS),
    )
    return payee


def namesakes(name: str) -> tuple[int | None, int | None]:
    """Return a member of staff and an operator of that name, as far as there are any.

    Capitals, accents and the order of the words mean nothing. A name of two words or more also
    matches one that has all of these words and more: "Maria Riera" is "Riera Pons, Maria".
    """
    return tuple(  # type: ignore[return-value]
        next((pk for pk, other in names.all_names(people) if _alike(name, other)), None)
        for people in (User, Operator)
    )


def _alike(name: str, other: str) -> bool:
    words, others = _words(name), _words(other)
    if words == others:
        return bool(words)
    return min(len(words), len(others)) > 1 and (words <= others or others <= words)


def _words(name: str) -> frozenset[str]:
    return frozenset(names.words(name))


def payee_decrypt(payee: Payee) -> PayeeFacts:
    """Return the person a payee is, and record the look. Raises Erased, ContentUnreadable."""
    return PayeeFacts(**json.loads(_opened(payee)))


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
    """Return the bytes of an image, and record the look. Raises Erased, ContentUnreadable."""
    return _opened(image)


def _opened(row: Encrypted) -> bytes:
    """Return what is encrypted in a row, once it is on record who looks.

    Nothing else opens such rows, so every page that shows one records it. Raises Erased,
    ContentUnreadable, LookNotRecorded.
    """
    if row.encrypted is None:
        raise Erased
    look_at_row(row)
    return encryption.decrypt(
        encryption.Cell(type(row), "encrypted", row.uuid), bytes(row.encrypted)
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
