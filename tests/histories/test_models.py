"""Tests of the sequential models: what the rulebook lets an act answer, and what not."""

import pytest

from tests.histories.acts import NOON, SECOND, act, one_after_another, seen, sold
from tests.histories.checker import linearizable
from tests.histories.contest import ContestModel
from tests.histories.document import DocumentModel, PrizesModel
from tests.histories.draw import DrawModel
from tests.histories.history import Act

CONTEST = ContestModel(NOON + 60 * SECOND, 100)
TICKET = DocumentModel(NOON + 60 * SECOND)
PRIZES = PrizesModel(NOON + 60 * SECOND, {"T1": 500, "T2": 700})
MOVED = act("clock", "", "moved")
CLOSED = act("close", "", "closed", at=NOON + 30 * SECOND)
STOPPED = act("stop", "", "stopped", at=NOON + 20 * SECOND)
CONFIRMED = act("confirm", "", "confirmed", at=NOON + 20 * SECOND)
REJECTED = act("reject", "", "rejected")
WAIT = act("sell", "T2", "sales_stopped")
LATE = act("sell", "T2", "contest_closed")
ANNULLED = act("annul", "T1", "annulled", at=NOON + SECOND)
SEALED = act("seal", "", "sealed", tickets=1, cents=100)
SETTLED = act("settle", "", "settled", tickets=1, cents=100)


@pytest.mark.article("14.III.4", "14.III.1.4", "14.III.1.5")
@pytest.mark.parametrize(
    "acts",
    [
        [sold("T1", 0), sold("T1", 0), seen(0, "T1")],
        [sold("T1", 0), CLOSED, LATE, sold("T1", 0), seen(0, "T1", phase="closed")],
        [MOVED, LATE, act("close", "", "closed", at=NOON + 60 * SECOND)],
        [MOVED, sold("T1", 0, NOON + 59 * SECOND)],  # it was under way
        [sold("T1", 0), ANNULLED, CLOSED, ANNULLED, seen(0, phase="closed", void=("T1",))],
        [act("annul", "T1", "ticket_unknown"), sold("T1", 0)],
        [sold("T1", 0), CLOSED, act("annul", "T1", "contest_closed")],
        [CLOSED, act("close", "", "was_closed", at=NOON + 30 * SECOND)],
        [act("close", "", "not_due"), CLOSED],
        [act("seal", "", "contest_on_sale"), sold("T1", 0), CLOSED, SEALED, SEALED],
        [sold("T1", 0), CLOSED, act("settle", "", "contest_not_sealed"), SEALED, SETTLED, SETTLED],
        [sold("T1", 0), CLOSED, SEALED, SETTLED, seen(0, "T1", phase="settled", takings_cents=0)],
        [act("sell", "T1"), CLOSED, seen(0, "T1", phase="closed", newest=NOON)],
        [sold("T1", 0), STOPPED, WAIT, seen(0, "T1", phase="stopped"), CONFIRMED, LATE],
        [STOPPED, WAIT, REJECTED, sold("T2", 0, NOON + 40 * SECOND), seen(0, "T2")],
        [STOPPED, CLOSED, act("confirm", "", "confirmed", at=NOON + 30 * SECOND), LATE],
        [STOPPED, REJECTED, act("confirm", "", "proposal_decided")],
        [act("confirm", "", "nothing_reported"), MOVED, act("stop", "", "stopped", at=None), LATE],
        [act("stop"), WAIT, CONFIRMED],
        [act("annul", "T1"), sold("T1", 0), seen(0, void=("T1",))],
    ],
)
def test_contests_that_may_be(acts: list[Act]) -> None:
    assert linearizable(CONTEST, one_after_another(*acts))


@pytest.mark.article("14.III.4", "14.III.1.4", "14.III.1.5")
@pytest.mark.parametrize(
    "acts",
    [
        [CLOSED, sold("T1", 0)],
        [sold("T1", 0, NOON + 60 * SECOND)],
        [sold("T1", 0), sold("T1", 0, NOON + SECOND)],  # two tickets for one request
        [sold("T1", 0), seen(0, "T1", "T1")],
        [sold("T1", 0), seen(0)],
        [sold("T1", 0, ticket="T2")],
        [sold("T1", 0, NOON + 30 * SECOND), CLOSED],
        [LATE],
        [sold("T1", 0), CLOSED, ANNULLED],
        [sold("T1", 0), ANNULLED, act("annul", "T1", "annulled", at=NOON)],
        [sold("T1", 0), ANNULLED, seen(0, "T1")],
        [CLOSED, CLOSED],
        [STOPPED, sold("T1", 0)],
        [STOPPED, LATE],
        [WAIT],
        [sold("T1", 0, NOON + 25 * SECOND), STOPPED],
        [STOPPED, act("confirm", "", "confirmed", at=NOON + 25 * SECOND)],
        [STOPPED, CONFIRMED, REJECTED],
        [sold("T1", 0), STOPPED, ANNULLED],
        [act("stop", "", "stopped", at=None)],
        [MOVED, act("close", "", "not_due")],
        [SEALED],
        [sold("T1", 0), CLOSED, act("seal", "", "sealed", tickets=0, cents=0)],
        [sold("T1", 0), CLOSED, SETTLED],
        [sold("T1", 0), CLOSED, SEALED, act("settle", "", "settled", tickets=1, cents=0)],
        [act("sell", "T1", "error", text="duplicate key")],
        [act("sell", "T1"), CLOSED, seen(0, "T1", phase="closed", newest=NOON + 40 * SECOND)],
    ],
)
def test_contests_that_may_not_be(acts: list[Act]) -> None:
    assert not linearizable(CONTEST, one_after_another(*acts))


