"""A whole race day from the organiser's desk, by two persons and an inspector in three browsers.

Each has another language, and every stage is looked at in every size on the way. The day is played
in four tests, each of which begins where services have brought the day: the programme, the sales,
the last results, and the payment order.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.utils.timezone import localtime

from core.draws.models import Draw
from core.receipts.formats import format_cents, format_date
from core.staff.powers import Role
from lototrot import tasks
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.models.tickets import Ticket, Void
from lototrot.sample import facts
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.browser.desk import RULES
from tests.support.browser.driver import TERMINAL, Open, until
from tests.support.browser.line import Line
from tests.support.browser.staff import Person, person
from tests.support.browser.tour import Looks

DAY = facts.load(facts.SON_PARDO)
NUMBERS, WINNER, WITHDRAWN = range(1, 9), 1, 4
"""Of every race of the day whose results are entered."""
OFFICE = "Oficina Central de Pagament de Premis"
BOTH = (Role.ORGANISER, Role.STEWARDS)


def typed(instant: datetime) -> str:
    """As a field for an instant has it: Madrid's time."""
    return localtime(instant).strftime("%Y-%m-%dT%H:%M:%S")


@pytest.fixture
def asked_to_settle(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """List the contests that the desk asks the workers to settle; the test settles them when
    due.
    """
    asked: list[int] = []
    monkeypatch.setattr(tasks.settle, "delay", asked.append)
    yield asked


def two_persons(open_browser: Open, line: Line) -> tuple[Person, Person]:
    """Return two persons who may do everything on the desk, signed on, with the desk open.

    A code is good for half a minute, so they sign on before the clock moves.
    """
    first = person(open_browser(TERMINAL, language="en"), line.url, *BOTH)
    second = person(open_browser(TERMINAL, language="es"), line.url, *BOTH)
    accompany(first, second)
    for each in (first, second):
        each.sign_on()
        each.browser.find("#desk")
    return first, second


def accompany(*persons: Person) -> None:
    for each in persons:
        each.company[:] = persons


@pytest.mark.article("14.III.4")
def test_a_race_day_is_prepared_at_the_desk(open_browser: Open, line: Line, tmp_path: Path) -> None:
    factories.time_to(DAY.races[0].started_at - timedelta(minutes=25))  # the idle are signed off
    factories.bet_type(), factories.ticket_model()
    first = person(open_browser(TERMINAL, language="en"), line.url, *BOTH, has_device=False)
    second = person(open_browser(TERMINAL, language="es"), line.url, *BOTH)
    accompany(first, second)
    looks = Looks(first.browser, "race-day")
    first.set_up_second_factor()
    second.sign_on(code="000000")
    second.browser.find(".errornote")
    second.sign_on()
    second.browser.find("#desk, .house-panel")  # the first leaves no other desk open
    first.desk()
    looks.stop("nothing-yet")
    prepare(first, second, tmp_path, looks)
    assert Contest.objects.get().state == Contest.State.OPEN
    done = {"import", "approve", "contest", "internal", "publish", "open", "confirm"}
    assert acts_done() >= done
    looks.end()


@pytest.mark.article("14.III.4", "14.III.5.4.2")
def test_sales_are_watched_and_closed_at_the_desk(open_browser: Open, line: Line) -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(), [NUMBERS] * 7)
    factories.time_to(factories.races_of(contest)[0].scheduled_start_at - timedelta(minutes=25))
    first, second = two_persons(open_browser, line)
    looks = Looks(first.browser, "race-day")
    sell_and_close(first, second, contest, looks)
    void_in_breach(first, second, looks)
    done = {"suspend_all", "resume", "stop", "lift", "withdraw", "start", "breach_void", "confirm"}
    assert acts_done() >= done
    looks.end()


@pytest.mark.article("14.III.5.2", "14.III.5.3", "14.III.5.4.1", "14.III.5.4.4")
def test_results_and_a_draw_are_made_at_the_desk(open_browser: Open, line: Line) -> None:
    """Five races have been run; the sixth is classified here, and the last is not run."""
    *_, sixth, last = races_run(5)
    first, second = two_persons(open_browser, line)
    looks = Looks(first.browser, "race-day")
    classify(first, second, sixth, looks)
    inspector = person(open_browser(TERMINAL), line.url, Role.INSPECTOR)
    accompany(first, second, inspector)
    draw(first, second, inspector, last, looks)
    entered = {"announce", "attend", "justify", "commit", "enter", "certify"}
    assert acts_done() >= entered | {"start", "classify", "declare", "confirm"}
    looks.end()


@pytest.mark.article("14.III.8.2")
def test_a_contest_is_settled_and_ordered_at_the_desk(
    open_browser: Open, line: Line, asked_to_settle: list[int]
) -> None:
    races_run(7)
    first, second = two_persons(open_browser, line)
    looks = Looks(first.browser, "race-day")
    settle_and_order(first, second, asked_to_settle, looks)
    assert acts_done() >= {"settle", "order", "confirm"}
    looks.end()


