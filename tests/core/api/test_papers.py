"""Serve papers by their form and language, as answers that no cache stores."""

from typing import Any

import pytest
from django.utils.translation import override

from core.api.errors import RouteUnknown
from core.api.papers import CSV_FORM, PAGES, PRINTED, PaperView, json_form, language_of, paper
from core.api.shapes import PageQuery
from core.receipts.output import Output
from tests.support.api import Api, refused


class Statement(PaperView):
    forms = (*PAGES, CSV_FORM)


@pytest.mark.parametrize(
    ("query", "of_request", "language"),
    [
        ({"lang": "es"}, "en", "es"),
        ({}, "en", "en"),
        ({}, "en-gb", "en"),
        ({}, "fr", "ca"),
    ],
)
def test_the_language_is_the_one_asked_for_or_that_of_the_request(
    query: dict[str, Any], of_request: str, language: str
) -> None:
    with override(of_request):
        assert language_of(query) == language


def test_a_paper_is_not_stored_and_a_page_runs_no_script() -> None:
    page = paper(b"<p>", Output.HTML)
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    printed = paper(b"%PDF", Output.PDF)
    assert printed.headers["Content-Type"] == Output.PDF.media_type
    assert "Content-Security-Policy" not in printed.headers


def test_a_form_that_the_paper_does_not_have_is_no_address() -> None:
    view = Statement()
    view.check_path({"form": "csv"})
    for form in ("txt", "json", "PDF", ""):
        with pytest.raises(RouteUnknown):
            view.check_path({"form": form})


def test_a_download_has_the_name_and_the_type_of_its_form() -> None:
    answer = Statement().download(b"a;b", "csv", name="statement-7")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="statement-7.csv"'
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_schema_names_a_media_type_without_its_parameters() -> None:
    assert CSV_FORM.media_type == "text/csv"
    assert json_form(PageQuery).media_type == "application/json"
    assert [form.name for form in PRINTED] == [output.value for output in Output]


@pytest.mark.django_db
def test_a_public_paper_is_served_in_its_forms_and_no_other(anybody: Api) -> None:
    assert anybody.get("log/record.txt", day="2030-03-05", lang="en").status_code == 200
    refused(anybody.get("log/record.docx", day="2030-03-05"), 404, "route_unknown")
    refused(anybody.get("log/record.txt", day="2030-03-05", lang="fr"), 422, "fields_invalid")
