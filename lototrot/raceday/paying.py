"""The prize office: prizes paid at every kind of place, a cheque, a deposit, a refund."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from core.kernel.days import MADRID
from core.payoffice import counting
from core.tools.raceday.api import SERVER_CLOCK, Api, ApiProblem
from core.tools.raceday.people import Seller, enrolment_code, opened, pin_make
from core.tools.raceday.show import euros, heading, step
from core.tools.raceday.stage import Stage, need
from lototrot.raceday.meeting import Day

CENTRAL, ENTITY = "OFICINA", "CAIXA-1"
SECOND_OPERATOR = 2
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
        """Return the request by which a terminal or a desk has it paid."""
        return {
            "uuid": str(SERVER_CLOCK.request_uuid()),
            "code": self.code,
            "amount_cents": self.cents,
            "intact": True,
            **more,
        }


def tell(stage: Stage) -> None:
    """Pay prizes of the first meeting on the day after."""
    day: Day = stage.kept["lototrot.day"]
    tickets = stage.kept["lototrot.tickets"]
    won = [
        Won(winner["ticket"], tickets[winner["ticket"]]["code"], winner["prize_cents"])
        for winner in stage.kept["lototrot.winners"]
        if winner["prize_cents"]
    ]
    heading("The prize office, the day after")
    small = _take(won, lambda cents: cents <= 12_000)
    bar = stage.sellers[3].api
    _need_refused(bar, small.request(), "paid_too_early")
    step("On the evening of the races a bar refuses to pay: prizes are paid from the next day on")
    morning = datetime.combine(day.first_start.date() + timedelta(days=1), time(9), MADRID)
    stage.move_to(morning, "the day after the meeting")
    entity = _offices_open(stage)
    _at_establishments(stage, won, small)
    _at_the_entity(stage, entity, won)
    _at_the_desk(stage, won)
    _deposit(stage, won)


def _take(won: list[Won], fits: Callable[[int], bool]) -> Won:
    """Take a winning ticket of a fitting amount out of those unpaid, and return it."""
    fitting = [ticket for ticket in won if fits(ticket.cents)]
    need(bool(fitting), "no ticket has won such an amount")
    won.remove(fitting[0])
    return fitting[0]


def _offices_open(stage: Stage) -> Seller:
    """Open the Central Office with a cashier's session, and an authorised bank's terminal."""
    organiser = stage.staff["org1"]
    offices = [
        {"code": code, "kind": kind, "name": name, "address": "Plaça Major 1"}
        for code, kind, name in (
            (CENTRAL, "central_office", "Oficina Central de Pagament de Premis"),
            (ENTITY, "entity_office", "Caixa de les Illes, oficina 1"),
        )
    ]
    period = {"valid_from": stage.now().isoformat(), "reference": "DGJ 3/2027"}
    games = ("lototrot", "promotrot")
    lists = {
        "premises": [{**office, "municipality": "Palma"} for office in offices],
        "authorisations": [{"premises": ENTITY, "game": game, **period} for game in games],
        "terminals": [{"premises": ENTITY, "code": "CAIXA-T1"}],
    }
    opened(organiser, stage.staff["org2"], lists)
    first_pin = pin_make(other_than=stage.pin)
    for number in (1, SECOND_OPERATOR):
        person = {"number": number, "name": f"Finestreta {number}", "pin": first_pin}
        organiser.post(f"premises/{ENTITY}/operators", person)
    code = enrolment_code(organiser, "CAIXA-T1")
    entity = Seller.enrol(
        stage.api.sales_url, ENTITY, "CAIXA-T1", 1, code=code, pin=stage.pin, first_pin=first_pin
    )
    entity.pin_choose(SECOND_OPERATOR, first_pin=first_pin, pin=stage.pin)
    session = {"premises": CENTRAL, "float_cents": FLOAT_CENTS}
    stage.kept["office.session"] = stage.staff["caj1"].post("office/cash-sessions", session)
    step(f"The Central Office opens with {euros(FLOAT_CENTS)} in cash; a bank opens a window")
    return entity


def _at_establishments(stage: Stage, won: list[Won], small: Won) -> None:
    """Pay small prizes at bars: a request sent twice, another terminal, a refund."""
    bar, other = stage.sellers[3].api, stage.sellers[4].api
    state = bar.post("claims/check", {"code": small.code})
    need((state["amount_cents"], state["refusal"]) == (small.cents, ""), "a check differs")
    request = small.request()
    paid = bar.post("claims/payments", request)
    need(bar.post("claims/payments", request) == paid, "a retry was answered otherwise")
    _need_refused(other, small.request(), "already_paid")
    step(f"A bar pays {euros(small.cents)}: sent twice it is paid once, and another bar is refused")
    late = stage.kept["lototrot.late"]
    bar.post("claims/payments", Won(late["uuid"], late["code"], late["amount_cents"]).request())
    step(f"{euros(late['amount_cents'])} is given back for the ticket sold after the start")
    for _ in range(20):
        other.post("claims/payments", _take(won, lambda cents: cents <= 12_000).request())
    step("A bar pays twenty more prizes of up to 120.00 €")


def _at_the_entity(stage: Stage, entity: Seller, won: list[Won]) -> None:
    """Pay a larger prize at the bank, which pays no small ones; bars pay no larger ones."""
    _need_refused(
        entity.api, next(w for w in won if w.cents < 12_000).request(), "place_not_allowed"
    )
    large = _take(won, lambda cents: 30_000 <= cents <= 100_000)
    _need_refused(stage.sellers[3].api, large.request(), "place_not_allowed")
    _need_refused(entity.api, large.request(), "second_person_needed")
    second = entity.beside(SECOND_OPERATOR, pin=stage.pin)
    entity.api.post("claims/payments", large.request(second_session=second))
    step(
        f"{euros(large.cents)} is too much for a bar; two people of the authorised bank pay it in"
        " cash"
    )


def _at_the_desk(stage: Stage, won: list[Won]) -> None:
    """Pay by cheque and in cash at the desk, and close the session by counting the cash."""
    cashier = stage.staff["caj1"]
    best = max(won, key=lambda ticket: ticket.cents)
    need(best.cents > 100_000, "no prize is large enough for a cheque")
    won.remove(best)
    checked = cashier.post("office/check", {"code": best.code})
    need(checked["means"] == "nominative_cheque", "a large prize is not paid by cheque")
    _need_refused(cashier, best.request(), "payee_missing", "office/payments")
    number = _paid_by_two(stage, best.request(payee=PAYEE))["cheque"]
    need(cashier.raw("GET", f"office/cheques/{number}.pdf").startswith(b"%PDF"), "no cheque")
    step(f"The Central Office pays {euros(best.cents)} by a cheque in the winner's name")
    cash = _take(won, lambda cents: 12_000 < cents < 30_000)
    need(cashier.post("office/payments", cash.request())["payment"] is not None, "not paid")
    session = stage.kept["office.session"]
    left = FLOAT_CENTS - cash.cents
    counted = cashier.post(f"office/cash-sessions/{session['uuid']}/close", _counted(left))
    need(counted["content"]["difference_cents"] == 0, "the count differs from the books")
    stage.staff["sup1"].post(f"proposals/{counted['proposal']}/confirmation")
    step(
        f"It pays {euros(cash.cents)} in cash; the cash is counted at closing, nothing is missing,"
        " and the supervisor receives it"
    )


def _counted(cents: int) -> dict[str, Any]:
    """Return the drawer's notes and coins with their sum, as a cashier counts them."""
    pieces = counting.pieces(counting.fewest(cents))
    return {
        "count": [{"denomination_cents": each, "pieces": many} for each, many in pieces],
        "counted_cents": cents,
    }


