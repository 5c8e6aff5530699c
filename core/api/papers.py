"""What every paper's endpoint shares: its language, and its answer."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import get_language

from core.api.shapes import Choice, Shape
from core.receipts.document import LANGUAGES
from core.receipts.output import Output


class LanguageQuery(Shape):
    lang = Choice(
        LANGUAGES,
        required=False,
        help_text="Of the paper; without it, that of Accept-Language, or else Catalan.",
    )


def language_of(query: dict[str, Any]) -> str:
    """The language asked for, or that of the request."""
    found = query.get("lang") or (get_language() or "").partition("-")[0]
    return found if found in LANGUAGES else LANGUAGES[0]


def paper(content: bytes, output: Output) -> HttpResponse:
    """A document as an answer. It is somebody's ticket: no cache keeps it."""
    response = HttpResponse(content, content_type=output.media_type)
    response["Cache-Control"] = "no-store"
    if output is Output.HTML:
        response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
