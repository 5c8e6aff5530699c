"""Declare the bodies of the terminals' hot paths once: a `Body` validates and documents.

A `LeanView` reads a `Body`. Every other body, and every answer, is a `Shape`. Another view that
takes the body of a hot path reads the same `Body` (`ApiView.read_body`).

msgspec decodes a correct body in C. A body that it refuses is read again by the strict reader
(`parsing.loads`) and by the `Shape` that `shape_of` derives from the same declaration: it names
every fault with its place and code. The OpenAPI document shows that derived shape.
"""

import functools
import threading
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from msgspec import inspect
from rest_framework import serializers

from core.api import parsing
from core.api.shapes import BIGGEST, Choice, Flag, RequestUuid, Secret, Shape, Text, Uuid, Whole

# These accept no more than the fields of `core.api.shapes` do. A value that such a field would
# correct, such as a text with spaces around it, goes to the strict reader.
_UUID = r"\A[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\Z"
_VERSION_7 = (
    "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
)
_NO_CONTROLS = r"\A[^\x00-\x1f\x7f-\x9f]+\Z"
_TRIMMED = r"\A(?!\s)[^\x00-\x1f\x7f-\x9f]+(?<!\s)\Z"

Positive = Annotated[int, msgspec.Meta(ge=1, le=BIGGEST)]
UuidText = Annotated[str, msgspec.Meta(pattern=_UUID, extra={"field": Uuid})]
RequestUuidText = Annotated[str, msgspec.Meta(pattern=_UUID, extra={"field": RequestUuid})]
PlainText = Annotated[str, msgspec.Meta(pattern=_TRIMMED, extra={"field": Text})]
SecretText = Annotated[str, msgspec.Meta(pattern=_NO_CONTROLS, extra={"field": Secret})]


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object in the body of a request. A field without a default must be given."""

    def __repr__(self) -> str:
        """Return only the name: fields hold codes and tokens, which no log may show."""
        return f"<{type(self).__name__}>"


B = TypeVar("B", bound=Body)


def read(kind: type[B], body: bytes) -> B:
    """Return the body of a request. Raises MalformedJson or the framework's ValidationError."""
    value = _read_right(kind, body)
    return from_document(kind, parsing.loads(body)) if value is None else value


def from_document(kind: type[B], document: Any) -> B:
    """Return parsed JSON as a body. Raises the framework's ValidationError."""
    _decoder(kind)  # makes what msgspec knows of the type, which `convert` uses as well
    shape = shape_of(kind)(data=document, context={"query": False})
    shape.is_valid(raise_exception=True)
    return msgspec.convert(msgspec.to_builtins(shape.validated_data), kind)


def _read_right(kind: type[B], body: bytes) -> B | None:
    """Return a body that needs no correction; None for one that the strict reader must decide."""
    if b"\\" in body:  # an escape may hide a NUL or half a surrogate pair
        return None
    try:
        value = _decoder(kind).decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    # msgspec takes the last of a repeated name. In JSON a colon follows each name, so a body with
    # as many colons as the value has names repeats none. With more of them (in a text, or because a
    # field was given its default) it is right or wrong: the strict reader decides. Counting bytes
    # takes 0.1 us; a hook that sees each object's pairs costs more than all of msgspec's work.
    return value if body.count(b":") == _names(value) else None


_decoders: dict[type[Body], msgspec.json.Decoder[Any]] = {}
_making = threading.Lock()


