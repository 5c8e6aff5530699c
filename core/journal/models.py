"""Store the journal: who did what, what it changed, and the sealed batches.

The database gives every row the number of the transaction that wrote it (`journal_xid`), which is
the number of its act: the rows themselves are the entries of the journal. The columns that an
UPDATE changes are a `Change`. Triggers (`core/journal/sql`) write acts and changes for every
program that writes.
"""

import re
import uuid
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, unlocked_key
from core.journal import wire
from core.kernel.canonical import Json
from core.premises.models import Operator, Terminal
from core.proofs.models import SigningKey
from core.staff.models import StaffSession, User

_UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\Z")
_IS_UUID = b"\xff"
"""The first byte of a kept UUID, of 17 bytes. No text in UTF-8 has that byte."""


class RequestField(models.CharField):  # type: ignore[type-arg]
    """The id of a request. One that is a UUID is kept as its bytes, which take less than half.

    So the column is binary; other ids are text in UTF-8 there. Only whole ids can be looked for.
    """

    def db_type(self, connection: Any) -> str:
        return "bytea"

    def get_prep_value(self, value: Any) -> Any:
        if not isinstance(value, str):
            return super().get_prep_value(value)
        return _IS_UUID + uuid.UUID(value).bytes if _UUID.match(value) else value.encode()

    def from_db_value(self, value: bytes | None, *_: object) -> str | None:
        if value is None:
            return None
        content = bytes(value)
        if len(content) == 1 + 16 and content.startswith(_IS_UUID):
            return str(uuid.UUID(bytes=content[1:]))
        return content.decode(errors="replace")  # not as it was kept: the journal names the row


class Source(Guarded):
    """A name of acts with the database role that did them: few rows for many acts.

    `name` is the operation of the API, the act of the admin, the task or the command; empty if the
    writer did not say. Two rows may say the same: of two transactions that use a name for the first
    time, none waits for the other.
    """

    inserted_by_application = False

    id = models.AutoField(primary_key=True)
    name = models.CharField(_("act"), max_length=120)
    database_role = models.CharField(_("role in the database"), max_length=63)

    class Meta:
        verbose_name = _("source of acts")
        verbose_name_plural = _("sources of acts")
        indexes = [models.Index(fields=["name", "database_role"], name="source_of_acts")]

    def __str__(self) -> str:
        return f"{self.name} · {self.database_role}"


class Act(Guarded):
    """A transaction that wrote something: its number, its time, who did it and from which source.

    There are as many acts as sales: no foreign keys, few indexes, and eight columns, so that a row
    says which are empty in its head without growing (docs/adr/0048). An act of which every row left
    with a retired month leaves, too (ADR 49).
    """

    inserted_by_application = False
    retires = True

    xid = models.BigIntegerField(_("transaction"), primary_key=True, db_column="journal_xid")
    at = models.DateTimeField(_("time"))
    user = unlocked_key(User, _("member of staff"), null=True)
    session = unlocked_key(StaffSession, _("session"), null=True)
    terminal = unlocked_key(Terminal, _("terminal"), null=True)
    operator = unlocked_key(Operator, _("operator"), null=True)
    source = unlocked_key(Source, _("source of acts"))
    request_id = RequestField(_("request"), max_length=64)

    class Meta:
        verbose_name = _("act")
        verbose_name_plural = _("acts")
        indexes = [
            models.Index(fields=["user", "xid"], name="act_of_user", condition=~Q(user=None)),
        ]

    def __str__(self) -> str:
        return f"{self.xid} · {self.name}"

    @property
    def name(self) -> str:
        """Return the operation, `admin:power:act`, `task:name` or `command:name`."""
        return self.source.name

    @property
    def database_role(self) -> str:
        return self.source.database_role


class Change(Guarded):
    """The columns that an UPDATE changed in a row, before and after; secret ones as digests.

    Applied backwards to the present row, its changes give the row as it was first written; the
    digest of that row is an entry of a sealed batch.
    """

    inserted_by_application = False

    xid = models.BigIntegerField(_("transaction"), db_column="journal_xid", db_index=True)
    relation = models.CharField(_("table"), max_length=63)
    row_id = models.BigIntegerField(_("row"))
    before = models.JSONField(_("before"))
    after = models.JSONField(_("after"))

    class Meta:
        verbose_name = _("change")
        verbose_name_plural = _("changes")
        indexes = [models.Index(fields=["relation", "row_id", "id"], name="change_of_row")]

    def __str__(self) -> str:
        return f"{self.relation} {self.row_id}"


