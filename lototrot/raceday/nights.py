"""A month later: the nights state the premises' accounts, lapse what nobody came for, and put it in
the 7/7 of the next meeting, which is on sale already (14.III.10.7)."""

from datetime import date, datetime, time, timedelta

from core.kernel.days import MADRID
from core.tools.raceday.show import euros, heading, step
from core.tools.raceday.stage import Stage, need
from lototrot.raceday import meeting as office
from lototrot.raceday.meeting import Day
from lototrot.sample import facts

CHAIN = "lototrot/bet-types/lototrot/jackpot"


def tell(stage: Stage) -> None:
    heading("A month later: the nights")
    last = _last_claim_day(stage)
    monday = last - timedelta(days=last.weekday())
    stage.another_day(_morning(monday), "the Monday of the week in which prizes lapse")
    following = _next_meeting(stage)
    _statements(stage)
    nights_lapse_the_rest(stage, last, following)


def _last_claim_day(stage: Stage) -> date:
    """The last day of all to claim a prize of the meetings played, by their payment orders."""
    ends = []
    for contest in _contests(stage):
        found = stage.staff["aud1"].get(f"lototrot/contests/{contest}/settlement")
        order = found.get("payment_order")
        if order:
            ends.append(date.fromisoformat(order["last_claim_day"]))
    need(bool(ends), "no payment was ordered")
    return max(ends)


def _contests(stage: Stage) -> list[int]:
    pages = stage.staff["aud1"].pages("lototrot/contests", limit=200)
    return [each["id"] for each in pages if each["state"] == "ordered"]


def _next_meeting(stage: Stage) -> Day:
    day = Day(facts.load(facts.BOTH), stage.staff)
    office.programme_enter(day, facts.BOTH)
    office.contest_put_on_sale(day)
    step(f"the next meeting, of {day.meeting['day']}, is on sale: contest {day.contest}")
    return day


def _statements(stage: Stage) -> None:
    """The night of a Sunday states each premises' week; what they say is what the books hold."""
    stage.nights()
    statements = list(stage.staff["aud1"].pages("statements", limit=200))
    need(bool(statements), "no statement was issued")
    newest = {each["premises"]: each for each in reversed(statements)}
    for code, each in newest.items():
        account = stage.staff["aud1"].get(f"premises/{code}/account")
        need(account["balance_cents"] == each["closing_cents"], "a statement is not the books")
    total = sum(each["closing_cents"] for each in newest.values())
    step(f"{len(statements)} statements; {len(newest)} premises owe {euros(total)}")
    one = statements[0]
    paper = stage.staff["aud1"].raw("GET", f"statements/{one['uuid']}.pdf")
    need(paper.startswith(b"%PDF"), "a statement is no PDF")


def nights_lapse_the_rest(stage: Stage, last: date, following: Day) -> int:
    """Let the last day to claim end; what lapsed, in cents, all of it in the next meeting's 7/7.

    The nights missed meanwhile are caught up with, and a second run finds nothing to do.
    """
    unclaimed = sum(_prizes_payable(stage, contest) for contest in _contests(stage))
    need(unclaimed > 0, "nobody left anything unclaimed")
    stage.another_day(_morning(last + timedelta(days=1)), "the night after the last day to claim")
    stage.nights()
    runs = list(stage.staff["aud1"].pages("nights", job="claims.lapse", limit=200))
    lapsed = sum(run["counts"]["documents"] for run in runs)
    step(f"{len(runs)} nights, each job done once: {lapsed} tickets and vouchers lapsed")
    left = sum(_prizes_payable(stage, contest) for contest in _contests(stage))
    chain = stage.staff["aud1"].get(CHAIN)
    need(left == 0, f"{left} cents have lapsed and not moved")
    need(chain["next_contest"] == following.contest, "another meeting is next")
    need(chain["lapsed_cents"] == unclaimed, "the next 7/7 does not hold what lapsed")
    step(f"{euros(unclaimed)} unclaimed are in the 7/7 of {following.meeting['day']}")
    need(stage.nights() == [], "a night was run twice")
    need(stage.staff["aud1"].get("nights/undone")["items"] == [], "a job is not done")
    step("a second run finds nothing to do; books, settlements and accounts are audited")
    return unclaimed


def _prizes_payable(stage: Stage, contest: int) -> int:
    """Prizes of a contest that nobody has claimed yet."""
    prefix = f"lototrot:contest:{contest}:prizes"
    found = stage.staff["aud1"].pages("ledger/accounts", prefix=prefix, limit=10)
    return sum(each["balance_cents"] for each in found if each["code"] == prefix)


def _morning(day: date) -> datetime:
    return datetime.combine(day, time(0, 30), MADRID)
