"""Tell the chapter of the journal: its checkpoint, its commands, and the ticket that it changes."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.journal.raceday import chapters
from core.tools.raceday.stage import Amiss, Stage
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.databases import Database

ENTRIES = [
    {"at": "2027-04-10T17:00:00.000000Z", "document": {"batch": 9}},
    {"at": "2027-04-10T18:00:00.000000Z", "document": {"batch": 12345}},
]


class _Auditor:
    """Answers a request for the public log with these entries."""

    def __init__(self, *entries: dict[str, Any]) -> None:
        self.entries = entries

    def pages(self, path: str, **query: Any) -> Any:
        assert (path, query) == ("log", {"kind": "journal.checkpoint"})
        return iter(self.entries)


def _stage(*entries: dict[str, Any]) -> Stage:
    return cast(Stage, SimpleNamespace(staff={"aud1": _Auditor(*entries)}))


def test_the_newest_checkpoint_is_told_in_words() -> None:
    words = chapters._checkpoint(_stage(*ENTRIES))
    assert words == "The journal is published up to batch 12,345, as it was at 2027-04-10T18:00"


def test_a_checkpoint_that_is_never_published_is_amiss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chapters, "PATIENCE_S", 0)
    with pytest.raises(Amiss, match="a checkpoint of the journal did not come"):
        chapters._checkpoint(_stage())


def test_two_legs_of_a_sealed_ticket_are_exchanged(own_database: Database) -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.sell(contest, factories.point(), [(1, 1), (3, 1)])
    with pytest.raises(Amiss, match="no sealed ticket"):
        chapters._ticket_changed(own_database.owner_url)
    factories.contest_closed(contest)
    before = {ticket.pk: (ticket.leg_1, ticket.leg_2) for ticket in Ticket.objects.all()}
    ticket, of_contest = chapters._ticket_changed(own_database.owner_url)
    assert of_contest == contest.pk
    changed = Ticket.objects.get(pk=ticket)
    assert (changed.leg_2, changed.leg_1) == before[ticket]
    assert changed.leg_1 != changed.leg_2


def test_it_is_the_last_chapter() -> None:
    (chapter,) = chapters.CHAPTERS
    assert (chapter.order, chapter.title, chapter.tell) == (90, "The journal", chapters.tell)
