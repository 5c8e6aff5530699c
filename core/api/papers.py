"""Serve papers over the API: one address for each, with the form as its ending (`slip.pdf`).

A view of papers derives from `PaperView` and from the view of its credentials, and lists its
`forms`. Its handler gets the form as an argument:

    class Notice(PaperView):
        @operation("The notice for the wall", query=LanguageQuery, problems=(DrawUnknown,))
        def get(self, request: Request, draw: uuid.UUID, form: str) -> HttpResponse:
            content = notice_render(draw, output=Output(form), language=self.language())
            return self.paper(content, form)

Its address is `path("draws/<uuid:draw>/notice.<str:form>", Notice.as_view())`.
"""

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from core.api.errors import RouteUnknown
from core.api.shapes import Choice, Shape
from core.api.views import ApiView
from core.kernel.languages import LANGUAGES
from core.receipts.document import present_language
from core.receipts.output import Output

_Answer = TypeVar("_Answer", bound=HttpResponseBase)
JSON, CSV, XLSX = "json", "csv", "xlsx"
FOR_EVER_S = 31_536_000
SHORTLY_S = 5
# A slip has the styles of its lines in it, and nothing else.
_PAPER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """A form of a paper: the ending of its address, its Content-Type and its schema."""

    name: str
    content_type: str
    answer: Any = OpenApiTypes.BINARY

    @property
    def media_type(self) -> str:
        """Return the Content-Type without its parameters, as the OpenAPI document names it."""
        return self.content_type.partition(";")[0]


def _printed(*outputs: Output) -> tuple[Form, ...]:
    return tuple(Form(output.value, output.media_type) for output in outputs)


PRINTED = _printed(*Output)
PAGES = _printed(Output.PDF, Output.HTML)
PDF_ONLY = _printed(Output.PDF)
CSV_FORM = Form(CSV, "text/csv; charset=utf-8", OpenApiTypes.STR)


def json_form(shape: type[Shape]) -> Form:
    """Return the form that has the paper's content as JSON."""
    return Form(JSON, "application/json", shape)


class LanguageQuery(Shape):
    lang = Choice(
        LANGUAGES,
        required=False,
        help_text="Of the paper; without it, that of Accept-Language, or else Catalan.",
    )


def language_of(query: dict[str, Any]) -> str:
    """Return the language asked for, or that of the request."""
    return query.get("lang") or present_language()


def cached(request: Request, response: HttpResponse, *, max_age_s: int) -> HttpResponse:
    """Return the response with a tag of its content, or 304 if the client has the content
    already.
    """
    tag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response["ETag"] = tag
    patch_cache_control(response, public=True, max_age=max_age_s)
    if max_age_s == FOR_EVER_S:
        patch_cache_control(response, immutable=True)
    answer: Any = get_conditional_response(request._request, etag=tag, response=response)
    return answer  # type: ignore[no-any-return]


def paper(content: bytes, output: Output) -> HttpResponse:
    """Return a document as an answer that caches must not store: it may be a ticket."""
    response = HttpResponse(content, content_type=output.media_type)
    response["Cache-Control"] = "no-store"
    if output is Output.HTML:
        response["Content-Security-Policy"] = _PAPER_POLICY
    return response


def as_file(response: _Answer, name: str) -> _Answer:
    """Return a response as a file with that name, which caches must not store."""
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response


class PaperView(ApiView):
    """Serve a paper in several forms. An address with another ending does not exist."""

    units = 10
    forms: ClassVar[tuple[Form, ...]] = PRINTED

    def check_path(self, parts: Mapping[str, Any]) -> None:
        """Raise RouteUnknown for a form that this paper does not have."""
        super().check_path(parts)
        if parts["form"] not in {form.name for form in self.forms}:
            raise RouteUnknown

    def language(self) -> str:
        """Return the language of the paper, from the query string or the request."""
        return language_of(self.query(LanguageQuery))

    def paper(self, content: bytes, form: str) -> HttpResponse:
        """Return a printed form (`PRINTED`) as an answer."""
        return paper(content, Output(form))

    def published(self, content: bytes, form: str) -> HttpResponse:
        """Return a printed form of what everybody may read, which caches may keep for a moment."""
        response = paper(content, Output(form))
        del response["Cache-Control"]
        return cached(self.request, response, max_age_s=SHORTLY_S)

    def download(self, content: bytes, form: str, *, name: str) -> HttpResponse:
        """Return a form as a file named `name.form`, which caches must not store."""
        content_type = next(one.content_type for one in self.forms if one.name == form)
        return as_file(HttpResponse(content, content_type=content_type), f"{name}.{form}")
