"""Make premises, terminals and operators for tests."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection

from core.database import clock
from core.database.tokens import token_digest
from core.draws.places import placed
from core.premises import openings
from core.premises.access import BareTerminal, TerminalActor, TerminalCredentials
from core.premises.models import (
    Authorisation,
    Enrolment,
    Game,
    Operator,
    OperatorSession,
    Premises,
    Resolution,
    Terminal,
)
from core.premises.proving import public_key_read
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.names import encrypt_name
from core.staff.powers import Role
from core.statements.models import GuaranteeLimit
from core.tools.raceday.key import TerminalKey
from tests.support.factories.batches import NOW, Batch, Sql, one_transaction
from tests.support.factories.people import proposal, proposal_like, serial, staff

TOKEN_DAYS = 4_000  # longer than ten years of meetings, which the bench's history has
"""Tests move time by months, and the tokens of their terminals last."""
_PLENTY_CENTS = 10**13
_A_YEAR = timedelta(days=365)
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
KEY = TerminalKey()
"""The key with which the terminals of the factories enrolled."""


@dataclass(frozen=True, slots=True)
class Point:
    """A terminal of premises with an operator signed on."""

    premises: Premises
    terminal: Terminal
    operator: Operator
    session: OperatorSession
    token: str
    session_token: str

    @property
    def credentials(self) -> TerminalCredentials:
        return TerminalCredentials.of(self.token, self.session_token)

    @property
    def bare(self) -> BareTerminal:
        return BareTerminal(self.terminal.pk, self.premises.pk, self.premises.kind)

    @property
    def actor(self) -> TerminalActor:
        return TerminalActor(
            self.terminal.pk,
            self.premises.pk,
            self.premises.kind,
            self.operator.pk,
            self.session.pk,
        )


@one_transaction
def premises(
    kind: str = Premises.Kind.ESTABLISHMENT,
    *,
    authorised: Iterable[str] = tuple(Game),
    since: datetime | None = None,
    until: datetime | None = None,
    limit_cents: int | None = _PLENTY_CENTS,
) -> Premises:
    """Return premises with an account, authorised for the games since a year ago by default.

    By default they may owe more than any test sells; `guarantee` sets less.
    """
    number, together = next(serial), Batch()
    code, since_when = f"P{number}-{secrets.token_hex(2)}", since or clock.now() - _A_YEAR
    authorisations = [
        openings.NewAuthorisation(code, game, since_when, f"AUT-{number}", until)
        for game in authorised
    ]
    new = openings.NewPremises(code, f"Bar {number}", kind, "Carrer Major 1", "Palma")
    content = openings.Opening([new], authorisations).content()
    opening = proposal("premises.opening", f"opening:{number}", content)
    place = together.add(
        Premises,
        code=code,
        name=f"Bar {number}",
        kind=kind,
        address="Carrer Major 1",
        municipality="Palma",
        created_at=NOW,
        proposal=opening,
    )
    for each in authorisations:
        together.add(
            Authorisation,
            premises=place,
            game=each.game,
            valid_from=since_when,
            valid_until=until,
            reference=f"AUT-{number}",
            recorded_at=NOW,
            proposal=opening,
        )
    together.then(_ACCOUNT)
    if limit_cents is not None:
        _guarantee(together, place, opening, limit_cents, _PLENTY_CENTS, since or _LONG_AGO)
    together.run()
    return place


# The account of premises, as the ledger opens it.
_ACCOUNT = """
INSERT INTO ledger_account (code, side, opened_at)
SELECT 'premises:' || currval('premises_premises_id_seq'), 'debit', core_now()
"""


@one_transaction
def guarantee(
    place: Premises,
    limit_cents: int = _PLENTY_CENTS,
    *,
    minute_cap_cents: int = _PLENTY_CENTS,
    since: datetime | None = None,
) -> GuaranteeLimit:
    """Set what premises may owe, by default from now on and more than any test sells."""
    alone, since = Batch(), since or clock.now()
    limit = _guarantee(alone, place, place.proposal, limit_cents, minute_cap_cents, since)
    alone.run()
    return limit


def _guarantee(
    batch: Batch,
    place: Premises,
    opening: Proposal,
    limit_cents: int,
    minute_cap_cents: int,
    since: datetime,
) -> GuaranteeLimit:
    content = {
        "premises": place.code,
        "limit_cents": limit_cents,
        "minute_cap_cents": minute_cap_cents,
        "in_force_from": since.isoformat(),
        "reference": "Aval",
    }
    subject = f"guarantee:{place.code}"
    confirmed = proposal_like(batch, opening, "statements.guarantee", subject, content)
    return batch.add(
        GuaranteeLimit,
        premises=place,
        limit_cents=limit_cents,
        minute_cap_cents=minute_cap_cents,
        in_force_from=since,
        reference="Aval",
        recorded_at=NOW,
        recorded_by_id=confirmed.proposed_by_id,
        proposal=confirmed,
    )


def games_displayed() -> None:
    """Declare every approved game of Promotrot displayed, as every operator who is signed on."""
    with connection.cursor() as cursor:
        cursor.execute(_DISPLAYED)


_MOST_NUMBERS = 32_000  # the column has two bytes, and a worker's tests more points
_DISPLAYED = """
INSERT INTO promotrot_displayacknowledgement
       (approval_id, terminal_id, operator_id, acknowledged_at)
