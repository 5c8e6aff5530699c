"""Compute the ends of plays again: what a program wrote past the services is found in the night."""

import datetime
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection, transaction

from core.database import clock, encryption
from core.database.kept import forget_all
from core.kernel.days import natural_day
from core.nights.models import JobRun
from core.premises.models import Terminal
from core.staff import two_persons
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.services.audit.ends import (
    AUDIT,
    PlaysDiffer,
    audit_plays,
    ends_audit,
    ends_audit_everything,
)
from promotrot.services.closing import seed_reveal
from promotrot.services.dealing import dealing
from promotrot.services.office.stopping import play_end_propose
from promotrot.services.playing import play_act
from promotrot.services.unfinished import play_end_unfinished
from tests.promotrot.conftest import acted
from tests.support import emitting, paying
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.II.2", "15.III.3")]


def ended(ticket: PlayTicket, tier: int, cents: int, **ending: Any) -> None:
    """End a play by the database's function, as a program with its role could."""
    usual = {"cause": "unfinished", "tier": tier, "extra_tier": 0, "awarded_cents": cents}
    voucher = {"uuid": str(uuid.uuid4()), "number": 1, "nature": "cash", "amount": cents}
    whole = voucher | {"prizes": [], "thing": "", "digest": None}
    arguments = [
        ticket.pk,
        ticket.acts.count(),
        natural_day(clock.now()),
        json.dumps(usual | {"extra_cents": 0, "picture": None} | ending),
        json.dumps([whole] if cents else []),
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT promotrot_end_held(%s, %s, %s, 30, %s, %s)", arguments)
        assert cursor.fetchone() == (True,)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def losing(place: Point, emission: Emission) -> PlayTicket:
    while True:
        ticket = emitting.buy(place, emission)
        if not dealing(emission.pk).tier(ticket.opening, ticket.position):
            return ticket


def test_true_plays_of_both_kinds_agree(place: Point, emission: Emission, ladder: Emission) -> None:
    emitting.played(place, emitting.sold(emission, 12, place))
    emitting.finished(place, emitting.sold(ladder, 8, place))
    for left in (emission, ladder):
        play_end_unfinished(emitting.buy(place, left))
    emitting.sold(ladder, 1, place)
    result = audit_plays()
    assert (result.plays, result.archived, result.findings) == (22, 0, [])


def test_a_losing_ticket_that_was_awarded_a_prize_is_found(
    place: Point, emission: Emission
) -> None:
    """Award, voucher and transfer agree, so nothing else finds it before the seed is published."""
    ticket = losing(place, emission)
    ended(ticket, 1, 400)
    (differing,) = audit_plays().findings
    assert differing.play == str(ticket.uuid) and differing.emission == emission.reference
    assert (differing.stored["tier"], differing.recounted["tier"]) == (1, 0)
    for run in (ends_audit_everything, lambda: ends_audit(natural_day(clock.now()))):
        with pytest.raises(PlaysDiffer) as refusal:
            run()
        assert refusal.value.data["found"][0]["play"] == str(ticket.uuid)


def test_a_winner_that_was_told_that_it_lost_is_found(place: Point, emission: Emission) -> None:
    ticket = emitting.winning(place, emission)
    ended(ticket, 0, 0)
    (differing,) = audit_plays().findings
    assert differing.stored["awarded_cents"] == 0 < differing.recounted["awarded_cents"]


@pytest.mark.article("15.II.3")
def test_a_play_that_its_acts_did_not_end_so_is_found(place: Point, ladder: Emission) -> None:
    """A tier that the acts did not reach, and one of a play in which nobody acted."""
    unplayed = emitting.buy(place, ladder)
    ended(unplayed, 1, 10_000, cause="played")
    while True:
        begun = emitting.buy(place, ladder)
        play = play_act(credentials=place.credentials, ident=begun.uuid, number=1, act="trot")
        if play.legal:
            break
    ended(begun, 1, 10_000, cause="played")
    differing = {each.play: each for each in audit_plays().findings}
    assert differing.keys() == {str(unplayed.uuid), str(begun.uuid)}
    assert [each.recounted for each in differing.values()] == [{}, {}]


@pytest.mark.article("15.III.6.2")
def test_an_extra_prize_that_was_kept_back_is_found(place: Point) -> None:
    """It lay on the ticket of a played game, on top of what the acts won [P2]."""
    first = emitting.opened(emitting.document("trotters-ladder", code="short-ladder", tickets=200))
    emitting.sold(first, 150, place)
    second = emitting.opened(emitting.closed(first).game, extra_tier=6)
    while True:
        ticket = emitting.buy(place, second)
        if extra := dealing(second.pk).tier(ticket.opening, ticket.position):
            break
    play = play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act="trot")
    if play.legal:
        acted(place, ticket.uuid, "stop", 2)
    assert audit_plays().findings == []
    end = PlayEnd.objects.get(ticket=ticket)
    assert end.extra_tier == extra
    ticket = emitting.buy(place, second)
    ended(ticket, 0, 50, cause="played", extra_tier=extra, extra_cents=50, awarded_cents=0)
    (differing,) = audit_plays().findings
    assert differing.play == str(ticket.uuid)


