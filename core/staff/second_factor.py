"""Set up, confirm and end the second factor: a device that shows one-time codes (RFC 6238)."""

import dataclasses

import pyotp
from django.db import transaction

from core.database import clock, encryption
from core.kernel.errors import Conflict, Invalid
from core.staff import powers, two_persons
from core.staff.accounts import another, change_save, sessions_end, subject_of
from core.staff.actor import StaffActor
from core.staff.models import Proposal, SecondFactor, StaffSession, User
from core.staff.services import (
    code_spend,
    own_account,
    second_factor_of,
    secret_cell,
    secret_of,
)

ISSUER = "Lototrot"


class SecondFactorStands(Conflict):
    code = "second_factor_stands"
    message = "A second factor is in use; two administrators can end it."


class SecondFactorUnknown(Conflict):
    code = "second_factor_unknown"
    message = "There is no second factor to confirm; begin to set one up."


class SecondFactorMissing(Conflict):
    code = "second_factor_missing"
    message = "That person has no second factor to end."


class OneTimeCodeWrong(Invalid):
    code = "one_time_code_wrong"
    message = "That is not the code the device shows now."


@dataclasses.dataclass(frozen=True, slots=True)
class Enrolment:
    """The secret for the device, as text and as an `otpauth://` URI for a QR code. It is shown
    once.
    """

    secret: str
    uri: str


@transaction.atomic
def factor_begin(*, by: StaffActor) -> Enrolment:
    """Give the person a new secret. End an earlier one that was never confirmed.

    Raises SessionExpired, and SecondFactorStands if a second factor is in use.
    """
    user = own_account(by)
    if second_factor_of(user):
        raise SecondFactorStands
    now = clock.now()
    SecondFactor.objects.filter(user=user, ended_at=None).update(ended_at=now)
    secret = pyotp.random_base32()
    factor = SecondFactor(user=user, begun_at=now)
    factor.secret = encryption.encrypt(secret_cell(factor), secret.encode())
    factor.save()
    uri = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=ISSUER)
    return Enrolment(secret, uri)


@transaction.atomic
def factor_confirm(*, by: StaffActor, code: str) -> None:
    """Confirm the device by its code. This session then has the powers of the person's roles.

    From now on every sign-on needs a code. A repeated confirmation changes nothing. Raises
    SessionExpired, SecondFactorUnknown, OneTimeCodeWrong.
    """
    user = own_account(by)
    session = StaffSession.objects.get(pk=by.session_id)
    if session.verified:
        return
    factor = SecondFactor.objects.filter(user=user, ended_at=None, confirmed_at=None).first()
    if factor is None:
        raise SecondFactorUnknown
    if not code_spend(factor, code):
        raise OneTimeCodeWrong
    factor.confirmed_at = clock.now()
    factor.save(update_fields=["confirmed_at"])
    session.verified = True
    session.save(update_fields=["verified"])


def factor_end_propose(*, by: StaffActor, user_id: int) -> Proposal:
    """Propose to end the second factor of another person, whose device is lost.

    A second administrator confirms it. Raises PowerMissing, UserUnknown, OwnAccount,
    SecondFactorMissing, ProposalPending.
    """
    user = another(by, user_id)
    if second_factor_of(user) is None:
        raise SecondFactorMissing(user=user.pk)
    return two_persons.propose(
        kind=ENDING, subject=subject_of(user), content={"user": user.pk}, by=by
    )


def _ended(proposal: Proposal, by: StaffActor) -> None:
    """End the second factor and the sessions. The person sets up a new one at the next sign-on."""
    user = another(by, proposal.content["user"])
    change_save(user, proposal)
    factor = SecondFactor.objects.filter(user=user, ended_at=None)
    if not factor.update(ended_at=clock.now(), ending=proposal):
        raise SecondFactorMissing(user=user.pk)
    sessions_end(user)


def present_code(username: str) -> str:
    """Return the code that a person's device shows now. `manage.py staff_code` uses it.

    Raises User.DoesNotExist, SecondFactor.DoesNotExist.
    """
    user = User.objects.get(username=username)
    factor = SecondFactor.objects.filter(user=user, ended_at=None).get()
    return pyotp.TOTP(secret_of(factor)).at(clock.now())


ENDING = two_persons.Kind(
    "staff.second_factor", powers.MANAGE_ACCOUNTS, apply=_ended, gives_power=True
)
