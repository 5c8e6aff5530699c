"""Take documents in for examination (14.III.10.5) [C5, C7]."""

import uuid
from dataclasses import dataclass, field

from django.db import transaction
from django.utils.crypto import salted_hmac

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Invalid
from core.ledger.models import Transfer
from core.looks.recording import look_at_row
from core.payoffice import powers
from core.payoffice.models import (
    Deposit,
    DepositArrival,
    DepositImage,
)
from core.payoffice.refusals import RequestUuidReused
from core.payoffice.services import finding, personal_data
from core.payoffice.services.cash import cash_session_of, office_get
from core.payoffice.services.matching import (
    DepositUnknown,
    deposit_get,
    match_record,
)
from core.payoffice.services.presenting import acted_by
from core.premises.access import BareTerminal, Capability, TerminalActor
from core.premises.requests import need_new
from core.staff.actor import StaffActor

_CALLER = ("terminal_id", "staff_id")
MOST_IMAGES = 10
MOST_IMAGE_BYTES = 3 * 1024 * 1024
_MAGIC = {"image/jpeg": b"\xff\xd8\xff", "image/png": b"\x89PNG\r\n\x1a\n"}


class ImageRefused(Invalid):
    code = "image_refused"
    message = "An image is a JPEG or PNG of at most 3 MB, and a deposit has at most ten."


class CodeUnreadable(Invalid):
    code = "code_unreadable"
    message = "Only a document whose code cannot be read is deposited without its code."


@dataclass(frozen=True, slots=True)
class DepositRequest:
    """A request to deposit a document.

    The client makes `uuid` before its first attempt. `code` is empty where it cannot be read.
    """

    uuid: uuid.UUID
    reason: str
    notes: str = ""
    code: str = field(default="", repr=False)

    def digest(self) -> bytes:
        """Return a keyed digest of the content; it tells a retry from a reuse of the UUID."""
        text = "\n".join((self.reason, self.notes, "".join(self.code.split()).upper()))
        return salted_hmac("core.payoffice.deposit", text, algorithm="sha256").digest()


@transaction.atomic
def deposit_take(*, at: TerminalActor | StaffActor, request: DepositRequest) -> Deposit:
    """Take a document in and return its deposit.

    The same request from the same terminal or member of staff returns the same deposit.
    A document whose code is read is matched at once: from then on it does not lapse and is paid
    only against the receipt. Raises a code's error, DocumentUnknown, CodeUnreadable,
    RequestUuidReused, or the refusal of the document's state.
    """
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
        acted = {"staff_id": at.user_id, "premises_id": cash_session_of(at).premises_id}
    else:
        at.need(Capability.DEPOSIT)
        acted = acted_by(at)
    hold((Lock.REQUEST, request.uuid.int))
    digest = request.digest()
    earlier = Deposit.objects.filter(uuid=request.uuid).first()
    if earlier is not None:
        same_caller = all(getattr(earlier, key) == acted.get(key) for key in _CALLER)
        if not same_caller or bytes(earlier.request_digest) != digest:
            raise RequestUuidReused
        return earlier
    if Transfer.objects.filter(reference=request.uuid).exists():  # of a payment or an exchange
        raise RequestUuidReused
    need_new(request.uuid)
    if bool(request.code) == (request.reason == Deposit.Reason.UNREADABLE):
        raise CodeUnreadable
    deposit: Deposit = Deposit.objects.create(
        uuid=request.uuid,
        request_digest=digest,
        reason=request.reason,
        notes=request.notes,
        deposited_at=clock.now(),
        **acted,
    )
    if request.code:
        match_record(deposit, finding.by_code(request.code), staff_id=None, evidence="")
    return deposit


@transaction.atomic
def image_add(
    *, at: TerminalActor | StaffActor, deposit: uuid.UUID, media_type: str, content: bytes
) -> DepositImage:
    """Add an encrypted photograph to a deposit. Raises DepositUnknown, ImageRefused."""
    row = deposit_get(deposit)
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
    else:
        at.need(Capability.DEPOSIT)
        if row.premises_id != at.premises_id:
            raise DepositUnknown
    is_image = media_type in _MAGIC and content.startswith(_MAGIC[media_type])
    if not is_image or len(content) > MOST_IMAGE_BYTES or row.images.count() >= MOST_IMAGES:
        raise ImageRefused
    return personal_data.image_encrypt(deposit_id=row.pk, media_type=media_type, content=content)


@transaction.atomic
def deposit_arrive(*, by: StaffActor, deposit: uuid.UUID, premises: str) -> DepositArrival:
    """Record that a deposited paper is at an office now. The same arrival again changes nothing.

    Raises DepositUnknown, PremisesUnknown, NotAnOffice.
    """
    by.need(powers.TAKE_DEPOSIT)
    row = deposit_get(deposit)
    office = office_get(premises)
    hold((Lock.REQUEST, deposit.int))
    newest: DepositArrival | None = row.arrivals.order_by("-pk").first()
    if newest is not None and newest.premises_id == office.pk:
        return newest
    arrival: DepositArrival = DepositArrival.objects.create(
        deposit=row, premises=office, staff_id=by.user_id, arrived_at=clock.now()
    )
    return arrival


def image_read(*, by: StaffActor, image: uuid.UUID) -> tuple[str, bytes]:
    """Return the media type and the bytes of a photograph. Raises DepositUnknown, Erased."""
    by.need(powers.SEE_DEPOSIT)
    row = DepositImage.objects.filter(uuid=image).first()
    if row is None:
        raise DepositUnknown
    return row.media_type, personal_data.image_decrypt(row)


def deposit_seen(*, at: StaffActor | BareTerminal, ident: uuid.UUID) -> Deposit:
    """Return a deposit, for the office or the premises that took it. Raises DepositUnknown."""
    deposit = deposit_get(ident)
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
        look_at_row(deposit)
    elif deposit.premises_id != at.premises_id:
        raise DepositUnknown
    return deposit
