"""Let caches keep answers that everybody may read, by a tag of their content."""

import hashlib
from typing import Any

from django.http import HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from rest_framework.request import Request

FOR_EVER_S = 31_536_000
SHORTLY_S = 5


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