def test_an_older_end_is_found_in_its_turn(place: Point, emission: Emission) -> None:
    """Nights look at the last weeks and at one older period; the whole past is asked for."""
    ended(losing(place, emission), 1, 400)
    day = natural_day(clock.now())
    later = day + datetime.timedelta(days=60)
    with pytest.raises(PlaysDiffer):
        ends_audit(later)  # the only older period there is


def test_an_end_that_names_an_old_time_is_found_in_the_night_after_it_was_written(
    place: Point, emission: Emission
) -> None:
    """Nights search ends by their time, and the newest one misled that search."""
    emitting.played(place, emitting.sold(emission, 2, place))
    end = {"cause": "unfinished", "tier": 0, "awarded_cents": 0}
    ticket = emitting.winning(place, emission)
    day = natural_day(clock.now())
    long_ago = clock.now() - datetime.timedelta(days=70)
    PlayEnd.objects.create(ticket=ticket, ended_at=long_ago, **end)
    done(day - datetime.timedelta(days=1), {"next_end": 0})
    with pytest.raises(PlaysDiffer):
        ends_audit(day)


def done(day: datetime.date, counts: dict[str, int]) -> None:
    """Record the audit as done for a night."""
    now = clock.now()
    JobRun.objects.create(
        job=AUDIT, day=day, state="done", started_at=now, ended_at=now, counts=counts
    )


def test_a_night_reads_what_is_new_since_the_last_one(place: Point, emission: Emission) -> None:
    emitting.played(place, emitting.sold(emission, 3, place))
    newest = PlayEnd.objects.latest("pk").pk
    day = natural_day(clock.now())
    first = ends_audit(day).counts
    assert first == {"plays": 3, "plays_archived": 0, "next_end": newest + 1}
    done(day, {"next_end": newest + 1_001})  # a thousand ends before are read once more
    assert ends_audit(day + datetime.timedelta(days=1)).counts["plays"] == 0
    assert ends_audit(day + datetime.timedelta(days=40)).counts["plays"] == 0
    # No night of the last weeks was done: all of those weeks, and the older period.
    assert ends_audit(day + datetime.timedelta(days=42)).counts["plays"] == 3


@contextmanager
def without_seed_keys(settings: LazySettings) -> Iterator[None]:
    version = settings.SEED_KEYS[0]
    settings.SEED_KEYS = (version, {version: bytes(32)})
    encryption._cipher.cache_clear()
    forget_all()
    try:
        yield
    finally:
        encryption._cipher.cache_clear()
        forget_all()


@pytest.mark.article("15.II.2")
def test_where_the_keys_are_lost_what_can_be_read_is_computed_again(
    place: Point, emission: Emission, settings: LazySettings
) -> None:
    """With the published seed, and never with another one than that committed to."""
    revealed = emitting.opened(emitting.small("revealed"))
    emitting.played(place, emitting.sold(revealed, 5, place))
    ended(losing(place, revealed), 1, 400)
    revealed = emitting.closed(revealed)
    emitting.played(place, emitting.sold(emission, 5, place))
    assert seed_reveal(emission=revealed)
    with without_seed_keys(settings):
        result = audit_plays()
        assert [each.emission for each in result.findings] == [revealed.reference]
        assert list(result.unreadable) == [emission.pk]
        newest = PlayEnd.objects.filter(ticket__emission=emission).latest("pk").pk
        done(natural_day(clock.now()), {"next_end": newest + 1_001 - 5})
        with pytest.raises(encryption.ContentUnreadable):
            ends_audit(natural_day(clock.now()) + datetime.timedelta(days=1))


@pytest.mark.article("15.III.6.2")
def test_a_play_ended_at_the_office_is_no_finding_where_the_keys_are_lost(
    place: Point, settings: LazySettings
) -> None:
    first = emitting.opened(emitting.document("trotters-ladder", code="short-ladder", tickets=200))
    emitting.sold(first, 150, place)
    second = emitting.opened(emitting.closed(first).game, extra_tier=6)
    while True:
        ticket = emitting.buy(place, second)
        if play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act="trot").legal:
            break
    Terminal.objects.filter(premises=place.premises).update(revoked_at=place.session.started_at)
    proposal = play_end_propose(by=paying.cashier(), ident=ticket.uuid, reason="closed")
    two_persons.confirm(proposal=proposal.uuid, by=paying.cashier())
    assert PlayEnd.objects.get(ticket=ticket).cause == "stopped"
    with without_seed_keys(settings):
        result = audit_plays()
    assert result.findings == [] and list(result.unreadable) == [second.pk]
