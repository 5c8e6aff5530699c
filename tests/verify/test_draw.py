"""Run verify/draw.py on real draws, on changed copies, and on false documents with signatures."""

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from core.database import clock
from core.draws import abandoning, documents, manual, services
from core.draws.models import Draw, DrawField
from core.proofs.log import key_in_force
from core.staff import two_persons
from lototrot.models.contest import Contest
from lototrot.selectors.draws import subject_of
from lototrot.services.seal.sealing import contest_seal
from tests.support import factories
from tests.support.lototrot.starting import declare
from tests.support.urn import PHRASE, Urn, hall
from tests.support.verifying.forging import (
    Entries,
    Refused,
    Walk,
    forged,
    public_key,
    published_log,
    quick_signatures,
    signed,
    vouched_for,
    written,
)
from tests.support.verifying.load import FOLDER, verifier

draw, digest = verifier("draw"), verifier("entry").digest
pytestmark = pytest.mark.django_db
KINDS = (documents.COMMITMENT, documents.OUTCOME, documents.MINUTES)
Drawn = tuple[Entries, str]


@pytest.fixture(scope="module")
def drawn(shared: None) -> Drawn:
    """The log of a race not run, with a horse withdrawn, drawn with dice; and the draw's id."""
    factories.central_office()
    race = factories.races_of(factories.contest())[0]
    factories.withdrawal(race, 4)
    declare(race, reason="Pluja")
    for contest in Contest.objects.all():
        contest_seal(contest_id=contest.pk)
    held = factories.witnessed(Draw.objects.get(subject=subject_of(race.pk)))
    return published_log(), str(held.uuid)


def undone(hold: Callable[[Any], Drawn]) -> Drawn:
    """Hold a draw for the tests of its log alone: nothing of it is left in the database."""
    with transaction.atomic():
        key_in_force()
    with pytest.MonkeyPatch.context() as patch, transaction.atomic():
        held = hold(patch)
        transaction.set_rollback(True)
    return held


@pytest.fixture(scope="module")
def by_hand(shared: None) -> Drawn:
    """The log of balls entered by two persons, late."""
    return undone(_by_hand)


def _by_hand(patch: Any) -> Drawn:
    room = hall(patch)
    factories.time_pass(hours=3)
    proposal = manual.manual_propose(
        by=room.organiser,
        draw=room.draw.uuid,
        order=["5", "1", "8", "2", "3"],
        drawn_at=clock.now(),
        witness="Notari",
        cause="Tall de llum",
    )
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    room.certify(late_cause="Tall de llum")
    return published_log(), str(room.draw.uuid)


def run(folder: Path, drawn: Drawn, field: Any = None) -> str:
    log, ident = drawn
    more = [written(folder, "field.json", field)] if field else []
    answer: str = draw.check(written(folder, "log.jsonl", log), public_key(), ident, *more)
    return answer


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_true_minutes_hold(drawn: Drawn, tmp_path: Path) -> None:
    _, ident = drawn
    assert "9 in the draw" in run(tmp_path, drawn)

    def script(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-S", str(FOLDER / "draw.py"), "log.jsonl", public_key(), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={},
        )

    done = script(ident)
    assert done.returncode == 0 and done.stdout.startswith("The draw holds"), done.stderr
    refused = script("another")
    assert refused.returncode == 1 and refused.stderr.startswith("REFUSED: draws.minutes another:")
    assert script().stderr.startswith("usage: python draw.py LOG KEYS DRAW [FIELD]")


def test_a_draw_with_balls_holds_without_a_commitment(by_hand: Drawn, tmp_path: Path) -> None:
    assert "LATE: Tall de llum" in run(tmp_path, by_hand)


@pytest.fixture
def entered_twice(monkeypatch: Any) -> Drawn:
    """The log of balls that an inspector rejected, and of those that were entered instead."""
    room = hall(monkeypatch)
    factories.announced_time(room.draw)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    for order in (["1", "5", "8", "2", "3"], ["5", "1", "8", "2", "3"]):
        proposal = manual.manual_propose(
            by=room.organiser,
            draw=room.draw.uuid,
            order=order,
            drawn_at=clock.now(),
            witness="Notari",
            cause="Tall de llum",
        )
        if order[0] == "1":
            two_persons.reject(proposal=proposal.uuid, by=room.inspector, reason="Falta una bola")
    two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    room.certify()
    return published_log(), str(room.draw.uuid)


