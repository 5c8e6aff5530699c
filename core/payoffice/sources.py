"""The sources that tell the prize office what a ticket or voucher is owed.

A game lists one `Source` per kind of document as `PAYABLES` in its `payables.py`. The office
asks it what a document is worth; whether it was paid, presented, deposited, blocked or has lapsed
is the office's own row, one `Claim` per document (`core.payoffice.models`), and whoever writes it
first has it. So a source says what is owed *by the rules of the game*, and never looks at claims
but in its set-based side, which the nights drive.
"""

import dataclasses
import datetime
import enum
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from core.contributions import contributed_by_name
from core.kernel.errors import NotFound
from core.kernel.regulation import Bearer
from core.ledger.services import AccountCode
from core.receipts.document import Block


class DocumentUnknown(NotFound):
    code = "document_unknown"
    message = "No ticket or voucher has that code."


class Standing(enum.StrEnum):
    """The standing of a document by the rules of its game, whatever the office has done about it.

    PENDING: nothing is decided yet (on sale, awaiting results or the payment order). VOID: nothing
    is or ever will be owed. NO_PRIZE: decided, and it won nothing. OWED: `amount_cents` are due.
    """

    PENDING = "pending"
    VOID = "void"
    NO_PRIZE = "no_prize"
    OWED = "owed"


class Nature(enum.StrEnum):
    """Kinds of debt: a prize in money, the price given back [C6, P11], or a thing (15.III.6.5)."""

    PRIZE = "prize"
    REFUND = "refund"
    IN_KIND = "in_kind"


@dataclasses.dataclass(frozen=True, slots=True)
class Thing:
    """A prize in kind [P4]: `item` names it in the stock; its equivalent is the amount owed."""

    item: str
    description: str


@dataclasses.dataclass(frozen=True, slots=True)
class Payable:
    """One document and what it is worth. Cents; days are natural days of Europe/Madrid.

    `document_id` is the game's own id, one series for all its documents; `uuid` the one printed.
    `first_pay_day` None: at once;
    `last_claim_day` None: it never lapses. `owed` is the account that holds the money until
    something happens, `held` where it stands while presented, deposited or blocked: both are the
    game's liabilities, and both None unless OWED. `stage` says more of a standing, for display:
    a word of the game's own (`on_sale`, `awaiting_results`, `awaiting_order`).
    """

    game: str
    document_id: int
    uuid: uuid.UUID
    bearer: Bearer
    standing: Standing
    issuer_id: int
    issued_at: datetime.datetime
    stage: str = ""
    nature: Nature = Nature.PRIZE
    amount_cents: int = 0
    first_pay_day: datetime.date | None = None
    last_claim_day: datetime.date | None = None
    owed: AccountCode | None = None
    held: AccountCode | None = None
    thing: Thing | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Lapsed:
    """The documents that one `lapse` lapsed, and their cents."""

    documents: int
    cents: int


@dataclasses.dataclass(frozen=True, slots=True)
class Outs:
    """Documents owed and not claimed, of one last day (None: they never lapse)."""

    last_claim_day: datetime.date | None
    documents: int
    cents: int


@dataclasses.dataclass(frozen=True, slots=True)
class Claimed:
    """Claims of a source in one state, added up, and the accounts their money moved between.

    `state` is a `Claim.State`; `sent_to` is where a lapse or a refusal sent the money.
    """

    state: str
    owed: AccountCode
    held: AccountCode
    cents: int
    sent_to: AccountCode | None = None


class Source(Protocol):
    """Answers for a game about its tickets or vouchers. `game` is a `core.premises.models.Game`.

    `kind` is the byte of its codes (`codes.TICKET`, `codes.VOUCHER`), `bearer` the document.
    """

    game: str
    kind: bytes
    bearer: Bearer

    def by_code(self, code_digest: bytes) -> Payable | None:
        """The document of a code's keyed digest; on the way of every payment: one query."""

    def by_id(self, document_id: int) -> Payable:
        """The document by the game's id. Raises DocumentUnknown."""

    def by_uuid(self, document: uuid.UUID) -> Payable:
        """The document by the UUID printed on it. Raises DocumentUnknown."""

    def details(self, document_id: int) -> Mapping[str, Any]:
        """Return what a check shows beside the state, as JSON: bets, trace, combinations."""

    def blocks(self, document_id: int) -> Sequence[Block]:
        """The same for a status slip, in the language in force."""

    def forfeits_to(self, payable: Payable, day: datetime.date) -> AccountCode:
        """Where held money goes that two persons refused on that day [C5]."""

    def lapses_due(self, today: datetime.date) -> Sequence[str]:
        """Return the groups to call `lapse` with: their last day is before `today`; oldest first.

        A group (a contest, a day's vouchers) lapses as one; one already lapsed is not due.
        """

    def lapse(self, group: str, today: datetime.date) -> Lapsed:
        """Lapse a group, whole or not at all, in a transaction of its own; again: nothing.

        Set-based: one INSERT ... SELECT ... ON CONFLICT DO NOTHING of `Claim` rows in state LAPSED,
        for every document of the group that is owed something and has no claim, and the transfer
        of exactly their sum (rows inserted, not rows selected) from `owed` to where it goes.
        """

    def outs(self) -> Iterable[Outs]:
        """Return what is owed and unclaimed now, by last day."""

    def claimed(self) -> Iterable[Claimed]:
        """Every claim, summed by state and accounts, for rebuilding the books (set-based).

        The office carries these moves out itself: the game's own rebuilder leaves claims alone.
        """


def all_sources() -> list[Source]:
    """Return every source, sorted by the kind of its codes. Raises ContributedTwice."""
    return [source for _, source in sorted(_by_kind().items())]


def of_kind(kind: bytes) -> Source:
    """Return the source of a kind of codes. Raises DocumentUnknown if no game pays them."""
    source = _by_kind().get(kind)
    if source is None:
        raise DocumentUnknown
    return source


def of_game(game: str, bearer: Bearer) -> Source:
    """Return the source of a game's tickets or vouchers. Raises DocumentUnknown."""
    for source in all_sources():
        if source.game == game and source.bearer is bearer:
            return source
    raise DocumentUnknown


def _by_kind() -> dict[bytes, Source]:
    return contributed_by_name("payables", "PAYABLES", key="kind")
