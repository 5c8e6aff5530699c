"""Answer with bytes that change rarely or never, so that nobody makes or sends them twice."""

import hashlib

from django.http import HttpRequest, HttpResponse


def kept_answer(
    request: HttpRequest, content: bytes, content_type: str, *, max_age_s: int
) -> HttpResponse:
    """Return the bytes with their entity tag, or 304 to who has them."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    if tag in request.META.get("HTTP_IF_NONE_MATCH", ""):
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(content, content_type=content_type)
    response["ETag"] = tag
    response["Cache-Control"] = f"public, max-age={max_age_s}"
    return response
