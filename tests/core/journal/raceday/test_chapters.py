"""Tell the chapter of the journal: its checkpoint, its commands, and the ticket that it changes."""

from datetime import date
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.journal.raceday import chapters
from core.tools.raceday.stage import Amiss, Stage
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.databases import Database

DAY = date(2027, 4, 10)
DOCUMENT = {"day": DAY.isoformat(), "entries": 12345, "acts": 678, "batch": 9}


class _Auditor:
    """Answers a request for the public log with these documents."""

    def __init__(self, *documents: dict[str, Any]) -> None:
        self.items = [{"document": document} for document in documents]

    def get(self, path: str, **query: Any) -> Any:
        assert (path, query) == ("log", {"kind": "journal.checkpoint", "subject": "2027-04-10"})
        return {"items": self.items}


def _stage(*documents: dict[str, Any]) -> Stage:
    return cast(Stage, SimpleNamespace(staff={"aud1": _Auditor(*documents)}))


def test_the_checkpoint_of_the_day_is_told_in_words() -> None:
    words = chapters._checkpoint(_stage(DOCUMENT), DAY)
    assert words.startswith("The checkpoint of 2027-04-10 is published: 12,345 entries of 678 acts")


def test_a_checkpoint_that_is_never_published_is_amiss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chapters, "PATIENCE_S", 0)
    with pytest.raises(Amiss, match="the checkpoint of 2027-04-10 did not come"):
        chapters._checkpoint(_stage(), DAY)


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
