"""Open premises, give authorisations and terminals, and let terminals enrol, by two persons.

One proposal carries a list: a second person reads and confirms a hundred premises at once, each
with its authorisations and its terminals.
"""

import dataclasses
import datetime
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q

from core.database import clock
from core.database.locks import Lock, hold
from core.database.tokens import token_digest, token_to_type
from core.kernel.canonical import canonical_sha256
from core.kernel.errors import Conflict, Invalid
from core.ledger import services as ledger
from core.premises import powers
from core.premises.models import Authorisation, Enrolment, Game, Premises, Terminal
from core.premises.services import (
    AuthorisationOverlaps,
    CodeTaken,
    PeriodBackwards,
    PremisesIncomplete,
    PremisesUnknown,
    terminal_by_code,
)
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal

MOST = 200
"""Rows of each list of a proposal: a hundred premises with two games and two terminals each."""
ENROL_WITHIN = datetime.timedelta(days=14)
"""From the confirmation on: the time in which a terminal that may enrol gets its code."""
CODE_LENGTH = datetime.timedelta(hours=24)


class OpeningEmpty(Invalid):
    code = "opening_empty"
    message = "An opening names premises, authorisations or terminals, at most 200 of each."


class TerminalEnded(Conflict):
    code = "terminal_ended"
    message = "This terminal was revoked for good; another one is opened in its place."


class EnrolmentNotConfirmed(Conflict):
    code = "enrolment_not_confirmed"
    message = "Two persons let a terminal enrol, once and within fourteen days: propose it first."


@dataclasses.dataclass(frozen=True, slots=True)
class NewPremises:
    """Premises to be entered in the register."""

    code: str
    name: str
    kind: str
    address: str
    municipality: str


@dataclasses.dataclass(frozen=True, slots=True)
class NewAuthorisation:
    """The authority's permission for premises, by their code, to take part in a game (14.I.6)."""

    premises: str
    game: str
    valid_from: datetime.datetime
    reference: str
    valid_until: datetime.datetime | None = None

    @classmethod
    def read(cls, row: dict[str, Any]) -> "NewAuthorisation":
        """Return an authorisation from the content of a proposal."""
        since, until = row["valid_from"], row["valid_until"]
        instants = {
            "valid_from": datetime.datetime.fromisoformat(since),
            "valid_until": datetime.datetime.fromisoformat(until) if until else None,
        }
        return cls(**(row | instants))

    def meets(self, since: datetime.datetime, until: datetime.datetime | None) -> bool:
        """Return whether the period and another one have an instant in common."""
        begins = max(self.valid_from, since)
        return all(end is None or begins < end for end in (self.valid_until, until))


@dataclasses.dataclass(frozen=True, slots=True)
class NewTerminal:
    """A terminal of premises, by their code."""

    premises: str
    code: str


@dataclasses.dataclass(frozen=True, slots=True)
class Opening:
    """Lists of what is opened together.

    Authorisations and terminals may be of premises on record, or of those opened here.
    """

    premises: Sequence[NewPremises] = ()
    authorisations: Sequence[NewAuthorisation] = ()
    terminals: Sequence[NewTerminal] = ()

    @classmethod
    def read(cls, content: two_persons.Content) -> "Opening":
        """Return the opening that a proposal carries."""
        return cls(
            [NewPremises(**row) for row in content["premises"]],
            [NewAuthorisation.read(row) for row in content["authorisations"]],
            [NewTerminal(**row) for row in content["terminals"]],
        )

    def content(self) -> two_persons.Content:
        """Return the lists as JSON, with instants in ISO 8601."""
        rows = dataclasses.asdict(self)
        for row in rows["premises"]:
            row["kind"] = Premises.Kind(row["kind"]).value
        for row in rows["authorisations"]:
            until, row["game"] = row["valid_until"], Game(row["game"]).value
            row["valid_from"] = row["valid_from"].isoformat()
            row["valid_until"] = until.isoformat() if until else None
        return {name: list(of) for name, of in rows.items()}

    def sizes(self) -> tuple[int, int, int]:
        return len(self.premises), len(self.authorisations), len(self.terminals)

    def first(self) -> str:
        """Return the first code of the opening, by which it is found."""
        codes = [place.code for place in self.premises] + [row.code for row in self.terminals]
        return [*codes, *sorted(self.named())][0]

    def named(self) -> set[str]:
        """Return the codes of the premises that get authorisations or terminals."""
        return {row.premises for row in self.authorisations} | {
            row.premises for row in self.terminals
        }


def opening_propose(
    *,
    by: StaffActor,
    premises: Sequence[NewPremises] = (),
    authorisations: Sequence[NewAuthorisation] = (),
    terminals: Sequence[NewTerminal] = (),
) -> Proposal:
    """Propose premises, authorisations and terminals; another person confirms all of them.

    A terminal that is opened may enrol. Raises PowerMissing, OpeningEmpty, PremisesIncomplete,
    CodeTaken, PremisesUnknown, PeriodBackwards, AuthorisationOverlaps, ProposalPending.
    """
    by.need(powers.REGISTER)
    opening = Opening(premises, authorisations, terminals)
    if not any(opening.sizes()) or max(opening.sizes()) > MOST:
        raise OpeningEmpty
    _need_openable(opening)
    content = opening.content()
    digest = canonical_sha256(content).hex()[:8]
    return two_persons.propose(
        kind=OPENING, subject=f"opening:{opening.first()}:{digest}", by=by, content=content
    )