@pytest.mark.article("14.III.5.4.4")
def test_minutes_that_leave_out_a_rejected_order_are_refused(
    entered_twice: Drawn, tmp_path: Path, monkeypatch: Any
) -> None:
    """[B16]"""
    quick_signatures(monkeypatch)
    log, ident = entered_twice
    (rejected,) = [each["subject"] for each in log if each["kind"] == documents.BALLS][:1]
    assert f"REJECTED before: {rejected}" in run(tmp_path, entered_twice)
    true = next(e["document"] for e in log if (e["kind"], e["subject"]) == (KINDS[2], ident))
    (named,) = true["rejected"]
    for lie in (
        [],
        [named | {"order": true["order"]}],
        [named | {"balls": ident}],
        [named, named],
        [named, named | {"balls": log[-3]["subject"]}],
    ):
        with pytest.raises(Refused, match=r"draws\.minutes\.rejected"):
            run(tmp_path, (forged(log, documents.MINUTES, true | {"rejected": lie}, ident), ident))


def test_balls_elsewhere_hold_with_a_reason_that_is_entered_with_them(
    monkeypatch: Any, tmp_path: Path
) -> None:
    """[B16]: the system was down while they were drawn, and nobody could enter the reason."""
    room = hall(monkeypatch)
    planned_at = clock.now() + timedelta(minutes=20)
    services.draw_reannounce(
        by=room.organiser, draw=room.draw.uuid, place="Sala de festes", planned_at=planned_at
    )
    factories.time_to(planned_at + timedelta(minutes=40))
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="No hi ha llum")
    proposal = manual.manual_propose(
        by=room.organiser,
        draw=room.draw.uuid,
        order=["5", "1", "8", "2", "3"],
        drawn_at=planned_at + timedelta(minutes=5),
        witness="Notari",
        cause="Tall de llum",
    )
    two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    room.certify()
    log, ident = published_log(), str(room.draw.uuid)
    assert "The draw holds" in run(tmp_path, (log, ident))
    true = next(e["document"] for e in log if (e["kind"], e["subject"]) == (KINDS[2], ident))
    announced = true["announcements"][-1]
    late = announced["elsewhere"] | {"stated_at": "2999-01-01T00:00:00.000000Z"}
    change = {"announcements": [*true["announcements"][:-1], announced | {"elsewhere": late}]}
    with pytest.raises(Refused, match="the reason came late"):
        run(tmp_path, (forged(log, documents.MINUTES, true | change, ident), ident))


def test_another_order_of_the_same_subject_is_refused(by_hand: Drawn, tmp_path: Path) -> None:
    """Balls have no commitment: who entered them twice could choose [B16]."""
    log, ident = by_hand
    twice = list(log)
    for kind in (documents.OUTCOME, documents.MINUTES):
        entry = next(each for each in log if (each["kind"], each["subject"]) == (kind, ident))
        last = {"sequence": len(twice) + 1, "previous": digest(twice[-1])}
        other = entry | last | {"subject": "0190a6c8-5f6e-7000-8000-000000000001"}
        twice.append(signed(other, draw=other["subject"]))
    for each in (ident, twice[-1]["subject"]):
        with pytest.raises(Refused, match=r"draws\.outcome\.draw: .* gave another order"):
            run(tmp_path, (twice, each))


@pytest.fixture(scope="module")
def redrawn(shared: None) -> Drawn:
    """The log of a draw that was abandoned after its commitment, and of the one held instead at
    another place.
    """
    return undone(_redrawn)


def _redrawn(patch: Any) -> Drawn:
    room = hall(patch)
    room.committed(source="dice", pieces=12)
    proposal = abandoning.abandonment_propose(
        by=room.inspector, draw=room.draw.uuid, reason="Tall de llum"
    )
    two_persons.confirm(proposal=proposal.uuid, by=room.organiser)
    room.draw = Draw.objects.get(state="announced")
    planned_at = clock.now() + timedelta(minutes=20)
    services.draw_reannounce(
        by=room.organiser, draw=room.draw.uuid, place="Sala de festes", planned_at=planned_at
    )
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="No hi ha llum")
    room.committed(source="balls", pieces=6)
    room.enter("7 12 3 9 1 4", source="balls")
    room.certify()
    return published_log(), str(room.draw.uuid)


def test_a_draw_after_an_abandoned_one_holds_and_says_so(redrawn: Drawn, tmp_path: Path) -> None:
    """[B16]"""
    log, _ = redrawn
    (abandoned,) = [each["subject"] for each in log if each["kind"] == documents.ABANDONED]
    assert f"ABANDONED before: {abandoned}" in run(tmp_path, redrawn)


