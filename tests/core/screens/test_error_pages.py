"""The pages of errors: in the reader's language, with the way on, and without the database."""

import json
import re

import pytest
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpResponse
from django.test import Client, RequestFactory
from django.utils.translation import override

from core.screens import error_pages

GIVEN = {
    400: (error_pages.bad_request, BadRequest()),
    403: (error_pages.permission_denied, PermissionDenied()),
    404: (error_pages.page_not_found, Http404()),
}
FAULTS = {500: ZeroDivisionError("swordfish"), 503: OperationalError("swordfish")}


def _answer(status: int, path: str) -> HttpResponse:
    request = RequestFactory().get(path)
    vars(request)["request_id"] = "0123456789abcdef"
    if status in GIVEN:
        view, fault = GIVEN[status]
        return view(request, fault)
    try:
        raise FAULTS[status]
    except (ZeroDivisionError, OperationalError):
        return error_pages.server_error(request)


@pytest.mark.parametrize("path", ["/somewhere", "/admin/somewhere/"])
@pytest.mark.parametrize("status", [*GIVEN, *FAULTS])
def test_a_page_says_in_each_language_what_is_wrong_and_where_to_go(status: int, path: str) -> None:
    sentences = set()
    for language in ("ca", "es", "en"):
        with override(language):
            answer = _answer(status, path)  # no fixture lets it ask the database
        page = answer.content.decode()
        assert answer.status_code == status
        assert answer["Content-Type"] == "text/html; charset=utf-8"
        assert f'<html lang="{language}"' in page and "swordfish" not in page
        assert f'class="button primary big" href="{path.split("somewhere")[0]}"' in page
        assert ("0123456789abcdef" in page) is (status == 500)
        assert answer.has_header("Retry-After") is (status == 503)
        sentences.add(tuple(re.findall(r"<h1>(.+)</h1>\s*<p>(.+)</p>", page)))
    assert len(sentences) == 3 and () not in sentences


@pytest.mark.parametrize("status", [*GIVEN, *FAULTS])
def test_the_api_gets_a_problem(status: int) -> None:
    answer = _answer(status, "/api/v1/somewhere")
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["status"] == answer.status_code == status


@pytest.mark.django_db
def test_the_languages_lead_to_the_same_page_and_the_policy_is_kept() -> None:
    answer = Client().get("/nowhere", {"lang": "es"})
    page = answer.content.decode()
    assert answer.status_code == 404 and "Content-Security-Policy" in answer.headers
    assert '<html lang="es"' in page and 'href="?lang=ca"' in page
