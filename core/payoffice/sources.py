"""Define the sources that tell the prize office what a ticket or voucher is owed.

A game lists one `Source` for each kind of document as `PAYABLES` in its `payables.py`. A source
says what a document is owed by the rules of the game. Whether it was paid, presented, deposited,
blocked or has lapsed is recorded by the office, in one `Claim` row for each document
(`core.payoffice.models`). The first act to write that row has the claim. A source reads claims only
in the functions that work on sets, which the nights call.
"""

import dataclasses
import datetime
import enum
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from django.db.models import Model

from core.contributions import contributed_by_name
from core.kernel.errors import NotFound
from core.kernel.regulation import Bearer
from core.ledger.services import AccountCode
from core.receipts.document import Block


class DocumentUnknown(NotFound):
    code = "document_unknown"
    message = "No ticket or voucher has that code."


class DocumentArchived(DocumentUnknown):
    """`data["last_day"]` is the last day of the contests whose tickets are archived."""

    code = "document_archived"
    message = (
        "No ticket that may still be paid has that code. Tickets of past months on which nobody has"
        " a right any more are in the archives of these months."
    )


class Standing(enum.StrEnum):
    """The standing of a document by the rules of its game, without regard to its claim.

    PENDING: nothing is decided yet (on sale, awaiting results or the payment order). VOID: nothing
    is or will be owed. NO_PRIZE: the result is decided and it won nothing. OWED: `amount_cents` are
    due.
    """

    PENDING = "pending"
    VOID = "void"
    NO_PRIZE = "no_prize"
    OWED = "owed"


class Nature(enum.StrEnum):
    """The kinds of debt: a prize in money, a price to give back [C6, P11], a thing (15.III.6.5)."""

    PRIZE = "prize"
    REFUND = "refund"
    IN_KIND = "in_kind"


@dataclasses.dataclass(frozen=True, slots=True)
class Thing:
    """A prize in kind [P4].

    `item` names it in the stock; the amount owed is its cash equivalent.
    """

    item: str
    description: str


