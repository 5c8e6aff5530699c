"""Many tickets are hashed in two parts side by side, and the seal is the same (14.III.1.5)."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from core.proofs.merkle import BLOCK
from lototrot.models.contest import Contest
from lototrot.services.seal import beside, leaves
from lototrot.services.seal.hashing import Hashed, Part
from lototrot.services.seal.sealing import contest_seal, seal_verify
from tests.support import databases, factories, rounds
from tests.support.factories import Point
from tests.support.history import acts

pytestmark = pytest.mark.article("14.III.1.5")

MARKS = [(1, 1), (1, 2), (3, 1), (2, 4), (7, 7)]
SOLD = (800, 1_000, 795)


@pytest.fixture(scope="module")
def sold(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> tuple[str, int]:
    """Sell more than two blocks of tickets, and annul the last of each sale as an error.

    Tickets of another contest are between them. Return the name of the database, and the contest.
    """
    contests: list[Contest] = []

    def sell() -> None:
        contests.append(rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2))
        other = factories.contest(kind="five-races")
        for count in SOLD:
            point = factories.point()
            rounds.sell(contests[0], point, MARKS * (count // len(MARKS)))
            acts.annul_last(contests[0], 1)
            factories.sell(other, point)

    with django_db_blocker.unblock():
        return databases.prepared(sell), contests[0].pk


@pytest.fixture
def contest(
    sold: tuple[str, int], django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Contest]:
    """The contest in a copy for this test alone. From 2,000 tickets on there are two parts."""
    monkeypatch.setattr(leaves, "BESIDE_FROM", 2_000)
    backup, contest_id = sold
    with django_db_blocker.unblock(), databases.restored(backup):
        yield Contest.objects.get(pk=contest_id)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[beside.Beside]:
    """Return the list in which every process stands that was begun beside."""
    processes: list[beside.Beside] = []
    begin = beside.Beside.__init__

    def kept(self: beside.Beside, process: "subprocess.Popen[bytes]", part: Part) -> None:
        processes.append(self)
        begin(self, process, part)

    monkeypatch.setattr(beside.Beside, "__init__", kept)
    return processes


def at_once(contest: Contest) -> Hashed:
    """Return the same by one process: a savepoint forbids a second one."""
    with transaction.atomic(), transaction.atomic():
        return leaves.hashed(contest)


def side_by_side(contest: Contest) -> Hashed:
    with transaction.atomic():
        return leaves.hashed(contest)


def test_two_parts_are_the_same_as_one(contest: Contest, begun: list[beside.Beside]) -> None:
    alone = at_once(contest)
    assert not begun
    assert side_by_side(contest) == alone
    assert len(begun) == 1
    assert (alone.tickets, len(alone.first_ids)) == (sum(SOLD) - len(SOLD), 3)
    assert alone.tickets // 2 % BLOCK  # so the second part completes the last block of the first


def test_few_tickets_are_one_part(
    contest: Contest, begun: list[beside.Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaves, "BESIDE_FROM", 10_000)
    assert side_by_side(contest).tickets == sum(SOLD) - len(SOLD)
    assert not begun


def test_a_contest_is_sealed_and_verified_so(contest: Contest, begun: list[beside.Beside]) -> None:
    factories.contest_closed(contest, sealed=False)
    seal = contest_seal(contest_id=contest.pk)
    with transaction.atomic():
        totals = seal_verify(contest)
    assert (totals.tickets, len(begun)) == (seal.tickets, 2)
    assert bytes(seal.block_roots) == at_once(contest).roots


def test_what_our_transaction_wrote_is_hashed_by_ourselves(
    contest: Contest, begun: list[beside.Beside]
) -> None:
    with transaction.atomic():
        rounds.sell(contest, factories.point(), MARKS[:1])
        assert leaves.hashed(contest).tickets == sum(SOLD) - len(SOLD) + 1
    assert not begun


def test_both_parts_are_of_one_snapshot(contest: Contest, begun: list[beside.Beside]) -> None:
    """An audit reads a snapshot; what is written after it began belongs to the next audit."""
    sold = side_by_side(contest)

    def sell_one_more() -> None:
        try:
            rounds.sell(contest, factories.point(), MARKS[:1])
        finally:
            connection.close()

    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        assert leaves.hashed(contest) == sold
        with ThreadPoolExecutor(1) as later:
            later.submit(sell_one_more).result()
        assert leaves.hashed(contest) == sold
    assert side_by_side(contest).tickets == sold.tickets + 1
    assert len(begun) == 4


def test_a_ticket_in_the_second_part_at_other_premises_is_refused(contest: Contest) -> None:
    at, elsewhere = factories.point(), factories.point()
    mixed = Point(
        elsewhere.premises, at.terminal, at.operator, at.session, at.token, at.session_token
    )
    rounds.sell(contest, mixed, MARKS[:1])
    with pytest.raises(leaves.LeafUnsound):
        side_by_side(contest)


def test_our_session_waits_for_a_slow_process(
    contest: Contest, begun: list[beside.Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, hashed = at_once(contest), beside.Beside.hashed

    def late(self: beside.Beside) -> Hashed | None:
        sleep(1.0)
        return hashed(self)

    monkeypatch.setattr(beside.Beside, "hashed", late)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '300ms'")
        assert leaves.hashed(contest) == alone
        assert contest.tickets.exists()  # the session still answers
    assert len(begun) == 1


def test_the_part_of_a_process_that_is_killed_is_hashed_by_ourselves(
    contest: Contest, begun: list[beside.Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = at_once(contest)
    factories.contest_closed(contest, sealed=False)
    hashed = beside.Beside.hashed

    def killed(self: beside.Beside) -> Hashed | None:
        self._process.kill()
        return hashed(self)

    monkeypatch.setattr(beside.Beside, "hashed", killed)
    assert bytes(contest_seal(contest_id=contest.pk).block_roots) == alone.roots
    assert begun[0]._process.returncode == -9


def test_a_process_does_not_outlive_an_error_of_the_first_part(
    contest: Contest, begun: list[beside.Beside]
) -> None:
    point = factories.point()
    query = leaves._query(contest, first_id=contest.tickets.latest("pk").pk)
    with (
        pytest.raises(leaves.LeafUnsound),
        transaction.atomic(),
        beside.hashing_beside(*query),
    ):
        raise leaves.LeafUnsound(contest=contest.pk, point=point.terminal.pk)
    assert begun[0]._process.poll() is not None


def test_the_program_begins_without_django() -> None:
    """It would take longer to begin than it saves."""
    program = "import sys, lototrot.services.seal.hashing; sys.exit('django' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
