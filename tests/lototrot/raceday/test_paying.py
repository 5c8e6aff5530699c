"""Pay prizes where each may be paid, and stop when a place pays what it may not."""

from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest

from core.kernel.days import MADRID
from core.tools.raceday.api import ApiProblem
from core.tools.raceday.people import Seller
from core.tools.raceday.stage import Amiss
from lototrot.raceday import paying
from lototrot.raceday.paying import Won
from tests.support.lototrot.answering import Answers, Turns, problem, seller_of, stage_of

PAYMENTS, CHECK = "claims/payments", "claims/check"
DESK = "office/payments"


def won(*cents: int) -> list[Won]:
    return [Won(f"ticket-{place}", f"code-{place}", each) for place, each in enumerate(cents)]


def test_each_request_has_an_identifier_of_its_own() -> None:
    (ticket,) = won(500)
    first, second = ticket.request(), ticket.request(intact=False)
    assert first["uuid"] != second["uuid"]
    assert (first["code"], first["amount_cents"], first["intact"]) == ("code-0", 500, True)
    assert second["intact"] is False


def test_a_ticket_is_taken_once() -> None:
    tickets = won(500, 90_000)
    assert paying._take(tickets, lambda cents: cents > 1_000).cents == 90_000
    assert [ticket.cents for ticket in tickets] == [500]
    with pytest.raises(Amiss, match="no ticket has won such an amount"):
        paying._take(tickets, lambda cents: cents > 1_000)


def test_a_payment_that_must_be_refused_has_its_code() -> None:
    answers = Answers()
    bar_api = seller_of(answers).api
    answers.to(PAYMENTS, problem("already_paid"))
    paying._need_refused(bar_api, {}, "already_paid")
    answers.to(PAYMENTS, problem("document_altered"))
    with pytest.raises(Amiss, match="refused as document_altered, not as already_paid"):
        paying._need_refused(bar_api, {}, "already_paid")
    answers.to(PAYMENTS, {})
    with pytest.raises(Amiss, match="paid, where already_paid was due"):
        paying._need_refused(bar_api, {}, "already_paid")


def bar(*answers: Any) -> Answers:
    """Return a system that pays as given, and otherwise the same answer again."""
    small = {"amount_cents": 9_000, "refusal": ""}
    return Answers().to(CHECK, small).to(PAYMENTS, Turns(answers))


LATE = {"uuid": "late", "code": "code-late", "amount_cents": 100}


@pytest.mark.article("14.III.10.2", "14.III.10.4")
def test_a_bar_pays_once_what_is_sent_twice(capsys: pytest.CaptureFixture[str]) -> None:
    paid = {"payment": "one"}
    answers = bar(paid, paid, problem("already_paid"), *[{}] * 21)
    stage = stage_of(answers)
    stage.kept["lototrot.late"] = LATE
    (small,) = won(9_000)
    paying._at_establishments(stage, won(*[500] * 20), small)
    requests = answers.bodies(PAYMENTS)
    assert requests[0] == requests[1]
    assert requests[2]["uuid"] != requests[0]["uuid"]
    assert requests[3]["code"] == "code-late"
    assert len(requests) == 24
    assert "another bar is refused" in capsys.readouterr().out


def test_a_retry_with_another_answer_is_amiss() -> None:
    stage = stage_of(bar({"payment": "one"}, {"payment": "two"}))
    with pytest.raises(Amiss, match="a retry was answered otherwise"):
        paying._at_establishments(stage, won(500), won(9_000)[0])


def test_a_check_that_shows_another_amount_is_amiss() -> None:
    stage = stage_of(bar())
    with pytest.raises(Amiss, match="a check differs"):
        paying._at_establishments(stage, won(500), won(8_999)[0])


@pytest.mark.article("14.III.10.2")
def test_the_bank_pays_a_larger_prize_and_no_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = problem("place_not_allowed", 403)
    alone = problem("second_person_needed", 403)
    answers = Answers().to(PAYMENTS, Turns([refused, refused, alone, {}]))
    monkeypatch.setattr(Seller, "beside", lambda *_, pin: "second")
    tickets = won(500, 45_000)
    paying._at_the_entity(stage_of(answers), seller_of(answers), tickets)
    asked = answers.bodies(PAYMENTS)
    assert [body["amount_cents"] for body in asked] == [500, 45_000, 45_000, 45_000]
    assert [body.get("second_session") for body in asked] == [None, None, None, "second"]
    paid_small = Answers().to(PAYMENTS, {})
    with pytest.raises(Amiss, match="place_not_allowed was due"):
        paying._at_the_entity(stage_of(paid_small), seller_of(paid_small), won(500, 45_000))


def office(*, counts: bool = True, proposal: bool = True) -> Answers:
    """Return a prize office that pays the best by cheque and by two, and another in cash."""
    payee_missing, cheque = (
        problem("payee_missing", 422),
        {"proposal": None, "payment": {"cheque": 4}},
    )
    proposed = {"proposal": {"proposal": "p"} if proposal else None}
    answers = Answers().to("office/check", {"means": "nominative_cheque"})
    answers.to(DESK, Turns([payee_missing, proposed, cheque, {"payment": {}}]))
    answers.to("proposals/p/confirmation", None).to("office/cheques/4.pdf", b"%PDF-1.7")
    counted = {"proposal": "c", "content": {"difference_cents": 0 if counts else -1}}
    answers.to("proposals/c/confirmation", None)
    return answers.to("office/cash-sessions/s/close", counted)


