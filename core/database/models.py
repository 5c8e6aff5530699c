"""Define the base of all models, and the table of the simulated clock.

A model states what may change after a row is written; `guards` makes the database enforce it.
"""

import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict, TypeVar, Unpack, overload

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

_M = TypeVar("_M", bound=models.Model)
_NO_WAY_BACK = {"related_name": "+"}
SECRET_FIELDS = frozenset({"password", "pin"})
"""Fields of text that no page, journal or file shows to anyone."""


class _KeyOptions(TypedDict, total=False):
    related_name: str
    db_index: bool
    db_constraint: bool
    primary_key: bool


class Guarded(models.Model):
    """Base of all models of the project. No row is deleted, except where it `retires`.

    `mutable` names the columns that may change after INSERT (none: the table is append-only).
    `transitions` is the table of the `state` column: state -> states that it may become. `derived`
    names mutable columns that can be computed from other rows, such as counters; the journal leaves
    them out. `inserted_by_application` is False where only the database's own functions write.
    `retires` is True for rows that leave the live store when two persons retire their closed
    period; its archive then has them (`core.periods.archive`).
    `looks_recorded` is True for rows of one player: each look at them is put on record
    (`core.looks`).
    """

    mutable: ClassVar[tuple[str, ...]] = ()
    transitions: ClassVar[dict[str, tuple[str, ...]]] = {}
    derived: ClassVar[tuple[str, ...]] = ()
    inserted_by_application: ClassVar[bool] = True
    retires: ClassVar[bool] = False
    looks_recorded: ClassVar[bool] = False

    class Meta:
        abstract = True

    def seen_as(self) -> tuple[str, object]:
        """Return the kind and subject of a look at this row: its table and key."""
        return self._meta.label_lower, self.pk


@overload
def foreign_key(
    to: type[_M], label: "_StrPromise", *, null: Literal[True], **options: Unpack["_KeyOptions"]
) -> "models.ForeignKey[_M | None, _M | None]": ...
@overload
def foreign_key(
    to: type[_M], label: "_StrPromise", **options: Unpack["_KeyOptions"]
) -> "models.ForeignKey[_M, _M]": ...
def foreign_key(to: type[_M], label: "_StrPromise", **options: Any) -> Any:
    """Return a foreign key to rows that are never deleted.

    Without a `related_name` those rows have no attribute that leads back.
    """
    return models.ForeignKey(to, models.PROTECT, verbose_name=label, **_NO_WAY_BACK | options)


@overload
def one_to_one(
    to: type[_M], label: "_StrPromise", *, null: Literal[True], **options: Unpack["_KeyOptions"]
) -> "models.OneToOneField[_M | None, _M | None]": ...
@overload
def one_to_one(
    to: type[_M], label: "_StrPromise", **options: Unpack["_KeyOptions"]
) -> "models.OneToOneField[_M, _M]": ...
def one_to_one(to: type[_M], label: "_StrPromise", **options: Any) -> Any:
    """Return a unique foreign key, as `foreign_key` does."""
    return models.OneToOneField(to, models.PROTECT, verbose_name=label, **_NO_WAY_BACK | options)


@overload
def unlocked_key(
    to: type[_M], label: "_StrPromise", *, null: Literal[True], related_name: str = ...
) -> "models.ForeignKey[_M | None, _M | None]": ...
@overload
def unlocked_key(
    to: type[_M], label: "_StrPromise", *, related_name: str = ...
) -> "models.ForeignKey[_M, _M]": ...
def unlocked_key(to: type[_M], label: "_StrPromise", **options: Any) -> Any:
    """Return a foreign key without an index, and without a constraint, which would lock a row that
    many sales share (docs/adr/0030).
    """
    return foreign_key(to, label, db_constraint=False, db_index=False, **options)


class ClockOffset(Guarded):
    """An offset of simulated time: the newest row's offset is added to the database's clock.

    An empty table means real time. Production refuses to start on any other.
    """

    offset = models.DurationField(_("offset"))
    set_at = models.DateTimeField(_("set at"))
    reason = models.CharField(_("reason"), max_length=200)

    class Meta:
        verbose_name = _("simulated time")
        verbose_name_plural = _("simulated time")
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="clock_offset_has_reason")
        ]

    def __str__(self) -> str:
        return str(self.offset)


class ClockWatch(Guarded):
    """The last state of the server's clock, as the processes that watch it saw it: one row.

    `newest_at` is the time of the newest act that they saw, by the server's clock without the
    simulated offset. While the clock is behind it, nothing is sold. `unsound` stops sales until the
    clock is right again. `behind` is how far the clock was behind the references, or zero.
    `timeline` names the history of the server at that look. After a promotion or a restore the
    server has another history, and nothing is sold until the clock is looked at again.
    `core.timekeeping` writes these columns; its incidents are the record. `swept_at` is when a
    worker last looked for due work.
    """

    mutable = ("newest_at", "watched_at", "unsound", "behind", "timeline", "swept_at")
    derived = mutable

    singleton = models.BooleanField(default=True, unique=True)
    newest_at = models.DateTimeField(_("newest act seen"))
    watched_at = models.DateTimeField(_("watched at"))
    unsound = models.BooleanField(_("not to be trusted"), default=False)
    behind = models.DurationField(_("behind"), default=datetime.timedelta)
    timeline = models.CharField(_("timeline of the server"), max_length=8, blank=True, default="")
    swept_at = models.DateTimeField(_("a worker answered at"), null=True)

    class Meta:
        verbose_name = _("watch of the clock")
        verbose_name_plural = _("watch of the clock")
        constraints = [
            models.CheckConstraint(condition=Q(singleton=True), name="clock_watch_alone"),
            models.CheckConstraint(
                condition=Q(behind__gte=datetime.timedelta()), name="clock_watch_behind"
            ),
        ]

    def __str__(self) -> str:
        return str(self.watched_at)


class KeyMark(Guarded):
    """The mark of a key that this database was used with: a digest that tells nothing of the key.

    What is on record names only the version of its key. So a version of a ring is one key for
    ever: a process that has another one under it does not start (docs/adr/0094).
    """

    ring = models.CharField(_("key ring"), max_length=20)
    version = models.CharField(_("version of the key"), max_length=1)
    mark = models.BinaryField()

    class Meta:
        verbose_name = _("mark of a key")
        verbose_name_plural = _("marks of keys")
        constraints = [
            models.UniqueConstraint(fields=("ring", "version"), name="key_mark_of_a_version")
        ]

    def __str__(self) -> str:
        return f"{self.ring} {self.version}"
