"""A pre-drawn play from the sale to its voucher (15.III.2, 15.III.6.1, 15.III.6.3) [P12]."""

import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection

from core.database import clock
from core.kernel import codes
from core.kernel.days import natural_day
from core.ledger.models import Transfer
from core.premises.access import REFUSALS, TerminalCannot
from core.premises.models import Premises
from core.premises.requests import UuidBurnt, UuidReused
from promotrot.engine.game import PredrawnGame
from promotrot.engine.mechanics import ActOutOfTurn
from promotrot.models.emission import Emission, Lane
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services import playing, selling
from promotrot.services.dealing import dealing
from promotrot.services.facts import REVEAL, emission_facts
from promotrot.services.playing import PlayView, play_act, play_state
from promotrot.services.selling import PlayRequest, play_sell
from tests.support import emitting, factories
from tests.support.factories import Point

pytestmark = pytest.mark.django_db


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def emission() -> Emission:
    return emitting.opened(emitting.small())


def buy(place: Point, emission: Emission, ident: uuid.UUID | None = None) -> uuid.UUID:
    ident = ident or uuid.uuid4()
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    assert play_sell(credentials=place.credentials, request=request).uuid == ident
    return ident


def reveal(place: Point, ident: uuid.UUID) -> PlayView:
    return play_act(credentials=place.credentials, ident=ident, number=1, act=REVEAL)


def play_all(place: Point, emission: Emission) -> list[PlayView]:
    return [reveal(place, buy(place, emission)) for _ in range(emission.tickets)]


@pytest.mark.article("15.II.2", "15.III.6.3", "15.III.6.2")
def test_an_emission_played_whole_gives_exactly_its_table(place: Point, emission: Emission) -> None:
    plays = play_all(place, emission)
    given = Counter(play.ending.tier for play in plays if play.ending)
    table = {tier.number: tier.count for tier in emission.tiers.all()}
    assert {tier: count for tier, count in given.items() if tier} == table
    with pytest.raises(selling.EmissionSoldOut):
        buy(place, emission)
    game = emission_facts(emission.pk).game
    assert isinstance(game, PredrawnGame)
    for play in plays:
        assert play.ending is not None and play.ending.picture is not None
        shown = game.presentation.shown(tuple(play.ending.picture["cells"]))  # type: ignore[arg-type]
        assert shown == ({play.ending.tier} if play.ending.tier else set())
        won = emission_facts(emission.pk).tiers[play.ending.tier].value_cents if shown else 0
        assert sum(voucher.amount_cents for voucher in play.vouchers) == won
        assert play.ending.awarded_cents == won
    account = {t.kind: 0 for t in Transfer.objects.filter(kind__startswith="promotrot.")}
    for transfer in Transfer.objects.filter(kind__in=account):
        account[transfer.kind] += transfer.amount_cents
    takings = emission.tickets * emission.price_cents
    prizes = sum((tier.count or 0) * tier.value_cents for tier in emission.tiers.all())
    assert account == {"promotrot.sale": takings, "promotrot.award": prizes}


@pytest.mark.article("15.II.2")
def test_what_a_ticket_holds_was_there_before_and_is_stored_only_when_played(
    place: Point, emission: Emission
) -> None:
    ident = buy(place, emission)
    ticket = PlayTicket.objects.get(uuid=ident)
    assert not PlayEnd.objects.filter(ticket=ticket).exists()
    expected = dealing(emission.pk).tier(ticket.opening, ticket.position)
    assert reveal(place, ident).ending.tier == expected  # type: ignore[union-attr]
    assert PlayEnd.objects.get(ticket=ticket).tier == expected


def winner(place: Point, emission: Emission) -> PlayView:
    while True:
        play = reveal(place, buy(place, emission))
        if play.vouchers:
            return play


@pytest.mark.article("15.III.6.3", "15.III.6.6")
def test_a_voucher_has_its_code_once_and_only_its_digest_is_kept(
    place: Point, emission: Emission
) -> None:
    play = winner(place, emission)
    (issued,) = play.vouchers
    assert issued.code is not None
    row = Voucher.objects.get(uuid=issued.uuid)
    read = codes.parse(issued.code.shown, settings.CODE_KEYS, codes.VOUCHER)
    assert bytes(row.code_digest or b"") == settings.CODE_KEYS.digest(read)
    with connection.cursor() as cursor:
        cursor.execute("SELECT v::text FROM promotrot_voucher v WHERE id = %s", [row.pk])
        assert issued.code.text not in cursor.fetchone()[0]
    today = natural_day(clock.now())
    assert (row.issue_day, row.last_day) == (today, today + timedelta(days=30))
    assert row.premises_id == place.premises.pk