@pytest.mark.article("14.III.10.6")
def test_the_best_prize_is_paid_by_a_cheque_in_the_winners_name() -> None:
    answers = office()
    stage = stage_of(answers)
    stage.kept["office.session"] = {"uuid": "s"}
    paying._at_the_desk(stage, won(25_000, 250_000))
    without_payee, *named, cash = answers.bodies(DESK)
    assert "payee" not in without_payee
    assert {body["payee"]["name"] for body in named} == {paying.PAYEE["name"]}
    assert len({body["uuid"] for body in named}) == 1
    assert cash["amount_cents"] == 25_000
    (closing,) = answers.bodies("office/cash-sessions/s/close")
    assert closing["counted_cents"] == paying.FLOAT_CENTS - 25_000
    counted = [each["denomination_cents"] * each["pieces"] for each in closing["count"]]
    assert sum(counted) == closing["counted_cents"]


def test_cash_that_is_missing_at_the_desk_is_amiss() -> None:
    stage = stage_of(office(counts=False))
    stage.kept["office.session"] = {"uuid": "s"}
    with pytest.raises(Amiss, match="the count differs from the books"):
        paying._at_the_desk(stage, won(25_000, 250_000))
    with pytest.raises(Amiss, match="paid by one person alone"):
        paying._at_the_desk(stage_of(office(proposal=False)), won(25_000, 250_000))
    with pytest.raises(Amiss, match="no prize is large enough"):
        paying._at_the_desk(stage, won(80_000))


@pytest.mark.article("14.III.10.3", "14.III.10.5")
def test_a_torn_ticket_is_taken_in_and_paid_no_more() -> None:
    answers = Answers().to(PAYMENTS, Turns([problem("document_altered"), problem("held_apart")]))
    answers.to("claims/deposits", {"matched": True}).to("check", {"state": "deposited"})
    paying._deposit(stage_of(answers), won(500))
    torn, again = answers.bodies(PAYMENTS)
    assert (torn["intact"], again["intact"]) == (False, True)
    (deposit,) = answers.bodies("claims/deposits")
    assert (deposit["code"], deposit["reason"]) == (torn["code"], "damaged")
    answers.to(PAYMENTS, problem("document_altered")).to("claims/deposits", {"matched": False})
    with pytest.raises(Amiss, match="not matched"):
        paying._deposit(stage_of(answers), won(500))


@pytest.mark.article("14.III.8.1")
def test_a_bar_does_not_pay_on_the_evening_of_the_races() -> None:
    answers = Answers().to(PAYMENTS, problem("paid_too_early"))
    answers.to("clock", Turns([problem("forbidden", 403)]))
    stage = stage_of(answers)
    first_start = datetime(2027, 4, 10, 17, tzinfo=MADRID)
    stage.kept["lototrot.day"] = SimpleNamespace(first_start=first_start)
    stage.kept["lototrot.tickets"] = {"a": {"code": "code-a"}, "b": {"code": "code-b"}}
    winners = [{"ticket": "a", "prize_cents": 500}, {"ticket": "b", "prize_cents": 0}]
    stage.kept["lototrot.winners"] = winners
    with pytest.raises(ApiProblem, match="forbidden"):
        paying.tell(stage)
    (moved,) = answers.bodies("clock")
    assert moved["now"] == datetime(2027, 4, 11, 9, tzinfo=MADRID).isoformat()
    assert [body["code"] for body in answers.bodies(PAYMENTS)] == ["code-a"]


def test_the_offices_open_with_a_cashier_and_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers()
    answers.to("premises", {"proposal": "p"}).to("proposals/p/confirmation", {})
    answers.to(f"premises/{paying.ENTITY}/operators", None)
    answers.to("terminals/CAIXA-T1/enrolment-code", {"enrolment_code": "once"})
    answers.to("clock", {"now": "2027-03-20T10:00:00+01:00"})
    answers.to("office/cash-sessions", {"uuid": "s"})
    answers.to("clock", {"now": "2027-04-10T09:00:00+00:00"})
    enrolled: list[tuple[Any, ...]] = []

    def enrol(*where: Any, code: str, pin: str, first_pin: str) -> Seller:
        assert first_pin not in (pin, "")
        enrolled.append((*where, code, pin))
        return seller_of(answers)

    monkeypatch.setattr(Seller, "enrol", enrol)
    chosen: list[int] = []
    monkeypatch.setattr(Seller, "pin_choose", lambda _, number, **pins: chosen.append(number))
    stage = stage_of(answers)
    paying._offices_open(stage)
    (opened,) = answers.bodies("premises")
    kinds = {row["code"]: row["kind"] for row in opened["premises"]}
    assert kinds == {paying.CENTRAL: "central_office", paying.ENTITY: "entity_office"}
    assert enrolled == [(answers.base_url, paying.ENTITY, "CAIXA-T1", 1, "once", stage.pin)]
    assert chosen == [paying.SECOND_OPERATOR]
    assert stage.kept["office.session"] == {"uuid": "s"}
    assert [row["game"] for row in opened["authorisations"]] == ["lototrot", "promotrot"]
