"""Parse a request body as strict JSON.

Refuse bodies that are too large, repeat a name, or hold text that PostgreSQL cannot store.
"""

import json
from typing import IO, Any

from django.http import HttpRequest
from rest_framework.parsers import BaseParser

from core.api.errors import BodyTooLarge, LengthRequired, MalformedJson, UnsupportedMediaType
from core.kernel import documents

KIBIBYTE = 1024


def check_size(request: HttpRequest, limit_bytes: int) -> None:
    """Check the declared length before reading. Raises BodyTooLarge, LengthRequired.

    A body in chunks declares no length and would otherwise count as empty.
    """
    declared = request.META.get("CONTENT_LENGTH") or ""
    if not declared and request.META.get("HTTP_TRANSFER_ENCODING"):
        raise LengthRequired
    length = int(declared) if declared.isdecimal() else 0
    if length > limit_bytes:
        raise BodyTooLarge(limit_bytes=limit_bytes, length_bytes=length)


def loads(body: bytes) -> Any:
    """Return the parsed document. Raises MalformedJson.

    Besides what `documents.loads` refuses, it refuses text with a NUL or half a surrogate pair,
    which PostgreSQL cannot store.
    """
    try:
        text = body.decode("utf-8")
        document = documents.loads(text)
    except UnicodeDecodeError as error:
        raise MalformedJson("The body is not UTF-8.", position=error.start) from error
    except documents.NotJson as error:
        where = {} if error.position is None else {"position": error.position}
        raise MalformedJson(str(error), **where) from error
    # Walking a document is slow: do so only if searching its text shows a reason.
    lowered = text.lower()
    if "\\u0000" in text or "\\ud" in lowered:
        _check_text(document)
    return document


def _check_text(document: Any) -> None:
    text = json.dumps(document, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedJson("A text holds half a surrogate pair.") from error
    if "\\u0000" in text and "\x00" in _all_text(document):
        raise MalformedJson("A text holds a NUL character.")


def _all_text(item: Any) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, dict):
        return "".join([*item, *map(_all_text, item.values())])
    return "".join(map(_all_text, item)) if isinstance(item, list) else ""


def read_bytes(request: HttpRequest, limit_bytes: int) -> bytes:
    """Return the JSON in the body of Django's own request, for views without the framework.

    Raises BodyTooLarge, LengthRequired or UnsupportedMediaType.
    """
    check_size(request, limit_bytes)
    if request.content_type != JsonParser.media_type:
        raise UnsupportedMediaType(accepts=[JsonParser.media_type])
    if not hasattr(request, "_body"):  # Django's own name: its limit of 2.5 MB is above ours
        request._body = request.read()
    return request._body


class JsonParser(BaseParser):
    """Parse bodies for the framework with `loads`. The framework takes an empty body as `{}`
    itself.
    """

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: Any = None, parser_context: Any = None) -> Any:
        return loads(stream.read())
