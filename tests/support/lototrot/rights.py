"""Bring meetings to results, orders and lapses on given days, for tests of players' rights."""

import io
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

from core.kernel.days import MADRID
from core.nights.nightly import do_due_work, lapse
from core.premises.requests import new_uuid
from core.reports.days import day_file
from core.staff.powers import Role
from lototrot.engine.races import Race as Facts
from lototrot.models.contest import Contest
from lototrot.services.settlement.auditing import audit_contests
from lototrot.services.settlement.settling import contest_settle
from tests.support import databases, factories, paying, rounds
from tests.support.api import staff_api, terminal_api
from tests.support.factories.batches import one_transaction
from tests.support.paying import Presented

JUNE_1, JUNE_8, JULY_12 = date(2030, 6, 1), date(2030, 6, 8), date(2030, 7, 12)
LAST_DAY = date(2030, 7, 8)
RULES = rounds.rules(**rounds.TWO_LEGS)
NUMBERS = tuple(range(1, 21))
FACTS = [Facts(NUMBERS, winners=frozenset({1}))] * 2


def at(day: date, hour: int, minute: int = 0) -> datetime:
    """Move simulated time to an hour of a day in Madrid. Sessions end meanwhile."""
    return factories.time_to(datetime.combine(day, time(hour, minute), MADRID))


@one_transaction
def meeting(day: date, *, price_cents: int = 100, starts_at: datetime | None = None) -> Contest:
    """Return a contest of two races on sale, which start at 17:00 of their day by default."""
    begins = starts_at or datetime.combine(day, time(17), MADRID)
    made_of = factories.meeting(races=0, day=day, first_start_at=begins)
    course = factories.racecourse()
    races = [
        factories.race(made_of, number, begins, numbers=NUMBERS, course=course) for number in (1, 2)
    ]
    contest: Contest = factories.contest(
        made_of, races=races, rules=rounds.record(RULES), price_cents=price_cents
    )
    return contest


def run(contest: Contest) -> None:
    """Close the contest and classify its races: number 1 wins both."""
    rounds.run(contest, FACTS)


def settled(contest: Contest) -> Contest:
    """Settle a contest, as a worker does."""
    contest_settle(contest_id=contest.pk)
    contest.refresh_from_db()
    return contest


def order_proposed(contest: Contest) -> dict[str, Any]:
    """Propose the payment order over the API, and return the proposal."""
    answer = staff_api(Role.ORGANISER).post(f"lototrot/contests/{contest.pk}/payment-order")
    assert answer.status_code == 201, answer.content
    proposal: dict[str, Any] = answer.json()
    return proposal


def ordered(contest: Contest) -> dict[str, Any]:
    """Order the payment over the API by two persons, and return the order as the API shows it."""
    answer = paying.confirmed_over_api(order_proposed(contest), Role.ORGANISER)
    assert answer.status_code == 200, answer.content
    api = staff_api(Role.ORGANISER)
    order: dict[str, Any] = api.get(f"lototrot/contests/{contest.pk}/settlement").json()[
        "payment_order"
    ]
    return order


def blocked_chain() -> tuple[Contest, Contest, list[Presented]]:
    """Return the meeting of 1 June, whose draw is missing, and that of 8 June with its results."""
    at(JUNE_1, 12)
    first = meeting(JUNE_1)
    rounds.sell(first, factories.point(), [(1, 1)])
    drawn, ran = factories.races_of(first)
    at(JUNE_1, 18)
    factories.contest_closed(first)
    factories.declared(drawn)
    factories.classified(ran, [1])
    at(JUNE_8, 12)
    second = meeting(JUNE_8)
    tickets = paying.tickets(second, 6)
    at(JUNE_8, 19)
    run(second)
    return first, second, tickets


def order_both(first: Contest, second: Contest) -> None:
    """Certify the draw of 1 June, settle and order both meetings over the API, on 12 July."""
    factories.drawn(factories.races_of(first)[0], 1, late_cause="No inspector could come")
    ordered(settled(first))
    proposal = order_proposed(settled(second))
    content = proposal["content"]
    assert (content["results_day"], content["last_claim_day"]) == ("2030-06-08", "2030-08-10")
    assert content["late_days"] == 33
    assert paying.confirmed_over_api(proposal, Role.ORGANISER).status_code == 200