def acts_done() -> set[str]:
    """Return the acts that the administration has logged."""
    logged = LogEntry.objects.values_list("change_message", flat=True)
    return {act.split(": ")[1].split()[0] for act in logged}


def races_run(count: int) -> list[Race]:
    """Sell and close a contest of seven races and classify so many. Return the races.

    In the sixth a horse is withdrawn. The next race, if there is one, starts in five minutes.
    """
    factories.time_to(rounds.NOON)
    contest, shop = rounds.contest(rounds.rules(), [NUMBERS] * 7), factories.point()
    for numbers in ([[WINNER]] * 7, [[WINNER]] * 7, [[1, 2]] * 7, [*[[WINNER]] * 5, [2], [3]]):
        factories.sell(contest, shop, numbers)
    races = factories.races_of(contest)
    factories.withdrawal(races[5], WITHDRAWN)
    factories.time_to(races[0].scheduled_start_at)
    factories.contest_closed(contest, cause=Contest.Cause.START)
    factories.prints_ended(contest)
    for race in races[:count]:
        factories.time_to(race.scheduled_start_at)
        factories.started(race)
        factories.time_pass(minutes=6)
        factories.classified(race, [WINNER])
    for race in races[count : count + 1]:
        factories.time_to(race.scheduled_start_at - timedelta(minutes=5))
    return races


def prepare(first: Person, second: Person, tmp_path: Path, looks: Looks) -> None:
    """A bad file is refused with its places; then the programme, its approval, the contest."""
    good, bad = tmp_path / "son-pardo.json", tmp_path / "bad.json"
    good.write_bytes(facts.programme_file(facts.SON_PARDO))
    bad.write_bytes(good.read_bytes().replace(b'"number": 12', b'"number": 77', 1))
    first.press("import")
    first.browser.attach("#id_file", bad)
    first.refused("programme_invalid")
    first.sees("/races/0/runners/11/number")
    looks.stop("programme-refused")
    first.browser.attach("#id_file", good)
    first.finish()
    second.desk()
    second.do("approve", approved_by="Federació Balear de Trot", reference="FBT 15/2027")
    first.desk()
    looks.stop("programme-approved")
    first.press("contest")
    first.refused(
        "schedule_out_of_place",
        price_cents="1,00",
        scheduled_close_at=typed(DAY.races[0].started_at + timedelta(hours=1)),
    )
    first.fill("scheduled_close_at", typed(DAY.programme.races[0].scheduled_start))
    first.finish()
    first.browser.find(".desk-gates .shut")
    assert not first.browser.shows('a.desk-button[href*="/open/?back="]')
    looks.stop("gates")
    first.press("internal")
    first.browser.click("#id_none")
    first.fill("source", "Secretaria de Son Pardo")
    first.fill("dated_on", DAY.programme.day.isoformat())
    first.finish()
    first.do("publish", **RULES)
    first.browser.gone(".desk-gates .shut")
    first.do("open")
    second.desk()
    second.do("confirm")
    first.desk()


def sell_and_close(first: Person, second: Person, contest: Contest, looks: Looks) -> None:
    """Sales, a suspension, a horse withdrawn by two persons, and the start that closes."""
    shop = factories.point()
    factories.sell(contest, shop, [[1, 2]] * 7)
    first.do("suspend_all", reason="Avaria del totalitzador")
    second.desk()
    second.do("resume")
    by_keyboard(first)
    second.desk()
    second.do("confirm")
    first.desk()
    assert not first.browser.shows('a[href*="/confirm/?back="]')
    looks.stop("on-sale")
    false_stop(first, second, looks)
    started = factories.races_of(contest)[0].scheduled_start_at - timedelta(minutes=4)
    factories.time_to(started + timedelta(seconds=5))
    factories.sell(contest, shop, [[WINNER]] * 7)  # the signal has not arrived yet
    factories.time_to(started + timedelta(seconds=40))
    first.press("start", "#race-1")
    tomorrow = typed(started + timedelta(days=1))
    first.refused("instant_ahead", actual_start_at=tomorrow, source="Jutge de sortida")
    first.fill("actual_start_at", typed(started))
    first.finish()
    first.browser.find("#stops")
    second.desk()
    second.do("confirm")
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "start")
    contest_seal(contest_id=contest.pk)
    factories.prints_ended(contest)


