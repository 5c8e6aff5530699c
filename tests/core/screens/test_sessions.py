"""Keep pages' middleware away from the API: its language is that of its caller, not of a cookie."""

import pytest
from django.conf import settings
from django.test import Client

_WRONG_PIN = "/api/v1/problems/pin_refused"


@pytest.mark.django_db
def test_the_api_answers_in_the_language_of_its_caller(client: Client) -> None:
    """A till in English beside a page in Spanish is answered in English."""
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"
    answer = client.get(_WRONG_PIN, headers={"Accept-Language": "en"})
    assert answer.json()["title"] == "The operator's number or PIN is wrong."
    assert client.get("/check").context["LANGUAGE_CODE"] == "es"
