"""Read the OpenAPI document with libyaml, which is ten times faster than Python's own reader."""

from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator

from core.tools.embedded.server import ROOT

FILE = ROOT / "docs" / "openapi.yaml"


@cache
def parsed(text: str | bytes) -> dict[str, Any]:
    """Return an OpenAPI document in YAML as an object, which is read once and not to be changed."""
    document: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return document


@cache
def committed() -> dict[str, Any]:
    """Return the document that the repository keeps."""
    return parsed(FILE.read_text("utf-8"))


@cache
def _components() -> dict[str, Any]:
    """Return the schemas of the document as JSON Schema."""
    schemas: dict[str, Any] = _strict(committed()["components"]["schemas"])
    return schemas


def _strict(schema: Any) -> Any:
    """Return a schema by which an object has the members that it names and no others."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: _strict(value) for name, value in schema.items()}
    if isinstance(strict.get("properties"), dict) and strict.get("type") == "object":
        strict.setdefault("additionalProperties", False)
    return strict


@cache
def _validator(pointer: str) -> Validator:
    """Return the validator of a component."""
    return Draft202012Validator(
        {"$ref": pointer, "components": {"schemas": _components()}}, format_checker=FormatChecker()
    )


def faults_of(schema: dict[str, Any], content: Any) -> list[str]:
    """Return the faults of a JSON document by a schema of the document, three at most."""
    if "$ref" in schema:
        validator = _validator(schema["$ref"])
    else:
        validator = Draft202012Validator(
            _strict(schema) | {"components": {"schemas": _components()}}
        )
    wrong = []
    for error in validator.iter_errors(content):
        wrong.append(f"{error.json_path}: {error.message[:200]}")
        if len(wrong) == 3:
            break
    return wrong
