"""Find a document by its code, its claim or its UUID, with its state."""

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q

from core.database.kept import kept
from core.database.statements import run_prepared
from core.kernel import codes
from core.kernel.days import natural_day
from core.kernel.errors import DomainError
from core.kernel.regulation import PaymentFigures, shipped
from core.payoffice import sources
from core.payoffice.models import CashCeiling, Claim, DepositMatch
from core.payoffice.sources import DocumentArchived, DocumentUnknown, Payable, Source
from core.premises.access import TerminalActor, TerminalCredentials, identified, terminal_actor

FIGURES_KEPT_S = 30
_RECEIPT = re.compile("[0-9A-Fa-f]{32}")


def by_code(presented: str) -> Payable:
    """Return the document of a scanned or typed code.

    Raises CodeMalformed, CodeMistyped or CodeForged before any query, then DocumentArchived or
    DocumentUnknown.
    """
    code = _read(presented)
    payable = sources.of_kind(code.kind).by_code(settings.CODE_KEYS.digest(code))
    if payable is None:
        raise DocumentUnknown
    return payable


def _read(presented: str) -> codes.Code:
    kinds = [source.kind for source in sources.all_sources()]
    return codes.parse(presented, settings.CODE_KEYS, *kinds)


def scanned(text: str) -> dict[str, Any]:
    """Return what a scanned or typed text names: a `deposit` by the number of its receipt, or else
    a document by its `code`.

    A scanner types the hyphens of the number by the layout of a keyboard.
    """
    signs = "".join(filter(str.isalnum, text))
    return {"deposit": UUID(signs)} if _RECEIPT.fullmatch(signs) else {"code": text}


def by_claim(claim: Claim) -> Payable:
    """Return the document of a claim."""
    return _first(claim.game, lambda source: source.by_id(claim.document_id))


def presented(code: str, deposit: UUID | None) -> Payable:
    """Return the document of a deposit's receipt, or else that of a code. Raises as `by_code`."""
    return by_code(code) if deposit is None else by_claim(claim_of_deposit(deposit))


def by_uuid(game: str, document: UUID) -> Payable:
    """Return the document of a game with that printed UUID. Raises DocumentUnknown."""
    return _first(game, lambda source: source.by_uuid(document))


def _first(game: str, ask: Callable[[Source], Payable]) -> Payable:
    """Return the answer of the game's first source that has the document.

    Raises DocumentUnknown, or DocumentArchived where a source says that.
    """
    unknown = DocumentUnknown()
    for source in sources.all_sources():
        if source.game == game:
            try:
                return ask(source)
            except DocumentUnknown as error:
                unknown = error if isinstance(error, DocumentArchived) else unknown
    raise unknown


def source_of(payable: Payable) -> Source:
    """Return the source that the document comes from."""
    return sources.of_game(payable.game, payable.bearer)


def claim_of(payable: Payable) -> Claim | None:
    """Return the document's claim; None if it has none."""
    return Claim.objects.filter(game=payable.game, document_id=payable.document_id).first()


@dataclasses.dataclass(frozen=True, slots=True)
class CurrentClaim:
    """A document's claim at an instant.

    `state` is None where there is no claim, `deposit` (the number of the receipt) where no deposit.
    A presented document has none: two persons refused the one that was matched with it [C5].
    """

    now: datetime
    state: str | None
    deposit: UUID | None
    today: date = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "today", natural_day(self.now))
        if self.state == Claim.State.PRESENTED:
            object.__setattr__(self, "deposit", None)


# Of two deposits, the one that was matched from the records is decided about first. Once it is
# refused, the document that was deposited beside it stands.
_STANDING = """
    SELECT d.uuid FROM payoffice_depositmatch m JOIN payoffice_deposit d ON d.id = m.deposit_id
     WHERE m.claim_id = c.id AND NOT EXISTS (
           SELECT FROM payoffice_ruling r WHERE r.deposit_id = d.id AND r.claim_id IS NULL)
     ORDER BY m.staff_id IS NULL LIMIT 1"""
_CURRENT_CLAIM = f"""
SELECT core_now(), c.state, ({_STANDING}) FROM (VALUES (1)) always
  LEFT JOIN payoffice_claim c ON c.game = %s AND c.document_id = %s
"""


def current_claim(payable: Payable) -> CurrentClaim:
    """Return the document's claim as of now, by one query."""
    return CurrentClaim(*run_prepared(_CURRENT_CLAIM, [payable.game, payable.document_id]))