def _need_openable(opening: Opening) -> None:
    for row in opening.premises:
        if not all(text.strip() for text in (row.code, row.name, row.address)):
            raise PremisesIncomplete
    new = _need_free(Premises, [row.code for row in opening.premises])
    _need_free(Terminal, [row.code for row in opening.terminals])
    named = opening.named() - new
    on_record = Premises.objects.filter(code__in=named).values_list("code", flat=True)
    for code in sorted(named.difference(on_record)):
        raise PremisesUnknown(code=code)
    _need_apart(opening.authorisations)


def _need_free(model: type[Premises] | type[Terminal], codes: list[str]) -> set[str]:
    """Return the codes as a set. Raise CodeTaken for one that exists or is there twice."""
    taken = model.objects.filter(code__in=codes).values_list("code", flat=True)
    twice = {code for code in codes if codes.count(code) > 1}
    for code in sorted({*taken, *twice}):
        raise CodeTaken(code=code)
    return set(codes)


def _need_apart(authorisations: Sequence[NewAuthorisation]) -> None:
    """Raise PeriodBackwards, or AuthorisationOverlaps with one on record or one of the list."""
    for row in authorisations:
        if row.valid_until is not None and row.valid_until < row.valid_from:
            raise PeriodBackwards
    for row, other in itertools.combinations(authorisations, 2):
        is_same = (row.premises, row.game) == (other.premises, other.game)
        if is_same and row.meets(other.valid_from, other.valid_until):
            raise AuthorisationOverlaps(premises=row.premises, game=row.game)
    of = Q(premises__code__in=[row.premises for row in authorisations])
    for held in Authorisation.objects.filter(of).select_related("premises"):
        for row in authorisations:
            is_same = (row.premises, row.game) == (held.premises.code, held.game)
            if is_same and row.meets(held.valid_from, held.valid_until):
                raise AuthorisationOverlaps(premises=row.premises, game=row.game)


def _open(proposal: Proposal, by: StaffActor) -> None:
    """Enter the proposed opening. One runs at a time, so that no code is taken meanwhile."""
    hold((Lock.REGISTER, 0))
    opening = Opening.read(proposal.content)
    _need_openable(opening)
    now = clock.now()
    opened = Premises.objects.bulk_create(
        Premises(**dataclasses.asdict(row), created_at=now, proposal=proposal)
        for row in opening.premises
    )
    ledger.account_open(ledger.premises_account(place.pk) for place in opened)
    named = Premises.objects.filter(code__in=opening.named())
    places = {place.code: place for place in named}
    Authorisation.objects.bulk_create(
        Authorisation(
            premises=places[row.premises],
            game=Game(row.game),
            valid_from=row.valid_from,
            valid_until=row.valid_until,
            reference=row.reference,
            recorded_at=now,
            proposal=proposal,
        )
        for row in opening.authorisations
    )
    terminals = Terminal.objects.bulk_create(
        Terminal(code=row.code, premises=places[row.premises], created_at=now, proposal=proposal)
        for row in opening.terminals
    )
    _let_enrol(terminals, proposal, now)


def _let_enrol(terminals: Iterable[Terminal], proposal: Proposal, now: datetime.datetime) -> None:
    Enrolment.objects.bulk_create(
        Enrolment(
            terminal=terminal, proposal=proposal, allowed_at=now, allowed_until=now + ENROL_WITHIN
        )
        for terminal in terminals
    )


def enrolment_propose(*, by: StaffActor, terminals: Sequence[str], reason: str) -> Proposal:
    """Propose that terminals enrol again, each once; another person confirms it.

    Raises PowerMissing, OpeningEmpty, TerminalNotFound, TerminalEnded, ProposalPending.
    """
    by.need(powers.REGISTER)
    codes = sorted(set(terminals))
    if not codes or len(codes) > MOST:
        raise OpeningEmpty
    for code in codes:
        _terminal_in_use(code)
    content: two_persons.Content = {"terminals": codes, "reason": reason}
    digest = canonical_sha256(content).hex()[:8]
    subject = f"enrolment:{codes[0]}:{digest}"
    return two_persons.propose(kind=ENROLMENT, subject=subject, by=by, content=content)


def _terminal_in_use(code: str) -> Terminal:
    terminal = terminal_by_code(code)
    if terminal.revoked_at is not None:
        raise TerminalEnded(code=code)
    return terminal


def _enrol_anew(proposal: Proposal, by: StaffActor) -> None:
    terminals = [_terminal_in_use(code) for code in proposal.content["terminals"]]
    _let_enrol(terminals, proposal, clock.now())


def enrolment_code(*, by: StaffActor, terminal: str) -> str:
    """Return the one-time code of a terminal that two persons let enrol; it is shown once.

    Another one takes its place until one is used. Its use replaces the terminal's token. Raises
    PowerMissing, TerminalNotFound, EnrolmentNotConfirmed.
    """
    by.need(powers.REGISTER)
    row, now, code = terminal_by_code(terminal), clock.now(), token_to_type()
    newest = Enrolment.objects.filter(terminal=row).order_by("-pk").values("pk")[:1]
    issued = Enrolment.objects.filter(pk__in=newest, used_at=None, allowed_until__gt=now).update(
        code_digest=token_digest(code),
        issued_at=now,
        issued_by_id=by.user_id,
        expires_at=now + CODE_LENGTH,
    )
    if not issued:
        raise EnrolmentNotConfirmed(terminal=terminal)
    return code


OPENING = two_persons.Kind(
    "premises.opening", powers.REGISTER, apply=_open, good_for=two_persons.A_WEEK
)
ENROLMENT = two_persons.Kind(
    "premises.enrolment", powers.REGISTER, apply=_enrol_anew, good_for=two_persons.A_WEEK
)