def test_the_same_act_again_is_the_same_answer(place: Point, emission: Emission) -> None:
    play = winner(place, emission)
    again = reveal(place, play.uuid)
    assert again.replayed and again.ending == play.ending and again.vouchers == play.vouchers
    assert play_state(credentials=place.credentials, ident=play.uuid).ending == play.ending
    assert PlayAct.objects.filter(ticket__uuid=play.uuid).count() == 1


@pytest.mark.parametrize(
    ("number", "act", "error"),
    [
        (2, REVEAL, ActOutOfTurn),
        (1, "open-1", ActOutOfTurn),
    ],
)
def test_an_act_out_of_turn_writes_nothing(
    place: Point, emission: Emission, number: int, act: str, error: type[Exception]
) -> None:
    ident = buy(place, emission)
    with pytest.raises(error):
        play_act(credentials=place.credentials, ident=ident, number=number, act=act)
    assert not PlayAct.objects.exists() and not PlayEnd.objects.exists()


def test_after_the_end_each_mistake_has_its_own_code(place: Point, emission: Emission) -> None:
    ident = buy(place, emission)
    reveal(place, ident)
    for number, act, error in ((2, REVEAL, playing.PlayEnded), (1, "x", playing.ActAlreadyDone)):
        with pytest.raises(error):
            play_act(credentials=place.credentials, ident=ident, number=number, act=act)


@pytest.mark.article("15.III.6.1")
def test_the_right_to_play_is_at_the_terminal_that_sold_it(
    place: Point, emission: Emission
) -> None:
    ident = buy(place, emission)
    neighbour, stranger = factories.point(place.premises), factories.point()
    with pytest.raises(playing.PlayElsewhere):
        reveal(neighbour, ident)
    with pytest.raises(playing.PlayUnknown):
        reveal(stranger, ident)
    assert reveal(place, ident).ending


def test_a_replayed_sale_takes_no_second_ticket(place: Point, emission: Emission) -> None:
    ident = buy(place, emission)
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    assert play_sell(credentials=place.credentials, request=request).replayed
    assert PlayTicket.objects.count() == 1
    assert sum(Lane.objects.values_list("taken", flat=True)) == 1
    other = emitting.opened(emitting.small("other"))
    for of, price_cents in ((other, other.price_cents), (emission, 1)):
        foreign = PlayRequest(ident, of.pk, price_cents)
        with pytest.raises(UuidReused):
            play_sell(credentials=place.credentials, request=foreign)
    with pytest.raises(UuidReused):
        buy(factories.point(), emission, ident)


@pytest.mark.article("15.III.4")
def test_refused_sales_take_no_ticket(place: Point, emission: Emission) -> None:
    with pytest.raises(selling.WrongPrice):
        play_sell(credentials=place.credentials, request=PlayRequest(uuid.uuid4(), emission.pk, 1))
    office = factories.point(factories.premises(kind=Premises.Kind.CENTRAL_OFFICE))
    with pytest.raises(TerminalCannot):
        buy(office, emission)
    unauthorised = factories.point(factories.premises(authorised=("lototrot",)))
    with pytest.raises(REFUSALS["premises_not_authorised"]):
        buy(unauthorised, emission)
    drafted = emitting.planned(emitting.approved(emitting.small("draft")))
    with pytest.raises(selling.EmissionNotOpen):
        buy(place, drafted)
    closed = emitting.closed(emitting.opened(emitting.small("closed")))
    with pytest.raises(selling.EmissionClosed):
        buy(place, closed)
    assert not PlayTicket.objects.exists()


def test_a_burnt_uuid_is_never_sold(place: Point, emission: Emission) -> None:
    ident = uuid.uuid4()
    terminal = place.bare
    assert not selling.request_state(terminal=terminal, ident=ident)
    with pytest.raises(UuidBurnt):
        buy(place, emission, ident)
    sold = buy(place, emission)
    assert selling.request_state(terminal=terminal, ident=sold)
    with pytest.raises(UuidReused):
        selling.request_state(terminal=factories.point().bare, ident=sold)
