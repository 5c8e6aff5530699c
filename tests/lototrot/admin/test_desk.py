"""Run a race day from the organiser's desk, each act by its own power."""

import re

import pytest
from pytest_django import DjangoAssertNumQueries

from core.database.locks import hold
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.selectors import live_sales
from lototrot.selectors.settlement.chains import chain_lock
from lototrot.services.seal.sealing import sealing
from lototrot.services.settlement.settling import settling as settling_now
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.support import factories, rounds
from tests.support.admin_desk import RULES, Desk, act_url, row_url
from tests.support.lototrot import told_programme
from tests.support.lototrot.starting import declare

NUMBERS = (1, 2, 3, 4)

pytestmark = pytest.mark.django_db


def acts_on(page: str) -> set[str]:
    """Return the names of the acts that a page offers."""
    matches = re.findall(r'class="desk-button[^"]*" href="[^"]*?/([a-z_]+)/\?back=', page)
    return set(matches)


def on_sale() -> Contest:
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(), [NUMBERS] * 7)
    rounds.sell(contest, factories.point(), [rounds.masks([[1]] * 7)] * 5)
    return contest


def test_with_nothing_there_it_says_how_to_begin() -> None:
    page = Desk(Role.ORGANISER).get("/admin/race-day/")
    assert "No contest yet" in page
    assert "/import/?back=" in page


def test_it_opens_at_the_contest_that_has_work_to_do() -> None:
    contest = on_sale()
    response = Desk(Role.ORGANISER).client.get("/admin/race-day/")
    assert response.headers["location"] == f"/admin/race-day/{contest.pk}/"


@pytest.mark.article("14.III.4", "14.III.5.4.2")
def test_each_role_is_offered_its_own_acts() -> None:
    contest = on_sale()
    url = f"/admin/race-day/{contest.pk}/"
    organiser = Desk(Role.ORGANISER).get(url)
    assert {"close", "schedule", "suspend_all"} <= acts_on(organiser)
    stewards = Desk(Role.STEWARDS).get(url)
    assert {"withdraw", "start", "declare"} <= acts_on(stewards)
    assert "close" not in acts_on(stewards)
    assert acts_on(Desk(Role.AUDITOR).get(url)) == set()
    assert Desk(Role.CASHIER).client.get(url).status_code in (403, 302)


def test_a_race_is_named_with_its_racecourse_wherever_it_is_chosen() -> None:
    """A meeting at two racecourses has two first races: a horse leaves one of them."""
    contest = told_programme.contest()
    desk = Desk(Role.ORGANISER)
    first, *_, last = factories.races_of(contest)
    pages = (desk.get(f"/admin/race-day/{contest.pk}/"), desk.get(row_url(contest)))
    for race in (first, last):
        forms = [desk.get(url) for url in (row_url(race), act_url(race, "withdraw"))]
        for page in (*pages, *forms):
            assert f"{race.racecourse.name} · " in page
    assert first.racecourse != last.racecourse


def test_an_act_comes_back_to_the_desk_and_to_nowhere_else() -> None:
    contest = on_sale()
    desk = Desk(Role.ORGANISER)
    page = desk.get(f"/admin/race-day/{contest.pk}/")
    (url,) = re.findall(r'href="([^"]*/close/\?back=[^"]*)"', page)
    done = desk.client.post(url, {"do": "1"})
    assert done.headers["location"] == f"/admin/race-day/{contest.pk}/"
    contest.refresh_from_db()
    assert contest.state == Contest.State.CLOSED
    elsewhere = f"/admin/lototrot/contest/{contest.pk}/settle/?back=https://evil.example/"
    form = desk.client.get(elsewhere).content.decode()
    assert "evil.example" not in form.replace("?back=https://evil.example/", "")