class RowForm(Guarded):
    """The columns of a table that the digests of its rows cover, in alphabetical order."""

    relation = models.CharField(_("table"), max_length=63)
    columns = ArrayField(models.CharField(max_length=63), verbose_name=_("columns"))

    class Meta:
        verbose_name = _("form of rows")
        verbose_name_plural = _("forms of rows")
        constraints = [
            models.UniqueConstraint(fields=["relation", "columns"], name="form_once"),
        ]

    def __str__(self) -> str:
        return self.relation


class Batch(Guarded):
    """The rows that the transactions from `first_xid` up to, but not including, `end_xid` wrote.

    Those of `open_xids` were in progress: a later batch has them. This one has those of the batch
    before that have ended since.

    `digest` covers the batch's head and, through the digests of its blocks, every entry; `previous`
    is the digest of the batch before (zeros before the first). `signature` signs the head, with the
    key of the public log.
    """

    number = models.BigIntegerField(_("number"), primary_key=True)
    first_xid = models.BigIntegerField(_("first transaction"))
    end_xid = models.BigIntegerField(_("before transaction"))
    open_xids = ArrayField(models.BigIntegerField(), verbose_name=_("without transactions"))
    sealed_at = models.DateTimeField(_("sealed at"))
    entries = models.BigIntegerField(_("entries"))
    previous = models.BinaryField(max_length=32, unique=True)
    digest = models.BinaryField(_("digest"), max_length=32, unique=True)
    key = foreign_key(SigningKey, _("key"), db_index=False)
    signature = models.BinaryField(max_length=64)

    class Meta:
        verbose_name = _("batch of the journal")
        verbose_name_plural = _("batches of the journal")
        constraints = [
            models.CheckConstraint(condition=Q(number__gte=1), name="batch_number"),
            models.CheckConstraint(condition=Q(end_xid__gte=F("first_xid")), name="batch_in_order"),
        ]
        indexes = [models.Index(fields=["sealed_at"], name="batch_sealed_at")]

    def __str__(self) -> str:
        return str(self.number)

    def head(self, blocks: list[list[Json]]) -> dict[str, Json]:
        """Return its head, which the signature covers, with the parts of its blocks."""
        return wire.head(
            number=self.number,
            previous=bytes(self.previous),
            first_xid=self.first_xid,
            end_xid=self.end_xid,
            open_xids=self.open_xids,
            sealed_at=self.sealed_at,
            blocks=blocks,
        )


class Block(Guarded):
    """Entries of one table in a batch: `rows` times (transaction, row, digest of the row).

    An entry is two big-endian integers of 8 bytes and 32 bytes of SHA-256. Entries are in the order
    of transactions and rows. `sha256` is their digest, which the batch's head has. The entries can
    be made again from the rows, and the digest proves them. `short` has transaction, key and 8
    bytes of the digest of each row (`wire.shortened`). It decides nothing; it says which row was
    changed (docs/adr/0048). It leaves with a retired month (docs/adr/0045). Before rows of the
    block are deleted, `entries` is filled, and `short` is NULL from then on. All blocks of a table
    in a batch have the same of these.
    """

    mutable = ("entries", "short")

    batch = foreign_key(Batch, _("batch of the journal"), related_name="blocks", db_index=False)
    position = models.PositiveIntegerField(_("position"))
    row_form = foreign_key(RowForm, _("form of rows"), db_index=False)
    rows = models.PositiveIntegerField(_("rows"))
    entries = models.BinaryField(_("entries"), null=True)
    short = models.BinaryField(null=True)
    sha256 = models.BinaryField(_("digest"), max_length=32)

    class Meta:
        verbose_name = _("block of a batch")
        verbose_name_plural = _("blocks of a batch")
        constraints = [
            models.UniqueConstraint(fields=["batch", "position"], name="block_position"),
            models.CheckConstraint(condition=Q(rows__gte=1), name="block_has_rows"),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id} · {self.position}"
