"""Plan, commit, witness and open emissions, in the order that makes them provable."""

import dataclasses
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Sum

from core.database import clock
from core.draws.conducting import CommittedOtherwise
from core.draws.method import EntropyMalformed, EntropyOtherwise, EntropyTooLittle
from core.proofs.models import LogEntry
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from core.staff.two_persons import SecondPersonTooNew
from promotrot.engine.plan import block_sizes, make_plan
from promotrot.engine.plan_json import read_plan
from promotrot.engine.prize_table import PredrawnType
from promotrot.models.emission import Emission, Opening, WitnessEntropy
from promotrot.selectors.games import emission_game
from promotrot.services.dealing import EmissionNotDealt, dealing, open_seed
from promotrot.services.emissions import (
    MIN_LANES,
    EmissionState,
    EmissionWaiting,
    WitnessNotApart,
    emission_commit,
    emission_get,
    emission_open_propose,
    emission_plan,
    lanes,
    witness_enter,
)
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


PREDRAWN = ("lap-of-honour", "letter-by-letter", "six-at-the-post")


PROBABILISTIC = ("five-stalls", "trotters-ladder")


@pytest.mark.article("15.II.2")
@pytest.mark.article("15.III.6.2")
@pytest.mark.parametrize("name", PREDRAWN)
def test_the_plan_of_an_emission_is_exactly_its_prize_table_and_each_block_reaches_70(
    name: str,
) -> None:
    emission = emitting.planned(emitting.approved(emitting.document(name)))
    kind = emission_game(emission).kind
    assert isinstance(kind, PredrawnType)
    plan = read_plan(emission.plan)
    dealt = [sum(c.blocks * c.prizes[at] for c in plan.classes) for at in range(len(kind.tiers))]
    assert dealt == [tier.count for tier in kind.tiers]
    assert plan.tickets == emission.tickets == kind.tickets
    assert plan.digest().hex() == emission.approval.plan_digest
    values = [tier.prize.value_cents for tier in kind.tiers]
    for each in plan.classes:
        prizes_cents = sum(n * cents for n, cents in zip(each.prizes, values, strict=True))
        assert 100 * prizes_cents >= 70 * each.tickets * emission.price_cents
        assert sum(each.prizes) <= each.tickets
    rows = list(emission.tiers.values_list("value_cents", "count", "extra"))
    assert rows == [(tier.prize.value_cents, tier.count, False) for tier in kind.tiers]


@pytest.mark.article("15.III.6.2")
def test_each_block_reaches_the_percentage_that_its_type_declares() -> None:
    """[P18]: a plan for the minimum alone would leave one of these blocks at 74 %."""
    table = ((100_000, 2), (40_000, 1), (20_000, 3), (100, 12_000))
    tiers = [{"cash_cents": cents, "count": count} for cents, count in table]
    picture = emitting.small()["presentation"]
    definition = emitting.small(
        tickets=20_000,
        block_tickets=10_000,
        prize_percent="75",
        tiers=tiers,
        presentation=picture | {"winning": picture["signs"][:4]},
    )
    plan = read_plan(emitting.planned(emitting.approved(definition)).plan)
    for each in plan.classes:
        cents = sum(n * row[0] for n, row in zip(each.prizes, table, strict=True))
        assert 100 * cents >= 75 * each.tickets * 100


@pytest.mark.parametrize("name", PROBABILISTIC)
def test_a_probabilistic_emission_has_its_number_of_tickets_and_no_seed(name: str) -> None:
    emission = emitting.opened(emitting.document(name))
    assert not emission.dealt and emission.state == Emission.State.OPEN
    taken = emission.lanes.aggregate(all=Sum("tickets"))["all"]
    assert taken == emission.tickets == emission.game.type.tickets
    assert set(emission.tiers.values_list("count", flat=True)) == {None}
    with pytest.raises(EmissionState):
        emitting.committed(emission)
    with pytest.raises(EmissionNotDealt):
        dealing(emission.pk)


@pytest.mark.article("15.II.2")
def test_commitment_witness_opening_in_that_order_and_each_once() -> None:
    emission = emitting.planned(emitting.approved(emitting.small()))
    with pytest.raises(EmissionState):
        emitting.witnessed(emission)
    with pytest.raises(EmissionState):
        emission_open_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    emission = emitting.committed(emission)
    digest = emission.commitment.digest
    assert emitting.committed(emission).commitment.digest == digest
    with pytest.raises(EmissionState):
        emission_open_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    with pytest.raises(EmissionNotDealt):
        dealing(emission.pk)
    emission = emitting.witnessed(emission)
    with pytest.raises(EmissionState):
        emitting.witnessed(emission, emitting.ENTROPY[::-1])
    assert emitting.open_now(emission).state == "open"
    with pytest.raises(EmissionState):
        emission_open_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    entries = {entry.kind: entry for entry in LogEntry.objects.filter(subject="small/1")}
    promised, witnessed = entries["promotrot.commitment"], entries["promotrot.entropy"]
    assert promised.sequence < witnessed.sequence
    assert promised.document["commitment"] == digest == witnessed.document["commitment"]
    assert promised.document["plan"] == emission.plan
    assert open_seed(emission.commitment).hex() not in str([e.document for e in entries.values()])


