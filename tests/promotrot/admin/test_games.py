"""Prepare games on forms, in words for the second person, and show no seed, in the admin."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot.models.game import Game, GameVersion
from promotrot.services.games import game_approve_propose
from tests.support import emitting, factories
from tests.support.admin_desk import Desk, act_url, row_url, text_of
from tests.support.promotrot.game_form import typed, typed_as

pytestmark = pytest.mark.django_db
LAP = "lap-of-honour"


@pytest.fixture
def organiser() -> Desk:
    return Desk(Role.ORGANISER)


def live(desk: Desk, act: str, **fields: Any) -> str:
    response = desk.client.post(act_url(GameVersion, act), {**fields, "live": "1"})
    assert response.status_code == 200
    return text_of(response)


def test_faults_are_said_in_words_and_the_seed_is_nowhere() -> None:
    organiser = Desk(Role.ORGANISER)
    version = emitting.recorded(emitting.small(price_cents=1_001))
    assert "The price is outside the limits" in organiser.get(row_url(version))
    refusal = organiser.refused(version, "approve", "approval_refused")
    assert "The price is outside the limits" in refusal
    emission = emitting.opened(emitting.small("other"))
    page = organiser.get(row_url(emission))
    assert bytes(emission.commitment.encrypted_seed).hex() not in page
    assert not Desk(Role.CASHIER).offers(emission, "close")


@pytest.mark.article("15.II.2")
@pytest.mark.article("15.III.6.2")
def test_the_share_of_a_pre_drawn_game_is_computed_against_the_law(organiser: Desk) -> None:
    page = live(organiser, "predrawn", **typed(LAP, code="new"))
    assert "70 % of the takings to prizes; the law asks for 70 % (15.III.6.2)." in page
    assert "Of a ticket of €0.50, 70 % to prizes, 30 % to the organiser." in page
    assert "1 in 50,000" in page, "12 first prizes in 600,000 tickets"
    assert "How the prizes are spread over the blocks" in page
    page = live(organiser, "predrawn", **typed(LAP, code="new", count_7="120001"))
    assert "At least 70 %" not in page
    page = live(organiser, "predrawn", **typed(LAP, code="new", count_7="119999"))
    assert "69.99 % of the takings to prizes; the law asks for 70 %" in page, "50 cents short"
    low = live(organiser, "predrawn", **typed(LAP, code="new", count_7="1"))
    assert "50 % of the takings to prizes; the law asks for 70 %" in low
    assert "At least 70 % goes to prizes (15.III.6.2)." in low
    assert "Sums appear here" in live(organiser, "predrawn")


@pytest.mark.article("15.II.3")
def test_what_a_probabilistic_game_pays_is_computed_with_its_spread(organiser: Desk) -> None:
    page = live(organiser, "probabilistic", **typed("trotters-ladder", code="new"))
    assert "78 % of the takings to prizes; the law asks for 70 % (15.III.6.2)." in page
    # The worst way stops at the first rung: 0.50 with a chance of 39 in 50.
    # 400,000 tickets: 156,000.00 in the mean; sqrt(400,000 x 0.78 x 0.22) x 0.50 = 130.99.
    assert "€156,000.00 is paid in the mean" in page
    assert "between €155,869.01 and €156,130.99" in page
    assert "± €130.99" in page
    assert "1 in 1.3" in page
    assert "Sums and chances appear here" in live(organiser, "probabilistic")


@pytest.mark.article("15.II.2")
def test_two_persons_approve_what_the_second_one_reads_in_words(organiser: Desk) -> None:
    organiser.do(GameVersion, "predrawn", **typed("six-at-the-post", code="sis"))
    assert not Game.objects.filter(code="sis").exists(), "nothing is on record until it is approved"
    proposal = Proposal.objects.get(decision=None)
    page = text_of(Desk(Role.ORGANISER).client.get(act_url(proposal, "confirm")))
    for words in (
        "Electric bicycle (€1,500.00)",
        "6 in common",
        "6 winning numbers and 6 of the player, from 1 to 30",
        "72 %",
    ):
        assert words in page, words
    waiting = text_of(organiser.client.get("/admin/staff/proposal/"))
    assert "Six at the Post: 100,000 tickets at €1.00" in waiting
    assert "{" not in page.split("Confirm")[0] and "cash_cents" not in page
    Desk(Role.ORGANISER).do(proposal, "confirm")
    version = GameVersion.objects.get(game__code="sis")
    assert version.approval.proposal == proposal
    shipped = json.dumps(emitting.document("six-at-the-post", code="sis"))
    assert version.document == json.loads(shipped.replace('"bicycle"', '"electric-bicycle"'))
    assert version.recorded_by == organiser.person
    assert "Electric bicycle" in organiser.get(row_url(version))


@pytest.mark.article("15.II.2")
def test_a_copy_is_another_version_and_shows_the_difference(organiser: Desk) -> None:
    game = emitting.approved(emitting.document("five-stalls"))
    first = game.versions.get()
    assert organiser.offers(first, "copy-probabilistic")
    assert not organiser.offers(first, "copy-predrawn")
    changes = {"name_en": "Five Boxes", "rules_en": "Open a stall."}
    organiser.do(first, "copy-probabilistic", **typed_as(first, **changes))
    proposal = Proposal.objects.get(decision=None)
    page = text_of(Desk(Role.ORGANISER).client.get(row_url(proposal)))
    assert "Five Boxes (version 1: Five Stalls)" in page
    assert page.count("Another text than before.") == 1
    Desk(Role.ORGANISER).do(proposal, "confirm")
    assert game.versions.count() == 2
    page = text_of(Desk(Role.ORGANISER).client.get(row_url(proposal)))
    assert "Five Boxes (version 1: Five Stalls)" in page, "it is told as it was decided"
    other = typed_as(first, code="five-dearer", price_cents="0,99", weight_0="9")
    organiser.do(first, "copy-probabilistic", **other)
    page = text_of(Desk(Role.ORGANISER).client.get(row_url(Proposal.objects.get(decision=None))))
    assert "€0.99 (five-stalls, version 1: €1.00)" in page
    organiser.refused(first, "copy-probabilistic", "game_version_approved", **typed_as(first))


def test_a_draft_is_corrected_or_withdrawn(organiser: Desk) -> None:
    organiser.do(GameVersion, "predrawn", **typed("letter-by-letter", code="new"))
    draft = Proposal.objects.get()
    address = f"{act_url(GameVersion, 'predrawn')}?draft={draft.uuid}"
    assert address in organiser.get(row_url(draft))
    assert 'value="33500"' in organiser.get(address)
    corrected = typed("letter-by-letter", code="new", count_4="34000")
    answer = organiser.client.post(address, {**corrected, "do": "1"})
    assert answer.status_code == 302, text_of(answer)
    draft.refresh_from_db()
    assert draft.decision.verdict == "rejected"
    waiting = Proposal.objects.get(decision=None)
    assert waiting.content["document"]["prize_percent"] == "71.5"
    organiser.do(waiting, "reject", reason="")
    assert not Game.objects.filter(code="new").exists(), "its code is free for another game"
    organiser.do(GameVersion, "predrawn", **typed(LAP, code="new"))


def test_a_file_is_accepted_or_refused_whole(organiser: Desk) -> None:
    def upload(content: Any) -> Any:
        file = SimpleUploadedFile("game.json", content.encode())
        return organiser.ask(GameVersion, "file", file=file)

    assert "not JSON" in text_of(upload("{"))
    assert "game_refused" in text_of(upload('{"format": "x"}'))
    wrong = text_of(upload(json.dumps(emitting.document(LAP, price_cents=1_001))))
    assert "$.price_cents" in wrong
    assert "The price is outside the limits" in wrong
    assert upload(json.dumps(emitting.document(LAP))).status_code == 302
    Desk(Role.ORGANISER).do(Proposal.objects.get(decision=None), "confirm")
    assert GameVersion.objects.get().approval is not None


def test_the_approval_of_a_recorded_version_is_read_in_words(organiser: Desk) -> None:
    version = emitting.recorded(emitting.document("trotters-ladder"))
    proposal = game_approve_propose(by=factories.staff(Role.ORGANISER), version=version)
    page = text_of(Desk(Role.ORGANISER).client.get(act_url(proposal, "confirm")))
    assert "Trot on: 78 % to rung 1, otherwise nothing" in page
    waiting = text_of(Desk(Role.ORGANISER).client.get("/admin/staff/proposal/"))
    assert "The Trotter&#x27;s Ladder, version 1" in waiting
    assert version.digest not in page


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.ORGANISER}))
@pytest.mark.parametrize("act", ["predrawn", "file"])
def test_only_organisers_build_games(role: Role, act: str) -> None:
    assert Desk(role).ask(GameVersion, act).status_code in (403, 404)
