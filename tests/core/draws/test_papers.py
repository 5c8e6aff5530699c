"""Print the notice and the minutes of a draw."""

from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from core.database import clock
from core.draws import manual, services
from core.staff import two_persons
from tests.support import factories
from tests.support.api import Api
from tests.support.urn import PHRASE, Hall, Urn, hall

pytestmark = pytest.mark.django_db


def text_of(pdf: Any) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf.content)).pages)


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
        "".join(factories.central_office().split()),
        "MemberofStaff",
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


@pytest.mark.article("14.III.5.4.4")
def test_the_minutes_on_paper_name_balls_that_do_not_stand(room: Hall) -> None:
    """[B16]"""
    factories.announced_time(room.draw)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    proposal = manual.manual_propose(
        by=room.organiser,
        draw=room.draw.uuid,
        order=["8", "1", "5", "2", "3"],
        drawn_at=clock.now(),
        witness="Notary",
        cause="Power cut",
    )
    two_persons.reject(proposal=proposal.uuid, by=room.inspector, reason="A ball was missing")
    room.committed()
    room.enter()
    room.certify()
    paper = text_of(Api().get(f"draws/{room.draw.uuid}/minutes.pdf", lang="en"))
    flat = " ".join(paper.split())
    assert "8, 1, 5, 2, 3" in flat and "A ball was missing" in flat and "do not stand" in flat
