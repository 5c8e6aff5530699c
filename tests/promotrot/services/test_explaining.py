"""Why a voucher has its amount: what was uncovered or played, and its line of the table."""

import copy

import pytest
from django.utils import translation

from core.payoffice.sources import Reasons
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import REVEAL, emission_facts
from promotrot.services.explaining import reasons, reasons_of
from promotrot.services.office import handing
from promotrot.services.playing import play_act
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, paying
from tests.support.emitting import buy, winning
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]

PICTURED = ("six-at-the-post", "letter-by-letter", "lap-of-honour")


def won_voucher(place: Point, emission: Emission) -> Voucher:
    """Uncover tickets until one wins, and return its voucher."""
    ticket = winning(place, emission)
    play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    return Voucher.objects.filter(ticket=ticket).latest("pk")


def need_reasons(voucher: Voucher) -> Reasons:
    """Return the reasons of a voucher, which has some."""
    explanation = reasons_of(voucher)
    assert explanation is not None
    return explanation


@pytest.fixture(scope="module")
def pictures_won(seller: Point) -> dict[str, Voucher]:
    """A voucher of each game that shows a picture."""
    return {
        game: won_voucher(seller, emitting.opened(emitting.document(game))) for game in PICTURED
    }


@pytest.mark.parametrize("language", ["ca", "es", "en"])
@pytest.mark.parametrize("game", PICTURED)
def test_a_picture_is_told_with_its_line_of_the_table(
    pictures_won: dict[str, Voucher], game: str, language: str
) -> None:
    voucher = copy.deepcopy(pictures_won[game])
    with translation.override(language):
        explanation = reasons(voucher.pk)
    assert explanation is not None and explanation.agrees
    (won,) = explanation.won
    (prize,) = voucher.prizes
    assert (won.cents, won.unit_cents) == (voucher.amount_cents, prize["cents"])
    assert str(prize["tier"]) in won.title
    uncovered = {"ca": "Destapat", "es": "Descubierto", "en": "Uncovered"}[language]
    won_picture = dict(won.steps)[uncovered]
    picture = PlayEnd.objects.get(ticket=voucher.ticket).picture
    labels = emission_facts(voucher.ticket.emission_id).texts(language).labels
    if "cells" in picture and game == "lap-of-honour":
        assert labels[max(picture["cells"], key=picture["cells"].count)] in won_picture
    elif "cells" in picture:
        assert " ".join(picture["cells"]) in won_picture
    else:
        common = {*picture["winners"]} & {*picture["yours"]}
        assert ", ".join(map(str, sorted(common))) in won_picture


def test_what_is_changed_on_record_no_longer_adds_up(place: Point) -> None:
    """The picture, the line and the sum are each compared; none of them is taken on trust."""
    voucher = won_voucher(place, emitting.opened(emitting.small()))
    assert need_reasons(voucher).agrees
    voucher.amount_cents += 1
    assert not need_reasons(voucher).agrees
    voucher.amount_cents -= 1
    prizes = voucher.prizes
    voucher.prizes = [{**prize, "cents": prize["cents"] + 1} for prize in prizes]
    assert not need_reasons(voucher).agrees
    voucher.prizes = prizes
    assert need_reasons(voucher).agrees
    end = voucher.ticket.end
    end.picture = {"cells": end.picture["cells"][:1]}
    assert not need_reasons(voucher).agrees


def test_a_play_is_told_act_by_act(place: Point) -> None:
    emission = emitting.opened(emitting.document("five-stalls"))
    while True:
        ticket = buy(place, emission)
        for number, act in enumerate(("open-1", "open-2"), start=1):
            if PlayEnd.objects.filter(ticket=ticket).exists():
                break
            play_act(credentials=place.credentials, ident=ticket.uuid, number=number, act=act)
        voucher = Voucher.objects.filter(ticket=ticket, nature="cash").first()
        if voucher is not None:
            break
    with translation.override("en"):
        explanation = reasons(voucher.pk)
    assert explanation is not None and explanation.agrees
    acts = PlayAct.objects.filter(ticket=ticket).count()
    steps = explanation.won[0].steps
    assert [name.partition(".")[0] for name, _ in steps[:acts]] == [
        str(n) for n in range(1, acts + 1)
    ]
    assert steps[acts - 1][1] == steps[acts][1], "the last act gave the prize of the line"


def test_a_price_paid_back_says_why(place: Point) -> None:
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    play_end_unfinished(buy(place, ladder))
    row = handing.vouchers_held(by=paying.cashier()).get()
    with translation.override("en"):
        explanation = reasons(row.pk)
    assert explanation is not None and explanation.agrees
    assert [(won.title, won.cents) for won in explanation.won] == [
        ("Price of the ticket", ladder.price_cents)
    ]
    assert "No prize stands, the price is due back" in explanation.sentences[0]