SELECT a.id, s.terminal_id, s.operator_id, core_now()
  FROM promotrot_gameapproval a
 CROSS JOIN (SELECT DISTINCT terminal_id, operator_id FROM premises_operatorsession) s
 WHERE NOT EXISTS (SELECT FROM promotrot_displayacknowledgement d
                    WHERE d.approval_id = a.id AND d.terminal_id = s.terminal_id
                      AND d.operator_id = s.operator_id)
    ON CONFLICT DO NOTHING
"""


def central_office() -> str:
    """Return the place of the Central Office as a draw announces it; register one if needed."""
    if placed("")[0] is None:
        premises(Premises.Kind.CENTRAL_OFFICE, authorised=())
    return placed("")[1]


@one_transaction
def point(place: Premises | None = None, *, displays: bool = True) -> Point:
    """Return an enrolled terminal with an operator signed on, at the premises given or at new
    ones.

    Its operator declares the approved games of Promotrot displayed, unless `displays` is false.
    """
    place = place or premises()
    number, together = next(serial), Batch()
    code = f"T{number}-{secrets.token_hex(2)}"
    content = openings.Opening(terminals=[openings.NewTerminal(place.code, code)]).content()
    opening = proposal_like(
        together, place.proposal, "premises.opening", f"opening:{number}", content
    )
    token, session_token = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    terminal = together.add(
        Terminal,
        code=code,
        premises=place,
        created_at=NOW,
        proposal=opening,
    )
    _enrolled(together, terminal, opening, token)
    operator = together.add(
        Operator,
        premises=place,
        number=number % _MOST_NUMBERS,
        name=f"Operator {number}",
        pin="!",
        pin_chosen_at=NOW,
        created_at=NOW,
        created_by_id=place.proposal.proposed_by_id,
    )
    session = together.add(
        OperatorSession,
        terminal=terminal,
        operator=operator,
        token_digest=token_digest(session_token),
        started_at=NOW,
        expires_at=Sql("core_now() + interval '30 days'"),
    )
    if displays:
        together.then(_DISPLAYED)
    together.run()
    return Point(place, terminal, operator, session, token, session_token)


def _enrolled(together: Batch, terminal: Terminal, opening: Proposal, token: str) -> None:
    """Let the terminal that was added last use its leave to enrol."""
    together.add(
        Enrolment,
        terminal=terminal,
        proposal=opening,
        allowed_at=NOW,
        allowed_until=Sql("core_now() + interval '13 days'"),
        code_digest=secrets.token_bytes(32),
        issued_at=NOW,
        issued_by_id=opening.proposed_by_id,
        expires_at=Sql("core_now() + interval '1 hour'"),
    )
    lasts = timedelta(days=TOKEN_DAYS)
    together.then(_ENROLLED, [lasts, token_digest(token), public_key_read(KEY.public)])


_ENROLLED = """
UPDATE premises_enrolment SET used_at = core_now()
 WHERE id = currval('premises_enrolment_id_seq');
