"""Erase the names of persons who left long ago: two persons decide, the public log tells which.

The log publishes a digest of each encrypted name. It tells nothing, and names the row in any copy
of the database. So a backup from before is erased again by the entries of the log alone.
"""

import dataclasses
import datetime
from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.database.reading.asking import fetch_all
from core.kernel.days import add_days, day_bounds, natural_day
from core.kernel.errors import Conflict
from core.periods import powers
from core.premises.models import Operator
from core.proofs import wire
from core.proofs.copies import need_signed
from core.proofs.log import publish
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal, User
from core.staff.names import Named, digest_of

ENTRY = "periods.names_erased"
FORMAT = "trot-names-erased-1"
MOST_AT_ONCE = 1000
"""Persons of each kind in one proposal, the first to have been registered."""
KINDS: dict[str, type[Named]] = {"names_of_staff": User, "names_of_operators": Operator}
"""The tables of persons by their field of a proposal and of a published entry."""


class NothingToErase(Conflict):
    code = "nothing_to_erase"
    message = "There is no name whose time is over."


class NameStillKept(Conflict):
    """`data` lists the persons by their ids."""

    code = "name_still_kept"
    message = (
        "A name cannot be erased: the person still works here, left too recently, or has no name"
        " any more."
    )


_GONE = """
SELECT t.id FROM "{table}" t
 WHERE NOT t.is_active AND t.name_erased_at IS NULL AND %s > coalesce((
        SELECT max(a.at) FROM journal_change c JOIN journal_act a USING (journal_xid)
         WHERE c.relation = '{table}' AND c.row_id = t.id AND c.after ->> 'is_active' = 'false'),
       t.created_at)
 ORDER BY t.id
"""


def names_over(today: datetime.date) -> dict[str, list[int]]:
    """Return the ids of the persons whose names are over their time, by the fields of KINDS.

    It begins when the journal says that the person's access ended: STAFF_NAMES_KEPT_DAYS and
    OPERATOR_NAMES_KEPT_DAYS.
    """
    kept = {
        "names_of_staff": settings.STAFF_NAMES_KEPT_DAYS,
        "names_of_operators": settings.OPERATOR_NAMES_KEPT_DAYS,
    }
    over = {}
    for field, model in KINDS.items():
        before = day_bounds(add_days(today, -kept[field]))[0]
        gone = fetch_all(_GONE.format(table=model._meta.db_table), [before])
        over[field] = [row[0] for row in gone]
    return over


@transaction.atomic
def names_propose(
    *, by: StaffActor, staff: Sequence[int] | None = None, operators: Sequence[int] | None = None
) -> Proposal:
    """Propose to erase the names of these persons, by their ids; of all that are over, by default.

    Raises PowerMissing, NothingToErase, NameStillKept, ProposalPending.
    """
    by.need(powers.RETIRE)
    over = names_over(natural_day(clock.now()))
    asked = {"names_of_staff": staff, "names_of_operators": operators}
    if staff is not None or operators is not None:
        asked = {field: ids or () for field, ids in asked.items()}
    content = {
        field: sorted(set(over[field] if ids is None else ids))[:MOST_AT_ONCE]
        for field, ids in asked.items()
    }
    if not any(content.values()):
        raise NothingToErase
    _need_over(content, over)
    return two_persons.propose(kind=ERASURE, subject="names", content=content, by=by)


def _need_over(content: dict[str, list[int]], over: dict[str, list[int]]) -> None:
    kept = {field: sorted(set(ids) - set(over[field])) for field, ids in content.items()}
    if any(kept.values()):
        raise NameStillKept(**kept)


def _erase(proposal: Proposal, by: StaffActor) -> None:
    """Erase the names, and publish which. Raises NameStillKept."""
    hold((Lock.PERIOD, 0))
    now = clock.now()
    _need_over(proposal.content, names_over(natural_day(now)))
    digests = {
        field: _keys_destroy(KINDS[field], ids, now) for field, ids in proposal.content.items()
    }
    publish(
        kind=ENTRY,
        subject=f"proposal:{proposal.uuid}",
        document={"format": FORMAT, "erased_at": wire.instant(now), **digests},
    )


def _keys_destroy(model: type[Named], ids: Sequence[int], at: datetime.datetime) -> list[str]:
    """Destroy the keys of names that are not erased. Return the digests of those names, sorted."""
    rows = model._default_manager.filter(pk__in=ids, name_erased_at=None)
    digests = [digest_of(bytes(each)) for each in rows.values_list("name_encrypted", flat=True)]
    rows.update(name_key=None, name_erased_at=at)
    return sorted(digests)


ERASURE = two_persons.Kind(
    "periods.names", powers.RETIRE, _erase, second=powers.CONFIRM, good_for=two_persons.A_WEEK
)


@dataclasses.dataclass(frozen=True, slots=True)
class ErasedAgain:
    """The number of entries of the list that erase names, and of names erased by them now."""

    entries: int
    names: int


@transaction.atomic
def names_erase_again(published: Iterable[dict[str, Any]]) -> ErasedAgain:
    """Erase in a restored backup the names that the public log, given entry by entry, calls erased.

    Other entries are passed over. The log of the backup gets the entries that it lacks, under its
    own numbers. A second call erases nothing more. Only the command of the same name may do this.
    Raises EntryNotSigned.
    """
    hold((Lock.PERIOD, 0))
    by_digest = {
        field: {
            digest_of(bytes(encrypted)): pk
            for pk, encrypted in model._default_manager.filter(name_erased_at=None).values_list(
                "pk", "name_encrypted"
            )
        }
        for field, model in KINDS.items()
    }
    entries = names = 0
    for entry in published:
        if entry.get("kind") != ENTRY:
            continue
        need_signed(entry)
        entries += 1
        document = entry["document"]
        at = datetime.datetime.fromisoformat(document["erased_at"])
        for field, model in KINDS.items():
            ids = [pk for each in document[field] if (pk := by_digest[field].pop(each, None))]
            names += len(_keys_destroy(model, ids, at))
        publish(kind=ENTRY, subject=entry["subject"], document=document)
    return ErasedAgain(entries, names)
