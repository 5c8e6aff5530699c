"""Import a programme, record its approval and prepare a contest in the admin."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from django.utils.functional import lazy
from django.utils.translation import get_language

import lototrot.sample
from core.admin_support.acts import Refusal
from core.admin_support.contents import collected
from core.database import clock
from core.staff.signals import SESSION_KEY
from lototrot.admin.refusals import PROGRAMME
from lototrot.engine.programme import SENTENCES, ProgrammeInvalid
from lototrot.models.contest import Contest
from lototrot.models.programme import FederationApproval, Meeting
from tests.support import factories
from tests.support.admin_desk import (
    Desk,
    act_url,
    as_typed,
    row_url,
    text_of,
)
from tests.support.lototrot.contest_form import new_contest

pytestmark = pytest.mark.django_db


SAMPLES = Path(next(iter(lototrot.sample.__path__)))


def _upload(desk: Desk, content: bytes, name: str) -> Any:
    file = SimpleUploadedFile(name, content)
    return desk.client.post(act_url(Meeting, "import"), {"file": file})


@pytest.mark.article("14.III.5.2")
@pytest.mark.parametrize("name", ["son-pardo.programme.json", "son-pardo.programme.csv"])
def test_a_programme_is_imported_and_approved(organiser: Desk, name: str) -> None:
    assert organiser.offers(Meeting, "import")
    response = _upload(organiser, (SAMPLES / name).read_bytes(), name)
    meeting = Meeting.objects.get()
    assert response["Location"] == row_url(meeting)
    assert meeting.imported_by == organiser.person
    assert meeting.imported_in_id == organiser.client.session[SESSION_KEY]
    typed = {
        "approved_by": "Federació Balear de Trot",
        "approved_at": as_typed(clock.now()),
        "reference": "FBT 7",
    }
    organiser.do(meeting, "approve", **typed)
    approval = FederationApproval.objects.get(meeting=meeting)
    assert (approval.reference, approval.recorded_by) == ("FBT 7", organiser.person)
    assert not organiser.offers(meeting, "approve")


def test_every_error_of_a_programme_is_shown_in_its_place(organiser: Desk) -> None:
    document = json.loads((SAMPLES / "son-pardo.programme.json").read_bytes())
    document["races"][0]["runners"][1]["number"] = 77
    document["races"][2]["start"] = "tomorrow"
    del document["meeting"]["reference"]
    response = _upload(organiser, json.dumps(document).encode(), "bad.json")
    text = text_of(response)
    assert "programme_invalid" in text
    for place in ("/races/0/runners/1/number", "/races/2/start", "/meeting/reference"):
        assert place in text, text
    assert not Meeting.objects.exists()


def test_what_is_wrong_with_a_programme_is_said_in_each_language() -> None:
    with translation.override(None):
        texts = {code: str(text) for code, text in PROGRAMME.items()}
    assert texts == {code: text.replace(":04X", "") for code, text in SENTENCES.items()}
    error = {"place": "/races/0", "code": "out_of_range", "message": "This must be from 1 to 31."}
    catalan = lazy(lambda: "De {low} a {high}." if get_language() == "ca" else texts[code], str)()
    code = error["code"]
    for language, sentence in (("ca", "De 1 a 31."), ("en", error["message"])):
        with patch.dict(collected("code_texts"), {code: catalan}), translation.override(language):
            (row,) = Refusal.of(ProgrammeInvalid(errors=[error])).rows
        assert row == [error["place"], code, sentence]


def test_a_file_of_another_kind_is_refused_at_its_field(organiser: Desk) -> None:
    assert ".json or .csv" in text_of(_upload(organiser, b"%PDF", "programme.pdf"))


def test_what_is_about_to_be_prepared_is_shown_first(organiser: Desk) -> None:
    meeting = factories.meeting()
    response = organiser.client.post(act_url(meeting, "contest"), new_contest(meeting))
    assert "€1.50" in text_of(response)
    assert "7. Premi 7" in text_of(response)
    assert not Contest.objects.exists()


def test_the_page_of_a_race_reads_its_record_once(organiser: Desk) -> None:
    """Before, each field and each act that might be offered read it: twelve times."""
    race = factories.races_of(factories.contest())[0]
    with CaptureQueriesContext(connection) as asked:
        assert "To be run" in organiser.get(row_url(race))
    of_record = [e for e in asked if 'FROM "lototrot_racedeclaration" WHERE race_id' in e["sql"]]
    assert len(of_record) == 1


def test_positions_are_filled_from_the_first_on(organiser: Desk) -> None:
    meeting = factories.meeting()
    response = organiser.ask(meeting, "contest", **new_contest(meeting, leg_3=""))
    assert "beginning with the first" in text_of(response)
    meeting_twice = new_contest(meeting, leg_3=meeting.races.first().pk)
    organiser.refused(meeting, "contest", "race_repeated", **meeting_twice)
