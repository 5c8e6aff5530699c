"""Show the calendar of meetings, and a past meeting at its own address."""

import json

import pytest
from django.test import Client

from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds


@pytest.mark.django_db
@pytest.mark.article("14.III.9.5")
def test_a_meeting_keeps_its_address_from_the_calendar_to_the_archive() -> None:
    contest = rounds.published()
    client = Client()
    address = f"/meetings/{contest.day.isoformat()}/{contest.bet_type_code}"
    calendar = client.get("/meetings?lang=en").content.decode()
    assert f'href="{address}"' in calendar and "On sale until" in calendar
    assert client.get(address).headers["Location"] == "/"  # not over: it is on the board
    rounds.sell(contest, factories.point(), [(1,) * 7, (2,) * 7])
    rounds.run(contest, [rounds.Facts((1, 2, 3, 4, 5), winners=frozenset({2}))] * 7)
    settlement = contest_settle(contest_id=contest.pk)
    page = client.get(address).content.decode()
    start = page.index('<script id="config" type="application/json">')
    config = json.loads(page[page.index(">", start) + 1 : page.index("</script>", start)])
    (on_board,) = config["fixed"]["lototrot"]["document"]["contests"]
    assert on_board["settlement"]["figures"]["takings"] == settlement.figures["takings"]
    assert [section["name"] for section in config["sections"]] == ["lototrot"]


@pytest.mark.django_db
def test_a_meeting_that_never_was_is_not_found() -> None:
    client = Client()
    assert client.get("/meetings").status_code == 200
    for address in ("2027-04-10/lototrot", "2027-13-40/lototrot", "2027-04-10/nothing"):
        assert client.get(f"/meetings/{address}").status_code == 404
