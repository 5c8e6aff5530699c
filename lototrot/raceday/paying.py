"""The day after: prizes paid at every kind of place, a cheque, a deposit, a refund due."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from core.kernel.days import MADRID
from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.people import Seller, terminal_register
from core.tools.raceday.show import euros, heading, step
from core.tools.raceday.stage import Stage, need
from lototrot.raceday.meeting import Day

CENTRAL, ENTITY = "OFICINA", "CAIXA-1"
FLOAT_CENTS = 3_000_000
PAYEE = {
    "name": "Maria Magdalena Riera Ferrer",
    "document_kind": "dni",
    "document_number": "43000000X",
}


@dataclass(frozen=True, slots=True)
class Won:
    """A winning ticket with the code on its paper."""

    ticket: str
    code: str
    cents: int

    def request(self, **more: Any) -> dict[str, Any]:
        """What a terminal or a desk sends to have it paid."""
        return {
            "uuid": str(uuid.uuid4()),
            "code": self.code,
            "amount_cents": self.cents,
            "intact": True,
            **more,
        }


def tell(stage: Stage) -> None:
    day: Day = stage.kept["lototrot.day"]
    tickets = stage.kept["lototrot.tickets"]
    won = [
        Won(each["ticket"], tickets[each["ticket"]]["code"], each["prize_cents"])
        for each in stage.kept["lototrot.winners"]
        if each["prize_cents"]
    ]
    heading("The prize office, the day after")
    small = _take(won, lambda cents: cents <= 12_000)
    bar = stage.sellers[3].api
    _need_refused(bar, small.request(), "paid_too_early")
    morning = datetime.combine(day.first_start.date() + timedelta(days=1), time(9), MADRID)
    stage.another_day(morning, "the day after the meeting")
    entity = _offices_open(stage)
    _at_establishments(stage, won, small)
    _at_the_entity(stage, entity, won)
    _at_the_desk(stage, won)
    _deposit(stage, won)
    stage.kept["lototrot.unpaid"] = won


def _take(won: list[Won], fits: Callable[[int], bool]) -> Won:
    """A winning ticket of a fitting amount, which is then no longer among those unpaid."""
    fitting = [each for each in won if fits(each.cents)]
    need(bool(fitting), "no ticket has won such an amount")
    won.remove(fitting[0])
    return fitting[0]


def _offices_open(stage: Stage) -> Seller:
    """The Central Office with a cashier's session, and an authorised entity's terminal."""
    organiser = stage.staff["org1"]
    for code, kind, name in (
        (CENTRAL, "central_office", "Oficina Central de Pagament de Premis"),
        (ENTITY, "entity_office", "Caixa de les Illes, oficina 1"),
    ):
        place = {"address": "Plaça Major 1", "municipality": "Palma", "name": name}
        organiser.post("premises", {"code": code, "kind": kind, **place})
    person = {"number": 1, "name": "Finestreta", "pin": stage.pin}
    organiser.post(f"premises/{ENTITY}/operators", person)
    code = terminal_register(organiser, ENTITY, "CAIXA-T1")
    enrolled = stage.api.post("terminal/enrolment", {"enrolment_code": code})
    entity = Seller(ENTITY, "CAIXA-T1", 1, enrolled["token"], stage.api)
    entity.sign_on(stage.pin)
    session = {"premises": CENTRAL, "float_cents": FLOAT_CENTS}
    stage.kept["office.session"] = stage.staff["caj1"].post("office/cash-sessions", session)
    step(f"the Central Office opens with a float of {euros(FLOAT_CENTS)}; an entity's window, too")
    return entity


def _at_establishments(stage: Stage, won: list[Won], small: Won) -> None:
    """Tickets sold anywhere; a retry; a second terminal; a refund due; the tiers."""
    bar, other = stage.sellers[3].api, stage.sellers[4].api
    state = bar.post("claims/check", {"code": small.code})
    need((state["amount_cents"], state["refusal"]) == (small.cents, ""), "a check differs")
    request = small.request()
    paid = bar.post("claims/payments", request)
    need(bar.post("claims/payments", request) == paid, "a retry was answered otherwise")
    _need_refused(other, small.request(), "already_paid")
    step(f"{euros(small.cents)} paid at a bar, once: a retry gets the same answer, others none")
    late = stage.kept["lototrot.late"]
    bar.post("claims/payments", Won(late["uuid"], late["code"], late["amount_cents"]).request())
    step(f"{euros(late['amount_cents'])} given back for the ticket sold after the start")
    for _ in range(20):
        each = _take(won, lambda cents: cents <= 12_000)
        other.post("claims/payments", each.request())
    step("twenty more prizes of up to 120.00 € paid at establishments")


def _at_the_entity(stage: Stage, entity: Seller, won: list[Won]) -> None:
    _need_refused(
        entity.api, next(w for w in won if w.cents <= 12_000).request(), "place_not_allowed"
    )
    large = _take(won, lambda cents: 30_000 <= cents <= 100_000)
    _need_refused(stage.sellers[3].api, large.request(), "place_not_allowed")
    entity.api.post("claims/payments", large.request())
    step(f"{euros(large.cents)} paid in cash at an authorised entity")


def _at_the_desk(stage: Stage, won: list[Won]) -> None:
    """A cheque to its payee, and the close by count."""
    cashier, supervisor = stage.staff["caj1"], stage.staff["sup1"]
    best = max(won, key=lambda each: each.cents)
    need(best.cents > 100_000, "no prize is large enough for a cheque")
    won.remove(best)
    found = cashier.post("office/check", {"code": best.code})
    need(found["means"] == "nominative_cheque", "a large prize is not paid by cheque")
    _need_refused(cashier, best.request(), "payee_missing", "office/payments")
    request = best.request(payee=PAYEE)
    answer = cashier.post("office/payments", request)
    if answer["proposal"]:
        supervisor.post(f"proposals/{answer['proposal']['proposal']}/confirmation")
        answer = cashier.post("office/payments", request)
    number = answer["payment"]["cheque"]
    need(cashier.raw("GET", f"office/cheques/{number}.pdf").startswith(b"%PDF"), "no cheque")
    step(f"{euros(best.cents)} by nominative cheque number {number}")
    cash = _take(won, lambda cents: cents <= 100_000)
    cashier.post("office/payments", cash.request())
    session = stage.kept["office.session"]
    left = FLOAT_CENTS - cash.cents
    closed = cashier.post(f"office/cash-sessions/{session['uuid']}/close", {"counted_cents": left})
    need(closed["difference_cents"] == 0, "the count differs from the books")
    step(f"{euros(cash.cents)} in cash at the desk; the session closes by count, nothing missing")


def _deposit(stage: Stage, won: list[Won]) -> None:
    """A torn ticket, taken in at a bar: from here on it is paid to nobody and never lapses."""
    torn = _take(won, lambda cents: cents > 0)
    bar = stage.sellers[5].api
    _need_refused(bar, torn.request(intact=False), "document_altered")
    body = {"uuid": str(uuid.uuid4()), "code": torn.code, "reason": "damaged", "notes": "Torn."}
    need(bar.post("claims/deposits", body)["matched"], "a readable deposit was not matched")
    _need_refused(bar, torn.request(), "held_apart")
    told = stage.api.post("check", {"code": torn.code})
    need(told["state"] == "deposited", "a deposited ticket shows another state")
    stage.kept["office.deposit"] = body["uuid"]
    step(f"a torn ticket of {euros(torn.cents)} deposited, its money held apart")


def _need_refused(
    api: Api, request: dict[str, Any], code: str, path: str = "claims/payments"
) -> None:
    """The payment is refused with that code."""
    try:
        api.post(path, request)
    except ApiProblem as problem:
        need(problem.code == code, f"refused as {problem.code}, not as {code}")
    else:
        need(False, f"paid, where {code} was due")
