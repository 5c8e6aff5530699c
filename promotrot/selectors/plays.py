"""Read plays: those to finish at a terminal, those left unfinished, and those for staff."""

import datetime
from collections.abc import Collection, Sequence
from typing import Final

from django.db.models import BooleanField, Case, F, Func, Q, QuerySet, When

from core.database.reading.asking import fetch_all, fetch_value
from core.database.reading.numbers import numbers
from core.database.statements import call_function
from core.nights.models import JobRun
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket

LOOKED_BACK = 1_000
"""So many of its last tickets a terminal is asked about. What is older the night has ended, or left
begun and listed.
"""

UNFINISHED: Final = "promotrot.unfinished"
"""The night's job that ends and lists the plays left unfinished."""

PLAN = "emission__plan"  # large, and not wanted with every row

_AT_TERMINAL = """
SELECT t.id FROM (SELECT id FROM promotrot_playticket WHERE terminal_id = %(terminal)s
                   ORDER BY id DESC LIMIT %(most)s) t
 WHERE NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = t.id)
   AND promotrot_terminal_of(p_ticket => t.id, p_sold_at_terminal => %(terminal)s) = %(terminal)s
UNION
SELECT m.ticket_id FROM promotrot_playmove m JOIN promotrot_playticket t ON t.id = m.ticket_id
 WHERE m.to_terminal_id = %(terminal)s
   AND NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = m.ticket_id)
   AND promotrot_terminal_of(t.id, t.terminal_id) = %(terminal)s
UNION
SELECT t.id FROM promotrot_playticket t
 WHERE t.uuid = ANY(%(begun)s::uuid[])
   AND NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = t.id)
   AND promotrot_terminal_of(t.id, t.terminal_id) = %(terminal)s
"""
_STRANDED = """
SELECT t.id FROM premises_terminal p CROSS JOIN LATERAL (
    SELECT id FROM promotrot_playticket WHERE terminal_id = p.id
     ORDER BY id DESC LIMIT %(most)s) t
 WHERE NOT promotrot_can_finish(p.premises_id)
   AND NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = t.id)
UNION
SELECT t.id FROM promotrot_playticket t
 WHERE t.uuid = ANY(%(begun)s::uuid[]) AND NOT promotrot_can_finish(t.premises_id)
   AND NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = t.id)
"""


def last_night(before: datetime.date | None = None) -> JobRun | None:
    """Return what the newest night (of a day before `before`) did with unfinished plays."""
    runs = JobRun.objects.filter(job=UNFINISHED, state=JobRun.State.DONE)
    if before is not None:
        runs = runs.filter(day__lt=before)
    return runs.order_by("-day").first()


def begun_in(night: JobRun | None) -> list[str]:
    """Return the UUIDs of the plays that a night left begun, as many as it kept."""
    rows = night.listed.get("unfinished", []) if night else []
    return [row["play"] for row in rows if row["became"] == "begun"]


def unfinished_at(terminal_id: int) -> QuerySet[PlayTicket]:
    """Return the plays to finish at this terminal, with those that were moved there."""
    asked = {"terminal": terminal_id, "most": LOOKED_BACK, "begun": begun_in(last_night())}
    ids = [pk for (pk,) in fetch_all(_AT_TERMINAL, asked)]
    return PlayTicket.objects.filter(pk__in=ids).select_related("emission").defer(PLAN)


def can_be_finished(premises_id: int) -> bool:
    """Return whether the premises have a terminal in use and are authorised for Promotrot [P19]."""
    return bool(fetch_value("SELECT promotrot_can_finish(%s)", [premises_id]))


def acts_left(ticket_id: int) -> bool:
    """Return whether the acts of a play left with its retired month, or are about to (ADR 63)."""
    return bool(call_function("promotrot_acts_left", ticket=ticket_id)[0])


def acts_left_of(tickets: Sequence[int]) -> set[int]:
    """Return those of the plays whose acts left, as `acts_left` does, in one query."""
    rows = PlayTicket.objects.filter(pk__in=tickets)
    left = Func("pk", function="promotrot_acts_left", output_field=BooleanField())
    return set(rows.filter(left).values_list("pk", flat=True))


def stranded() -> QuerySet[PlayTicket]:
    """Return the unfinished plays whose premises can no longer finish them, oldest first [P19]."""
    asked = {"most": LOOKED_BACK, "begun": begun_in(last_night())}
    ids = [pk for (pk,) in fetch_all(_STRANDED, asked)]
    rows = PlayTicket.objects.filter(pk__in=ids).select_related("emission", "premises")
    return rows.defer(PLAN).order_by("pk")


def unfinished(
    before: datetime.datetime, *, first: int = 0, also: Collection[str] = ()
) -> QuerySet[PlayTicket]:
    """Return every play sold before an instant that has not ended, oldest first.

    With `first`, only those from that id on, and of the older ones those whose UUIDs are `also`
    given.
    """
    end = numbers(PlayTicket, "sold_at", before, before)[1]
    among = Q(pk__gte=first, pk__lt=end)
    if also:
        among |= Q(uuid__in=also)
    rows = PlayTicket.objects.filter(among, sold_at__lt=before, end=None)
    return rows.select_related("emission", "premises", "terminal").defer(PLAN).order_by("pk")


def plays(*, by: StaffActor) -> QuerySet[PlayTicket]:
    """Return every play, for staff.

    `audited_opening` and `audited_position` are its place in the emission, for who audits that,
    after the closing. Before it they would tell how many prizes are left in the block on sale.
    """
    by.need(powers.READ_PLAYS)
    rows = PlayTicket.objects.select_related("emission", "premises", "terminal", "operator", "end")
    is_over = Q(emission__state__in=Emission.OVER) if by.may(powers.READ_POSITIONS) else Q(pk=None)
    rows = rows.annotate(
        audited_opening=Case(When(is_over, then=F("opening"))),
        audited_position=Case(When(is_over, then=F("position"))),
    )
    return rows.defer(PLAN).prefetch_related("acts", "moves__to_terminal", "vouchers")
