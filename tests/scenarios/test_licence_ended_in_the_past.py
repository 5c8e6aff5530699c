"""A licence ended on 5 May by a resolution that arrives on 10 May.

Scenario: two persons enter the resolution; the authorisation ends as of 5 May. The bets sold since
are in breach and listed: those of a settled contest are voided and it settles again (C9), those of
an ordered one are blocked, those of a contest on sale wait for its closing. E10, C6, 14.I.6.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from core.ledger import services as ledger
from core.premises.models import Authorisation, Resolution, Suspension, Terminal
from core.staff.powers import Role
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.api import refused, staff_api, terminal_api
from tests.support.lototrot import race_day

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6")]

FIFTH = datetime(2030, 5, 4, 22, tzinfo=UTC)
"""The first instant of 5 May in Madrid."""
BOTH = [(1,), (1,)]


class Week:
    """Contests of 6, 9 and 11 May, in which a good and a bad shop sell: ordered, settled, open."""

    def __init__(self) -> None:
        factories.time_to(FIFTH - timedelta(days=1))
        self.bad, self.good = factories.point(), factories.point()
        self.staff = race_day.Staff()
        self.ordered = self.contest_of(6)
        race_day.order(self.staff, self.ordered)
        self.settled = self.contest_of(9)
        factories.time_to(FIFTH + timedelta(days=5, hours=9))
        self.open = self.on_sale(11)
        self.sell(self.open)

    def on_sale(self, day: int) -> Contest:
        rules = rounds.rules(**rounds.TWO_LEGS)
        contest = rounds.contest(rules, [(1, 2, 3)] * 2, day=date(2030, 5, day))
        race_day.display(contest, self.bad, self.good)
        return contest

    def sell(self, contest: Contest) -> None:
        for point in (self.good, self.bad):
            race_day.sell(contest, point, BOTH)

    def contest_of(self, day: int) -> Contest:
        factories.time_to(FIFTH + timedelta(days=day - 5, hours=12))
        contest = self.on_sale(day)
        self.sell(contest)
        rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
        contest_settle(contest_id=contest.pk)
        return contest

    def licence(self) -> Authorisation:
        authorisation: Authorisation = self.bad.premises.authorisations.get(game="lototrot")
        return authorisation

    def proposed(self, **changes: Any) -> Any:
        body = {
            "effect": "authorisation_ended",
            "authorisation": self.licence().pk,
            "effective_at": FIFTH.isoformat(),
            "reference": "DGJ 210/2030",
        }
        return self.staff.organisers[0].post("resolutions", body | changes)

    def breaches(self, contest: Contest) -> list[tuple[str, list[str]]]:
        answer = self.staff.organisers[0].get(f"lototrot/contests/{contest.pk}/breaches")
        return [(row["premises"], row["reasons"]) for row in answer.json()["items"]]

    def state(self, contest: Contest) -> str:
        return str(Contest.objects.get(pk=contest.pk).state)

    def alarms(self) -> list[int]:
        items = self.staff.organisers[0].get("alarms").json()["items"]
        return [row["subject_id"] for row in items if row["code"] == "lototrot_breach_pending"]


@pytest.fixture
def week() -> Week:
    return Week()


def test_the_bets_sold_since_are_in_breach_listed_and_undone(week: Week) -> None:
    contests = (week.ordered, week.settled, week.open)
    assert [week.breaches(contest) for contest in contests] == [[], [], []]
    race_day.carried_out(week.proposed(), week.staff.organisers[1])
    assert week.licence().valid_until == FIFTH
    listed = [(week.bad.premises.code, ["premises_not_authorised"])]
    assert [week.breaches(contest) for contest in contests] == [listed] * 3
    assert [week.state(contest) for contest in contests] == ["ordered", "closed", "open"]
    assert week.alarms() == [week.ordered.pk, week.settled.pk]
    (entry,) = week.staff.organisers[0].get("resolutions").json()["items"]
    assert (entry["reference"], entry["replaced_at"]) == ("DGJ 210/2030", None)
    sale = race_day.body_of(week.open, BOTH)
    refused(terminal_api(week.bad).post("lototrot/tickets", sale), 403, "premises_not_authorised")

    organiser, second = week.staff.organisers
    path = "lototrot/contests/{}/breaches/{}"
    race_day.carried_out(organiser.post(path.format(week.ordered.pk, "block")), second)
    race_day.carried_out(organiser.post(path.format(week.settled.pk, "void")), second)
    assert ledger.balance_cents(accounts.held(week.ordered.pk)) > 0
    assert ledger.balance_cents(accounts.refunds_due(week.settled.pk)) == 100
    settlement = race_day.settle(week.staff, week.settled)
    assert (settlement["tickets"], settlement["takings_cents"]) == (1, 100)
    assert week.alarms() == []
    rounds.books_agree()


def test_one_person_or_another_power_ends_nothing(week: Week) -> None:
    proposal = week.proposed()
    refused(race_day.confirmed(proposal, week.staff.organisers[0]), 403, "same_person")
    refused(race_day.confirmed(proposal, staff_api(Role.STEWARDS)), 403, "power_missing")
    refused(staff_api(Role.ADMINISTRATOR).post("resolutions", {}), 403, "power_missing")
    refused(week.proposed(), 409, "proposal_pending")
    assert week.licence().valid_until is None and not Resolution.objects.exists()
    assert week.state(week.settled) == "settled"


def test_confirmed_twice_it_is_entered_once(week: Week) -> None:
    proposal = week.proposed()
    for _ in range(2):
        race_day.carried_out(proposal, week.staff.organisers[1])
    assert Resolution.objects.count() == 1


@pytest.mark.parametrize(
    ("effect", "subject", "reason"),
    [
        ("terminal_revoked", "terminal", "terminal_revoked"),
        ("sales_suspended", "terminal", "sales_suspended"),
        ("sales_suspended", "premises", "sales_suspended"),
    ],
)
def test_a_terminal_and_a_suspension_take_effect_in_the_past_too(
    week: Week, effect: str, subject: str, reason: str
) -> None:
    code = getattr(week.bad, subject).code
    proposal = week.proposed(effect=effect, authorisation=None, **{subject: code})
    race_day.carried_out(proposal, week.staff.organisers[1])
    assert week.breaches(week.settled) == [(week.bad.premises.code, [reason])]
    assert week.state(week.settled) == "closed"
    assert Terminal.objects.filter(revoked_at=FIFTH).exists() == (effect == "terminal_revoked")
    assert Suspension.objects.filter(since=FIFTH).exists() == (effect == "sales_suspended")
