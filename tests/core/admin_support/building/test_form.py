"""Correct drafts that wait, and accept files that are documents."""

import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from core.admin_support.building.form import BuildingForm, DocumentFileForm
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.services.authority.bet_types import BET_TYPE
from tests.support import factories


class _Built(BuildingForm):
    kind = BET_TYPE.name

    def build(self) -> None:
        self.add_rules(required=True)
        self.find_draft()


@pytest.mark.django_db
def test_a_draft_is_found_while_it_waits_and_only_of_its_kind() -> None:
    by = factories.staff(Role.ORGANISER)
    draft = two_persons.propose(kind=BET_TYPE, subject="x", by=by, content={})
    assert _Built(asked={"draft": str(draft.uuid)}).draft == draft
    for asked in ({}, {"draft": "x"}, {"draft": str(uuid.uuid4())}):
        assert _Built(asked=asked).draft is None
    two_persons.reject(proposal=draft.uuid, by=by)
    assert _Built(asked={"draft": str(draft.uuid)}).draft is None


@pytest.mark.django_db
def test_rules_are_asked_in_every_language() -> None:
    form = _Built({"rules_ca": "Una.", "rules_es": "", "rules_en": "One."})
    assert not form.is_valid()
    assert list(form.errors) == ["rules_es"]
    assert form.rules_texts() == {"ca": "Una.", "es": "", "en": "One."}


def _read(content: bytes) -> Any:
    form = DocumentFileForm({}, {"file": SimpleUploadedFile("a.json", content)})
    return form.cleaned_data["file"] if form.is_valid() else [*form.errors["file"]]


def test_a_file_that_is_no_document_is_refused_in_words() -> None:
    assert _read(b'{"code": "a"}') == {"code": "a"}
    assert _read(b'\xef\xbb\xbf{"code": "a"}') == {"code": "a"}
    repeated, not_a_number, more = b'{"a": 1, "a": 2}', b'{"a": NaN}', b"{} {}"
    deep, long, zero = (
        b'{"a":' * 40 + b"1" + b"}" * 40,
        b'{"a": %s}' % (b"9" * 5000),
        rb'{"a": "\u0000"}',
    )
    strict = (repeated, not_a_number, more, deep, long, zero)
    for wrong in (b"{", b"\xff\xfe", b"[1]", b"1", b'{"a": "' + b"x" * 200_001, *strict):
        assert len(_read(wrong)) == 1