UPDATE premises_terminal t
   SET enrolled_at = e.used_at, token_expires_at = e.used_at + %s, token_digest = %s,
       public_key = %s
  FROM premises_enrolment e
 WHERE e.id = currval('premises_enrolment_id_seq') AND t.id = e.terminal_id
"""


def opened(by: StaffActor | None = None, **lists: Sequence[Any]) -> Proposal:
    """Open premises, authorisations and terminals by two organisers, through the services."""
    first = by or staff(Role.ORGANISER)
    opening = openings.opening_propose(by=first, **lists)
    return two_persons.confirm(proposal=opening.uuid, by=staff(Role.ORGANISER))


def enrolment_code(place: Premises | str, terminal: str) -> str:
    """Open a terminal of premises, or let one enrol again. Return the code with which it enrols."""
    by = staff(Role.ORGANISER)
    code = place if isinstance(place, str) else place.code
    if Terminal.objects.filter(code=terminal).exists():
        leave = openings.enrolment_propose(by=by, terminals=[terminal], reason="New machine")
        two_persons.confirm(proposal=leave.uuid, by=staff(Role.ORGANISER))
    else:
        opened(by, terminals=[openings.NewTerminal(code, terminal)])
    return openings.enrolment_code(by=by, terminal=terminal)


@one_transaction
def ended(of: Authorisation | Terminal, at: datetime) -> Resolution:
    """End an authorisation, or revoke a terminal, as of an instant in the past, by a resolution."""
    is_terminal = isinstance(of, Terminal)
    effect = Resolution.Effect.REVOKED if is_terminal else Resolution.Effect.ENDED
    content = resolution_of(
        effect,
        at,
        terminal=of.code if isinstance(of, Terminal) else None,
        authorisation=None if is_terminal else of.pk,
    )
    resolution: Resolution = Resolution.objects.create(
        effect=effect,
        **{"terminal" if is_terminal else "authorisation": of},
        effective_at=at,
        reference=content["reference"],
        proposal=proposal("premises.resolution", f"{effect}:{of.pk}:{at.isoformat()}", content),
        entered_at=clock.now(),
    )
    rows = type(of)._default_manager.filter(pk=of.pk)
    rows.update(**{"revoked_at" if is_terminal else "valid_until": at})
    return resolution


def resolution_of(effect: str, at: datetime, **changes: Any) -> dict[str, Any]:
    """Return the content of the proposal of a resolution about what `changes` names."""
    about: dict[str, Any] = {"authorisation": None, "premises": None, "terminal": None}
    stated = {"effect": str(effect), "effective_at": at.isoformat(), "reference": "DGJ 1/2030"}
    return about | stated | changes


def operator_at(of: Point, *, displays: bool = True) -> str:
    """Sign another operator on at the same terminal. Return the token of the session."""
    now, number = clock.now(), next(serial)
    name = encrypt_name(Operator, f"Operator {number}")
    operator = Operator.objects.create(
        premises=of.premises,
        number=number % _MOST_NUMBERS,
        name_encrypted=name.ciphertext,
        name_key=name.key,
        pin="!",
        pin_chosen_at=now,
        created_at=now,
        created_by_id=of.premises.proposal.proposed_by_id,
    )
    token = operator_signed_on(of, operator)
    if displays:
        games_displayed()
    return token


def operator_signed_on(of: Point, operator: Operator | None = None) -> str:
    """Sign an operator on at the terminal, by default its own once more. Return the token."""
    now, token = clock.now(), secrets.token_urlsafe(32)
    OperatorSession.objects.create(
        terminal=of.terminal,
        operator=operator or of.operator,
        token_digest=token_digest(token),
        started_at=now,
        expires_at=now + timedelta(days=30),
    )
    return token
