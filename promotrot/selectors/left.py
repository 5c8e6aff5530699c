"""Tell which plays left with a retired month, and count them (ADR 91).

A night deletes what was retired, so plays that leave may still be there. Who counts plays counts
those that stay, and adds those that left; both are one statement, or one after the other where
nobody retires a month meanwhile.
"""

import datetime
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import BooleanField, F, Func, Max, Q, QuerySet

from core.database.reading.asking import fetch_all, fetch_row, fetch_value
from core.periods.models import RetiredRows
from promotrot.models.game import Game
from promotrot.models.play import PlayTicket

RELATION = PlayTicket._meta.db_table
STAYS = f"""
(t.id > (SELECT coalesce(max(r.last_row), 0) FROM periods_retiredrows r
          WHERE r.relation = '{RELATION}')
 OR NOT promotrot_playticket_leaves(p_ticket => t.id))
"""
"""SQL of the condition that the ticket of a play, as t, does not leave."""
_OF_GAME = """
SELECT m.number, l.uuid
  FROM promotrot_left_plays l JOIN promotrot_emission m ON m.id = l.emission_id WHERE m.game_id = %s
"""
_COUNTED = """
SELECT coalesce(sum(cardinality(l.plays)), 0)
  FROM promotrot_retiredplays l JOIN promotrot_emission m ON m.id = l.emission_id
 WHERE m.game_id = %s
"""
_OF_TERMINAL = """
SELECT count(*), coalesce(sum(m.price_cents), 0)::bigint
  FROM promotrot_left_plays l JOIN promotrot_emission m ON m.id = l.emission_id
 WHERE l.terminal_id = %s AND l.day = %s
"""
_BY_UUID = """
SELECT l.emission_id, l.premises_id, l.day, to_char(p.first_day, 'YYYY-MM'), r.kept
  FROM promotrot_left_play(p_uuid => %s) l JOIN periods_retiredrows d ON d.id = l.retired_id
  JOIN periods_retirement r ON r.id = d.retirement_id
  JOIN periods_closedperiod p ON p.id = r.period_id
"""


@dataclass(frozen=True, slots=True)
class LeftPlay:
    """A play that left: its emission and premises by id, the day of its sale, its month, and where
    the archive is.
    """

    uuid: uuid.UUID
    emission_id: int
    premises_id: int
    day: datetime.date
    month: str
    kept: str


def staying(plays: QuerySet[PlayTicket]) -> QuerySet[PlayTicket]:
    """Return those of some plays that do not leave."""
    retired = RetiredRows.objects.filter(relation=RELATION).aggregate(last=Max("last_row"))["last"]
    if retired is None:
        return plays
    leaves = Func(F("pk"), function="promotrot_playticket_leaves", output_field=BooleanField())
    return plays.alias(leaves=leaves).filter(Q(pk__gt=retired) | Q(leaves=False))


def codes_left(game: Game) -> list[tuple[int, uuid.UUID]]:
    """Return the plays of a game that left: the number of the emission, and the UUID."""
    return fetch_all(_OF_GAME, [game.pk])


def count_left(game: Game) -> int:
    """Return how many plays of a game left."""
    return int(fetch_value(_COUNTED, [game.pk]))


def left_of_terminal(terminal_id: int, day: datetime.date) -> tuple[int, int]:
    """Return how many plays of a terminal and a day of sale left, and their prices in cents."""
    plays, cents = fetch_row(_OF_TERMINAL, [terminal_id, day])
    return plays, cents


def play_left(ident: uuid.UUID) -> LeftPlay | None:
    """Return the play that left under a UUID; None if none did."""
    for row in fetch_all(_BY_UUID, [ident]):
        return LeftPlay(ident, *row)
    return None


def plays_left(idents: Iterable[uuid.UUID]) -> Iterator[LeftPlay]:
    """Yield those of some plays that left."""
    for ident in idents:
        left = play_left(ident)
        if left is not None:
            yield left
