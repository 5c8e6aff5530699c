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
from core.nights.turns import counted, spans_of, turn_of
from promotrot.engine.game import PredrawnGame
from promotrot.engine.mechanics import replay
from promotrot.models.play import PlayAct, PlayEnd
from promotrot.selectors.plays import acts_left
from promotrot.services.facts import emission_facts
from promotrot.services.outcomes import (
    Outcome,
    played_outcome,
    predrawn_outcome,
    stopped_outcome,
)

AUDIT: Final = "promotrot.audit"
_FETCHED: Final = 2_000
_MOST_NAMED: Final = 20
Spans = Sequence[tuple[date, date]]
Acts = Sequence[tuple[str, int]]


class PlaysDiffer(InvariantBroken):
    """Plays ended otherwise than their tickets or acts say. `data["found"]` lists them."""

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
    """The plays that were computed again, those whose acts are in an archive, and what differs."""

    plays: int = 0
    archived: int = 0
    findings: list[Finding] = field(default_factory=list)


def audit_plays(spans: Spans | None = None) -> Audit:
    """Compute again every end of a play, or those of some days, each span from first to last."""
    audit = Audit()
    for condition in [Q()] if spans is None else [_during(*span) for span in spans]:
        for ends in _fetched(condition):
            _audit_ends(audit, ends)
            progress.tell(audit.plays)
    return audit


def _during(first: date, last: date) -> Q:
    """Return the condition on ends of those days; of all days from the first if the last is
    `date.max`.
    """
    since = day_bounds(first)[0]
    if last == date.max:
        return Q(pk__gte=first_from(PlayEnd, "ended_at", since), ended_at__gte=since)
    return within(PlayEnd, "ended_at", since, day_bounds(last)[1])


def _fetched(condition: Q) -> Iterator[list[PlayEnd]]:
    rows = PlayEnd.objects.filter(condition).select_related("ticket").order_by("pk")
    after = 0
    while ends := list(rows.filter(pk__gt=after)[:_FETCHED]):
        yield ends
        after = ends[-1].pk


def _audit_ends(audit: Audit, ends: Sequence[PlayEnd]) -> None:
    acts = defaultdict[int, list[tuple[str, int]]](list)
    done = PlayAct.objects.filter(ticket__in=[end.ticket_id for end in ends])
    for ticket, act, draw in done.order_by("ticket", "number").values_list("ticket", "act", "draw"):
        acts[ticket].append((act, draw))
    for end in ends:
        audit.plays += 1
        outcome = _outcome(end, acts[end.ticket_id])
        recounted = {} if outcome is None else {n: getattr(outcome, n) for n in _COMPARED}
        stored = {name: getattr(end, name) for name in _COMPARED}
        if recounted == stored:
            continue
        facts = emission_facts(end.ticket.emission_id)
        if not isinstance(facts.game, PredrawnGame) and acts_left(end.ticket_id):
            audit.archived += 1
            continue
        play = str(end.ticket.uuid)
        audit.findings.append(Finding(play, facts.reference, stored, recounted))


_COMPARED: Final = ("cause", "tier", "extra_tier", "awarded_cents", "extra_cents")


def _outcome(end: PlayEnd, acts: Acts) -> Outcome | None:
    """Return the outcome that a play has by its ticket and acts; None if they lead to no end."""
    facts, ticket = emission_facts(end.ticket.emission_id), end.ticket
    place = ticket.opening, ticket.position
    if isinstance(facts.game, PredrawnGame):
        if end.cause not in (PlayEnd.Cause.PLAYED, PlayEnd.Cause.UNFINISHED):
            return None
        return predrawn_outcome(facts, *place, end.cause, is_shown=False)
    try:
        if end.cause != PlayEnd.Cause.PLAYED:
            return stopped_outcome(facts, *place, acts)
        award = replay(facts.game.kind.mechanic, acts).award
    except DomainError:
        return None
    return None if award is None else played_outcome(facts, *place, award)


def ends_audit(day: date) -> NightOutcome:
    """Compute the ends of plays again: of the last weeks, and of one older period in turn."""
    oldest = PlayEnd.objects.order_by("pk").first()
    turn = turn_of(AUDIT, day, since=None if oldest is None else natural_day(oldest.ended_at))
    return NightOutcome(_audited(spans_of(day, turn)) | counted(turn))


def ends_audit_everything() -> NightOutcome:
    """Compute the end of every play again."""
    return NightOutcome(_audited(None))


def _audited(spans: Spans | None) -> dict[str, int]:
    """Return the counts of an audit. Raises PlaysDiffer."""
    result = audit_plays(spans)
    if result.findings:
        raise PlaysDiffer(
            differing=len(result.findings), found=[asdict(f) for f in result.findings[:_MOST_NAMED]]
        )
    return {"plays": result.plays, "plays_archived": result.archived}
