"""verify/draw.py on real draws, on copies that strangers changed, and on what a liar signs."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.database import clock
from core.draws import documents, manual, services
from core.draws.models import Draw, DrawField
from core.proofs.log import published
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.running import RaceDeclaration
from lototrot.selectors.draws import subject_of
from lototrot.services.sealing import contest_seal
from lototrot.services.starts import race_declare
from tests import factories
from tests.core.draws.urn import PHRASE, Urn, hall
from tests.verify.load import FOLDER, verifier
from tests.verify.signing import changed, public_key, signed, written

draw = verifier("draw")
entry = verifier("entry")
Entries = tuple[dict[str, Any], dict[str, Any]]
pytestmark = pytest.mark.django_db


def entries_of(of: Draw) -> Entries:
    """The signed minutes, and the commitment if there is one."""
    found = [
        published(kind=kind, subject=str(of.uuid))
        for kind in (documents.MINUTES, documents.COMMITMENT)
    ]
    minutes, commitment = (each.published() if each else {} for each in found)
    return minutes, commitment


@pytest.fixture
def drawn() -> Entries:
    """A race not run, with a horse withdrawn, drawn with dice."""
    race = factories.races_of(factories.contest())[0]
    factories.withdrawal(race, 4)
    race_declare(
        by=factories.staff(Role.STEWARDS), race_id=race.pk, kind=RaceDeclaration.Kind.NOT_RUN,
        reason="Pluja", draw_place="Oficina Central",
    )  # fmt: skip
    for contest in Contest.objects.all():
        contest_seal(contest_id=contest.pk)
    made = Draw.objects.get(subject=subject_of(race.pk))
    inspector, organiser = factories.staff(Role.INSPECTOR), factories.staff(Role.ORGANISER)
    services.draw_attend(by=inspector, draw=made.uuid)
    services.draw_commit(by=organiser, draw=made.uuid)
    services.draw_enter(
        by=organiser, draw=made.uuid, source="dice", text="3161425364", witness="Una jugadora"
    )
    services.draw_certify(by=inspector, draw=made.uuid)
    return entries_of(made)


@pytest.fixture
def by_hand(monkeypatch: Any) -> Entries:
    """Balls entered by two persons, late."""
    room = hall(monkeypatch)
    factories.time_pass(hours=3)
    proposal = manual.manual_propose(
        by=room.organiser, draw=room.draw.uuid, order=["5", "1", "8", "2", "3"],
        drawn_at=clock.now(), place="Oficina", witness="Notari", cause="Tall de llum",
    )  # fmt: skip
    two_persons.confirm(proposal=proposal.uuid, by=room.other)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    room.certify(late_cause="Tall de llum")
    return entries_of(room.draw)


def run(folder: Path, found: Entries, *more: Any) -> str:
    files = [
        written(folder, f"{place}.json", each) for place, each in enumerate([*found, *more]) if each
    ]
    answer: str = draw.check(public_key(), *files)
    return answer


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_true_minutes_hold(drawn: Entries, tmp_path: Path) -> None:
    assert "9 in the draw" in run(tmp_path, drawn)
    minutes, commitment = (written(tmp_path, f"{i}.json", each) for i, each in enumerate(drawn))
    done = subprocess.run(
        [sys.executable, str(FOLDER / "draw.py"), public_key(), minutes, commitment],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={},
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.startswith("The draw holds"), done.stderr
    refused = subprocess.run(
        [sys.executable, str(FOLDER / "draw.py"), public_key(), commitment, minutes],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={},
    )  # fmt: skip
    assert refused.returncode == 1 and refused.stderr.startswith("REFUSED: minutes.")


def test_a_draw_with_balls_holds_without_a_commitment(by_hand: Entries, tmp_path: Path) -> None:
    assert "LATE:Tall de llum" in run(tmp_path, by_hand)


def test_a_large_field_is_given_apart(monkeypatch: Any, tmp_path: Path) -> None:
    room = hall(monkeypatch, Urn(entries=[f"{n:06}" for n in range(20_000)], places=3))
    room.committed()
    room.enter(PHRASE)
    room.certify()
    found = entries_of(room.draw)
    field = DrawField.objects.get().entries
    assert "20000 in the draw" in run(tmp_path, found, field)
    with pytest.raises(entry.Refused, match="FIELD"):
        run(tmp_path, found)
    with pytest.raises(entry.Refused, match=r"minutes\.field"):
        run(tmp_path, found, [*field[1:], field[0]])


@pytest.mark.parametrize("which", ["minutes", "commitment"])
def test_every_field_changed_is_refused_by_its_name(
    drawn: Entries, tmp_path: Path, which: str
) -> None:
    place = ("minutes", "commitment").index(which)
    fields = list(drawn[place]["document"])
    assert len(fields) > 7
    for name in fields:
        document = drawn[place]["document"]
        copy = drawn[place] | {"document": document | {name: changed(document[name])}}
        found = (copy, drawn[1]) if place == 0 else (drawn[0], copy)
        named = next(iter(document["digests"])) if name == "digests" else name
        with pytest.raises(entry.Refused, match=rf"^{which}\.{named}: "):
            run(tmp_path, found)
        without = drawn[place] | {"document": {k: v for k, v in document.items() if k != name}}
        found = (without, drawn[1]) if place == 0 else (drawn[0], without)
        with pytest.raises(entry.Refused, match=rf"^{which}\.{name}: "):
            run(tmp_path, found)


LIES: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("order", lambda d: d["order"][1::-1] + d["order"][2:]),
    ("secret", lambda d: "ab" * 32),
    ("entropy", lambda d: d["entropy"] | {"text": "3161425363"}),
    ("entropy", lambda d: d["entropy"] | {"canonical": "3 1 6"}),
    ("entropy", lambda d: {"source": "dice", "text": "316", "canonical": "3 1 6"}),
    ("algorithm", lambda d: "another/1"),
    ("commitment", lambda d: "cd" * 32),
    ("committed_at", lambda d: d["declared_at"]),
    ("field", lambda d: d["field"] | {"sha256": "00" * 32}),
    ("field", lambda d: d["field"] | {"size": 8}),
    ("field", lambda d: d["field"] | {"places": 1}),
    ("due_at", lambda d: d["certified_at"]),
    ("late", lambda d: True),
    ("late_cause", lambda d: "Tall de llum"),
    ("drawn_at", lambda d: d["declared_at"]),
    ("entered_at", lambda d: d["declared_at"]),
    ("certified_at", lambda d: d["declared_at"]),
    ("inspector", lambda d: d["inspector"] | {"name": "Somebody else"}),
    ("attendances", lambda d: []),
    ("method", lambda d: "coin"),
    ("reason", lambda d: ""),
    ("witness", lambda d: ""),
    ("place", lambda d: ""),
    ("draw", lambda d: "00000000-0000-0000-0000-000000000000"),
    ("format", lambda d: "trot-draw-minutes-2"),
]


@pytest.mark.parametrize(("name", "lie"), LIES, ids=[f"{i}-{n}" for i, (n, _) in enumerate(LIES)])
def test_what_a_lying_operator_signs_is_refused_by_the_rule_it_breaks(
    drawn: Entries, tmp_path: Path, name: str, lie: Callable[[dict[str, Any]], Any]
) -> None:
    minutes, commitment = drawn
    lying = signed(minutes, **{name: lie(minutes["document"])})
    named = {"attendances": "inspector", "draw": "subject"}.get(name, name)
    with pytest.raises(entry.Refused, match=rf"^minutes\.{named}: "):
        run(tmp_path, (lying, commitment))


def test_a_horse_withdrawn_smuggled_into_the_field_is_found(drawn: Entries, tmp_path: Path) -> None:
    minutes, commitment = drawn
    facts = minutes["document"]["facts"] | {"withdrawn": []}
    with pytest.raises(entry.Refused, match=r"^minutes\.field: not who the regulation has drawn"):
        run(tmp_path, (signed(minutes, facts=facts), commitment))


def test_a_commitment_of_afterwards_or_of_another_draw_is_refused(
    drawn: Entries, tmp_path: Path
) -> None:
    minutes, commitment = drawn
    with pytest.raises(entry.Refused, match=r"^COMMITMENT: "):
        run(tmp_path, (minutes, {}))
    late = signed(commitment | {"at": minutes["document"]["certified_at"]})
    with pytest.raises(entry.Refused, match=r"^commitment\.at: "):
        run(tmp_path, (minutes, late))
    after = signed(commitment | {"sequence": minutes["sequence"] + 1})
    with pytest.raises(entry.Refused, match=r"^commitment\.sequence: "):
        run(tmp_path, (minutes, after))
    with pytest.raises(entry.Refused, match=r"^minutes\.draw: "):
        run(tmp_path, (minutes, signed(commitment, draw="other")))
