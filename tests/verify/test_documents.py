"""The forms of all published documents are complete and refer to one another."""

from typing import Any

import pytest

from tests.support.verifying.load import verifier

documents, forms = verifier("documents"), verifier("forms")
FORMS = documents.PUBLISHED | documents.WITHOUT_DIGESTS


def parts(form: Any) -> list[Any]:
    """Return every form inside a form, itself included."""
    inner: list[Any] = []
    if isinstance(form, dict):
        inner = [*form.values(), *(name for name in form if callable(name))]
    elif isinstance(form, list | tuple):
        inner = [*form]
    return [form, *(part for each in inner for part in parts(each))]


@pytest.mark.parametrize("kind", FORMS)
def test_a_published_document_names_its_format_once(kind: str) -> None:
    form = FORMS[kind]
    assert isinstance(form["format"], str)
    formats = [other["format"] for other in FORMS.values()]
    assert formats.count(form["format"]) == 1
    assert "digests" not in form  # entry.intact adds them


@pytest.mark.parametrize("kind", FORMS)
def test_each_part_is_a_form_that_forms_can_check(kind: str) -> None:
    for part in parts(FORMS[kind]):
        assert part is None or isinstance(part, str | dict | list | tuple) or part.__doc__
        if isinstance(part, list):
            assert len(part) == 1


@pytest.mark.parametrize("kind", FORMS)
def test_an_empty_document_is_refused_by_a_field(kind: str) -> None:
    with pytest.raises(forms.Refused, match=rf"^{kind}\."):
        forms.shaped({}, FORMS[kind], kind)


def test_a_batch_of_the_journal_is_its_head_and_the_signature() -> None:
    added = documents.JOURNAL_BATCH.keys() - documents.JOURNAL_HEAD.keys()
    assert added == {"digest", "key", "signature"}
