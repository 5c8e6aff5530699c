"""Serve the OpenAPI document, which is made once in each process."""

import functools
import hashlib
import threading
from typing import Any

from django.http import HttpResponse
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

_KEPT_S = 300
_making = threading.Lock()


class SchemaDocument(SpectacularAPIView):
    """Answer `GET /api/v1/schema`: YAML, or JSON with `Accept:
    application/vnd.oai.openapi+json`.
    """

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        renderer = request.accepted_renderer
        with _making:  # who asks first makes it, the others wait
            content = _document(renderer.media_type)
        response = HttpResponse(content, content_type=f"{renderer.media_type}; charset=utf-8")
        patch_cache_control(response, public=True, max_age=_KEPT_S)
        response["Vary"] = "Accept"
        response["ETag"] = etag = quote_etag(hashlib.sha256(content).hexdigest()[:32])
        return get_conditional_response(request._request, etag, None, response) or response


@functools.cache
def _document(media_type: str) -> bytes:
    """Return the document in one form."""
    kind = next(k for k in SchemaDocument.renderer_classes if k.media_type == media_type)
    with translation.override("en"):
        content = kind().render(_schema(), renderer_context={})
    return content if isinstance(content, bytes) else content.encode()


@functools.cache
def _schema() -> Any:
    """Return the document, of which each form is made."""
    generator = SchemaDocument.generator_class()
    return generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
