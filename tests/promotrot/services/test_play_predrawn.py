"""Play a pre-drawn ticket from its sale to its voucher (15.III.2, 15.III.6.1, 15.III.6.3) [P12]."""

from collections import Counter
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection

from core.database import clock
from core.kernel import codes
from core.kernel.days import natural_day
from core.ledger.models import Transfer
from promotrot.engine.game import PredrawnGame
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import emission_facts
from promotrot.services import selling
from promotrot.services.dealing import dealing
from promotrot.services.playing import PlayView
from tests.support.factories import Point
from tests.support.promotrot.playing import bought, revealed, winner

pytestmark = pytest.mark.django_db


def play_all(place: Point, emission: Emission) -> list[PlayView]:
    return [revealed(place, bought(place, emission)) for _ in range(emission.tickets)]


@pytest.mark.article("15.II.2", "15.III.6.3", "15.III.6.2")
def test_an_emission_played_whole_gives_exactly_its_table(place: Point, emission: Emission) -> None:
    plays = play_all(place, emission)
    by_tier = Counter(play.ending.tier for play in plays if play.ending)
    table = {tier.number: tier.count for tier in emission.tiers.all()}
    assert {tier: count for tier, count in by_tier.items() if tier} == table
    with pytest.raises(selling.EmissionSoldOut):
        bought(place, emission)
    game = emission_facts(emission.pk).game
    assert isinstance(game, PredrawnGame)
    for play in plays:
        assert play.ending is not None and play.ending.picture is not None
        tiers = game.presentation.tiers_of(tuple(play.ending.picture["cells"]))
        assert tiers == ({play.ending.tier} if play.ending.tier else set())
        won = emission_facts(emission.pk).tiers[play.ending.tier].value_cents if tiers else 0
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
    ident = bought(place, emission)
    ticket = PlayTicket.objects.get(uuid=ident)
    assert not PlayEnd.objects.filter(ticket=ticket).exists()
    expected = dealing(emission.pk).tier(ticket.opening, ticket.position)
    assert revealed(place, ident).ending.tier == expected
    assert PlayEnd.objects.get(ticket=ticket).tier == expected


@pytest.mark.article("15.III.6.3", "15.III.6.6")
def test_a_voucher_has_its_code_once_and_only_its_digest_is_kept(
    place: Point, emission: Emission
) -> None:
    play = winner(place, emission)
    (issued,) = play.vouchers
    assert issued.code is not None
    row = Voucher.objects.get(uuid=issued.uuid)
    read = codes.parse(issued.code.grouped, settings.CODE_KEYS, codes.VOUCHER)
    assert bytes(row.code_digest or b"") == settings.CODE_KEYS.digest(read)
    with connection.cursor() as cursor:
        cursor.execute("SELECT v::text FROM promotrot_voucher v WHERE id = %s", [row.pk])
        assert issued.code.text not in cursor.fetchone()[0]
    today = natural_day(clock.now())
    assert (row.issue_day, row.last_day) == (today, today + timedelta(days=30))
    assert bytes(row.code_digest or b"")[:2] == codes.day_bytes(today)
    assert row.premises_id == place.premises.pk
