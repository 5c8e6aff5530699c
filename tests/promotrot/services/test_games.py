"""Record a game, check it against every article, and approve it by two persons."""

from typing import Any

import pytest

from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from promotrot.engine.game_json import GameRefused
from promotrot.models.game import Game, GameApproval, GameType
from promotrot.services.emissions import GameNotApproved, emission_plan
from promotrot.services.games import (
    ApprovalRefused,
    TypeChanged,
    VersionApproved,
    game_approve_propose,
    game_check,
    game_propose,
    game_record,
)
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


SHIPPED = ("lap-of-honour", "letter-by-letter", "six-at-the-post", "five-stalls", "trotters-ladder")


@pytest.mark.article("15.II.2")
@pytest.mark.article("15.II.3")
@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_game_is_approved_by_two_persons(name: str) -> None:
    game = emitting.approved(emitting.document(name))
    approval = GameApproval.objects.get(version__game=game)
    assert set(approval.percentages) == {"worst", "random", "best"}
    assert bool(approval.plan_digest) == (game.type.mode == GameType.Mode.PREDRAWN)


def _in_kind(**thing: Any) -> list[dict[str, Any]]:
    return [
        {"in_kind": {"description": "bicycle"} | thing, "count": 2},
        {"cash_cents": 100, "count": 20},
    ]


VALUED = {"equivalent_cents": 400, "source": "Three shops", "valued_on": "2026-01-01"}


REFUSED = {
    "a cent short of 70 %": (
        {
            "tiers": [
                {"cash_cents": 399, "count": 1},
                {"cash_cents": 400, "count": 1},
                {"cash_cents": 100, "count": 20},
            ]
        },
        "prizes_too_low",
        "15.III.5.1",
    ),
    "more prizes than tickets": (
        {"tiers": [{"cash_cents": 400, "count": 2}, {"cash_cents": 100, "count": 39}]},
        "more_prizes_than_tickets",
        "15.II.2",
    ),
    "a thing without equivalent": (
        {"tiers": _in_kind(source="A shop", valued_on="2026-01-01")},
        "equivalent_missing",
        "15.III.6.5",
    ),
    "an equivalent without source": (
        {"tiers": _in_kind(**VALUED | {"source": ""})},
        "equivalent_source_missing",
        "15.III.6.5",
    ),
    "an equivalent valued later": (
        {"tiers": _in_kind(**VALUED | {"valued_on": "2999-01-01"})},
        "equivalent_day_later",
        "15.III.6.5",
    ),
    "a price too low": ({"price_cents": 19}, "price_out_of_range", "15.III.4"),
    "a price too high": ({"price_cents": 1001}, "price_out_of_range", "15.III.4"),
    "another percentage than declared": (
        {"prize_percent": "71"},
        "percentage_mismatch",
        "15.II.2",
    ),
    "a block below its size": ({"block_tickets": 20}, "block_size_refused", "15.III.6.2"),
    "a sign that nobody has drawn": (
        {
            "presentation": emitting.small()["presentation"]
            | {"signs": ["trophy", "sulky", "unicorn", "bell"]}
        },
        "artwork_missing",
        "15.I.1",
    ),
    "a language without texts": (
        {"texts": {"ca": emitting.small()["texts"]["ca"]}},
        "rules_unpublished",
        "15.III.5.2",
    ),
}


@pytest.mark.article("15.III.1")
@pytest.mark.article("15.III.4")
@pytest.mark.article("15.III.5.1")
@pytest.mark.article("15.III.6.2")
@pytest.mark.article("15.III.6.5")
@pytest.mark.parametrize("case", REFUSED)
def test_what_fails_a_gate_is_named_and_never_approved(case: str) -> None:
    changes, code, article = REFUSED[case]
    version = emitting.recorded(emitting.small(**changes))
    with pytest.raises(ApprovalRefused) as refused:
        game_approve_propose(by=factories.staff(Role.ORGANISER), version=version)
    faults = {fault["code"]: fault["article"] for fault in refused.value.data["faults"]}
    assert faults[code] == article
    assert {fault.code for fault in game_check(version=version).faults} == set(faults)
    assert not GameApproval.objects.exists()
    with pytest.raises(GameNotApproved):
        emission_plan(by=factories.staff(Role.ORGANISER), game=version.game)


@pytest.mark.article("15.III.6.2")
def test_a_probabilistic_game_whose_worst_play_is_below_the_minimum_is_refused() -> None:
    definition = emitting.document("five-stalls", prize_percent="60")
    definition["mechanic"]["deals"][-1]["contents"] = [6, 6, 6, 0, 0]
    version = emitting.recorded(definition)
    with pytest.raises(ApprovalRefused) as refused:
        game_approve_propose(by=factories.staff(Role.ORGANISER), version=version)
    assert "prizes_too_low" in {fault["code"] for fault in refused.value.data["faults"]}