@dataclasses.dataclass(frozen=True, slots=True)
class Payable:
    """One document and what it is worth, in cents. Days are natural days of Europe/Madrid.

    `document_id` is the game's own id, from one series for all its documents; `uuid` is printed on
    the paper. `first_pay_day` is None if it may be paid at once, `last_claim_day` None if it never
    lapses. `owed` is the account that holds the money at first. `held` is the account that holds it
    while the document is presented, deposited or blocked. Both are liabilities of the game, and
    None unless the standing is OWED. `stage` is a word of the game that refines a standing for
    display: `on_sale`, `awaiting_results`, `awaiting_order`.
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

    def seen_as(self) -> tuple[str, str]:
        """Return the kind and subject of a look at this document (`core.looks`)."""
        return "document", f"{self.game}:{self.document_id}"


@dataclasses.dataclass(frozen=True, slots=True)
class Won:
    """The part of one category in what a document won, in cents: units at the price of a unit.

    `steps` tell how the price of a unit was made, as names and amounts in words.
    """

    title: str
    units: str
    unit_cents: int
    cents: int
    steps: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Reasons:
    """Why a document is worth its amount, from the figures on record, in the language in force.

    `sentences` tell what changed the prices. `figures` is the row that has the figures, and
    `figures_title` its name. `heads` name two columns: the units, and the price of one unit.
    `agrees` is False if what was won does not add up to the amount on record.
    """

    won: tuple[Won, ...]
    sentences: tuple[str, ...]
    figures: Model
    figures_title: str
    heads: tuple[str, str]
    agrees: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Lapsed:
    """The documents that one call of `lapse` lapsed: how many, and their cents."""

    documents: int
    cents: int


@dataclasses.dataclass(frozen=True, slots=True)
class Outs:
    """The documents owed and not claimed that have the same last day (None: they never lapse)."""

    last_claim_day: datetime.date | None
    documents: int
    cents: int


@dataclasses.dataclass(frozen=True, slots=True)
class Claimed:
    """The sum of a source's claims in one state, with the accounts their money moved between.

    `state` is a `Claim.State`; `sent_to` is the account that a lapse or a refusal moved the money
    to.
    """

    state: str
    owed: AccountCode
    held: AccountCode
    cents: int
    sent_to: AccountCode | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class CodeQuery:
    """The one query with which a source finds a document by its code.

    The digest of the code is the only parameter of `sql`, and `id` its first column. A check uses
    `shown_sql`, which is the same query with more columns at the end. `payable` makes the document
    from a row of either query. `details` makes the details of a check (`Source.details`) from a row
    of `shown_sql`.
    """

    sql: str
    shown_sql: str
    payable: Callable[[Sequence[Any]], Payable]
    details: Callable[[Sequence[Any]], Mapping[str, Any]]


class Source(Protocol):
    """The functions with which a game answers about its tickets or vouchers.

    `game` is a `core.premises.models.Game`, `kind` the first byte of its codes (`codes.TICKET`,
    `codes.VOUCHER`), `bearer` the kind of document.
    """

    game: str
    kind: bytes
    bearer: Bearer

    @property
    def code_query(self) -> CodeQuery:
        """Return the query of `by_code`.

        A check and a payment make it a part of their own statement (`finding.at_terminal`).
        """

    def by_code(self, code_digest: bytes) -> Payable | None:
        """Return the document with that keyed digest of its code, None if there is none."""

    def by_id(self, document_id: int) -> Payable:
        """Return the document with that id of the game. Raises DocumentUnknown."""

    def by_uuid(self, document: uuid.UUID) -> Payable:
        """Return the document with that printed UUID. Raises DocumentUnknown."""

    def details(self, document_id: int) -> Mapping[str, Any]:
        """Return what a check shows beside the state, as JSON: bets, trace, combinations."""

    def reasons(self, document_id: int) -> Reasons | None:
        """Return why a document is worth its amount; None if there is nothing to explain (yet)."""

    def blocks(self, document_id: int) -> Sequence[Block]:
        """Return the same as blocks of a status slip, in the language in force."""

    def takes_early(self, payable: Payable) -> bool:
        """Return whether a pending document may be presented or deposited now, before it is known
        what it is owed [D7]: its results are established.
        """

    def hold_pending(self, payable: Payable) -> Payable:
        """Keep a pending document from being valued until the transaction ends.

        Return it as it stands then.
        """

    def handed_over_by(self, document_id: int) -> frozenset[int]:
        """Return the ids of the staff who handed the document over to its bearer at an office.

        They do not pay it.
        """

    def is_blocked(self, document_id: int) -> bool:
        """Return whether the document is blocked for a breach that was found late [C6]."""

    def forfeits_to(self, payable: Payable, day: datetime.date) -> AccountCode:
        """Return the account for held money that two persons refused on that day [C5]."""

    def gives_back(self, payable: Payable, lapsed_day: datetime.date) -> AccountCode:
        """Return the account that gives back what lapsed with that day, for a document that was
        deposited in time and is identified now [C8]. Keep others from emptying it meanwhile.
        """

    def first_lapse(self, since: datetime.date) -> datetime.date | None:
        """Return the first last day, not before `since`, of documents that have not lapsed."""

    def lapses_due(
        self, today: datetime.date, since: datetime.date = datetime.date.min
    ) -> Sequence[str]:
        """Return the groups to call `lapse` with, oldest first: their last day is before `today`.

        A group is a contest, or the vouchers of a day. A group that has lapsed is not due. One
        whose last day is before `since` is known to have lapsed, and need not be read.
        """

    def lapse(self, group: str, today: datetime.date) -> Lapsed:
        """Lapse all documents of a group in one transaction, or none.

        One INSERT ... SELECT ... ON CONFLICT DO NOTHING writes a `Claim` row in state LAPSED for
        every document of the group that is owed something and has no claim. One transfer moves the
        sum of the inserted rows (not of the selected ones) from `owed` to where lapsed money goes.
        A second call changes nothing.
        """

    def outs(self) -> Iterable[Outs]:
        """Return what is owed and unclaimed now, by last day."""

    def claimed(self) -> Iterable[Claimed]:
        """Return all claims, summed by state and accounts, to rebuild the books.

        The office rebuilds these moves: the game's own rebuilder does not touch claims.
        """


def all_sources() -> list[Source]:
    """Return every source, sorted by the kind of its codes. Raises ContributedTwice."""
    return list(_all())


@cache
def _all() -> tuple[Source, ...]:
    return tuple(source for _, source in sorted(_by_kind().items()))


def first_lapse(since: datetime.date) -> datetime.date | None:
    """Return the first last day to claim, not before `since`, of documents not lapsed; or None."""
    days = [source.first_lapse(since) for source in all_sources()]
    return min((day for day in days if day is not None), default=None)


def of_kind(kind: bytes) -> Source:
    """Return the source of a kind of codes. Raises DocumentUnknown if no game pays them."""
    source = _by_kind().get(kind)
    if source is None:
        raise DocumentUnknown
    return source


def of_game(game: str, bearer: Bearer) -> Source:
    """Return the source of a game's tickets or vouchers. Raises DocumentUnknown."""
    for source in _all():
        if source.game == game and source.bearer is bearer:
            return source
    raise DocumentUnknown


@cache
def _by_kind() -> dict[bytes, Source]:
    return contributed_by_name("payables", "PAYABLES", key="kind")