def _paid_by_two(stage: Stage, request: dict[str, Any]) -> dict[str, Any]:
    """Pay a large prize by the cashier, with the supervisor as second person; return it."""
    cashier = stage.staff["caj1"]
    proposal = cashier.post("office/payments", request)["proposal"]
    need(proposal is not None, "a large prize was paid by one person alone")
    stage.staff["sup1"].post(f"proposals/{proposal['proposal']}/confirmation")
    payment: dict[str, Any] = cashier.post("office/payments", request)["payment"]
    return payment


def _deposit(stage: Stage, won: list[Won]) -> None:
    """Take in a torn ticket at a bar: its prize is held, neither paid nor lapsing."""
    torn = _take(won, lambda cents: cents > 0)
    bar = stage.sellers[5].api
    _need_refused(bar, torn.request(intact=False), "document_altered")
    body = {
        "uuid": str(SERVER_CLOCK.request_uuid()),
        "code": torn.code,
        "reason": "damaged",
        "notes": "Torn.",
    }
    need(bar.post("claims/deposits", body)["matched"], "a readable deposit was not matched")
    _need_refused(bar, torn.request(), "held_apart")
    answer = stage.api.post("check", {"code": torn.code})
    need(answer["state"] == "deposited", "a deposited ticket shows another state")
    step(
        f"A torn ticket of {euros(torn.cents)} is taken in; its prize is held until it is examined"
    )


def _need_refused(
    api: Api, request: dict[str, Any], code: str, path: str = "claims/payments"
) -> None:
    """Ask for a payment that must be refused with that code."""
    try:
        api.post(path, request)
    except ApiProblem as problem:
        need(problem.code == code, f"refused as {problem.code}, not as {code}")
    else:
        need(False, f"paid, where {code} was due")