def false_stop(first: Person, second: Person, looks: Looks) -> None:
    """Sales are stopped by mistake; nobody confirms, which alarms; two persons lift the stop."""
    first.do("stop", "#race-1", source="Jutge de sortida")
    first.browser.find("#stops")
    looks.stop("stopped")
    factories.time_pass(minutes=3)
    first.browser.go(f"{first.url}/admin/")
    first.sees("Sales are stopped: confirm the start, or lift the stop")
    looks.stop("alarms")
    first.desk()
    first.do("lift", "#stops", reason="Sortida falsa")
    second.desk(alone=False)
    second.do("confirm")
    assert not second.browser.shows("#stops")
    first.browser.gone("#stops")  # the desk of the other person follows by itself


def by_keyboard(first: Person) -> None:
    """The fourth race's number 6 is withdrawn without touching the mouse."""
    browser, act = first.browser, '#race-4 a[href*="/withdraw/?back="]'
    first.desk()
    browser.tab_to(act)
    browser.keys("Enter")
    browser.tab_to("#id_number")
    browser.keys("6")
    browser.tab_to("#id_source")
    browser.keys(*"Secretaria", "Enter")
    browser.find(".house-buttons button[name=do]")
    browser.tab_to(".house-buttons button[name=do]")
    browser.keys("Enter")
    browser.find("#race-4 .desk-warn")


def void_in_breach(first: Person, second: Person, looks: Looks) -> None:
    """List the ticket that was sold after the start, and have two persons void it."""
    late = Ticket.objects.latest("pk")
    first.desk()
    first.sees(str(late.uuid))
    first.press("breach_void")
    looks.stop("breach")
    first.finish()
    second.desk(alone=False)
    second.press("confirm")
    looks.stop("waiting")
    second.finish()
    assert Void.objects.get().ticket_id == late.pk


def classify(first: Person, second: Person, race: Race, looks: Looks) -> None:
    """The start, what the stewards announced, and the second person's confirmation."""
    at, started = f"#race-{race.number}", race.scheduled_start_at
    factories.time_to(started + timedelta(seconds=20))
    first.desk()
    first.do("start", at, actual_start_at=typed(started))
    second.desk()
    second.do("confirm")
    factories.time_to(started + timedelta(minutes=6))
    first.desk()
    first.press("classify", at)
    first.fill("announced_text", f"Cursa {race.number}: guanya el {WINNER}.")
    first.refused("classification_refused", author="Comissaris de Son Pardo")
    looks.stop("classification-refused")
    first.fill("winners", str(WINNER))
    first.finish()
    second.desk()
    second.do("confirm")


def draw(first: Person, second: Person, inspector: Person, called_off: Race, looks: Looks) -> None:
    """The last race is not run: declared, counted down, drawn with a witness, certified."""
    factories.time_to(called_off.scheduled_start_at)
    first.desk()
    first.do("declare", "#race-7", kind="not_run", reason="Tempesta: pista impracticable")
    second.desk()
    second.do("confirm")
    first.desk()
    first.browser.find("#draws [data-seconds-left]")
    soon = typed(called_off.scheduled_start_at + timedelta(minutes=20))
    first.do("announce", "#draws", place=OFFICE, planned_at=soon)
    first.sees(OFFICE)
    first.press("commit", "#draws")
    first.refused("draw_inspector_needed")
    inspector.sign_on()
    inspector.do("attend", "#draws")
    first.desk()
    looks.stop("draw")
    first.press("commit", "#draws")
    first.refused("draw_before_announced")
    factories.announced_time(Draw.objects.get())
    first.desk()
    first.press("commit", "#draws")
    first.refused("draw_place_unregistered")
    inspector.desk()
    inspector.do("justify", "#draws", reason="La seu és tancada per obres")
    first.desk()
    first.do("commit", "#draws", pieces="12")
    inspector.desk()
    inspector.press("enter", "#draws")
    inspector.refused("entropy_too_little", source="dice", text="3 1 6", witness="Una jugadora")
    inspector.fill("text", "3 1 6 1 4 2 5 3 6 4 2 2")
    inspector.finish()
    inspector.desk()
    inspector.do("certify", "#draws", observations="Sense incidències")
    assert Draw.objects.get().state == Draw.State.CERTIFIED


def settle_and_order(
    first: Person, second: Person, asked_to_settle: list[int], looks: Looks
) -> None:
    contest = Contest.objects.get()
    first.desk()
    first.do("settle")
    assert asked_to_settle == [contest.pk]
    contest_settle(contest_id=contest.pk)
    settlement = Settlement.objects.get()
    assert settlement.winning_tickets
    for each in settlement.categories.all():
        first.sees(format_cents(each.total_cents, "en"))
    first.do("order")
    second.desk()
    second.do("confirm")
    order = PaymentOrder.objects.get()
    first.desk()
    first.sees(format_date(order.last_claim_day, "en"))
    until(
        lambda: first.browser.run(
            "const bar = document.querySelector('.desk-progress'); return bar.value === bar.max"
        ),
        "the whole day done",
    )
    looks.stop("ordered")