def test_nobody_puts_an_emission_on_sale_alone() -> None:
    emission = emitting.planned(emitting.approved(emitting.document("five-stalls")))
    one, other = factories.two_organisers()
    with pytest.raises(PowerMissing):
        emission_open_propose(by=factories.staff(Role.SUPERVISOR), emission=emission)
    proposal = emission_open_propose(by=one, emission=emission)
    assert proposal.content["price_cents"] == emission.price_cents
    assert [tier["number"] for tier in proposal.content["tiers"]] == list(
        emission.tiers.order_by("number").values_list("number", flat=True)
    )
    for alone in (one, factories.another_session(one)):
        with pytest.raises(two_persons.SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=alone)
    with pytest.raises(two_persons.ProposalPending):
        emission_open_propose(by=other, emission=emission)
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Opening.objects.create(emission=emission, opened_at=clock.now(), proposal=proposal)
    assert emission_get(emission.reference).state == Emission.State.DRAFT
    two_persons.confirm(proposal=proposal.uuid, by=other)
    assert emission_get(emission.reference).state == Emission.State.OPEN


@pytest.mark.article("15.II.2")
def test_an_emission_that_waits_comes_before_the_next() -> None:
    """Otherwise an operator could look at a key and choose another emission."""
    emission = emitting.planned(emitting.approved(emitting.small()))
    for step in (emitting.committed, emitting.witnessed):
        with pytest.raises(EmissionWaiting):
            emitting.planned(emission.game)
        emission = step(emission)
    with pytest.raises(EmissionWaiting):
        emitting.planned(emission.game)
    with pytest.raises(IntegrityError, match="approved version"), transaction.atomic():
        emission.pk, emission.number, emission.reference = None, 2, "small/2"
        emission.state = Emission.State.DRAFT
        emission.save(force_insert=True)
    emitting.open_now(emission_get("small/1"))
    assert emitting.planned(emission.game).number == 2


def test_who_may_and_what_the_witness_must_bring() -> None:
    game = emitting.approved(emitting.small())
    with pytest.raises(PowerMissing):
        emission_plan(by=factories.staff(Role.INSPECTOR), game=game)
    both = factories.in_both_roles(Role.ORGANISER, Role.INSPECTOR)
    emission = emission_commit(by=both, emission=emitting.planned(game), source="dice", pieces=50)
    with pytest.raises(CommittedOtherwise):
        emission_commit(by=both, emission=emission, source="phrase")
    with pytest.raises(EntropyOtherwise):
        emitting.witnessed(emission, "6152244136")
    with pytest.raises(PowerMissing):
        witness_enter(
            by=factories.staff(Role.ORGANISER),
            emission=emission,
            source="dice",
            text=emitting.ENTROPY,
        )
    with pytest.raises(WitnessNotApart):
        witness_enter(by=both, emission=emission, source="dice", text=emitting.ENTROPY)
    for text, refusal in (
        ("", EntropyTooLittle),
        ("1 2 3", EntropyTooLittle),
        ("7 8 9", EntropyMalformed),
    ):
        with pytest.raises(refusal):
            emitting.witnessed(emission, text)
    assert not WitnessEntropy.objects.exists()


def test_an_inspector_whose_account_is_new_is_no_witness() -> None:
    """The administrators who gave it may hold it, and one of them the seed as well."""
    emission = emitting.committed(emitting.planned(emitting.approved(emitting.small())))
    new = factories.given_a_password(factories.staff(Role.INSPECTOR))
    terms: Any = {"emission": emission, "source": "dice", "text": emitting.ENTROPY}
    with pytest.raises(SecondPersonTooNew):
        witness_enter(by=new, **terms)
    inspector = frozenset({Role.INSPECTOR})
    for person in (new, factories.staff(Role.ORGANISER)):
        liar = dataclasses.replace(person, second_from=None, roles=inspector)
        with pytest.raises(DatabaseError, match="account is not new"), transaction.atomic():
            witness_enter(by=liar, **terms)
    assert not WitnessEntropy.objects.exists()


@pytest.mark.parametrize(
    ("tickets", "block"), [(200, 200), (1, 1), (63, 63), (100_000, 10_000), (1_005_000, 10_000)]
)
def test_lanes_cover_every_position_once_and_serve_many_at_a_time(tickets: int, block: int) -> None:
    sizes = [size for count, size in block_sizes(tickets, block) for _ in range(count)]
    seen: dict[int, int] = {}
    for opening, first, count in lanes(sizes):
        assert count > 0 and first == seen.get(opening, 0)
        seen[opening] = first + count
    assert [seen[opening] for opening in range(len(sizes))] == sizes
    assert len(list(lanes(sizes))) >= min(MIN_LANES, tickets)


def test_ten_million_tickets_take_a_thousand_rows() -> None:
    tiers = [{"cash_cents": 50_000, "count": 7_000}]
    definition = emitting.small(tickets=10_000_000, block_tickets=10_000, price_cents=50)
    picture = definition["presentation"] | {"winning": ["trophy"]}
    emission = emitting.opened(definition | {"tiers": tiers, "presentation": picture})
    rows = emission.lanes.aggregate(all=Sum("tickets"))["all"], emission.lanes.count()
    assert rows == (10_000_000, 1_000)


def test_a_plan_read_back_is_the_same_and_another_document_is_none() -> None:
    kind = emission_game(emitting.planned(emitting.approved(emitting.small()))).kind
    assert isinstance(kind, PredrawnType)
    plan = make_plan(kind, kind.prize_percent, block_tickets=40)
    assert read_plan(plan.document()) == plan