def night(day: date) -> int:
    """Do the due work of the night after a day. Return the cents that lapsed."""
    lapsed = lapse(day).counts["cents"]
    do_due_work(day)
    return int(lapsed)


def alarms(code: str, *roles: Role) -> list[dict[str, Any]]:
    """Return the rows of an alarm, as the API shows them to staff of these roles."""
    rows = staff_api(*roles).get("alarms").json()["items"]
    return [row for row in rows if row["code"] == code]


def deposited(api: Any, ticket: Presented | None, reason: str) -> str:
    """Deposit a paper over the API, with its code unless it is None. Return the receipt."""
    body = {"uuid": str(new_uuid()), "reason": reason, "notes": "Wet"}
    answer = api.post("claims/deposits", body | ({"code": ticket.code} if ticket else {}))
    assert answer.status_code == 201, answer.content
    assert answer.json()["matched"] == (ticket is not None)
    return str(answer.json()["receipt"])


def everything_agrees(*days: date) -> None:
    """Check the ledger, the audit of the settlements, and the replay of days that have ended."""
    rounds.books_agree()
    assert audit_contests().findings == []
    files = []
    for day in days:
        out = io.StringIO()
        day_file.write(day, out)
        files.append(out.getvalue().splitlines())
    for lines in files:
        with databases.clone():
            assert day_file.replay(lines) > 0


def losers(contest: Contest, at_point: factories.Point, counts: Sequence[tuple[int, int]]) -> None:
    """Sell tickets that are right in no race, with so many numbers in each."""
    tickets = [tuple(sum(1 << n for n in range(1, each + 1)) for each in pair) for pair in counts]
    rounds.sell(contest, at_point, tickets)


def washed(tickets: int = 1) -> tuple[Contest, *tuple[Presented, ...]]:
    """Return a settled and ordered meeting of 8 June, and as many tickets worth 4,800.00.

    8,000 bets of 5.00 were sold. 36 % of 40,000.00 go to three tickets that are right in all races.
    """
    at(JUNE_8, 9)
    contest = meeting(JUNE_8, price_cents=500)
    place = factories.point()
    won = paying.tickets(contest, 3, place)
    losers(contest, place, [(19, 19)] * 22 + [(5, 11)])
    at(JUNE_8, 19)
    run(contest)
    order = ordered(settled(contest))
    assert order["last_claim_day"] == "2030-07-08"
    prizes = contest.settlements.get(in_force=True).prizes.values_list("prize_cents", flat=True)
    assert list(prizes) == [480_000] * 3
    return contest, *(Presented(each.ticket, each.code, 480_000) for each in won[:tickets])


def washed_up_in_time() -> str:
    """Deposit an unreadable paper at 19:30 of 8 July, the last day, and lapse what nobody brought.

    Return its receipt.
    """
    at(LAST_DAY, 19, 30)
    receipt = deposited(terminal_api(factories.point()), None, "unreadable")
    at(date(2030, 7, 9), 1)
    assert night(LAST_DAY) == 3 * 480_000
    return receipt


def matched(receipt: str, ticket: Presented) -> Any:
    """Match a deposit with its ticket over the API; return the response."""
    body = {
        "game": "lototrot",
        "document": str(ticket.ticket.uuid),
        "evidence": "Sold at 9:00 at that terminal",
    }
    return staff_api(Role.SUPERVISOR).post(f"office/deposits/{receipt}/match", body)


def ruled(receipt: str, verdict: str = "granted") -> None:
    """Decide about a deposit by two persons over the API."""
    body = {"deposit": receipt, "verdict": verdict, "reason": "As looked at"}
    proposed = staff_api(Role.ORGANISER).post("office/rulings", body)
    assert proposed.status_code == 202, proposed.content
    assert paying.confirmed_over_api(proposed.json()).status_code == 200


def paid_by_cheque(receipt: str, cents: int) -> None:
    """Pay a granted deposit at the Central Office over the API: one proposes, another confirms."""
    who = {"name": "Maria Ferrer", "document_kind": "dni", "document_number": "43123456Z"}
    body = {
        "uuid": str(new_uuid()),
        "deposit": receipt,
        "amount_cents": cents,
        "intact": True,
        "payee": who,
    }
    answer = paying.desk_api().post("office/payments", body)
    assert answer.status_code in (201, 202), answer.content
    proposal = answer.json()["proposal"]
    if proposal is not None:
        assert paying.confirmed_over_api(proposal).status_code == 200
