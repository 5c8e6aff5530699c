"""Record which types the internal bet of a meeting has, all of them (14.I.1) [E16].

A contest outside may not coincide with one, so none opens without the list. A forgotten list and an
empty one look alike, so an empty one is said to be empty.
"""

import datetime
from collections.abc import Mapping, Sequence

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Invalid
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.programme import InternalBetList, Meeting
from lototrot.selectors.internal_bets import internal_list


class EmptinessUnsaid(Invalid):
    code = "internal_bets_emptiness_unsaid"
    message = "Say that the list of internal bet types is empty if it is, and only then [E16]."


class SourceMissing(Invalid):
    code = "internal_bets_source_missing"
    message = "The source of the list of internal bet types is needed [E16]."


class DatedAhead(Invalid):
    code = "internal_bets_dated_ahead"
    message = "The list of internal bet types cannot be dated in the future."


class TypeRepeated(Invalid):
    """A code is in the list twice. `data["codes"]` has them."""

    code = "internal_bets_repeated"
    message = "An internal bet type is listed twice."


@transaction.atomic
def internal_bets_record(
    *,
    by: StaffActor,
    meeting: Meeting,
    types: Sequence[Mapping[str, str]],
    none: bool,
    source: str,
    dated_on: datetime.date,
) -> InternalBetList:
    """Record the complete list of a meeting, each type with `code` and `name`.

    A newer list replaces it. The same list again returns the same row. Raise EmptinessUnsaid,
    SourceMissing, DatedAhead or TypeRepeated.
    """
    by.need(powers.PREPARE_CONTEST)
    listed = sorted(
        ({"code": kind["code"], "name": kind["name"]} for kind in types),
        key=lambda kind: kind["code"],
    )
    codes = [kind["code"] for kind in listed]
    if none == bool(listed):
        raise EmptinessUnsaid(types=len(listed))
    if not source.strip():
        raise SourceMissing
    if len(set(codes)) < len(codes):
        raise TypeRepeated(codes=sorted({code for code in codes if codes.count(code) > 1}))
    hold((Lock.MEETING, meeting.pk))
    now = clock.now()
    if dated_on > natural_day(now):
        raise DatedAhead(dated_on=dated_on.isoformat())
    newest = internal_list(meeting.pk)
    if newest and (newest.types, newest.source, newest.dated_on) == (listed, source, dated_on):
        return newest
    return InternalBetList.objects.create(
        meeting=meeting,
        types=listed,
        none=none,
        source=source,
        dated_on=dated_on,
        recorded_at=now,
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
    )
