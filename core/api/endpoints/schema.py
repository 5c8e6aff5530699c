"""Serve the OpenAPI document, which is made once in each process."""

import functools
import threading
from typing import Any

from django.http import HttpResponse
from django.utils import translation
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from core.api.kept import kept_answer

_making = threading.Lock()


class SchemaDocument(SpectacularAPIView):
    """Answer `GET /api/v1/schema`: YAML, or JSON with `Accept:
    application/vnd.oai.openapi+json`.
    """

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        renderer = request.accepted_renderer
        with _making:  # who asks first makes it, the others wait
            content = _document(renderer.media_type)
        response = kept_answer(
            request._request, content, f"{renderer.media_type}; charset=utf-8", max_age_s=300
        )
        response["Vary"] = "Accept"
        return response


@functools.cache
def _document(media_type: str) -> bytes:
    """Return the document in one form."""
    kind = next(k for k in SchemaDocument.renderer_classes if k.media_type == media_type)
    with translation.override("en"):
        generator = SchemaDocument.generator_class()
        schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
        content = kind().render(schema, renderer_context={})
    return content if isinstance(content, bytes) else content.encode()