@pytest.mark.article("15.II.1")
def test_a_document_that_is_not_a_games_leaves_nothing() -> None:
    for change in ({"colour": "red"}, {"mode": "raffle"}, {"mode": "probabilistic"}):
        with pytest.raises(GameRefused):
            emitting.recorded(emitting.small() | change)
    assert not Game.objects.exists()
    with pytest.raises(PowerMissing):
        game_record(by=factories.staff(Role.CASHIER), document=emitting.small())


def test_the_same_content_is_the_same_version_and_a_type_never_changes() -> None:
    first = emitting.recorded(emitting.small())
    assert emitting.recorded(emitting.small()) == first
    texts = emitting.small()["texts"]
    texts["en"]["name"] = "Renamed"
    second = emitting.recorded(emitting.small(texts=texts))
    assert (second.version, second.game_id) == (2, first.game_id)
    with pytest.raises(TypeChanged):
        emitting.recorded(emitting.small(tickets=80, block_tickets=80))
    twin = emitting.recorded(emitting.small("twin"))  # one type, two games
    assert (twin.game.type_id, GameType.objects.count()) == (first.game.type_id, 1)


@pytest.mark.article("15.II.2")
def test_it_takes_two_persons_and_happens_once() -> None:
    version = emitting.recorded(emitting.small())
    one = factories.staff(Role.ORGANISER)
    proposal = game_approve_propose(by=one, version=version)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=factories.another_session(one))
    emitting.both(proposal)
    with pytest.raises(VersionApproved):
        game_approve_propose(by=one, version=version)


@pytest.mark.article("15.II.2")
def test_the_same_factors_otherwise_written_are_the_same_game() -> None:
    first = emitting.recorded(emitting.document("trotters-ladder"))
    again = emitting.document("trotters-ladder", prize_percent="78.00")
    again["mechanic"]["rungs"][0]["ways"][0] |= {"rise": 1, "fall": 0}
    second = emitting.recorded(again)
    assert (second.game, second.version) == (first.game, 2)
    assert GameType.objects.count() == 1


@pytest.mark.article("15.II.2")
def test_a_proposed_game_is_on_record_only_when_it_is_approved() -> None:
    by = factories.staff(Role.ORGANISER)
    proposal = game_propose(by=by, document=emitting.small())
    assert not Game.objects.exists() and not GameType.objects.exists()
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    emitting.both(proposal)
    version = Game.objects.get().versions.get()
    assert (version.approval.proposal, version.recorded_by_id) == (proposal, by.user_id)
    with pytest.raises(VersionApproved):
        game_propose(by=by, document=emitting.small())
    with pytest.raises(TypeChanged):
        game_propose(by=by, document=emitting.small(tickets=80, block_tickets=80))


def test_a_game_with_a_fault_is_not_even_proposed() -> None:
    by = factories.staff(Role.ORGANISER)
    with pytest.raises(ApprovalRefused) as refused:
        game_propose(by=by, document=emitting.small(price_cents=1001))
    places = {fault["code"]: fault["place"] for fault in refused.value.data["faults"]}
    assert places["price_out_of_range"] == "$.price_cents"
    with pytest.raises(PowerMissing):
        game_propose(by=factories.staff(Role.CASHIER), document=emitting.small())


def test_a_code_that_another_game_took_meanwhile_refuses_the_confirmation() -> None:
    proposal = game_propose(by=factories.staff(Role.ORGANISER), document=emitting.small())
    emitting.recorded(emitting.small(tickets=80, block_tickets=80))
    with pytest.raises(TypeChanged):
        emitting.both(proposal)
    assert not GameApproval.objects.exists()
    assert GameType.objects.count() == 1


def test_a_draft_is_corrected_by_another_and_waits_once() -> None:
    by = factories.staff(Role.ORGANISER)
    first = game_propose(by=by, document=emitting.small())
    with pytest.raises(two_persons.ProposalPending):
        game_propose(by=by, document=emitting.small(block_tickets=40))
    second = game_propose(by=by, document=emitting.small("other"), replaces=first.uuid)
    first.refresh_from_db()
    assert first.decision.verdict == "rejected"
    with pytest.raises(two_persons.ProposalDecided):
        emitting.both(first)
    emitting.both(second)
    assert [game.code for game in Game.objects.all()] == ["other"]
