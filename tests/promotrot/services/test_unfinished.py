"""End plays that were left unfinished, by the nightly job [P11]."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import add_days, day_bounds, natural_day
from core.ledger.services import balance_cents
from core.nights.models import JobRun
from core.premises.models import Terminal
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.selectors import plays
from promotrot.selectors.plays import stranded, unfinished_at
from promotrot.services import unfinished
from promotrot.services.dealing import dealing
from promotrot.services.playing import play_act
from promotrot.services.unfinished import GRACE, play_end_unfinished, plays_end_unfinished
from tests.support import emitting, factories
from tests.support.emitting import buy, winning
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


def a_day_later() -> None:
    factories.time_pass(days=1, hours=2)


def night() -> list[str]:
    """Do the night of yesterday and record it; return the plays listed as begun."""
    day = add_days(natural_day(clock.now()), -1)
    done, now = plays_end_unfinished(day), clock.now()
    kept = {"counts": done.counts, "listed": done.listed, "started_at": now, "ended_at": now}
    JobRun.objects.create(job="promotrot.unfinished", day=day, state="done", **kept)
    return [row["play"] for row in done.listed["unfinished"] if row["became"] == "begun"]


def left_begun(place: Point, ladder: Emission) -> PlayTicket:
    """Return a play in which its player acted and may go on."""
    while True:
        ticket = buy(place, ladder)
        play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act="trot")
        if not PlayEnd.objects.filter(ticket=ticket).exists():
            return ticket


def test_the_night_ends_what_was_left_and_lists_all_of_it(
    place: Point, emission: Emission, ladder: Emission
) -> None:
    won, untouched, begun = winning(place, emission), buy(place, ladder), buy(place, ladder)
    play_act(credentials=place.credentials, ident=begun.uuid, number=1, act="trot")
    left = not PlayEnd.objects.filter(ticket=begun).exists()
    a_day_later()
    fresh = buy(place, emission)
    yesterday = add_days(natural_day(clock.now()), -1)
    others = PlayTicket.objects.filter(emission=emission).count() - 2
    done = plays_end_unfinished(yesterday)
    of_plays = {"unfinished": 1 + others, "refund": 1, "begun": int(left)}
    assert done.counts == {**of_plays, "next_play": fresh.pk}
    assert {row["play"] for row in done.listed["unfinished"]} >= {
        str(won.uuid),
        str(untouched.uuid),
        *([str(begun.uuid)] if left else []),
    }
    tier = dealing(emission.pk).tier(won.opening, won.position)
    end = PlayEnd.objects.get(ticket=won)
    assert (end.cause, end.tier) == ("unfinished", tier) and end.picture
    assert PlayEnd.objects.get(ticket=untouched).cause == "refund"
    assert not PlayEnd.objects.filter(ticket=fresh).exists()
    assert plays_end_unfinished(yesterday).counts == {
        "unfinished": 0,
        "refund": 0,
        "begun": int(left),
        "next_play": fresh.pk,
    }
    assert balance_cents(accounts.refunds(ladder.reference)) == ladder.price_cents
    assert balance_cents(accounts.takings(ladder.reference)) == ladder.price_cents


def test_a_play_that_may_still_be_under_way_is_left_alone(place: Point, emission: Emission) -> None:
    """[P11]: one sold in the last hour of a day is left to the next night."""
    today = natural_day(clock.now())
    last_hour = day_bounds(today)[1] - GRACE
    factories.time_to(last_hour - timedelta(minutes=20))
    old = buy(place, emission)
    factories.time_to(last_hour + timedelta(minutes=20))
    young = buy(place, emission)
    done = plays_end_unfinished(today)
    assert (done.counts["unfinished"], done.counts["next_play"]) == (1, young.pk)
    ended = PlayEnd.objects.filter(ticket__in=[old, young])
    assert [end.ticket_id for end in ended] == [old.pk]


def test_without_an_act_the_price_is_due_back_even_where_a_prize_stands_at_once(
    place: Point,
) -> None:
    """[P11]: nobody chose to stop with it."""
    definition = emitting.document("trotters-ladder", code="stands")
    definition["mechanic"]["rungs"][0]["stop"] = 6
    ticket = buy(place, emitting.opened(definition))
    assert play_end_unfinished(ticket) == "refund"


def test_a_play_is_not_ended_with_the_days_of_the_day_before(
    place: Point, emission: Emission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Midnight came between: its last day would be counted from another day (15.III.6.6)."""
    ticket, today = buy(place, emission), natural_day(clock.now())
    with monkeypatch.context() as before:
        before.setattr(unfinished, "natural_day", lambda instant: add_days(today, -1))
        assert play_end_unfinished(ticket) is None
    assert not PlayEnd.objects.filter(ticket=ticket).exists()
    assert play_end_unfinished(ticket) == "unfinished"


def test_a_night_looks_for_new_plays_and_for_those_that_the_last_one_left(
    place: Point, ladder: Emission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than a run keeps: the next night reads all."""
    one = left_begun(place, ladder)
    a_day_later()
    assert night() == [str(one.uuid)]
    other, untouched = left_begun(place, ladder), buy(place, ladder)
    a_day_later()
    assert night() == [str(one.uuid), str(other.uuid)]
    assert PlayEnd.objects.filter(ticket=untouched).exists()
    emitting.finished(place, [one.uuid])
    a_day_later()
    assert night() == [str(other.uuid)]
    third = left_begun(place, ladder)
    monkeypatch.setattr(unfinished, "MOST_LISTED", 1)
    a_day_later()
    assert night() == [str(other.uuid)]
    emitting.finished(place, [other.uuid])
    a_day_later()
    assert night() == [str(third.uuid)]


def test_a_play_left_begun_is_listed_however_many_were_sold_after_it(
    place: Point, emission: Emission, ladder: Emission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[P11, P19]: the night does not end it, so it is found by the night's list."""
    monkeypatch.setattr(plays, "LOOKED_BACK", 2)
    play = left_begun(place, ladder)
    a_day_later()
    assert night() == [str(play.uuid)]
    emitting.played(place, emitting.sold(emission, 3, place))
    assert list(unfinished_at(place.terminal.pk)) == [play]
    assert not unfinished_at(factories.point(place.premises).terminal.pk).exists()
    assert not stranded().exists()
    Terminal.objects.filter(premises=place.premises).update(revoked_at=clock.now())
    assert list(stranded()) == [play]