def paid(request: str = "P1", at: int = 0, name: str = "T1") -> Act:
    return act("pay", name, "paid", request=request, at=NOON + at * SECOND)


PRESENTED = act("present", "T1", "presented", receipt="R1", at=NOON)
LAPSED = act("lapse", "", "lapsed", prizes=1, cents=700)


def refused(kind: str, outcome: str) -> Act:
    return act(kind, "T1", outcome, request="P2")


@pytest.mark.article("14.III.10.2", "14.III.10.4", "14.III.10.7")
@pytest.mark.parametrize(
    "acts",
    [
        [act("check", "T1", "prize"), paid(), paid(), refused("pay", "already_paid")],
        [PRESENTED, PRESENTED, MOVED, LAPSED, act("check", "T1", "presented"), paid(at=99)],
        [MOVED, act("check", "T1", "lapsed"), LAPSED, refused("pay", "claim_lapsed")],
        [act("lapse", "", "not_yet_over"), paid(), refused("present", "already_paid")],
        [act("pay", "T1", request="P1"), refused("pay", "already_paid")],
        [MOVED, paid(at=59)],  # it was under way at midnight
    ],
)
def test_tickets_that_may_be(acts: list[Act]) -> None:
    assert linearizable(TICKET, one_after_another(*acts))


@pytest.mark.article("14.III.10.2", "14.III.10.4", "14.III.10.7")
@pytest.mark.parametrize(
    "acts",
    [
        [paid("P1"), paid("P2")],
        [paid("P1"), paid("P1", at=1)],
        [refused("pay", "already_paid")],
        [paid("P2"), refused("pay", "already_paid")],  # its own request
        [paid(at=60)],
        [MOVED, LAPSED, paid(at=59)],
        [LAPSED],
        [paid(), act("check", "T1", "prize")],
        [PRESENTED, act("present", "T1", "presented", receipt="R2", at=NOON)],
        [MOVED, act("lapse", "", "not_yet_over")],
        [refused("pay", "held_apart")],
        [paid(), PRESENTED],
    ],
)
def test_tickets_that_may_not_be(acts: list[Act]) -> None:
    assert not linearizable(TICKET, one_after_another(*acts))


def owed(owed_cents: int, held_cents: int, paid_cents: int) -> Act:
    facts = {"owed_cents": owed_cents, "held_cents": held_cents, "paid_cents": paid_cents}
    return act("read", "", "read", **facts)


@pytest.mark.article("14.III.10.7")
def test_all_prizes_lapse_together() -> None:
    empty = act("lapse", "", "lapsed", prizes=0, cents=0)
    right = [owed(1200, 0, 0), paid(), owed(700, 0, 500), MOVED, LAPSED, owed(0, 0, 500), empty]
    assert linearizable(PRIZES, one_after_another(*right))
    both = act("lapse", "", "lapsed", prizes=2, cents=1200)
    assert not linearizable(PRIZES, one_after_another(paid(), MOVED, both))
    assert not linearizable(PRIZES, one_after_another(PRESENTED, owed(1200, 0, 0)))
    assert not linearizable(PRIZES, one_after_another(MOVED, both, paid(name="T2")))


def drawn(entropy: str = "A", order: str = "123") -> Act:
    return act("enter", "", "drawn", entropy=entropy, order=tuple(order))


def draw_seen(phase: str, order: str = "") -> Act:
    return act("read", "", "read", phase=phase, order=tuple(order))


COMMITTED = act("commit", "", "committed", digest="d1")
CERTIFIED = act("certify", "", "certified")
STARTED = act("start", "", "started")
OTHER = act("enter", "", "entropy_given", entropy="B")


@pytest.mark.article("14.III.5.4.4")
@pytest.mark.parametrize(
    "acts",
    [
        [COMMITTED, COMMITTED, drawn(), drawn(), OTHER, CERTIFIED, CERTIFIED],
        [act("enter", "", "entropy_too_early", entropy="A"), COMMITTED, draw_seen("committed")],
        [STARTED, act("commit", "", "draw_over"), act("enter", "", "draw_over", entropy="A")],
        [COMMITTED, act("start", "", "draw_begun"), act("certify", "", "draw_not_drawn")],
        [COMMITTED, drawn(), draw_seen("drawn", "123"), CERTIFIED, draw_seen("certified", "123")],
        [act("commit"), act("enter", entropy="A"), OTHER, act("certify")],
    ],
)
def test_draws_that_may_be(acts: list[Act]) -> None:
    assert linearizable(DrawModel(), one_after_another(*acts))


@pytest.mark.article("14.III.5.4.4")
@pytest.mark.parametrize(
    "acts",
    [
        [drawn()],
        [COMMITTED, drawn(), drawn("B", "321")],
        [COMMITTED, drawn(), drawn(order="321")],
        [COMMITTED, act("commit", "", "committed", digest="d2")],
        [COMMITTED, STARTED],
        [STARTED, COMMITTED],
        [COMMITTED, CERTIFIED],
        [COMMITTED, draw_seen("committed", "123")],
        [COMMITTED, drawn(), draw_seen("drawn", "321")],
        [COMMITTED, drawn(), draw_seen("committed")],
        [COMMITTED, drawn(), act("enter", "", "entropy_given", entropy="A")],
        [COMMITTED, act("start", "", "error", text="deadlock")],
    ],
)
def test_draws_that_may_not_be(acts: list[Act]) -> None:
    assert not linearizable(DrawModel(), one_after_another(*acts))
