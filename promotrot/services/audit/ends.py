"""Compute the ends of plays again, from the tickets' prizes or from the acts on record.

The database refuses an award that is not the worth of its tier. Which tier a ticket held only the
key tells, and which one a play reached only its acts: a program that wrote another one would be
found when the seed is published, or never (15.II.2, 15.II.3).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final

from django.db.models import Q

from core.database.reading import progress
from core.database.reading.numbers import first_from, within
from core.kernel.days import day_bounds, natural_day
from core.kernel.errors import DomainError, InvariantBroken
from core.nights.jobs import Outcome as NightOutcome
from core.nights.models import JobRun
from core.nights.turns import counted, recent, turn_of
from promotrot.engine.game import PredrawnGame
from promotrot.engine.plays import ActOutOfTurn, replay
from promotrot.engine.situations import DrawOutOfRange
from promotrot.models.play import PlayAct, PlayEnd
from promotrot.selectors.facts import emission_facts
from promotrot.selectors.plays import acts_left_of
from promotrot.services.outcomes import (
    Outcome,
    played_outcome,
    predrawn_outcome,
    stopped_outcome,
)

AUDIT: Final = "promotrot.audit"
NEXT: Final = "next_end"
"""The count that names the first end which a night has not read."""
_AT_ONCE: Final = 1_000
"""Ends that are written at the same time are not seen in the order of their numbers."""
_FETCHED: Final = 2_000
_MOST_NAMED: Final = 20
Acts = Sequence[tuple[str, int]]


class PlaysDiffer(InvariantBroken):
    """Plays ended otherwise than their tickets or acts say.

    `data["found"]` lists the first ones, `data["emissions"]` every emission that has one.
    """

    code = "plays_differ"
    message = "Plays did not end with the prizes of their tickets or acts."


@dataclass(frozen=True, slots=True)
class Finding:
    """A play whose end on record is not the one computed again ({}: it has no end)."""

    play: str
    emission: str
    stored: Mapping[str, Any]
    recounted: Mapping[str, Any]


@dataclass(slots=True)
class Audit:
    """The plays that were computed again, those whose acts are in an archive, and what differs.

    `unreadable` has, by emission, why the prizes of its tickets cannot be computed.
    """

    plays: int = 0
    archived: int = 0
    findings: list[Finding] = field(default_factory=list)
    unreadable: dict[int, DomainError | ValueError] = field(default_factory=dict)


def audit_plays(*conditions: Q) -> Audit:
    """Compute again every end of a play that meets one of the conditions on ends, or every end."""
    audit = Audit()
    for condition in conditions or [Q()]:
        for ends in _fetched(condition):
            _audit_ends(audit, ends)
            progress.tell(audit.plays)
    return audit


def _fetched(condition: Q) -> Iterator[list[PlayEnd]]:
    rows = PlayEnd.objects.filter(condition).select_related("ticket").defer("picture")
    rows = rows.order_by("pk")
    after = 0
    while ends := list(rows.filter(pk__gt=after)[:_FETCHED]):
        yield ends
        after = ends[-1].pk


def _audit_ends(audit: Audit, ends: Sequence[PlayEnd]) -> None:
    acts = defaultdict[int, list[tuple[str, int]]](list)
    done = PlayAct.objects.filter(ticket__in=[end.ticket_id for end in ends])
    for ticket, act, draw in done.order_by("ticket", "number").values_list("ticket", "act", "draw"):
        acts[ticket].append((act, draw))
    differing = [end for end in ends if not _agrees(audit, end, acts[end.ticket_id])]
    audit.plays += len(ends)
    gone = acts_left_of([end.ticket_id for end in differing]) if differing else set()
    for end in differing:
        facts = emission_facts(end.ticket.emission_id)
        if not isinstance(facts.game, PredrawnGame) and end.ticket_id in gone:
            audit.archived += 1
            continue
        recounted = _compared(_outcome(end, acts[end.ticket_id]))
        play = str(end.ticket.uuid)
        audit.findings.append(Finding(play, facts.reference, _compared(end), recounted))


def _agrees(audit: Audit, end: PlayEnd, acts: Acts) -> bool:
    """Return whether an end is the one computed again, or its emission cannot be read."""
    if end.ticket.emission_id in audit.unreadable:
        return True
    try:
        return _compared(_outcome(end, acts)) == _compared(end)
    except (DomainError, ValueError) as error:
        audit.unreadable[end.ticket.emission_id] = error
        return True


def _compared(outcome: Outcome | PlayEnd | None) -> dict[str, Any]:
    return {} if outcome is None else {name: getattr(outcome, name) for name in _COMPARED}


_COMPARED: Final = ("cause", "tier", "extra_tier", "awarded_cents", "extra_cents")


def _outcome(end: PlayEnd, acts: Acts) -> Outcome | None:
    """Return the outcome that a play has by its ticket and acts.

    None if they lead to no end, or if its emission has no such ticket or prize.
    """
    facts, ticket = emission_facts(end.ticket.emission_id), end.ticket
    place = ticket.opening, ticket.position
    try:
        if isinstance(facts.game, PredrawnGame):
            if end.cause not in (PlayEnd.Cause.PLAYED, PlayEnd.Cause.UNFINISHED):
                return None
            return predrawn_outcome(facts, *place, end.cause, is_shown=False)
        award = replay(facts.game.kind.mechanic, acts).award
        if end.cause != PlayEnd.Cause.PLAYED:
            return stopped_outcome(facts, *place, acts)
        return None if award is None else played_outcome(facts, *place, award)
    except (ActOutOfTurn, DrawOutOfRange, LookupError):
        return None


def ends_audit(day: date) -> NightOutcome:
    """Compute the ends of plays again: what is new since the last night, and one older period in
    turn.

    What is new is known by its number, not by the time that it names: a program could write an
    old one.
    """
    oldest = PlayEnd.objects.order_by("pk").first()
    turn = turn_of(AUDIT, day, since=None if oldest is None else natural_day(oldest.ended_at))
    newest = PlayEnd.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    conditions = [Q(pk__gte=_first_new(day))]
    if turn is not None:
        bounds = day_bounds(turn.first)[0], day_bounds(turn.last)[1]
        conditions.append(within(PlayEnd, "ended_at", *bounds))
    return NightOutcome(_audited(*conditions) | counted(turn) | {NEXT: newest + 1})


def _first_new(day: date) -> int:
    """Return the number from which on the night of a day reads every end: those of the last weeks
    if no night of these weeks was done.
    """
    since = recent(day)
    done = JobRun.objects.filter(job=AUDIT, state=JobRun.State.DONE, day__lt=day, day__gte=since)
    before = done.order_by("-day").values_list("counts", flat=True).first()
    if before and NEXT in before:
        return int(before[NEXT]) - _AT_ONCE
    return first_from(PlayEnd, "ended_at", day_bounds(since)[0])


def ends_audit_everything() -> NightOutcome:
    """Compute the end of every play again."""
    return NightOutcome(_audited())


def _audited(*conditions: Q) -> dict[str, int]:
    """Return the counts of an audit. Raises PlaysDiffer.

    If no play differs, raises the error of the first emission that cannot be read.
    """
    result = audit_plays(*conditions)
    if result.findings:
        raise PlaysDiffer(
            differing=len(result.findings),
            emissions=sorted({each.emission for each in result.findings}),
            found=[asdict(f) for f in result.findings[:_MOST_NAMED]],
        )
    for error in result.unreadable.values():
        raise error
    return {"plays": result.plays, "plays_archived": result.archived}
