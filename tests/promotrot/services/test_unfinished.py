"""Plays left unfinished, moved, ended by the night, held and handed over [P11]."""

import uuid
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.kernel import codes
from core.kernel.days import add_days, natural_day
from core.ledger.services import balance_cents
from core.payoffice import sources
from core.payoffice.models import Claim
from core.payoffice.refusals import CashSessionMissing
from core.payoffice.sources import Nature, Standing
from core.premises.models import Premises
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher, VoucherSecret
from promotrot.selectors.plays import unfinished_at
from promotrot.services import moving, playing, vouchers
from promotrot.services.dealing import dealing
from promotrot.services.facts import REVEAL
from promotrot.services.playing import play_act, play_state
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.unfinished import GRACE, play_end_unfinished, plays_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


@pytest.fixture(autouse=True)
def simulated(settings: object) -> None:
    settings.SIMULATED_TIME = True  # type: ignore[attr-defined]


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def office() -> StaffActor:
    return paying.cashier()


@pytest.fixture
def emission() -> Emission:
    return emitting.opened(emitting.small())


@pytest.fixture
def ladder() -> Emission:
    return emitting.opened(emitting.document("trotters-ladder"))


def buy(place: Point, emission: Emission) -> PlayTicket:
    ident = uuid.uuid4()
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    play_sell(credentials=place.credentials, request=request)
    return PlayTicket.objects.get(uuid=ident)


def winning(place: Point, emission: Emission) -> PlayTicket:
    while True:
        ticket = buy(place, emission)
        if dealing(emission.pk).tier(ticket.opening, ticket.position):
            return ticket


def a_day_later() -> None:
    clock.move_to(clock.now() + timedelta(days=1, hours=2), reason="the night")


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
    assert done.counts == {"unfinished": 1 + others, "refund": 1, "begun": int(left)}
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
    }
    assert balance_cents(accounts.refunds(ladder.reference)) == ladder.price_cents
    assert balance_cents(accounts.takings(ladder.reference)) == ladder.price_cents


def test_a_play_that_may_still_be_under_way_is_left_alone(place: Point, emission: Emission) -> None:
    ticket = buy(place, emission)
    done = plays_end_unfinished(add_days(natural_day(ticket.sold_at + GRACE), -1))
    assert not any(done.counts.values())


@pytest.mark.article("15.III.6.4")
def test_a_held_voucher_has_no_code_until_it_is_handed_over(
    place: Point, office: StaffActor, emission: Emission
) -> None:
    ticket = winning(place, emission)
    assert play_end_unfinished(ticket) == "unfinished"
    assert play_end_unfinished(ticket) is None
    held = vouchers.vouchers_held(by=office).get()
    assert held.code_digest is None and held.terminal_id is None
    seen = play_state(credentials=place.credentials, ident=ticket.uuid)
    assert [voucher.code for voucher in seen.vouchers] == [None] and seen.vouchers[0].held

    without_session = factories.staff(Role.CASHIER)
    elsewhere = paying.cashier(factories.premises(kind=Premises.Kind.ENTITY_OFFICE))
    for by, error in (
        (without_session, CashSessionMissing),
        (elsewhere, vouchers.NotCentralOffice),
        (factories.staff(Role.ORGANISER), PowerMissing),
    ):
        with pytest.raises(error):
            vouchers.voucher_hand_over(by=by, ident=held.uuid, claim="I was here")
    row, given = vouchers.voucher_hand_over(by=office, ident=held.uuid, claim="receipt")
    assert given.code is not None and not vouchers.vouchers_held(by=office).exists()
    again = vouchers.voucher_hand_over(by=office, ident=held.uuid, claim="once more")[1]
    assert again.code == given.code
    with pytest.raises(vouchers.VoucherNotHeld):
        vouchers.voucher_hand_over(by=paying.cashier(), ident=held.uuid, claim="me, too")
    assert vouchers.voucher_original(by=office, ident=held.uuid)[1].code == given.code
    digest = settings.CODE_KEYS.digest(given.code)
    payable = sources.of_kind(codes.VOUCHER).by_code(digest)
    assert payable is not None and payable.document_id == row.pk
    with pytest.raises(IntegrityError), transaction.atomic():
        Voucher.objects.filter(pk=row.pk).update(code_digest=b"x" * 16)


def test_a_price_due_back_is_payable_and_never_lapses(
    place: Point, office: StaffActor, ladder: Emission
) -> None:
    play_end_unfinished(buy(place, ladder))
    row, given = vouchers.voucher_hand_over(
        by=office, ident=vouchers.vouchers_held(by=office).get().uuid, claim="receipt"
    )
    source = sources.of_kind(codes.VOUCHER)
    payable = source.by_id(row.pk)
    assert (payable.nature, payable.standing) == (Nature.REFUND, Standing.OWED)
    assert (payable.amount_cents, payable.last_claim_day) == (ladder.price_cents, None)
    assert payable.owed == accounts.refunds(ladder.reference)
    clock.move_to(clock.now() + timedelta(days=60), reason="long after")
    assert not source.lapses_due(natural_day(clock.now()))
    assert [(out.last_claim_day, out.cents) for out in source.outs()] == [
        (None, ladder.price_cents)
    ]
    assert given.code is not None


