"""A month of nights: statements of the premises, and prizes that lapse.

What nobody claimed goes into the 7/7 of the next meeting, which is on sale already (14.III.10.7).
"""

from datetime import date, datetime, time, timedelta

from core.kernel.days import MADRID
from core.tools.raceday.show import counted, doing, euros, heading, step
from core.tools.raceday.stage import Stage, need
from lototrot.raceday import meeting as office
from lototrot.raceday.meeting import Day
from lototrot.sample import facts

CHAIN = "lototrot/bet-types/lototrot/jackpot"


def tell(stage: Stage) -> None:
    """Let a month pass: premises get their statements, and unclaimed prizes lapse."""
    heading("A month later: what happens at night by itself")
    last = _last_claim_day(stage)
    monday = last - timedelta(days=last.weekday())
    stage.move_to(_morning(monday), "the Monday of the week in which prizes lapse")
    following = _next_meeting(stage)
    _statements(stage)
    nights_lapse_the_rest(stage, last, following)


def _last_claim_day(stage: Stage) -> date:
    """Return the last day to claim a prize of any meeting played, by their payment orders."""
    ends = []
    for contest in _contests(stage):
        settled = stage.staff["aud1"].get(f"lototrot/contests/{contest}/settlement")
        order = settled.get("payment_order")
        if order:
            ends.append(date.fromisoformat(order["last_claim_day"]))
    need(bool(ends), "no payment was ordered")
    return max(ends)


def _contests(stage: Stage) -> list[int]:
    pages = stage.staff["aud1"].pages("lototrot/contests", limit=200)
    return [contest["id"] for contest in pages if contest["state"] == "ordered"]


def _next_meeting(stage: Stage) -> Day:
    day = Day(facts.load(facts.BOTH), stage.staff)
    office.programme_enter(day, facts.BOTH)
    office.contest_put_on_sale(day)
    step(f"The next meeting, of {day.meeting['day']}, is put on sale")
    return day


def _statements(stage: Stage) -> None:
    """Run the night of a Sunday, which states each premises' week; compare with the books."""
    doing("running the nights of a month")
    stage.nights()
    statements = list(stage.staff["aud1"].pages("statements", limit=200))
    need(bool(statements), "no statement was issued")
    newest = {statement["premises"]: statement for statement in reversed(statements)}
    for code, statement in newest.items():
        account = stage.staff["aud1"].get(f"premises/{code}/account")
        need(account["balance_cents"] == statement["closing_cents"], "a statement is not the books")
    total = sum(statement["closing_cents"] for statement in newest.values())
    step(
        f"Every Sunday night each premises gets its statement, {counted(len(statements), 'paper')}"
        f" in all: {len(newest)} premises owe {euros(total)}"
    )
    one = statements[0]
    paper = stage.staff["aud1"].raw("GET", f"statements/{one['uuid']}.pdf")
    need(paper.startswith(b"%PDF"), "a statement is no PDF")


def nights_lapse_the_rest(stage: Stage, last: date, following: Day) -> int:
    """Let the last day to claim end; return the cents that lapsed into the next meeting's 7/7.

    The nights in between are made up for, and a second run finds nothing to do.
    """
    unclaimed = sum(_prizes_payable(stage, contest) for contest in _contests(stage))
    need(unclaimed > 0, "nobody left anything unclaimed")
    stage.move_to(_morning(last + timedelta(days=1)), "the night after the last day to claim")
    doing("running the nights up to the last day to claim")
    stage.nights()
    runs = list(stage.staff["aud1"].pages("nights", job="claims.lapse", limit=200))
    lapsed = sum(run["counts"]["documents"] for run in runs)
    step(
        f"The time to claim ends: {counted(lapsed, 'ticket or voucher', 'tickets and vouchers')}"
        f" lapse, in {counted(len(runs), 'night')}, each job done once"
    )
    left = sum(_prizes_payable(stage, contest) for contest in _contests(stage))
    chain = stage.staff["aud1"].get(CHAIN)
    need(left == 0, f"{left} cents have lapsed and not moved")
    need(chain["next_contest"] == following.contest, "another meeting is next")
    need(chain["lapsed_cents"] == unclaimed, "the next 7/7 does not hold what lapsed")
    step(f"{euros(unclaimed)} that nobody claimed go into the 7/7 of {following.meeting['day']}")
    need(stage.nights() == 0, "a night was run twice")
    need(stage.staff["aud1"].get("nights/undone")["items"] == [], "a job is not done")
    step("A second run finds nothing to do; books, settlements and accounts were audited")
    return unclaimed


def _prizes_payable(stage: Stage, contest: int) -> int:
    """Return the cents of a contest's prizes that nobody has claimed yet."""
    prefix = f"lototrot:contest:{contest}:prizes"
    accounts = stage.staff["aud1"].pages("ledger/accounts", prefix=prefix, limit=10)
    return sum(a["balance_cents"] for a in accounts if a["code"] == prefix)


def _morning(day: date) -> datetime:
    return datetime.combine(day, time(0, 30), MADRID)