def _decoder(kind: type[B]) -> msgspec.json.Decoder[B]:
    """Return the decoder of a body; one thread makes it, while others that need one wait.

    msgspec keeps with a type what it found out about it, and keeps that before it has all of it.
    A thread that decodes the type meanwhile reads a null pointer, and the process is gone.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        with _making:
            decoder = _decoders.get(kind)
            if decoder is None:
                decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    return decoder


class _Names(NamedTuple):
    """The number of fields of a body, the fields with defaults, and the fields that may hold
    bodies.
    """

    fields: int
    defaults: tuple[tuple[str, Any], ...]
    nested: tuple[str, ...]


@functools.cache
def _names_of(kind: type[Body]) -> _Names:
    fields = msgspec.structs.fields(kind)
    information: Any = inspect.type_info(kind)
    return _Names(
        len(fields),
        tuple((field.name, field.default) for field in fields if not field.required),
        tuple(field.name for field in information.fields if _holds_bodies(field.type)),
    )


def _holds_bodies(kind: Any) -> bool:
    """Return whether a msgspec type is a body, or a list or choice of bodies."""
    inner = (getattr(kind, name, None) for name in ("type", "item_type"))
    return isinstance(kind, inspect.StructType) or any(
        _holds_bodies(part) for part in [*inner, *getattr(kind, "types", ())] if part is not None
    )


def _names(value: Body) -> int:
    """Return how many names the value has in JSON; a field at its default counts as absent."""
    count, defaults, nested = _names_of(type(value))
    for name, default in defaults:
        if getattr(value, name) == default:
            count -= 1
    for name in nested:
        inner = getattr(value, name)
        for item in inner if type(inner) is list else (inner,):
            if type(item) not in _LEAVES:
                count += _names(item)
    return count


# Looking up these types is much faster than asking whether a value is a Body.
_LEAVES = frozenset({tuple, int, str, bool, type(None)})


@functools.cache
def shape_of(kind: type[Body]) -> type[Shape]:
    """Return the shape with the same fields, which names each fault and documents the body."""
    information: Any = inspect.type_info(kind)
    members: dict[str, Any] = {
        field.name: _field(field.type, {} if field.required else {"required": False}, {})
        for field in information.fields
    }
    return type(kind.__name__, (Shape,), {"__doc__": kind.__doc__, **members})


def _field(kind: Any, options: dict[str, Any], extra: Mapping[str, Any]) -> Any:
    """Return the serializer field of a msgspec type.

    `options` are arguments that every field takes. `extra` is the metadata: `field` is the class of
    a text's field; `message` is the error for a value of none of several types.
    """
    if isinstance(kind, inspect.Metadata):
        words = (kind.extra_json_schema or {}).get("description")
        options = options | ({"help_text": words} if words else {})
        return _field(kind.type, options, {**extra, **(kind.extra or {})})
    return _FIELDS[type(kind)](kind, options, extra)


def _text(kind: inspect.StrType, options: dict[str, Any], extra: Mapping[str, Any]) -> Any:
    if issubclass(extra["field"], Uuid):
        return extra["field"](**options)
    return extra["field"](max_length=kind.max_length, **options)


def _list(kind: Any, options: dict[str, Any], extra: Mapping[str, Any]) -> Any:
    bounds = {"min_length": kind.min_length or None, "max_length": kind.max_length}
    bounds = {name: bound for name, bound in bounds.items() if bound is not None}
    return serializers.ListField(child=_field(kind.item_type, {}, {}), **bounds, **options)


def _union(kind: inspect.UnionType, options: dict[str, Any], extra: Mapping[str, Any]) -> Any:
    others = [other for other in kind.types if not isinstance(other, inspect.NoneType)]
    if len(others) < len(kind.types):
        options = options | {"allow_null": True}
    if len(others) == 1:
        return _field(others[0], options, extra)
    options = options | {"error_messages": {"type": extra["message"]}}
    return OneOf(*[_field(other, {}, {}) for other in others], **options)


_FIELDS: dict[Any, Callable[[Any, dict[str, Any], Mapping[str, Any]], Any]] = {
    inspect.IntType: lambda kind, options, _: Whole(
        min_value=kind.ge, max_value=kind.le, **options
    ),
    inspect.BoolType: lambda _kind, options, _: Flag(**options),
    inspect.LiteralType: lambda kind, options, _: Choice(kind.values, **options),
    inspect.StructType: lambda kind, options, _: shape_of(kind.cls)(**options),
    inspect.StrType: _text,
    inspect.ListType: _list,
    inspect.VarTupleType: _list,
    inspect.UnionType: _union,
}


class OneOf(serializers.Field[Any, Any, Any, Any]):
    """A JSON number, list or object: whichever of them has a field here, which reads it."""

    def __init__(self, *fields: Any, **options: Any) -> None:
        self.fields = {_json_type(field): field for field in fields}
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> Any:
        field = self.fields.get(type(data))
        if field is None:
            self.fail("type")
        return field.run_validation(data)


def _json_type(field: Any) -> type:
    if isinstance(field, serializers.BaseSerializer):
        return dict
    return list if isinstance(field, serializers.ListField) else int


class _RequestUuidSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    target_class = RequestUuid

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        return {"type": "string", "format": "uuid", "pattern": _VERSION_7}


class _OneOfSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    target_class = OneOf

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        def schema(kind: type, field: Any) -> Any:
            if kind is dict:
                return auto_schema.resolve_serializer(field, direction).ref
            mapped = auto_schema._map_serializer_field(field, direction)
            return {**mapped, "maxItems": field.max_length} if kind is list else mapped

        return {"oneOf": [schema(*part) for part in self.target.fields.items()]}