@pytest.mark.article("15.III.6.6", "15.III.6.7")
def test_unclaimed_prizes_lapse_to_the_organiser_after_their_last_day(
    place: Point, emission: Emission
) -> None:
    ticket = winning(place, emission)
    play = play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    (issued,) = play.vouchers
    source = sources.of_kind(codes.VOUCHER)
    last = add_days(issued.last_day, 0)
    assert not source.lapses_due(last)
    group = source.lapses_due(add_days(last, 1))
    assert group == [last.isoformat()]
    assert source.lapse(group[0], last).documents == 0
    lapsed = source.lapse(group[0], add_days(last, 1))
    assert (lapsed.documents, lapsed.cents) == (1, issued.amount_cents)
    assert source.lapse(group[0], add_days(last, 1)).documents == 0
    assert balance_cents(accounts.unclaimed()) == issued.amount_cents
    assert balance_cents(accounts.vouchers(emission.reference)) == 0
    claim = Claim.objects.get(game="promotrot")
    assert (claim.state, claim.day) == (Claim.State.LAPSED, last)


@pytest.mark.article("15.III.6.1")
def test_staff_move_an_unfinished_play_within_its_premises(
    place: Point, emission: Emission
) -> None:
    ticket, organiser = buy(place, emission), factories.staff(Role.ORGANISER)
    neighbour, stranger = factories.point(place.premises), factories.point()

    def move(to: Point, by: object = organiser) -> object:
        return moving.play_move(
            by=by,
            ident=ticket.uuid,
            terminal_code=to.terminal.code,
            reason="dark screen",  # type: ignore[arg-type]
        )

    for target in (stranger, place):
        with pytest.raises(moving.MoveRefused):
            move(target)
    with pytest.raises(PowerMissing):
        move(neighbour, factories.staff(Role.CASHIER))
    assert move(neighbour) == move(neighbour)
    assert [row.pk for row in unfinished_at(neighbour.terminal.pk)] == [ticket.pk]
    assert not unfinished_at(place.terminal.pk).exists()
    with pytest.raises(playing.PlayElsewhere):
        play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    assert play_act(credentials=neighbour.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    with pytest.raises(playing.PlayEnded):
        move(place)


def test_once_the_day_is_over_nobody_gets_a_code_again(place: Point, emission: Emission) -> None:
    ticket = winning(place, emission)
    play = play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    ident = play.vouchers[0].uuid
    assert vouchers.voucher_original(by=place.bare, ident=ident)[1].code == play.vouchers[0].code
    with pytest.raises(vouchers.VoucherUnknown):
        vouchers.voucher_original(by=factories.point(place.premises).bare, ident=ident)
    vouchers.voucher_print_confirm(by=place.bare, ident=ident)
    assert play_state(credentials=place.credentials, ident=ticket.uuid).vouchers[0].code is None
    with pytest.raises(vouchers.VoucherPrinted):
        vouchers.voucher_original(by=place.bare, ident=ident)
    key = uuid.uuid4()
    _, copy, reprint = vouchers.voucher_reprint(by=place.actor, ident=ident, copy=key)
    assert copy.code == play.vouchers[0].code and reprint.number == 1
    assert vouchers.voucher_reprint(by=place.actor, ident=ident, copy=key)[2] == reprint
    a_day_later()
    with pytest.raises(vouchers.VoucherCodeGone):
        vouchers.voucher_reprint(by=place.actor, ident=ident)
    assert vouchers.secrets_erase() == 1
    assert not VoucherSecret.objects.filter(secret__isnull=False).exists()


def test_the_database_refuses_what_the_services_would_not_do(
    place: Point, emission: Emission, ladder: Emission
) -> None:
    ticket, begun = winning(place, emission), buy(place, ladder)
    play_act(credentials=place.credentials, ident=begun.uuid, number=1, act="trot")
    now = "clock_timestamp()"
    refused = {
        "a ticket no lane has given": f"INSERT INTO promotrot_playticket (uuid, emission_id,"
        f" opening, position, premises_id, terminal_id, operator_id, sold_at, price_cents) SELECT"
        f" gen_random_uuid(), emission_id, opening, position + 5, premises_id, terminal_id,"
        f" operator_id, {now}, price_cents FROM promotrot_playticket WHERE id = {ticket.pk}",
        "an act out of turn": f"INSERT INTO promotrot_playact (ticket_id, number, act, draw, shown,"
        f" terminal_id, at) VALUES ({ticket.pk}, 2, 'reveal', 0, 0, {place.terminal.pk}, {now})",
        "a refund of a begun play": f"INSERT INTO promotrot_playend (ticket_id, cause, tier,"
        f" extra_tier, awarded_cents, extra_cents, ended_at) VALUES ({begun.pk}, 'refund', 0, 0, 0,"
        f" 0, {now})",
        "an award without its voucher": f"INSERT INTO promotrot_playend (ticket_id, cause, tier,"
        f" extra_tier, awarded_cents, extra_cents, ended_at) VALUES ({ticket.pk}, 'played', 1, 0,"
        f" 100, 0, {now})",
    }
    for statement in refused.values():
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