@dataclasses.dataclass(frozen=True, slots=True)
class PresentedDocument:
    """A document that was presented at a terminal, with its claim, as of one instant.

    `authorised` says whether the premises held an authorisation for its game then (14.I.6).
    `details` are what its game shows of it, None if they were not asked.
    """

    payable: Payable
    current: CurrentClaim
    authorised: bool
    details: Mapping[str, Any] | None = None


# The claim is looked up for the one document, whatever the planner knows of the table (LIMIT). The
# game is a parameter: for a game that it knows the planner may read all authorisations of the game.
_AT_TERMINAL = f"""
SELECT coalesce(w.refusal, w.session_refusal), w.terminal_id, w.premises_id, w.premises_kind,
       w.operator_id, w.session_id, n.now, c.state, c.deposit, h.authorised, x.*
  FROM (SELECT core_now() AS now) n
  LEFT JOIN LATERAL premises_who(p_token => %s, p_session => %s, p_at => n.now) w ON true
  LEFT JOIN LATERAL premises_holds(
       p_premises => w.premises_id, p_game => %s, p_at => n.now) h ON true
  LEFT JOIN ({{query}}) x ON true
  LEFT JOIN LATERAL (
       SELECT c.state, ({_STANDING}) AS deposit FROM payoffice_claim c
        WHERE c.game = %s AND c.document_id = x.id LIMIT 1) c ON true
"""


def at_terminal(
    credentials: TerminalCredentials, presented: str, *, with_details: bool = False
) -> tuple[TerminalActor, PresentedDocument | None]:
    """Return the operator at a terminal, and the document of a code that was presented there.

    One statement finds both, because each costs more to ask than to answer. The document is None
    if `by_code` must look for it, which then says what is wrong. `with_details` reads its details
    as well. Raises as `terminal_actor`: a caller without rights is refused before the code is.
    """
    try:
        code = _read(presented)
    except DomainError:
        return terminal_actor(credentials), None
    source = sources.of_kind(code.kind)
    query = source.code_query
    digest = settings.CODE_KEYS.digest(code)
    row = run_prepared(
        _at_terminal(query.shown_sql if with_details else query.sql),
        [
            credentials.token_digest,
            credentials.session_digest,
            source.game,
            digest,
            source.game,
        ],
    )
    if row[1] is None:  # a token that is used for the first time, was replaced, or is unknown
        return terminal_actor(credentials), None
    actor = identified(*row[:6])
    now, state, deposit, authorised, *document = row[6:]
    if document[0] is None:
        return actor, None
    current = CurrentClaim(now, state, deposit)
    details = query.details(document) if with_details else None
    return actor, PresentedDocument(query.payable(document), current, authorised, details)


@functools.cache
def _at_terminal(query: str) -> str:
    return _AT_TERMINAL.format(query=query)


def standing_match(claim: Claim) -> DepositMatch | None:
    """Return the match of the deposit that two persons decide about now, or decided about last.

    Of two, the one from the records comes first; once it is refused, the other stands [C5]. None
    for a document that was not deposited.
    """
    matches = claim.deposit_matches.select_related("deposit")
    refused = Q(deposit__ruling__isnull=False, deposit__ruling__claim=None)
    return matches.exclude(refused).order_by(F("staff").asc(nulls_last=True)).first()


def claim_of_deposit(deposit: UUID) -> Claim:
    """Return the claim that a deposit is matched with, by its receipt. Raises DocumentUnknown."""
    claim = Claim.objects.filter(deposit_matches__deposit__uuid=deposit).first()
    if claim is None:
        raise DocumentUnknown
    return claim


@kept(most=64, seconds=FIGURES_KEPT_S)
def payment_figures(day: date) -> PaymentFigures:
    """Return the tiers and the cash ceiling of a day: the regulation's, or a later ceiling [C3].

    The answer is kept for at most half a minute; a ceiling is entered before its first day.
    """
    regulation = shipped().in_force(day)
    later = CashCeiling.objects.filter(
        in_force_from__lte=day, in_force_from__gt=regulation.in_force_from
    )
    ceiling = later.order_by("in_force_from").last()
    if ceiling is None:
        return regulation.payment
    return dataclasses.replace(regulation.payment, cash_up_to_cents=ceiling.cents)
