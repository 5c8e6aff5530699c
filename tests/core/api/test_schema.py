"""The OpenAPI document: committed, current, and complete."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command

from core.api import catalogue
from tests.support.api import Api
from tests.support.openapi import committed, faults_of, parsed

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def generated() -> str:
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    return out.getvalue()


def _operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in METHODS
    ]


def test_the_committed_document_is_current(generated: str) -> None:
    assert committed() == parsed(generated), "run: make documents"


def test_every_operation_says_what_it_is_and_how_it_fails(generated: str) -> None:
    document = parsed(generated)
    ids = set()
    operations = catalogue.entries()
    for path, method, operation in _operations(document):
        where = f"{method} {path}"
        assert operation.get("summary"), where
        ids.add(operation["operationId"])
        responses = operation["responses"]
        assert any(status.startswith("2") for status in responses), where
        for status in ("500", "503"):
            content = responses[status]["content"]
            assert list(content) == ["application/problem+json"], where
        for status, response in responses.items():
            if not status.startswith("2"):
                codes = [line.split("`")[1] for line in response["description"].splitlines()]
                assert codes, where
                for code in codes:
                    assert operations[code].status == int(status), f"{where}: {code}"
        if "security" in operation:
            assert "401" in responses, where
        if "requestBody" in operation:
            assert {"400", "413", "415", "422"} <= set(responses), where
    assert len(ids) == len(_operations(document))


def _schemas(document: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of the document that has a type."""
    if isinstance(document, dict):
        if "type" in document:
            yield document
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from _schemas(each)


def test_examples_and_defaults_are_of_their_schema() -> None:
    """A client that is made from the document sends defaults, and people copy examples."""
    count = 0
    for path, method, operation in _operations(committed()):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (each for body in bodies for each in body.get("content", {}).values()):
            for example in content.get("examples", {}).values():
                count += 1
                assert faults_of(content["schema"], example["value"]) == [], (method, path)
    assert count > 100
    for schema in _schemas(committed()):
        if "default" in schema:
            assert faults_of(schema, schema["default"]) == [], schema


@pytest.mark.parametrize(
    "path",
    [
        "claims/payments",
        "lototrot/tickets",
        "office/payments",
        "promotrot/plays",
        "promotrot/plays/{ident}/acts",
    ],
)
def test_the_answer_to_a_request_that_is_sent_again_is_there(path: str) -> None:
    responses = committed()["paths"][f"/api/v1/{path}"]["post"]["responses"]
    again, first = (responses[status]["content"]["application/json"] for status in ("200", "201"))
    assert again["schema"] == first["schema"]
    assert responses["200"]["headers"] == responses["201"]["headers"]


def test_schemes(generated: str) -> None:
    document = parsed(generated)
    assert set(document["components"]["securitySchemes"]) == {
        "staff",
        "terminal",
        "operator",
        "proof",
    }
    session = document["paths"]["/api/v1/terminal/session"]
    assert session["post"]["security"] == [{"terminal": [], "proof": []}]
    assert session["delete"]["security"] == [{"terminal": [], "operator": []}]
    assert document["paths"]["/api/v1/premises"]["post"]["security"] == [{"staff": []}]
    assert "security" not in document["paths"]["/api/v1/terminal/enrolment"]["post"]


@pytest.mark.django_db
def test_it_is_served(anybody: Api) -> None:
    response = anybody.get("schema")
    assert response.status_code == 200
    assert parsed(response.content)["openapi"].startswith("3.")
    as_json = anybody.get("schema", format="json")
    assert as_json.json()["info"]["title"] == "Lototrot and Promotrot"
