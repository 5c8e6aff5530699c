"""Find premises and terminals, enrol terminals, and end authorisations and terminals."""

import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from core.database import clock
from core.database.locks import Lock, hold
from core.database.tokens import token_digest, token_make
from core.kernel.errors import Conflict, Invalid, NotFound, Unauthenticated
from core.premises import powers
from core.premises.access import BareTerminal, TokenReplaced
from core.premises.models import (
    Authorisation,
    Enrolment,
    Premises,
    Terminal,
    TerminalCopy,
)
from core.premises.proving import public_key_read
from core.staff.actor import StaffActor
from core.traffic.limits import claim_of_row, take
from core.traffic.rates import Rate

TOKEN_LENGTH = datetime.timedelta(hours=1)
ROLLS = Rate(per_s=120 / 3600, burst=60)
"""Of new tokens of one terminal: each leaves rows."""


class Token(NamedTuple):
    """A terminal's token, which is shown once."""

    text: str
    expires_at: datetime.datetime


class CodeTaken(Conflict):
    code = "code_taken"
    message = "That code is already in use."


class PremisesIncomplete(Invalid):
    code = "premises_incomplete"
    message = "Tickets name the establishment: its code, name and address are needed (14.II.3)."


class PremisesUnknown(NotFound):
    code = "premises_unknown"
    message = "There are no such premises."


class TerminalNotFound(NotFound):
    code = "terminal_not_found"
    message = "There is no such terminal."


class AuthorisationOverlaps(Conflict):
    code = "authorisation_overlaps"
    message = "The premises already hold an authorisation for that game in that period."


class AuthorisationUnknown(NotFound):
    code = "authorisation_unknown"
    message = "There is no such authorisation."


class PeriodBackwards(Invalid):
    code = "period_backwards"
    message = "A period ends before it begins."


class EnrolmentRefused(Unauthenticated):
    code = "enrolment_refused"
    message = "The enrolment code is unknown, used or expired."


def sales_hold() -> datetime.datetime:
    """Wait for the sales in flight and block new ones until the commit. Return the instant of the
    block.
    """
    hold((Lock.SALES, 0))
    return clock.now()


def premises_by_code(code: str) -> Premises:
    place = Premises.objects.filter(code=code).first()
    if place is None:
        raise PremisesUnknown(code=code)
    return place


@transaction.atomic
def authorisation_end(*, by: StaffActor, authorisation: int) -> Authorisation:
    """End an authorisation now. One that has not begun ends at its beginning, so it is never in
    force.

    Sales that depend on it stop at this instant. Raises PowerMissing, AuthorisationUnknown.
    """
    by.need(powers.REGISTER)
    now = sales_hold()
    Authorisation.objects.filter(pk=authorisation).exclude(
        valid_until__lte=Greatest(now, "valid_from")
    ).update(valid_until=Greatest(now, "valid_from"))
    row = Authorisation.objects.filter(pk=authorisation).first()
    if row is None:
        raise AuthorisationUnknown(authorisation=authorisation)
    return row


def terminal_by_code(code: str) -> Terminal:
    terminal = Terminal.objects.filter(code=code).first()
    if terminal is None:
        raise TerminalNotFound(code=code)
    return terminal


@transaction.atomic
def terminal_enrol(*, code: str, public_key: str) -> tuple[Terminal, Token]:
    """Exchange a one-time code for the terminal's token, and keep the public key of the terminal.

    Only the newest code of a terminal is valid. Raises KeyUnfit, EnrolmentRefused.
    """
    key, now = public_key_read(public_key), clock.now()
    typed = "".join(code.split())
    code = typed[:1] + typed[1:].upper()  # the first is the key's version, which has a case
    enrolment = (
        Enrolment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("terminal")
        .filter(code_digest=token_digest(code), used_at=None, expires_at__gt=now)
        .first()
    )
    if enrolment is None or enrolment.terminal.revoked_at:
        raise EnrolmentRefused
    if enrolment.terminal.enrolments.filter(pk__gt=enrolment.pk).exists():
        raise EnrolmentRefused
    enrolment.used_at = now
    enrolment.save(update_fields=["used_at"])
    token = _token_make(now)
    Terminal.objects.filter(pk=enrolment.terminal_id).update(
        token_digest=token_digest(token.text),
        token_expires_at=token.expires_at,
        next_token_digest=None,
        next_token_expires_at=None,
        public_key=key,
        proof_number=0,
        copied_at=None,
        enrolled_at=now,
    )
    return enrolment.terminal, token


def terminal_roll(*, terminal: BareTerminal) -> Token:
    """Return a new token for a terminal that has proved itself.

    Its first use ends the present token. A terminal that never got the answer keeps its present
    token and can roll again. Staff are shown that one had to name itself. Raises Throttled, and
    TokenReplaced where another machine enrolled in its place since.
    """
    take(claim_of_row("rolls-of", terminal.terminal_id, ROLLS))
    token = _token_make(clock.now())
    same = Terminal.objects.filter(pk=terminal.terminal_id)
    if terminal.key is not None:
        same = same.filter(public_key=terminal.key)
    digest, until = token_digest(token.text), token.expires_at
    with transaction.atomic():
        if not same.update(next_token_digest=digest, next_token_expires_at=until):
            raise TokenReplaced
        if terminal.named:
            _unknown_token_note(terminal.terminal_id)
    return token


def _unknown_token_note(terminal: int) -> None:
    """Note that a terminal named itself, once in an hour: each roll again says nothing new."""
    now, sign = clock.now(), TerminalCopy.Sign.UNKNOWN_TOKEN
    noted = TerminalCopy.objects.filter(
        terminal_id=terminal,
        sign=sign,
        seen_at__gt=now - TOKEN_LENGTH,
        seen_at__gte=F("terminal__enrolled_at"),
    )
    if not noted.exists():
        TerminalCopy.objects.create(terminal_id=terminal, sign=sign, seen_at=now)


def _token_make(now: datetime.datetime) -> Token:
    return Token(token_make(), now + TOKEN_LENGTH)


@transaction.atomic
def terminal_revoke(*, by: StaffActor, terminal: str) -> Terminal:
    """Revoke a terminal for good. Repeating it changes nothing.

    Raises PowerMissing, TerminalNotFound.
    """
    by.need(powers.REGISTER)
    row = terminal_by_code(terminal)
    Terminal.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=sales_hold())
    row.refresh_from_db()
    return row
