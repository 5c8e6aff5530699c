"""Invent JSON that a schema of the OpenAPI document allows, mostly: a member in ten is wrong."""

import uuid
from random import Random
from typing import Any

from core.database import clock
from core.kernel.request_uuids import RANDOM_BITS, request_uuid
from tests.support.openapi import committed

_TEXTS = ("", "A", "P-0001", "è ü\u200d 😀", "x" * 41, "x" * 401, "0", "'; --", "%s", "\u202e")
_WHOLE = (0, 1, 2, 3, 7, 100, 299_99, 300_00, 2**31 - 1, 2**31, 2**63 - 1, -1)
_INSTANTS = ("2027-04-10T13:24:07Z", "1970-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999Z")
_DAYS = ("2027-04-10", "2028-02-29", "0001-01-01", "9999-12-31")
_WRONG: tuple[Any, ...] = (None, [], {}, True, 1.5, "nonsense", -(2**70))
_DEEPEST = 4


def invented(schema: dict[str, Any], rng: Random, real: dict[str, Any], *, deep: int = 0) -> Any:
    """Return a value for a schema. `real` are values of the world by the name of a member."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return invented(committed()["components"]["schemas"][name], rng, real, deep=deep)
    for several in ("allOf", "oneOf", "anyOf"):
        if several in schema:
            return invented(rng.choice(schema[several]), rng, real, deep=deep)
    if isinstance(schema.get("type"), list):
        schema = schema | {"type": rng.choice(schema["type"])}
    if rng.random() < 0.1 and deep:
        return rng.choice(_WRONG)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    return _of_type(schema, rng, real, deep)


def _of_type(schema: dict[str, Any], rng: Random, real: dict[str, Any], deep: int) -> Any:
    match schema.get("type"):
        case "object":
            return _object(schema, rng, real, deep)
        case "array":
            least = schema.get("minItems", 0)
            count = least + rng.choice((0, 1, 2)) if deep < _DEEPEST else least
            return [invented(schema["items"], rng, real, deep=deep + 1) for _ in range(count)]
        case "integer" | "number":
            bounds = (schema.get("minimum", 0), schema.get("maximum", 5))
            return rng.choice((*bounds, *_WHOLE))
        case "boolean":
            return rng.random() < 0.5
        case "string":
            return _text(schema, rng)
    return rng.choice(("A", 1, None))


def _object(schema: dict[str, Any], rng: Random, real: dict[str, Any], deep: int) -> Any:
    required = schema.get("required", ())
    members = {}
    for name, member in schema.get("properties", {}).items():
        if name in real and rng.random() < 0.8:
            members[name] = real[name]
        elif name in required or rng.random() < 0.7:
            members[name] = invented(member, rng, real, deep=deep + 1)
    return members


def _text(schema: dict[str, Any], rng: Random) -> str:
    match schema.get("format"):
        case "uuid" if "pattern" in schema:  # that of a request has a time
            return str(request_uuid(clock.now(), rng.getrandbits(RANDOM_BITS)))
        case "uuid":
            return str(uuid.UUID(int=rng.getrandbits(128)))
        case "date-time":
            return rng.choice(_INSTANTS)
        case "date":
            return rng.choice(_DAYS)
    text = rng.choice(_TEXTS)
    return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 5_000)]
