"""Acts of players that wait at the same time are one statement, each as if it were alone."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection

from core.journal.models import Act
from core.journal.rules import broken, rules
from core.premises.access import bare_terminal
from promotrot.engine.plays import ActOutOfTurn
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import REVEAL
from promotrot.services import playing
from promotrot.services.dealing import dealing
from promotrot.services.playing import PlayView, play_state
from promotrot.services.vouchers import Issued, voucher_original
from tests.support import emitting, factories
from tests.support.concurrency.gathering import counted_statements, held_up
from tests.support.concurrency.sales import together
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.promotrot.playing import fate, play_begun, revealed

TABLES = ("promotrot_playact", "promotrot_playend", "promotrot_voucher", "ledger_transfer")
ALL_WIN = [{"cash_cents": 84, "count": 20}, {"cash_cents": 56, "count": 20}]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of acts in each statement; acts wait for each other as long as it takes."""
    return counted_statements(monkeypatch)


def gathered(database: Database, *acts: Callable[[], Any]) -> list[Any]:
    return held_up(database, "promotrot_playact", playing._act._waiting, acts)


def begun(emission: Emission, count: int) -> list[tuple[Point, PlayView]]:
    """Buy plays, each at premises of its own."""
    return [(place, play_begun(place, emission)) for place in map(_point, range(count))]


def _point(_: int) -> Point:
    return factories.point()


def test_each_has_its_own_answer_act_and_transaction(
    own_database: Database, statements: list[int]
) -> None:
    """Among them the same act twice. All tickets of the emission are played, so some win."""
    emission = emitting.opened(emitting.small())
    plays = begun(emission, emission.tickets)
    asked = [*plays[:3], plays[1], *plays[3:]]
    answers = gathered(
        own_database, *[lambda p=place, u=play.uuid: revealed(p, u) for place, play in asked]
    )
    assert sum(statements) == len(plays) and max(statements) > 2
    assert [type(each) for each in answers] == [PlayView] * len(asked), answers
    again = answers.pop(3)
    assert again.replayed and again.ending == answers[1].ending
    assert again.vouchers == answers[1].vouchers
    assert not any(each.replayed for each in answers)
    assert PlayAct.objects.count() == PlayEnd.objects.count() == len(plays)
    acts = Act.objects.filter(source__name="promotrot.act")
    assert sorted(act.terminal_id for act in acts) == sorted(p.terminal.pk for p, _ in plays)
    for answer in answers:
        ticket = PlayTicket.objects.get(uuid=answer.uuid)
        assert answer.ending.tier == dealing(emission.pk).tier(ticket.opening, ticket.position)
        assert {v.uuid for v in Voucher.objects.filter(ticket=ticket)} == {
            v.uuid for v in answer.vouchers
        }
    assert Voucher.objects.exists()
    of_plays = [rule for rule in rules() if rule.table in TABLES]
    assert of_plays and not [row for rule in of_plays for row in broken(rule)]


def test_one_that_raises_harms_no_other(own_database: Database, statements: list[int]) -> None:
    plays = begun(emitting.opened(emitting.small()), 4)
    refused = PlayTicket.objects.get(uuid=plays[2][1].uuid).pk
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute(
            f"ALTER TABLE promotrot_playact ADD CONSTRAINT not_that_one"
            f" CHECK (ticket_id <> {refused})"
        )
    answers = gathered(
        own_database, *[lambda p=place, u=play.uuid: revealed(p, u) for place, play in plays]
    )
    assert statements == [3]
    assert isinstance(answers[2], DatabaseError) and "not_that_one" in str(answers[2])
    assert [type(each) for each in (*answers[:2], answers[3])] == [PlayView] * 3
    assert PlayAct.objects.count() == PlayEnd.objects.count() == 3


@pytest.mark.parametrize(
    "tells", ["the play", "the act again", "another act", "the paper", "what may come next"]
)
def test_who_tells_of_an_act_waits_until_it_is_on_the_disk(
    own_database: Database, monkeypatch: pytest.MonkeyPatch, tells: str
) -> None:
    """Acts of one statement are seen before its end: what is told of them must not be lost."""
    fate(monkeypatch, up=True)
    goes_on = tells == "what may come next"
    definition = emitting.document("trotters-ladder") if goes_on else emitting.small(tiers=ALL_WIN)
    ((place, play),) = begun(emitting.opened(definition), 1)
    terminal = bare_terminal(place.credentials)

    def act(number: int, name: str) -> PlayView:
        return playing.play_act(
            credentials=place.credentials, ident=play.uuid, number=number, act=name
        )

    def act_that_does_not_wait() -> PlayView:
        with connection.cursor() as cursor:
            cursor.execute("SET synchronous_commit = off")
        return act(1, "trot" if goes_on else REVEAL)

    (done,) = together(act_that_does_not_wait)
    assert bool(done.ending) is not goes_on
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        row = owner.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
        assert row is not None
        tell: Callable[[], Any] = {
            "the play": lambda: play_state(credentials=place.credentials, ident=play.uuid),
            "the act again": lambda: act(1, REVEAL),
            "another act": lambda: act(1, "x"),
            "the paper": lambda: voucher_original(by=terminal, ident=done.vouchers[0].uuid)[1],
            "what may come next": lambda: act(2, "x"),
        }[tells]
        (answer,) = together(tell)
        assert isinstance(answer, PlayView | Issued | playing.ActAlreadyDone | ActOutOfTurn)
        flushed = owner.execute("SELECT pg_current_wal_flush_lsn() >= %s", [row[0]]).fetchone()
    assert flushed == (True,)
