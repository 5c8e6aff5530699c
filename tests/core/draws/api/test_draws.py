"""Conduct draws over HTTP and in the admin: everyone reads, each role does its steps, papers
print.
"""

import hashlib
import json
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from core.database import clock
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk
from tests.support.api import Api, refused, staff_api
from tests.support.urn import PHRASE, Hall, Urn, hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def room(monkeypatch: Any) -> Hall:
    return hall(monkeypatch)


def text_of(pdf: Any) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf.content)).pages)


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_a_whole_draw_over_http(room: Hall) -> None:
    public = Api(**{"Accept-Language": "es"})
    organiser, inspector = staff_api(Role.ORGANISER), staff_api(Role.INSPECTOR)
    path = f"draws/{room.draw.uuid}"
    found = public.get("draws", state="announced").json()["items"]
    assert [each["title"] for each in found] == ["Urna"]
    refused(public.get(f"{path}/minutes.json"), 404, "minutes_unknown")
    refused(public.get(f"{path}/field.json"), 409, "draw_not_drawn")
    moved = {"place": "Oficina Central", "planned_at": (clock.now()).isoformat()}
    assert organiser.post(f"{path}/announcement", moved).json()["place"] == "Oficina Central"
    refused(organiser.post(f"{path}/commitment"), 409, "draw_inspector_needed")
    refused(organiser.post(f"{path}/attendance"), 403, "power_missing")
    assert inspector.post(f"{path}/attendance").status_code == 201
    committed = organiser.post(f"{path}/commitment").json()
    assert committed["state"] == "committed" and committed["secret"] is None
    given = {"source": "phrase", "text": PHRASE, "witness": "Una jugadora"}
    refused(organiser.post(f"{path}/entropy", given | {"text": "short"}), 422, "entropy_too_little")
    drawn = organiser.post(f"{path}/entropy", given).json()
    assert drawn["entropy"]["text"] == PHRASE and len(drawn["order"]) == 5
    refused(organiser.post(f"{path}/entropy", given | {"text": PHRASE + "!"}), 409, "entropy_given")
    refused(staff_api(Role.INSPECTOR).post(f"{path}/certificate"), 403, "draw_inspector_absent")
    shown = inspector.post(f"{path}/certificate", {"observations": "Cap"}).json()
    assert shown["state"] == "certified" and shown["late"] is False
    assert set(shown["log"]) == {"draws.commitment", "draws.outcome", "draws.minutes"}
    field = public.get(f"{path}/field.json")
    assert hashlib.sha256(field.content).hexdigest() == shown["field_sha256"]
    assert json.loads(field.content) == shown["entries"]
    minutes = public.get(f"{path}/minutes.json").json()
    assert minutes["document"]["order"] == shown["order"] == public.get(path).json()["order"]


@pytest.mark.article("14.III.5.4.4")
@pytest.mark.parametrize("language", ["ca", "es"])
def test_the_minutes_on_paper_have_everything(monkeypatch: Any, language: str) -> None:
    room = hall(monkeypatch, Urn())
    committed = room.committed()
    factories.time_pass(hours=3)
    outcome = room.enter()
    room.certify(late_cause="Tall de llum", observations="Porta oberta")
    paper = Api().get(f"draws/{room.draw.uuid}/minutes.pdf", lang=language)
    assert paper.headers["Content-Type"] == "application/pdf"
    flat = "".join(text_of(paper).split())
    minutes = Api().get(f"draws/{room.draw.uuid}/minutes.json").json()
    wanted = [
        "Storm",
        "OficinaCentral",
        bytes(committed.digest).hex(),
        bytes(outcome.secret).hex(),
        "".join(PHRASE.split()),
        "Aplayer",
        "Talldellum",
        "Portaoberta",
        minutes["signature"],
        minutes["key"],
        minutes["document"]["field"]["sha256"],
        "shake256-fisher-yates/1",
        "Resoluciód'inspecció1",
        str(room.draw.uuid),
        *outcome.order,
    ]
    assert [each for each in wanted if each not in flat] == []


def test_a_notice_tells_the_result_once_it_is_certified(room: Hall) -> None:
    room.committed()
    room.enter()
    before = text_of(Api().get(f"draws/{room.draw.uuid}/notice.pdf", lang="en"))
    assert "as soon as the inspector certifies it" in before
    room.certify()
    after = Api().get(f"draws/{room.draw.uuid}/notice.txt", lang="en").content.decode()
    assert "Result" in after and "as soon as" not in after
    for output in ("html", "escpos"):
        assert Api().get(f"draws/{room.draw.uuid}/notice.{output}").status_code == 200


def test_balls_over_http_wait_for_the_second_person(room: Hall) -> None:
    one, two = staff_api(Role.ORGANISER), staff_api(Role.ORGANISER)
    body = {
        "order": ["5", "1", "8", "2", "3"],
        "drawn_at": clock.now().isoformat(),
        "place": "Oficina",
        "witness": "Notari",
        "cause": "Tall de llum",
    }
    made = one.post(f"draws/{room.draw.uuid}/balls", body).json()
    assert two.post(f"proposals/{made['proposal']}/confirmation").status_code == 200
    assert Api().get(f"draws/{room.draw.uuid}").json()["method"] == "balls"


def test_the_admin_takes_a_draw_through_with_its_countdown(room: Hall) -> None:
    organiser, inspector = Desk(Role.ORGANISER), Desk(Role.INSPECTOR)
    assert "data-seconds-left" in organiser.get("/admin/")
    page = f"/admin/draws/draw/{room.draw.pk}/change/"
    assert "data-seconds-left" in organiser.get(page)
    organiser.refused(room.draw, "commit", "draw_inspector_needed")
    organiser.do(room.draw, "announce", place="Palma", planned_at="2030-03-02T12:00:00")
    inspector.do(room.draw, "attend")
    organiser.do(room.draw, "commit")
    organiser.do(room.draw, "enter", source="phrase", text=PHRASE, witness="Una jugadora")
    assert "data-seconds-left" not in organiser.get(page)
    assert not organiser.offers(room.draw, "enter")
    inspector.do(room.draw, "certify", late_cause="", observations="")
    shown = organiser.get(page)
    assert PHRASE in shown and "minutes.pdf?lang=ca" in shown and "minutes.pdf?lang=es" in shown
    assert User.objects.get(pk=inspector.person.pk).full_name in shown


def test_the_admin_enters_balls_by_two_persons_and_marks_what_is_late(room: Hall) -> None:
    factories.time_pass(hours=2, minutes=1)
    desk = Desk(Role.ORGANISER)
    assert "Late" in desk.get("/admin/draws/draw/")
    local = clock.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
    desk.do(
        room.draw,
        "balls",
        order="5, 1,8,2, 3",
        drawn_at=local,
        place="Palma",
        witness="Notari",
        cause="Tall de llum",
    )