def test_a_lie_about_an_abandoned_draw_is_refused(
    redrawn: Drawn, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    log, ident = redrawn
    given_up = next(each for each in log if each["kind"] == documents.ABANDONED)
    held = next(e["document"] for e in log if (e["kind"], e["subject"]) == (KINDS[2], ident))
    for kind, lie, about, named in (
        (documents.ABANDONED, {"secret": "ab" * 32}, given_up["subject"], "abandoned.secret"),
        (documents.MINUTES, {"abandoned_before": []}, ident, "minutes.abandoned_before"),
        (documents.MINUTES, {"called_off_before": ["x"]}, ident, "called_off_before"),
    ):
        true = held if kind == documents.MINUTES else given_up["document"]
        with pytest.raises(Refused, match=named):
            run(tmp_path, (forged(log, kind, true | lie, about), ident))
    silent = [each for each in log if each["kind"] != documents.ABANDONED]
    monkeypatch.setattr(verifier("public_log"), "log_holds", lambda *_: "")
    with pytest.raises(Refused, match=r"draws\.abandoned"):
        run(tmp_path, (silent, ident))


ANNOUNCED: list[tuple[str, dict[str, Any], str]] = [
    ("planned_at", {"planned_at": "2999-01-01T00:00:00.000000Z"}, "before its announced time"),
    ("elsewhere", {"elsewhere": None}, "in time, or with a reason"),
    ("place", {"place": "A warehouse"}, "should be A warehouse"),
]


@pytest.mark.parametrize(("name", "lie", "why"), ANNOUNCED)
def test_a_draw_not_held_as_announced_is_refused(
    redrawn: Drawn, tmp_path: Path, name: str, lie: dict[str, Any], why: str
) -> None:
    """[B16]"""
    log, ident = redrawn
    true = next(e["document"] for e in log if (e["kind"], e["subject"]) == (KINDS[2], ident))
    last = true["announcements"][-1]
    change = {"announcements": [*true["announcements"][:-1], last | lie]}
    with pytest.raises(Refused, match=why):
        run(tmp_path, (forged(log, documents.MINUTES, true | change, ident), ident))
    late = last | {"announced_at": last["planned_at"]}
    change = {"announcements": [*true["announcements"][:-1], late]}
    with pytest.raises(Refused, match="ten minutes ahead"):
        run(tmp_path, (forged(log, documents.MINUTES, true | change, ident), ident))


def test_a_large_field_is_given_apart(monkeypatch: Any, tmp_path: Path) -> None:
    room = hall(monkeypatch, Urn(entries=[f"{n:06}" for n in range(20_000)], places=3))
    room.committed()
    room.enter(PHRASE)
    room.certify()
    the_draw = published_log(), str(room.draw.uuid)
    field = DrawField.objects.get(draw__uuid=room.draw.uuid).entries
    assert "20000 in the draw" in run(tmp_path, the_draw, field)
    with pytest.raises(Refused, match="FIELD"):
        run(tmp_path, the_draw)
    with pytest.raises(Refused, match=r"draws\.minutes\.field\.sha256"):
        run(tmp_path, the_draw, [*field[1:], field[0]])


def test_every_field_that_a_stranger_changes_is_refused_by_its_name(
    drawn: Drawn, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    log, ident = drawn
    walk = Walk(log, lambda other: run(tmp_path, (other, ident)))
    assert walk.strangers(*KINDS, "lototrot.seal") > 800


def test_every_lie_of_the_operator_is_found_but_what_only_people_vouch_for(
    drawn: Drawn, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    log, ident = drawn
    walk = Walk(log, lambda other: run(tmp_path, (other, ident)))
    assert walk.liars(*KINDS) ^ vouched_for(*KINDS) == set()


EARLY = "1999-01-01T00:00:00.000000Z"
LIES: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    ("order", "order", lambda d: d["order"][1::-1] + d["order"][2:]),
    ("secret", "secret", lambda d: "ab" * 32),
    ("entropy", "entropy", lambda d: {"source": "dice", "text": "316", "canonical": "3 1 6"}),
    ("entropy", "entropy", lambda d: None),
    ("late", "late", lambda d: True),
    ("drawn_at", "drawn_at", lambda d: EARLY),
    ("certified_at", "certified_at", lambda d: EARLY),
    ("attendances", "inspector", lambda d: []),
    ("means", "secret", lambda d: {"source": "dice", "pieces": 11}),
    ("entered_by", "entered_by", lambda d: d["entered_by"] | {"name": "Another"}),
    ("place", "place", lambda d: "A warehouse"),
    ("draw", "draw", lambda d: "00000000-0000-0000-0000-000000000000"),
    ("facts", r"field\.entries", lambda d: d["facts"] | {"withdrawn": []}),
]


@pytest.mark.parametrize(("name", "named", "lie"), LIES)
def test_a_lie_is_refused_by_the_rule_it_breaks(
    drawn: Drawn, tmp_path: Path, name: str, named: str, lie: Callable[[dict[str, Any]], Any]
) -> None:
    log, ident = drawn
    true = next(each["document"] for each in log if each["kind"] == documents.MINUTES)
    log = forged(log, documents.MINUTES, true | {name: lie(true)})
    with pytest.raises(Refused, match=rf"^draws\.(minutes|outcome)\.{named}"):
        run(tmp_path, (log, ident))
