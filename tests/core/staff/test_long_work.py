"""A proposal of long work is confirmed by a clock that is right to its end, or not at all."""

from datetime import timedelta

import pytest

from core.longwork.services import work_ask, work_do
from core.premises import powers
from core.staff import two_persons
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from core.staff.two_persons import CONFIRMING, Kind
from tests.support import factories
from tests.support.concurrency.sales import apart
from tests.support.factories.clocks import server_clock_off, server_clock_steps, watched

AHEAD = timedelta(minutes=1)


@pytest.mark.usefixtures("own_database", "machine_clock")
@pytest.mark.parametrize("meanwhile", [False, True])
def test_nothing_is_confirmed_by_a_clock_that_is_wrong(
    monkeypatch: pytest.MonkeyPatch, meanwhile: bool
) -> None:
    """A month would be closed with an entry that is `DATED OUT OF TURN` for ever."""
    steps = [AHEAD] if meanwhile else []

    def closes(proposal: Proposal, _: object) -> None:
        if steps:
            server_clock_steps(steps.pop())
            apart(watched).result()

    kind = Kind("test.closing", powers.REGISTER, closes, long=True, good_for=None)
    monkeypatch.setitem(two_persons.kinds(), kind.name, kind)
    watched()
    by = factories.staff(Role.ORGANISER)
    proposal = two_persons.propose(kind=kind, subject="a month", content={}, by=by)
    content = {"proposal": str(proposal.uuid)}
    second = factories.staff(Role.ORGANISER)
    with server_clock_off(timedelta()):
        asked = work_ask(kind=CONFIRMING, by=second, content=content)
        if not meanwhile:
            server_clock_steps(AHEAD)
            watched()
        assert work_do(asked.pk)
        asked.refresh_from_db()
        assert (asked.state, asked.fault) == ("failed", "clock_unsound")
        assert not Decision.objects.exists()
        server_clock_steps(timedelta())
        watched()
        again = work_ask(kind=CONFIRMING, by=second, content=content)
        assert work_do(again.pk)
        again.refresh_from_db()
        assert (again.state, Decision.objects.get().verdict) == ("done", "confirmed")