def test_the_part_follows_what_happens() -> None:
    contest = on_sale()
    desk = Desk(Role.ORGANISER)
    part = f"/admin/race-day/{contest.pk}/?part=1"
    assert ">5<" in desk.get(part)
    rounds.run(contest, [rounds.Facts(programme=NUMBERS, winners=frozenset({1}))] * 7)
    closed = desk.get(part)
    assert "7/7" in closed and "settle" in acts_on(closed)
    by = factories.staff(Role.ORGANISER)
    factories.proposal()
    Proposal.objects.create(
        kind="lototrot.payment_order",
        subject=f"contest:{contest.pk}",
        content={},
        content_digest=bytes(32),
        proposed_by_id=by.user_id,
        proposed_in_id=by.session_id,
        proposed_at=rounds.NOON,
    )
    waiting = desk.get(part)
    assert {"confirm", "reject"} <= acts_on(waiting)


def test_what_a_worker_does_now_is_seen_and_what_is_missing_named() -> None:
    contest = on_sale()
    factories.contest_closed(contest)
    part = f"/admin/race-day/{contest.pk}/?part=1"
    desk = Desk(Role.ORGANISER)
    page = desk.get(part)
    assert "desk-busy" not in page
    assert "No classification" not in page  # nothing is missing of a race still to be run
    factories.started(factories.races_of(contest)[0])
    assert desk.get(part).count("No classification") == 1
    hold(chain_lock("lototrot"))  # as who settles does
    assert settling_now(contest)
    assert "desk-busy" in desk.get(part)
    assert sealing(contest)  # in this very transaction


def test_a_programme_goes_to_sale_from_the_desk() -> None:
    desk = Desk(Role.ORGANISER)
    meeting = factories.meeting(approved=False)
    assert acts_on(desk.get("/admin/race-day/")) == {"import", "approve", "internal", "contest"}
    contest = factories.contest(factories.meeting(), state=Contest.State.DRAFT)
    page = desk.get(f"/admin/race-day/{contest.pk}/")
    assert meeting.name in page
    assert {"import", "approve", "contest", "publish"} <= acts_on(page)
    assert "open" not in acts_on(page)  # while a gate is shut
    assert not desk.offers(contest, "open")
    contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=RULES)
    assert "open" in acts_on(desk.get(f"/admin/race-day/{contest.pk}/"))
    assert desk.offers(contest, "open")
    chosen = desk.client.get("/admin/race-day/", {"contest": str(contest.pk)})
    assert chosen.headers["location"] == f"/admin/race-day/{contest.pk}/"


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_a_draw_is_held_from_the_desk() -> None:
    contest = on_sale()
    race = factories.races_of(contest)[0]
    declare(race)
    url = f"/admin/race-day/{contest.pk}/?part=1"
    assert {"announce", "commit", "balls"} <= acts_on(Desk(Role.ORGANISER).get(url))
    inspector = Desk(Role.INSPECTOR).get(url)
    assert "attend" in acts_on(inspector) and "data-seconds-left" in inspector


def test_sales_by_minute_by_premises_and_silent_terminals() -> None:
    contest = on_sale()
    (minute,) = live_sales.sales_by_minute(contest)
    assert (minute.tickets, minute.amount_cents) == (5, 500)
    (place,) = live_sales.sales_by_premises(contest, most=5)
    assert (place.tickets, place.amount_cents) == (5, 500)
    quiet = factories.point()
    factories.acknowledge(contest, quiet)
    assert live_sales.silent_terminals(contest, most=5) == []
    factories.time_pass(minutes=20)
    (silent,) = live_sales.silent_terminals(contest, most=5)
    assert silent.code == quiet.terminal.code
    assert silent.last_sale_at is None


def test_it_reads_each_race_once_however_many_acts_ask_about_it(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    contest, desk = on_sale(), Desk(Role.ORGANISER, Role.STEWARDS)
    url = f"/admin/race-day/{contest.pk}/"
    desk.get(url)
    with django_assert_max_num_queries(55):
        desk.get(url)
